"""Recipes, the old name of BOM rows: list and create (facts 3.2). Deprecated by Katana: prefer `bom_rows`."""

from dataclasses import replace
from typing import Never

from katana_client.bodies.recipes import NewRecipeRow, RecipesCreate
from katana_client.bulk import SilentBulk
from katana_client.collection import spec_of
from katana_client.exchange import Call
from katana_client.models.recipes import Recipe
from katana_client.paths import record_path

__all__ = ("NewRecipeRow", "Recipes", "RecipesCreate")


class Recipes(SilentBulk[Recipe, RecipesCreate, Never]):
    """`/recipes`; `get` goes through the listing, and `recipe_rows` changes and deletes single rows."""

    spec = replace(
        spec_of("recipes", Recipe, bulk=RecipesCreate, key=("id", "product_variant_id")), deletes=False, uuid=True
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
