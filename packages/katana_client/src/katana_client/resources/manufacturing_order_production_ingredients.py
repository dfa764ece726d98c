"""Ingredients that productions used; only their batches change (facts 3.6)."""

from decimal import Decimal
from typing import Never

from katana_client.bodies.manufacturing_order_production_ingredients import (
    ManufacturingOrderProductionIngredientUpdateBody,
)
from katana_client.collection import spec_of
from katana_client.models.manufacturing_order_production_ingredients import ManufacturingOrderProductionIngredient
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, WriteModel


class UsedBatchInput(WriteModel):
    """How much of an ingredient came from a batch."""

    batch_id: Ref
    quantity: Omittable[Decimal] = None


class ManufacturingOrderProductionIngredientUpdate(ManufacturingOrderProductionIngredientUpdateBody):
    """Other batches for an ingredient of an order that is not done."""

    batch_transactions: list[UsedBatchInput]


class ManufacturingOrderProductionIngredients(
    Resource[ManufacturingOrderProductionIngredient, Never, ManufacturingOrderProductionIngredientUpdate]
):
    """`/manufacturing_order_production_ingredients`: listed by order or production, and PATCH."""

    spec = spec_of(
        "manufacturing_order_production_ingredients",
        ManufacturingOrderProductionIngredient,
        update=ManufacturingOrderProductionIngredientUpdate,
    )
