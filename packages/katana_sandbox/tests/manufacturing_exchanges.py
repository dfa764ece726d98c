"""Bodies and ids for the exchanges about manufacturing, each from the tenant's data."""

from collections.abc import Callable
from typing import Any

from katana_sandbox import Tenant
from katana_sandbox.rules.manufacturing_links import make_to_order


def with_recipe(tenant: Tenant) -> int:
    """A variant with a recipe and operations."""
    variant_id: int = next(tenant.all("product_operation_rows"))["product_variant_id"]
    return variant_id


def make(tenant: Tenant) -> dict[str, Any]:
    body = {"variant_id": with_recipe(tenant), "planned_quantity": 2, "location_id": 10000101}
    return tenant.create("manufacturing_orders", body)


def make_row(name: str) -> Callable[[Tenant], object]:
    def find(tenant: Tenant) -> object:
        order = make(tenant)["id"]
        return next(row["id"] for row in tenant.all(name) if row["manufacturing_order_id"] == order)

    return find


def for_making(extra: dict[str, Any]) -> Callable[[Tenant], object]:
    return lambda tenant: {"manufacturing_order_id": make(tenant)["id"], **extra}


def production(tenant: Tenant) -> dict[str, Any]:
    body = {"manufacturing_order_id": make(tenant)["id"], "completed_quantity": 1}
    return tenant.create("manufacturing_order_productions", body)


def to_order(tenant: Tenant) -> object:
    row = {"variant_id": with_recipe(tenant), "quantity": 2, "price_per_unit": 21.5, "tax_rate_id": 10000101}
    order = tenant.create("sales_orders", {"customer_id": 10000101, "sales_order_rows": [row]})
    return order["sales_order_rows"][0]["id"]


def linked_row(tenant: Tenant) -> dict[str, Any]:
    row_id = to_order(tenant)
    make_to_order(tenant.context(), row_id, subassemblies=False)
    return {"sales_order_row_id": row_id}


def work_row(tenant: Tenant) -> object:
    return next(tenant.all("product_operation_rows"))["product_operation_row_id"]
