"""Batches and serial numbers that a request names for a row: how they are given, as the row holds them, and checked.

A serial number is one unit. Amounts of batches are above 0; what goes is told by the quantity of the row.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Self, cast

from pydantic import AfterValidator, WithJsonSchema, model_validator
from pydantic import Field as Argument

from cache_core.records import Record, canonical
from katana_mcp.documents.declaration import BOTH, Field
from katana_mcp.documents.traces import Entry, traces
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.documents.usual_fields import Made, PartId
from katana_mcp.references.display_names import text
from katana_mcp.references.live_reads import LiveRead
from katana_mcp.references.services import Services
from katana_mcp.references.tracked_stock import batch_records, unit_records
from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of, plain_number
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import get_int, number, rows

TRACEABILITY, BINS = "traceability", "bin_locations"
"""Of a row: its batches and serial numbers as a request gives them, and the bins that it names besides."""
_BATCHES, _UNITS, _NAMED = "stocked batches", "stocked units", 10


class TracedQuantity(Request):
    """How much of a row is of a batch, or one unit of it by its serial number."""

    batch_id: PartId | None = None
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
            "batch_id": {"type": "integer"},
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
        f"{plain_number(abs(number(entry, 'quantity') or Decimal(0)))} of batch {entry['batch_id']}"
        for entry in entries
        if entry.get("batch_id") is not None
    ]
    named = [*batches, *([f"serial number {', '.join(units)}"] if units else [])]
    return ", ".join(named)


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
    bins = {unit["serial_number_id"]: unit.get("bin_location_id") for unit in facts.beside.get(_UNITS, ())}
    named = [
        {**entry, "quantity": (number(entry, "quantity") or Decimal(1)) * sign}
        | ({} if (lies_in := bins.get(entry.get("serial_number_id"))) is None else {"bin_location_id": lies_in})
        for entry in entries
    ]
    return {**row, TRACEABILITY: canonical({"of": named})["of"]}


@dataclass(frozen=True, slots=True)
class TracedRow:
    """A row of which a request names batches or serial numbers.

    Attributes:
        path: of the argument.
        row: as it would be.
        place: the location that the goods lie at, by id; None where nothing says it.
        leaves: whether the goods have to be there.
        is_whole: whether all of the row has to be named.
    """

    path: str
    row: State
    place: int | None
    leaves: bool = True
    is_whole: bool = True

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
    """Return the facts with the batches of goods and the units at their location, as Katana has them now.

    Raises:
        Refused: Katana does not say.
    """
    named = [(row, row.variant) for row in traced if row.entries]
    batches = sorted({variant for row, variant in named if variant is not None and row.ids("batch_id")})
    units = {
        (row.place, variant)
        for row, variant in named
        if row.place is not None and variant is not None and row.leaves and row.ids("serial_number_id")
    }
    if not batches and not units:
        return facts
    live = LiveRead.begin(services)
    lying = [record for place, variant in sorted(units) for record in await unit_records(place, variant, live)]
    found = {_BATCHES: tuple(await batch_records(batches, live)), _UNITS: tuple(lying)}
    return replace(facts, beside={**facts.beside, **found})


def trace_checks(change: Transition, traced: Iterable[TracedRow]) -> Iterator[ToolWarning]:
    """Yield what is wrong with batches and serial numbers: amounts, which are not there, and what is named twice."""
    seen = set[tuple[str, int]]()
    for row in traced:
        called = _called(change.facts, row)
        yield from _sums(row)
        yield from _batches(change.facts, row, called)
        yield from _units(change.facts, row, called)
        for name in ("batch_id", "serial_number_id"):
            for key in row.ids(name):
                mine = (name if name == "serial_number_id" else f"{row.path} {name}", key)
                if mine in seen:
                    message = f"{row.path}: {name} {key} is named twice: name it once"
                    yield blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, message, row.path)
                seen.add(mine)


def _called(facts: Facts, row: TracedRow) -> str:
    goods = facts.with_id("variant", row.variant)
    return f"variant {row.variant}" if goods is None else goods.called


def _sums(row: TracedRow) -> Iterator[ToolWarning]:
    units, quantity = row.ids("serial_number_id"), abs(number(row.row, "quantity") or Decimal(0))
    in_batches = [abs(number(entry, "quantity") or Decimal(0)) for entry in row.entries if entry.get("batch_id")]
    batches = sum(in_batches, Decimal(0))
    if units and (len(units) > quantity or (row.is_whole and len(units) != quantity)):
        message = f"{row.path}: {len(units)} serial numbers were given for a quantity of {plain_number(quantity)}"
        yield blocking(warning_codes.SERIAL_COUNT_MISMATCH, message, row.path)
    elif in_batches and (batches > quantity or (row.is_whole and batches != quantity)):
        message = f"{row.path}: its batches come to {plain_number(batches)}, its quantity is {plain_number(quantity)}"
        yield blocking(warning_codes.BATCH_SUM_MISMATCH, message, row.path)


def _batches(facts: Facts, row: TracedRow, called: str) -> Iterator[ToolWarning]:
    held = [record for record in facts.beside.get(_BATCHES, ()) if record.get("variant_id") == row.variant]
    there = {
        key: text(record, "batch_number") or str(key)
        for record in held
        if (key := get_int(record, "batch_id")) is not None
    }
    for entry in row.entries:
        key, amount = get_int(entry, "batch_id"), abs(number(entry, "quantity") or Decimal(0))
        if key is None or row.variant is None:
            continue
        if key not in there:
            has = first_of([f"{name} ({batch})" for batch, name in sorted(there.items())], _NAMED)
            message = f"{row.path}: {called} has no batch {key}; {f'it has {has}' if has else 'it has none'}"
            yield blocking(warning_codes.NOT_FOUND, message, row.path)
            continue
        mine = [record for record in held if (record.get("batch_id"), record.get("location_id")) == (key, row.place)]
        lies = sum((number(record, "quantity_in_stock") or Decimal(0) for record in mine), Decimal(0))
        if row.leaves and amount > lies:
            message = (
                f"{row.path}: {plain_number(amount)} of batch {there[key]}, of which {plain_number(lies)} lie there"
            )
            yield advisory(warning_codes.INSUFFICIENT_STOCK, message, row.path)


def _units(facts: Facts, row: TracedRow, called: str) -> Iterator[ToolWarning]:
    if not row.leaves or row.variant is None:
        return
    there = [
        key
        for record in facts.beside.get(_UNITS, ())
        if (record.get("variant_id"), record.get("location_id")) == (row.variant, row.place)
        and (key := get_int(record, "serial_number_id")) is not None
    ]
    missing = [str(key) for key in row.ids("serial_number_id") if key not in there]
    if missing:
        has = f"there are {first_of([str(key) for key in sorted(there)], _NAMED)}" if there else "none is there"
        message = f"{row.path}: {called} has no serial number {first_of(missing, _NAMED)} at its location; {has}"
        yield blocking(warning_codes.NOT_FOUND, message, row.path)
