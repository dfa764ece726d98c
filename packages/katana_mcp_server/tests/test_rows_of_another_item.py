"""A row that is to be of another item keeps its price and its unit, and that is told with what the item's own are."""

from typing import Any

from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import Tenant

type Order = dict[str, Any]


def live(tenant: Tenant, collection: str) -> list[dict[str, Any]]:
    """Return what is not deleted."""
    return [record for record in tenant.all(collection) if not record.get("deleted_at")]


def bought(tenant: Tenant) -> Order:
    """Return an order of TUBE, 5 EUR per pcs; CAPS is bought for 12 EUR per set, RODS for 5 EUR, LIDS for 7 EUR."""
    supplier = tenant.create("suppliers", {"name": "Tube Ltd", "currency": "EUR"})["id"]
    own = {"default_supplier_id": supplier, "uom": "pcs", "purchase_uom_conversion_rate": 1, "purchase_uom": "pcs"}
    sets = {"purchase_uom": "set", "purchase_uom_conversion_rate": 4}
    for sku, price, fields in (
        ("TUBE", 5, {}),
        ("CAPS", 12, sets),
        ("RODS", 5, {}),
        ("LIDS", 7, {}),
        ("BARE", None, {}),
    ):
        variant = {"sku": sku, "purchase_price": price}
        tenant.create("materials", {"name": sku.title(), **own, **fields, "variants": [variant]})
    tube = next(variant["id"] for variant in live(tenant, "variants") if variant["sku"] == "TUBE")
    row = {"variant_id": tube, "quantity": 3, "price_per_unit": 5, "purchase_uom": "pcs"}
    row["purchase_uom_conversion_rate"] = 1
    body = {"supplier_id": supplier, "location_id": live(tenant, "locations")[0]["id"], "order_no": "PO-TUBE"}
    return tenant.create("purchase_orders", {**body, "currency": "EUR", "purchase_order_rows": [row]})


def sold(tenant: Tenant) -> Order:
    """Return an order of SEAT-X for 21 each; PUMP-X costs 39, TWIN-X 21."""
    body = {"uom": "pcs", "is_sellable": True}
    ids = dict[str, int]()
    for sku, price in (("SEAT-X", 21), ("PUMP-X", 39), ("TWIN-X", 21)):
        variant = {"sku": sku, "sales_price": price}
        ids[sku] = tenant.create("products", {"name": sku.title(), **body, "variants": [variant]})["variants"][0]["id"]
    row = {"variant_id": ids["SEAT-X"], "quantity": 3, "price_per_unit": 21}
    customer = tenant.create("customers", {"name": "Rider"})["id"]
    order = {"customer_id": customer, "order_no": "SO-SEAT", "sales_order_rows": [row]}
    return tenant.create("sales_orders", {**order, "location_id": live(tenant, "locations")[0]["id"]})


async def _told(stage: Stage, kind: str, order: Order, sku: str, **fields: object) -> list[Payload]:
    (row,) = order[f"{kind}_order_rows"]
    change = {"row_id": row["id"], "sku_or_variant_id": sku, **fields}
    asked = {f"{kind}_order_id": order["id"], "update_rows": [change]}
    preview = payload_of(await stage.result(f"modify_{kind}_order", asked))
    return [warning for warning in preview["warnings"] if warning["code"] == "other_price"]


async def test_a_bought_row_of_another_item_keeps_its_price_and_unit_and_that_is_told(
    stage: Stage, tenant: Tenant
) -> None:
    order = bought(tenant)
    (told,) = await _told(stage, "purchase", order, "CAPS")
    assert (told["severity"], told["field_path"]) == ("advisory", "update_rows[0].price_per_unit")
    assert told["message"] == (
        "update_rows[0].price_per_unit: no price given: the row keeps 5 EUR per pcs; "
        "CAPS has a price of 12 EUR per set (4 pcs), but the row has another purchase unit"
    )
    (told,) = await _told(stage, "purchase", order, "LIDS")
    assert told["message"].endswith("the row keeps 5 EUR per pcs; LIDS has a price of 7 EUR per pcs")


async def test_a_bought_row_of_an_item_of_the_same_price_or_with_a_price_of_its_own_says_no_more_than_a_new_one(
    stage: Stage, tenant: Tenant
) -> None:
    order = bought(tenant)
    assert await _told(stage, "purchase", order, "RODS") == []
    assert await _told(stage, "purchase", order, "LIDS", price_per_unit=7) == []
    (told,) = await _told(stage, "purchase", order, "LIDS", price_per_unit=8)
    assert (told["severity"], told["field_path"]) == ("info", "update_rows[0].price_per_unit")
    assert "8 is not the purchase price of the item, 7 EUR" in told["message"]
    assert await _told(stage, "purchase", order, "TUBE", quantity=4) == []


async def test_a_sold_row_of_another_item_keeps_its_price_and_that_is_told(stage: Stage, tenant: Tenant) -> None:
    order = sold(tenant)
    currency = order["currency"]
    (told,) = await _told(stage, "sales", order, "PUMP-X")
    assert (told["severity"], told["field_path"]) == ("advisory", "update_rows[0].price_per_unit")
    assert told["message"] == (
        f"update_rows[0].price_per_unit: no price given: the row keeps 21 {currency}; "
        f"the sales price of PUMP-X is 39 {currency}"
    )
    assert await _told(stage, "sales", order, "TWIN-X") == []
    assert await _told(stage, "sales", order, "PUMP-X", price_per_unit=39) == []
    (told,) = await _told(stage, "sales", order, "PUMP-X", price_per_unit=38)
    assert told["severity"] == "info"
