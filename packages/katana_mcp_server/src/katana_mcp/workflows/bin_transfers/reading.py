"""What a plan of a bin transfer needs: the transfer, the bins of its location and what lies in them, all as of now.

Katana lists bins and their transfers without telling what changed, so each plan asks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from cache_core.records import Record, canonical
from katana_mcp.documents.gathering import references
from katana_mcp.references.display_names import VARIANT_ENTITIES, look_up, text
from katana_mcp.references.live_reads import LiveRead, read_rows
from katana_mcp.references.numbers import next_number
from katana_mcp.references.services import Services, current
from katana_mcp.references.suggestions import named_by
from katana_mcp.references.tracked_stock import Units, units_at
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.values import get_bool, get_int, number, rows
from katana_mcp.workflows.bin_transfers.request import BinMove, PlanBinTransferRequest
from katana_mcp.workflows.bins import stock_by_bin

VARIANT, LOCATION = "variant", "location"
READS = (*VARIANT_ENTITIES, LOCATION)
ROWS = "bin_transfer_rows"
_PREFIX = "BT-"

type Asked = tuple[str, int | str]


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of a location."""

    id: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BinFacts:
    """What was read for a plan.

    Attributes:
        named: what has each id, SKU or name, by cache entity.
        place: the id or name of the location that the transfer is at; None where nothing says it.
        transfers: the transfers with the id or number that the request gives.
        number: of a new transfer.
        bins: of the location.
        held: what lies in each bin, by variant and bin; of goods in none: None.
        lying: what lies in each bin that is to be deleted, by its id: variants with quantities.
        batches: those of a variant of which a row names one, by variant.
        serial: variants whose items have serial numbers.
        units: those of a variant of which a row names one.
    """

    named: Mapping[Asked, Named] = field(default_factory=dict[Asked, Named])
    place: int | str | None = None
    transfers: tuple[Record, ...] = ()
    number: str = ""
    bins: tuple[Bin, ...] = ()
    held: Mapping[tuple[int, int | None], Decimal] = field(default_factory=dict[tuple[int, int | None], Decimal])
    lying: Mapping[int, Mapping[int, Decimal]] = field(default_factory=dict[int, Mapping[int, Decimal]])
    batches: Mapping[int, tuple[Record, ...]] = field(default_factory=dict[int, tuple[Record, ...]])
    serial: frozenset[int] = frozenset()
    units: Units = field(default_factory=dict[int, Mapping[int, int | None]])

    @property
    def at(self) -> NamedRecord | None:
        """The location, if exactly one was meant."""
        return None if self.place is None else self.named[LOCATION, self.place].one

    @property
    def transfer(self) -> Record | None:
        """The transfer that is to change, if exactly one was meant."""
        return self.transfers[0] if len(self.transfers) == 1 else None

    def goods(self, asked: int | str) -> NamedRecord | None:
        """Return the variant that a row means, if it is exactly one."""
        return self.named[VARIANT, asked].one

    def called(self, asked: int | str) -> list[Bin]:
        """Return the bins with a name or an id."""
        return named_by(asked, self.bins, lambda bin_: bin_.id, lambda bin_: bin_.name)

    def bin_name(self, key: int | None) -> str:
        """Return what people call a bin."""
        return next((bin_.name for bin_ in self.bins if bin_.id == key), "no bin" if key is None else f"bin {key}")

    def lots(self, variant: int, asked: int | str) -> list[int]:
        """Return the ids of the batches of a variant that have an id or a number."""
        batches = self.batches.get(variant, ())
        meant = named_by(
            asked, batches, lambda record: get_int(record, "batch_id"), lambda record: text(record, "batch_number")
        )
        return sorted({key for record in meant if (key := get_int(record, "batch_id")) is not None})


async def gather(request: PlanBinTransferRequest, services: Services) -> BinFacts:
    """Return what a plan needs, as it is in Katana now.

    Raises:
        Refused: Katana does not say.
    """
    live = LiveRead.begin(services)
    await current(services, READS, ())
    is_new = request.bin_transfer is None
    last = await live.ask("bin transfers", _transfers(request, services))
    facts = BinFacts(number=next_number(_numbers(last), _PREFIX)) if is_new else BinFacts(transfers=last)
    place = request.location_id if is_new else get_int(facts.transfer or {}, "location_id")
    old = [key for row in rows(facts.transfer or {}, ROWS) if (key := get_int(row, "variant_id")) is not None]
    variants = [*(row.sku_or_variant_id for row in request.rows), *old]
    asked: list[Asked] = [
        *((VARIANT, variant) for variant in variants),
        *([] if place is None else [(LOCATION, place)]),
    ]
    facts = replace(facts, named=await references(services, asked), place=place)
    at = facts.at
    if at is None:
        return facts
    goods = sorted({one.id for variant in variants if (one := facts.goods(variant)) is not None})
    found, _ = await stock_by_bin(goods, at.id, live)
    lines = [(key, line) for (key, _), some in found.items() if key is not None for line in some]
    facts = replace(facts, bins=await live.ask("bins", _bins(at.id, services)))
    lying = await live.ask("stock by bin", _lying(request, facts, services))
    return replace(
        facts,
        lying=lying,
        units=await units_at(at.id, _of_units(request.rows, facts), live),
        named={
            **facts.named,
            **await references(services, [(VARIANT, key) for some in lying.values() for key in some]),
        },
        held={(key, line.bin_location_id): line.in_stock or Decimal(0) for key, line in lines},
        batches=await live.ask("batches", _batches(request.rows, facts, services)),
        serial=await _with_serial_numbers(goods, services),
    )


def _of_units(asked: Sequence[BinMove], facts: BinFacts) -> list[int]:
    """Return the variants of which a row names serial numbers."""
    return sorted({one.id for row in asked if row.serial_number_ids and (one := facts.goods(row.sku_or_variant_id))})


async def _transfers(request: PlanBinTransferRequest, services: Services) -> tuple[Record, ...]:
    """Return the transfers that a request means; for a new one those that were made last."""
    listing, asked = services.client.bin_transfers, request.bin_transfer
    if asked is None:
        return tuple(canonical(record) for record in (await listing.page(1)).valid_records)
    if isinstance(asked, int):
        return tuple((await read_rows([listing.pages(ids=[asked])])).rows)
    found = (await read_rows([listing.pages(bin_transfer_number=asked)])).rows
    if not found:
        every = (await read_rows([listing.pages()])).rows
        found = named_by(
            asked, every, lambda record: get_int(record, "id"), lambda record: text(record, "bin_transfer_number")
        )
    return tuple(found)


def _numbers(transfers: Sequence[Record]) -> list[str]:
    return [name for transfer in transfers if (name := text(transfer, "bin_transfer_number"))]


async def _bins(place: int, services: Services) -> tuple[Bin, ...]:
    read = await read_rows([services.client.bin_locations.pages(location_id=place)])
    named = [(get_int(row, "id"), text(row, "bin_name") or text(row, "name")) for row in read.rows]
    return tuple(Bin(key, name) for key, name in named if key is not None and name is not None)


async def _lying(
    request: PlanBinTransferRequest, facts: BinFacts, services: Services
) -> Mapping[int, Mapping[int, Decimal]]:
    """Return what lies in the bins that are to be deleted."""
    lying = dict[int, Mapping[int, Decimal]]()
    for bin_ in [found[0] for asked in request.delete_bins if len(found := facts.called(asked)) == 1]:
        pages = services.client.bin_inventory.pages(granularity="VARIANT", bin_location_id=str(bin_.id))
        held = [
            (get_int(row, "variant_id"), number(row, "quantity_in_stock")) for row in (await read_rows([pages])).rows
        ]
        lying[bin_.id] = {key: amount for key, amount in held if key is not None and amount}
    return lying


async def _batches(asked: Sequence[BinMove], facts: BinFacts, services: Services) -> Mapping[int, tuple[Record, ...]]:
    goods = {one.id for row in asked if row.batch is not None and (one := facts.goods(row.sku_or_variant_id))}
    listing = services.client.batch_stocks
    return {key: tuple((await read_rows([listing.pages(variant_id=key)])).rows) for key in sorted(goods)}


async def _with_serial_numbers(goods: Sequence[int], services: Services) -> frozenset[int]:
    names = await look_up(services.cache, {VARIANT: goods})
    items = {key: names.item(names.record(VARIANT, key) or {}) for key in goods}
    return frozenset(key for key, item in items.items() if item is not None and get_bool(item, "serial_tracked"))


def moved_quantity(row: Record) -> Decimal:
    """Return how much a row of a transfer moves."""
    return number(row, "quantity") or Decimal(0)
