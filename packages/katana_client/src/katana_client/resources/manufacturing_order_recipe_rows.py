"""Ingredients of manufacturing orders, newest first and without a position (facts 3.6, 4.7)."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.manufacturing_order_recipe_rows import ManufacturingOrderRecipeRow
from katana_client.resource import Resource
from katana_client.wire import MadeQuantity, Omittable, Ref, WriteModel

type Notes = Annotated[str, StringConstraints(max_length=255)]
"""Write: at most 255 characters."""
type BatchQuantity = Annotated[Decimal, Field(ge=Decimal("0.00001"), le=Decimal(10) ** 17)]
"""Write: a quantity from a batch; 0.00001 at least."""


class IngredientBatchInput(WriteModel):
    """How much of an ingredient comes from a batch."""

    batch_id: Ref
    quantity: BatchQuantity


class ManufacturingOrderRecipeRowCreate(WriteModel):
    """A new ingredient of an order that is not done; a copy carries nothing that was used."""

    not_copied = frozenset({"total_actual_quantity", "batch_transactions"})

    manufacturing_order_id: Ref
    variant_id: Ref
    planned_quantity_per_unit: MadeQuantity
    notes: Omittable[Notes] = None
    total_actual_quantity: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal(10) ** 15)]] = None
    batch_transactions: Omittable[list[IngredientBatchInput]] = None


class ManufacturingOrderRecipeRowUpdate(WriteModel):
    """A change of an ingredient; `batch_transactions` replaces the list. What was used is not copied."""

    not_copied = frozenset({"total_actual_quantity", "batch_transactions"})

    variant_id: Omittable[Ref] = None
    notes: Notes | None = None
    planned_quantity_per_unit: Omittable[Annotated[Decimal, Field(ge=Decimal("0.00001"), le=Decimal(10) ** 16)]] = None
    total_actual_quantity: Annotated[Decimal, Field(ge=0, le=Decimal(10) ** 16)] | None = None
    batch_transactions: Omittable[list[IngredientBatchInput]] = None


class ManufacturingOrderRecipeRows(
    Resource[ManufacturingOrderRecipeRow, ManufacturingOrderRecipeRowCreate, ManufacturingOrderRecipeRowUpdate]
):
    """`/manufacturing_order_recipe_rows`."""

    spec = Spec(
        name="manufacturing_order_recipe_rows",
        model=ManufacturingOrderRecipeRow,
        create=ManufacturingOrderRecipeRowCreate,
        update=ManufacturingOrderRecipeRowUpdate,
        deletes=True,
        gets="path",
        filters=Filters(
            single=(*DATES, *DELETED, "manufacturing_order_id", "variant_id", "ingredient_availability"),
            repeated=("ids",),
        ),
    )
