"""A pasted table of counts read line by line: `SKU<tab, ; or ,>quantity<...>batch`. What is not certain is not read."""

import csv
import re
from dataclasses import dataclass
from decimal import Decimal

from katana_mcp.tools.number_texts import doubt
from katana_mcp.tools.requests import MAX_AMOUNT

_SEPARATORS = ("\t", ";", ",")
_NUMBER = re.compile(r"[0-9]{1,15}([.,][0-9]{1,10})?")
_COLUMNS = {
    "batch": frozenset(("batch", "lot")),
    "quantity": frozenset(("quantity", "qty", "count", "counted", "amount")),
    "sku": frozenset(("sku", "item", "code", "variant", "product")),
}
"""Words of a heading by the column that they name; a first line with none of them is one that was not understood."""
_OTHERS = frozenset(("location", "bin", "place", "stock", "name", "price", "cost", "value", "unit"))
_ORDERS = (["sku", "quantity"], ["sku", "quantity", "batch"])
_MOST_FIELDS = 3


@dataclass(frozen=True, slots=True)
class CountLine:
    """A line that was read: what was counted, how much of it, and in which batch.

    Attributes:
        where: where it stands: `line 4`, or `counts[3]`.
        path: of the argument that holds it.
        sku_or_variant_id: what was counted.
        quantity: in the item's unit.
        batch: the number of its batch; None without one.
    """

    where: str
    path: str
    sku_or_variant_id: str | int
    quantity: Decimal
    batch: str | None = None


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line that was not understood.

    Attributes:
        where: where it stands.
        path: of the argument that holds it.
        why: what is wrong with it, and what would be right.
    """

    where: str
    path: str
    why: str


type Line = CountLine | UnreadLine


def read_table(text: str) -> tuple[list[Line], str | None]:
    """Return the lines of a pasted table, and its heading where the first line is one; blank lines are nothing."""
    numbered = [(nr, line.strip(" \r")) for nr, line in enumerate(text.splitlines(), 1) if line.strip()]
    heading = numbered[0][1] if numbered and _is_heading(numbered[0][1]) else None
    if heading is not None and [_column(field) for field in _fields(heading)] not in _ORDERS:
        why = f"its columns are {heading[:_SHOWN]!r}: paste SKU, quantity and, if any, batch alone, in this order"
        return [UnreadLine(f"line {numbered[0][0]}", "table", why)], None
    return [_read(nr, line) for nr, line in numbered[heading is not None :]], heading


def _is_heading(line: str) -> bool:
    """Return whether a line names columns: it has several, one of them a usual one, and no digit at all."""
    fields = _fields(line)
    named = any(_column(field) is not None for field in fields)
    return len(fields) > 1 and named and not any(letter.isdigit() for letter in line)


def _column(field: str) -> str | None:
    """Return the column that a field of a heading names; `Location code` and `In stock` name none."""
    words = set(field.casefold().split())
    if words & _OTHERS:
        return None
    return next((column for column, synonyms in _COLUMNS.items() if words & synonyms), None)


def _fields(line: str) -> list[str]:
    separator = next((mark for mark in _SEPARATORS if mark in line), ",")
    (fields,) = csv.reader([line], delimiter=separator)
    return [field.strip() for field in fields]


def _read(nr: int, line: str) -> Line:
    fields, where = _fields(line), f"line {nr}"
    if len(fields) not in (2, _MOST_FIELDS) or not fields[0]:
        shown = line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
        return UnreadLine(where, "table", f"{shown!r} is not SKU, quantity and, if any, batch")
    quantity = _quantity(fields[1])
    if isinstance(quantity, str):
        return UnreadLine(where, "table", f"{fields[0]}: {quantity}")
    return CountLine(where, "table", fields[0], quantity, next((field for field in fields[2:] if field), None))


_SHOWN = 60


def _quantity(text: str) -> Decimal | str:
    """Return how much a text says, or why that is not certain."""
    if not _NUMBER.fullmatch(text):
        return f"{text!r} is not a quantity: write 12 or 12.5"
    if (why := doubt(text)) is not None:
        return f"{text!r} {why}"
    amount = Decimal(text.replace(",", "."))
    return amount if amount <= MAX_AMOUNT else f"{text!r} is more than {MAX_AMOUNT}"
