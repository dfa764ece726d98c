"""What speaks against a change of a declared document, and its whole plan: pure functions of a request and of facts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

import pytest

from katana_mcp.documents.custom_fields import custom_values
from katana_mcp.documents.declaration import Field, Key, Part, Selector, Status, Writable
from katana_mcp.documents.goods import goods_line
from katana_mcp.documents.transition import Facts, Transition
from katana_mcp.documents.verbs import completed, writes
from katana_mcp.references.numbers import Numbered
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools.requests import NameOrId, Request
from katana_mcp.tools.warnings import ToolWarning, blocking
from katana_mcp.writing.actions import Ref
from katana_mcp.writing.change import Draft
from katana_mcp.writing.preview import FieldChange, PlanLine, Preview
from katana_mcp.writing.stock_moves import StockMove
from katana_mcp.writing.totals import Totals

HELD = "purchase_order_rows"
ROWS = Part(
    name="rows",
    one="row",
    held=HELD,
    says={"new": "", "add": "", "update": "", "delete": ""},
    most=9,
    fields=(
        Field("variant_id", NameOrId, names="variant"),
        Field("quantity", int),
        Field("price_per_unit", int),
        Field("arrival_date", str, clears=False),
    ),
    collection="purchase_order_rows",
    parent="purchase_order_id",
    line=goods_line,
)
COST_PART = Part(
    name="costs",
    one="cost",
    held="costs",
    says={"new": "", "add": "", "update": "", "delete": ""},
    most=9,
    fields=(Field("price", int),),
    collection="po_additional_cost_rows",
    entity="cost",
    parent="group_id",
)


def moves(change: Transition) -> list[StockMove]:
    """Return that bolts leave, as many as the order has fields."""
    less = Decimal(-len(change.subject))
    return [StockMove(variant=7, called="BOLT", location=1, place="North", change=less, path="rows")]


def always[T](value: T) -> Callable[..., T]:
    """Return a function that answers this, whatever it is given."""
    return lambda *_: value


def counting(change: Transition) -> list[ToolWarning]:
    """Return that something speaks against a change: how many arguments it names."""
    return [blocking("x", f"{len(change.asked)}")]


def counted(lines: Mapping[str, Sequence[PlanLine]]) -> Totals:
    """Return how many lines there are."""
    return Totals(total=Decimal(sum(map(len, lines.values()))))


def currency_of(change: Transition) -> str:
    """Return the currency as it would be."""
    return str(change.new["currency"])


class OwnPreview(Preview):
    """An answer of its own."""


VERBS: tuple[Verb, ...] = ("create", "modify", "delete")
ORDER = Writable(
    entity="purchase_order",
    collection="purchase_orders",
    says_id="",
    id_kind=int,
    key=Key(name="order_no", words="number", prefix="PO-"),
    head=(
        Field("order_no", str),
        Field("supplier_id", NameOrId, names="supplier"),
        Field("location_id", int, part="rows"),
        Field("currency", str, clears=False),
        custom_values("PurchaseOrder"),
    ),
    parts=(ROWS, COST_PART),
    status=Status(kind=str, says="", first="DRAFT", refused={("OPEN", "DRAFT"): ": it is open"}, path=""),
    described=lambda _: "",
    what={verb: f" to {verb}" for verb in VERBS},
    answers={"create": Preview, "modify": OwnPreview, "delete": Preview},
    reads={"create": ("tax_rate",), "delete": ("batch",)},
)
ROW: dict[str, object] = {"id": 17, "variant_id": 7, "quantity": 2, "arrival_date": None}
OTHER: dict[str, object] = {"id": 18, "variant_id": 7, "quantity": 4, "arrival_date": None}
COST: dict[str, object] = {"id": 70, "price": 5}
RECORD: dict[str, object] = {
    "id": 40,
    "order_no": "PO-40",
    "status": "OPEN",
    "supplier_id": 3,
    "location_id": 17,
    "currency": None,
    HELD: [ROW, OTHER],
}
ACME, BOLT = NamedRecord(id=3, name="Acme"), NamedRecord(id=7, sku="BOLT", name="Bolt", unit="pcs")
FACTS = Facts(
    references={
        ("supplier", "Acme"): Named("Acme", (ACME,)),
        ("supplier", 3): Named(3, (ACME,)),
        ("variant", 7): Named(7, (BOLT,), by=("name",)),
    }
)
OLD = replace(FACTS, record=RECORD)


def request_for(verb: Verb, doc: Writable, asked: Mapping[str, object]) -> Request:
    """Return a request, of the document unless it is to be new."""
    subject = {} if verb == "create" else {doc.id: 40}
    return writes(doc)[verb].request.model_validate({**subject, **doc.selected, **asked})


def against(
    verb: Verb = "modify", facts: Facts = OLD, doc: Writable = ORDER, **asked: object
) -> list[tuple[str, str | None, str | None, str]]:
    """Return severity, code, path and sentence of all that speaks against a request."""
    found = writes(doc)[verb].checks(request_for(verb, doc, asked), facts)
    return [(one.severity, one.code, one.field_path, one.message) for one in found]


def planned(verb: Verb = "modify", facts: Facts = OLD, doc: Writable = ORDER, **asked: object) -> Draft:
    """Return the plan of a request."""
    return writes(doc)[verb].plan(request_for(verb, doc, asked), facts)


NOTHING = ("blocking", "no_effective_change", None)


def test_a_change_that_changes_nothing_is_refused() -> None:
    same, none = "already has these values: nothing would change", "no change was given: name what to change in"
    assert against(supplier_id=3) == [(*NOTHING, f"purchase order PO-40 {same}")]
    assert against(update_rows=[{"row_id": 17, "quantity": 2}]) == [(*NOTHING, f"purchase order PO-40 {same}")]
    assert against() == [(*NOTHING, f"{none} purchase order PO-40")]
    assert against(add_rows=[], delete_row_ids=[]) == [(*NOTHING, f"{none} purchase order PO-40")]
    kind = Selector(argument="type", value="bought", kinds=("bought",), says="", also="kind")
    assert against(doc=replace(ORDER, selector=kind)) == [(*NOTHING, f"{none} purchase order PO-40")]
    assert against(order_no="PO-41") == []
    assert against("delete") == []


def test_what_the_way_back_leaves_is_told_unless_something_blocks() -> None:
    left = ("advisory", "no_way_back")
    why = "was empty and cannot be emptied again: the revert keeps the new value"
    currency = (*left, "currency", f"currency {why}")
    rows = (*left, "rows", f"arrival_date of row 17 {why}")
    update = [{"row_id": 17, "arrival_date": "2026-03-01T00:00:00Z"}]
    assert against(currency="EUR", update_rows=update) == [currency, rows]
    rule = replace(ORDER, rules=(counting,))
    assert against(doc=rule, currency="EUR") == [("blocking", "x", None, "2")]
    assert against(doc=rule) == [("blocking", "x", None, "1")]
    assert against("create", FACTS, currency="EUR") == []


def test_a_document_that_is_deleted_is_not_changed() -> None:
    gone = replace(OLD, deleted=True, record={**RECORD, "deleted_at": "2026-03-01"})
    message = "purchase order PO-40 was deleted in Katana at 2026-03-01"
    assert against(facts=gone, order_no="PO-41") == [("blocking", "not_found", "purchase_order_id", message)]


def test_a_name_that_is_not_known_or_means_no_code_is_told_with_its_path() -> None:
    facts = replace(OLD, references={**OLD.references, ("supplier", "Nobody"): Named("Nobody")})
    assert against(facts=facts, supplier_id="Nobody", add_rows=[{"variant_id": 7}]) == [
        ("blocking", "not_found", "supplier_id", "supplier_id: no supplier 'Nobody' was found"),
        ("info", "matched_by_code", None, "understood by their name: add_rows[0].variant_id 7 is variant 7"),
    ]


def test_others_with_the_same_number_or_name_are_told() -> None:
    taken = replace(OLD, taken=(3, 4, 5, 6, 7, 8))
    number = "purchase orders 3, 4, 5, 6, 7 have the number PO-41 too"
    assert against(facts=taken, order_no="PO-41") == [("advisory", "duplicate_order_number", "order_no", number)]
    named = replace(ORDER, key=Key(name="order_no", words="name"))
    name = "the name PO-41 is not unique (also purchase order 3, 4, 5, 6, 7): use the id"
    assert against(facts=taken, doc=named, order_no="PO-41") == [("advisory", "duplicate_name", "order_no", name)]
    assert against(doc=named, order_no="PO-41") == []
    free = replace(FACTS, numbered=Numbered(number="PO-41", is_open=True))
    default = "no order_no was given: the next free number is used when the plan is applied, now PO-41"
    assert against("create", free) == [("info", "default_number", None, default)]
    assert against("create", free, order_no="PO-41") == []


def test_a_status_that_cannot_be_reached_is_refused() -> None:
    message = "purchase order PO-40 is OPEN and cannot become DRAFT: it is open"
    assert against(status="DRAFT") == [("blocking", "invalid_status_transition", "status", message)]
    assert against(status="RECEIVED") == []
    assert [one[1] for one in against(status="OPEN")] == ["no_effective_change"]
    assert against(doc=replace(ORDER, status=None), order_no="x") == []


def test_a_part_that_is_not_there_or_is_named_twice_is_refused() -> None:
    update, unknown = [{"row_id": 17, "quantity": 3}, {"row_id": 99, "quantity": 3}], "unknown_row_id"
    has = "purchase order PO-40 has no row 99; it has 17, 18"
    twice = "row 17 is given twice: give it once, to change or to delete it"
    assert against(update_rows=update, delete_row_ids=[18, 17, 99], location_id=5) == [
        ("blocking", unknown, "update_rows[1].row_id", f"update_rows[1].row_id: {has}"),
        ("blocking", "duplicate_row_overrides", "delete_row_ids[1]", f"delete_row_ids[1]: {twice}"),
        ("blocking", unknown, "delete_row_ids[2]", f"delete_row_ids[2]: {has}"),
        ("blocking", unknown, "location_id", "location_id: purchase order PO-40 has no row 5; it has 17, 18"),
    ]
    assert against(delete_cost_ids=[70]) == [
        (
            "blocking",
            unknown,
            "delete_cost_ids[0]",
            "delete_cost_ids[0]: purchase order PO-40 has no cost 70; it has none",
        )
    ]
    assert against(location_id=18) == []
    assert against(location_id=None) == []


def test_custom_fields_stock_and_repetitions_are_looked_at() -> None:
    facts = replace(OLD, definitions={}, levels={7: {1: Decimal(3)}})
    doc = replace(ORDER, moves=moves)
    fields = "custom_fields: no custom field has the label or id Size here; there are: none"
    short = "9 BOLT would be taken from North, which has only 3 in stock"
    assert against(facts=facts, doc=doc, custom_fields={"Size": 1}, order_no="PO-41") == [
        ("blocking", "not_found", "custom_fields", fields),
        ("advisory", "insufficient_stock", "rows", short),
    ]
    repeated = replace(FACTS, repeated=("PO-1", "PO-2"))
    again = "PO-1, PO-2, made in the last 24 hours, have the same parties and lines: check that you want another"
    expected = ("advisory", "possible_duplicate", "rows", f"{again} purchase order")
    assert against("create", repeated, order_no="x") == [expected]
    assert against("create", repeated, replace(ORDER, parts=()), order_no="x") == [(*expected[:2], "", expected[3])]
    assert against(facts=replace(OLD, repeated=("PO-1",)), order_no="x") == []


def test_the_plan_of_a_change_is_all_that_a_person_is_shown() -> None:
    doc = replace(
        ORDER,
        moves=moves,
        totals=counted,
        currency=currency_of,
        linked=always(("sales order 40",)),
        lanes=always(("lane of 40",)),
        binds=always({"bound": 1}),
    )
    facts = replace(OLD, levels={7: {1: Decimal(20)}}, beside={"cost": (COST,)})
    draft = planned(facts=facts, doc=doc, order_no="PO-41", currency="EUR", delete_row_ids=[18])
    bolts = PlanLine(variant_id=7, sku="BOLT", name="Bolt", unit="pcs")
    assert draft == Draft(
        summary="purchase order PO-40: order_no PO-41, currency EUR; delete 1 row",
        actions=draft.actions,
        touches={
            "record": RECORD,
            "amounts": {"total": Decimal(2), "net_total": None, **_rest(draft)},
            "others with the number": [],
            "bound": 1,
        },
        lanes=("purchase_order 40", "numbers of purchase_order", "lane of 40"),
        id=40,
        number="PO-41",
        status="OPEN",
        own={"supplier_id": 3},
        lines=(
            bolts.model_copy(update={"row_id": 17, "quantity": Decimal(2)}),
            bolts.model_copy(update={"row_id": 18, "quantity": Decimal(4), "change": "delete"}),
        ),
        totals=draft.totals,
        currency="EUR",
        changes=(
            FieldChange(field="order_no", old="PO-40", new="PO-41"),
            FieldChange(field="currency", old=None, new="EUR"),
        ),
        linked=("sales order 40",),
        stock=("BOLT at North: 20 → 12",),
        prior_state={"costs": [], **RECORD},
        revert=draft.revert,
    )
    assert [(action.method, action.path) for action in draft.actions] == [
        ("PATCH", "/purchase_orders/40"),
        ("DELETE", "/purchase_order_rows/18"),
    ]
    assert (draft.totals.total, (draft.revert or {})["tool"]) == (2, "modify_purchase_order")


def _rest(draft: Draft) -> dict[str, object]:
    """Return what else totals hold."""
    amounts = cast("dict[str, object]", draft.touches["amounts"])
    return {name: value for name, value in amounts.items() if name not in {"total", "net_total"}}


def test_the_plan_of_a_new_document_says_its_number() -> None:
    facts = replace(FACTS, numbered=Numbered(number="PO-41", is_open=True))
    rows = [{"variant_id": 7, "quantity": 1, "price_per_unit": 2}]
    asked: dict[str, Any] = {"supplier_id": "Acme", "location_id": 1, "rows": rows}
    draft = planned("create", facts, **asked)
    assert (draft.id, draft.number, draft.status, draft.prior_state) == (None, "PO-41", "DRAFT", None)
    assert (draft.assigned, draft.own, draft.one_way) == ({"order_no": "PO-41"}, {"supplier_id": 3}, "")
    assert draft.lanes == ("numbers of purchase_order",)
    assert draft.revert == {"tool": "delete_purchase_order", "arguments": {"purchase_order_id": Ref(0, "id")}}
    assert planned("create", replace(facts, numbered=Numbered(number="PO-9")), **asked).assigned == {}
    assert planned("create", FACTS, **asked).assigned == {}


@pytest.mark.parametrize(
    ("verb", "asked", "lanes"),
    [
        ("create", {"order_no": " My  Order "}, ("purchase_order called my order",)),
        ("modify", {"order_no": "New"}, ("purchase_order 40", "purchase_order called new")),
        ("modify", {"currency": "EUR"}, ("purchase_order 40",)),
        ("modify", {"order_no": None}, ("purchase_order 40",)),
        ("delete", {}, ("purchase_order 40",)),
    ],
)
def test_a_plan_holds_its_record_and_its_name(verb: Verb, asked: dict[str, Any], lanes: tuple[str, ...]) -> None:
    named = replace(ORDER, key=Key(name="order_no", words="name"), is_sendable=always(False))
    draft = planned(verb, FACTS if verb == "create" else OLD, named, **asked)
    assert (draft.lanes, draft.number) == (lanes, None)


def test_a_plan_without_a_way_back_says_why() -> None:
    draft = planned(doc=replace(ORDER, no_way_back=always("it is sent")), order_no="x")
    assert (draft.one_way, draft.revert) == ("it is sent", None)
    gone = planned("delete", doc=replace(ORDER, parts=(ROWS,)))
    assert (gone.summary, gone.status, gone.number, gone.id) == ("delete purchase order PO-40", "OPEN", "PO-40", 40)
    assert (gone.prior_state, gone.revert) == (RECORD, None)


def test_each_verb_reads_what_it_may_name() -> None:
    names = ("supplier", "variant", "product", "material", "service")
    found = writes(ORDER)
    assert {verb: change.reads for verb, change in found.items()} == {
        "create": ("purchase_order", *names, "tax_rate"),
        "modify": ("purchase_order", *names),
        "delete": ("purchase_order", "batch"),
    }
    assert {verb: change.what for verb, change in found.items()} == {verb: f" to {verb}" for verb in VERBS}
    assert {verb: change.answer for verb, change in found.items()} == ORDER.answers
    assert {verb: change.request.__name__ for verb, change in found.items()} == {
        verb: f"{verb.title()}PurchaseOrderRequest" for verb in VERBS
    }


def test_only_a_new_document_with_a_counted_number_is_renumbered() -> None:
    found = writes(ORDER)
    assert [found[verb].renumbered is None for verb in VERBS] == [False, True, True]
    assert writes(replace(ORDER, key=Key(name="order_no", words="name")))["create"].renumbered is None
    numbered = Numbered(number="PO-9")
    renumbered = cast("Any", found["create"].renumbered)
    assert renumbered(FACTS, numbered) == replace(FACTS, numbered=numbered)


def test_a_request_is_completed_before_it_is_planned_and_checked() -> None:
    empty = request_for("modify", ORDER, {})

    def whole(request: Request, facts: Facts) -> Request:
        assert request == empty
        return request_for("modify", ORDER, {"order_no": f"PO-{(facts.record or {})['id']}1"})

    change = completed(writes(ORDER)["modify"], whole)
    assert change.plan(empty, OLD).summary == "purchase order PO-40: order_no PO-401"
    assert (change.checks(empty, OLD), change.what) == ([], " to modify")
