"""Fields of bodies of `materials` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import Omittable, WriteModel


class MaterialCreateBody(WriteModel):
    """What `CreateMaterialRequest` has of the facts alone."""

    category_name: Omittable[str] = None
