"""What a number names: an order, batches, or units; Katana alone knows the numbers of batches and units.

Refuses a number that nothing has, and one of several things that `kind` or `sku_or_variant_id` tells apart.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from cache_core.protocol import Stored
from cache_core.records import Record
from katana_mcp.references.batch_numbers import made_batches
from katana_mcp.references.display_names import look_up, titled
from katana_mcp.references.live_reads import LiveRead, read_rows
from katana_mcp.references.resolve import one_record, resolved
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking
from katana_mcp.values import get_int, id_in
from katana_mcp.workflows.tracing.events import Lot
from katana_mcp.workflows.tracing.fields import BOUGHT, MADE, SOLD
from katana_mcp.workflows.tracing.from_documents import Units
from katana_mcp.workflows.tracing.units import UnitLedger, ledger_of, lots_of

type StartKind = Literal["batch", "serial_number", "purchase_order", "sales_order", "manufacturing_order"]

ORDERS = (BOUGHT, SOLD, MADE)
_LIKE = 5


@dataclass(slots=True)
class LotRecords:
    """What Katana was asked for so far.

    Attributes:
        batches: rows of stock by the id of their batch.
        whole: batches of which all rows were read.
        ledger: of serial numbers; None where it was not read.
    """

    batches: dict[int, list[Record]] = field(default_factory=dict[int, list[Record]])
    whole: set[int] = field(default_factory=set[int])
    ledger: UnitLedger | None = None

    @property
    def moved(self) -> Units:
        """Units that have moved, by what moved them, as far as the ledger was read."""
        return UnitLedger().moved if self.ledger is None else self.ledger.moved

    def serial_number(self, unit: int | None) -> str | None:
        """Return the serial number of a unit, or None where it is not known."""
        return None if self.ledger is None or unit is None else self.ledger.numbers.get(unit)

    def add(self, found: Sequence[Record]) -> None:
        """Take all rows of stock of batches."""
        grouped: dict[int, list[Record]] = {}
        for row in found:
            batch = get_int(row, "batch_id")
            if batch is not None:
                grouped.setdefault(batch, []).append(row)
        self.batches |= grouped
        self.whole.update(grouped)


@dataclass(frozen=True, slots=True)
class Start:
    """What is traced: lots, or an order."""

    kind: StartKind
    lots: Sequence[Lot] = ()
    order: Stored | None = None


async def start_of(
    number: str, kind: StartKind | None, variants: Collection[int] | None, live: LiveRead, lot_records: LotRecords
) -> Start:
    """Return what a number names, of these variants where any are given.

    Raises:
        Refused: nothing has the number, several things have it, or Katana could not be asked.
    """
    services = live.services
    found: list[Start] = []
    if kind in {None, "batch"}:
        found += _batches(await _read_batches(number, live, lot_records), variants)
    if kind in {None, "serial_number"}:
        ledger = await read_ledger(live, lot_records)
        found += _per_variant("serial_number", await lots_of(ledger.named(number), ledger, services), variants)
    if kind is None:
        found += await _orders(number, services)
    elif kind in ORDERS:
        return Start(kind, order=await one_record(services, kind, number, "order number"))
    if not found and kind is None and id_in(number) is None:
        found += await _uncached_orders(number, services)
    if len(found) == 1:
        return found[0]
    if found:
        raise Refused(await _several(number, found, services))
    is_made = kind in {None, "batch"} and await _is_made_here(number, variants, services)
    raise Refused(_unlisted(number) if is_made else _unknown(number, kind, variants))


async def read_ledger(live: LiveRead, lot_records: LotRecords) -> UnitLedger:
    """Return the ledger of serial numbers, one request where it was not read yet."""
    if lot_records.ledger is None:
        read = live.services.client.serial_numbers_stock.read_all()
        lot_records.ledger = ledger_of(await live.ask("serial numbers", read))
    return lot_records.ledger


async def _read_batches(number: str, live: LiveRead, lot_records: LotRecords) -> list[Record]:
    pages = live.services.client.batch_stocks.pages(batch_number=number, include_empty=True)
    read = await live.ask("batches", read_rows([pages]))
    found = [row for row in read.rows if row.get("batch_number") == number]
    lot_records.add(found)
    return found


def _batches(stocks: Sequence[Record], variants: Collection[int] | None) -> list[Start]:
    lots = dict.fromkeys(
        Lot(variant, batch)
        for row in stocks
        if (variant := get_int(row, "variant_id")) is not None and (batch := get_int(row, "batch_id")) is not None
    )
    return _per_variant("batch", list(lots), variants)


def _per_variant(kind: StartKind, lots: Sequence[Lot], variants: Collection[int] | None) -> list[Start]:
    """Return a start per variant: one that has several batches of the number is traced with all of them."""
    grouped: dict[int, list[Lot]] = {}
    for lot in lots:
        if variants is None or lot.variant_id in variants:
            grouped.setdefault(lot.variant_id, []).append(lot)
    return [Start(kind, found) for found in grouped.values()]


async def _orders(number: str, services: Services) -> list[Start]:
    """Return the live orders with this number; the cache knows them."""
    found: list[Start] = []
    for kind in ORDERS:
        match = await services.cache.find_by_key(kind, number)
        if match.row is not None and not match.row.deleted:
            found.append(Start(kind, order=match.row))
    return found


async def _uncached_orders(number: str, services: Services) -> list[Start]:
    """Return orders with this number that Katana has and the cache had not."""
    named = await resolved(services, [(kind, number) for kind in ORDERS])
    return [Start(kind, order=row) for kind in ORDERS for row in named.get((kind, number), ()) if not row.deleted]


async def _several(number: str, found: Sequence[Start], services: Services) -> ToolWarning:
    goods: Mapping[str, list[object]] = {"variant": [lot.variant_id for start in found for lot in start.lots]}
    names = await look_up(services.cache, goods, only_shown=True)
    candidates = [
        f"{titled(start.kind)} of {names.sku(start.lots[0].variant_id) or start.lots[0].variant_id}"
        if start.lots
        else titled(start.kind)
        for start in found
    ]
    message = (
        f"{number!r} is the number of several: {first_of(candidates, _LIKE)}; name one by kind and sku_or_variant_id"
    )
    return blocking(warning_codes.AMBIGUOUS_NAME, message, "number")


async def _is_made_here(number: str, variants: Collection[int] | None, services: Services) -> bool:
    """Return whether a batch with this number was made from here."""
    made = [row for row in await made_batches(services) if row.get("batch_number") == number]
    return any(variants is None or get_int(row, "variant_id") in variants for row in made)


def _unlisted(number: str) -> ToolWarning:
    message = (
        f"batch {number!r} was made from here, and Katana lists no stock of it: it never had any, or Katana dropped "
        "its stock rows, so there is nothing to trace"
    )
    return blocking(warning_codes.NOT_FOUND, message, "number")


def _unknown(number: str, kind: StartKind | None, variants: Collection[int] | None) -> ToolWarning:
    what = "batch, serial number or order" if kind is None else titled(kind)
    of = "" if variants is None else " of this item"
    message = (
        f"no {what} {number!r}{of} is known: numbers must match exactly, and Katana no longer lists "
        "batches whose stock rows it dropped"
    )
    return blocking(warning_codes.NOT_FOUND, message, "number")
