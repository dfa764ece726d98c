"""What happened to goods of a batch or a serial number: one event per document, row and lot.

An event says what a document did; what it does to the stock follows from its kind.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

from cache_core.records import Record
from katana_mcp.values import get_int, ids, number_or_text, rows

type Kind = Literal["received", "made", "returned", "adjusted", "transferred", "used", "shipped", "reserved"]

ENTERING: tuple[Kind, ...] = ("received", "made", "returned", "adjusted")
"""Kinds that bring goods in, in the order in which they are told."""
_SEQUENCE: tuple[Kind, ...] = (*ENTERING, "transferred", "used", "shipped", "reserved")
ORDER: Mapping[Kind, int] = {kind: place for place, kind in enumerate(_SEQUENCE)}
"""The place of a kind among the others, as they are told."""


class Lot(NamedTuple):
    """Goods of a variant that are told apart: a batch, or one unit by its serial number; neither where they are not."""

    variant_id: int
    batch_id: int | None = None
    serial_number_id: int | None = None

    @property
    def is_traced(self) -> bool:
        """Whether it is a batch or a unit."""
        return self.batch_id is not None or self.serial_number_id is not None


type Process = tuple[str, int]
"""What turns goods into others: a production, or a row of an outsourced purchase order, by its id."""


class Document(NamedTuple):
    """What an event stands in, as far as it is told.

    Attributes:
        entity: `purchase_order`, `sales_order`, … .
        number: what people call it.
        party_id: its supplier or customer.
    """

    entity: str
    id: int
    number: str | None = None
    status: str | None = None
    party_id: int | None = None


class Event(NamedTuple):
    """What a row of a document did to a lot.

    Attributes:
        quantity: in the stock unit; below 0 where an adjustment took goods away.
        row_id: of the row, the recipe row or the production.
        location_id: where it happened; of a transfer, where it began.
        target_location_id: of a transfer, where it ends.
        process: of goods that were made, or used for making others.
        is_settled: whether the stock has changed by it: of a transfer, whether it has arrived.
    """

    kind: Kind
    lot: Lot
    quantity: Decimal
    document: Document
    row_id: int | None
    date: str | None = None
    location_id: int | None = None
    target_location_id: int | None = None
    process: Process | None = None
    is_settled: bool = True

    @property
    def enters(self) -> bool:
        """Whether it brings goods in."""
        return self.kind in ENTERING and self.quantity > 0


def split(
    row: Record, variant_id: int, quantity: Decimal, *, rate: Decimal = Decimal(1), units: Sequence[int] = ()
) -> Iterator[tuple[Lot, Decimal]]:
    """Yield how much of a row is of which lot, and at last what is of none (facts 5.1, 5.2).

    Args:
        row: holds `traceability`, else `batch_transactions` or `serial_numbers`.
        variant_id: of the row.
        quantity: of the row, in the stock unit, not below 0.
        rate: stock units in a unit of the row's batches.
        units: serial numbers that the ledger of serial numbers names for the row.
    """
    found: dict[Lot, Decimal] = {}
    for lot, amount in (*_entries(row, variant_id, rate), *_units(variant_id, units)):
        if lot.serial_number_id is not None:
            found[lot] = Decimal(1)
        elif lot.is_traced:
            found[lot] = found.get(lot, Decimal(0)) + amount
    yield from found.items()
    rest = quantity - sum(found.values(), Decimal(0))
    if rest > 0:
        yield Lot(variant_id), rest


def _entries(row: Record, variant_id: int, rate: Decimal) -> Iterator[tuple[Lot, Decimal]]:
    named = rows(row, "traceability") or rows(row, "batch_transactions")
    for entry in named:
        lot = Lot(variant_id, get_int(entry, "batch_id"), get_int(entry, "serial_number_id"))
        yield lot, abs(number_or_text(entry, "quantity") or Decimal(0)) * rate
    if not named:
        units = [get_int(unit, "id") for unit in rows(row, "serial_numbers")] or ids(row, "serial_numbers") or []
        yield from _units(variant_id, [unit for unit in units if unit is not None])


def _units(variant_id: int, units: Sequence[int]) -> Iterator[tuple[Lot, Decimal]]:
    return ((Lot(variant_id, None, unit), Decimal(1)) for unit in units)
