"""What a person is shown of a change: its sentence, old and new values, lines; as pure functions of two states."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from katana_mcp.documents.declaration import ONLY_LATER, ONLY_NEW, Field, Key, Part, Status, Writable
from katana_mcp.documents.goods import goods_line
from katana_mcp.documents.shown import changes, in_words, lines, summary
from katana_mcp.documents.transition import Facts, New, PartDiff, State, Transition, Unknown
from katana_mcp.references.numbers import Numbered
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.tools.requests import Request
from katana_mcp.values import rows
from katana_mcp.writing.preview import NearVariant, PlanLine

HELD, COSTS = "purchase_order_rows", "costs"


def words_of(value: object) -> str:
    """Return a price in words, of none an empty text."""
    return f"{value} each" if value else ""


ROWS = Part(
    name="rows",
    one="row",
    held=HELD,
    says={},
    most=9,
    fields=(
        Field("variant_id", int, argument="sku", names="variant"),
        Field("quantity", int),
        Field("trace", str, is_unlined=True),
    ),
    collection="purchase_order_rows",
    line=goods_line,
)
COST_PART = Part(
    name="costs",
    one="cost",
    held=COSTS,
    says={},
    most=9,
    fields=(
        Field("additional_cost_id", int, names="additional_cost"),
        Field("price", int, in_words=words_of),
        Field("reference", str),
        Field("custom_fields", dict, custom=("Cost",)),
        Field("made", str, verbs=ONLY_NEW, filled=True),
        Field("closed", str, verbs=ONLY_LATER, filled=True),
    ),
    collection="po_additional_cost_rows",
    kind=lambda row: f"cost {row.get('reference')}",
    called=lambda row: f"ref {row.get('reference')}",
)
ORDER = Writable(
    entity="purchase_order",
    collection="purchase_orders",
    says_id="",
    key=Key(name="order_no", words="number", prefix="PO-"),
    head=(
        Field("order_no", str),
        Field("supplier_id", int, names="supplier"),
        Field("currency", str, verbs=ONLY_LATER),
        Field("expected_arrival_date", str),
        Field("location_id", int, part="costs", becomes="the main one"),
    ),
    parts=(ROWS, COST_PART),
    status=Status(kind=str, says="", first="DRAFT", refused={}, path=""),
    described=lambda change: f" with {len(change.subject)} fields",
    what={},
    answers={},
)
FORK = NamedRecord(id=7, sku="FORK", name="Fork", unit="pcs")
FREIGHT = NamedRecord(id=6, name="Freight")
REFERENCES: dict[tuple[str, int | str], Named] = {
    ("variant", "FORK"): Named("FORK", (FORK,), by=("barcode", "SKU")),
    ("variant", 7): Named(7, (FORK,)),
    ("variant", 8): Named(8, (NamedRecord(id=8, sku="WHEEL"),)),
    ("supplier", 3): Named(3, (NamedRecord(id=3, name="Acme"),)),
    ("additional_cost", 6): Named(6, (FREIGHT,)),
}
DEFINITIONS: Mapping[str, Mapping[str, object]] = {
    "d1": {"id": "d1", "label": "Colour", "options": {"choices": [{"id": 1, "label": "red"}]}}
}
FACTS = Facts(references=REFERENCES, definitions=DEFINITIONS)
ROW: dict[str, object] = {"id": 17, "variant_id": 7, "quantity": 2}
OTHER: dict[str, object] = {"id": 18, "variant_id": 8, "quantity": 4}
COST: dict[str, object] = {"id": 70, "additional_cost_id": 6, "price": 10, "reference": "R", "made": "x", "closed": ""}
BEFORE: dict[str, object] = {
    "id": 40,
    "order_no": "PO-40",
    "supplier_id": 3,
    "currency": "EUR",
    "status": "NOT_RECEIVED",
    HELD: [ROW, OTHER],
    COSTS: [COST],
}
NO_PARTS = {HELD: PartDiff(), COSTS: PartDiff()}


def changed(before: State | None = BEFORE, parts: Mapping[str, PartDiff] = NO_PARTS, **fields: object) -> Transition:
    """Return a change of the order in which nothing differs but what is given."""
    usual: dict[str, Any] = {
        "asked": {},
        "facts": FACTS,
        "before": before,
        "unlocked": before or {},
        "middle": before or {},
        "target": before,
        "after": before,
        "head": {},
        "parts": parts,
        "sent": parts,
        "status": None,
        "unlocks": False,
        **fields,
    }
    return Transition(**usual)


def made(state: State, doc: Writable = ORDER, facts: Facts = FACTS) -> list[tuple[str, str | None, str | None]]:
    """Return the fields that are shown of a new document."""
    parts = {part.held: PartDiff(adds=tuple(rows(state, part.held))) for part in doc.parts}
    return fields(changed(None, parts, after=state, facts=facts), doc)


def fields(change: Transition, doc: Writable = ORDER) -> list[tuple[str, str | None, str | None]]:
    """Return field, old value and new value of each change."""
    return [(found.field, found.old, found.new) for found in changes(doc, change)]


def test_a_new_document_is_summed_up_by_its_number_or_its_name() -> None:
    state: dict[str, object] = {"order_no": "PO-41", "currency": "EUR"}
    change = changed(None, after=state)
    assert summary(ORDER, change) == "new purchase order PO-41 with 2 fields"
    open_number = replace(FACTS, numbered=Numbered(number="PO-41", is_open=True))
    assert summary(ORDER, changed(None, after=state, facts=open_number)) == (
        "new purchase order PO-41 (the next free number as of now) with 2 fields"
    )
    assert summary(ORDER, changed(after=None)) == "delete purchase order PO-40 with 7 fields"


def test_a_change_is_summed_up_by_its_head_and_its_parts() -> None:
    after = {**BEFORE, "order_no": None, "currency": "USD", "status": "RECEIVED", "location_id": New("costs", 0)}
    added = {"reference": "S", "price": 3}
    parts = {
        HELD: PartDiff(
            before={17: ROW, 18: OTHER}, updates={17: {"quantity": 3}}, deletes=(18,), adds=({"variant_id": 7}, {})
        ),
        COSTS: PartDiff(
            before={70: COST, 71: {"reference": "T"}},
            updates={70: {"price": 0, "reference": "U", "additional_cost_id": None, "custom_fields": {"d1": 1}}},
            deletes=(71,),
            adds=(added,),
        ),
    }
    head = {"order_no": None, "currency": "USD", "location_id": New("costs", 0)}
    assert summary(ORDER, changed(parts=parts, after=after, head=head)) == (
        "purchase order PO-40: order_no cleared, currency USD, status RECEIVED; "
        "add 2 rows; change 1 row; delete 1 row; "
        'cost 70 (ref R) price cleared, reference U, additional_cost_id cleared, custom_fields {"Colour": "red"}; '
        "delete cost 71 (ref T); add cost S (ref S); the new cost becomes the main one"
    )
    only = {**NO_PARTS, HELD: PartDiff(before={17: ROW}, updates={17: {"quantity": 3}})}
    assert summary(ORDER, changed(parts=only)) == "purchase order PO-40: change 1 row"
    elsewhere = replace(ORDER, parts=(replace(COST_PART, name="others"), ROWS))
    assert summary(elsewhere, changed(parts=only, head=head)) == "purchase order PO-40: change 1 row"


def test_each_field_of_a_change_is_shown_with_its_old_and_new_value() -> None:
    after = {**BEFORE, "supplier_id": 4, "currency": "USD", "status": "RECEIVED", "location_id": New("costs", 1)}
    parts = {
        HELD: PartDiff(
            before={17: ROW, 18: OTHER},
            updates={17: {"quantity": 3, "trace": None}, 18: {"variant_id": Unknown("SPOON")}},
            adds=({"variant_id": 7, "trace": "T"}, {"variant_id": 7}),
        ),
        COSTS: PartDiff(
            before={70: COST},
            updates={70: {"price": 11}},
            deletes=(70,),
            adds=({"additional_cost_id": 6, "custom_fields": {"d1": 1}, "closed": "now", "reference": None},),
        ),
    }
    assert fields(changed(parts=parts, after=after, head={"location_id": New("costs", 1)})) == [
        ("supplier_id", "Acme", "4"),
        ("currency", "EUR", "USD"),
        ("status", "NOT_RECEIVED", "RECEIVED"),
        ("rows[id=17].quantity", "2", "3"),
        ("rows[id=18].variant_id", "WHEEL", "SPOON"),
        ("add_rows[0].trace", None, "T"),
        ("costs[id=70].price", "10 each", "11 each"),
        ("costs[id=70].additional_cost_id", "Freight", None),
        ("costs[id=70].price", "10 each", None),
        ("costs[id=70].reference", "R", None),
        ("add_costs[0].additional_cost_id", None, "Freight"),
        ("add_costs[0].reference", None, None),
        ("location_id", None, "add_costs[1]"),
    ]


def test_nothing_that_stays_as_it_is_is_shown() -> None:
    assert fields(changed()) == []
    assert fields(changed(parts={**NO_PARTS, HELD: PartDiff(before={17: ROW}, updates={17: {"quantity": 2}})})) == []


def test_of_a_new_document_all_fields_are_shown_and_its_status_where_it_can_be_asked_for() -> None:
    cost = {"price": 3, "custom_fields": {"d1": 1, "d2": 5}, "closed": "now"}
    state: dict[str, object] = {
        "order_no": "PO-41",
        "expected_arrival_date": "2026-03-09T00:00:00Z",
        "status": "DRAFT",
        COSTS: [cost],
    }
    plain = [
        ("order_no", None, "PO-41"),
        ("expected_arrival_date", None, "2026-03-09"),
        ("costs[0].price", None, "3 each"),
        ("costs[0].custom_fields", None, '{"Colour": "red", "d2": 5}'),
        ("costs[0].closed", None, "now"),
    ]
    assert made(state) == plain
    stated = Status(kind=str, says="", first="DRAFT", refused={}, path="", new_kind=str)
    assert made(state, replace(ORDER, status=stated)) == [*plain[:2], ("status", None, "DRAFT"), *plain[2:]]
    assert made(state, replace(ORDER, status=None)) == plain
    unknown = [("costs[0].custom_fields", None, '{"d1": 1}')]
    assert made({COSTS: [{"custom_fields": {"d1": 1}}]}, facts=replace(FACTS, definitions=None)) == unknown


def test_of_a_document_that_goes_its_fields_are_shown_where_no_lines_show_it() -> None:
    gone = changed(after=None)
    assert fields(gone) == []
    plain = replace(ORDER, parts=(replace(ROWS, line=None), COST_PART))
    cost: dict[str, object] = {**COST, "price": []}
    empty = {**BEFORE, "expected_arrival_date": "", "location_id": None, HELD: [OTHER], COSTS: [cost]}
    assert fields(changed(empty, after=None), plain) == [
        ("order_no", "PO-40", None),
        ("supplier_id", "Acme", None),
        ("rows[id=18].variant_id", "WHEEL", None),
        ("rows[id=18].quantity", "4", None),
        ("costs[id=70].additional_cost_id", "Freight", None),
        ("costs[id=70].reference", "R", None),
    ]
    closed = {**BEFORE, HELD: [], COSTS: [{"id": 70, "closed": "x", "made": "y"}]}
    assert fields(changed(closed, after=None), plain)[2:] == [("costs[id=70].closed", "x", None)]


def test_a_part_that_is_never_changed_alone_is_new_with_what_the_document_takes() -> None:
    part = replace(COST_PART, collection="", fields=(Field("currency", str), Field("colour", str)))
    doc = replace(ORDER, parts=(ROWS, part))
    parts = {**NO_PARTS, COSTS: PartDiff(adds=({"currency": "EUR", "colour": "red"},))}
    assert fields(changed(parts=parts), doc) == [("add_costs[0].currency", None, "EUR")]


def line_of(_: Transition, row: State) -> PlanLine | None:
    """Return a row as a line; one without quantity is none."""
    quantity = row.get("quantity")
    if quantity == 0:
        return None
    return PlanLine.model_validate({**row, "quantity": quantity})


@pytest.mark.parametrize(
    ("count", "end"),
    [(9, ""), (10, ""), (11, ", and 1 more")],
)
def test_a_sentence_names_ten_rows(count: int, end: str) -> None:
    found: list[State] = [{"quantity": Decimal(nr + 1), "unit": "pcs", "sku": "FORK"} for nr in range(count)]
    named = ", ".join(f"{nr} pcs of FORK" for nr in range(1, min(count, 10) + 1))
    assert in_words(line_of, found, changed()) == f"{named}{end}"


def test_a_row_is_named_by_what_is_known_of_it() -> None:
    found: list[State] = [
        {"quantity": Decimal("1.5"), "sku": "FORK", "name": "Fork", "variant_id": 7},
        {"name": "Wheel", "variant_id": 8},
        {"quantity": 2, "unit": "h", "variant_id": 9},
        {"quantity": 0},
    ]
    words = in_words(line_of, found, changed())
    assert words == "1.5 of FORK, ? of Wheel, 2 h of 9, and 1 more"


class RowAsked(Request):
    """What a request names of a row."""

    row_id: int | str | None = None
    sku: int | str | None = None


FORK_LINE = PlanLine(row_id=17, variant_id=7, sku="FORK", name="Fork", quantity=Decimal(2), unit="pcs")
WHEEL_LINE = PlanLine(row_id=18, variant_id=8, sku="WHEEL", quantity=Decimal(4))


def test_lines_are_the_rows_as_they_would_be_and_those_that_go() -> None:
    third: dict[str, object] = {"id": 19, "variant_id": 8, "quantity": 1}
    new = {"variant_id": 7, "quantity": 5}
    lost = {"variant_id": 99, "quantity": 5}
    before = {**BEFORE, HELD: [ROW, OTHER, third]}
    diff = PartDiff(before={17: ROW, 18: OTHER, 19: third}, updates={}, deletes=(18,), adds=(new, lost))
    sent = {**NO_PARTS, HELD: replace(diff, updates={17: {"quantity": 2}})}
    asked = {
        "add_rows": [RowAsked(sku="FORK"), RowAsked(sku=8)],
        "update_rows": [RowAsked(row_id=17, sku="FORK"), RowAsked(row_id=19)],
    }
    change = changed(
        before,
        {**NO_PARTS, HELD: diff},
        asked=asked,
        middle=before,
        after={**before, HELD: [ROW, third, new, lost]},
        sent=sent,
    )
    third_line = WHEEL_LINE.model_copy(update={"row_id": 19, "quantity": Decimal(1)})
    added = FORK_LINE.model_copy(update={"row_id": None, "quantity": Decimal(5), "change": "add", "match": "barcode"})
    shown = replace(ORDER, parts=(replace(ROWS, line=_known_line), COST_PART))
    assert lines(shown, change) == {
        HELD: [
            FORK_LINE.model_copy(update={"change": "update", "match": "barcode"}),
            third_line,
            added,
            WHEEL_LINE.model_copy(update={"change": "delete"}),
        ]
    }


def _known_line(change: Transition, row: State) -> PlanLine | None:
    return None if row.get("variant_id") == 99 else goods_line(replace(change, before=None), row)


def test_lines_of_a_new_document_or_of_one_that_goes_are_not_marked() -> None:
    new_rows = [{"variant_id": 7, "quantity": 2}]
    asked = {"rows": [RowAsked(sku="FORK")]}
    diff = {**NO_PARTS, HELD: PartDiff(adds=tuple(new_rows))}
    new = changed(None, diff, asked=asked, after={HELD: new_rows})
    assert lines(ORDER, new) == {HELD: [FORK_LINE.model_copy(update={"row_id": None, "match": "barcode"})]}
    gone = changed(after=None, parts={**NO_PARTS, HELD: PartDiff(before={17: ROW, 18: OTHER}, deletes=(17, 18))})
    assert lines(ORDER, gone) == {HELD: [FORK_LINE, WHEEL_LINE]}
    fixed = replace(ORDER, parts=(replace(ROWS, collection=""), COST_PART))
    assert lines(fixed, changed()) == {
        HELD: [line.model_copy(update={"row_id": None}) for line in (FORK_LINE, WHEEL_LINE)]
    }


ONE, TWO = NamedRecord(id=1, sku="A", name="An A"), NamedRecord(id=2, sku="B", name="A B")
NEAR_ONE, NEAR_TWO = NearVariant(variant_id=1, sku="A", name="An A"), NearVariant(variant_id=2, sku="B", name="A B")


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (None, None),
        (Named("X", (ONE,)), None),
        (Named("X", (ONE,), by=("SKU",)), "SKU"),
        (Named("X"), None),
        (Named("X", like=(ONE, TWO)), [NEAR_ONE, NEAR_TWO]),
        (Named("X", (replace(ONE, deleted=True),), by=("SKU",), like=(TWO,)), [NEAR_TWO]),
        (
            Named("X", (ONE, TWO), by=("SKU", "name"), like=(TWO,)),
            [NEAR_ONE.model_copy(update={"by": "SKU"}), NEAR_TWO.model_copy(update={"by": "name"})],
        ),
        (Named("X", like=(ONE,) * 10), [NEAR_ONE] * 10),
        (Named("X", like=(ONE,) * 11), [NEAR_ONE] * 10),
    ],
)
def test_a_line_says_by_what_its_variant_is_named_or_what_may_be_meant(named: Named | None, expected: object) -> None:
    facts = Facts(references={} if named is None else {("variant", "X"): named})
    new = changed(None, asked={"rows": [RowAsked(sku="X")]}, after={HELD: [{"variant_id": Unknown("X")}]}, facts=facts)
    assert [line.match for line in lines(ORDER, new)[HELD]] == [expected]
