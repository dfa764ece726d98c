"""What is read of the documents that speak of goods: `from_documents.py` tells events of these fields."""

from collections.abc import Mapping

BOUGHT, SOLD, MADE = "purchase_order", "sales_order", "manufacturing_order"
SHIPMENTS, PRODUCTIONS = "sales_order_fulfillment", "manufacturing_order_production"
RECIPE, OUTSOURCED = "manufacturing_order_recipe_row", "outsourced_purchase_order_recipe_row"
RETURNS, RETURNED = "sales_return", "sales_return_row"
ADJUSTMENTS, TRANSFERS = "stock_adjustment", "stock_transfer"
_NAMED = ("traceability", "batch_transactions", "serial_numbers")
"""Where a row names batches and units."""
_HEAD = ("id", "order_no", "status", "location_id")


def _fields(*head: str, rows: str = "", of_rows: tuple[str, ...] = ()) -> frozenset[str]:
    """Return the fields that are read of a kind of document, and those of its rows."""
    inner = (*of_rows, *_NAMED, "id", "variant_id", "quantity", "location_id", "deleted_at") if rows else ()
    return frozenset((*_HEAD, *head, *(f"{rows}[].{name}" for name in inner)))


READ: Mapping[str, frozenset[str]] = {
    BOUGHT: _fields(
        *("supplier_id", "entity_type", "tracking_location_id"),
        rows="purchase_order_rows",
        of_rows=("received_date", "purchase_uom_conversion_rate"),
    ),
    OUTSOURCED: _fields(
        *("purchase_order_id", "purchase_order_row_id", "ingredient_variant_id", "deleted_at"),
        *("planned_quantity_per_unit", *_NAMED),
    ),
    MADE: _fields("variant_id", "sales_order_id", "sales_order_row_id", *_NAMED),
    RECIPE: _fields("variant_id", "manufacturing_order_id", *_NAMED),
    PRODUCTIONS: _fields(
        *("manufacturing_order_id", "production_date", "quantity", *_NAMED),
        rows="ingredients",
        of_rows=("manufacturing_order_recipe_row_id",),
    ),
    SOLD: _fields("customer_id", rows="sales_order_rows", of_rows=("linked_manufacturing_order_id",)),
    SHIPMENTS: _fields(
        *("sales_order_id", "picked_date"), rows="sales_order_fulfillment_rows", of_rows=("sales_order_row_id",)
    ),
    RETURNS: _fields("customer_id", "return_location_id", "return_date", "order_created_date"),
    RETURNED: _fields("sales_return_id", "variant_id", "quantity", "restock_location_id", *_NAMED),
    ADJUSTMENTS: _fields("stock_adjustment_number", "stock_adjustment_date", rows="stock_adjustment_rows"),
    TRANSFERS: _fields(
        *("stock_transfer_number", "transfer_date", "source_location_id", "target_location_id"),
        rows="stock_transfer_rows",
    ),
}
"""What is read of each kind of document: `from_documents.py` tells events of it."""
