"""Goods in batches and with serial numbers, counts, and the usual calls of the tools that list them."""

from katana_sandbox import Tenant

from .usual import Usual, changed_each, live_records


def traced_goods(tenant: Tenant) -> None:
    """Bring goods into three batches, one of them used for making others, one in a bin, and a unit with its number."""
    items = {record["id"] for record in live_records(tenant, "materials") if record["batch_tracked"]}
    goods = [record["id"] for record in live_records(tenant, "variants") if record["material_id"] in items]
    place = live_records(tenant, "locations")[0]["id"]
    bins = [tenant.create("bin_locations", {"bin_name": name, "location_id": place})["id"] for name in ("A-12", "B-07")]
    for name, variant, until, moves, bin_id in (
        ("B-LATE", goods[0], "2027-09-01", (4,), bins[0]),
        ("B-SOON", goods[-1], "2026-02-01", (3,), None),
        ("B-GONE", goods[0], "2026-01-01", (2,), None),
    ):
        batch = {"batch_number": name, "variant_id": variant, "expiration_date": f"{until}T00:00:00.000Z"}
        key = tenant.create("batches", batch)["id"]
        for quantity in moves:
            row = {
                "variant_id": variant,
                "quantity": quantity,
                "traceability": [{"batch_id": key, "bin_location_id": bin_id, "quantity": quantity}],
            }
            tenant.create("stock_adjustments", {"location_id": place, "stock_adjustment_rows": [row]})
    used = next(
        ingredient
        for ingredient in tenant.all("manufacturing_order_production_ingredients")
        if ingredient["variant_id"] == goods[0] and ingredient["quantity"] >= 2
    )
    gone = next(batch["id"] for batch in tenant.all("batches") if batch["batch_number"] == "B-GONE")
    of_batch = [{"batch_id": gone, "quantity": 2}]
    tenant.edit("manufacturing_order_production_ingredients", used["id"], batch_transactions=of_batch)
    bought = next(
        purchase_order_row
        for purchase_order_row in tenant.all("purchase_order_rows")
        if purchase_order_row["received_date"]
    )
    named = {"resource_type": "PurchaseOrderRow", "resource_id": bought["id"], "serial_numbers": ["SN-1"]}
    (unit,) = tenant.create("serial_numbers", named)["successful"]
    entry = {"serial_number_id": unit["id"], "batch_id": None, "bin_location_id": None, "quantity": "1"}
    tenant.edit("purchase_order_rows", bought["id"], traceability=[entry])


def traceability(tenant: Tenant) -> Usual:
    """Return a usual call of `list_traceability`, and what makes a difference."""
    soon = (batch["variant_id"] for batch in tenant.all("batches") if batch["batch_number"] == "B-SOON")
    variant = next(soon, live_records(tenant, "variants")[0]["id"])
    other = next(record["id"] for record in live_records(tenant, "locations")[1:])
    changes = changed_each(
        skus_or_variant_ids=[variant],
        location_id=other,
        number="B-LATE",
        expires_from="2026-06-01",
        expires_to="2026-06-01",
        include_empty=True,
        limit=1,
        page=2,
    )
    changes["kind"] = {"kind": "serial number", "number": "SN-1"}
    return Usual({}, changes)


def traces(tenant: Tenant) -> Usual:
    """Return a usual call of `trace`, and what makes a difference."""
    late = next((batch["variant_id"] for batch in tenant.all("batches") if batch["batch_number"] == "B-LATE"), 1)
    used = (
        ingredient["manufacturing_order_id"]
        for ingredient in tenant.all("manufacturing_order_production_ingredients")
        if any(row["batch_id"] for row in ingredient.get("traceability", ()))
    )
    order = tenant.get("manufacturing_orders", next(used, live_records(tenant, "manufacturing_orders")[0]["id"]))
    changes = changed_each(number="B-SOON", direction="down", levels=0, limit=1, page=2)
    changes["kind"] = {"kind": "serial number", "number": "SN-1"}
    changes["sku_or_variant_id"] = {"sku_or_variant_id": late}
    return Usual({"number": order["order_no"]}, changes)
