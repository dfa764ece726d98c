"""The call that takes a change of a document back, and what it leaves as it is: pure functions of a declaration."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from cache_core.records import RecordId
from katana_mcp.documents.arguments import request_of
from katana_mcp.documents.custom_fields import custom_values
from katana_mcp.documents.declaration import ONLY_LATER, ONLY_NEW, Field, Key, Part, Selector, Status, Writable
from katana_mcp.documents.states import transition
from katana_mcp.documents.steps import steps
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.documents.undo_call import left_behind, one_way, way_back
from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools.requests import WriteQuantity
from katana_mcp.writing.actions import IfApplied, JsonObject, Ref

HELD = "purchase_order_rows"
EARLY, LATE, LATER = (f"2026-03-{day}T00:00:00Z" for day in ("09", "20", "30"))


def always[T](value: T) -> Callable[..., T]:
    """Return a function that answers this, whatever it is given."""
    return lambda *_: value


def with_more(_: Transition, given: dict[str, object]) -> dict[str, object]:
    """Return arguments with one more."""
    return {**given, "more": 1}


def follow(before: State, after: State) -> State:
    """Return the document in which Katana gives all rows the arrival date of the order, where that changes."""
    moved, rows = after.get("expected_arrival_date"), after[HELD]
    if before.get("expected_arrival_date") == moved or not isinstance(rows, list):
        return after
    return {**after, HELD: [{**row, "arrival_date": moved} for row in rows]}  # pyright: ignore[reportUnknownVariableType] - rows


ROWS = Part(
    name="rows",
    one="row",
    held=HELD,
    says={"new": "", "add": "", "update": "", "delete": ""},
    most=9,
    fields=(
        Field("variant_id", int, argument="sku", required=True),
        Field("quantity", WriteQuantity, argument="amount"),
        Field("price_per_unit", WriteQuantity),
        Field("arrival_date", str, clears=False),
        Field("purchase_uom", str, clears=False),
        custom_values("PurchaseOrderRow"),
    ),
    collection="purchase_order_rows",
    parent="purchase_order_id",
    unsaid=("group_id", "landed"),
)
STATUS = Status(kind=str, says="", first="NOT_RECEIVED", refused={}, path="")
ORDER = Writable(
    entity="purchase_order",
    collection="purchase_orders",
    says_id="",
    key=Key(name="order_no", words="number", prefix="PO-"),
    head=(
        Field("order_no", str, required=True),
        Field("currency", str, argument="money", clears=False),
        Field("expected_arrival_date", str),
        Field("location_id", int, part="rows"),
        Field("additional_info", str, verbs=ONLY_LATER),
        custom_values("PurchaseOrder"),
    ),
    parts=(ROWS,),
    status=STATUS,
    follow=follow,
    described=lambda _: "",
    what={},
    answers={},
)
PRICED = {"price_per_unit": 3, "purchase_uom": None}
ROW: dict[str, object] = {"id": 17, "variant_id": 7, "quantity": 2, "arrival_date": EARLY, **PRICED}
OTHER: dict[str, object] = {"id": 18, "variant_id": 8, "quantity": 4, "arrival_date": LATE, **PRICED}
RECORD: dict[str, object] = {
    "id": 40,
    "order_no": "PO-40",
    "currency": "EUR",
    "status": "NOT_RECEIVED",
    "expected_arrival_date": LATE,
    "location_id": 17,
    HELD: [ROW, OTHER],
}
NEW_ROW = {"sku": 9, "amount": 1, "price_per_unit": 1}
KIND = Selector(argument="type", value="bought", kinds=("bought", "made"), says="", also="kind")


def resulting(asked: JsonObject, record: State = RECORD, doc: Writable = ORDER, verb: Verb = "modify") -> Transition:
    """Return what a request comes to."""
    request = request_of(doc, verb).model_validate({doc.id: 40, **doc.selected, **asked})
    return transition(doc, verb, request, Facts(record=record))


def back(
    asked: JsonObject, record: State = RECORD, doc: Writable = ORDER, verb: Verb = "modify"
) -> Mapping[str, object] | None:
    """Return the arguments of the call that takes a request back; None where there is no call."""
    change = resulting(asked, record, doc, verb)
    found = way_back(doc, change, steps(doc, change))
    if found is None:
        return None
    tool = {"modify": "modify_purchase_order", "delete": "create_purchase_order"}[verb]
    assert found == {"tool": tool, "arguments": found["arguments"]}
    arguments = found["arguments"]
    assert isinstance(arguments, Mapping)
    return arguments  # pyright: ignore[reportUnknownVariableType] - of names


def left(asked: JsonObject, record: State = RECORD, doc: Writable = ORDER, verb: Verb = "modify") -> dict[str, str]:
    """Return what the way back of a request leaves as it then is."""
    return left_behind(doc, resulting(asked, record, doc, verb))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"money": "USD"}, {"money": "EUR"}),
        ({"money": "USD", "status": "RECEIVED"}, {"money": "EUR", "status": "NOT_RECEIVED"}),
        ({"additional_info": "x"}, {"additional_info": None}),
        ({"custom_fields": {"a": 1}}, {"custom_fields": None}),
        ({"update_rows": [{"row_id": 17, "amount": 3}]}, {"update_rows": [{"row_id": 17, "amount": 2}]}),
        (
            {"update_rows": [{"row_id": 17, "custom_fields": {"a": 1}}]},
            {"update_rows": [{"row_id": 17, "custom_fields": None}]},
        ),
        ({"add_rows": [NEW_ROW]}, {"delete_row_ids": [IfApplied(0, Ref(0, "id"))]}),
        (
            {"delete_row_ids": [18], "add_rows": [NEW_ROW]},
            {
                "delete_row_ids": [IfApplied(1, Ref(1, "id"))],
                "add_rows": [IfApplied(0, {"sku": 8, "amount": 4, "price_per_unit": 3, "arrival_date": LATE})],
            },
        ),
        # What Katana overwrites along with the head is set again as well.
        (
            {"expected_arrival_date": LATER},
            {
                "expected_arrival_date": LATE,
                "update_rows": [{"row_id": 17, "arrival_date": EARLY}, {"row_id": 18, "arrival_date": LATE}],
            },
        ),
        (
            {"expected_arrival_date": LATER, "update_rows": [{"row_id": 18, "arrival_date": LATE}]},
            {
                "expected_arrival_date": LATE,
                "update_rows": [{"row_id": 17, "arrival_date": EARLY}, {"row_id": 18, "arrival_date": LATE}],
            },
        ),
        # A row that is to have again what it had in between is set all the same: part of a change may not be sent.
        (
            {"expected_arrival_date": EARLY, "update_rows": [{"row_id": 17, "amount": 3}]},
            {
                "expected_arrival_date": LATE,
                "update_rows": [
                    {"row_id": 17, "amount": 2, "arrival_date": EARLY},
                    {"row_id": 18, "arrival_date": LATE},
                ],
            },
        ),
    ],
)
def test_a_change_is_taken_back_with_the_old_values(asked: JsonObject, expected: JsonObject) -> None:
    assert back(asked) == {"purchase_order_id": 40, **expected}


def test_what_katana_overwrites_along_with_a_status_is_set_again() -> None:
    def without_dates(before: State, after: State) -> State:
        return (
            after if before.get("status") == after.get("status") else {**after, HELD: [{**ROW, "arrival_date": None}]}
        )

    doc, record = replace(ORDER, follow=without_dates), {**RECORD, HELD: [ROW]}
    assert back({"status": "RECEIVED"}, record, doc) == {
        "purchase_order_id": 40,
        "status": "NOT_RECEIVED",
        "update_rows": [{"row_id": 17, "arrival_date": EARLY}],
    }
    assert back({"money": "USD"}, record, doc) == {"purchase_order_id": 40, "money": "EUR"}


def test_what_was_empty_and_cannot_be_emptied_is_not_taken_back() -> None:
    bare = {**RECORD, "currency": "", HELD: [{**ROW, "arrival_date": None}]}
    rows = {"update_rows": [{"row_id": 17, "arrival_date": LATER, "purchase_uom": "box", "amount": 3}]}
    assert back({"money": "USD"}, bare) is None
    assert left({"money": "USD"}, bare) == {
        "money": "money was empty and cannot be emptied again: the revert keeps the new value"
    }
    assert back(rows, bare) == {"purchase_order_id": 40, "update_rows": [{"row_id": 17, "amount": 2}]}
    why = "of row 17 was empty and cannot be emptied again: the revert keeps the new value"
    assert left(rows, bare) == {"rows": f"arrival_date, purchase_uom {why}"}
    assert left({"money": "USD", **rows}) == {"rows": f"purchase_uom {why}"}
    several = {**bare, HELD: [{**ROW, "id": nr, "arrival_date": None} for nr in range(1, 8)]}
    said = [
        f"arrival_date of row {nr} was empty and cannot be emptied again: the revert keeps the new value"
        for nr in range(1, 8)
    ]
    for count, more in ((2, ""), (5, ""), (6, "; and 1 more"), (7, "; and 2 more")):
        dated = [{"row_id": nr, "arrival_date": LATER} for nr in range(1, count + 1)]
        assert left({"update_rows": dated}, several) == {"rows": "; ".join(said[: min(count, 5)]) + more}
    assert left({"additional_info": "x"}, bare) == {}


@pytest.mark.parametrize(
    ("asked", "location", "kept"),
    [({}, 17, True), ({"delete_row_ids": [17]}, 17, False), ({}, 99, False), ({}, None, True)],
)
def test_a_part_that_a_field_named_is_named_again_where_it_is_still_there(
    asked: JsonObject, location: int | None, kept: bool
) -> None:
    asked = {"location_id": 18, "additional_info": "x", **asked}
    arguments = back(asked, {**RECORD, "location_id": location}) or {}
    assert arguments.get("additional_info", "left out") is None
    assert ("location_id" in arguments, arguments.get("location_id")) == (kept, location if kept else None)


@pytest.mark.parametrize("pair", [("NOT_RECEIVED", "RECEIVED"), ("RECEIVED", "NOT_RECEIVED")])
def test_a_status_that_cannot_come_back_is_one_way(pair: tuple[str, str]) -> None:
    doc = replace(ORDER, status=replace(STATUS, refused={pair: ""}))
    change = resulting({"status": "RECEIVED", "money": "USD"}, {**RECORD, "currency": ""}, doc)
    assert one_way(doc, change) == "purchase order PO-40 cannot go back to NOT_RECEIVED once it is RECEIVED"
    assert (way_back(doc, change, steps(doc, change)), left_behind(doc, change)) == (None, {})
    assert one_way(doc, resulting({"status": "DRAFT"}, doc=doc)) is None
    assert one_way(replace(doc, no_way_back=always("never")), resulting({"money": "USD"}, doc=doc)) == "never"
    for gone in (replace(change, before=None), replace(change, after=None), replace(change, status=None)):
        assert one_way(doc, gone) is None
    assert one_way(replace(doc, status=None), change) is None


def test_nothing_takes_back_what_is_not_sent() -> None:
    change = resulting({"money": "USD"})
    assert way_back(ORDER, change, ()) is None
    assert back({"money": "USD"}, doc=replace(ORDER, no_way_back=always("never"))) is None


def test_a_new_document_is_deleted_and_its_kind_is_named() -> None:
    doc = replace(ORDER, selector=KIND)
    asked = {"type": "bought", "order_no": "PO-41", "money": "EUR", "rows": [NEW_ROW]}
    made = transition(doc, "create", request_of(doc, "create").model_validate(asked), Facts())
    arguments = {"type": "bought", "purchase_order_id": Ref(0, "id")}
    assert way_back(doc, made, steps(doc, resulting({"money": "USD"}))) == {
        "tool": "delete_purchase_order",
        "arguments": arguments,
    }
    assert left_behind(doc, made) == {}
    assert back({"money": "USD"}, doc=doc) == {"type": "bought", "purchase_order_id": 40, "money": "EUR"}


def test_a_document_says_what_its_way_back_needs_besides_and_what_it_leaves() -> None:
    doc = replace(ORDER, back=with_more, left=always({"rows": "stays"}))
    assert back({"money": "USD"}, doc=doc) == {"purchase_order_id": 40, "money": "EUR", "more": 1}
    assert left({"money": "USD"}, doc=doc) == {"rows": "stays"}
    assert back({"money": "USD"}, doc=replace(ORDER, back=always({"purchase_order_id": 40}))) is None


MADE = {
    "order_no": "PO-40",
    "money": "EUR",
    "expected_arrival_date": LATE,
    "location_id": 17,
    "rows": [
        {"sku": 7, "amount": 2, "price_per_unit": 3, "arrival_date": EARLY},
        {"sku": 8, "amount": 4, "price_per_unit": 3, "arrival_date": LATE},
    ],
}


def test_a_document_that_was_deleted_is_made_anew_with_what_a_new_one_takes() -> None:
    full = {**RECORD, "additional_info": "x"}
    assert back({}, full, verb="delete") == MADE
    doc = replace(ORDER, selector=KIND, back=with_more)
    assert back({}, full, doc, "delete") == {"type": "bought", **MADE, "more": 1}
    fixed = replace(ORDER, parts=(replace(ROWS, verbs=ONLY_LATER),))
    assert back({}, full, fixed, "delete") == {name: value for name, value in MADE.items() if name != "rows"}
    assert back({}, {**RECORD, "currency": "", "location_id": None, HELD: []}, verb="delete") == {
        "order_no": "PO-40",
        "expected_arrival_date": LATE,
        "rows": [],
    }


@pytest.mark.parametrize(
    ("doc", "record", "is_made"),
    [
        (ORDER, {**RECORD, "status": "RECEIVED"}, False),
        (replace(ORDER, status=None), {**RECORD, "status": "RECEIVED"}, True),
        (replace(ORDER, status=replace(STATUS, new_kind=str)), {**RECORD, "status": "RECEIVED"}, True),
        (ORDER, {**RECORD, "order_no": ""}, False),
        (ORDER, {**RECORD, HELD: [ROW, {**OTHER, "variant_id": None}]}, False),
        (ORDER, {**RECORD, HELD: [ROW, {**OTHER, "quantity": None}]}, True),
        (ORDER, {**RECORD, HELD: [ROW, {**OTHER, "landed": 1}]}, False),
        (ORDER, {**RECORD, HELD: [ROW, {**OTHER, "landed": 0}]}, True),
        (replace(ORDER, parts=(replace(ROWS, needed=True),)), {**RECORD, HELD: []}, False),
        (replace(ORDER, parts=(replace(ROWS, needed=True),)), RECORD, True),
    ],
)
def test_a_document_is_made_anew_only_where_that_is_what_it_was(doc: Writable, record: State, is_made: bool) -> None:
    assert (back({}, record, doc, "delete") is not None) == is_made


def once(_: Part, rows: Mapping[RecordId, State], __: State) -> dict[RecordId, dict[str, object]]:
    """Return the arguments that add the first row of each variant."""
    first: dict[object, RecordId] = {}
    for key, row in rows.items():
        first.setdefault(row["variant_id"], key)
    return {key: {"sku": rows[key]["variant_id"]} for key in first.values()}


def test_a_deleted_part_that_is_the_same_as_another_comes_back_once() -> None:
    doc = replace(ORDER, parts=(replace(ROWS, again=once),))
    record = {**RECORD, HELD: [ROW, {**ROW, "id": 19}, OTHER]}
    same = "is the same as another deleted one: the revert adds only one of them"
    assert left({"delete_row_ids": [17, 19]}, record, doc) == {"rows": f"row 19 {same}"}
    assert left({"delete_row_ids": [17, 18]}, record, doc) == {}
    assert back({"delete_row_ids": [17, 19]}, record, doc) == {
        "purchase_order_id": 40,
        "add_rows": [IfApplied(0, {"sku": 7})],
    }
    plain = replace(ORDER, parts=(replace(ROWS, again=once, collection="", verbs=ONLY_NEW),))
    without = [{"variant_id": 7}, {"variant_id": 8}, {"variant_id": 7}]
    gone = resulting({}, {**RECORD, HELD: without}, plain, "delete")
    assert left_behind(plain, gone) == {"rows": f"row -3 {same}"}


def test_a_deleted_part_comes_back_without_what_no_argument_sets() -> None:
    record = {**RECORD, HELD: [ROW, {**OTHER, "group_id": 60}]}
    why = "row 18 has values that no argument sets: the revert adds it without them"
    assert left({"delete_row_ids": [18]}, record) == {"rows": why}
    assert left({"delete_row_ids": [17]}, record) == {}
    assert left({}, record, verb="delete") == {"rows": why}
