"""From which batches and serial numbers a shipment takes: those that are named, or the batches that expire first."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from katana_mcp.documents.goods import is_marked
from katana_mcp.documents.quantities import Portion
from katana_mcp.documents.transition import Facts, State
from katana_mcp.entities.sales_orders.fulfilling.request import ShippedRow
from katana_mcp.entities.sales_orders.shipped_goods import place_of
from katana_mcp.references.display_names import text
from katana_mcp.tools.answers import plain_number
from katana_mcp.values import EMPTY, get_int, number, rows

BATCHES = "batch_stock"
"""Where facts hold how much of each batch is where."""
_NEVER = "9999"
type Entry = Mapping[str, object]


def takes_first_expiring(facts: Facts, portion: Portion[ShippedRow]) -> bool:
    """Return whether batches are to be chosen: nobody named any, and the row has none of its own."""
    row = portion.row
    if row is None or not is_marked(facts, row, "batch_tracked") or (portion.asked and portion.asked.batches):
        return False
    return not any(record.get("batch_id") for record in (*rows(row, "batch_transactions"), *rows(row, "traceability")))


def traced(facts: Facts, order: State, portions: Sequence[Portion[ShippedRow]]) -> dict[int, list[Entry]]:
    """Return the batches and serial numbers of each row, by its id; left out is what Katana takes by itself."""
    used: dict[tuple[int | None, int | None], Decimal] = {}
    found: dict[int, list[Entry]] = {}
    for portion in portions:
        asked = portion.asked
        if asked is not None and asked.serial_number_ids:
            found[portion.key] = [
                {"serial_number_id": serial_number_id, "quantity": 1} for serial_number_id in asked.serial_number_ids
            ]
        elif asked is not None and asked.batches:
            named: list[Entry] = [{"batch_id": batch.batch_id, "quantity": batch.quantity} for batch in asked.batches]
            found[portion.key] = with_rest(named, portion.quantity)
        elif portion.row is not None and takes_first_expiring(facts, portion):
            taken = [*_first_expiring(facts, portion.row, place_of(order, portion.row), portion.quantity, used)]
            found |= {portion.key: with_rest(taken, portion.quantity)} if taken else {}
    return found


def with_rest(entries: list[Entry], quantity: Decimal) -> list[Entry]:
    """Return entries with what is in no batch: Katana wants them to come to the quantity of the row."""
    rest = quantity - sum((number(entry, "quantity") or Decimal(0) for entry in entries), Decimal(0))
    return [*entries, {"batch_id": None, "quantity": rest}] if rest > 0 else entries


def _stocked(facts: Facts, row: State, place: int | None) -> list[State]:
    """Return the batches of a row's goods at a place, that which expires first before others."""
    found = [
        record
        for record in facts.beside.get(BATCHES, ())
        if (record.get("variant_id"), record.get("location_id")) == (row.get("variant_id"), place)
    ]
    return sorted(
        found, key=lambda record: (text(record, "expiration_date") or _NEVER, get_int(record, "batch_id") or 0)
    )


def _first_expiring(
    facts: Facts, row: State, place: int | None, quantity: Decimal, used: dict[tuple[int | None, int | None], Decimal]
) -> Iterator[Entry]:
    """Yield what is taken of each batch; `used` holds what rows before this one took."""
    for batch in _stocked(facts, row, place):
        key = get_int(batch, "batch_id"), place
        amount = min(quantity, (number(batch, "quantity_in_stock") or Decimal(0)) - used.get(key, Decimal(0)))
        if amount > 0:
            used[key] = used.get(key, Decimal(0)) + amount
            quantity -= amount
            yield {"batch_id": key[0], "quantity": amount}


def in_words(facts: Facts, entries: Sequence[Entry]) -> str:
    """Return batches in words: `3 of B-12 (expires 2026-12-01), 2 of no batch`."""
    batches = {record.get("batch_id"): record for record in facts.beside.get(BATCHES, ())}
    phrases: list[str] = []
    for entry in entries:
        batch = batches.get(entry["batch_id"], EMPTY)
        until = text(batch, "expiration_date")
        name = text(batch, "batch_number") or ("no batch" if entry["batch_id"] is None else str(entry["batch_id"]))
        phrases.append(f"{plain_number(number(entry, 'quantity') or Decimal(0))} of {name}{_until(until)}")
    return ", ".join(phrases)


def _until(moment: str | None) -> str:
    return "" if moment is None else f" (expires {moment[: len('2026-12-01')]})"
