"""Serial numbers: minted, transferred, shipped, and the ledger of each (facts 3.7, 4.11, 4.13, 5.5, 5.44-5.46)."""

import pytest

from katana_sandbox import Answer, Caller, Sandbox, Tenant

from .manufacturing_floor import gadget, header, ordered, produced
from .serial_floor import ASSIGNED, COUNT, LATER, NOW, ledger, made, mint, post, reserve, said, ship, sold


@pytest.fixture
async def variant(sandbox: Sandbox, api: Caller, tenant: Tenant) -> int:
    """A product whose manufacturing orders take serial numbers before they are made."""
    sandbox.switches.set("serial_attach_mo", "mint")
    return await gadget(api, tenant, serial_tracked=True, is_purchasable=True)


async def test_minting_on_an_order_makes_placeholders(api: Caller, variant: int) -> None:
    order = await ordered(api, variant, 2)
    answer = await post(api, "ManufacturingOrder", order["id"], "B", "A")
    entries = answer.body["successful"]
    assert answer.body["failed"] == []
    assert [{**entry, "id": 0, "transaction_id": ""} for entry in entries] == [
        {
            "id": 0,
            "transaction_id": "",
            "serial_number": name,
            "resource_type": "ManufacturingOrder",
            "resource_id": order["id"],
            "transaction_date": None,
            "quantity_change": 0,
        }
        for name in ("B", "A")
    ]
    assert len({entry["transaction_id"] for entry in entries}) == 2
    assert (await header(api, order))["serial_numbers"] == entries
    assert (await ledger(api, entries[0]["id"])) == (False, [("ManufacturingOrder", None, 0)])


async def test_a_duplicate_is_reported_and_the_rest_is_minted(api: Caller, variant: int, tenant: Tenant) -> None:
    order = await ordered(api, variant, 2)
    await mint(api, order, "A")
    answer = await post(api, "ManufacturingOrder", order["id"], "A", "B", "B")
    assert answer.status == 200, "4.11"
    assert [entry["serial_number"] for entry in answer.body["successful"]] == ["B"]
    assert answer.body["failed"] == [{"serial_number": name, "reason": "DUPLICATE"} for name in ("A", "B")]
    other = await ordered(api, await gadget(api, tenant, serial_tracked=True), 1)
    assert await mint(api, other, "A"), "another variant may use the same name"


async def test_the_list_is_alphabetical_wrapped_paged_and_filtered(api: Caller, variant: int) -> None:
    one, two = await ordered(api, variant, 2), await ordered(api, variant, 2)
    await mint(api, one, "C", "A")
    await mint(api, two, "B")
    everything = await api.get("/serial_numbers")
    assert [row["serial_number"] for row in everything.rows] == ["A", "B", "C"], "1.7"
    page = await api.get("/serial_numbers", {"limit": 2, "page": 2})
    assert [row["serial_number"] for row in page.rows] == ["C"]
    assert (await api.get("/serial_numbers", {"limit": 2, "page": 3})).rows == []
    for query, names in (
        ({"resource_type": "ManufacturingOrder"}, ["A", "B", "C"]),
        ({"resource_id": two["id"]}, ["B"]),
        ({"resource_type": "ManufacturingOrder", "resource_id": one["id"]}, ["A", "C"]),
        ({"resource_type": "SalesOrderFulfillmentRow"}, []),
        ({"resource_id": 999999}, []),
    ):
        assert [row["serial_number"] for row in (await api.get("/serial_numbers", query)).rows] == names, query
    assert (await api.get("/serial_numbers", {"resource_type": "Nothing"})).status == 400


async def test_stock_is_listed_whole_under_two_paths(api: Caller, variant: int) -> None:
    await mint(api, await ordered(api, variant, 3), "B", "A", "C")
    whole = await api.get("/serial_numbers_stock", {"limit": 1})
    alias = await api.get("/serial_numbers/serial_numbers_stock", {"limit": 1})
    assert [row["serial_number"] for row in whole.rows] == ["A", "B", "C"], "5.44"
    assert alias.rows == whole.rows


async def test_make_to_stock_from_the_order_to_the_customer(api: Caller, variant: int) -> None:
    """4.11: Production +1, ManufacturingOrder +1, SalesOrderRow -1."""
    order = await ordered(api, variant, 1)
    unit = (await mint(api, order, "A"))[0]
    production = (await produced(api, order, 1, is_final=True, serial_numbers=[unit], completed_date=NOW)).body
    assert [(entry["id"], entry["quantity_change"]) for entry in production["serial_numbers"]] == [(unit, 1)]
    assert await ledger(api, unit) == (True, [("ManufacturingOrder", None, 1), ("Production", NOW, 1)])
    row = await sold(api, variant)
    assert (await reserve(api, row, unit)).body["serial_numbers"] == [unit]
    assert await ledger(api, unit) == (
        True,
        [("ManufacturingOrder", None, 1), ("Production", NOW, 1), ("SalesOrderRow", None, -1)],
    )
    assert (await ship(api, row, serial_numbers=[unit])).status == 200
    assert await ledger(api, unit) == (
        False,
        [("ManufacturingOrder", None, 1), ("Production", NOW, 1), ("SalesOrderRow", LATER, -1)],
    )


@pytest.mark.parametrize("reserved", [True, False])
async def test_a_deleted_fulfillment_leaves_units_as_they_were(api: Caller, variant: int, reserved: bool) -> None:
    unit = (await made(api, variant, "A"))[0]
    row = await sold(api, variant)
    if reserved:
        await reserve(api, row, unit)
    before = await ledger(api, unit), (await api.get(f"/sales_order_rows/{row['id']}")).body["serial_numbers"]
    shipment = (await ship(api, row, serial_numbers=[unit])).body
    path = f"/sales_order_fulfillments/{shipment['id']}"
    await api.patch(path, {"picked_date": NOW})
    assert (await ledger(api, unit))[1][-1] == ("SalesOrderRow", NOW, -1)
    await api.delete(path)
    after = await ledger(api, unit), (await api.get(f"/sales_order_rows/{row['id']}")).body["serial_numbers"]
    assert after == before
    assert (await ship(api, row, serial_numbers=[unit])).status == 200


async def test_units_leave_with_the_stock(sandbox: Sandbox, api: Caller, variant: int) -> None:
    sandbox.switches.set("stock_leaves", "DELIVERED")
    unit = (await made(api, variant, "A"))[0]
    row = await sold(api, variant, 2)
    shipment = (await ship(api, row, "PACKED", serial_numbers=[unit])).body
    assert (await ledger(api, unit))[1][-1] == ("SalesOrderRow", None, -1)
    assert said(await ship(api, row, serial_numbers=[unit])) == (422, ASSIGNED)
    await api.patch(f"/sales_order_fulfillments/{shipment['id']}", {"status": "DELIVERED"})
    assert (await ledger(api, unit))[1][-1] == ("SalesOrderRow", LATER, -1)


async def test_a_shipment_takes_free_units_of_its_variant_only(api: Caller, tenant: Tenant, variant: int) -> None:
    one, two = await made(api, variant, "A", "B")
    alien = (await made(api, await gadget(api, tenant, serial_tracked=True), "A"))[0]
    row, other = await sold(api, variant), await sold(api, variant)
    await reserve(api, other, one)
    assert said(await ship(api, row, serial_numbers=[])) == (422, COUNT)
    assert said(await ship(api, row, serial_numbers=[alien])) == (422, COUNT)
    assert said(await ship(api, row, serial_numbers=[one])) == (422, ASSIGNED), "4.13: bound elsewhere"
    assert said(await reserve(api, row, one)) == (422, ASSIGNED)
    assert said(await reserve(api, other, one)) == (422, f"row already has serial number with id ({one})")
    assert said(await reserve(api, row, 999)) == (422, "serial numbers not found")
    assert (await reserve(api, other, one, 0)).body["serial_numbers"] == []
    twice = await ship(api, await sold(api, variant, 2), quantity=2, serial_numbers=[two, two])
    assert said(twice) == (422, ASSIGNED)
    assert (await ship(api, row, serial_numbers=[one])).status == 200


async def test_a_deleted_or_changed_row_frees_its_units(api: Caller, tenant: Tenant, variant: int) -> None:
    unit = (await made(api, variant, "A"))[0]
    row = await sold(api, variant)
    await reserve(api, row, unit)
    await api.delete(f"/sales_orders/{row['sales_order_id']}")
    other = await sold(api, variant)
    assert (await reserve(api, other, unit)).status == 200
    changed = await api.patch(f"/sales_order_rows/{other['id']}", {"variant_id": await gadget(api, tenant)})
    assert changed.body["serial_numbers"] == []
    assert len((await ledger(api, unit))[1]) == 2


async def test_traceability_wins_over_transactions_and_replaces(api: Caller, variant: int) -> None:
    """3.1: serial entries count as one; [] clears; omission leaves."""
    one, two = await made(api, variant, "A", "B")
    row = await sold(api, variant, 2)
    path = f"/sales_order_rows/{row['id']}"
    both = {"serial_number_transactions": [{"serial_number_id": unit, "quantity": 1} for unit in (two, 999)]}
    shown = (await api.patch(path, {"traceability": [{"serial_number_id": one, "quantity": 5}], **both})).body
    traced = {"batch_id": None, "bin_location_id": None, "serial_number_id": one, "quantity": "1"}
    assert (shown["serial_numbers"], shown["traceability"]) == ([one], [traced])
    assert (await api.patch(path, {"quantity": 1})).body["serial_numbers"] == [one]
    for trace, words in (
        ([{"serial_number_id": one}, {"batch_id": 1, "quantity": 1}], "a row is traced by batches or by serial"),
        ([{"serial_number_id": two}, {"serial_number_id": two}], ASSIGNED),
        ([{"serial_number_id": 999}], "serial numbers not found"),
    ):
        refused = await api.patch(path, {"traceability": trace})
        assert (refused.status, refused.error["message"][: len(words)]) == (422, words)
    moved = (await api.patch(path, {"traceability": [{"serial_number_id": two}]})).body
    assert moved["serial_numbers"] == [two]
    cleared = (await api.patch(path, {"traceability": []})).body
    assert (cleared["serial_numbers"], cleared["traceability"]) == ([], [])


async def test_a_production_undone_leaves_placeholders(api: Caller, variant: int) -> None:
    order = await ordered(api, variant, 2)
    one, two = await mint(api, order, "A", "B")
    part = (await produced(api, order, 1, serial_numbers=[one])).body
    await api.patch(f"/manufacturing_order_productions/{part['id']}", {"production_date": LATER})
    assert (await ledger(api, one))[1] == [("ManufacturingOrder", None, 1), ("Production", LATER, 1)]
    assert (await api.delete(f"/manufacturing_order_productions/{part['id']}")).status == 204
    assert await ledger(api, one) == (False, [("ManufacturingOrder", None, 0)])
    await produced(api, order, 2, is_final=True, serial_numbers=[one, two])
    await api.patch(f"/manufacturing_orders/{order['id']}", {"status": "IN_PROGRESS"})
    assert [await ledger(api, unit) for unit in (one, two)] == [(False, [("ManufacturingOrder", None, 0)])] * 2
    assert (await api.delete(f"/manufacturing_orders/{order['id']}")).status == 204
    assert await ledger(api, one) == (False, [])


async def test_deleting_answers_204_whatever_it_is_given(api: Caller, variant: int) -> None:
    """4.11, 5.12; string ids are refused with the recorded detail (4.13)."""
    unit = (await made(api, variant, "A"))[0]
    row = await sold(api, variant)
    await reserve(api, row, unit)

    async def drop(kind: str, key: int, *ids: object) -> Answer:
        body = {"resource_type": kind, "resource_id": key, "ids": list(ids)}
        return await api.delete("/serial_numbers", body)

    for kind, key, ids in (
        ("SalesOrderRow", row["id"], [999]),
        ("SalesOrderRow", 999, [unit]),
        ("SalesOrderFulfillmentRow", 1, [unit]),
        ("Production", 999, []),
    ):
        answer = await drop(kind, key, *ids)
        assert (answer.status, answer.raw) == (204, b"")
    assert len((await ledger(api, unit))[1]) == 3
    assert [(await drop("SalesOrderRow", row["id"], unit)).status for _ in range(2)] == [204, 204]
    assert len((await ledger(api, unit))[1]) == 2
    refused = await drop("SalesOrderRow", row["id"], "1")
    detail = refused.error["details"][0]
    assert (refused.status, detail["path"], detail["message"]) == (422, "/ids/0", "must be number")


async def test_what_can_not_be_minted_or_transferred_to(api: Caller) -> None:
    for kind, entity in (
        ("ManufacturingOrder", "manufacturing order"),
        ("Production", "production"),
        ("SalesOrderRow", "sales order row"),
    ):
        assert said(await post(api, kind, 999999, "A")) == (404, f"{entity} 999999 not found"), "4.13"
    assert (await post(api, "SalesOrderFulfillmentRow", 1, "A")).status == 422
