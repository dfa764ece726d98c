"""The batches, units and serial numbers that a plan reads of Katana for the rows that name some, and for no others."""

from collections.abc import AsyncIterator, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from cache_core.records import Record
from cache_core.testing import ManualClock
from katana_mcp.documents.tracking import BATCHES, NUMBERS, UNITS, TracedRow, with_stock
from katana_mcp.documents.transition import Facts

if TYPE_CHECKING:
    from katana_mcp.references.services import Services


class Serial:
    """A serial number as the client reads it."""

    def model_dump(self) -> Record:
        """Return its fields."""
        return {"id": 8}


class Stock:
    """What the client lists, with what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[dict[str, object]] = []

    async def pages(self, **filters: object) -> AsyncIterator[SimpleNamespace]:
        """Yield one page with a row that says what was asked for."""
        self.asked.append(filters)
        row = {"of": filters["variant_id"], "serial_number_id": 8, "quantity_in_stock": 1}
        yield SimpleNamespace(valid_records=[row], is_last=True)

    async def read_all(self) -> Sequence[Serial]:
        """Return all serial numbers."""
        self.asked.append({"all": True})
        return [Serial()]


def row(variant: int | None, *entries: Record, place: int | None = 1, is_looked_up: bool = True) -> TracedRow:
    """Return a row that names these batches and units."""
    state = {"variant_id": variant, "traceability": [*entries]}
    return TracedRow("rows[0]", state, place, is_looked_up=is_looked_up)


BATCH: Record = {"batch_id": 4, "quantity": 1}
UNIT: Record = {"serial_number_id": 8}
BATCHES_OF = {variant: {"variant_id": variant, "include_empty": True} for variant in (5, 7)}
UNITS_OF = {
    (place, variant): {"granularity": "SERIAL_NUMBER", "variant_id": variant, "location_id": place}
    for place, variant in ((1, 5), (1, 7), (2, 5))
}
EVERY = {"all": True}


READ: list[tuple[list[TracedRow], list[Record], tuple[list[int], list[int], int]]] = [
    ([row(7, BATCH), row(5, BATCH), row(7, BATCH)], [BATCHES_OF[5], BATCHES_OF[7]], ([5, 7], [], 0)),
    (
        [row(7, UNIT), row(5, UNIT, place=2), row(5, UNIT), row(7, UNIT)],
        [UNITS_OF[1, 5], UNITS_OF[1, 7], UNITS_OF[2, 5], EVERY],
        ([], [5, 7, 5], 1),
    ),
    ([row(7, UNIT, place=None), row(None, UNIT), row(None, BATCH)], [EVERY], ([], [], 1)),
    ([row(7, BATCH), row(5, UNIT)], [BATCHES_OF[7], UNITS_OF[1, 5], EVERY], ([7], [5], 1)),
]


@pytest.mark.parametrize(("rows", "asked", "found"), READ)
async def test_only_what_rows_name_is_read(
    rows: list[TracedRow], asked: list[Record], found: tuple[list[int], list[int], int]
) -> None:
    stock = Stock()
    client = SimpleNamespace(bin_inventory=stock, batch_stocks=stock, serial_numbers_stock=stock)
    services = cast("Services", SimpleNamespace(client=client, clock=ManualClock()))
    facts = Facts(taken=(3,), beside={"cost": ({"id": 1},), BATCHES: ({"id": 2},)})
    beside = (await with_stock(facts, rows, services)).beside
    assert stock.asked == asked
    assert beside.keys() == {"cost", BATCHES, UNITS, NUMBERS}
    read = ([one["of"] for one in beside[BATCHES]], [one["of"] for one in beside[UNITS]], len(beside[NUMBERS]))
    assert (read, beside["cost"]) == (found, ({"id": 1},))
    assert (await with_stock(facts, rows, services)).taken == (3,)


@pytest.mark.parametrize("rows", [[], [row(7)], [row(7, BATCH, UNIT, is_looked_up=False)], [row(None, BATCH)]])
async def test_nothing_is_read_where_no_row_names_any(rows: list[TracedRow]) -> None:
    facts = Facts(taken=(3,))
    assert await with_stock(facts, rows, cast("Services", SimpleNamespace())) is facts
