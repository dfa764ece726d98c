"""Bodies of `bom_rows` as the facts and the forms have them.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or bodies.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class BomRowCreate(WriteModel):
    """`CreateBomRowRequest` of the facts."""

    product_item_id: Ref
    product_variant_id: Ref
    ingredient_variant_id: Ref
    custom_fields: FreeFields | None = None
    quantity: Annotated[Decimal, Field(ge=0, le=100000000000000000)] | None = None
    notes: Annotated[str, StringConstraints(max_length=255)] | None = None


class BomRowUpdate(WriteModel):
    """`UpdateBomRowRequest` of the facts."""

    custom_fields: FreeFields | None = None
    ingredient_variant_id: Omittable[Ref] = None
    quantity: Annotated[Decimal, Field(ge=0, le=100000000000000000)] | None = None
    notes: Annotated[str, StringConstraints(max_length=255)] | None = None
