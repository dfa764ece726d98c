"""Fields of bodies of `recipe_rows` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import Omittable, Ref, WriteModel


class RecipeRowUpdateBody(WriteModel):
    """What `UpdateRecipeRowRequest` has of the facts alone."""

    ingredient_variant_id: Omittable[Ref] = None
