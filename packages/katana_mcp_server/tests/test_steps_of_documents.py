"""What is sent for a change of a document, action by action: pure functions of a declaration and of two states."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from katana_mcp.documents.declaration import ONLY_LATER, Field, Key, Part, Status, Writable
from katana_mcp.documents.steps import steps
from katana_mcp.documents.transition import Facts, New, PartDiff, State, Transition, Unknown
from katana_mcp.references.numbers import Numbered
from katana_mcp.tools.warnings import Refused
from katana_mcp.writing.actions import SOME, Action, Recognise, Ref

HELD, COSTS = "purchase_order_rows", "costs"
ROWS = Part(
    name="rows",
    one="row",
    held=HELD,
    says={},
    most=9,
    fields=(
        Field("variant_id", int),
        Field("quantity", int),
        Field("tax_rate_id", int, verbs=ONLY_LATER),
        Field("arrival_date", str, filled=True),
        Field("purchase_uom", str, is_late=True, becomes="the unit"),
    ),
    collection="purchase_order_rows",
    parent="purchase_order_id",
    inside=lambda row, _: "location_id" not in row,
    title=lambda _, row: f"variant {row.get('variant_id')}",
)
COST_PART = Part(
    name="costs",
    one="cost_row",
    held=COSTS,
    says={},
    most=9,
    fields=(Field("price", int), Field("reference", str)),
    collection="po_additional_cost_rows",
    entity="cost",
    parent="group_id",
    parent_is="default_group_id",
    look=lambda body: {"group_ids": [body["group_id"]]},
    inside=lambda _, __: False,
    kind=lambda _: "cost",
    adds_first=True,
    leads=True,
    unechoed=("reference", "price"),
)
ORDER = Writable(
    entity="purchase_order",
    collection="purchase_orders",
    says_id="",
    key=Key(name="order_no", words="number", prefix="PO-"),
    head=(
        Field("order_no", str),
        Field("supplier_id", int, first=lambda _: 4),
        Field("currency", str),
        Field("expected_arrival_date", str, follows="arrival_date"),
        Field("location_id", int, part="rows", becomes="first row"),
    ),
    parts=(ROWS, COST_PART),
    status=Status(kind=str, says="", first="NOT_RECEIVED", refused={}, path=""),
    described=lambda _: "",
    what={},
    answers={},
)
ROW: dict[str, object] = {"id": 9, "variant_id": 7, "quantity": 2}
OTHER: dict[str, object] = {"id": 18, "variant_id": 8, "quantity": 4}
COST: dict[str, object] = {"id": 70, "price": 10, "reference": "R"}
BEFORE: dict[str, object] = {
    "id": 40,
    "order_no": "PO-40",
    "additional_info": "fragile",
    "default_group_id": 60,
    HELD: [ROW, OTHER],
    COSTS: [COST],
}
NO_PARTS = {HELD: PartDiff(), COSTS: PartDiff()}
KEPT = {"additional_info": "fragile"}
NEW_COST: dict[str, object] = {"additional_cost_id": 6, "tax_rate_id": 5, "price": 1}


def always[T](value: T) -> Callable[..., T]:
    """Return a function that answers this, whatever it is given."""
    return lambda *_: value


def row_of(variant: int) -> dict[str, object]:
    """Return a row to add."""
    return {"variant_id": variant, "quantity": 1, "price_per_unit": 2}


def changed(before: State | None = BEFORE, **fields: object) -> Transition:
    """Return a change of the order in which nothing differs but what is given."""
    usual: dict[str, Any] = {
        "asked": {},
        "facts": Facts(),
        "before": before,
        "unlocked": before or {},
        "middle": before or {},
        "target": before,
        "after": before,
        "head": {},
        "parts": NO_PARTS,
        "sent": NO_PARTS,
        "status": None,
        "unlocks": False,
        **fields,
    }
    return Transition(**usual)


def new(target: dict[str, object], facts: Facts | None = None) -> Transition:
    """Return what makes a new order."""
    return changed(None, target=target, after=target, head=target, facts=facts or Facts())


def rows_diff(**fields: object) -> dict[str, PartDiff]:
    """Return what becomes of the rows, and nothing of the costs."""
    usual: dict[str, Any] = {"before": {9: ROW, 18: OTHER}, **fields}
    return {**NO_PARTS, HELD: PartDiff(**usual)}


def costs_diff(**fields: object) -> dict[str, PartDiff]:
    """Return what becomes of the costs, and nothing of the rows."""
    usual: dict[str, Any] = {"before": {70: COST}, **fields}
    return {**NO_PARTS, COSTS: PartDiff(**usual)}


def titles(sent: tuple[Action, ...]) -> list[str]:
    """Return the titles of what is sent."""
    return [action.title for action in sent]


def on_order(title: str, body: State, **fields: object) -> Action:
    """Return a PATCH of the order."""
    given: dict[str, Any] = {
        "title": title,
        "method": "PATCH",
        "path": "/purchase_orders/40",
        "body": body,
        "entity": "purchase_order",
        "record": 40,
        "expects": body,
        "recognise": Recognise(collection="purchase_orders", filters={"ids": [40]}),
        **fields,
    }
    return Action(**given)


def on_row(title: str, row: int, body: dict[str, object] | None) -> Action:
    """Return a PATCH of a row, or its DELETE."""
    return Action(
        title=title,
        method="DELETE" if body is None else "PATCH",
        path=f"/purchase_order_rows/{row}",
        body=body,
        entity="purchase_order",
        record=40,
        part="purchase_order_rows",
        row=row,
        expects=body or {},
        recognise=Recognise(collection="purchase_order_rows", filters={"ids": [row]}),
    )


NEW: dict[str, object] = {
    "order_no": "PO-41",
    "supplier_id": 3,
    "location_id": 1,
    "expected_arrival_date": "2026-03-09T00:00:00Z",
    "default_group_id": 60,
    HELD: [{"variant_id": 7, "quantity": 2, "price_per_unit": 3, "note": "own"}],
    COSTS: [],
}
SENT_ROWS = [{"variant_id": 7, "quantity": 2, "price_per_unit": 3}]
SENT = {name: NEW[name] for name in ("order_no", "supplier_id", "location_id", "expected_arrival_date")}


def test_a_new_document_is_sent_with_the_parts_inside_it_and_what_the_client_takes() -> None:
    doc = replace(ORDER, leaves=True, embeds={HELD: "purchase_order_row"})
    body = {**SENT, HELD: SENT_ROWS}
    expected = Action(
        title="create purchase order PO-41",
        method="POST",
        path="/purchase_orders",
        body=body,
        entity="purchase_order",
        expects=body,
        recognise=Recognise(collection="purchase_orders", filters={"order_no": "PO-41"}, besides=(3, 5)),
        leaves=True,
        embeds={HELD: "purchase_order_row"},
    )
    assert steps(doc, new(NEW, Facts(numbered=Numbered(number="PO-41", taken=(3, 5))))) == (expected,)


def test_a_field_that_follows_parts_is_not_expected_where_a_part_has_its_own() -> None:
    row = {**SENT_ROWS[0], "arrival_date": "2026-03-20T00:00:00Z"}
    (sent,) = steps(ORDER, new({**NEW, HELD: [row]}))
    assert (sent.body, sent.expects) == (
        {**SENT, HELD: [row]},
        {**{name: value for name, value in SENT.items() if name != "expected_arrival_date"}, HELD: [row]},
    )


def test_what_people_call_by_a_name_is_recognised_by_all_that_katana_holds_of_it() -> None:
    head = (*ORDER.head, Field("is_over", bool, since="deleted_at"), Field("status", str, verbs=ONLY_LATER))
    doc = replace(ORDER, key=Key(name="order_no", words="name"), head=head)
    (sent,) = steps(doc, new({**NEW, "currency": "EUR"}, Facts(namesakes=(6,))))
    assert sent.expects == {
        **SENT,
        "currency": "EUR",
        "deleted_at": None,
        HELD: [{"variant_id": 7, "quantity": 2, "purchase_uom": None, "price_per_unit": 3}],
        COSTS: [],
    }
    look = Recognise(collection="purchase_orders", filters={"order_no": "PO-41"}, besides=(6,))
    assert (sent.recognise, sent.leaves, sent.embeds) == (look, False, {})


def test_a_flag_that_has_a_moment_is_expected_to_have_some() -> None:
    head = (*ORDER.head, Field("is_over", bool, since="deleted_at"))
    sent = steps(replace(ORDER, head=head, status=None), changed(head={"currency": "EUR"}))
    assert sent[0].expects == {"currency": "EUR", **KEPT}
    alone = replace(ORDER, head=(Field("currency", str, since="updated_at"),))
    assert steps(alone, changed(head={"currency": "EUR"}))[0].expects == {"updated_at": SOME, **KEPT}


def test_parts_that_are_not_inside_are_added_to_the_new_document_one_by_one() -> None:
    outside = {**row_of(9), "location_id": 2}
    cost = {"additional_cost_id": 6, "tax_rate_id": 5, "price": 10}
    target: dict[str, object] = {**NEW, HELD: [SENT_ROWS[0], outside], COSTS: [cost]}
    made, row, other = steps(ORDER, new(target))
    assert made.body == {**SENT, HELD: SENT_ROWS}
    assert row == Action(
        title="add a row (variant 9) to purchase order PO-41",
        method="POST",
        path="/purchase_order_rows",
        body={**outside, "purchase_order_id": Ref(0, "id")},
        entity="purchase_order",
        part="purchase_order_rows",
        expects={**outside, "purchase_uom": None, "purchase_order_id": Ref(0, "id")},
        recognise=Recognise(collection="purchase_order_rows", filters={**outside, "purchase_order_id": Ref(0, "id")}),
    )
    assert other == Action(
        title="add cost to purchase order PO-41",
        method="POST",
        path="/po_additional_cost_rows",
        body={**cost, "group_id": Ref(0, "default_group_id")},
        entity="cost",
        expects={**cost, "reference": None, "group_id": Ref(0, "default_group_id")},
        recognise=Recognise(collection="po_additional_cost_rows", filters={"group_ids": [Ref(0, "default_group_id")]}),
    )


def test_nothing_is_sent_where_a_name_is_not_known_or_the_client_cannot_send_it() -> None:
    change = changed(head={"currency": "EUR"})
    assert titles(steps(ORDER, change)) == ["change fields of purchase order PO-40"]
    assert steps(replace(ORDER, is_sendable=always(False)), change) == ()
    assert steps(ORDER, replace(change, head={"supplier_id": Unknown("Nobody")})) == ()


def test_a_deletion_is_one_request() -> None:
    sent = steps(replace(ORDER, refreshes=always(("batch",))), changed(target=None, after=None, head={"currency": 1}))
    assert sent == (
        Action(
            title="delete purchase order PO-40",
            method="DELETE",
            path="/purchase_orders/40",
            entity="purchase_order",
            record=40,
            recognise=Recognise(collection="purchase_orders", filters={"ids": [40]}),
        ),
    )


def test_only_a_request_for_the_document_itself_tells_of_what_is_written_along_with_it() -> None:
    doc = replace(ORDER, refreshes=always(("batch",)))
    both = {**NO_PARTS, **rows_diff(adds=(row_of(9),), updates={9: {"quantity": 3}}, deletes=(18,))}
    change = changed(head={"currency": "EUR"}, sent=both)
    assert [action.refreshes for action in steps(doc, change)] == [("batch",), (), (), ()]
    assert [action.refreshes for action in steps(ORDER, change)] == [()] * 4
    outside = {**row_of(9), "location_id": 2}
    made = steps(doc, new({**NEW, HELD: [SENT_ROWS[0], outside]}))
    assert [action.refreshes for action in made] == [("batch",), ()]


def test_of_additions_that_are_alike_only_the_first_can_be_looked_up() -> None:
    rows = tuple(map(row_of, (7, 8, 7, 7)))
    sent = steps(ORDER, changed(sent={**rows_diff(adds=rows), COSTS: PartDiff(adds=(NEW_COST,))}))
    assert [action.recognise is None for action in sent] == [False, False, True, True, False]


def test_parts_are_changed_then_deleted_then_added() -> None:
    row = row_of(9)
    updates = {9: {"quantity": 3, "unknown": 1}, 18: {}}
    sent = steps(ORDER, changed(sent=rows_diff(updates=updates, deletes=(18,), adds=(row,))))
    body = {**row, "purchase_order_id": 40}
    assert sent == (
        on_row("change row 9 (variant 7) of purchase order PO-40", 9, {"quantity": 3}),
        on_row("delete row 18 (variant 8) of purchase order PO-40", 18, None),
        Action(
            title="add a row (variant 9) to purchase order PO-40",
            method="POST",
            path="/purchase_order_rows",
            body=body,
            entity="purchase_order",
            record=40,
            part="purchase_order_rows",
            expects={"purchase_uom": None, **body},
            recognise=Recognise(collection="purchase_order_rows", filters=body, besides=(18, 9)),
        ),
    )


def test_parts_of_which_one_has_to_be_there_are_added_first() -> None:
    sent = steps(ORDER, changed(sent=costs_diff(updates={70: {"price": 3}}, deletes=(70,), adds=(NEW_COST,))))
    end = "of purchase order PO-40"
    assert titles(sent) == [
        "add cost to purchase order PO-40",
        f"change cost row 70 {end}",
        f"delete cost row 70 {end}",
    ]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(kind, f"add {article} {kind}") for article, kind in (("an", "entry"), ("an", "address"), ("a", "row"))],
)
def test_a_part_is_added_with_its_article(kind: str, expected: str) -> None:
    doc = replace(ORDER, parts=(replace(ROWS, kind=always(kind), title=None), COST_PART))
    (sent,) = steps(doc, changed(sent=rows_diff(adds=(row_of(9),))))
    assert sent.title == f"{expected} to purchase order PO-40"


def test_a_part_with_an_entity_of_its_own_is_a_record_that_leads_to_its_document() -> None:
    reference = {"reference": "S"}
    patched, gone = steps(ORDER, changed(sent=costs_diff(updates={70: reference}, deletes=(70,))))
    look = Recognise(collection="po_additional_cost_rows", filters={"ids": [70]})
    assert patched == Action(
        title="change cost row 70 of purchase order PO-40",
        method="PATCH",
        path="/po_additional_cost_rows/70",
        body=reference,
        entity="cost",
        record=70,
        expects=reference,
        implies={"price": 10},
        recognise=look,
        document=("purchase_order", 40),
    )
    assert (gone.implies, gone.document, gone.body) == ({"reference": "R", "price": 10}, ("purchase_order", 40), None)
    aloof = replace(ORDER, parts=(ROWS, replace(COST_PART, leads=False)))
    sent = steps(aloof, changed(sent=costs_diff(updates={70: reference}, adds=(NEW_COST,))))
    assert [action.document for action in sent] == [None, None]
    (led,) = steps(ORDER, changed(sent=costs_diff(adds=(NEW_COST,))))
    assert (led.document, led.record, led.part, led.entity) == (("purchase_order", 40), None, None, "cost")


@pytest.mark.parametrize(
    ("collection", "filters", "expects"),
    [
        ("bom_rows", {"id": 70}, {"quantity": 3, "id": 70}),
        ("product_operation_rows", {"group_ids": [40]}, {"id": 70}),
    ],
)
def test_a_part_that_no_listing_finds_by_ids_is_found_in_that_of_its_document(
    collection: str, filters: State, expects: State
) -> None:
    doc = replace(ORDER, parts=(ROWS, replace(COST_PART, collection=collection)))
    (sent,) = steps(doc, changed(sent=costs_diff(updates={70: {"quantity": 3}})))
    assert (sent.expects, sent.recognise) == (expects, Recognise(collection=collection, filters=filters))


def test_what_is_late_is_sent_last_and_named_in_the_title() -> None:
    updates = {9: {"quantity": 3, "purchase_uom": "box"}, 18: {"purchase_uom": "pcs"}}
    sent = steps(ORDER, changed(sent=rows_diff(updates=updates), status="RECEIVED"))
    end = "of purchase order PO-40"
    assert titles(sent) == [
        f"change row 9 (variant 7) {end}",
        "set purchase order PO-40 to RECEIVED",
        f"change the unit of row 9 (variant 7) {end}",
        f"change the unit of row 18 (variant 8) {end}",
    ]
    assert [action.body for action in sent[2:]] == [{"purchase_uom": "box"}, {"purchase_uom": "pcs"}]


def test_a_field_that_parts_need_otherwise_is_sent_twice() -> None:
    middle = {**BEFORE, "additional_info": "heavy"}
    sent = steps(
        ORDER, changed(head={"supplier_id": 5, "currency": "EUR"}, middle=middle, sent=rows_diff(deletes=(9,)))
    )
    title = "change fields of purchase order PO-40"
    first = {**KEPT, "supplier_id": 4, "currency": "EUR"}
    assert (sent[0], sent[2]) == (
        on_order(title, first),
        on_order(title, {"additional_info": "heavy", "supplier_id": 5}),
    )
    assert titles(sent)[1:2] == ["delete row 9 (variant 7) of purchase order PO-40"]
    same = steps(ORDER, changed(head={"supplier_id": 4}))
    assert same == (on_order(title, {**KEPT, "supplier_id": 4}),)


def test_what_a_head_overwrites_of_rows_is_implied() -> None:
    moved = {**BEFORE, HELD: [{**ROW, "quantity": 9}, OTHER], COSTS: []}
    (sent,) = steps(ORDER, changed(head={"currency": "EUR"}, middle=moved))
    assert sent.implies == {HELD: [{**ROW, "quantity": 9}, OTHER]}


def test_a_status_that_unlocks_is_sent_first_and_only_once() -> None:
    open_rows = {**BEFORE, HELD: [ROW]}
    change = changed(
        head={"currency": "EUR"}, status="NOT_RECEIVED", unlocks=True, unlocked=open_rows, middle=open_rows
    )
    body = {**KEPT, "status": "NOT_RECEIVED"}
    assert steps(ORDER, change) == (
        on_order("set purchase order PO-40 to NOT_RECEIVED", body, implies={HELD: [ROW]}),
        on_order("change fields of purchase order PO-40", {**KEPT, "currency": "EUR"}),
    )


@pytest.mark.parametrize(
    ("status", "body", "path"),
    [
        (None, {"status": "RECEIVED", **KEPT}, ""),
        (ORDER.status, {"status": "RECEIVED", **KEPT}, ""),
        (Status(kind=str, says="", first="", refused={}, path="", is_alone=lambda _: True), {"status": "RECEIVED"}, ""),
        (Status(kind=str, says="", first="", refused={}, path="/status"), {"status": "RECEIVED"}, "/status"),
    ],
)
def test_a_status_is_a_field_of_the_document_or_has_a_path_of_its_own(
    status: Status | None, body: dict[str, object], path: str
) -> None:
    sent = steps(replace(ORDER, status=status), changed(status="RECEIVED"))
    title = "set purchase order PO-40 to RECEIVED"
    assert sent == (on_order(title, body, path=f"/purchase_orders/40{path}"),)


def test_a_field_can_name_a_part_that_is_yet_to_be_added() -> None:
    rows = (row_of(8), row_of(9))
    diff = rows_diff(adds=rows, updates={9: {"quantity": 3}})
    sent = steps(ORDER, changed(head={"location_id": New("rows", 1)}, sent=diff, status="RECEIVED"))
    assert titles(sent)[-2:] == [
        "make the new row first row of purchase order PO-40",
        "set purchase order PO-40 to RECEIVED",
    ]
    assert sent[3] == on_order(titles(sent)[-2], {"location_id": Ref(2, "id")})


def test_what_katana_does_not_take_and_no_rule_refuses_is_refused_with_its_field() -> None:
    order = {"order_no": "PO-41", "supplier_id": 4, "entity_type": "outsourced"}
    with pytest.raises(Refused) as refusal:
        steps(ORDER, new({**order, HELD: [{**row_of(7), "quantity": "many"}], COSTS: []}))
    paths = [(warning.code, warning.field_path) for warning in refusal.value.warnings]
    assert ("invalid_argument", "purchase_order_rows[0].quantity") in paths
