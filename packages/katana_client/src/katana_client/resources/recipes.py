"""Recipes, the old name of BOM rows: list and create (facts 3.2). Deprecated by Katana: prefer `bom_rows`."""

from typing import Annotated, Never

from pydantic import Field

from katana_client.bulk import SilentBulk
from katana_client.collection import Spec
from katana_client.exchange import Call
from katana_client.filters import DATES, Filters
from katana_client.models.recipes import Recipe
from katana_client.paths import record_path
from katana_client.resources.recipe_rows import Notes, RecipeQuantity
from katana_client.wire import Omittable, Ref, WriteModel


class NewRecipeRow(WriteModel):
    """A new ingredient of a product variant."""

    product_variant_id: Ref
    ingredient_variant_id: Ref
    quantity: RecipeQuantity
    notes: Omittable[Notes] = None


class RecipesCreate(WriteModel):
    """1 to 150 new ingredients. `keep_current_rows=False` first deletes all rows of their products."""

    rows: Annotated[list[NewRecipeRow], Field(min_length=1, max_length=150)]
    keep_current_rows: Omittable[bool] = None


class Recipes(SilentBulk[Recipe, RecipesCreate, Never]):
    """`/recipes`; `get` goes through the listing, and `recipe_rows` changes and deletes single rows."""

    spec = Spec(
        name="recipes",
        model=Recipe,
        bulk=RecipesCreate,
        gets="recipe_row_id",
        uuid=True,
        key=("id", "product_variant_id"),
        filters=Filters(
            single=(*DATES, "recipe_row_id", "product_id", "ingredient_variant_id"), repeated=("product_variant_ids",)
        ),
    )

    async def delete_all(self, product_id: int) -> None:
        """Delete every row of every variant of a product.

        Raises:
            NotFound: There is no such product.
            OutcomeUnknown: The rows may or may not be gone.
        """
        await self.sender.send(self.deletion_of_all(product_id))

    def deletion_of_all(self, product_id: int) -> Call:
        """Return the call that `delete_all` sends."""
        return Call("DELETE", record_path(self.spec.name, product_id))
