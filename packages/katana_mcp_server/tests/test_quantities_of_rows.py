"""How much of which rows a request is about, and what rows of goods show and move: pure functions."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from katana_mcp.documents.goods import goods_line, is_marked, row_moves
from katana_mcp.documents.quantities import (
    BatchQuantity,
    Handling,
    Portion,
    RowQuantity,
    misfits,
    portions,
    traces,
    uncountable,
)
from katana_mcp.documents.transition import Facts, State, Transition, Unknown
from katana_mcp.references.display_names import Names
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.preview import PlanLine
from katana_mcp.writing.stock_moves import StockMove

if TYPE_CHECKING:
    from cache_core.records import Record, RecordId

HELD: Mapping[int, State] = {1: {"id": 1}, 2: {"id": 2}, 3: {"id": 3}}
OPEN = {1: Decimal(5), 2: Decimal(0), 3: Decimal(2)}
HANDLING: Handling[RowQuantity] = Handling(
    does="ship",
    too_much="exceeds_remaining",
    is_over="already_shipped",
    why_over=lambda portion: f"of {portion.key} is shipped",
)


def of_row(key: int, quantity: object = None, **fields: object) -> RowQuantity:
    """Return what a request names of a row."""
    return RowQuantity.model_validate({"row_id": key, "quantity": quantity, **fields})


def portion(
    asked: RowQuantity | None, quantity: object, *, left: object = 5, path: str = "rows[0]"
) -> Portion[RowQuantity]:
    """Return how much of the first row comes or goes."""
    amounts = {"open": Decimal(str(left)), "quantity": Decimal(str(quantity))}
    return Portion(path=path, asked=asked, key=1, row=HELD[1], **amounts)


def test_where_no_row_is_named_all_that_is_open_is_meant() -> None:
    rows = [portion(None, 5, path="rows")]
    assert portions([], HELD, {1: Decimal(5), 2: Decimal(0)}) == rows


def test_of_a_row_that_is_named_what_is_asked_for_or_all_that_is_open_is_meant() -> None:
    asked = [of_row(1), of_row(1, 0), of_row(3, 2.5), of_row(9), of_row(2)]
    found = [
        (one.path, one.asked, one.key, one.row, one.open, one.quantity)
        for one in portions(asked, HELD, {1: Decimal(5)})
    ]
    assert found == [
        ("rows[0]", asked[0], 1, HELD[1], 5, 5),
        ("rows[1]", asked[1], 1, HELD[1], 5, 0),
        ("rows[2]", asked[2], 3, HELD[3], 0, Decimal("2.5")),
        ("rows[3]", asked[3], 9, None, 0, 0),
        ("rows[4]", asked[4], 2, HELD[2], 0, 0),
    ]


@pytest.mark.parametrize(("quantity", "is_whole"), [(4, False), (5, True), (6, True)])
def test_a_row_is_whole_once_nothing_stays_open(quantity: int, is_whole: bool) -> None:
    assert portion(None, quantity).is_whole == is_whole


def told(found: Sequence[Portion[RowQuantity]]) -> list[tuple[int, str | None, str | None, str]]:
    """Return row, code, path and sentence of what speaks against rows; of one that nothing speaks against, dashes."""
    warnings = misfits("order SO-1", found, [1, 2, 3], HANDLING)
    assert all(warning is None or warning.severity == "blocking" for _, warning in misfits("", found, [], HANDLING))
    return [
        (one.key, "-", "-", "-") if said is None else (one.key, said.code, said.field_path, said.message)
        for one, said in warnings
    ]


def test_each_row_is_there_once_and_has_as_much_open() -> None:
    asked = [of_row(1, 5), of_row(9), of_row(1), of_row(2), of_row(3, 2.5), of_row(9)]
    unknown = "order SO-1 has no row 9; it has 1, 2, 3"
    twice = "row 1 is named twice: name it once, with all of its batches"
    over = "2.5 of row 3, whose open quantity is 2; ship no more than that, or change the quantity of the row first"
    assert told(portions(asked, HELD, OPEN)) == [
        (1, "-", "-", "-"),
        (9, "unknown_row_id", "rows[1].row_id", f"rows[1].row_id: {unknown}"),
        (1, "duplicate_row_overrides", "rows[2].row_id", f"rows[2].row_id: {twice}"),
        (2, "already_shipped", "rows[3].row_id", "rows[3].row_id: row 2 of 2 is shipped"),
        (3, "exceeds_remaining", "rows[4].quantity", f"rows[4].quantity: {over}"),
        (9, "unknown_row_id", "rows[5].row_id", f"rows[5].row_id: {unknown}"),
    ]
    none = ("invalid_quantity", "rows[0].quantity", "rows[0].quantity is 0: leave the row out")
    assert told(portions([of_row(1, 0)], HELD, OPEN)) == [(1, *none)]
    assert told(portions([of_row(1, 0.00001)], HELD, OPEN)) == [(1, "-", "-", "-")]


def said(warnings: Sequence[ToolWarning]) -> list[tuple[str, str | None, str | None, str]]:
    """Return severity, code, path and sentence of each warning."""
    return [(one.severity, one.code, one.field_path, one.message) for one in warnings]


@pytest.mark.parametrize(
    ("batches", "units", "stock", "expected"),
    [
        ([3, 2], 0, "5", []),
        ([3, 3], 0, "5", [("batch_sum_mismatch", "batches: they add up to 6, more than 5")]),
        ([], 3, "3", []),
        ([], 0, "3", []),
        ([], 2, "3", [("serial_count_mismatch", "serial_number_ids: 2 serial numbers were given for 3 stock units")]),
        ([], 4, "3", [("serial_count_mismatch", "serial_number_ids: 4 serial numbers were given for 3 stock units")]),
        ([], 3, "3.0", []),
        (
            [],
            3,
            "2.5",
            [("serial_qty_not_integer", "quantity: 2.5 stock units, but each serial number is one whole unit")],
        ),
        ([], 0, "2.5", []),
    ],
)
def test_batches_and_serial_numbers_have_to_add_up(
    batches: list[int], units: int, stock: str, expected: list[tuple[str, str]]
) -> None:
    named = [{"batch_id": nr, "quantity": amount} for nr, amount in enumerate(batches, 1)]
    asked = of_row(1, 5, batches=named, serial_number_ids=[*range(1, units + 1)])
    assert asked.in_batches == sum(batches)
    paths = [f"rows[0].{message.partition(':')[0]}" for _, message in expected]
    found = [
        ("blocking", code, path, f"rows[0].{message}") for (code, message), path in zip(expected, paths, strict=True)
    ]
    assert said([*traces(portion(asked, 5), Decimal(stock))]) == found
    assert [*traces(portion(None, 5), Decimal(stock))] == []


def test_a_fraction_of_a_unit_is_told_with_its_path() -> None:
    message = "rows[0].quantity: 0.5 stock units, but each serial number is one whole unit"
    expected = ("blocking", "serial_qty_not_integer", "rows[0].quantity", message)
    assert said([uncountable(portion(None, 1), Decimal("0.5"))]) == [expected]


@pytest.mark.parametrize(("name", "most"), [("batches", 50), ("serial_number_ids", 500)])
def test_a_row_names_so_many_batches_and_units_at_most(name: str, most: int) -> None:
    entry: object = BatchQuantity(batch_id=1, quantity=Decimal(1)) if name == "batches" else 1
    assert len(getattr(of_row(1, **{name: [entry] * most}), name)) == most
    with pytest.raises(ValidationError, match=f"at most {most} items"):
        of_row(1, **{name: [entry] * (most + 1)})


BOLT = NamedRecord(id=7, sku="BOLT", name="Bolt", unit="pcs")
SHARED = NamedRecord(id=8, sku="NUT", name="Nut", is_shared=True)
REFERENCES: dict[tuple[str, int | str], Named] = {
    ("variant", 7): Named(7, (BOLT,)),
    ("variant", "NUT"): Named("NUT", (SHARED,)),
    ("variant", 9): Named(9, (NamedRecord(id=9, sku="GONE", deleted=True),)),
    ("variant", 10): Named(10, ()),
    ("location", 1): Named(1, (NamedRecord(id=1, name="North"),)),
}


def change(before: State | None = None, after: State | None = None) -> Transition:
    """Return a change of a document."""
    states: dict[str, Any] = {name: {} for name in ("asked", "unlocked", "middle", "head", "parts", "sent")}
    facts = Facts(references=REFERENCES)
    return Transition(facts=facts, before=before, after=after, target=after, status=None, unlocks=False, **states)


BOLTS = PlanLine(variant_id=7, sku="BOLT", name="Bolt", quantity=Decimal(2), unit="pcs")
NUTS = PlanLine(variant_id=8, sku="NUT", is_shared=True, name="Nut", quantity=Decimal(2))


@pytest.mark.parametrize(
    ("variant", "new", "changed"),
    [
        (7, BOLTS, BOLTS),
        (8, NUTS, NUTS),
        (10, PlanLine(sku="10", quantity=Decimal(2)), PlanLine(sku="10", quantity=Decimal(2))),
        (99, PlanLine(sku="99", quantity=Decimal(2)), None),
        (None, PlanLine(quantity=Decimal(2)), None),
        (Unknown("X"), PlanLine(sku="X", quantity=Decimal(2)), PlanLine(sku="X", quantity=Decimal(2))),
    ],
)
def test_a_row_is_shown_with_its_variant(variant: object, new: PlanLine, changed: PlanLine | None) -> None:
    row: dict[str, object] = {"variant_id": variant, "quantity": 2}
    assert goods_line(change(after={"id": 1}), row) == new
    assert goods_line(change({"id": 1}, None), row) == new
    assert goods_line(change({"id": 1}, {"id": 1}), row) == changed


@pytest.mark.parametrize(("flag", "expected"), [(True, True), (False, False), (None, False), ("yes", False)])
def test_goods_are_marked_where_their_item_has_the_flag(flag: object, expected: bool) -> None:
    records: dict[tuple[str, RecordId], Record] = {
        ("variant", 7): {"id": 7, "product_id": 3},
        ("variant", 8): {"id": 8, "product_id": 4},
        ("product", 3): {"id": 3, "batch_tracked": flag},
    }
    facts = Facts(names=Names(records))
    found = [is_marked(facts, {"variant_id": variant}, "batch_tracked") for variant in (7, 8, 9, None)]
    assert found == [expected, False, False, False]


def test_rows_move_their_quantity_between_the_locations_of_their_document() -> None:
    rows = [{"variant_id": 9, "quantity": 1}, {"variant_id": 7, "quantity": 2}, {"variant_id": 99}, {"variant_id": 8}]
    document: dict[str, object] = {"source": 1, "target": 2, "nowhere": None, "rows": rows}
    moved = [*row_moves(change(after=document), "rows", {"source": -1, "nowhere": 5, "target": 1}, "rows[{}].x")]
    bolts: dict[str, Any] = {"variant": 7, "called": "BOLT", "path": "rows[1].x"}
    nuts: dict[str, Any] = {"variant": 8, "called": SHARED.called, "path": "rows[3].x"}
    assert moved == [
        StockMove(location=1, place="North", change=Decimal(-2), **bolts),
        StockMove(location=2, place="2", change=Decimal(2), **bolts),
        StockMove(location=1, place="North", change=Decimal(0), **nuts),
        StockMove(location=2, place="2", change=Decimal(0), **nuts),
    ]
    gone = row_moves(change(document, None), "rows", {"source": -1}, "")
    assert [one.change for one in gone] == [-2, 0]
