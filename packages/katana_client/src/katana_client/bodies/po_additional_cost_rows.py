"""Fields of bodies of `po_additional_cost_rows` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from katana_client.wire import Omittable, Ref, WriteModel


class PurchaseOrderAdditionalCostRowCreateBody(WriteModel):
    """What `CreatePurchaseOrderAdditionalCostRowRequest` has of the facts alone."""

    additional_cost_id: Ref
    group_id: Ref
    tax_rate_id: Ref
    price: Annotated[Decimal, Field(ge=0, le=100000000000000000)]
    distribution_method: Omittable[Literal["BY_VALUE", "NON_DISTRIBUTED"]] = None
    reference: Annotated[str, StringConstraints(max_length=255)] | None = None


class PurchaseOrderAdditionalCostRowUpdateBody(WriteModel):
    """What `UpdatePurchaseOrderAdditionalCostRowRequest` has of the facts alone."""

    additional_cost_id: Omittable[Ref] = None
    tax_rate_id: Omittable[Ref] = None
    distribution_method: Omittable[Literal["BY_VALUE", "NON_DISTRIBUTED"]] = None
    reference: Annotated[str, StringConstraints(max_length=255)] | None = None
