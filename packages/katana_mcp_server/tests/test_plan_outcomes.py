"""What is told of a plan that was tried: its message, its counts, the document, and the call that undoes it."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from journal_plans import plan_of

from cache_core.testing import ManualClock
from katana_mcp.journal.entries import ActionState, JsonObject, Plan, Progress
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import advisory
from katana_mcp.writing.actions import SAFE_AGAIN, Action, Ref, as_json
from katana_mcp.writing.change import BACK, SAGA
from katana_mcp.writing.outcome import ActionOutcome, PlanOutcome

NEW = Action(title="new order", method="POST", path="/purchase_orders", entity="purchase_order")
CHANGE = Action(title="change", method="PATCH", path="/purchase_orders/4", entity="purchase_order", record=4)
DELETE = Action(title="delete", method="DELETE", path="/purchase_orders/4", entity="purchase_order", record=4)
ROW = replace(DELETE, path="/purchase_order_rows/8", part="purchase_order_rows", row=8)
DOCUMENT = {"status": "open", "total": Decimal("9.50"), "net_total": 8, "additional_costs": None, "currency": "EUR"}
SHOWN = {**DOCUMENT, "number": "PO-7", "prior_state": {"status": "draft", "note": None, "sum": Decimal("1.0")}}


def plan(*actions: Action, shown: JsonObject = SHOWN, touches: JsonObject | None = None) -> Plan:
    """Return a plan of these actions."""
    made = plan_of("token", ManualClock())
    kept = tuple(action.to_json() for action in actions)
    return replace(made, summary="order PO-7", actions=kept, shown=shown, touches=touches or {})


def ended(made: Plan, *states: Progress, result: JsonObject | None = None) -> PlanOutcome:
    """Return the outcome of a plan whose actions ended like this."""
    return PlanOutcome.of(3, made, [ActionState(state, result) for state in states], [])


def test_all_that_is_known_of_a_plan_is_told() -> None:
    warning = advisory(warning_codes.UNEXPECTED_RESULT, "odd")
    states = [
        ActionState("applied", {"id": 70}),
        ActionState("unknown", None, "no answer", {"found": 0, "n": None, "q": Decimal("2.5")}),
        ActionState("planned"),
    ]
    shown = {**SHOWN, "revert": as_json({"tool": "undo", "arguments": {"id": Ref(0, "id"), "note": None}})}
    outcome = PlanOutcome.of(3, plan(NEW, ROW, CHANGE, shown=shown), states, [warning])
    assert outcome.model_dump(mode="json", exclude_none=True) == {
        "entry": 3,
        "message": "unknown whether applied: order PO-7 (1 applied, 1 unknown, 1 not tried); "
        "look at the document in Katana before planning it again",
        "id": 70,
        "number": "PO-7",
        "applied": 1,
        "failed": 0,
        "unknown": 1,
        "not_tried": 1,
        "actions": [
            {"title": "new order", "method": "POST", "path": "/purchase_orders", "state": "applied", "id": 70},
            {
                "title": "delete",
                "method": "DELETE",
                "path": "/purchase_order_rows/8",
                "state": "unknown",
                "id": 8,
                "error": "no answer",
                "look_up": {"found": 0, "q": 2.5},
            },
            {"title": "change", "method": "PATCH", "path": "/purchase_orders/4", "state": "not_tried", "id": 4},
        ],
        "prior_state": {"status": "draft", "sum": 1},
        "revert": {"tool": "undo", "arguments": {"id": 70, "note": None}},
        "warnings": [warning.model_dump()],
    }
    assert outcome.is_complete is False


@pytest.mark.parametrize(
    ("actions", "states", "touches", "document"),
    [
        ([NEW, CHANGE], ["applied", "applied"], {}, True),
        ([NEW, CHANGE], ["applied", "failed"], {}, False),
        # What was deleted itself is no document any more; what lost a row is, and so is what follows from another.
        ([DELETE], ["applied"], {}, False),
        ([ROW], ["applied"], {}, True),
        ([replace(DELETE, document=("sales_order", 1))], ["applied"], {}, True),
        ([DELETE], ["applied"], {SAGA: {}}, True),
        ([NEW], ["applied"], {SAGA: {BACK: True}}, False),
    ],
)
def test_a_document_is_as_it_was_shown_once_all_was_applied_and_it_is_still_there(
    actions: Sequence[Action], states: Sequence[Progress], touches: JsonObject, document: bool
) -> None:
    outcome = ended(plan(*actions, touches=touches), *states)
    found = {name: getattr(outcome, name) for name in DOCUMENT}
    assert found == (DOCUMENT if document else dict.fromkeys(DOCUMENT))
    assert outcome.is_complete is (set(states) == {"applied"})


@pytest.mark.parametrize(
    ("states", "message"),
    [
        (["applied", "applied"], "applied: order PO-7; total 9.5 EUR with tax, 8 without"),
        (["applied", "failed"], "not fully applied: order PO-7 (1 applied, 1 failed)"),
        (["failed", "not_tried"], "not applied: order PO-7 (1 failed, 1 not tried)"),
        (["planned", "sending"], "not applied: order PO-7 (2 not tried)"),
    ],
)
def test_a_message_says_how_much_of_a_plan_was_applied(states: Sequence[Progress], message: str) -> None:
    assert ended(plan(NEW, CHANGE), *states).message == message


def test_a_plan_without_prices_is_told_without_a_total() -> None:
    assert ended(plan(NEW, shown={}), "applied").message == "applied: order PO-7"


@pytest.mark.parametrize(("actions", "is_safe"), [((True, True), True), ((True, False), False), ((False,), False)])
def test_what_is_unknown_may_be_repeated_where_each_action_may(actions: Sequence[bool], is_safe: bool) -> None:
    made = plan(*(replace(CHANGE, is_repeatable=repeatable) for repeatable in actions))
    then = SAFE_AGAIN if is_safe else "look at the document in Katana before planning it again"
    states: list[Progress] = ["unknown" for _ in actions]
    message = ended(made, *states).message
    assert message == f"unknown whether applied: order PO-7 ({len(actions)} unknown); {then}"


STOPPED = "of 2 steps: order PO-7; apply the same token again to go on"
BOTH = f"{STOPPED}, or with roll_back=true to put everything back as it was"


@pytest.mark.parametrize(
    ("states", "back", "is_reached", "message"),
    [
        (["applied", "applied"], False, True, "applied: order PO-7; total 9.5 EUR with tax, 8 without"),
        (["applied", "failed"], False, False, f"stopped after 1 {BOTH}"),
        (["unknown", "not_tried"], False, False, f"stopped after 0 {BOTH}"),
        (["not_tried", "not_tried"], False, True, f"stopped after 0 {BOTH}"),
        (["applied", "applied"], True, True, "done: order PO-7"),
        # Nothing was to be put back, which is known only where the record was seen to be as it was.
        (["not_tried", "not_tried"], True, True, "done: order PO-7"),
        (["not_tried", "not_tried"], True, False, f"stopped after 0 {STOPPED}"),
        (["failed", "not_tried"], True, False, f"stopped after 0 {STOPPED}"),
        (["applied", "unknown"], True, True, f"stopped after 1 {STOPPED}"),
    ],
)
def test_a_saga_says_how_far_it_came_and_how_it_goes_on(
    states: Sequence[Progress], back: bool, is_reached: bool, message: str
) -> None:
    made = plan(NEW, CHANGE, touches={SAGA: {BACK: back}})
    outcome = PlanOutcome.of(3, made, [ActionState(state) for state in states], [], is_reached=is_reached)
    assert outcome.message == message


@pytest.mark.parametrize(
    ("action", "result", "shown", "of_action", "of_plan"),
    [
        (NEW, {"id": 70}, {}, 70, 70),
        (NEW, {"id": "uuid"}, {}, "uuid", "uuid"),
        (NEW, {"id": 70}, {"id": 5}, 70, 5),
        (NEW, {"id": True}, {}, None, None),
        (NEW, {}, {}, None, None),
        (NEW, None, {}, None, None),
        (CHANGE, None, {}, 4, 4),
        (CHANGE, {"id": 6}, {}, 6, 6),
        (replace(CHANGE, row="r"), None, {}, "r", None),
        (ROW, None, {}, 8, 8),
    ],
)
def test_an_id_is_that_of_the_answer_else_of_the_row_else_of_the_record(
    action: Action, result: JsonObject | None, shown: JsonObject, of_action: object, of_plan: object
) -> None:
    outcome = ended(plan(action, shown=shown), "applied", result=result)
    assert (outcome.actions[0].id, outcome.id) == (of_action, of_plan)


def test_the_first_id_that_there_is_stands_for_the_document() -> None:
    outcome = PlanOutcome.of(3, plan(NEW, CHANGE, shown={}), [ActionState("failed"), ActionState("applied")], [])
    assert outcome.id == 4


UNDO = as_json({"tool": "undo", "arguments": {"id": Ref(1, "id"), "price": Decimal("1.50")}})


@pytest.mark.parametrize(
    ("states", "result", "arguments"),
    [
        (["applied", "applied"], {"id": 70}, {"id": 70, "price": 1.5}),
        # What only an action knows that was not applied, or not answered, leaves no way back.
        (["applied", "failed"], {"id": 70}, None),
        (["applied", "applied"], None, None),
        (["failed", "failed"], {"id": 70}, None),
    ],
)
def test_the_way_back_is_told_where_all_that_it_names_is_known(
    states: Sequence[Progress], result: JsonObject | None, arguments: JsonObject | None
) -> None:
    revert = ended(plan(NEW, CHANGE, shown={"revert": UNDO}), *states, result=result).revert
    assert (revert and revert.model_dump()) == (arguments and {"tool": "undo", "arguments": arguments})


def test_a_way_back_that_names_no_answer_is_told_as_soon_as_anything_was_applied() -> None:
    shown = {"revert": {"tool": "undo", "arguments": {"id": 4}}}
    assert ended(plan(NEW, CHANGE, shown=shown), "applied", "failed").revert is not None
    assert ended(plan(NEW, CHANGE, shown=shown), "unknown", "failed").revert is None


def test_an_action_shows_its_path_with_what_it_refers_to() -> None:
    made = plan(replace(CHANGE, path="/purchase_orders", record=None, target=Ref(0, "id")), shown={})
    assert ended(made, "failed").actions == [
        ActionOutcome(title="change", method="PATCH", path='/purchase_orders/{"$ref":[0,"id"]}', state="failed")
    ]
