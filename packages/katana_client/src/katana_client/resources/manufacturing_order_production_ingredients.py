"""Ingredients that productions used; only their batches change (facts 3.6)."""

from decimal import Decimal
from typing import Never

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.manufacturing_order_production_ingredients import ManufacturingOrderProductionIngredient
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, WriteModel


class UsedBatchInput(WriteModel):
    """How much of an ingredient came from a batch."""

    batch_id: Ref
    quantity: Omittable[Decimal] = None


class ManufacturingOrderProductionIngredientUpdate(WriteModel):
    """Other batches for an ingredient of an order that is not done."""

    batch_transactions: list[UsedBatchInput]


class ManufacturingOrderProductionIngredients(
    Resource[ManufacturingOrderProductionIngredient, Never, ManufacturingOrderProductionIngredientUpdate]
):
    """`/manufacturing_order_production_ingredients`: listed by order or production, and PATCH."""

    spec = Spec(
        name="manufacturing_order_production_ingredients",
        model=ManufacturingOrderProductionIngredient,
        update=ManufacturingOrderProductionIngredientUpdate,
        gets="ids",
        filters=Filters(single=(*DATES, *DELETED), repeated=("ids", "manufacturing_order_ids", "production_ids")),
    )
