"""What of each lot is in stock, and where: asked of Katana, one request per item, because nothing of it is cached."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from cache_core.records import Record
from katana_client.page import Page
from katana_mcp.references.display_names import text
from katana_mcp.references.live_reads import LiveRead, read_rows
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory
from katana_mcp.values import get_int, number
from katana_mcp.workflows.tracing.events import Lot
from katana_mcp.workflows.tracing.starts import LotRecords, read_ledger

MOST_ITEMS = 10
"""Items of which the stock of batches and units is asked for by one call."""
_QUANTITY = "quantity_in_stock"


class Held(NamedTuple):
    """How much is at a location."""

    location_id: int | None
    quantity: Decimal


@dataclass(slots=True)
class Stock:
    """What Katana says of lots.

    Attributes:
        held: of each lot that is known, what is where; nothing where none is left.
        warnings: that some could not be asked for.
    """

    held: dict[Lot, list[Held]] = field(default_factory=dict[Lot, list[Held]])
    warnings: list[ToolWarning] = field(default_factory=list[ToolWarning])

    def total(self, lot: Lot) -> Decimal | None:
        """Return how much of a lot is in stock, or None where that is not known."""
        held = self.held.get(lot)
        return None if held is None else sum((portion.quantity for portion in held), Decimal(0))


async def stock_of(lots: Sequence[Lot], live: LiveRead, lot_records: LotRecords) -> Stock:
    """Return what is in stock of lots, the first ones first, as far as Katana answers in time."""
    found = Stock()
    try:
        await _read(lots, live, lot_records, found)
    except Refused as refusal:
        found.warnings += [
            advisory(warning.code or "", f"{warning.message}; stock is left out") for warning in refusal.warnings
        ]
    for lot in lots:
        if lot.batch_id in lot_records.whole:
            rows = lot_records.batches.get(lot.batch_id or 0, [])
            found.held[lot] = _held(rows)
    return found


async def _read(lots: Sequence[Lot], live: LiveRead, lot_records: LotRecords, found: Stock) -> None:
    batched = _variants(lot for lot in lots if lot.batch_id is not None and lot.batch_id not in lot_records.whole)
    units = [lot for lot in lots if lot.serial_number_id is not None]
    ledger = await read_ledger(live, lot_records) if units else None
    here = [] if ledger is None else [lot for lot in units if ledger.in_stock.get(lot.serial_number_id or 0)]
    placed = _variants(here)
    _check_size(len(batched) + len(placed), found)
    batched, placed = batched[:MOST_ITEMS], placed[: max(0, MOST_ITEMS - len(batched))]
    for lot in units:
        if ledger is not None and lot.serial_number_id in ledger.in_stock and lot not in here:
            found.held[lot] = []
    if batched:
        stocks = live.services.client.batch_stocks
        pages = [stocks.pages(variant_id=variant, include_empty=True) for variant in batched]
        lot_records.add(await _rows(pages, "batches", live, found))
    if placed:
        bins = live.services.client.bin_inventory
        pages = [bins.pages(granularity="SERIAL_NUMBER", variant_id=variant) for variant in placed]
        rows = await _rows(pages, "serial numbers", live, found)
        by_unit = {get_int(row, "serial_number_id"): row for row in rows}
        for lot in here:
            if lot.variant_id in placed:
                row = by_unit.get(lot.serial_number_id)
                found.held[lot] = [Held(None if row is None else get_int(row, "location_id"), Decimal(1))]


async def _rows(
    pages: Iterable[AsyncIterator[Page[Any]]], subject: str, live: LiveRead, found: Stock
) -> Sequence[Record]:
    read = await live.ask(subject, read_rows(pages))
    found.warnings += read.warnings("trace fewer levels")
    return read.rows


def _variants(lots: Iterable[Lot]) -> list[int]:
    return list(dict.fromkeys(lot.variant_id for lot in lots))


def _check_size(items: int, found: Stock) -> None:
    if items > MOST_ITEMS:
        message = (
            f"of {items} items, stock is asked for {MOST_ITEMS}: what is left of the others is not said here; "
            "trace fewer levels, or use list_traceability with their SKUs"
        )
        found.warnings.append(advisory(warning_codes.STOCK_UNKNOWN, message))


def _held(rows: Iterable[Record]) -> list[Held]:
    found = [Held(get_int(row, "location_id"), number(row, _QUANTITY) or Decimal(0)) for row in rows]
    return [portion for portion in found if portion.quantity]


def batch_number(lot_records: LotRecords, batch_id: int | None) -> Mapping[str, str | None]:
    """Return the number and the dates of a batch, as far as Katana listed it."""
    row = next(iter(lot_records.batches.get(batch_id or 0, ())), None)
    return {
        "batch_number": text(row, "batch_number"),
        "expiration_date": text(row, "expiration_date"),
    }
