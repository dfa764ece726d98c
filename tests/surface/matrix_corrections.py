"""Values of the arguments of the tool that corrects a received purchase order."""

from collections.abc import Mapping
from typing import Any

from .usual import Usual, changed_each

_LOCKED = ("order_no", "currency", "expected_arrival_date", "supplier_id", "location_id")


def corrected(order: dict[str, Any], head: Mapping[str, dict[str, object]]) -> Usual:
    """Return how a received order is corrected; `head` are values of the fields of an order."""
    row = order["purchase_order_rows"][0]
    changed = [{"row_id": row["id"], "quantity": 77}]
    added = [{"sku_or_variant_id": row["variant_id"], "quantity": 0.5, "price_per_unit": 1}]
    rows = changed_each(
        supplier_id=order["supplier_id"] + 1,
        location_id=order["location_id"] + 1,
        update_rows=[{"row_id": row["id"], "quantity": 78}],
        add_rows=added,
        delete_row_ids=[row["id"]],
    )
    others = changed_each(purchase_order_id=order["order_no"], reopen_billed=False)
    usual: dict[str, object] = {"purchase_order_id": order["id"], "update_rows": changed, "reopen_billed": True}
    return Usual(usual, {name: head[name] for name in _LOCKED} | rows | others)
