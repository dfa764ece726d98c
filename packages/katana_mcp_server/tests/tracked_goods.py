"""Goods in batches and goods with serial numbers in a sandbox, received so that each batch and unit is known."""

from dataclasses import dataclass
from typing import Any

from katana_sandbox import Tenant


@dataclass(frozen=True)
class Tracked:
    """What lies of one SKU at a location: ids of its units, or of its batches.

    Attributes:
        sku: of the goods.
        variant: their id.
        place: the location.
        ids: of units or batches.
    """

    sku: str
    variant: int
    place: int
    ids: list[int]


def _live(tenant: Tenant, collection: str) -> list[dict[str, Any]]:
    return [record for record in tenant.all(collection) if not record.get("deleted_at")]


def _ordered(tenant: Tenant, goods: dict[str, Any], place: int, number: str, quantity: int) -> dict[str, Any]:
    body = {
        "supplier_id": _live(tenant, "suppliers")[0]["id"],
        "location_id": place,
        "order_no": number,
        "purchase_order_rows": [{"variant_id": goods["id"], "quantity": quantity, "price_per_unit": 80}],
    }
    return tenant.create("purchase_orders", body)["purchase_order_rows"][0]


def units_in_bin(tenant: Tenant, bin_name: str = "A-1") -> Tracked:
    """Return three units with serial numbers U-1, U-2 and U-3, in a bin of a location."""
    place = int(_live(tenant, "locations")[0]["id"])
    shelf = int(tenant.create("bin_locations", {"bin_name": bin_name, "location_id": place})["id"])
    tracked = {product["id"] for product in _live(tenant, "products") if product.get("serial_tracked")}
    goods = next(variant for variant in _live(tenant, "variants") if variant["product_id"] in tracked)
    row = _ordered(tenant, goods, place, "PO-UNITS", 3)
    named = {"resource_type": "PurchaseOrderRow", "resource_id": row["id"], "serial_numbers": ["U-1", "U-2", "U-3"]}
    ids = [unit["id"] for unit in tenant.create("serial_numbers", named)["successful"]]
    trace = [{"serial_number_id": key, "bin_location_id": shelf} for key in ids]
    tenant.create("purchase_order_receive", {"purchase_order_row_id": row["id"], "quantity": 3, "traceability": trace})
    return Tracked(goods["sku"], goods["id"], place, ids)


def two_batches(tenant: Tenant) -> Tracked:
    """Return two batches of one SKU, L-1 with 5 and L-2 with 4, at a location."""
    place = int(_live(tenant, "locations")[0]["id"])
    tracked = {item["id"] for item in _live(tenant, "materials") if item.get("batch_tracked")}
    goods = next(variant for variant in _live(tenant, "variants") if variant.get("material_id") in tracked)
    row = _ordered(tenant, goods, place, "PO-BATCHES", 9)
    ids = [
        int(tenant.create("batches", {"batch_number": number, "variant_id": goods["id"]})["id"])
        for number in ("L-1", "L-2")
    ]
    trace = [{"batch_id": key, "quantity": amount} for key, amount in zip(ids, (5, 4), strict=True)]
    tenant.create("purchase_order_receive", {"purchase_order_row_id": row["id"], "quantity": 9, "traceability": trace})
    return Tracked(goods["sku"], goods["id"], place, ids)
