"""Telling arguments of what can be promised and built, and for each parameter a value that makes a difference."""

from katana_sandbox import Tenant

from .usual import Changes, Usual, changed_each, live_records


def promised(tenant: Tenant) -> dict[str, Usual]:
    """Return those of `order_readiness`, `promise_date` and `buildable`."""
    orders = [order for order in live_records(tenant, "sales_orders") if order["status"] == "NOT_SHIPPED"]
    due = sorted(order["delivery_date"] for order in orders if order["delivery_date"])
    line = {"sku_or_variant_id": "KITC", "quantity": 2}
    by_order: Changes = {"sales_order_id": {"sales_order_id": orders[0]["id"], "rows": None}}
    return {
        "order_readiness": Usual(
            {},
            changed_each(
                state=["part"],
                late=True,
                customer_id=orders[0]["customer_id"],
                location_id="Returns depot",
                delivery_from=due[-1],
                delivery_to=due[0],
                limit=1,
                page=9,
            ),
        ),
        "buildable": Usual(
            {},
            changed_each(
                skus_or_variant_ids=["KITC"], location_id="Returns depot", count_committed=True, limit=1, page=2
            ),
        ),
        "promise_date": Usual(
            {"rows": [line]},
            changed_each(rows=[line | {"quantity": 9}], location_id="Returns depot") | by_order,
        ),
    }


def boms(tenant: Tenant) -> dict[str, Usual]:
    """Return those of `get_bom`."""
    rows = list(tenant.all("bom_rows"))
    part = [rows[-1]["ingredient_variant_id"]]
    changes = changed_each(skus_or_variant_ids=part, direction="where used", levels=1, limit=1, page=2)
    return {"get_bom": Usual({"skus_or_variant_ids": [rows[-1]["product_variant_id"]]}, changes)}


def ledgers(tenant: Tenant) -> dict[str, Usual]:
    """Return those of what the stock ledger tells."""
    moved = list(tenant.all("inventory_movements"))
    variant, sold = moved[0], next(record for record in moved if record["resource_type"] == "SalesOrderRow")
    middle = "2026-02-20T12:00:00Z"
    shared: dict[str, object] = {
        "skus_or_variant_ids": [variant["variant_id"]],
        "location_id": next(
            location["id"] for location in live_records(tenant, "locations") if location["id"] != sold["location_id"]
        ),
    }
    return {
        "get_inventory_movements": Usual(
            {"skus_or_variant_ids": [sold["variant_id"]]},
            changed_each(
                **shared, moved_from=middle, moved_to="2024-01-01", resource_type="stock transfer row", limit=1, page=9
            ),
        ),
        "inventory_at": Usual(
            {"skus_or_variant_ids": [sold["variant_id"]], "as_of": middle},
            changed_each(**shared, as_of="2020-01-01T00:00:00+02:00"),
        ),
        "stock_value": Usual(
            {"as_of": middle},
            changed_each(
                location_id=shared["location_id"],
                as_of="2020-01-01T00:00:00+02:00",
                since="2024-01-01",
                limit=1,
                page=9,
            ),
        ),
    }
