"""What a correction of a done manufacturing order refuses before it touches anything, and what it keeps or tells."""

from collections.abc import Callable
from typing import Any

import pytest
from correcting_making import (
    ORDERS,
    PRODUCTIONS,
    RECIPE,
    large,
    produce,
    rows_of,
    shape,
    small,
    small_edit,
    stock,
    whole,
)
from correcting_orders import FIRST, SECOND, THIRD
from correcting_sales import sold
from correcting_steps import brought_to_its_end, tried
from journal_plans import hasty
from server_wire import Wire, live, records

from katana_mcp.testing import Payload, Stage
from katana_sandbox import EditBody, Fault, ManualClock, Mutate, Tenant

TOOL, NUMBER = "correct_manufacturing_order", "MO-900"
type Spoil = Callable[[Tenant, Wire], object]


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _hide_batches(body: object) -> object:
    """Let Katana not say from which batches productions took their ingredients."""
    for used in (used for production in records(body) for used in production["ingredients"]):
        used.pop("traceability", None)
    return body


def _closed(tenant: Tenant, order: Wire) -> None:
    tenant.edit("locations", order["location_id"], manufacturing_allowed=False)


def _dated(tenant: Tenant, order: Wire) -> None:
    """Let an order be done on a day on which nothing was made, with less than was planned."""
    tenant.edit(ORDERS, order["id"], done_date=THIRD, planned_quantity=9)


def _unlisted(tenant: Tenant, order: Wire) -> None:
    tenant.edit(ORDERS, order["id"], status="IN_PROGRESS")
    for one in rows_of(tenant, PRODUCTIONS, order["id"]):
        tenant.delete(PRODUCTIONS, one["id"])
    tenant.edit(ORDERS, order["id"], status="DONE")


SPOILS: dict[str, tuple[Spoil, str, str]] = {
    "open": (lambda tenant, order: tenant.edit(ORDERS, order["id"], status="IN_PROGRESS"), "not_closed", "modify_"),
    "of no production": (_unlisted, "locked", "lists no production"),
    "done on another day": (_dated, "locked", "on a day without a production"),
    "where nothing is made any more": (_closed, "not_producible", "does not allow manufacturing"),
}


def _blocking(preview: Payload) -> list[str]:
    return [warning["code"] for warning in preview["warnings"] if warning["severity"] == "blocking"]


async def test_an_order_that_would_not_be_made_the_same_is_refused_with_its_reason(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    for nr, (name, (spoil, code, says)) in enumerate(SPOILS.items()):
        order = small(tenant, f"MO-9{nr}")
        spoil(tenant, order)
        clock.advance(301)
        preview = await stage.call(TOOL, id=order["id"], **small_edit(order))
        assert (_blocking(preview), says in preview["message"]) == ([code], True), (name, preview["warnings"])
        assert (preview["requests"], "plan_token" in preview) == ([], False), name


async def test_what_was_used_from_batches_that_katana_does_not_show_is_not_used_again(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = large(tenant, NUMBER)
    stage.own.sandbox.faults.add(
        Fault("GET /manufacturing_order_productions", action=EditBody(_hide_batches), times=None)
    )
    preview = await stage.call(TOOL, id=order["id"], order_no="MO-900-B")
    assert set(_blocking(preview)) == {"locked"}
    assert "does not show from which batches" in preview["message"]
    stage.own.sandbox.faults.clear()
    clock.advance(301)
    assert "plan_token" in await stage.call(TOOL, id=order["id"], order_no="MO-900-B")


def _edits(order: Wire) -> dict[str, tuple[dict[str, Any], list[str]]]:
    first, *_, tracked = order[RECIPE]
    batches = [{"batch_id": 1, "quantity": 1}]

    def changed(row: Wire, **fields: object) -> dict[str, Any]:
        return {"update_recipe_rows": [{"recipe_row_id": row["id"], **fields}]}

    return {
        "nothing": ({}, ["no_effective_change"]),
        "the same": ({"completed_quantity": 5}, ["no_effective_change"]),
        "no such row": (changed({"id": 1}, planned_quantity_per_unit=1), ["unknown_row_id"]),
        "no such place": ({"location_id": "nowhere"}, ["not_found"]),
        "batches of two productions": (changed(tracked, batches=batches), ["locked"]),
        "no row twice": (
            changed(first, notes="a") | {"delete_recipe_row_ids": [first["id"]]},
            ["duplicate_row_overrides"],
        ),
    }


async def test_what_makes_no_sense_is_refused_by_a_code_of_its_own(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, refusals = large(tenant, NUMBER), dict[str, list[str]]()
    for name, (edit, _) in _edits(order).items():
        clock.advance(20)
        refusals[name] = _blocking(await stage.call(TOOL, id=order["id"], **edit))
    assert refusals == {name: codes for name, (_, codes) in _edits(order).items()}


async def test_what_was_used_as_planned_follows_the_plan_and_what_was_not_stays(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = large(tenant, NUMBER)
    first, second, *_ = order[RECIPE]
    changed = [{"recipe_row_id": row["id"], "planned_quantity_per_unit": 3} for row in (first, second)]
    preview = await stage.call(TOOL, id=order["id"], update_recipe_rows=changed, completed_quantity=4)
    assert preview["productions"][0].startswith("2 on ")
    await brought_to_its_end(stage, clock, preview["plan_token"])
    used = {
        (one["production_date"], ingredient["manufacturing_order_recipe_row_id"]): ingredient["quantity"]
        for one in rows_of(tenant, PRODUCTIONS, order["id"])
        for ingredient in tenant.get(PRODUCTIONS, one["id"])["ingredients"]
    }
    assert [used[date, row["id"]] for date in (FIRST, SECOND) for row in (first, second)] == [7, 6, 6, 6]


async def test_all_that_is_not_corrected_is_as_it_was_whatever_katana_does_with_the_date(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    for nr, word in enumerate(("honour", "ignore")):
        stage.own.sandbox.switches.set("completed_date_after_reopen", word)
        order = large(tenant, f"MO-90{nr}")
        before, held = shape(tenant, order["id"]), stock(tenant, order)
        preview = await stage.call(TOOL, id=order["id"], order_no=f"MO-90{nr}-B")
        await brought_to_its_end(stage, clock, preview["plan_token"])
        assert (shape(tenant, order["id"]), stock(tenant, order)) == (before, held), word
        assert tenant.get(ORDERS, order["id"])["order_no"] == f"MO-90{nr}-B"


async def test_an_order_that_its_status_made_done_is_done_by_its_status_again(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = small(tenant, NUMBER)
    tenant.edit(ORDERS, order["id"], done_date=THIRD)
    preview = await stage.call(TOOL, id=order["id"], order_no="MO-900-B")
    titles = [request["title"] for request in preview["requests"]]
    assert titles[-2] == f"set manufacturing order {NUMBER}-B to DONE"
    await brought_to_its_end(stage, clock, preview["plan_token"])
    then = tenant.get(ORDERS, order["id"])
    (one,) = rows_of(tenant, PRODUCTIONS, order["id"])
    assert (then["status"], then["done_date"], one["production_date"]) == ("DONE", THIRD, FIRST)


async def test_units_keep_their_serial_numbers_and_their_number(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    unit = sold(tenant, serial_tracked=True)[0]["id"]
    home = next(place["id"] for place in live(tenant, "locations") if place["manufacturing_allowed"])
    order = tenant.create(ORDERS, {"variant_id": unit, "planned_quantity": 2, "location_id": home, "order_no": NUMBER})
    made = produce(tenant, order, 2, FIRST, is_final=True)["serial_numbers"]
    refused = await stage.call(TOOL, id=order["id"], planned_quantity=3)
    assert _blocking(refused) == ["locked"]
    preview = await stage.call(TOOL, id=order["id"], order_no="MO-900-B")
    await brought_to_its_end(stage, clock, preview["plan_token"])
    (one,) = rows_of(tenant, PRODUCTIONS, order["id"])
    then = tenant.get(PRODUCTIONS, one["id"])["serial_numbers"]
    assert sorted(row["serial_number"] for row in then) == sorted(row["serial_number"] for row in made)
    tenant.edit(ORDERS, order["id"], sales_order_id=_shipped(tenant))
    clock.advance(61)
    preview = await stage.call(TOOL, id=order["id"], order_no="MO-900-C")
    assert (_blocking(preview), "are shipped with" in preview["message"]) == (["locked"], True)


def _shipped(tenant: Tenant) -> int:
    return next(order["id"] for order in live(tenant, "sales_orders") if order["status"] == "DELIVERED")


async def test_how_many_were_made_is_in_the_summary_and_the_order_is_called_by_its_number(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = small(tenant, NUMBER)
    clock.advance(301)
    preview = await stage.call(TOOL, id=order["id"], completed_quantity=3)
    steps = len(preview["requests"])
    assert f"correct manufacturing order {NUMBER}: completed_quantity 3 ({steps} steps)" in preview["message"]
    moved = next(warning["message"] for warning in preview["warnings"] if warning["code"] == "status_moves_back")
    assert moved.startswith(f"the product of manufacturing order {NUMBER} is out of stock until")


async def test_another_day_alone_reopens_nothing(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    order = small(tenant, NUMBER)
    preview = await stage.call(TOOL, id=order["id"], done_date=SECOND)
    assert [request["method"] for request in preview["requests"]] == ["PATCH"]
    await tried(stage, clock, preview["plan_token"])
    assert whole(tenant, order["id"])["done_date"] == SECOND


async def test_a_production_that_somebody_else_reports_meanwhile_stops_it_and_is_not_deleted(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = small(tenant, NUMBER)
    preview = await stage.call(TOOL, id=order["id"], **small_edit(order))
    made: list[int] = []

    def meanwhile(tenant: Tenant) -> None:
        made.append(produce(tenant, order, 1, THIRD)["id"])

    stage.own.sandbox.faults.add(Fault("PATCH *", nth=1, action=Mutate(change=meanwhile, when="after")))
    stopped = await tried(stage, clock, preview["plan_token"])
    assert f"production {made[0]} was added to the order by somebody else" in stopped["warnings"][0]["message"]
    tenant.delete(PRODUCTIONS, made[0])
    assert (await brought_to_its_end(stage, clock, preview["plan_token"]))["applied"] == 4


async def test_what_katana_does_not_take_stops_it_instead_of_being_sent_for_ever(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = large(tenant, NUMBER)
    preview = await stage.call(TOOL, id=order["id"], order_no="MO-900-B")

    def forget(tenant: Tenant) -> None:
        for used in tenant.all("manufacturing_order_production_ingredients"):
            if used["manufacturing_order_id"] == order["id"]:
                tenant.edit("manufacturing_order_production_ingredients", used["id"], batch_transactions=[])

    stage.own.sandbox.faults.add(Fault("POST *", action=Mutate(change=forget, when="after"), times=None))
    stopped = await tried(stage, clock, preview["plan_token"])
    sent = [entry.method for entry in stage.own.sandbox.journal if entry.method != "GET"]
    # What came out otherwise than it was sent is taken back, and not sent a second time.
    assert (sent, stopped["message"][:8]) == (["PATCH", "PATCH", "POST", "DELETE"], "stopped ")
