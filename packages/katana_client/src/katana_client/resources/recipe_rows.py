"""Rows of recipes, the old name of BOM rows: change and delete (facts 3.2). Deprecated by Katana: prefer `bom_rows`."""

from decimal import Decimal
from typing import Annotated, Never

from pydantic import Field, StringConstraints

from katana_client.collection import Spec
from katana_client.models.recipe_rows import RecipeRow
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, WriteModel

type Notes = Annotated[str, StringConstraints(max_length=255)]
"""Write: at most 255 characters."""
type RecipeQuantity = Annotated[Decimal, Field(ge=0, le=Decimal(10) ** 16)]
"""Write: a quantity per one unit of the product."""


class RecipeRowUpdate(WriteModel):
    """A change of an ingredient, for every variant that the row applies to."""

    ingredient_variant_id: Omittable[Ref] = None
    quantity: Omittable[RecipeQuantity] = None
    notes: Omittable[Notes] = None


class RecipeRows(Resource[RecipeRow, Never, RecipeRowUpdate]):
    """`/recipe_rows`: PATCH and DELETE by UUID, for all variants of a row at once; `recipes` lists and creates."""

    spec = Spec(
        name="recipe_rows",
        model=RecipeRow,
        update=RecipeRowUpdate,
        deletes=True,
        lists=False,
        uuid=True,
    )
