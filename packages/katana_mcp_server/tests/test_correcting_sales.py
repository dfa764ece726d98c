"""What a correction of a shipped sales order refuses before it touches anything, and what it keeps or tells."""

from collections.abc import Callable
from typing import Any

import pytest
from correcting_orders import FIRST, THIRD, goods
from correcting_sales import GONE, ORDERS, ROWS, SHIPMENTS, large, line, shape, ship, small, small_edit, sold, stock
from correcting_steps import CASES, brought_to_its_end, planned, tried
from journal_plans import hasty
from server_wire import Wire, live

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Fault, ManualClock, Mutate, Tenant

TOOL, NUMBER = "correct_sales_order", "SO-900"
type Spoil = Callable[[Tenant, Wire], object]


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _shipment(tenant: Tenant, order: Wire) -> Wire:
    return next(one for one in live(tenant, SHIPMENTS) if one["sales_order_id"] == order["id"])


def _open(tenant: Tenant, order: Wire) -> None:
    tenant.delete(SHIPMENTS, _shipment(tenant, order)["id"])


def _returned(tenant: Tenant, order: Wire) -> None:
    place = live(tenant, "locations")[0]["id"]
    tenant.create("sales_returns", {"sales_order_id": order["id"], "return_location_id": place})


def _unlisted(tenant: Tenant, order: Wire) -> None:
    _open(tenant, order)
    tenant.edit(ORDERS, order["id"], status="DELIVERED")


def _nameless(tenant: Tenant, order: Wire) -> None:
    """Let a row be of units of which Katana shows no serial number."""
    unit = sold(tenant, serial_tracked=True)[0]["id"]
    tenant.edit(ROWS, order[ROWS][0]["id"], variant_id=unit)


SPOILS: dict[str, tuple[Spoil, str, str]] = {
    "open": (_open, "not_closed", "modify_sales_order"),
    "returned": (_returned, "locked", "sales returns (RO-"),
    "invoiced": (
        lambda tenant, order: tenant.edit(SHIPMENTS, _shipment(tenant, order)["id"], invoice_status="INVOICED"),
        "locked",
        "is invoiced",
    ),
    "invoiced as a whole": (
        lambda tenant, order: tenant.edit(ORDERS, order["id"], invoicing_status="partiallyInvoiced"),
        "locked",
        "is invoiced",
    ),
    "of unknown shipments": (_unlisted, "locked", "lists no shipment"),
    "of unknown units": (_nameless, "locked", "does not show all serial numbers"),
}


def _blocking(preview: Payload) -> list[str]:
    return [warning["code"] for warning in preview["warnings"] if warning["severity"] == "blocking"]


async def test_an_order_that_would_not_come_back_the_same_is_refused_with_its_reason(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    for nr, (name, (spoil, code, says)) in enumerate(SPOILS.items()):
        order = small(tenant, f"SO-9{nr}")
        spoil(tenant, order)
        clock.advance(20)
        preview = await stage.call(TOOL, id=order["id"], **small_edit(order))
        assert (_blocking(preview), says in preview["message"]) == ([code], True), (name, preview["warnings"])
        assert (preview["requests"], "plan_token" in preview) == ([], False), name


def _edits(order: Wire) -> dict[str, tuple[dict[str, Any], list[str]]]:
    one, two, three, unit, _ = (row["id"] for row in order[ROWS])
    tracked = order[ROWS][1]

    def changed(key: int, **fields: object) -> dict[str, Any]:
        return {"update_rows": [{"row_id": key, **fields}]}

    def added(**fields: object) -> dict[str, Any]:
        return {
            "add_rows": [{"sku_or_variant_id": tracked["variant_id"], "quantity": 1, "price_per_unit": 1, **fields}]
        }

    return {
        "nothing": ({}, ["no_effective_change"]),
        "the same": (changed(one, quantity=10), ["no_effective_change"]),
        "no such row": (changed(1, quantity=1), ["unknown_row_id"]),
        "no quantity": (changed(one, quantity=0), ["invalid_quantity"]),
        "no row left": ({"delete_row_ids": [row["id"] for row in order[ROWS]]}, ["no_rows_left"]),
        "no batches": (changed(two, quantity=5), ["batch_required"]),
        "batches of two shipments": (changed(two, batches=[{"batch_id": 1, "quantity": 1}]), ["locked"]),
        "too many batches": (added(batches=[{"batch_id": 1, "quantity": 2}]), ["batch_sum_mismatch"]),
        "another number of units": (changed(unit, quantity=2), ["locked"]),
        "no such shipment": (added(fulfillment_id=1), ["unknown_row_id"]),
        "no such tax": (changed(three, tax_rate_id=999), ["not_found"]),
    }


async def test_what_makes_no_sense_is_refused_by_a_code_of_its_own(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, refusals = large(tenant, NUMBER), dict[str, list[str]]()
    edits = _edits(order)
    for name, (edit, _) in edits.items():
        clock.advance(20)
        refusals[name] = _blocking(await stage.call(TOOL, id=order["id"], **edit))
    assert refusals == {name: codes for name, (_, codes) in edits.items()}


async def test_a_row_that_is_made_to_order_is_not_deleted(stage: Stage, tenant: Tenant) -> None:
    order = small(tenant, NUMBER)
    made = live(tenant, "manufacturing_orders")[0]["id"]
    tenant.edit(ROWS, order[ROWS][0]["id"], linked_manufacturing_order_id=made)
    preview = await stage.call(TOOL, id=order["id"], delete_row_ids=[order[ROWS][0]["id"]])
    assert (_blocking(preview), f"manufacturing order {made}" in preview["message"]) == (["locked"], True)


async def test_of_what_has_left_in_part_no_more_is_taken_off_than_is_open(stage: Stage, tenant: Tenant) -> None:
    order = small(tenant, NUMBER)
    row = order[ROWS][0]
    tenant.edit(ROWS, row["id"], quantity=8)
    refused = await stage.call(TOOL, id=order["id"], update_rows=[{"row_id": row["id"], "quantity": 4}])
    assert _blocking(refused) == ["over_shipment"]
    tax = live(tenant, "tax_rates")[0]["id"]
    changed = [{"row_id": row["id"], "quantity": 6, "tax_rate_id": tax}]
    preview = await stage.call(TOOL, id=order["id"], update_rows=changed)
    assert (_blocking(preview), preview.get("stock", [])) == ([], [])
    assert f"after the roll-back, row {row['id']} keeps tax_rate_id, although it had none before" in preview["not_kept"]


async def test_batches_are_corrected_without_a_step_more_than_that_shipment_needs(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = small(tenant, NUMBER)
    good = goods(tenant, batched=True)[0]["id"]
    batch = tenant.create("batches", {"variant_id": good, "batch_number": "right"})["id"]
    _open(tenant, order)
    tenant.edit(ROWS, order[ROWS][0]["id"], variant_id=good)
    first = ship(tenant, order, FIRST, line(order[ROWS][1]), tracking_number="1")["id"]
    ship(tenant, order, THIRD, line(order[ROWS][0]), tracking_number="2")
    named = [{"batch_id": batch, "quantity": 3}]
    edit = {"update_rows": [{"row_id": order[ROWS][0]["id"], "batches": named}]}
    preview = await stage.call(TOOL, id=order["id"], **edit)
    assert [request["method"] for request in preview["requests"]] == ["DELETE", "POST"]
    assert any(f"3 of batch {batch}" in str(change) for change in preview["changes"])
    await brought_to_its_end(stage, clock, preview["plan_token"])
    gone = {one["tracking_number"]: one for one in live(tenant, SHIPMENTS) if one["sales_order_id"] == order["id"]}
    (left,) = gone["2"][GONE]
    assert (gone["1"]["id"], left["batch_transactions"]) == (
        first,
        [{"batch_id": batch, "quantity": 3}, {"batch_id": None, "quantity": 2}],
    )
    again = await stage.call(TOOL, id=order["id"], **edit)
    assert _blocking(again) == ["no_effective_change"]


async def test_a_forgotten_row_leaves_with_the_shipment_that_is_named(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = large(tenant, NUMBER)
    first = _shipment(tenant, order)
    row = {"sku_or_variant_id": order[ROWS][2]["variant_id"], "quantity": 2, "price_per_unit": 4}
    preview = await stage.call(TOOL, id=order["id"], add_rows=[{**row, "fulfillment_id": first["id"]}])
    await brought_to_its_end(stage, clock, preview["plan_token"])
    gone = next(
        one for one in live(tenant, SHIPMENTS) if (one["sales_order_id"], one["tracking_number"]) == (order["id"], "1")
    )
    then = tenant.get(ORDERS, order["id"])
    assert (len(gone[GONE]), then["status"]) == (len(first[GONE]) + 1, order["status"])


async def test_all_that_is_not_corrected_is_as_it_was(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    order = large(tenant, NUMBER)
    before, held = shape(tenant, order["id"]), stock(tenant, order)
    preview = await stage.call(TOOL, id=order["id"], order_no="SO-900-B")
    await tried(stage, clock, preview["plan_token"])
    assert (shape(tenant, order["id"]), stock(tenant, order)) == (before, held)
    assert tenant.get(ORDERS, order["id"])["order_no"] == "SO-900-B"


async def test_a_shipment_that_somebody_else_makes_meanwhile_stops_it_and_is_not_deleted(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, preview = await planned(stage, tenant, CASES["small sale"], NUMBER)
    made: list[int] = []

    def meanwhile(tenant: Tenant) -> None:
        made.append(ship(tenant, order, THIRD, line(order[ROWS][1], 1))["id"])

    stage.own.sandbox.faults.add(Fault("DELETE *", nth=1, action=Mutate(change=meanwhile, when="after")))
    stopped = await tried(stage, clock, preview["plan_token"])
    assert f"shipment {made[0]} was added to the order by somebody else" in stopped["warnings"][0]["message"]
    tenant.delete(SHIPMENTS, made[0])
    assert (await brought_to_its_end(stage, clock, preview["plan_token"]))["applied"] == 3


async def test_an_order_that_stays_closed_without_its_shipments_is_opened(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, preview = await planned(stage, tenant, CASES["small sale"], NUMBER)

    def closed(tenant: Tenant) -> None:
        tenant.edit(ORDERS, order["id"], status="DELIVERED")

    stage.own.sandbox.faults.add(Fault("DELETE *", nth=1, action=Mutate(change=closed, when="after")))
    outcome = await brought_to_its_end(stage, clock, preview["plan_token"])
    assert [action["title"] for action in outcome["actions"]][1] == f"set sales order {NUMBER} to NOT_SHIPPED"
    assert (outcome["applied"], tenant.get(ORDERS, order["id"])["status"]) == (4, "DELIVERED")
