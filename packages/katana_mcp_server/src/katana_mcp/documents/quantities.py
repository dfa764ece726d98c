"""How much of which rows a request is about, what comes or goes of a document: what is named, or all that is open.

Refuses rows that are not there, more than is open, and batches or serial numbers that do not add up.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from katana_mcp.documents.transition import State
from katana_mcp.documents.usual_fields import Reference
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.requests import RecordNumber, Request, WriteQuantity
from katana_mcp.tools.warnings import ToolWarning, blocking


class BatchQuantity(Request):
    """How much of it."""

    batch_id: Reference
    quantity: WriteQuantity


class RowQuantity(Request):
    """How much of a row a request is about."""

    row_id: RecordNumber
    quantity: WriteQuantity | None = None
    """All that is open by default."""
    batches: Annotated[list[BatchQuantity], Field(max_length=50)] = Field(default_factory=list[BatchQuantity])
    serial_number_ids: Annotated[list[RecordNumber], Field(max_length=500)] = Field(default_factory=list[int])
    """One for each stock unit."""

    @property
    def in_batches(self) -> Decimal:
        """How much of it is in batches."""
        return sum((batch.quantity for batch in self.batches), Decimal(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion[R: RowQuantity]:
    """How much of a row comes or goes.

    Attributes:
        path: of its argument; that of all rows where none is named.
        asked: what was asked of it; None where every open row was.
        key: the id of the row.
        row: as it is; None where the document has no such row.
        open: how much of it may come or go.
        quantity: how much does.
    """

    path: str
    asked: R | None
    key: int
    row: State | None
    open: Decimal
    quantity: Decimal

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the row stays open."""
        return self.quantity >= self.open


def portions[R: RowQuantity](
    asked: Sequence[R], held: Mapping[int, State], still: Mapping[int, Decimal]
) -> list[Portion[R]]:
    """Return what comes or goes: what is named, or all that is open.

    Args:
        asked: the rows that a request names.
        held: the rows of the document, by their ids.
        still: how much of each is open; a row that is left out has nothing open.
    """
    every: list[tuple[str, R | None, int]] = [("rows", None, key) for key, amount in still.items() if amount]
    named: list[tuple[str, R | None, int]] = [(f"rows[{nr}]", row, row.row_id) for nr, row in enumerate(asked)]
    found: list[Portion[R]] = []
    for path, row, key in named or every:
        left = still.get(key, Decimal(0))
        quantity = left if row is None or row.quantity is None else row.quantity
        found.append(Portion(path=path, asked=row, key=key, row=held.get(key), open=left, quantity=quantity))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Handling[R: RowQuantity]:
    """How refusals speak of what comes or goes.

    Attributes:
        does: the verb.
        too_much: the code of more than is open.
        is_over: the code of a row of which nothing is open.
        why_over: why nothing of a row is open.
    """

    does: str
    too_much: str
    is_over: str
    why_over: Callable[[Portion[R]], str]


def misfits[R: RowQuantity](
    called: str, found: Sequence[Portion[R]], has: Sequence[int], handling: Handling[R]
) -> Iterator[tuple[Portion[R], ToolWarning | None]]:
    """Yield each portion with what speaks against its row and its quantity, once with None where nothing does."""
    seen: set[int] = set()
    for portion in found:
        path = f"{portion.path}.row_id"
        if portion.row is None:
            message = f"{path}: {called} has no row {portion.key}; it has {', '.join(map(str, has))}"
            yield portion, blocking(warning_codes.UNKNOWN_ROW_ID, message, path)
        elif portion.key in seen:
            message = f"{path}: row {portion.key} is named twice: name it once, with all of its batches"
            yield portion, blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, message, path)
        elif not portion.open:
            message = f"{path}: row {portion.key} {handling.why_over(portion)}"
            yield portion, blocking(handling.is_over, message, path)
        else:
            yield portion, _amount(portion, handling)
        seen.add(portion.key)


def _amount[R: RowQuantity](portion: Portion[R], handling: Handling[R]) -> ToolWarning | None:
    path = f"{portion.path}.quantity"
    if portion.quantity > portion.open:
        message = f"{path}: {plain_number(portion.quantity)} of row {portion.key}, whose open quantity is "
        message += f"{plain_number(portion.open)}; {handling.does} no more than that"
        why = f"{message}, or change the quantity of the row first"
        return blocking(handling.too_much, why, path)
    if not portion.quantity:
        return blocking(warning_codes.INVALID_QUANTITY, f"{path} is 0: leave the row out", path)
    return None


def traces[R: RowQuantity](portion: Portion[R], units: Decimal) -> Iterator[ToolWarning]:
    """Yield what of batches and serial numbers does not add up; `units` are those of the stock."""
    asked, path = portion.asked, f"{portion.path}.batches"
    if asked is None:
        return
    if asked.in_batches > portion.quantity:
        message = f"{path}: they add up to {plain_number(asked.in_batches)}, more than {plain_number(portion.quantity)}"
        yield blocking(warning_codes.BATCH_SUM_MISMATCH, message, path)
    count, path = len(asked.serial_number_ids), f"{portion.path}.serial_number_ids"
    if not count:
        return
    if units != units.to_integral_value():
        yield uncountable(portion, units)
    elif count != units:
        message = f"{path}: {count} serial numbers were given for {plain_number(units)} stock units"
        yield blocking(warning_codes.SERIAL_COUNT_MISMATCH, message, path)


def uncountable[R: RowQuantity](portion: Portion[R], units: Decimal) -> ToolWarning:
    """Return that a serial number stands for a whole unit."""
    path = f"{portion.path}.quantity"
    message = f"{path}: {plain_number(units)} stock units, but each serial number is one whole unit"
    return blocking(warning_codes.SERIAL_QTY_NOT_INTEGER, message, path)
