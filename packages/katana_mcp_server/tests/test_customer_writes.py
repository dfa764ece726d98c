"""Customers written through the server: shown, sent, read at once, undone; and what is told when it goes wrong."""

from typing import Any

import pytest
from journal_plans import hasty
from server_wire import Wire, live
from transfer_plans import applied, applied_in_time, counted, planned, writes

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Drop, Fault, ManualClock, ReplicaLag, Status, Tenant

NAME = "Velo Nova"
LINES = ("entity_type", "company", "line_1", "city", "zip", "country")
SHOP: Wire = {"entity_type": "billing", "company": "Nova OÜ", "line_1": "Lai 1", "zip": "01001", "country": "EE"}
DOCK: Wire = {"entity_type": "shipping", "line_1": "Dock 1", "city": "Tallinn"}
YARD: Wire = {"entity_type": "shipping", "line_1": "Yard 2", "city": "Tartu"}
NEW: Wire = {"name": NAME, "email": "nova@example.com", "discount_rate": 7.5, "currency": "USD"}


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _kept(tenant: Tenant, name: str = NAME) -> list[Wire]:
    """Return the live customers that have this name in Katana."""
    return [customer for customer in live(tenant, "customers") if customer["name"] == name]


def _held(tenant: Tenant, name: str = NAME) -> Wire:
    """Return the one customer of this name without ids and moments, its default for shipping by its line."""
    (customer,) = _kept(tenant, name)
    head = ("name", "email", "phone", "discount_rate", "currency", "reference_id", "category", "comment")
    mine = [address for address in live(tenant, "customer_addresses") if address["customer_id"] == customer["id"]]
    default = [record["line_1"] for record in mine if record["id"] == customer["default_shipping_id"]]
    places = sorted(tuple(record[line] or "" for line in LINES) for record in mine)
    return {**{field: customer[field] for field in head}, "addresses": places, "default": default}


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


async def _places(stage: Stage, customer: int) -> dict[str, Wire]:
    """Return the addresses that `get_customer` shows, by their first line."""
    shown = (await stage.call("get_customer", customer_id=customer))["customer"]["addresses"]
    return {row["line_1"]: row for row in shown}


async def test_what_is_written_is_read_at_once_though_listings_lag_and_is_undone_to_what_it_was(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    await stage.call("list_customers")
    stage.own.sandbox.faults.add(Fault("GET *", action=ReplicaLag(600), times=None))
    created = await _done(stage, "create_customer", **NEW, addresses=[SHOP, DOCK, YARD | {"default": True}])
    before, customer = _held(tenant), created["id"]
    assert (before["discount_rate"], before["default"], len(before["addresses"])) == (7.5, ["Yard 2"], 3)
    places = await _places(stage, customer)
    assert list(places) == ["Lai 1", "Dock 1", "Yard 2"]

    changed = await _done(
        stage,
        "modify_customer",
        customer_id=NAME,
        email=None,
        comment="pays late",
        update_addresses=[{"address_id": places["Lai 1"]["address_id"], "zip": "1001", "company": None}],
        delete_address_ids=[places["Yard 2"]["address_id"]],
        add_addresses=[{"entity_type": "shipping", "line_1": "Hall 3", "default": True}],
    )
    now = _held(tenant)
    assert (now["email"], now["comment"], now["default"]) == (None, "pays late", ["Hall 3"])
    assert now["addresses"] == [
        ("billing", "", "Lai 1", "", "1001", "EE"),
        ("shipping", "", "Dock 1", "Tallinn", "", ""),
        ("shipping", "", "Hall 3", "", "", ""),
    ]
    places = await _places(stage, customer)
    assert {line: address.get("zip") for line, address in places.items()} == {
        "Lai 1": "1001",
        "Dock 1": None,
        "Hall 3": None,
    }
    assert [row["customer_id"] for row in (await stage.call("search_customers", query="hall 3"))["rows"]] == [customer]

    clock.advance(61)  # a minute has 60 requests
    await _undone(stage, changed)
    places = await _places(stage, customer)
    assert (_held(tenant), set(places)) == (before, {"Lai 1", "Dock 1", "Yard 2"})
    yard = places["Yard 2"]["address_id"]
    changed = await _done(stage, "modify_customer", customer_id=NAME, delete_address_ids=[yard])
    assert "default_shipping_id" not in (await stage.call("get_customer", customer_id=customer))["customer"]
    await _undone(stage, changed)
    gone = await _undone(stage, created)
    found = await stage.call("search_customers", query=NAME)
    assert (_kept(tenant), customer in [row["customer_id"] for row in found["rows"]]) == ([], False)
    # Others have one of its two words, and are shown as such: nobody has the name any more.
    assert [warning["code"] for warning in found["warnings"]] == ["partial_match"]
    assert set(found["matched"]) == {"matched 1 of 2 words"}
    await _undone(stage, gone)
    assert _held(tenant) == before


async def test_the_second_of_the_first_shipping_addresses_is_the_default_as_asked_and_as_undone(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    tenant.create("customers", {**NEW, "addresses": [SHOP]})
    bare = _held(tenant)
    added = await _done(stage, "modify_customer", customer_id=NAME, add_addresses=[DOCK, YARD | {"default": True}])
    before = _held(tenant)
    assert (before["default"], len(before["addresses"])) == (["Yard 2"], 3)
    both = added["revert"]["arguments"]["delete_address_ids"]
    deleted = await _done(stage, "modify_customer", customer_id=NAME, delete_address_ids=both)
    assert _held(tenant) == bare
    again = await _undone(stage, deleted)
    assert _held(tenant) == before
    clock.advance(61)  # a minute has 60 requests
    await _undone(stage, again)
    assert _held(tenant) == bare


async def test_a_customer_with_two_like_addresses_is_deleted_and_made_again(stage: Stage, tenant: Tenant) -> None:
    tenant.create("customers", {**NEW, "addresses": [YARD, DOCK, DOCK | {"default": True}]})
    before = _held(tenant)
    deleted = await _done(stage, "delete_customer", customer_id=NAME)
    await _undone(stage, deleted)
    assert _held(tenant) == before | {"addresses": sorted(set(before["addresses"])), "default": ["Dock 1"]}


async def test_after_an_action_that_fails_the_rest_is_not_tried_and_what_was_done_is_told_and_undone(
    stage: Stage, tenant: Tenant
) -> None:
    tenant.create("customers", {**NEW, "addresses": [SHOP, DOCK]})
    before = _held(tenant)
    dock = next(address["id"] for address in live(tenant, "customer_addresses") if address["line_1"] == "Dock 1")
    change: dict[str, Any] = {
        "customer_id": NAME,
        "phone": "+372 5",
        "delete_address_ids": [dock],
        "add_addresses": [YARD],
    }
    token = await planned(stage, "modify_customer", **change)
    stage.own.sandbox.faults.add(Fault(f"DELETE /customer_addresses/{dock}", action=Status(422), times=None))
    (outcome,) = (await applied(stage, token))["outcomes"]
    assert counted(outcome) == {"applied": 1, "failed": 1, "not_tried": 1}
    assert [action["state"] for action in outcome["actions"]] == ["applied", "failed", "not_tried"]
    assert _held(tenant) == before | {"phone": "+372 5"}
    assert (await stage.call("get_customer", customer_id=NAME))["customer"]["phone"] == "+372 5"
    await _undone(stage, outcome)
    assert _held(tenant) == before


async def test_after_a_lost_answer_a_customer_is_told_from_others_of_its_name(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    arguments: dict[str, Any] = {**NEW, "addresses": [SHOP]}
    tenant.create("customers", arguments)
    gone = tenant.create("customers", arguments)
    tenant.delete("customers", gone["id"])
    preview = await stage.call("create_customer", **arguments)
    assert [(warning["code"], warning["severity"]) for warning in preview["warnings"]] == [
        ("duplicate_name", "advisory")
    ]
    stage.own.sandbox.faults.add(Fault("POST /customers", action=Drop("before")))
    (lost,) = (await applied_in_time(stage, clock, preview["plan_token"]))["outcomes"]
    assert (counted(lost), len(_kept(tenant))) == ({"unknown": 1}, 1)
    token = await planned(stage, "create_customer", **arguments)
    stage.own.sandbox.faults.add(Fault("POST /customers", action=Drop("after")))
    (found,) = (await applied_in_time(stage, clock, token))["outcomes"]
    assert (counted(found), len(_kept(tenant))) == ({"applied": 1}, 2)
    assert found["id"] == max(record["id"] for record in _kept(tenant))


async def test_open_orders_of_a_customer_are_told_before_it_is_deleted_and_a_new_one_makes_the_plan_stale(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = next(sales_order for sales_order in live(tenant, "sales_orders") if sales_order["status"] == "NOT_SHIPPED")
    customer = order["customer_id"]
    still_open = [
        sales_order
        for sales_order in live(tenant, "sales_orders")
        if sales_order["customer_id"] == customer and sales_order["status"] != "DELIVERED"
    ]
    preview = await stage.call("delete_customer", customer_id=customer)
    (warning,) = preview["warnings"]
    assert (warning["code"], f"has {len(still_open)} open sales orders" in warning["message"]) == ("open_orders", True)
    newest = max(still_open, key=lambda record: record["id"])
    assert preview["linked"][0] == f"sales order {newest['order_no']} ({newest['status']})"
    tenant.edit("sales_orders", newest["id"], status="DELIVERED")
    clock.advance(61)
    assert (await applied(stage, preview["plan_token"]))["error"] == "stale_plan"
    assert writes(stage) == []
    await _done(stage, "delete_customer", customer_id=customer)
    assert customer not in [record["id"] for record in live(tenant, "customers")]
