"""Ingredients that a production used; read inside productions, only their batches change (facts 3.6)."""

from decimal import Decimal
from typing import Never

from katana_client.collection import Spec
from katana_client.resource import Resource
from katana_client.tracking import BatchTransaction
from katana_client.wire import Amount, Moment, Omittable, ReadModel, Ref, WriteModel


class ManufacturingOrderProductionIngredient(ReadModel):
    """How much of an ingredient a production used."""

    id: int | None = None
    location_id: int | None = None
    variant_id: int | None = None
    manufacturing_order_id: int | None = None
    manufacturing_order_recipe_row_id: int | None = None
    production_id: int | None = None
    quantity: Amount = None
    production_date: Moment = None
    cost: Amount = None
    batch_transactions: list[BatchTransaction] | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None


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
    """`/manufacturing_order_production_ingredients`: PATCH only."""

    spec = Spec(
        name="manufacturing_order_production_ingredients",
        model=ManufacturingOrderProductionIngredient,
        update=ManufacturingOrderProductionIngredientUpdate,
        lists=False,
    )
