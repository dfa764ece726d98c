"""What a correction refuses before it touches anything, what it keeps, and what others may do while it is halfway."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from correcting_orders import FIRST, goods, large, receive, shape, small, small_edit, stock, units
from correcting_steps import CASES, TOOL, WRITES, brought_to_its_end, planned, tried
from journal_plans import hasty
from server_wire import Wire, live
from transfer_plans import applied

from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import Fault, ManualClock, Mutate, Status, Tenant

NUMBER = "PO-900"
type Spoil = Callable[[Tenant, Wire], object]


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _open(tenant: Tenant, order: Wire, status: str = "NOT_RECEIVED") -> None:
    for row in order["purchase_order_rows"]:
        tenant.edit("purchase_order_rows", row["id"], received_date=None)
    tenant.edit("purchase_orders", order["id"], status=status)


def _drafted(tenant: Tenant, order: Wire) -> None:
    _open(tenant, order, "DRAFT")


def _partly(tenant: Tenant, order: Wire) -> None:
    tenant.edit("purchase_order_rows", order["purchase_order_rows"][0]["id"], received_date=None)
    tenant.edit("purchase_orders", order["id"], status="PARTIALLY_RECEIVED")


def _outsourced(tenant: Tenant, order: Wire) -> None:
    place = live(tenant, "locations")[1]["id"]
    tenant.edit("purchase_orders", order["id"], entity_type="outsourced", tracking_location_id=place)


def _billed(tenant: Tenant, order: Wire) -> None:
    tenant.edit("purchase_orders", order["id"], billing_status="PARTIALLY_BILLED")


@pytest.mark.parametrize(
    ("spoil", "code", "says"),
    [
        (_open, "not_received", "modify_purchase_order"),
        (_drafted, "not_received", "modify_purchase_order"),
        (_partly, "invalid_status_transition", "receive its open rows"),
        (_outsourced, "locked", "correct it in Katana"),
        (_billed, "billed_order", "reopen_billed=true"),
    ],
)
async def test_an_order_that_cannot_be_reopened_is_told_with_what_to_do_instead(
    stage: Stage, tenant: Tenant, spoil: Spoil, code: str, says: str
) -> None:
    order = small(tenant, NUMBER)
    spoil(tenant, order)
    preview = await stage.call(TOOL, purchase_order_id=NUMBER, **small_edit(order))
    assert [warning["code"] for warning in preview["warnings"] if warning["severity"] == "blocking"] == [code]
    assert (says in preview["message"], "plan_token" in preview, preview["requests"]) == (True, False, [])


async def test_a_billed_order_is_reopened_where_that_is_asked_for(stage: Stage, tenant: Tenant) -> None:
    order = small(tenant, NUMBER)
    _billed(tenant, order)
    preview = await stage.call(TOOL, purchase_order_id=NUMBER, reopen_billed=True, **small_edit(order))
    assert "plan_token" in preview
    assert ("advisory", "billed_order") in [(warning["severity"], warning["code"]) for warning in preview["warnings"]]


def _edits(order: Wire) -> dict[str, tuple[dict[str, Any], str]]:
    first, second, *_ = (row["id"] for row in order["purchase_order_rows"])
    tracked = next(row for row in order["purchase_order_rows"] if len(row["batch_transactions"]) > 1)
    too_much = [{"batch_id": 1, "quantity": tracked["quantity"] + 1}]
    added = {"sku_or_variant_id": order["purchase_order_rows"][0]["variant_id"], "quantity": 1}
    return {
        "nothing": ({}, "no_effective_change"),
        "the same": (
            {"update_rows": [{"row_id": first, "quantity": order["purchase_order_rows"][0]["quantity"]}]},
            "no_effective_change",
        ),
        "no such row": ({"update_rows": [{"row_id": 1, "quantity": 1}]}, "unknown_row_id"),
        "twice": (
            {"update_rows": [{"row_id": first, "quantity": 1}], "delete_row_ids": [first]},
            "duplicate_row_overrides",
        ),
        "no row left": ({"delete_row_ids": [row["id"] for row in order["purchase_order_rows"]]}, "no_rows_left"),
        "no quantity": ({"update_rows": [{"row_id": first, "quantity": 0}]}, "invalid_quantity"),
        "no batches": ({"update_rows": [{"row_id": tracked["id"], "quantity": 1}]}, "batch_required"),
        "too many batches": ({"update_rows": [{"row_id": tracked["id"], "batches": too_much}]}, "batch_sum_mismatch"),
        "with no row": ({"add_rows": [{**added, "price_per_unit": 1, "received_with_row_id": 1}]}, "unknown_row_id"),
        "no such supplier": ({"supplier_id": "Nobody at all"}, "not_found"),
        "no such tax": ({"update_rows": [{"row_id": second, "tax_rate_id": 999}]}, "not_found"),
    }


async def test_what_makes_no_sense_is_refused_by_a_code_of_its_own(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = large(tenant, NUMBER)
    refusals: dict[str, list[str]] = {}
    for name, (edit, _) in _edits(order).items():
        clock.advance(20)
        preview = payload_of(await stage.result(TOOL, {"purchase_order_id": NUMBER, **edit}))
        refusals[name] = [warning["code"] for warning in preview["warnings"] if warning["severity"] == "blocking"]
    assert refusals == {name: [code] for name, (_, code) in _edits(order).items()}


async def test_rows_with_serial_numbers_keep_them_where_none_are_named(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    tracked = {product["id"] for product in live(tenant, "products") if product.get("serial_tracked")}
    unit = next(variant for variant in live(tenant, "variants") if variant["product_id"] in tracked)
    order = small(tenant, NUMBER)
    row = order["purchase_order_rows"][0]
    _open(tenant, order)
    tenant.edit("purchase_order_rows", row["id"], variant_id=unit["id"], quantity=2, purchase_uom_conversion_rate=1)
    names = {"resource_type": "PurchaseOrderRow", "resource_id": row["id"], "serial_numbers": ["SN-1", "SN-2"]}
    made = tenant.create("serial_numbers", names)["successful"]
    trace = [{"serial_number_id": one["id"]} for one in made]
    second = order["purchase_order_rows"][1]
    receive(
        tenant,
        {"purchase_order_row_id": row["id"], "quantity": 2, "received_date": FIRST, "traceability": trace},
        {"purchase_order_row_id": second["id"], "quantity": second["quantity"], "received_date": FIRST},
    )
    refused = await stage.call(TOOL, purchase_order_id=NUMBER, update_rows=[{"row_id": row["id"], "quantity": 1}])
    assert [warning["code"] for warning in refused["warnings"] if warning["severity"] == "blocking"] == [
        "serial_count_mismatch"
    ]
    before = tenant.get("purchase_orders", order["id"])["purchase_order_rows"][0]["traceability"]
    preview = await stage.call(TOOL, purchase_order_id=NUMBER, update_rows=[{"row_id": row["id"], "price_per_unit": 9}])
    await brought_to_its_end(stage, clock, preview["plan_token"])
    after = tenant.get("purchase_orders", order["id"])["purchase_order_rows"][0]
    assert (after["price_per_unit"], after["traceability"], len(before)) == (9, before, 2)


async def test_a_row_comes_with_fewer_of_its_serial_numbers_and_with_no_others(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = units(tenant, NUMBER)
    first, second = (row for row in order["purchase_order_rows"] if row.get("traceability"))
    one, two, three = (entry["serial_number_id"] for entry in first["traceability"])
    other = second["traceability"][0]["serial_number_id"]
    edits: dict[str, dict[str, Any]] = {
        "serial_count_mismatch": {"quantity": 2, "serial_number_ids": [one]},
        "serial_qty_not_integer": {"quantity": 1.5, "serial_number_ids": [one]},
        "locked": {"quantity": 2, "serial_number_ids": [one, other]},
        "invalid_argument": {"quantity": 3, "batches": [{"batch_id": 1, "quantity": 1}]},
        "no_effective_change": {"serial_number_ids": [three, one, two]},
    }
    for code, edit in edits.items():
        clock.advance(20)
        refused = await stage.call(TOOL, id=NUMBER, update_rows=[{"row_id": first["id"], **edit}])
        assert [warning["code"] for warning in refused["warnings"] if warning["severity"] == "blocking"] == [code], (
            refused
        )
        assert refused["requests"] == []
    update = [{"row_id": first["id"], "quantity": 2, "serial_number_ids": [three, one]}]
    preview = await stage.call(TOOL, id=NUMBER, update_rows=update)
    (change,) = [entry for entry in preview["changes"] if entry["field"].endswith("serial_number_ids")]
    assert (change["old"], change["new"]) == (f"{one}, {two}, {three}", f"{one}, {three}")
    before = shape(tenant, order["id"])["costs"]
    await brought_to_its_end(stage, clock, preview["plan_token"])
    rows = {row["id"]: row for row in tenant.get("purchase_orders", order["id"])["purchase_order_rows"]}
    assert [entry["serial_number_id"] for entry in rows[first["id"]]["traceability"]] == [three, one]
    assert rows[second["id"]]["traceability"] == second["traceability"]
    assert [cost.split(", [")[0] for cost in shape(tenant, order["id"])["costs"]] == [
        cost.split(", [")[0] for cost in before
    ]
    bound = [one["serial_number_id"] for one in tenant.all("serial_transactions") if one["quantity_change"] == 1]
    assert (one in bound, two in bound, three in bound) == (True, False, True)


async def test_costs_are_kept_and_are_changed_without_reopening(stage: Stage, tenant: Tenant) -> None:
    order = small(tenant, NUMBER)
    (cost,) = [row for row in live(tenant, "po_additional_cost_rows") if row["group_id"] == order["default_group_id"]]
    update = [{"additional_cost_row_id": cost["id"], "price": 14}]
    refused = await stage.refusal(TOOL, id=NUMBER, update_additional_costs=update)
    assert "`modify_purchase_order` changes those of a received order" in refused["warnings"][0]["message"]
    plan = await stage.call("modify_purchase_order", id=NUMBER, update_additional_costs=update)
    assert [request["method"] for request in plan["requests"]] == ["PATCH"]
    await applied(stage, plan["plan_token"])
    assert tenant.get("po_additional_cost_rows", cost["id"])["price"] == 14
    assert tenant.get("purchase_orders", order["id"])["status"] == "RECEIVED"


async def test_the_preview_says_what_becomes_of_the_stock_and_what_is_not_kept(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, preview = await planned(stage, tenant, CASES["large"], NUMBER)
    before = stock(tenant, order)
    first, second = goods(tenant, batched=False)[:2]
    home = order["location_id"]
    assert [line.split(":")[0] for line in preview["stock"]] == [
        f"{good['sku']} at {live(tenant, 'locations')[0]['name']}" for good in (first, second)
    ]
    assert any("the ids of rows" in note for note in preview["not_kept"])
    assert any("additional costs" in note for note in preview["not_kept"])
    await brought_to_its_end(stage, clock, preview["plan_token"])
    after = stock(tenant, order)
    assert (
        after[first["id"], home] - before[first["id"], home],
        after[second["id"], home] - before.get((second["id"], home), 0),
    ) == (-2, 2)
    # The goods that the correction does not change are all there, each at its location.
    assert {pair: after[pair] for pair in before if pair[0] not in {first["id"], second["id"]}} == {
        pair: before[pair] for pair in before if pair[0] not in {first["id"], second["id"]}
    }
    rows = tenant.get("purchase_orders", order["id"])["purchase_order_rows"]
    assert sum(row["quantity"] for row in rows if row["variant_id"] == second["id"]) == 9


async def test_all_that_is_not_corrected_is_as_it_was(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    order = large(tenant, NUMBER)
    before, held = shape(tenant, order["id"]), stock(tenant, order)
    preview = await stage.call(TOOL, purchase_order_id=NUMBER, order_no="PO-900-B")
    await tried(stage, clock, preview["plan_token"])
    assert (shape(tenant, order["id"]), stock(tenant, order)) == (before, held)
    assert tenant.get("purchase_orders", order["id"])["order_no"] == "PO-900-B"


async def _halfway(
    stage: Stage, tenant: Tenant, clock: ManualClock, step: int = 2, status: int = 503
) -> tuple[Wire, str, Payload]:
    """Return an order whose correction stopped at a step, the token, and the outcome."""
    order, preview = await planned(stage, tenant, CASES["small"], NUMBER)
    return order, preview["plan_token"], await _stopped(stage, clock, preview["plan_token"], step, status)


async def _stopped(stage: Stage, clock: ManualClock, token: str, step: int = 2, status: int = 503) -> Payload:
    """Return the outcome of a correction that stopped at a step."""
    stage.own.sandbox.faults.add(Fault(WRITES, nth=step, action=Status(status)))
    outcome = await tried(stage, clock, token)
    stage.own.sandbox.faults.clear()
    return outcome


async def test_no_other_plan_of_the_order_is_applied_while_its_correction_is_halfway(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, preview = await planned(stage, tenant, CASES["small"], NUMBER)
    other = await stage.call("modify_purchase_order", purchase_order_id=order["id"], additional_info="other")
    token, outcome = preview["plan_token"], await _stopped(stage, clock, preview["plan_token"])
    assert outcome["message"].startswith("stopped after 1 of 3 steps: ")
    refused = await applied(stage, other["plan_token"])
    assert (refused["error"], "stopped halfway (journal entry 1)" in refused["warnings"][0]["message"]) == (
        "plan_running",
        True,
    )
    assert (await brought_to_its_end(stage, clock, token))["applied"] == 3
    other = await stage.call("modify_purchase_order", purchase_order_id=order["id"], additional_info="other")
    assert (await applied(stage, other["plan_token"]))["outcomes"][0]["applied"] == 1


async def test_orders_get_their_numbers_while_a_correction_of_a_number_is_halfway(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, preview = await planned(stage, tenant, CASES["large"], NUMBER)
    stage.own.sandbox.faults.add(Fault(WRITES, nth=3, action=Status(503)))
    assert (await tried(stage, clock, preview["plan_token"]))["applied"] == 2
    stage.own.sandbox.faults.clear()
    row = {"sku_or_variant_id": order["purchase_order_rows"][0]["variant_id"], "quantity": 100, "price_per_unit": 1}
    parties = {name: order[name] for name in ("supplier_id", "location_id")}
    other = await stage.call("create_purchase_order", rows=[row], **parties)
    assert (await applied(stage, other["plan_token"]))["outcomes"][0]["applied"] == 1


async def test_a_correction_that_is_left_halfway_keeps_the_order_for_a_day(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, _, _ = await _halfway(stage, tenant, clock)
    clock.advance(86_401)
    other = await stage.call("modify_purchase_order", purchase_order_id=order["id"], additional_info="other")
    assert (await applied(stage, other["plan_token"]))["outcomes"][0]["applied"] == 1


async def test_what_was_refused_at_once_is_not_applied_to_an_order_that_was_changed_since(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, token, _ = await _halfway(stage, tenant, clock, step=1, status=422)
    row = order["purchase_order_rows"][1]["id"]
    other = await stage.call(TOOL, purchase_order_id=NUMBER, update_rows=[{"row_id": row, "quantity": 2}])
    assert (await tried(stage, clock, other["plan_token"]))["applied"] == 3
    then = shape(tenant, order["id"])
    stopped = await tried(stage, clock, token)
    assert "was changed since; plan it again" in stopped["warnings"][0]["message"]
    assert (shape(tenant, order["id"]), stopped["applied"]) == (then, 0)


async def test_only_what_stopped_halfway_is_rolled_back(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    _, preview = await planned(stage, tenant, CASES["small"], NUMBER)
    early = await tried(stage, clock, preview["plan_token"], roll_back=True)
    assert (early["error"], early["warnings"][0]["field_path"]) == ("invalid_argument", "roll_back")
    await brought_to_its_end(stage, clock, preview["plan_token"])
    assert (await tried(stage, clock, preview["plan_token"], roll_back=True))["error"] == "invalid_argument"


async def test_a_correction_that_katana_no_longer_lets_look_stops_and_says_so(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    _, preview = await planned(stage, tenant, CASES["small"], NUMBER)
    faults = stage.own.sandbox.faults

    def keep_silent(_: Tenant) -> None:
        faults.add(Fault("GET /purchase_orders", action=Status(503), times=None))

    faults.add(Fault(WRITES, action=Mutate(change=keep_silent, when="after")))
    outcome = await tried(stage, clock, preview["plan_token"])
    faults.clear()
    assert outcome["applied"] == 1
    stops = [warning["message"] for warning in outcome["warnings"] if warning["code"] == "unexpected_result"]
    assert [message.startswith("stopped: Katana could not be asked") for message in stops] == [True], outcome
    assert (await brought_to_its_end(stage, clock, preview["plan_token"]))["applied"] == 3


async def test_a_row_that_somebody_else_adds_meanwhile_stops_it_and_is_not_deleted(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, token, _ = await _halfway(stage, tenant, clock)
    other = goods(tenant, batched=False)[3]
    row = {"purchase_order_id": order["id"], "variant_id": other["id"], "quantity": 1, "price_per_unit": 1}
    added = tenant.create("purchase_order_rows", row)["id"]
    stopped = await tried(stage, clock, token)
    assert f"row {added} was added to the order by somebody else" in stopped["warnings"][0]["message"]
    tenant.delete("purchase_order_rows", added)
    assert (await brought_to_its_end(stage, clock, token))["applied"] == 3


async def test_a_row_that_came_twice_is_deleted(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    order, preview = await planned(stage, tenant, CASES["large"], NUMBER)
    await brought_to_its_end(stage, clock, preview["plan_token"])
    end = shape(tenant, order["id"])
    order, preview = await planned(stage, tenant, CASES["large"], "PO-901")

    def again(tenant: Tenant) -> None:
        fields = ("variant_id", "quantity", "price_per_unit", "tax_rate_id", "arrival_date", "location_id")
        last = max(live(tenant, "purchase_order_rows"), key=lambda row: row["id"])
        twice = {name: last[name] for name in (*fields, "purchase_uom", "purchase_uom_conversion_rate")}
        tenant.create("purchase_order_rows", {**twice, "purchase_order_id": order["id"]})

    stage.own.sandbox.faults.add(Fault("POST /purchase_order_rows", nth=2, action=Mutate(change=again, when="after")))
    await brought_to_its_end(stage, clock, preview["plan_token"])
    assert shape(tenant, order["id"]) == end


async def test_a_step_that_katana_does_not_show_yet_is_waited_for_and_not_sent_again(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    _, preview = await planned(stage, tenant, CASES["small"], NUMBER)
    clock.advance(61)
    stage.own.sandbox.switches.set("replica_lag", 5)
    sent = len(stage.own.sandbox.journal)
    outcome = await tried(stage, clock, preview["plan_token"])
    written = [entry.path for entry in stage.own.sandbox.journal[sent:] if entry.method != "GET"]
    assert (outcome["applied"], len(written)) == (3, 3)


async def test_a_long_one_is_answered_as_running_and_followed_by_its_token(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    _, preview = await planned(stage, tenant, CASES["large"], NUMBER)
    # What else the account asks in this minute leaves no room for all steps.
    await asyncio.gather(*(stage.call("get_purchase_order", purchase_order_id=NUMBER) for _ in range(3)))
    answers: list[str] = []
    for _ in range(10):
        answer = payload_of(await stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]}))
        answers.append(answer.get("error") or answer["outcomes"][0]["message"][:8])
        if "outcomes" in answer:
            break
        assert "of 12 steps are done" in answer["warnings"][0]["message"]
        clock.advance(30)
    assert (answers[0], answers[-1]) == ("plan_running", "applied:")


async def test_a_way_back_goes_on_where_costs_that_were_put_already_make_more_to_do_than_was_foreseen(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, preview = await planned(stage, tenant, CASES["units"], NUMBER)
    before, held = shape(tenant, order["id"]), stock(tenant, order)
    stage.own.sandbox.faults.add(Fault("DELETE *", nth=1, action=Status(503)))
    stopped = await tried(stage, clock, preview["plan_token"])
    assert [action["method"] for action in stopped["actions"] if action["state"] != "applied"] == ["DELETE", "DELETE"]
    stage.own.sandbox.faults.clear()
    last = await brought_to_its_end(stage, clock, preview["plan_token"], roll_back=True)
    assert last["message"].startswith("done: roll back"), last["message"]
    assert (shape(tenant, order["id"]), stock(tenant, order)) == (before, held)
