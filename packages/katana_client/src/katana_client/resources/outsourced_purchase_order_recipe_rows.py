"""Ingredients of the rows of outsourced purchase orders (facts 3.4, 4.3)."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from katana_client.bodies.outsourced_purchase_order_recipe_rows import (
    OutsourcedPurchaseOrderRecipeRowCreateBody,
    OutsourcedPurchaseOrderRecipeRowUpdateBody,
)
from katana_client.collection import spec_of
from katana_client.models.outsourced_purchase_order_recipe_rows import OutsourcedPurchaseOrderRecipeRow
from katana_client.resource import Resource
from katana_client.tracking import StockBatchInput
from katana_client.wire import Omittable

type PerUnit = Annotated[Decimal, Field(gt=0, le=Decimal(10) ** 17)]
"""Write: a quantity per one unit of the row, more than zero."""


class OutsourcedPurchaseOrderRecipeRowCreate(OutsourcedPurchaseOrderRecipeRowCreateBody):
    """A new ingredient of a row that is not received."""

    planned_quantity_per_unit: PerUnit
    batch_transactions: Omittable[list[StockBatchInput]] = None


class OutsourcedPurchaseOrderRecipeRowUpdate(OutsourcedPurchaseOrderRecipeRowUpdateBody):
    """A change of an ingredient; `batch_transactions` replaces the list."""

    planned_quantity_per_unit: Omittable[PerUnit] = None
    batch_transactions: Omittable[list[StockBatchInput]] = None


class OutsourcedPurchaseOrderRecipeRows(
    Resource[
        OutsourcedPurchaseOrderRecipeRow,
        OutsourcedPurchaseOrderRecipeRowCreate,
        OutsourcedPurchaseOrderRecipeRowUpdate,
    ]
):
    """`/outsourced_purchase_order_recipe_rows`."""

    spec = spec_of(
        "outsourced_purchase_order_recipe_rows",
        OutsourcedPurchaseOrderRecipeRow,
        OutsourcedPurchaseOrderRecipeRowCreate,
        OutsourcedPurchaseOrderRecipeRowUpdate,
    )
