"""A create that Katana refused or failed may leave a record behind: which counts, and what is said of it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

import pytest
from journal_plans import plan_of

from cache_core.testing import ManualClock
from katana_client.testing import FakeClient, listing, reply
from katana_mcp.journal.entries import ActionState, Plan, Progress
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.writing.actions import Action, JsonObject, Recognise, Ref, as_json
from katana_mcp.writing.left_behind import leftovers

if TYPE_CHECKING:
    from katana_client import KatanaClient

LOOK = Recognise(collection="customers", filters={"name": "Ann"}, besides=(3,))
NEW = Action(
    title="new customer Ann",
    method="POST",
    path="/customers",
    entity="customer",
    expects={"name": "Ann", "phone": "1"},
    recognise=LOOK,
    leaves=True,
)
WHOLE: JsonObject = {"id": 5, "name": "Ann", "phone": "1"}
HALF: JsonObject = {"id": 6, "name": "Ann"}
AT = datetime(2026, 1, 2, tzinfo=UTC)
FAILED = ActionState("failed", None, "422", {"asked": "x"}, AT)


def plan(revert: object = None) -> Plan:
    """Return a plan with the call that undoes it."""
    return replace(plan_of("token", ManualClock()), shown={"revert": as_json(revert)})


async def left(
    rows: Sequence[object], state: ActionState = FAILED, action: Action = NEW, revert: object = None
) -> tuple[ActionState, list[ToolWarning], int]:
    """Return how a create ended, what is warned of, and how often Katana was asked, where it lists these rows."""
    client = FakeClient(lambda call: listing(rows, call))
    found, warnings = await leftovers(plan(revert), action, state, cast("KatanaClient", client))
    return found, warnings, len(client.wire.calls)


def warned(*texts: str) -> list[ToolWarning]:
    """Return the warnings with these texts."""
    return [advisory(warning_codes.LEFT_BEHIND, text) for text in texts]


async def test_a_record_of_the_name_that_is_not_as_planned_is_told_with_its_state() -> None:
    assert await left([WHOLE, HALF]) == (
        ActionState("failed", None, "422", {"asked": "x", "left_behind": [6]}, AT),
        warned("new customer Ann: Katana did not make it; customer 6 of that name is left behind; delete it in Katana"),
        1,
    )
    assert await left([HALF], ActionState("unknown", {"id": 1})) == (
        ActionState("unknown", {"id": 1}, None, {"left_behind": [6]}),
        warned(
            "new customer Ann: whether Katana made it as planned is unknown; customer 6 of that name is left behind; "
            "delete it in Katana"
        ),
        1,
    )


@pytest.mark.parametrize(
    "row",
    [
        WHOLE,
        {**HALF, "id": 3},
        {**HALF, "deleted_at": "2026-01-01T00:00:00.000Z"},
    ],
)
async def test_what_is_as_planned_was_there_before_or_is_deleted_is_not_left_behind(row: JsonObject) -> None:
    assert await left([row]) == (FAILED, [], 1)


@pytest.mark.parametrize(
    ("action", "state"),
    [
        (replace(NEW, leaves=False), "failed"),
        (replace(NEW, recognise=None), "failed"),
        (NEW, "applied"),
        (NEW, "not_tried"),
    ],
)
async def test_katana_is_only_asked_after_a_create_that_may_leave_something(action: Action, state: Progress) -> None:
    ended = ActionState(state, None, "why")
    assert await left([HALF], ended, action) == (ended, [], 0)


async def test_where_katana_does_not_answer_nothing_is_said() -> None:
    client = cast("KatanaClient", FakeClient(lambda _: reply({"statusCode": 422, "message": "no"}, 422)))
    assert await leftovers(plan(), NEW, FAILED, client) == (FAILED, [])


async def test_all_that_is_left_is_kept_and_ten_are_told() -> None:
    rows = [{**HALF, "id": nr} for nr in range(10, 21)]
    state, warnings, _ = await left(rows)
    assert state.look_up == {"asked": "x", "left_behind": list(range(10, 21))}
    start = "new customer Ann: Katana did not make it; customer"
    assert warnings == warned(
        *(f"{start} {nr} of that name is left behind; delete it in Katana" for nr in range(10, 20))
    )


async def test_the_way_back_of_the_plan_is_the_call_that_deletes_what_is_left() -> None:
    revert = {"tool": "delete_customer", "arguments": {"customer_id": Ref(0, "id"), "why": "left"}}
    _, warnings, _ = await left([HALF], revert=revert)
    assert warnings == warned(
        "new customer Ann: Katana did not make it; customer 6 of that name is left behind; "
        "delete_customer(customer_id=6, why='left') plans to delete it"
    )
