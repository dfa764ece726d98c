"""Serial numbers taken over by other documents, and those of make-to-order (facts 4.11, 4.13, 5.5, 5.45, 5.46)."""

from typing import Any

import pytest

from katana_sandbox import Answer, Caller, Sandbox, Tenant

from .manufacturing_floor import WORKSHOP, gadget, ordered, produced
from .serial_floor import ASSIGNED, COUNT, LATER, NOW, ledger, made, mint, post, said, ship, sold


@pytest.fixture
async def variant(sandbox: Sandbox, api: Caller, tenant: Tenant) -> int:
    """A product whose manufacturing orders take serial numbers before they are made."""
    sandbox.switches.set("serial_attach_mo", "mint")
    return await gadget(api, tenant, serial_tracked=True, is_purchasable=True)


async def linked(api: Caller, variant: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A sales order row and the order that is made for it."""
    row = await sold(api, variant)
    answer = await api.post("/manufacturing_order_make_to_order", {"sales_order_row_id": row["id"]})
    return row, answer.body


async def test_a_transfer_binds_units_and_answers_sentinels(api: Caller, variant: int) -> None:
    one, two = await made(api, variant, "A", "B")
    row = await sold(api, variant, 2)
    answer = await post(api, "SalesOrderRow", row["id"], "A")
    assert answer.status == 200
    shown = answer.body["successful"][0]
    assert (shown["id"], shown["serial_number"], shown["quantity_change"]) == (one, "A", -1)
    assert (shown["transaction_id"], shown["resource_id"], shown["transaction_date"]) == ("undefined", "null", "null")
    listed = (await api.get("/serial_numbers", {"resource_type": "SalesOrderRow", "resource_id": row["id"]})).rows
    assert [(entry["id"], entry["resource_id"], entry["transaction_date"]) for entry in listed] == [
        (one, row["id"], None)
    ]
    assert (await post(api, "SalesOrderRow", row["id"], "B")).body["successful"][0]["id"] == two
    assert (await api.get(f"/sales_order_rows/{row['id']}")).body["serial_numbers"] == [one, two]
    again = await post(api, "SalesOrderRow", row["id"], "B")
    assert said(again) == (422, f"row already has serial number with id ({two})")
    assert said(await post(api, "SalesOrderRow", (await sold(api, variant))["id"], "B")) == (422, ASSIGNED)


async def test_a_production_takes_units_of_its_order_later(api: Caller, variant: int) -> None:
    order = await ordered(api, variant, 1)
    unit = (await mint(api, order, "A"))[0]
    production = (await produced(api, order, 1, completed_date=NOW, serial_numbers=[])).body
    assert (await post(api, "Production", production["id"], "A")).status == 200
    assert await ledger(api, unit) == (True, [("ManufacturingOrder", None, 1), ("Production", NOW, 1)])


async def test_bought_units_count_once_received(api: Caller, tenant: Tenant, variant: int) -> None:
    line = {"variant_id": variant, "quantity": 1, "price_per_unit": 5}
    body = {"supplier_id": 10000101, "location_id": WORKSHOP, "purchase_order_rows": [line]}
    order = tenant.create("purchase_orders", body)
    row = order["purchase_order_rows"][0]["id"]
    unit = (await post(api, "PurchaseOrderRow", row, "A")).body["successful"][0]["id"]
    assert await ledger(api, unit) == (False, [("PurchaseOrderRow", None, 0)])
    receipt = {"purchase_order_row_id": row, "quantity": 1, "received_date": NOW}
    assert (await api.post("/purchase_order_receive", receipt)).status == 204
    assert await ledger(api, unit) == (True, [("PurchaseOrderRow", NOW, 1)])
    late = (await post(api, "PurchaseOrderRow", row, "B")).body["successful"][0]
    assert (late["quantity_change"], late["transaction_date"]) == (1, NOW)
    await api.patch(f"/purchase_orders/{order['id']}", {"status": "NOT_RECEIVED"})
    assert await ledger(api, unit) == (False, [("PurchaseOrderRow", None, 0)])
    await api.delete(f"/purchase_orders/{order['id']}")
    assert await ledger(api, unit) == (False, [])


async def test_what_a_receipt_names_replaces_the_units_of_its_row(api: Caller, tenant: Tenant, variant: int) -> None:
    line = {"variant_id": variant, "quantity": 1, "price_per_unit": 5}
    body = {"supplier_id": 10000101, "location_id": WORKSHOP, "purchase_order_rows": [line]}
    row = tenant.create("purchase_orders", body)["purchase_order_rows"][0]["id"]
    one, two = (unit["id"] for unit in (await post(api, "PurchaseOrderRow", row, "A", "B")).body["successful"])
    receipt = {"purchase_order_row_id": row, "quantity": 1, "received_date": NOW}
    named = {**receipt, "traceability": [{"serial_number_id": two}]}
    assert (await api.post("/purchase_order_receive", named)).status == 204
    assert (await ledger(api, one), await ledger(api, two)) == ((False, []), (True, [("PurchaseOrderRow", NOW, 1)])), (
        "5.2"
    )


async def adjust(api: Caller, variant: int, quantity: float, **row: object) -> Answer:
    header = {"stock_adjustment_number": "A", "stock_adjustment_date": NOW, "location_id": WORKSHOP}
    return await api.post(
        "/stock_adjustments",
        {**header, "stock_adjustment_rows": [{"variant_id": variant, "quantity": quantity, **row}]},
    )


async def test_an_adjustment_takes_the_units_it_names(api: Caller, variant: int) -> None:
    """3.1, 4.9: as many as the quantity, one entry each."""
    one, two = await made(api, variant, "A", "B")
    trace = [{"serial_number_id": unit, "quantity": -1} for unit in (one, two)]
    for quantity, wrong in ((-1, trace), (-3, trace), (-2, [trace[0], trace[0]]), (-1, [{**trace[0], "batch_id": 1}])):
        assert (await adjust(api, variant, quantity, traceability=wrong)).status == 422
    made_now = (await adjust(api, variant, -2, traceability=trace)).body
    assert [entry["quantity"] for entry in made_now["stock_adjustment_rows"][0]["traceability"]] == ["1", "1"]
    assert (await ledger(api, one))[0] is False
    assert (await ledger(api, one))[1][-1] == ("StockAdjustmentRow", NOW, -1)
    path = f"/stock_adjustments/{made_now['id']}"
    await api.patch(path, {"stock_adjustment_date": LATER})
    assert (await ledger(api, two))[1][-1] == ("StockAdjustmentRow", LATER, -1)
    await api.delete(path)
    assert (await ledger(api, one))[0] is True


@pytest.mark.parametrize(("quantity", "change"), [(1, 1), (-1, -1)])
async def test_units_can_be_named_after_an_adjustment(api: Caller, variant: int, quantity: int, change: int) -> None:
    unit = (await made(api, variant, "A"))[0]
    row = (await adjust(api, variant, quantity)).body["stock_adjustment_rows"][0]
    assert (await post(api, "StockAdjustmentRow", row["id"], "A")).status == 200
    assert (await ledger(api, unit))[1][-1] == ("StockAdjustmentRow", NOW, change)


async def test_a_transfer_moves_units_without_counting_them(api: Caller, variant: int) -> None:
    one, two = await made(api, variant, "A", "B")
    row = {"variant_id": variant, "quantity": "2", "traceability": [{"serial_number_id": one}]}
    header = {"stock_transfer_number": "T", "source_location_id": WORKSHOP, "target_location_id": 10000102}
    body = {**header, "transfer_date": NOW, "stock_transfer_rows": [row]}
    transfer = (await api.post("/stock_transfers", body)).body
    assert (await post(api, "StockTransferRow", transfer["stock_transfer_rows"][0]["id"], "B")).status == 200
    assert (await ledger(api, two))[1][-1] == ("StockTransferRow", None, 0)
    path = f"/stock_transfers/{transfer['id']}"
    await api.patch(f"{path}/status", {"status": "received"})
    for unit in (one, two):
        in_stock, entries = await ledger(api, unit)
        assert (in_stock, entries[-1]) == (True, ("StockTransferRow", NOW, 0))
    late = (await post(api, "StockTransferRow", transfer["stock_transfer_rows"][0]["id"], "A")).body["successful"]
    assert late[0]["transaction_date"] == NOW
    await api.delete(path)
    assert len((await ledger(api, one))[1]) == 2
    three = [{"serial_number_id": unit} for unit in (one, two)]
    over = {**body, "stock_transfer_rows": [{**row, "quantity": "1", "traceability": three}]}
    assert (await api.post("/stock_transfers", over)).status == 422


async def test_make_to_order_serials_are_reserved_and_shipped(api: Caller, variant: int) -> None:
    """4.11, 4.13; October 5.4."""
    row, order = await linked(api, variant)
    unit = (await mint(api, order, "A"))[0]
    assert (await ledger(api, unit))[1] == [("ManufacturingOrder", None, 0), ("SalesOrderRow", None, -1)]
    await produced(api, order, 1, is_final=True, serial_numbers=[unit], completed_date=NOW)
    assert await ledger(api, unit) == (
        True,
        [("ManufacturingOrder", None, 1), ("SalesOrderRow", None, -1), ("Production", NOW, 1)],
    )
    words = f"SalesOrderRow {row['id']} is linked, serial info must be updated on MO"
    assert said(await post(api, "SalesOrderRow", row["id"], "A")) == (422, words)
    add = {"serial_number_transactions": [{"serial_number_id": unit, "quantity": 1}]}
    assert said(await api.patch(f"/sales_order_rows/{row['id']}", add)) == (
        422,
        f"row already has serial number with id ({unit})",
    )
    assert said(await ship(api, row, serial_numbers=[])) == (422, COUNT)
    assert (await ship(api, row, serial_numbers=[unit])).status == 200
    assert ("SalesOrderRow", LATER, -1) in (await ledger(api, unit))[1]


async def test_deleting_the_bindings_first_lets_the_unit_go_and_loses_its_entries(api: Caller, variant: int) -> None:
    """4.11: the shipment succeeds and the ledger nets to -1."""
    row, order = await linked(api, variant)
    unit = (await mint(api, order, "A"))[0]
    await produced(api, order, 1, is_final=True, serial_numbers=[unit])
    body = {"resource_type": "ManufacturingOrder", "resource_id": order["id"], "ids": [unit]}
    assert (await api.delete("/serial_numbers", body)).status == 204
    assert await ledger(api, unit) == (False, [])
    assert (await ship(api, row, serial_numbers=[unit])).status == 200
    assert await ledger(api, unit) == (False, [("SalesOrderRow", LATER, -1)])
