"""Suppliers written through the server: shown, sent, read at once, undone; and what is told when it goes wrong."""

from typing import Any

import pytest
from journal_plans import hasty
from server_wire import Wire, live
from transfer_plans import applied, applied_in_time, counted, planned, writes

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Drop, Fault, ManualClock, ReplicaLag, Status, Tenant

NAME = "Nova Rohre"
LINES = ("line_1", "line_2", "city", "state", "zip", "country")
WORKS: Wire = {"line_1": "Lai 1", "zip": "01001", "country": "EE"}
YARD: Wire = {"line_1": "Yard 2", "city": "Tartu"}
NEW: Wire = {"name": NAME, "email": "nova@example.com", "currency": "SEK"}


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _kept(tenant: Tenant) -> list[Wire]:
    """Return the live suppliers that have the name in Katana."""
    return [supplier for supplier in live(tenant, "suppliers") if supplier["name"] == NAME]


def _held(tenant: Tenant) -> Wire:
    """Return the one supplier of the name without ids and moments."""
    (supplier,) = _kept(tenant)
    mine = [address for address in live(tenant, "supplier_addresses") if address["supplier_id"] == supplier["id"]]
    assert [address["id"] for address in mine] == ([supplier["default_address_id"]] if mine else [])
    head = {field: supplier[field] or "" for field in ("name", "email", "phone", "currency", "comment")}
    return {**head, "addresses": [{line: record[line] or "" for line in LINES} for record in mine]}


async def _done(stage: Stage, tool: str, **arguments: object) -> Payload:
    """Plan and apply; return the outcome: everything was applied, as it was shown."""
    seen = len(writes(stage))
    preview = await stage.call(tool, **arguments)
    assert len(writes(stage)) == seen
    answer = await applied(stage, preview["plan_token"])
    (outcome,) = answer["outcomes"]
    assert (set(counted(outcome)), answer["warnings"]) == ({"applied"}, []), answer
    assert writes(stage)[seen:] == [(request["method"], f"/v1{request['path']}") for request in preview["requests"]]
    return outcome


async def _undone(stage: Stage, outcome: Payload) -> Payload:
    return await _done(stage, outcome["revert"]["tool"], **outcome["revert"]["arguments"])


async def _shown(stage: Stage) -> Wire:
    """Return the supplier as `list_reference` shows it."""
    (row,) = (await stage.call("list_reference", kind="supplier", query=NAME))["rows"]
    return row


async def test_what_is_written_is_read_at_once_though_listings_lag_and_is_undone_to_what_it_was(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    await stage.call("list_reference", kind="supplier")
    stage.own.sandbox.faults.add(Fault("GET *", action=ReplicaLag(600), times=None))
    created = await _done(stage, "create_supplier", **NEW, addresses=[WORKS])
    before, shown = _held(tenant), await _shown(stage)
    assert (shown["supplier_id"], shown["currency"]) == (created["id"], "SEK")
    (address,) = shown["addresses"]
    assert address == {"address_id": address["address_id"], **WORKS}

    moved = await _done(
        stage,
        "modify_supplier",
        supplier_id=NAME,
        email=None,
        comment="delivers on Fridays",
        delete_address_ids=[address["address_id"]],
        add_addresses=[YARD],
    )
    now, shown = _held(tenant), await _shown(stage)
    assert (now["email"], now["comment"], now["addresses"][0]["line_1"]) == ("", "delivers on Fridays", "Yard 2")
    (yard,) = shown["addresses"]
    assert (shown["comment"], yard["line_1"], "email" in shown) == ("delivers on Fridays", "Yard 2", False)
    clock.advance(61)  # a minute has 60 requests
    changes = [{"address_id": yard["address_id"], "city": "Narva", "zip": "20101"}]
    changed = await _done(stage, "modify_supplier", supplier_id=NAME, update_addresses=changes)
    assert (await _shown(stage))["addresses"] == [yard | {"city": "Narva", "zip": "20101"}]

    await _undone(stage, changed)
    assert _held(tenant) == now
    await _undone(stage, moved)
    assert _held(tenant) == before
    clock.advance(61)
    gone = await _undone(stage, created)
    found = await stage.call("list_reference", kind="supplier", query=NAME)
    assert (_kept(tenant), created["id"] in [row["supplier_id"] for row in found["rows"]]) == ([], False)
    await _undone(stage, gone)
    assert _held(tenant) == before
    order = {"supplier_id": NAME, "location_id": live(tenant, "locations")[0]["id"]}
    rows = [{"sku_or_variant_id": "PAD", "quantity": 1, "price_per_unit": 1}]
    assert (await stage.call("create_purchase_order", **order, rows=rows))["currency"] == "SEK"


async def test_after_an_action_that_fails_the_rest_is_not_tried_and_what_was_done_is_told_and_undone(
    stage: Stage, tenant: Tenant
) -> None:
    tenant.create("suppliers", {**NEW, "addresses": [WORKS]})
    before = _held(tenant)
    works = _kept(tenant)[0]["default_address_id"]
    change: dict[str, Any] = {"supplier_id": NAME, "phone": "+372 5", "delete_address_ids": [works]}
    token = await planned(stage, "modify_supplier", **change, add_addresses=[YARD])
    stage.own.sandbox.faults.add(Fault("POST /supplier_addresses", action=Status(422), times=None))
    (outcome,) = (await applied(stage, token))["outcomes"]
    assert [action["state"] for action in outcome["actions"]] == ["applied", "applied", "failed"]
    assert _held(tenant) == before | {"phone": "+372 5", "addresses": []}
    assert (await _shown(stage))["phone"] == "+372 5"
    stage.own.sandbox.faults.clear()
    await _undone(stage, outcome)
    assert _held(tenant) == before


async def test_after_a_lost_answer_a_supplier_is_told_from_others_of_its_name(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    arguments: dict[str, Any] = {**NEW, "addresses": [WORKS]}
    tenant.create("suppliers", arguments)
    preview = await stage.call("create_supplier", **arguments)
    assert [warning["code"] for warning in preview["warnings"]] == ["duplicate_name"]
    stage.own.sandbox.faults.add(Fault("POST /suppliers", action=Drop("before")))
    (lost,) = (await applied_in_time(stage, clock, preview["plan_token"]))["outcomes"]
    assert (counted(lost), len(_kept(tenant))) == ({"unknown": 1}, 1)
    token = await planned(stage, "create_supplier", **arguments)
    stage.own.sandbox.faults.add(Fault("POST /suppliers", action=Drop("after")))
    (found,) = (await applied_in_time(stage, clock, token))["outcomes"]
    assert (counted(found), len(_kept(tenant))) == ({"applied": 1}, 2)
    assert found["id"] == max(record["id"] for record in _kept(tenant))


async def test_after_a_lost_answer_an_address_is_found_among_those_of_its_supplier(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    supplier = tenant.create("suppliers", NEW)["id"]
    token = await planned(stage, "modify_supplier", supplier_id=supplier, add_addresses=[WORKS])
    stage.own.sandbox.faults.add(Fault("POST /supplier_addresses", action=Drop("after")))
    (outcome,) = (await applied_in_time(stage, clock, token))["outcomes"]
    assert counted(outcome) == {"applied": 1}
    await _undone(stage, outcome)
    assert _held(tenant)["addresses"] == []


async def test_open_orders_and_items_of_a_supplier_are_told_before_it_is_deleted_and_new_ones_make_the_plan_stale(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    received = {order["supplier_id"] for order in live(tenant, "purchase_orders") if order["status"] == "RECEIVED"}
    supplier = next(
        order["supplier_id"]
        for order in live(tenant, "purchase_orders")
        if order["status"] == "NOT_RECEIVED" and order["supplier_id"] in received
    )
    orders = [order for order in live(tenant, "purchase_orders") if order["supplier_id"] == supplier]
    still_open = [order for order in orders if order["status"] != "RECEIVED"]
    items = [
        record
        for collection in ("products", "materials")
        for record in live(tenant, collection)
        if record["default_supplier_id"] == supplier and record["archived_at"] is None
    ]
    assert (len(still_open) < len(orders), bool(items)) == (True, True)
    preview = await stage.call("delete_supplier", supplier_id=supplier)
    messages = {warning["code"]: warning["message"] for warning in preview["warnings"]}
    assert messages.keys() == {"open_orders", "supplies_items"}
    assert f"has {len(still_open)} open purchase orders" in messages["open_orders"]
    assert f"the default supplier of {len(items)} items" in messages["supplies_items"]
    newest = max(still_open, key=lambda order: order["id"])
    assert preview["linked"][0] == f"purchase order {newest['order_no']} ({newest['status']})"
    variants = [{"sku": "NEW-TUBE"}]
    tenant.create("materials", {"name": "Tube", "uom": "m", "default_supplier_id": supplier, "variants": variants})
    clock.advance(121)
    assert (await applied(stage, preview["plan_token"]))["error"] == "stale_plan"
    assert writes(stage) == []
    await _done(stage, "delete_supplier", supplier_id=supplier)
    assert supplier not in [record["id"] for record in live(tenant, "suppliers")]


async def test_a_new_currency_counts_the_items_that_are_bought_in_it_and_other_changes_ask_nothing_of_them(
    stage: Stage, tenant: Tenant
) -> None:
    bare = tenant.create("suppliers", NEW)["id"]
    for supplier, codes in ((live(tenant, "suppliers")[0]["id"], ["amounts_stay"]), (bare, [])):
        preview = await stage.call("modify_supplier", supplier_id=supplier, currency="CHF")
        assert [warning["code"] for warning in preview["warnings"]] == codes
        preview = await stage.call("modify_supplier", supplier_id=supplier, phone="1")
        assert preview["warnings"] == []


async def test_a_name_is_what_can_be_seen_of_it(stage: Stage, clock: ManualClock) -> None:
    for unseen in ("\u200b", " <U+200B> ", "\u2060\u00ad"):
        refusal = await stage.refusal("create_supplier", name=unseen)
        assert refusal["warnings"][0]["field_path"] == "name"
    clock.advance(61)
    preview = await stage.call("create_supplier", name="  Nordic Bearings ")
    assert preview["changes"][0]["new"] == "Nordic Bearings"
    clock.advance(61)
    nowhere = await stage.call("create_supplier", name="Nowhere", addresses=[{"city": " ", "zip": ""}])
    assert [warning["field_path"] for warning in nowhere["warnings"] if warning["severity"] == "blocking"] == [
        "addresses[0]"
    ]


async def test_a_name_that_two_have_in_katana_deletes_neither_though_one_alone_is_cached(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    first = next(tenant.all("suppliers"))
    await stage.call("list_reference", kind="supplier")
    second = tenant.create("suppliers", {"name": first["name"], "currency": "EUR"})
    refusal = await stage.refusal("delete_supplier", supplier_id=first["name"])
    assert refusal["error"] == "ambiguous_name"
    assert {str(first["id"]), str(second["id"])} <= set(refusal["warnings"][0]["message"].replace(",", "").split())
    clock.advance(61)
    assert (await stage.call("delete_supplier", supplier_id=second["id"]))["plan_token"]
