"""Values of the arguments of the tools that correct closed orders."""

from collections.abc import Mapping
from typing import Any

from katana_sandbox import Tenant

from .usual import Usual, changed_each, live_records

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


def corrected_sale(tenant: Tenant) -> Usual:
    """Return how a shipped sales order is corrected, and what makes a difference."""
    returned = {sales_return["sales_order_id"] for sales_return in tenant.all("sales_returns")}
    shipped = {fulfillment["sales_order_id"] for fulfillment in tenant.all("sales_order_fulfillments")} - returned
    delivered = [record for record in live_records(tenant, "sales_orders") if record["status"] == "DELIVERED"]
    order = next(record for record in delivered if record["id"] in shipped)
    row = order["sales_order_rows"][0]
    added = {"sku_or_variant_id": row["variant_id"], "quantity": 0.5, "price_per_unit": 1}
    away = next(
        location["id"] for location in live_records(tenant, "locations") if location["id"] != order["location_id"]
    )
    other = next(
        customer["id"] for customer in live_records(tenant, "customers") if customer["id"] != order["customer_id"]
    )
    return Usual(
        {"sales_order_id": order["id"], "update_rows": [{"row_id": row["id"], "price_per_unit": 77}]},
        changed_each(
            sales_order_id=order["order_no"],
            order_no="SO-900",
            customer_id=other,
            location_id=away,
            delivery_date="2026-04-05",
            currency="USD",
            update_rows=[{"row_id": row["id"], "price_per_unit": 78}],
            add_rows=[added],
            delete_row_ids=[row["id"]],
        ),
    )
