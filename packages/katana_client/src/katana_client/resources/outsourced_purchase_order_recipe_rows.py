"""Ingredients of the rows of outsourced purchase orders (facts 3.4, 4.3)."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.outsourced_purchase_order_recipe_rows import OutsourcedPurchaseOrderRecipeRow
from katana_client.resource import Resource
from katana_client.tracking import StockBatchInput
from katana_client.wire import Omittable, Ref, WriteModel

type PerUnit = Annotated[Decimal, Field(gt=0, le=Decimal(10) ** 17)]
"""Write: a quantity per one unit of the row, more than zero."""


class OutsourcedPurchaseOrderRecipeRowCreate(WriteModel):
    """A new ingredient of a row that is not received."""

    purchase_order_row_id: Ref
    ingredient_variant_id: Ref
    planned_quantity_per_unit: PerUnit
    notes: Omittable[str] = None
    batch_transactions: Omittable[list[StockBatchInput]] = None


class OutsourcedPurchaseOrderRecipeRowUpdate(WriteModel):
    """A change of an ingredient; `batch_transactions` replaces the list."""

    ingredient_variant_id: Omittable[Ref] = None
    planned_quantity_per_unit: Omittable[PerUnit] = None
    notes: Omittable[str] = None
    batch_transactions: Omittable[list[StockBatchInput]] = None


class OutsourcedPurchaseOrderRecipeRows(
    Resource[
        OutsourcedPurchaseOrderRecipeRow,
        OutsourcedPurchaseOrderRecipeRowCreate,
        OutsourcedPurchaseOrderRecipeRowUpdate,
    ]
):
    """`/outsourced_purchase_order_recipe_rows`."""

    spec = Spec(
        name="outsourced_purchase_order_recipe_rows",
        model=OutsourcedPurchaseOrderRecipeRow,
        create=OutsourcedPurchaseOrderRecipeRowCreate,
        update=OutsourcedPurchaseOrderRecipeRowUpdate,
        deletes=True,
        gets="path",
        filters=Filters(
            single=(*DATES, *DELETED, "purchase_order_id", "purchase_order_row_id", "ingredient_variant_id"),
            repeated=("ids",),
        ),
    )
