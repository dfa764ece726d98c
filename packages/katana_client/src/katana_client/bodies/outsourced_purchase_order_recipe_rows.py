"""Fields of bodies of `outsourced_purchase_order_recipe_rows` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class OutsourcedPurchaseOrderRecipeRowCreateBody(WriteModel):
    """What `CreateOutsourcedPurchaseOrderRecipeRowRequest` has of the facts alone."""

    purchase_order_row_id: Ref
    ingredient_variant_id: Ref
    notes: Omittable[str] = None
    custom_fields: FreeFields | None = None


class OutsourcedPurchaseOrderRecipeRowUpdateBody(WriteModel):
    """What `UpdateOutsourcedPurchaseOrderRecipeRowRequest` has of the facts alone."""

    ingredient_variant_id: Omittable[Ref] = None
    notes: Omittable[str] = None
    custom_fields: FreeFields | None = None
