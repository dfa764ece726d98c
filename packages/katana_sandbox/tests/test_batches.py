"""Batches, and the stock that is in them (facts of October 5, 6.3)."""

from typing import Any

import pytest

from katana_sandbox import Caller, Tenant

from .stock_room import adjust, batch, in_stock, location, material, shipped, sold

type Stocks = list[tuple[int, str]]
DAY = "2026-03-01T00:00:00.000Z"


@pytest.fixture
def glue(tenant: Tenant) -> int:
    return material(tenant, batch_tracked=True)


async def stocks(api: Caller, **query: object) -> Stocks:
    rows = (await api.get("/batch_stocks", query)).rows
    return [(row["batch_id"], row["quantity_in_stock"]) for row in rows]


async def test_a_batch_is_made_and_changed(api: Caller, tenant: Tenant, glue: int) -> None:
    body = {"batch_number": "B-7", "variant_id": glue, "batch_barcode": "b7x", "expiration_date": DAY}
    made = (await api.post("/batches", body)).body
    assert {name: made[name] for name in body} == body
    adjust(tenant, glue, 3, batch_id=made["id"])
    changed = await api.patch(f"/batch_stocks/{made['id']}", {"batch_number": "B-8", "batch_barcode": None})
    assert (changed.body["batch_number"], changed.body["batch_barcode"]) == ("B-8", None)
    row = (await api.get("/batch_stocks", {"batch_number": "B-8"})).rows[0]
    assert (row["batch_id"], row["location_id"], row["expiration_date"]) == (made["id"], location(tenant), DAY)
    assert (await api.patch("/batch_stocks/1", {"batch_number": "X"})).status == 404
    assert (await api.post("/batches", {**body, "variant_id": 1})).status == 422


async def test_documents_move_batches_and_empty_ones_are_hidden(api: Caller, tenant: Tenant, glue: int) -> None:
    one, two = batch(tenant, glue), batch(tenant, glue, "B-2")
    adjust(tenant, glue, 5, batch_id=one)
    adjustment = adjust(tenant, glue, 4, batch_id=two)
    assert await stocks(api, variant_id=glue) == [(two, "4.00000"), (one, "5.00000")]
    shipped(tenant, sold(tenant, glue, 5), 5, traceability=[{"batch_id": one, "quantity": "5"}])
    assert await stocks(api, variant_id=glue) == [(two, "4.00000")]
    assert await stocks(api, variant_id=glue, include_empty="true") == [(two, "4.00000"), (one, "0.00000")]
    assert (await api.delete(f"/stock_adjustments/{adjustment['id']}")).status == 204
    assert await stocks(api, variant_id=glue) == []
    assert in_stock(tenant, glue) == 0


async def test_a_transfer_takes_its_batches_along(api: Caller, tenant: Tenant, glue: int) -> None:
    source = location(tenant)
    target = location(tenant, source)
    key = batch(tenant, glue)
    adjust(tenant, glue, 5, batch_id=key)
    row = {"variant_id": glue, "quantity": "2", "traceability": [{"batch_id": key, "quantity": "2"}]}
    body = {"source_location_id": source, "target_location_id": target, "stock_transfer_rows": [row]}
    transfer = tenant.create("stock_transfers", body)
    assert await stocks(api, variant_id=glue) == [(key, "5.00000")]
    await api.patch(f"/stock_transfers/{transfer['id']}/status", {"status": "received"})
    assert await stocks(api, batch_id=key, location_id=source) == [(key, "3.00000")]
    assert await stocks(api, batch_id=key, location_id=target) == [(key, "2.00000")]


async def test_a_receipt_traces_in_purchase_units_and_leaves_the_rest_untraced(
    api: Caller, tenant: Tenant, glue: int
) -> None:
    line = {"variant_id": glue, "quantity": 3, "price_per_unit": 1, "purchase_uom_conversion_rate": 10}
    supplier = next(tenant.all("suppliers"))["id"]
    order = tenant.create(
        "purchase_orders", {"supplier_id": supplier, "location_id": location(tenant), "purchase_order_rows": [line]}
    )
    key, row = batch(tenant, glue), order["purchase_order_rows"][0]["id"]
    trace = [{"batch_id": key, "quantity": "2"}]
    receipt: dict[str, Any] = {"purchase_order_row_id": row, "quantity": 3, "traceability": trace}
    both = {**receipt, "batch_transactions": [{"batch_id": key, "quantity": 3}]}
    assert (await api.post("/purchase_order_receive", both)).status == 422
    over = {**receipt, "traceability": [{"batch_id": key, "quantity": "4"}]}
    assert (await api.post("/purchase_order_receive", over)).status == 422
    assert (await api.post("/purchase_order_receive", receipt)).status == 204
    assert await stocks(api, variant_id=glue) == [(key, "20.00000")]
    shown = tenant.get("purchase_order_rows", row)
    assert shown["batch_transactions"] == [{"batch_id": key, "quantity": 2}, {"batch_id": None, "quantity": 1}]
    assert shown["traceability"][0]["batch_id"] == key
    assert in_stock(tenant, glue) == 30
    await api.patch(f"/purchase_orders/{order['id']}", {"status": "NOT_RECEIVED"})
    assert await stocks(api, variant_id=glue) == []


async def test_goods_with_batches_are_moved_and_shipped_without_one(api: Caller, tenant: Tenant, glue: int) -> None:
    adjust(tenant, glue, 5, batch_id=None)
    shipped(tenant, sold(tenant, glue, 2), 2)
    assert in_stock(tenant, glue) == 3
    assert await stocks(api, variant_id=glue) == []


async def test_an_outsourced_receipt_uses_up_the_batches_of_its_ingredients(
    api: Caller, tenant: Tenant, glue: int
) -> None:
    good = material(tenant)
    order: dict[str, Any] = {"supplier_id": next(tenant.all("suppliers"))["id"], "location_id": location(tenant)}
    order |= {"entity_type": "outsourced", "tracking_location_id": location(tenant)}
    line = {"variant_id": good, "quantity": 2, "price_per_unit": 1}
    row = tenant.create("purchase_orders", {**order, "purchase_order_rows": [line]})["purchase_order_rows"][0]["id"]
    key = batch(tenant, glue)
    adjust(tenant, glue, 5, batch_id=key)
    used = {"purchase_order_row_id": row, "ingredient_variant_id": glue, "planned_quantity_per_unit": 2}
    named = {"batch_transactions": [{"batch_id": key, "quantity": 4}]}
    tenant.create("outsourced_purchase_order_recipe_rows", used | named)
    assert await stocks(api, variant_id=glue) == [(key, "5.00000")]
    receipt = {"purchase_order_row_id": row, "quantity": 2}
    assert (await api.post("/purchase_order_receive", receipt)).status == 204
    assert await stocks(api, variant_id=glue) == [(key, "1.00000")]
    assert in_stock(tenant, glue) == 1
