"""What a request comes to: a document before and after it and what differs, as pure functions of a declaration."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

import pytest

from katana_mcp.documents.arguments import request_of
from katana_mcp.documents.custom_fields import custom_values
from katana_mcp.documents.declaration import Field, Key, Part, Status, Writable
from katana_mcp.documents.states import (
    added_parts,
    between,
    changed_rows,
    differing,
    fields_in,
    meant_part,
    named_in,
    names_in,
    part_diff,
    part_id,
    requested_ids,
    requested_rows,
    transition,
)
from katana_mcp.documents.transition import Facts, PartDiff, State, Transition, Unknown
from katana_mcp.references.numbers import Numbered
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools.requests import NameOrId, Request, SkuOrVariantId, WriteQuantity

HELD = "purchase_order_rows"
ROWS = Part(
    name="rows",
    one="row",
    held=HELD,
    says={"new": "", "add": "", "update": "", "delete": ""},
    most=9,
    fields=(
        Field("variant_id", SkuOrVariantId, argument="sku_or_variant_id", required=True, names="variant"),
        Field("quantity", WriteQuantity),
        Field("price_per_unit", WriteQuantity, is_paired=True),
        Field("purchase_uom", str, is_paired=True),
        custom_values("PurchaseOrderRow"),
    ),
    collection="purchase_order_rows",
    parent="purchase_order_id",
    finish=lambda row, document, _: {**row, "of": document.get("order_no")},
)
LABELS = Part(
    name="labels",
    one="label",
    held="labels",
    says={"new": ""},
    most=9,
    fields=(Field("text", str),),
)
STATUS = Status(
    kind=str, says="", first="DRAFT", refused={}, path="", unlocks=lambda old, new: old.get("status") == new
)


def follow(before: State, after: State) -> State:
    """Return the document with how often Katana overwrote it, and from which currency."""
    seen = cast("list[object]", before.get("was", []))
    return {**after, "was": [*seen, before.get("currency"), before.get("status")]}


def unchanged(_: State | None, after: State) -> State:
    """Return what is asked for as it is."""
    return after


ORDER = Writable(
    entity="purchase_order",
    collection="purchase_orders",
    says_id="",
    key=Key(name="order_no", words="number", prefix="PO-"),
    head=(
        Field("order_no", str),
        Field("supplier_id", NameOrId, names="supplier"),
        Field("currency", str, is_paired=True, empty="EUR"),
        Field("location_id", int, is_paired=True),
        Field("additional_info", str, argument="notes"),
        custom_values("PurchaseOrder"),
    ),
    parts=(ROWS, LABELS),
    status=STATUS,
    follow=follow,
    settle=lambda before, after: {**after, "settled": before is None},
    derive=lambda before, after: {**after, "derived": before is None},
    described=lambda _: "",
    what={},
    answers={},
)
ACME, FORK = NamedRecord(id=3, name="Acme"), NamedRecord(id=7, sku="FORK")
FACTS = Facts(references={("supplier", "Acme"): Named("Acme", (ACME,)), ("variant", "FORK"): Named("FORK", (FORK,))})
ROW: dict[str, object] = {"id": 17, "variant_id": 7, "quantity": 2, "price_per_unit": 3, "purchase_uom": "box"}
OTHER: dict[str, object] = {"id": 18, "variant_id": 8, "quantity": 4, "custom_fields": {"a": 1}}
RECORD: dict[str, object] = {
    "id": 40,
    "order_no": "PO-40",
    "status": "NOT_RECEIVED",
    "currency": "EUR",
    "location_id": 1,
    "custom_fields": {},
    HELD: [
        ROW,
        OTHER,
        {"id": 19, "deleted_at": "2026-03-01T10:00:00.000Z"},
        {"variant_id": 7},
    ],
    "labels": [{"text": "red"}],
}
BEFORE = {**RECORD, "custom_fields": None, HELD: [ROW, OTHER]}
OLD = replace(FACTS, record=RECORD)


def resulting(verb: Verb = "modify", facts: Facts = OLD, doc: Writable = ORDER, **asked: object) -> Transition:
    """Return what a request comes to."""
    subject = {} if verb == "create" else {doc.id: 40}
    return transition(doc, verb, request_of(doc, verb).model_validate({**subject, **asked}), facts)


def test_a_new_document_has_what_is_asked_for_and_its_number() -> None:
    rows = [
        {"sku_or_variant_id": "FORK", "quantity": 2},
        {"sku_or_variant_id": "SPOON", "custom_fields": {"a": 1, "b": None}},
    ]
    facts = replace(FACTS, numbered=Numbered(number="PO-41"))
    asked: dict[str, Any] = {
        "supplier_id": "Acme",
        "notes": "",
        "rows": rows,
        "labels": [{"text": "blue"}],
        "custom_fields": {"a": None},
    }
    change = resulting("create", facts, **asked)
    added = (
        {"variant_id": 7, "quantity": 2, "of": "PO-41"},
        {"variant_id": Unknown("SPOON"), "custom_fields": {"a": 1}, "of": "PO-41"},
    )
    labels: list[State] = [{"text": "blue"}]
    target = {
        "supplier_id": 3,
        "order_no": "PO-41",
        "status": "DRAFT",
        HELD: list(added),
        "labels": labels,
        "settled": True,
    }
    new = {HELD: PartDiff(adds=added), "labels": PartDiff(adds=tuple(labels))}
    assert named_in(request_of(ORDER, "create").model_validate(asked)).keys() == asked.keys()
    assert change == Transition(
        asked=change.asked,
        facts=facts,
        before=None,
        unlocked={},
        middle={},
        target=target,
        after={**target, "derived": True},
        head={"order_no": "PO-41", "supplier_id": 3},
        parts=new,
        sent=new,
        status="DRAFT",
        unlocks=False,
    )
    assert list(change.asked) == ["supplier_id", "notes", "custom_fields", "rows", "labels"]


def test_a_new_document_without_number_and_status_has_neither() -> None:
    doc = replace(ORDER, status=None)
    assert resulting("create", FACTS, doc).target == {HELD: [], "labels": [], "settled": True}
    assert resulting("create", FACTS, doc).status is None
    given = replace(STATUS, new_kind=str)
    assert resulting("create", FACTS, replace(ORDER, status=given), status="OPEN").status == "OPEN"


def test_a_deletion_changes_nothing_but_that_all_parts_go() -> None:
    gone = {HELD: PartDiff(before={17: ROW, 18: OTHER}, deletes=(17, 18)), "labels": PartDiff()}
    assert resulting("delete") == Transition(
        asked={"purchase_order_id": 40},
        facts=OLD,
        before=BEFORE,
        unlocked=BEFORE,
        middle=BEFORE,
        target=None,
        after=None,
        head={},
        parts=gone,
        sent=gone,
        status=None,
        unlocks=False,
    )


def test_a_change_is_what_differs_after_katana_has_overwritten_what_it_does() -> None:
    change = resulting(currency="USD", status="RECEIVED", custom_fields={"a": 1})
    head = {"currency": "USD", "location_id": 1, "custom_fields": {"a": 1}}
    middle = {**BEFORE, "currency": "USD", "custom_fields": {"a": 1}, "was": ["EUR", "NOT_RECEIVED"]}
    target = {**middle, "status": "RECEIVED", "settled": False}
    there = {HELD: PartDiff(before={17: ROW, 18: OTHER}, updates={}), "labels": PartDiff()}
    assert change == Transition(
        asked={"purchase_order_id": 40, "currency": "USD", "custom_fields": {"a": 1}, "status": "RECEIVED"},
        facts=OLD,
        before=BEFORE,
        unlocked=BEFORE,
        middle=middle,
        target=target,
        after={**target, "derived": False},
        head=head,
        parts=there,
        sent=there,
        status="RECEIVED",
        unlocks=False,
    )


@pytest.mark.parametrize(("status", "sent"), [("NOT_RECEIVED", None), ("DRAFT", "DRAFT")])
def test_a_status_that_unlocks_is_there_before_anything_else(status: str, sent: str | None) -> None:
    def unlocks(old: State, new: str) -> bool:
        return (old.get("id"), new) == (40, status)

    doc = replace(ORDER, status=replace(STATUS, unlocks=unlocks))
    change = resulting(doc=doc, status=status)
    unlocked = {**BEFORE, "status": status, "was": ["EUR", "NOT_RECEIVED"]}
    assert (change.unlocks, change.unlocked, change.status) == (True, unlocked, sent)
    assert change.middle == {**unlocked, "was": ["EUR", "NOT_RECEIVED", "EUR", status]}
    assert resulting(doc=doc).unlocks is False


def test_a_status_can_follow_from_the_document() -> None:
    def no_longer(_: Mapping[str, object], document: State) -> str:
        return f"no longer {document.get('status')}"

    doc = replace(ORDER, status=replace(STATUS, asked=no_longer))
    assert resulting(doc=doc).status == "no longer NOT_RECEIVED"
    assert resulting("create", FACTS, doc).status == "no longer None"


def test_parts_are_changed_deleted_and_added() -> None:
    update = [
        {"row_id": 17, "quantity": 5, "price_per_unit": 4},
        {"row_id": 17, "quantity": 6},
        {"row_id": 99, "quantity": 1},
    ]
    change = resulting(
        update_rows=update, delete_row_ids=[18], add_rows=[{"sku_or_variant_id": "FORK"}], supplier_id="Nobody"
    )
    added = {"variant_id": 7, "of": "PO-40"}
    updated = {**ROW, "quantity": 5, "price_per_unit": 4}
    assert (change.target or {})[HELD] == [updated, added]
    diff = PartDiff(
        before={17: ROW, 18: OTHER},
        updates={17: {"quantity": 5, "price_per_unit": 4, "purchase_uom": "box"}},
        deletes=(18,),
        adds=(added,),
    )
    assert (change.parts[HELD], change.sent[HELD], change.head) == (diff, diff, {"supplier_id": Unknown("Nobody")})


def test_custom_fields_of_a_row_are_merged() -> None:
    change = resulting(update_rows=[{"row_id": 18, "custom_fields": {"b": 2}}])
    assert change.sent[HELD].updates == {18: {"custom_fields": {"a": 1, "b": 2}}}


@pytest.mark.parametrize(
    ("asked", "blank_clears", "head"),
    [
        ({"currency": None}, False, {}),
        ({"notes": "x"}, False, {"additional_info": "x"}),
        ({"order_no": ""}, False, {"order_no": ""}),
        ({"order_no": ""}, True, {"order_no": None}),
        ({"supplier_id": 3}, False, {"supplier_id": Unknown(3)}),
        ({"location_id": 2}, False, {"location_id": 2, "currency": "EUR"}),
        ({"location_id": 2, "currency": "USD"}, False, {"location_id": 2, "currency": "USD"}),
        ({"location_id": None}, False, {"location_id": None, "currency": "EUR"}),
    ],
)
def test_the_head_holds_what_differs_with_what_goes_together(
    asked: dict[str, Any], blank_clears: bool, head: dict[str, object]
) -> None:
    assert resulting(doc=replace(ORDER, blank_clears=blank_clears), **asked).head == head


def test_a_field_that_goes_together_with_nothing_is_sent_alone() -> None:
    without = replace(OLD, record={**RECORD, "currency": None})
    assert resulting(facts=without, location_id=2).head == {"location_id": 2}
    assert resulting(facts=without, notes="x").head == {"additional_info": "x"}


class Entry(Request):
    """An entry of a list."""

    key: int
    more: int | None = None


def test_a_list_of_entries_is_what_each_of_them_names() -> None:
    doc = replace(ORDER, head=(*ORDER.head, Field("entries", list[Entry | str])), status=None)
    change = resulting("create", FACTS, doc, entries=[{"key": 4}, "text"])
    assert (change.target or {})["entries"] == [{"key": 4}, "text"]


SERVICE = replace(
    ORDER,
    entity="service",
    collection="services",
    key=Key(name="name", words="name"),
    head=(
        Field("name", str),
        Field("default_cost", WriteQuantity, inside="variants"),
        Field("is_archived", bool, since="archived_at"),
    ),
    parts=(),
    status=None,
    follow=unchanged,
    settle=unchanged,
    derive=unchanged,
)


def test_a_field_of_an_entry_is_compared_as_the_entry_declares_it() -> None:
    record: dict[str, object] = {"id": 40, "name": "Wash", "archived_at": None, "variants": [{"default_cost": "5.00"}]}
    facts = Facts(record=record)
    before = {**record, "default_cost": "5.00", "is_archived": False}
    change = resulting(facts=facts, doc=SERVICE, default_cost=5)
    assert (change.before, change.head) == (before, {})
    assert resulting(facts=facts, doc=SERVICE, default_cost=6, is_archived=True).head == {
        "default_cost": 6,
        "is_archived": True,
    }
    assert differing(SERVICE, before, {"name": "Wash", "default_cost": 5, "is_archived": True}) == {"is_archived": True}


def test_a_workflow_sends_the_parts_of_what_it_says() -> None:
    after = {**BEFORE, HELD: [ROW], "status": "X"}
    parts = {HELD: PartDiff(before={17: ROW, 18: OTHER}, deletes=(18,)), "labels": PartDiff()}
    expected = Transition(
        asked={},
        facts=OLD,
        before=BEFORE,
        unlocked=BEFORE,
        middle=BEFORE,
        target=after,
        after=after,
        head={},
        parts=parts,
        sent=parts,
        status=None,
        unlocks=False,
    )
    assert between(ORDER, OLD, BEFORE, after) == replace(
        expected, parts={**parts, HELD: replace(parts[HELD], updates={})}
    )
    opened = {**BEFORE, "status": "DRAFT"}
    assert between(ORDER, OLD, BEFORE, after, opened) == replace(
        expected, unlocked=opened, middle=opened, status="DRAFT", unlocks=True
    )


def test_parts_that_never_change_one_by_one_come_with_a_new_document_only() -> None:
    new: dict[str, object] = {"labels": [{"text": "red"}]}
    assert part_diff(LABELS, {}, new) == PartDiff(adds=({"text": "red"},))
    assert part_diff(LABELS, {"id": 1}, new) == PartDiff()


def test_a_part_differs_by_what_its_fields_mean() -> None:
    after: dict[str, object] = {HELD: [{**ROW, "quantity": Decimal("2.0"), "note": "x"}, {**OTHER, "quantity": 5}]}
    assert part_diff(ROWS, BEFORE, after) == PartDiff(before={17: ROW, 18: OTHER}, updates={18: {"quantity": 5}})


@pytest.mark.parametrize(
    ("row", "name", "expected"),
    [({"id": 5}, "id", 5), ({"id": "a"}, "id", "a"), ({}, "id", 0), ({"id": True}, "id", 0), ({"n": 3}, "n", 3)],
)
def test_a_part_without_an_id_has_the_id_0(row: State, name: str, expected: object) -> None:
    assert part_id(row, name) == expected


TOLD = [{"id": 5, "name": "North"}, {"id": 6, "name": "South"}, {"id": 7, "name": "South"}, {"id": 8, "name": "12"}]


@pytest.mark.parametrize(
    ("asked", "by_text", "expected"),
    [
        (5, "name", 5),
        (" North ", "name", 5),
        ("South", "name", "South"),
        ("West", "name", "West"),
        ("12", "name", 8),
        ("13", "name", 13),
        ("North", "", "North"),
        (True, "name", 0),
    ],
)
def test_a_part_is_meant_by_its_id_or_by_a_text_that_it_alone_has(
    asked: object, by_text: str, expected: object
) -> None:
    assert meant_part(replace(ROWS, text=by_text), asked, TOLD) == expected


def test_what_is_asked_of_parts_is_told_with_its_path() -> None:
    rows = [{"sku_or_variant_id": "FORK", "quantity": 1}, {"sku_or_variant_id": 8}]
    made = resulting("create", FACTS, rows=rows)
    assert list(added_parts(made, HELD)) == [
        ("rows[0]", rows[0], {"variant_id": 7, "quantity": 1, "of": None}),
        ("rows[1]", rows[1], {"variant_id": Unknown(8), "of": None}),
    ]
    update = [{"row_id": 99, "quantity": 1}, {"row_id": 18, "quantity": 4}, {"row_id": 17, "quantity": 9}]
    change = resulting(add_rows=rows[:1], update_rows=update, delete_row_ids=[18])
    assert list(added_parts(change, HELD)) == [
        ("add_rows[0]", rows[0], {"variant_id": 7, "quantity": 1, "of": "PO-40"})
    ]
    assert list(added_parts(change, HELD, "labels")) == []
    assert list(changed_rows(change, HELD)) == [
        ("update_rows[1]", update[1], OTHER, {}),
        ("update_rows[2]", update[2], ROW, {"quantity": 9}),
    ]
    assert (requested_rows(change.asked, "update_rows"), requested_rows({}, "update_rows")) == (update, [])
    assert (requested_ids(change.asked, "delete_row_ids"), requested_ids({}, "delete_row_ids")) == ([18], ())


def test_each_argument_that_a_request_names_has_its_path_and_its_field() -> None:
    asked = resulting(
        supplier_id="Acme", notes="x", add_rows=[{"sku_or_variant_id": 7}], update_rows=[{"row_id": 17, "quantity": 3}]
    ).asked
    assert [(path, field.name, value) for path, field, value in fields_in(ORDER, asked)] == [
        ("supplier_id", "supplier_id", "Acme"),
        ("notes", "additional_info", "x"),
        ("add_rows[0].sku_or_variant_id", "variant_id", 7),
        ("update_rows[0].quantity", "quantity", 3),
    ]
    assert list(names_in(ORDER, asked)) == [
        ("supplier_id", "supplier", "Acme"),
        ("add_rows[0].sku_or_variant_id", "variant", 7),
    ]
    assert list(names_in(ORDER, {"supplier_id": None})) == []
    made = resulting("create", FACTS, rows=[{"sku_or_variant_id": 7}]).asked
    assert list(names_in(ORDER, made)) == [("rows[0].sku_or_variant_id", "variant", 7)]
