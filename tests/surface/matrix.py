"""One telling set of arguments per tool, and for each parameter a value that must make a difference."""

from dataclasses import dataclass, field

from katana_sandbox import Tenant

PART = "00.4021.018.003"


@dataclass(frozen=True, slots=True)
class Usual:
    """How a tool is called here.

    Attributes:
        arguments: with what.
        changes: for each parameter, arguments whose answer must differ from the usual one.
    """

    arguments: dict[str, object]
    changes: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])


def matrix(tenant: Tenant) -> dict[str, Usual]:
    """Return the usual calls for what this account holds."""
    orders = sorted(tenant.all("sales_orders"), key=lambda each: each["id"])
    live = [each for each in orders if each["deleted_at"] is None]
    order, row = live[-1], live[-1]["sales_order_rows"][0]
    skus = [each["sku"] for each in tenant.all("variants") if each["sku"] and each["deleted_at"] is None]
    buyer = next(each for each in tenant.all("customers") if each["id"] == order["customer_id"])
    middle = sorted(each["created_at"] for each in live)[len(live) // 2]
    filters: dict[str, object] = {
        "ids": [order["id"]],
        "limit": 3,
        "page": 2,
        "include_deleted": True,
        "status": ["DELIVERED"],
        "open": True,
        "overdue": True,
        "customer_id": buyer["id"],
        "location_id": order["location_id"],
        "skus_or_variant_ids": [row["variant_id"]],
        "currency": "USD",
        "created_from": middle,
        "created_to": middle,
        "updated_from": middle,
        "updated_to": middle,
        "delivery_from": middle,
        "delivery_to": middle,
        "order_by": "delivery_date",
        "include_rows": True,
    }
    search: dict[str, dict[str, object]] = {"query": {"query": "zzzzz"}, "limit": {"limit": 1}, "page": {"page": 2}}
    several: dict[str, dict[str, object]] = {"skus_or_variant_ids": {"skus_or_variant_ids": [row["variant_id"]]}}
    return {
        "search_items": Usual({"query": "00.4021"}, search),
        "search_sales_orders": Usual({"query": "so"}, search),
        "list_sales_orders": Usual({}, {name: {name: value} for name, value in filters.items()}),
        "get_sales_order": Usual(
            {"sales_order_id": order["id"]},
            {"sales_order_id": {"sales_order_id": live[0]["order_no"]}, "rows_page": {"rows_page": 2}},
        ),
        "search_customers": Usual({"query": "velo"}, search),
        "get_variant_details": Usual({"skus_or_variant_ids": [skus[0], "nothing-has-this"]}, several),
        "check_inventory": Usual({"skus_or_variant_ids": [skus[0], "nothing-has-this"]}, several),
        "cache_status": Usual({}),
    }
