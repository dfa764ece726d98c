"""Sales returns: what comes back of what was shipped (facts 4.6; October 6.1)."""

from typing import Any

import pytest

from katana_sandbox import Caller, Tenant

from .stock_room import batch, in_stock, location, material, shipped, sold

type Body = dict[str, Any]


@pytest.fixture
def order(tenant: Tenant) -> Body:
    """An order of which three of five are delivered; ten are in stock before."""
    made = sold(tenant, material(tenant, 10), 5)
    shipped(tenant, made, 3)
    return made


async def opened(api: Caller, tenant: Tenant, order: Body) -> Body:
    answer = await api.post("/sales_returns", {"sales_order_id": order["id"], "return_location_id": location(tenant)})
    assert answer.status == 200, answer.raw
    return answer.body


async def line(api: Caller, order: Body, header: Body, quantity: object) -> Body:
    item = (await api.get(f"/sales_orders/{order['id']}/returnable_items")).rows[0]
    named = {name: item[name] for name in ("variant_id", "fulfillment_row_id")}
    return {"sales_return_id": header["id"], **named, "quantity": quantity}


async def test_goods_are_in_stock_again_once_all_is_restocked(api: Caller, tenant: Tenant, order: Body) -> None:
    variant = order["sales_order_rows"][0]["variant_id"]
    header = await opened(api, tenant, order)
    row = (await api.post("/sales_return_rows", await line(api, order, header, "2"))).body
    assert (row["quantity"], row["net_price_per_unit"]) == ("2", "9.0000000000")
    path, seen = f"/sales_returns/{header['id']}", [in_stock(tenant, variant)]
    for status in ("RETURNED_ALL", "RESTOCKED_ALL", "RETURNED_ALL", "RESTOCKED_ALL"):
        assert (await api.patch(path, {"status": status})).body["status"] == status
        seen.append(in_stock(tenant, variant))
    assert seen == [7, 7, 9, 7, 9]
    assert tenant.get("sales_returns", header["id"])["return_date"] is not None
    assert (await api.patch(path, {"order_no": "X"})).status == 422
    level = tenant.get("inventory", (variant, location(tenant)))
    assert level["average_cost"] == "2.0000000000", "at the cost at which it had left"


async def test_no_more_comes_back_than_was_shipped(api: Caller, tenant: Tenant, order: Body) -> None:
    path = f"/sales_orders/{order['id']}/returnable_items"
    header = await opened(api, tenant, order)
    assert (await api.post("/sales_return_rows", await line(api, order, header, 4))).status == 422
    row = (await api.post("/sales_return_rows", await line(api, order, header, 2))).body
    items = (await api.get(path)).rows
    assert [(item["available_for_return_quantity"], float(item["quantity_sold"])) for item in items] == [("1", 3)]
    assert (await api.get(f"/sales_orders/{order['id']}/returnable_items")).rows == items
    assert (await api.patch(f"/sales_return_rows/{row['id']}", {"quantity": 4})).status == 422
    assert (await api.patch(f"/sales_return_rows/{row['id']}", {"quantity": 3})).body["quantity"] == "3"
    assert (await api.get(f"/sales_return_rows/{row['id']}")).body["quantity"] == "3"
    assert (await api.delete(f"/sales_return_rows/{row['id']}")).status == 204
    assert (await api.get("/sales_return_rows", {"sales_return_id": header["id"]})).rows == []
    assert (await api.get(path)).rows[0]["available_for_return_quantity"] == "3"


async def test_what_a_return_locks_and_what_locks_a_return(api: Caller, tenant: Tenant, order: Body) -> None:
    header = await opened(api, tenant, order)
    path = f"/sales_returns/{header['id']}"
    row = (await api.post("/sales_return_rows", await line(api, order, header, 1))).body
    fulfillment = (await api.get("/sales_order_fulfillments", {"sales_order_id": order["id"]})).ids[0]
    assert (await api.delete(f"/sales_order_fulfillments/{fulfillment}")).status == 422
    assert (await api.delete(f"/sales_orders/{order['id']}")).status == 412
    await api.patch(path, {"status": "RETURNED_ALL", "return_date": "2026-03-01T00:00:00.000Z"})
    assert (await api.delete(path)).status == 422
    own = f"/sales_return_rows/{row['id']}"
    other = location(tenant, header["return_location_id"])
    changes: list[Body] = [{"quantity": 2}, {"reason_id": 1}, {"restock_location_id": other}]
    assert [(await api.patch(own, change)).status for change in changes] == [422, 422, 200]
    await api.patch(path, {"status": "RESTOCKED_ALL"})
    pair = (row["variant_id"], other)
    assert tenant.get("inventory", pair)["quantity_in_stock"] == "1.00000"
    await api.patch(path, {"status": "NOT_RETURNED"})
    assert (await api.delete(f"/sales_returns/{header['id']}")).status == 204
    assert (await api.get(f"/sales_returns/{header['id']}")).status == 404
    assert tenant.get("inventory", pair)["quantity_in_stock"] == "0.00000"


async def test_returns_are_found_by_their_own_number_only(api: Caller, tenant: Tenant, order: Body) -> None:
    header = await opened(api, tenant, order)
    assert (await api.get("/sales_returns", {"order_no": header["order_no"]})).ids == [header["id"]]
    everything = (await api.get("/sales_returns")).ids
    assert (await api.get("/sales_returns", {"sales_order_no": "none"})).ids == everything, "ignored"
    assert (await api.get("/sales_returns", {"status": "DONE"})).status == 400
    assert "Warranty" in {row["name"] for row in (await api.get("/sales_returns/return_reasons")).rows}


async def test_a_return_names_the_batches_that_come_back(api: Caller, tenant: Tenant) -> None:
    glue = material(tenant, 4, batch_tracked=True)
    key, order = batch(tenant, glue), sold(tenant, glue, 2)
    shipped(tenant, order, 2, traceability=[{"batch_id": key, "quantity": "2"}])
    header = await opened(api, tenant, order)
    row = (await api.post("/sales_return_rows", await line(api, order, header, 2))).body
    path = f"/sales_return_rows/{row['id']}"
    left = (await api.get(f"/sales_return_rows/{row['id']}/unassigned_batch_transactions")).rows
    assert [(part["batch_id"], part["quantity"]) for part in left] == [(key, 2)]
    await api.patch(path, {"batch_transactions": [{"batch_id": key, "quantity": 2}]})
    assert (await api.get(f"/sales_return_rows/{row['id']}/unassigned_batch_transactions")).rows == []
    await api.patch(f"/sales_returns/{header['id']}", {"status": "RESTOCKED_ALL"})
    assert (await api.get("/batch_stocks", {"batch_id": key})).rows == []
    empty = (await api.get("/batch_stocks", {"batch_id": key, "include_empty": "true"})).rows
    assert [part["quantity_in_stock"] for part in empty] == ["0.00000"]
