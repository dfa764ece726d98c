"""Ingredients of the rows of outsourced purchase orders (facts 3.4, 4.3).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from katana_client.collection import spec_of
from katana_client.models.outsourced_purchase_order_recipe_rows import OutsourcedPurchaseOrderRecipeRow
from katana_client.resource import Resource
from katana_client.tracking import StockBatchInput
from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class OutsourcedPurchaseOrderRecipeRowCreate(WriteModel):
    """A new ingredient of a row that is not received; the quantity is per unit of it."""

    purchase_order_row_id: Ref
    ingredient_variant_id: Ref
    planned_quantity_per_unit: Annotated[Decimal, Field(gt=0, le=Decimal("1e+17"))]
    notes: Omittable[str] = None
    batch_transactions: Omittable[list[StockBatchInput]] = None
    custom_fields: FreeFields | None = None


class OutsourcedPurchaseOrderRecipeRowUpdate(WriteModel):
    """A change of an ingredient; `batch_transactions` replaces the list."""

    ingredient_variant_id: Omittable[Ref] = None
    planned_quantity_per_unit: Omittable[Annotated[Decimal, Field(gt=0, le=Decimal("1e+17"))]] = None
    notes: Omittable[str] = None
    batch_transactions: Omittable[list[StockBatchInput]] = None
    custom_fields: FreeFields | None = None


class OutsourcedPurchaseOrderRecipeRows(
    Resource[
        OutsourcedPurchaseOrderRecipeRow, OutsourcedPurchaseOrderRecipeRowCreate, OutsourcedPurchaseOrderRecipeRowUpdate
    ]
):
    """`/outsourced_purchase_order_recipe_rows`."""

    spec = spec_of(
        "outsourced_purchase_order_recipe_rows",
        OutsourcedPurchaseOrderRecipeRow,
        create=OutsourcedPurchaseOrderRecipeRowCreate,
        update=OutsourcedPurchaseOrderRecipeRowUpdate,
    )
