"""Fields of bodies of `bom_rows` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class BomRowCreateBody(WriteModel):
    """What `CreateBomRowRequest` has of the facts alone."""

    product_item_id: Ref
    product_variant_id: Ref
    ingredient_variant_id: Ref
    custom_fields: FreeFields | None = None


class BomRowUpdateBody(WriteModel):
    """What `UpdateBomRowRequest` has of the facts alone."""

    custom_fields: FreeFields | None = None
    ingredient_variant_id: Omittable[Ref] = None
