"""Fields of bodies of `manufacturing_order_production_ingredients` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from decimal import Decimal

from katana_client.wire import Omittable, WriteModel


class ManufacturingOrderIngredientTraceability(WriteModel):
    """`ManufacturingOrderIngredientTraceabilityRequest` of the facts."""

    batch_id: int | None = None
    bin_location_id: int | None = None
    quantity: Omittable[Decimal] = None


class ManufacturingOrderProductionIngredientUpdateBody(WriteModel):
    """What `UpdateManufacturingOrderProductionIngredientRequest` has of the facts alone."""

    traceability: Omittable[list[ManufacturingOrderIngredientTraceability]] = None
