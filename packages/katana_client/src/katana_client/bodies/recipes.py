"""Fields of bodies of `recipes` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import Omittable, WriteModel


class RecipesCreateBody(WriteModel):
    """What `CreateRecipesRequest` has of the facts alone."""

    keep_current_rows: Omittable[bool] = None
