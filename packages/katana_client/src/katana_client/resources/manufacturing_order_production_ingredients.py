"""Ingredients that productions used; only their batches change (facts 3.6).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated, Never

from pydantic import Field

from katana_client.collection import spec_of
from katana_client.models.manufacturing_order_production_ingredients import ManufacturingOrderProductionIngredient
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, TextAmount, WriteModel


class UsedBatchInput(WriteModel):
    """A part of the body below."""

    batch_id: Ref
    quantity: Omittable[Decimal] = None


class ManufacturingOrderIngredientTraceability(WriteModel):
    """`ManufacturingOrderIngredientTraceabilityRequest` of the facts."""

    batch_id: Annotated[int, Field(ge=0)] | None = None
    bin_location_id: Annotated[int, Field(ge=0)] | None = None
    quantity: Omittable[TextAmount] = None


class ManufacturingOrderProductionIngredientUpdate(WriteModel):
    """Other batches for an ingredient of an order that is not done."""

    batch_transactions: Omittable[list[UsedBatchInput]] = None
    traceability: Omittable[list[ManufacturingOrderIngredientTraceability]] = None


class ManufacturingOrderProductionIngredients(
    Resource[ManufacturingOrderProductionIngredient, Never, ManufacturingOrderProductionIngredientUpdate]
):
    """`/manufacturing_order_production_ingredients`."""

    spec = spec_of(
        "manufacturing_order_production_ingredients",
        ManufacturingOrderProductionIngredient,
        update=ManufacturingOrderProductionIngredientUpdate,
    )
