"""What speaks against the batches and serial numbers of rows: amounts, what is not there, and what is promised."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from cache_core.records import Record
from katana_mcp.documents.tracking import BATCHES, NUMBERS, UNITS, TracedRow
from katana_mcp.documents.transition import Facts, Transition
from katana_mcp.references.display_names import text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of, plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import get_bool, get_int, number, rows

_NAMED = 10
_SOLD = "SalesOrderRow"


def trace_checks(change: Transition, traced: Sequence[TracedRow]) -> Iterator[ToolWarning]:
    """Yield what is wrong with batches and serial numbers: amounts, which are not there, and what is named twice."""
    seen = set[tuple[str, int]]()
    for row in traced:
        yield from _sums(row)
        if row.is_looked_up:
            yield from _batches(change.facts, row)
            yield from _units(change.facts, row)
        for name, scope in (("batch_id", row.path), ("serial_number_id", "")):
            keys = [(scope, key) for key in row.ids(name)]
            twice = [str(key[1]) for nr, key in enumerate(keys) if key in seen or key in keys[:nr]]
            seen.update(keys)
            if twice:
                message = f"{row.path}: {name} {first_of(twice, _NAMED)} is named twice: name it once"
                yield blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, message, row.path)
    yield from _overdrawn(change.facts, [row for row in traced if row.leaves and row.is_looked_up])


def _called(facts: Facts, row: TracedRow) -> str:
    goods = facts.with_id("variant", row.variant)
    return f"variant {row.variant}" if goods is None else goods.called


def _amount(entry: Record) -> Decimal:
    return abs(number(entry, "quantity") or Decimal(0))


def _sums(row: TracedRow) -> Iterator[ToolWarning]:
    units, quantity = len(row.ids("serial_number_id")), abs(number(row.row, "quantity") or Decimal(0))
    in_batches = [_amount(entry) for entry in row.entries if entry.get("batch_id")]
    batches = sum(in_batches, Decimal(0))
    if units and (units > quantity or (row.is_whole and units != quantity)):
        message = f"{row.path}: its serial numbers are {units}, its quantity is {plain_number(quantity)}"
        yield blocking(warning_codes.SERIAL_COUNT_MISMATCH, message, row.path)
    elif in_batches and (batches > quantity or (row.is_whole and batches != quantity)):
        message = f"{row.path}: its batches total {plain_number(batches)}, its quantity is {plain_number(quantity)}"
        yield blocking(warning_codes.BATCH_SUM_MISMATCH, message, row.path)


def _batches(facts: Facts, row: TracedRow) -> Iterator[ToolWarning]:
    """Yield which batches the goods do not have; one that never had stock is not listed, and may come."""
    there = _batch_numbers(facts, row)
    missing = [str(key) for key in row.ids("batch_id") if key not in there]
    if not missing or row.variant is None:
        return
    has = first_of([f"{name} ({key})" for key, name in sorted(there.items())], _NAMED)
    message = f"{row.path}: {_called(facts, row)} has no batch {first_of(missing, _NAMED)}"
    if row.leaves:
        why = f"{message}; {f'it has {has}' if has else 'it has none'}"
        yield blocking(warning_codes.NOT_FOUND, why, row.path)
    else:
        why = f"{message} that ever had stock: Katana tells when the plan is applied whether there is such a batch"
        yield advisory(warning_codes.NOT_FOUND, why, row.path)


def _batch_numbers(facts: Facts, row: TracedRow) -> dict[int, str]:
    return {
        key: text(record, "batch_number") or str(key)
        for record in facts.beside.get(BATCHES, ())
        if record.get("variant_id") == row.variant and (key := get_int(record, "batch_id")) is not None
    }


def _overdrawn(facts: Facts, traced: Iterable[TracedRow]) -> Iterator[ToolWarning]:
    """Yield of which batches more would leave than lies there, by all rows together."""
    left: dict[tuple[int, int | None], Decimal] = {}
    for row in traced:
        there = _batch_numbers(facts, row)
        for entry in row.entries:
            key, amount = get_int(entry, "batch_id"), _amount(entry)
            if key is None or key not in there:
                continue
            held = [
                number(record, "quantity_in_stock") or Decimal(0)
                for record in facts.beside.get(BATCHES, ())
                if (record.get("batch_id"), record.get("location_id")) == (key, row.place)
            ]
            lies = left.get((key, row.place), sum(held, Decimal(0)))
            left[key, row.place] = lies - amount
            if amount > lies:
                where = "lie there" if lies == sum(held) else "are left there by the rows before it"
                lies = max(lies, Decimal(0))
                said = f"{plain_number(amount)} of batch {there[key]}, of which {plain_number(lies)} {where}"
                yield advisory(warning_codes.INSUFFICIENT_STOCK, f"{row.path}: {said}", row.path)


def _units(facts: Facts, row: TracedRow) -> Iterator[ToolWarning]:
    if row.variant is None or (row.leaves and row.place is None):
        return
    numbers = {key: unit for unit in facts.beside.get(NUMBERS, ()) if (key := get_int(unit, "id")) is not None}
    there = [
        key
        for record in facts.beside.get(UNITS, ())
        if (record.get("variant_id"), record.get("location_id")) == (row.variant, row.place)
        and (key := get_int(record, "serial_number_id")) is not None
    ]
    asked = row.ids("serial_number_id")
    missing = [key for key in asked if key not in (there if row.leaves else numbers)]
    if missing:
        has = f"there are {_listed(sorted(there), numbers)}" if there else "none is there"
        said = f"{_called(facts, row)} has no serial number {_listed(missing, numbers)}"
        message = f"{row.path}: {said}{f' at its location; {has}' if row.leaves else ''}"
        yield blocking(warning_codes.NOT_FOUND, message, row.path)
    stocked = [key for key in asked if not row.leaves and get_bool(numbers.get(key, {}), "in_stock")]
    if stocked:
        message = f"{row.path}: {_listed(stocked, numbers)} is in stock already: it cannot be new"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, row.path)
    yield from _promised(row, [key for key in asked if key not in missing], numbers)


def _promised(row: TracedRow, units: Sequence[int], numbers: dict[int, Record]) -> Iterator[ToolWarning]:
    """Yield which units are reserved for another row of a sales order: Katana reserves none twice."""
    for key in units:
        held = [
            movement.get("resource_id")
            for movement in rows(numbers.get(key, {}), "transactions")
            if movement.get("resource_type") == _SOLD and movement.get("transaction_date") is None
        ]
        others = [str(row_id) for row_id in held if row_id != row.row.get("id")]
        if not others:
            continue
        message = f"{row.path}: {_listed([key], numbers)} is reserved for row {others[0]} of a sales order"
        if row.reserves:
            why = f"{message}: release it there first, with traceability [], then plan this one"
            yield blocking(warning_codes.IN_USE, why, row.path)
        else:
            yield advisory(warning_codes.IN_USE, f"{message}, which loses it", row.path)


def _listed(units: Sequence[int], numbers: dict[int, Record]) -> str:
    """Return units by their numbers and ids: `U-1 (7), U-2 (9)`."""
    named = [(key, text(numbers.get(key), "serial_number")) for key in units]
    return first_of([str(key) if name is None else f"{name} ({key})" for key, name in named], _NAMED)
