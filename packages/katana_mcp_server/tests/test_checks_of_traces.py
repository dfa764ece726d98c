"""What speaks against the batches and serial numbers of rows: whole sentences, as pure functions of facts."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from cache_core.records import Record
from katana_mcp.documents.trace_checks import trace_checks
from katana_mcp.documents.tracking import BATCHES, NUMBERS, UNITS, TracedRow
from katana_mcp.documents.transition import Facts, Transition
from katana_mcp.references.wording import Named, NamedRecord

PATH = "rows[0].traceability"
BOLTS = Named("BOLT", (NamedRecord(id=7, sku="BOLT"),))


def against(*traced: TracedRow, named: bool = True, **beside: tuple[Record, ...]) -> list[tuple[str, str | None, str]]:
    """Return severity, code and sentence of all that speaks against rows; each says the path of its row."""
    facts = Facts(
        references={("variant", "BOLT"): BOLTS} if named else {},
        beside={{"batches": BATCHES, "units": UNITS, "numbers": NUMBERS}[name]: held for name, held in beside.items()},
    )
    fields: dict[str, Any] = dict.fromkeys(("before", "target", "after", "status"))
    states: dict[str, Any] = {name: {} for name in ("asked", "unlocked", "middle", "head", "parts", "sent")}
    found = list(trace_checks(Transition(facts=facts, unlocks=False, **fields, **states), traced))
    paths = {row.path for row in traced}
    assert all(one.field_path in paths and one.message.startswith(f"{one.field_path}: ") for one in found)
    return [(one.severity, one.code, one.message.removeprefix(f"{one.field_path}: ")) for one in found]


def row(*entries: Mapping[str, object], quantity: object = 3, path: str = PATH, **fields: Any) -> TracedRow:  # noqa: ANN401 - of a traced row
    """Return a row of a location that names these batches and serial numbers."""
    state = {"id": 50, "variant_id": fields.pop("variant", 7), "quantity": quantity, "traceability": list(entries)}
    given: dict[str, Any] = {"place": 1, **fields}
    return TracedRow(path, state, **given)


def unit(*keys: int) -> list[Mapping[str, object]]:
    """Return entries of serial numbers."""
    return [{"serial_number_id": key} for key in keys]


def batch(key: int, quantity: object) -> Mapping[str, object]:
    """Return an entry of a batch."""
    return {"batch_id": key, "quantity": quantity}


UNSEEN: dict[str, Any] = {"is_looked_up": False}


@pytest.mark.parametrize(
    ("count", "quantity", "is_whole", "is_wrong"),
    [
        (3, 3, True, False),
        (2, 3, True, True),
        (4, 3, True, True),
        (4, -3, True, True),
        (3, -3, True, False),
        (2, 3, False, False),
        (3, 3, False, False),
        (4, 3, False, True),
        (1, None, False, True),
        (0, 3, True, False),
    ],
)
def test_serial_numbers_have_to_come_to_the_quantity_of_their_row(
    count: int, quantity: object, is_whole: bool, is_wrong: bool
) -> None:
    message = f"its serial numbers are {count}, its quantity is {abs(int(str(quantity or 0)))}"
    expected = [("blocking", "serial_count_mismatch", message)] if is_wrong else []
    assert against(row(*unit(*range(1, count + 1)), quantity=quantity, is_whole=is_whole, **UNSEEN)) == expected


@pytest.mark.parametrize(
    ("amounts", "quantity", "is_whole", "is_wrong"),
    [
        (("1.5", "1.5"), 3, True, False),
        (("1.5", "-1.5"), -3, True, False),
        (("1.5", "1"), 3, True, True),
        (("1.5", "2"), 3, True, True),
        (("1.5", "1"), 3, False, False),
        (("1.5", "1.5"), 3, False, False),
        (("1.5", "2"), 3, False, True),
        (("1.5", "1"), None, False, True),
        ((), 3, True, False),
    ],
)
def test_batches_have_to_come_to_the_quantity_of_their_row(
    amounts: tuple[str, ...], quantity: object, is_whole: bool, is_wrong: bool
) -> None:
    entries = [batch(nr, Decimal(amount)) for nr, amount in enumerate(amounts, 1)]
    total = f"{sum((abs(Decimal(amount)) for amount in amounts), Decimal(0))}".replace(".0", "")
    message = f"its batches total {total}, its quantity is {abs(int(str(quantity or 0)))}"
    expected = [("blocking", "batch_sum_mismatch", message)] if is_wrong else []
    assert against(row(*entries, quantity=quantity, is_whole=is_whole, **UNSEEN)) == expected


def test_a_batch_without_a_quantity_comes_to_nothing() -> None:
    assert against(row({"batch_id": 4, "quantity": None}, quantity=0, **UNSEEN)) == []


def test_a_batch_is_named_once_a_row_and_a_unit_once_a_request() -> None:
    twice = ("blocking", "duplicate_row_overrides")
    first = row(batch(4, 1), batch(4, 1), batch(5, 1), **UNSEEN)
    second = row(batch(4, 3), path="rows[1].traceability", **UNSEEN)
    assert against(first, second) == [(*twice, "batch_id 4 is named twice: name it once")]
    first = row(*unit(4, 5, 4), **UNSEEN)
    second = row(*unit(6, 5, 7), path="rows[1].traceability", **UNSEEN)
    assert against(first, second) == [
        (*twice, "serial_number_id 4 is named twice: name it once"),
        (*twice, "serial_number_id 5 is named twice: name it once"),
    ]
    many = [*range(1, 12), *range(1, 12)]
    named = ", ".join(map(str, range(1, 11)))
    assert against(row(*unit(*many), quantity=22, **UNSEEN)) == [
        (*twice, f"serial_number_id {named} and 1 more is named twice: name it once")
    ]


STOCK: tuple[Record, ...] = (
    {"batch_id": 4, "variant_id": 7, "location_id": 1, "batch_number": "B-4", "quantity_in_stock": Decimal(2)},
    {"batch_id": 4, "variant_id": 7, "location_id": 2, "batch_number": "B-4", "quantity_in_stock": Decimal(9)},
    {"batch_id": 3, "variant_id": 7, "location_id": 1, "quantity_in_stock": None},
    {"batch_id": 9, "variant_id": 8, "location_id": 1, "batch_number": "B-9", "quantity_in_stock": Decimal(9)},
    {"variant_id": 7, "batch_number": "none"},
)


def test_a_batch_that_leaves_has_to_be_there_and_one_that_comes_may_be_new() -> None:
    missing = "has no batch 9, 8"
    entries = [batch(9, 1), batch(8, 1), batch(4, 1)]
    assert against(row(*entries), batches=STOCK) == [
        ("blocking", "not_found", f"BOLT {missing}; it has 3 (3), B-4 (4)")
    ]
    assert against(row(*entries), named=False) == [("blocking", "not_found", f"variant 7 {missing}, 4; it has none")]
    why = "that ever had stock: Katana tells when the plan is applied whether there is such a batch"
    assert against(row(*entries, leaves=False), batches=STOCK) == [("advisory", "not_found", f"BOLT {missing} {why}")]
    assert against(row(*entries, **UNSEEN), batches=STOCK) == []
    assert against(row(*entries, variant=None), batches=STOCK) == []
    assert against(row(batch(4, 1), is_whole=False), batches=STOCK) == []


def test_more_of_a_batch_than_lies_at_the_location_is_told_by_all_rows_together() -> None:
    first, second = row(batch(4, -1), quantity=1), row(batch(4, 2), quantity=2, path="rows[1].traceability")
    short = ("advisory", "insufficient_stock")
    assert against(first, second, batches=STOCK) == [
        (*short, "2 of batch B-4, of which 1 are left there by the rows before it")
    ]
    taken = [row(batch(4, 3), quantity=3), row(batch(4, 1), quantity=1, path="rows[1].traceability")]
    assert against(*taken, batches=STOCK) == [
        (*short, "3 of batch B-4, of which 2 lie there"),
        (*short, "1 of batch B-4, of which 0 are left there by the rows before it"),
    ]
    assert against(row(batch(4, 2), quantity=2), batches=STOCK) == []
    assert against(row(batch(4, 9), quantity=9, place=2), batches=STOCK) == []
    assert against(row(batch(4, 10), quantity=10, place=2), batches=STOCK) == [
        (*short, "10 of batch B-4, of which 9 lie there")
    ]
    assert against(row(batch(3, 1), quantity=1), batches=STOCK) == [(*short, "1 of batch 3, of which 0 lie there")]
    assert against(row(batch(4, 9), quantity=9, leaves=False), batches=STOCK) == []
    assert against(row(batch(4, 9), quantity=9, **UNSEEN), batches=STOCK) == []
    assert against(row(*unit(1), batch(4, 9), quantity=9, is_whole=False), batches=STOCK) == [
        ("blocking", "not_found", "BOLT has no serial number 1 at its location; none is there"),
        (*short, "9 of batch B-4, of which 2 lie there"),
    ]


THERE: tuple[Record, ...] = (
    {"variant_id": 7, "location_id": 1, "serial_number_id": 22},
    {"variant_id": 7, "location_id": 1, "serial_number_id": 21},
    {"variant_id": 7, "location_id": 2, "serial_number_id": 23},
    {"variant_id": 8, "location_id": 1, "serial_number_id": 24},
    {"variant_id": 7, "location_id": 1},
)
SERIALS: tuple[Record, ...] = (
    {"id": 21, "serial_number": "U-21", "in_stock": True},
    {"id": 22, "serial_number": "U-22", "in_stock": True},
    {"id": 23, "in_stock": True},
    {"id": 25, "serial_number": "U-25", "in_stock": False},
    {"serial_number": "none"},
)


def units_of(*keys: int, **fields: Any) -> list[tuple[str, str | None, str]]:  # noqa: ANN401 - of a traced row
    """Return what speaks against units of a row, of which the account has some."""
    return against(row(*unit(*keys), quantity=len(keys), **fields), units=THERE, numbers=SERIALS)


def test_a_unit_that_leaves_has_to_be_at_the_location() -> None:
    assert units_of(21, 22) == []
    there = "at its location; there are U-21 (21), U-22 (22)"
    assert units_of(21, 23, 24) == [("blocking", "not_found", f"BOLT has no serial number 23, 24 {there}")]
    assert units_of(21, place=3) == [
        ("blocking", "not_found", "BOLT has no serial number U-21 (21) at its location; none is there")
    ]
    assert (units_of(99, place=None), units_of(99, variant=None), units_of(99, **UNSEEN)) == ([], [], [])


def test_a_unit_that_comes_has_to_be_known_and_out_of_stock() -> None:
    assert units_of(25, leaves=False) == []
    assert units_of(25, 98, leaves=False, place=None) == [("blocking", "not_found", "BOLT has no serial number 98")]
    assert units_of(21, 25, 23, leaves=False) == [
        ("blocking", "invalid_argument", "U-21 (21), 23 is in stock already: it cannot be new")
    ]


def test_ten_units_are_named() -> None:
    keys = range(100, 111)
    named = ", ".join(map(str, keys[:10]))
    assert units_of(*keys, leaves=False) == [("blocking", "not_found", f"BOLT has no serial number {named} and 1 more")]


def reserved(*held: Mapping[str, object], **fields: Any) -> list[tuple[str, str | None, str]]:  # noqa: ANN401 - of a traced row
    """Return what speaks against a unit that these movements are of."""
    numbers: tuple[Record, ...] = ({"id": 21, "serial_number": "U-21", "transactions": list(held)},)
    return against(row(*unit(21), quantity=1, **fields), units=THERE, numbers=numbers)


SOLD: Mapping[str, object] = {"resource_type": "SalesOrderRow", "resource_id": 60, "transaction_date": None}


def test_a_unit_that_another_row_of_a_sales_order_reserves_is_told() -> None:
    taken = "U-21 (21) is reserved for row 60 of a sales order"
    assert reserved(SOLD) == [("advisory", "in_use", f"{taken}, which loses it")]
    why = f"{taken}: release it there first, with traceability [], then plan this one"
    assert reserved(SOLD, {**SOLD, "resource_id": 61}, reserves=True) == [("blocking", "in_use", why)]
    assert reserved({**SOLD, "resource_id": 50}, SOLD, reserves=True) == [("blocking", "in_use", why)]
    own = {**SOLD, "resource_id": 50}
    others = ({**SOLD, "resource_type": "Production"}, {**SOLD, "transaction_date": "2026-03-01"})
    assert reserved(own, *others, reserves=True) == []
    missing = "BOLT has no serial number U-21 (21) at its location; there are 23"
    assert reserved(SOLD, place=2) == [("blocking", "not_found", missing)]


def test_each_unit_that_is_reserved_is_told() -> None:
    numbers: tuple[Record, ...] = (
        {"id": 21, "serial_number": "U-21"},
        {"id": 22, "serial_number": "U-22", "transactions": [SOLD]},
    )
    assert against(row(*unit(21, 22), quantity=2), units=THERE, numbers=numbers) == [
        ("advisory", "in_use", "U-22 (22) is reserved for row 60 of a sales order, which loses it")
    ]
