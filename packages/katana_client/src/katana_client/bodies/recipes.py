"""Bodies of `recipes` as the facts and the forms have them.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or bodies.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from katana_client.wire import Omittable, WriteModel


class NewRecipeRow(WriteModel):
    """A part of the body below."""

    quantity: Annotated[Decimal, Field(ge=0, le=10000000000000000)]
    ingredient_variant_id: Annotated[int, Field(ge=0)]
    product_variant_id: Annotated[int, Field(ge=0)]
    notes: Omittable[Annotated[str, StringConstraints(max_length=255)]] = None


class RecipesCreate(WriteModel):
    """1 to 150 new ingredients. `keep_current_rows=False` first deletes all rows of their products."""

    rows: Annotated[list[NewRecipeRow], Field(min_length=1, max_length=150)]
    keep_current_rows: Omittable[bool] = None
