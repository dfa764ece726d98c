"""Inventory movements: the stock ledger (facts 3.7), found by filters and never searched.

Katana has no deleted movements to list: one that is taken back leaves without a trace, and only an id audit finds it
gone. A back-dated movement changes the balances of later ones; whether their `updated_at` moves is not known.
"""

from collections.abc import Mapping
from datetime import timedelta

from cache_core.spec import EntitySpec

INVENTORY_MOVEMENT = EntitySpec(
    name="inventory_movement",
    collection="inventory_movements",
    include=(),
    moves=("variant_id",),
    fresh_for=timedelta(seconds=30),
)

CAUSES: Mapping[str, str] = {
    "Production": "manufacturing_order",
    "ProductionIngredient": "manufacturing_order",
    "ManufacturingOrder": "manufacturing_order",
    "ManufacturingOrderRecipeRow": "manufacturing_order",
    "PurchaseOrderRow": "purchase_order",
    "PurchaseOrderRecipeRow": "purchase_order",
    "SalesOrderRow": "sales_order",
    "StockAdjustmentRow": "stock_adjustment",
    "StockTransferRow": "stock_transfer",
}
"""By `resource_type`: the entity that `caused_by_resource_id` is the id of; what Katana generated names none."""
