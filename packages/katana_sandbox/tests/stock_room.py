"""A material of one's own with stock, for the tests of batches, bins, stocktakes and returns."""

from typing import Any

from katana_sandbox import Tenant


def location(tenant: Tenant, other: int | None = None) -> int:
    """The first location; or the first that is not the other."""
    return next(row["id"] for row in tenant.all("locations") if row["id"] != other and row["purchase_allowed"])


def material(tenant: Tenant, quantity: float = 0, **item: object) -> int:
    """The variant of a new material of which so much is in stock."""
    made = tenant.create("materials", {"name": "Resin", "variants": [{"sku": "RS"}], **item})
    variant = made["variants"][0]["id"]
    if quantity:
        tenant.set_stock(variant, location(tenant), quantity, 2)
    return variant


def batch(tenant: Tenant, variant: int, number: str = "B-1") -> int:
    return tenant.create("batches", {"batch_number": number, "variant_id": variant})["id"]


def adjust(tenant: Tenant, variant: int, quantity: float, **trace: object) -> dict[str, Any]:
    """Bring so much of a variant into a batch or a bin, or out of it."""
    row = {"variant_id": variant, "quantity": quantity, "traceability": [{**trace, "quantity": quantity}]}
    return tenant.create("stock_adjustments", {"location_id": location(tenant), "stock_adjustment_rows": [row]})


def in_stock(tenant: Tenant, variant: int) -> float:
    return float(tenant.get("inventory", (variant, location(tenant)))["quantity_in_stock"])


def sold(tenant: Tenant, variant: int, quantity: float) -> dict[str, Any]:
    customer = next(row["id"] for row in tenant.all("customers") if not row["deleted_at"])
    row = {"variant_id": variant, "quantity": quantity, "price_per_unit": 9}
    body = {"customer_id": customer, "location_id": location(tenant), "sales_order_rows": [row]}
    return tenant.create("sales_orders", body)


def shipped(tenant: Tenant, order: dict[str, Any], quantity: float, **extra: object) -> dict[str, Any]:
    """The only row of a delivery."""
    row = {"sales_order_row_id": order["sales_order_rows"][0]["id"], "quantity": quantity, **extra}
    body = {"sales_order_id": order["id"], "status": "DELIVERED", "sales_order_fulfillment_rows": [row]}
    return tenant.create("sales_order_fulfillments", body)["sales_order_fulfillment_rows"][0]
