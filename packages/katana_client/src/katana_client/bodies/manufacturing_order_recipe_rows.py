"""Fields of bodies of `manufacturing_order_recipe_rows` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from decimal import Decimal

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class ManufacturingOrderIngredientTraceability(WriteModel):
    """`ManufacturingOrderIngredientTraceabilityRequest` of the facts."""

    batch_id: int | None = None
    bin_location_id: int | None = None
    quantity: Omittable[Decimal] = None


class ManufacturingOrderRecipeRowCreateBody(WriteModel):
    """What `CreateManufacturingOrderRecipeRowRequest` has of the facts alone."""

    manufacturing_order_id: Ref
    variant_id: Ref
    custom_fields: FreeFields | None = None
    traceability: Omittable[list[ManufacturingOrderIngredientTraceability]] = None


class ManufacturingOrderRecipeRowUpdateBody(WriteModel):
    """What `UpdateManufacturingOrderRecipeRowRequest` has of the facts alone."""

    custom_fields: FreeFields | None = None
    variant_id: Omittable[Ref] = None
    traceability: Omittable[list[ManufacturingOrderIngredientTraceability]] = None
