"""What Katana lists tells how an action ended whose answer was lost: what is asked, and what is believed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from katana_client.testing import FakeClient, listing, reply
from katana_mcp.journal.entries import ActionState
from katana_mcp.writing.actions import SAFE_AGAIN, SOME, Action, JsonObject, Recognise
from katana_mcp.writing.lost_answers import is_as_planned, look_up_in_katana

if TYPE_CHECKING:
    from katana_client import KatanaClient
    from katana_client.exchange import Call, Reply

ROW: JsonObject = {"id": 5, "name": "Ann", "email": "a@x.y"}
OTHER: JsonObject = {"id": 6, "name": "Bob"}
DELETED: JsonObject = {"id": 5, "name": "Ann", "deleted_at": "2026-01-01T00:00:00.000Z"}
WHY = "the connection broke"
BY_NAME = Recognise(collection="customers", filters={"name": "Ann"})
NEW = Action(
    title="new", method="POST", path="/customers", entity="customer", expects={"name": "Ann"}, recognise=BY_NAME
)
GONE = Action(title="delete", method="DELETE", path="/customers/5", entity="customer", record=5, recognise=BY_NAME)
ASKED = "GET /customers name=Ann"


async def ended(
    action: Action, rows: Sequence[object], why: str = WHY, *, is_said: bool = False
) -> tuple[ActionState, list[tuple[str, dict[str, str]]]]:
    """Return how an action ended where Katana lists these rows, and what it was asked."""
    client = FakeClient(lambda call: listing(rows, call))
    state = await look_up_in_katana(action, cast("KatanaClient", client), why, is_said=is_said)
    return state, [(f"{call.method} {call.path}", dict(call.query)) for call in client.wire.calls]


def lists(asked: str, rows: int, as_planned: int) -> Mapping[str, object]:
    """Return what is told of a look-up."""
    return {"asked": asked, "rows": rows, "as_planned": as_planned}


@pytest.mark.parametrize(("why", "error"), [(WHY, WHY), ("", None)])
async def test_what_nothing_can_look_up_is_unknown_and_katana_is_not_asked(why: str, error: str | None) -> None:
    state, calls = await ended(replace(NEW, recognise=None), [ROW], why)
    found = "this action cannot be looked up in Katana"
    assert (state, calls) == (ActionState("unknown", error=error, look_up={"found": found}), [])
    state, calls = await ended(replace(NEW, recognise=None, is_repeatable=True), [ROW], why)
    assert (state, calls) == (ActionState("unknown", error=error, look_up={"found": f"{found}; {SAFE_AGAIN}"}), [])


@pytest.mark.parametrize(
    ("rows", "state"),
    [
        ([], ActionState("unknown", None, WHY, lists(ASKED, 0, 0))),
        ([OTHER], ActionState("unknown", None, WHY, lists(ASKED, 1, 0))),
        ([ROW], ActionState("applied", ROW, None, lists(ASKED, 1, 1))),
        ([OTHER, ROW], ActionState("applied", ROW, None, lists(ASKED, 2, 1))),
        ([ROW, {**ROW, "id": 7}], ActionState("unknown", None, WHY, lists(ASKED, 2, 2))),
        # What is no record is not counted.
        (["x", ROW], ActionState("applied", ROW, None, lists(ASKED, 1, 1))),
    ],
)
async def test_a_new_record_was_made_if_one_row_is_as_planned(rows: Sequence[object], state: ActionState) -> None:
    assert (await ended(NEW, rows))[0] == state


async def test_rows_that_were_there_before_do_not_count() -> None:
    look = Recognise(collection="customers", filters={"name": "Ann"}, besides=(5, "x"))
    state, _ = await ended(replace(NEW, recognise=look), [ROW, {**ROW, "id": 7}])
    assert state == ActionState("applied", {**ROW, "id": 7}, None, lists(ASKED, 1, 1))


async def test_rows_without_an_id_are_known_by_the_first_field_of_their_key() -> None:
    look = Recognise(collection="inventory", filters={}, besides=(7,))
    rows: list[JsonObject] = [{"variant_id": 7, "location_id": 1}, {"variant_id": 8, "location_id": 7}]
    state, _ = await ended(replace(NEW, expects={}, recognise=look), rows)
    assert (state.state, state.result) == ("applied", rows[1])


@pytest.mark.parametrize(
    ("action", "collection", "filters", "asked", "call"),
    [
        (NEW, "customers", {"name": "Ann"}, "GET /customers name=Ann", {"name": "Ann"}),
        (NEW, "customers", {"name": "A", "email": "b"}, "GET /customers name=A, email=b", {"name": "A", "email": "b"}),
        (NEW, "customers", {}, "GET /customers", {}),
        (GONE, "customers", {}, "GET /customers include_deleted=True", {"include_deleted": "true"}),
        (GONE, "serial_numbers", {"resource_id": 5}, "GET /serial_numbers resource_id=5", {"resource_id": "5"}),
        # What is archived is there all the same.
        (NEW, "services", {}, "GET /services include_archived=True", {"include_archived": "true"}),
        (
            GONE,
            "services",
            {"name": "a"},
            "GET /services name=a, include_deleted=True, include_archived=True",
            {"name": "a", "include_deleted": "true", "include_archived": "true"},
        ),
    ],
)
async def test_it_is_said_what_katana_was_asked(
    action: Action, collection: str, filters: JsonObject, asked: str, call: Mapping[str, str]
) -> None:
    look = Recognise(collection=collection, filters=filters)
    state, (only,) = await ended(replace(action, recognise=look), [])
    assert state == ActionState("unknown", None, WHY, lists(asked, 0, 0))
    assert only == (f"GET /{collection}", {"limit": "250", "page": "1", **call})


@pytest.mark.parametrize(("why", "error"), [(WHY, WHY), ("", None)])
async def test_a_listing_that_katana_refuses_tells_nothing_but_why(why: str, error: str | None) -> None:
    def refuse(call: "Call") -> "Reply":
        return reply({"statusCode": 422, "name": "UnprocessableEntityError", "message": f"no {call.method}"}, 422)

    client = cast("KatanaClient", FakeClient(refuse))
    assert await look_up_in_katana(NEW, client, why) == ActionState(
        "unknown", error=error, look_up={"asked": ASKED, "error": "GET /customers: 422 no GET"}
    )


DELETION = "GET /customers name=Ann, include_deleted=True"


@pytest.mark.parametrize(
    ("rows", "is_said", "state"),
    [
        ([DELETED], False, ActionState("applied", None, None, lists(DELETION, 1, 1))),
        ([ROW], False, ActionState("unknown", None, WHY, lists(DELETION, 1, 0))),
        ([ROW], True, ActionState("unknown", None, WHY, lists(DELETION, 1, 0))),
        # That nothing is listed proves a deletion only where an answer said that it was done.
        ([], False, ActionState("unknown", None, WHY, lists(DELETION, 0, 0))),
        ([], True, ActionState("applied", None, None, lists(DELETION, 0, 0))),
    ],
)
async def test_a_deletion_was_done_if_the_row_is_marked_or_an_answer_said_so_and_none_is_there(
    rows: Sequence[object], is_said: bool, state: ActionState
) -> None:
    assert (await ended(GONE, rows, is_said=is_said))[0] == state


async def test_that_an_answer_said_so_proves_nothing_of_what_is_made() -> None:
    assert (await ended(NEW, [], is_said=True))[0] == ActionState("unknown", None, WHY, lists(ASKED, 0, 0))


STOCK = Recognise(collection="customers", filters={}, since="2025-12-31T23:44:59.000Z")
ALL = "GET /customers include_deleted=True"


@pytest.mark.parametrize(
    ("since", "rows", "state"),
    [
        # The clock shows 2026-01-01: a record that is older than a quarter of an hour is on every replica.
        ("2025-12-31T23:44:59.999Z", [OTHER], "applied"),
        ("2025-12-31T23:45:00.000Z", [OTHER], "unknown"),
        ("2026-01-01T00:00:00.000Z", [OTHER], "unknown"),
        ("", [OTHER], "unknown"),
        ("2025-12-31T23:44:59.999Z", [], "applied"),
        ("2025-12-31T23:44:59.999Z", [OTHER, ROW], "unknown"),
        # A listing of which a row cannot be read, or of more than a page, is not whole.
        ("2025-12-31T23:44:59.999Z", [OTHER, "x"], "unknown"),
        ("2025-12-31T23:44:59.999Z", [{**OTHER, "id": nr} for nr in range(6, 256)], "applied"),
        ("2025-12-31T23:44:59.999Z", [{**OTHER, "id": nr} for nr in range(6, 257)], "unknown"),
    ],
)
async def test_a_whole_listing_that_leaves_out_an_old_record_proves_its_deletion(
    since: str, rows: Sequence[object], state: str
) -> None:
    look = Recognise(collection="customers", filters={}, since=since)
    found, _ = await ended(replace(GONE, recognise=look), rows)
    read = sum(isinstance(row, dict) for row in rows[:250])
    why = None if state == "applied" else WHY
    assert found == ActionState("applied" if state == "applied" else "unknown", None, why, lists(ALL, read, 0))


async def test_a_listing_that_leaves_out_what_was_changed_proves_nothing() -> None:
    look = Recognise(collection="customers", filters={}, since="2025-12-31T23:44:59.999Z")
    action = replace(NEW, method="PATCH", record=5, recognise=look)
    assert (await ended(action, [OTHER]))[0] == ActionState("unknown", None, WHY, lists("GET /customers", 1, 0))


@pytest.mark.parametrize(
    ("rows", "state"),
    [
        ([ROW, {**ROW, "id": 7}], ActionState("applied", None, None, lists(ASKED, 2, 2))),
        ([ROW], ActionState("applied", None, None, lists(ASKED, 1, 1))),
        ([ROW, OTHER, {**ROW, "id": 7}], ActionState("unknown", None, WHY, lists(ASKED, 3, 2))),
        ([ROW, OTHER], ActionState("applied", ROW, None, lists(ASKED, 2, 1))),
        ([], ActionState("unknown", None, WHY, lists(ASKED, 0, 0))),
    ],
)
async def test_what_may_be_repeated_was_done_where_each_row_shows_it(
    rows: Sequence[object], state: ActionState
) -> None:
    assert (await ended(replace(NEW, is_repeatable=True), rows))[0] == state


@pytest.mark.parametrize(
    ("rows", "is_there", "as_planned"),
    [
        ([{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}], True, 2),
        ([{"id": 2, "name": "Bob"}, {"id": 3, "name": "Eve"}, {"id": 1, "name": "Ann"}], True, 2),
        ([{"id": 1, "name": "Ann"}], False, 1),
        ([{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}, {"id": 3, "name": "Bob"}], False, 3),
        ([], False, 0),
    ],
)
async def test_many_records_were_made_where_each_of_them_is_there_once(
    rows: Sequence[object], is_there: bool, as_planned: int
) -> None:
    action = replace(NEW, answers_many=2, expects={"customers": [{"name": "Ann"}, {"name": "Bob"}]})
    look_up = lists(ASKED, len(rows), as_planned)
    applied, unknown = ActionState("applied", None, None, look_up), ActionState("unknown", None, WHY, look_up)
    assert (await ended(action, rows))[0] == (applied if is_there else unknown)


@pytest.mark.parametrize(
    ("taken", "applied"), [(True, True), (False, False), (None, False), (1, False), ("true", False)]
)
async def test_what_katana_works_on_still_has_been_taken(taken: object, applied: bool) -> None:
    row = {"id": 5, "name": "not yet", "busy": taken}
    found = (await ended(replace(NEW, pending="busy"), [row]))[0]
    assert (found.state, found.result) == (("applied", row) if applied else ("unknown", None))


async def test_a_flag_counts_only_where_it_is_named() -> None:
    assert (await ended(NEW, [{"id": 5, "name": "not yet", "": True}]))[0].state == "unknown"


@pytest.mark.parametrize(
    ("action", "found", "is_planned"),
    [
        (NEW, {"name": "Ann"}, True),
        (NEW, {"name": "Bob"}, False),
        (NEW, {}, False),
        (replace(NEW, expects={}), {}, True),
        (replace(NEW, expects={"id": SOME}), {"id": 7}, True),
        # What is compared is what the listing holds, not what the path names.
        (replace(NEW, path="/purchase_orders", expects={"quantity": "1.0"}), {"quantity": 1}, False),
        (
            replace(
                NEW, expects={"quantity": "1.0"}, recognise=Recognise(collection="purchase_order_rows", filters={})
            ),
            {"quantity": 1},
            True,
        ),
        (replace(NEW, path="/purchase_order_rows", expects={"quantity": "1.0"}, recognise=None), {"quantity": 1}, True),
    ],
)
def test_a_record_is_as_planned_when_it_holds_what_is_expected(
    action: Action, found: JsonObject, is_planned: bool
) -> None:
    assert is_as_planned(action, found) is is_planned
