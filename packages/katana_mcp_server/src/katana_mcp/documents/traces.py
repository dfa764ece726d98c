"""What goods of a row are traced by, as Katana shows and takes it: batches, serial numbers and bins."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Annotated, cast

from pydantic import AfterValidator, PlainSerializer
from pydantic import Field as Argument

from cache_core.records import Record, canonical
from katana_mcp.documents.quantities import BatchQuantity
from katana_mcp.documents.transition import State
from katana_mcp.tools.answers import plain_number
from katana_mcp.values import ids, number, rows

TRACE = "trace"
"""Of a row, or of what a document took of one: its batches, serial numbers and bins."""
type Entry = dict[str, object]


def _as_values(found: list[BatchQuantity]) -> list[Entry]:
    return [one.model_dump() for one in found]


def _as_they_are(found: list[Entry]) -> list[Entry]:
    return found


type Batches = Annotated[
    list[BatchQuantity], Argument(max_length=50), AfterValidator(_as_values), PlainSerializer(_as_they_are)
]
"""How much is of which batch, as values that a document can hold."""


def traces(row: Record) -> list[Entry]:
    """Return what a row's goods were traced by, as it is sent; goods in no batch and no bin are not named."""
    units = [{"serial_number_id": unit} for unit in ids(row, "serial_numbers") or ()]
    found = rows(row, "traceability") or rows(row, "batch_transactions") or cast("list[Record]", units)
    named = [
        {name: entry[name] for name in ("batch_id", "serial_number_id", "bin_location_id") if entry.get(name)}
        | ({} if entry.get("serial_number_id") else {"quantity": _amount(entry.get("quantity"))})
        for entry in found
    ]
    return [cast("Entry", canonical(entry)) for entry in named if entry.keys() - {"quantity"}]


def _amount(value: object) -> Decimal:
    return Decimal(str(value or 0)).normalize()


def traced(entries: Iterable[State]) -> list[str]:
    """Return entries so that they can be compared, whatever their order."""
    return sorted(
        str([entry.get("batch_id"), entry.get("serial_number_id"), entry.get("bin_location_id"), _sum(entry)])
        for entry in entries
    )


def _sum(entry: State) -> str:
    return f"{_amount(entry.get('quantity')):f}"


def retraced(old: State, quantity: object, batches: Sequence[State] | None) -> list[Entry]:
    """Return what a row is traced by: what is asked for, or what it was, where one batch takes all that it is now."""
    if batches is not None:
        return [cast("Entry", canonical({"batch_id": one["batch_id"], "quantity": one["quantity"]})) for one in batches]
    own = {"quantity": quantity} if is_of_one(old) else {}
    return [{**entry, **own} for entry in rows(old, TRACE)]


def is_of_one(row: State) -> bool:
    """Return whether all of a row is of one batch, or in one bin."""
    held = rows(row, TRACE)
    return len(held) == 1 and number(held[0], "quantity") == number(row, "quantity")


def is_of_units(row: State) -> bool:
    """Return whether a row holds serial numbers."""
    return any("serial_number_id" in entry for entry in rows(row, TRACE))


def in_trace(row: State) -> Decimal:
    """Return how much of a row is traced; a serial number is one."""
    return sum(
        (Decimal(1) if "serial_number_id" in entry else _amount(entry.get("quantity")) for entry in rows(row, TRACE)),
        Decimal(0),
    )


def in_batches(row: State) -> str | None:
    """Return the batches of a row in words: `3 of batch 7, 2 of batch 9`."""
    batches = [
        f"{plain_number(amount)} of batch {entry['batch_id']}"
        for entry in rows(row, TRACE)
        if "batch_id" in entry and (amount := number(entry, "quantity")) is not None
    ]
    return ", ".join(batches) or None


def in_units(row: State) -> str | None:
    """Return the serial numbers of a row in words: `7, 9`."""
    numbers = sorted(str(entry["serial_number_id"]) for entry in rows(row, TRACE) if "serial_number_id" in entry)
    return ", ".join(numbers) or None
