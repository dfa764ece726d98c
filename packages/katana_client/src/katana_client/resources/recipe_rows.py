"""Rows of recipes, by UUID, for all variants of a row at once; `recipes` lists and creates (facts 3.2).

Deprecated by Katana: prefer `bom_rows`.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated, Never

from pydantic import Field, StringConstraints

from katana_client.collection import spec_of
from katana_client.models.recipe_rows import RecipeRow
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, WriteModel


class RecipeRowUpdate(WriteModel):
    """`UpdateRecipeRowRequest` of the facts."""

    ingredient_variant_id: Omittable[Ref] = None
    quantity: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+16"))]] = None
    notes: Omittable[Annotated[str, StringConstraints(max_length=255)]] = None


class RecipeRows(Resource[RecipeRow, Never, RecipeRowUpdate]):
    """`/recipe_rows`."""

    spec = spec_of("recipe_rows", RecipeRow, update=RecipeRowUpdate)
