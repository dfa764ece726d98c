"""Batches and serial numbers that a request names for a row: how they are given, as the row holds them, and checked.

A serial number is one unit. Amounts of batches are above 0; what goes is told by the quantity of the row.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Self, cast

from pydantic import AfterValidator, WithJsonSchema, model_validator
from pydantic import Field as Argument

from cache_core.records import Record, canonical
from katana_mcp.documents.declaration import BOTH, Field
from katana_mcp.documents.traces import Entry, traces
from katana_mcp.documents.transition import Facts, State
from katana_mcp.documents.usual_fields import Made, PartId, Reference
from katana_mcp.references.live_reads import LiveRead
from katana_mcp.references.services import Services
from katana_mcp.references.tracked_stock import batch_records, number_records, unit_records
from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.requests import Request
from katana_mcp.values import get_int, number, rows

TRACEABILITY, BINS = "traceability", "bin_locations"
"""Of a row: its batches and serial numbers as a request gives them, and the bins that it names besides."""
BATCHES, UNITS, NUMBERS = "stocked batches", "stocked units", "serial numbers"
"""Where facts hold the batches of goods, their units at a location, and all serial numbers."""


class TracedQuantity(Request):
    """How much of a row is of a batch, or one unit of it by its serial number."""

    batch_id: Reference | None = None
    quantity: Made | None = None
    serial_number_id: PartId | None = None

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if (self.batch_id is None) == (self.serial_number_id is None):
            raise ValueError("needs batch_id with quantity, or serial_number_id: the one or the other")
        if self.batch_id is not None and self.quantity is None:
            raise ValueError("needs quantity: how much is of the batch")
        if self.serial_number_id is not None and self.quantity not in (None, 1):
            raise ValueError("quantity of a serial number is 1: leave it out")
        return self


_SCHEMA = {
    "maxItems": 500,
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "batch_id": {"type": ["integer", "string"]},
            "quantity": {"type": "number"},
            "serial_number_id": {"type": "integer"},
        },
    },
}


def _tracked_one_way(entries: list[TracedQuantity]) -> list[TracedQuantity]:
    if len({entry.batch_id is None for entry in entries}) > 1:
        raise ValueError("names batches and serial numbers: goods are kept in batches or by serial number, never both")
    return entries


type Traceability = Annotated[
    list[TracedQuantity], Argument(max_length=500), AfterValidator(_tracked_one_way), WithJsonSchema(_SCHEMA)
]


def traced_field(verbs: tuple[Verb, ...] = BOTH) -> Field:
    """Return the field of a row that holds what its goods are traced by; an empty list takes all of it away."""
    return Field(
        TRACEABILITY, Traceability, verbs=verbs, clears=False, filled=True, in_words=_in_words, is_unlined=True
    )


def _in_words(value: object) -> str:
    entries = cast("Sequence[State]", value or ())
    units = [str(entry["serial_number_id"]) for entry in entries if entry.get("serial_number_id") is not None]
    batches = [
        f"{plain_number(abs(number(entry, 'quantity') or Decimal(0)))} of batch_id {entry['batch_id']}"
        for entry in entries
        if entry.get("batch_id") is not None
    ]
    return ", ".join([*batches, *([f"serial_number_id {', '.join(units)}"] if units else [])])


def with_traces(document: State, held: str) -> State:
    """Return a document of which each row holds its batches and serial numbers as a request gives them."""
    return {**document, held: [{**row, **_read(row)} for row in rows(document, held)]}


def _read(row: Record) -> dict[str, object]:
    entries, found = traces(row), dict[tuple[object, object], Decimal]()
    for entry in entries:
        key = entry.get("batch_id"), entry.get("serial_number_id")
        if key != (None, None):
            found[key] = found.get(key, Decimal(0)) + abs(number(entry, "quantity") or Decimal(0))
    named: list[Entry] = [
        {"serial_number_id": unit} if unit is not None else {"batch_id": batch, "quantity": amount}
        for (batch, unit), amount in found.items()
    ]
    bins = [entry["bin_location_id"] for entry in entries if _is_in_bin(entry)]
    return {TRACEABILITY: canonical({"of": named})["of"], BINS: bins}


def _is_in_bin(entry: Record) -> bool:
    """Return whether an entry names a bin that nothing else tells: that of a unit is where the unit lies."""
    return bool(entry.get("bin_location_id")) and not entry.get("serial_number_id")


def as_sent(row: State, _: State, facts: Facts) -> State:
    """Return a new row as it is sent: every entry has a quantity, below 0 where the row's is; a unit leaves its bin."""
    entries, sign = rows(row, TRACEABILITY), -1 if (number(row, "quantity") or 0) < 0 else 1
    if not entries:
        return {name: value for name, value in row.items() if name != TRACEABILITY}
    bins = {unit["serial_number_id"]: unit.get("bin_location_id") for unit in facts.beside.get(UNITS, ())}
    named = [
        {**entry, "quantity": (number(entry, "quantity") or Decimal(1)) * sign}
        | ({} if (lies_in := bins.get(entry.get("serial_number_id"))) is None else {"bin_location_id": lies_in})
        for entry in entries
    ]
    return {**row, TRACEABILITY: canonical({"of": named})["of"]}


@dataclass(frozen=True, slots=True)
class TracedRow:
    """A row that names batches or serial numbers.

    Attributes:
        path: of the argument.
        row: as it would be.
        place: the location that the goods lie at, by id; None where nothing says it.
        leaves: whether the goods have to be there.
        is_whole: whether all of the row has to be named.
        is_looked_up: whether what it names is looked for in Katana.
        reserves: whether it is of a sales order, and reserves what it names.
    """

    path: str
    row: State
    place: int | None
    leaves: bool = True
    is_whole: bool = True
    is_looked_up: bool = True
    reserves: bool = False

    @property
    def entries(self) -> Sequence[State]:
        """Its batches and serial numbers."""
        return rows(self.row, TRACEABILITY)

    @property
    def variant(self) -> int | None:
        """What the row is of; None where that is not known."""
        return get_int(self.row, "variant_id")

    def ids(self, name: str) -> list[int]:
        """Return the batches, or the units, that it names."""
        return [key for entry in self.entries if (key := get_int(entry, name)) is not None]


async def with_stock(facts: Facts, traced: Iterable[TracedRow], services: Services) -> Facts:
    """Return the facts with the batches of goods, their units at the location and all numbers, as Katana has them now.

    Raises:
        Refused: Katana does not say.
    """
    named = [(row, row.variant) for row in traced if row.entries and row.is_looked_up]
    batches = sorted({variant for row, variant in named if variant is not None and row.ids("batch_id")})
    units = {(row.place, variant) for row, variant in named if row.ids("serial_number_id")}
    if not batches and not units:
        return facts
    live = LiveRead.begin(services)
    there = sorted((place, variant) for place, variant in units if place is not None and variant is not None)
    found = {
        BATCHES: tuple(await batch_records(batches, live)),
        UNITS: tuple([record for place, variant in there for record in await unit_records(place, variant, live)]),
        NUMBERS: tuple(await number_records(live)) if units else (),
    }
    return replace(facts, beside={**facts.beside, **found})
