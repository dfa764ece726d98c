"""Batches, serial numbers and bins of a row: as a request gives them, as Katana holds them, and in words."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from cache_core.records import Record
from katana_mcp.documents.declaration import BOTH, ONLY_NEW
from katana_mcp.documents.quantities import BatchQuantity
from katana_mcp.documents.traces import (
    Batches,
    in_batches,
    in_trace,
    in_units,
    is_of_one,
    is_of_units,
    retraced,
    traced,
    traces,
)
from katana_mcp.documents.tracking import (
    BATCHES,
    BINS,
    NUMBERS,
    TRACEABILITY,
    UNITS,
    Traceability,
    TracedRow,
    as_sent,
    traced_field,
    with_traces,
)
from katana_mcp.documents.transition import Facts, State
from katana_mcp.surface.descriptor import Verb

GIVEN: TypeAdapter[Any] = TypeAdapter(Traceability)
PLAIN: TypeAdapter[Any] = TypeAdapter(Batches)


def refused(given: object) -> list[str]:
    """Return the sentences of what is wrong with what a request gives."""
    try:
        GIVEN.validate_python(given)
    except ValidationError as error:
        return [one["msg"].removeprefix("Value error, ") for one in error.errors()]
    return []


ONE_THING = "needs batch_id with quantity, or serial_number_id: the one or the other"
ONE_WAY = "names batches and serial numbers: goods are kept in batches or by serial number, never both"


TAKEN_OR_NOT: list[tuple[list[Record], list[str]]] = [
    ([], []),
    ([{"batch_id": 1, "quantity": 2}, {"batch_id": 2, "quantity": Decimal("0.00001")}], []),
    ([{"serial_number_id": 1}, {"serial_number_id": 2, "quantity": 1}], []),
    ([{}], [ONE_THING]),
    ([{"quantity": 1}], [ONE_THING]),
    ([{"batch_id": 1, "serial_number_id": 2, "quantity": 1}], [ONE_THING]),
    ([{"batch_id": 1}], ["needs quantity: how much is of the batch"]),
    ([{"serial_number_id": 1, "quantity": 2}], ["quantity of a serial number is 1: leave it out"]),
    ([{"batch_id": 1, "quantity": 1}, {"serial_number_id": 2}], [ONE_WAY]),
    ([{"batch_id": 1, "quantity": 0}], ["Input should be greater than or equal to Decimal('0.00001')"]),
    ([{"serial_number_id": nr} for nr in range(1, 501)], []),
    (
        [{"serial_number_id": nr} for nr in range(1, 502)],
        ["List should have at most 500 items after validation, not 501"],
    ),
]


@pytest.mark.parametrize(("given", "messages"), TAKEN_OR_NOT)
def test_a_request_names_amounts_of_batches_or_single_units(given: list[Record], messages: list[str]) -> None:
    assert refused(given) == messages
    if not messages:
        assert [entry.model_dump(exclude_none=True) for entry in GIVEN.validate_python(given)] == given


def test_what_is_asked_of_a_row_is_described_by_its_numbers() -> None:
    whole, number = {"type": "integer"}, {"type": "number"}
    properties = {"batch_id": {"type": ["integer", "string"]}, "quantity": number, "serial_number_id": whole}
    items = {"type": "object", "properties": properties}
    assert GIVEN.json_schema() == {"maxItems": 500, "type": "array", "items": items}


@pytest.mark.parametrize("verbs", [BOTH, ONLY_NEW])
def test_the_field_of_a_row_says_how_its_batches_and_units_are_shown(verbs: tuple[Verb, ...]) -> None:
    field = traced_field(verbs)
    assert (field.name, field.arg, field.kind, field.says) == (TRACEABILITY, TRACEABILITY, Traceability, "")
    assert (field.verbs, field.clears, field.filled, field.is_unlined) == (verbs, False, True, True)
    assert traced_field().verbs == BOTH


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""),
        ([], ""),
        ([{"batch_id": 4, "quantity": Decimal("-2.50")}, {"batch_id": 5}], "2.5 of batch_id 4, 0 of batch_id 5"),
        ([{"serial_number_id": 8}, {"serial_number_id": 9}], "serial_number_id 8, 9"),
        (
            [{"serial_number_id": 8, "batch_id": None}, {"batch_id": 4, "quantity": 1}],
            "1 of batch_id 4, serial_number_id 8",
        ),
    ],
)
def test_batches_and_units_of_a_row_are_told_in_words(value: object, expected: str) -> None:
    in_words = traced_field().in_words
    assert in_words is not None
    assert in_words(value) == expected


def held(row: Record) -> tuple[object, object]:
    """Return the batches and units of a row as a request would give them, and its bins."""
    read = with_traces({"id": 1, "rows": [{"id": 2, **row}]}, "rows")
    found = read["rows"]
    assert isinstance(found, list)
    (one,) = found  # pyright: ignore[reportUnknownVariableType] - rows
    assert {**read, "rows": []} == {"id": 1, "rows": []}
    assert one == {"id": 2, **row, TRACEABILITY: one[TRACEABILITY], BINS: one[BINS]}
    return one[TRACEABILITY], one[BINS]  # pyright: ignore[reportUnknownVariableType] - a row


@pytest.mark.parametrize(
    ("row", "named", "bins"),
    [
        ({}, [], []),
        (
            {"traceability": [{"batch_id": 4, "quantity": -2}, {"batch_id": 4, "quantity": "1.5"}, {"batch_id": 5}]},
            [{"batch_id": 4, "quantity": Decimal("3.5")}, {"batch_id": 5, "quantity": 0}],
            [],
        ),
        (
            {"traceability": [{"serial_number_id": 8, "bin_location_id": 3}, {"serial_number_id": 8}]},
            [{"serial_number_id": 8}],
            [],
        ),
        ({"traceability": [{"bin_location_id": 3, "quantity": 1}]}, [], [3]),
        (
            {
                "traceability": [
                    {"batch_id": 4, "bin_location_id": 6, "quantity": 1},
                    {"bin_location_id": 7, "quantity": 1},
                ]
            },
            [{"batch_id": 4, "quantity": 1}],
            [6, 7],
        ),
    ],
)
def test_a_row_is_read_with_its_batches_and_units_added_up(row: Record, named: object, bins: object) -> None:
    assert held(row) == (named, bins)


IN_BINS = Facts(beside={UNITS: ({"serial_number_id": 8, "bin_location_id": 3}, {"serial_number_id": 9})})


@pytest.mark.parametrize(
    ("row", "sent"),
    [
        ({"quantity": 2}, None),
        ({"quantity": 2, TRACEABILITY: []}, None),
        ({"quantity": 2, TRACEABILITY: [{"batch_id": 4, "quantity": Decimal(2)}]}, [{"batch_id": 4, "quantity": 2}]),
        ({"quantity": -2, TRACEABILITY: [{"batch_id": 4, "quantity": 2}]}, [{"batch_id": 4, "quantity": -2}]),
        ({TRACEABILITY: [{"batch_id": 4, "quantity": 2}]}, [{"batch_id": 4, "quantity": 2}]),
        ({"quantity": 0, TRACEABILITY: [{"serial_number_id": 9}]}, [{"serial_number_id": 9, "quantity": 1}]),
        (
            {"quantity": -1, TRACEABILITY: [{"serial_number_id": 8}, {"serial_number_id": 7}]},
            [{"serial_number_id": 8, "quantity": -1, "bin_location_id": 3}, {"serial_number_id": 7, "quantity": -1}],
        ),
    ],
)
def test_a_new_row_is_sent_with_signed_quantities_and_the_bins_of_units(row: State, sent: object) -> None:
    plain = {name: value for name, value in row.items() if name != TRACEABILITY}
    assert as_sent(row, {}, IN_BINS) == {**plain, **({} if sent is None else {TRACEABILITY: sent})}
    assert (BATCHES, NUMBERS) == ("stocked batches", "serial numbers")


def test_a_traced_row_says_what_it_is_of_and_what_it_names() -> None:
    entries = [{"batch_id": 4, "quantity": 1}, {"batch_id": None}, {"serial_number_id": 8}, {"batch_id": 5}]
    row = TracedRow("rows[0]", {"variant_id": 7, TRACEABILITY: entries}, 1)
    assert (row.variant, row.entries, row.ids("batch_id"), row.ids("serial_number_id")) == (7, entries, [4, 5], [8])
    assert (row.leaves, row.is_whole, row.is_looked_up, row.reserves) == (True, True, True, False)
    assert (TracedRow("rows[0]", {}, None).variant, TracedRow("rows[0]", {}, None).entries) == (None, [])


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({}, []),
        ({"serial_numbers": [8, 9]}, [{"serial_number_id": 8}, {"serial_number_id": 9}]),
        ({"batch_transactions": [{"batch_id": 4, "quantity": "2.0"}]}, [{"batch_id": 4, "quantity": 2}]),
        (
            {"traceability": [{"batch_id": 5, "quantity": "1.50"}], "batch_transactions": [{"batch_id": 4}]},
            [{"batch_id": 5, "quantity": Decimal("1.5")}],
        ),
        (
            {"traceability": [], "batch_transactions": [{"batch_id": 4}], "serial_numbers": [8]},
            [{"batch_id": 4, "quantity": 0}],
        ),
        ({"traceability": [{"quantity": 3}, {"batch_id": 0, "quantity": 3}]}, []),
        (
            {"traceability": [{"bin_location_id": 3, "quantity": 1}, {"serial_number_id": 8, "bin_location_id": 3}]},
            [{"bin_location_id": 3, "quantity": 1}, {"serial_number_id": 8, "bin_location_id": 3}],
        ),
    ],
)
def test_what_goods_are_traced_by_is_read_as_it_is_sent(row: Record, expected: list[Mapping[str, object]]) -> None:
    assert traces(row) == expected


def test_entries_are_compared_whatever_their_order() -> None:
    entries: list[State] = [
        {"batch_id": 9, "quantity": Decimal("20.0")},
        {"bin_location_id": 3},
        {"serial_number_id": 8},
    ]
    expected = ["[9, None, None, '20']", "[None, 8, None, '0']", "[None, None, 3, '0']"]
    assert traced(entries) == traced([*reversed(entries)]) == expected


BATCH: State = {"batch_id": 4, "quantity": Decimal(2)}
UNIT: State = {"serial_number_id": 8}


def of(*entries: State, quantity: object = 2) -> State:
    """Return a row that is traced by these."""
    return {"quantity": quantity, "trace": [*entries]}


@pytest.mark.parametrize(
    ("row", "batches", "expected"),
    [
        (of(BATCH), None, [{"batch_id": 4, "quantity": 5}]),
        (of(BATCH, quantity=3), None, [BATCH]),
        (of(BATCH, BATCH), None, [BATCH, BATCH]),
        (of(UNIT), None, [UNIT]),
        (of(), None, []),
        (of(BATCH), [], []),
        (
            of(BATCH),
            [{"batch_id": 6, "quantity": Decimal("1.5"), "more": 1}],
            [{"batch_id": 6, "quantity": Decimal("1.5")}],
        ),
    ],
)
def test_a_row_is_traced_by_what_is_asked_for_or_its_one_batch_takes_all(
    row: State, batches: Sequence[State] | None, expected: list[State]
) -> None:
    assert retraced(row, 5, batches) == expected


@pytest.mark.parametrize(
    ("row", "one", "units", "amount", "batches", "numbers"),
    [
        ({}, False, False, 0, None, None),
        (of(BATCH), True, False, 2, "2 of batch 4", None),
        (of(BATCH, quantity=3), False, False, 2, "2 of batch 4", None),
        (of({"batch_id": 4}, quantity=None), True, False, 0, None, None),
        (
            of(BATCH, {"batch_id": 5, "quantity": Decimal("0.5")}),
            False,
            False,
            Decimal("2.5"),
            "2 of batch 4, 0.5 of batch 5",
            None,
        ),
        (of({"serial_number_id": 10, "quantity": 7}, UNIT), False, True, 2, None, "10, 8"),
        (of({"bin_location_id": 3, "quantity": 2}), True, False, 2, None, None),
    ],
)
def test_what_a_row_is_traced_by_is_counted_and_told(  # noqa: PLR0913, PLR0917 - each function's answer
    row: State, one: bool, units: bool, amount: object, batches: str | None, numbers: str | None
) -> None:
    assert (is_of_one(row), is_of_units(row), in_trace(row)) == (one, units, amount)
    assert (in_batches(row), in_units(row)) == (batches, numbers)


def test_asked_batches_are_held_as_values() -> None:
    entry = {"batch_id": 4, "quantity": Decimal(2)}
    found = PLAIN.validate_python([BatchQuantity(batch_id=4, quantity=Decimal(2))])
    assert (found, PLAIN.dump_python(found)) == ([entry], [entry])
    assert len(PLAIN.validate_python([entry] * 50)) == 50
    with pytest.raises(ValidationError, match="List should have at most 50 items after validation, not 51"):
        PLAIN.validate_python([entry] * 51)
