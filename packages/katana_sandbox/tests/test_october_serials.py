"""Serial numbers as Katana answers since October: production generates them, documents attach them (October 5)."""

from typing import Any

import pytest

from katana_sandbox import Caller, Sandbox, Tenant

from .manufacturing_floor import WORKSHOP, gadget, header, ordered, produced
from .serial_floor import LATER, NOW, ledger, post, said, ship, sold


@pytest.fixture
async def variant(api: Caller, tenant: Tenant) -> int:
    return await gadget(api, tenant, serial_tracked=True, is_purchasable=True)


async def made_to_order(api: Caller, variant: int) -> tuple[dict[str, Any], dict[str, Any], int]:
    """A sales order row, the order made for it, and the unit that its production generated."""
    row = await sold(api, variant)
    body = {"sales_order_row_id": row["id"], "create_subassemblies": False}
    order = (await api.post("/manufacturing_order_make_to_order", body)).body
    production = (await produced(api, order, 1, is_final=True, completed_date=NOW)).body
    return row, order, production["traceability"][0]["serial_number_id"]


async def test_a_production_that_names_no_serials_generates_them(api: Caller, variant: int) -> None:
    order = await ordered(api, variant, 2)
    production = (await produced(api, order, 2, is_final=True, completed_date=NOW)).body
    units = [part["serial_number_id"] for part in production["traceability"]]
    assert len(set(units)) == 2
    assert await ledger(api, units[0]) == (True, [("ManufacturingOrder", NOW, 1)])
    assert [entry["id"] for entry in (await header(api, order))["serial_numbers"]] == units
    listed = await api.get("/serial_numbers", {"resource_type": "ManufacturingOrder", "resource_id": order["id"]})
    assert listed.rows == [], "the document shows them, the list does not"
    assert (await api.patch(f"/manufacturing_orders/{order['id']}", {"status": "IN_PROGRESS"})).status == 200
    assert await ledger(api, units[0]) == (False, []), "the identity stays"


async def test_a_unit_that_was_made_lies_where_it_was_made_until_it_leaves(api: Caller, variant: int) -> None:
    row, _, unit = await made_to_order(api, variant)
    asked = {"granularity": "SERIAL_NUMBER", "serial_number_id": unit}
    (held,) = (await api.get("/bin_inventory", asked)).rows
    assert (held["variant_id"], held["location_id"], held["quantity_in_stock"]) == (variant, WORKSHOP, "1.00000")
    assert (await ship(api, row)).status == 200
    assert (await api.get("/bin_inventory", asked)).rows == []


async def test_an_empty_list_of_serials_is_not_one_left_out(api: Caller, variant: int) -> None:
    production = (await produced(api, await ordered(api, variant, 1), 1, serial_numbers=[])).body
    assert production["serial_numbers"] == []
    assert production["traceability"] == [{"serial_number_id": None, "batch_id": None, "quantity": "1"}]


async def test_more_serials_than_are_made_are_refused(sandbox: Sandbox, api: Caller, variant: int) -> None:
    first = (await produced(api, await ordered(api, variant, 2), 2)).body
    order = await ordered(api, variant, 3)
    trace = [{"serial_number_id": part["serial_number_id"]} for part in first["traceability"]]
    assert (await produced(api, order, 1, traceability=trace)).status == 422
    assert (await header(api, order))["completed_quantity"] is None
    sandbox.switches.set("production_serials", "require")
    assert (await produced(api, order, 1)).status == 422


async def test_traceability_of_a_production_takes_units_that_exist(api: Caller, variant: int) -> None:
    order = await ordered(api, variant, 1)
    path = f"/manufacturing_orders/{order['id']}"
    first = (await produced(api, order, 1, is_final=True)).body
    trace = [{"serial_number_id": first["traceability"][0]["serial_number_id"]}]
    await api.patch(path, {"status": "IN_PROGRESS"})
    again = (await produced(api, order, 1, completed_date=NOW, traceability=trace)).body
    unit = trace[0]["serial_number_id"]
    assert await ledger(api, unit) == (True, [("ManufacturingOrder", NOW, 1)])
    await api.patch(f"/manufacturing_order_productions/{again['id']}", {"production_date": LATER})
    assert (await ledger(api, unit))[1] == [("ManufacturingOrder", LATER, 1)]
    cleared = await api.patch(f"/manufacturing_order_productions/{again['id']}", {"traceability": []})
    assert (cleared.body["serial_numbers"], await ledger(api, unit)) == ([], (False, []))


@pytest.mark.parametrize("named", [False, True])
async def test_units_made_to_order_are_shipped_from_their_reservation_or_by_name(
    api: Caller, variant: int, named: bool
) -> None:
    row, order, unit = await made_to_order(api, variant)
    assert (await ledger(api, unit))[1] == [("ManufacturingOrder", NOW, 1), ("SalesOrderRow", None, -1)]
    assert (await api.get(f"/sales_order_rows/{row['id']}")).body["serial_numbers"] == [unit]
    trace = [{"serial_number_id": unit, "quantity": "1"}]
    shipped = await (ship(api, row, traceability=trace) if named else ship(api, row))
    assert (shipped.status, shipped.body["status"]) == (200, "DELIVERED")
    assert await ledger(api, unit) == (False, [("ManufacturingOrder", NOW, 1), ("SalesOrderRow", LATER, -1)])
    assert shipped.body["sales_order_fulfillment_rows"][0]["serial_numbers"] == [unit]
    assert order["sales_order_row_id"] == row["id"]


async def test_serials_are_attached_only_where_they_exist(sandbox: Sandbox, api: Caller, variant: int) -> None:
    sandbox.switches.set("serial_attach_mo", "404")
    order = await ordered(api, variant, 1)
    unknown = f"manufacturing order {order['id']} not found"
    assert said(await post(api, "ManufacturingOrder", order["id"], "A")) == (404, unknown), "no minting on an order"
    production = (await produced(api, order, 1)).body
    name = production["serial_numbers"][0]["serial_number"]
    row = await sold(api, variant)
    assert said(await post(api, "SalesOrderRow", row["id"], name, "X")) == (422, "serial numbers not found")
    assert (await api.get(f"/sales_order_rows/{row['id']}")).body["serial_numbers"] == [], "nothing in part"
    assert said(await post(api, "Production", production["id"], "X")) == (422, "UnknownSerialNumber")
    attached = await post(api, "SalesOrderRow", row["id"], name)
    assert ([entry["serial_number"] for entry in attached.body["successful"]], attached.body["failed"]) == ([name], [])
    silent = await api.post("/serial_numbers", {"resource_id": row["id"], "serial_numbers": ["X"]})
    assert (silent.status, silent.raw) == (204, b"")


async def test_serial_numbers_are_no_key_of_a_manufacturing_order(api: Caller, variant: int) -> None:
    order = await ordered(api, variant, 1)
    assert (await api.patch(f"/manufacturing_orders/{order['id']}", {"serial_numbers": []})).status == 422
    row = (await api.get("/manufacturing_order_operation_rows", {"manufacturing_order_id": order["id"]})).rows[0]
    path = f"/manufacturing_order_operation_rows/{row['id']}"
    assert (await api.patch(path, {"operation_name": "Trim"})).body["operation_name"] == "Trim"
    assert (await api.patch(path, {"manufacturing_order_id": order["id"]})).status == 422
