"""What creating, modifying and deleting stock transfers share."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

from cache_core.records import Json, Record
from katana_client.resources.stock_transfers import StockTransfer
from katana_mcp.lookup import live_record, live_with_key
from katana_mcp.names import VARIANT_ENTITIES, text
from katana_mcp.naming import Known, Named, named, variants
from katana_mcp.operations.filters import Moment
from katana_mcp.services import Services, current
from katana_mcp.tools.requests import Notes, WriteRequest
from katana_mcp.values import number, rows, whole
from katana_mcp.writing.meaning import same
from katana_mcp.writing.preview import PlanLine
from katana_mcp.writing.stock_moves import Levels, StockMove, read_levels

ENTITY, COLLECTION = "stock_transfer", "stock_transfers"
PLACES = ("source_location_id", "target_location_id")
"""Where goods leave, and where they arrive."""
_MOVED = {"draft": (0, 0), "inTransit": (-1, 0), "received": (-1, 1)}
"""How often what a transfer moves has left its source, and arrived, under each status."""
DATES = ("transfer_date", "order_created_date", "expected_arrival_date")
HEAD = ("stock_transfer_number", *DATES, "additional_info")
"""Fields of the head that a request may set, under Katana's names."""


class TransferDates(WriteRequest):
    """What a transfer's head holds besides its number."""

    transfer_date: Moment | None = None
    """When the goods leave."""
    order_created_date: Moment | None = None
    """When it was ordered."""
    expected_arrival_date: Moment | None = None
    """When the goods should arrive."""
    additional_info: Notes | None = None
    """Notes to the transfer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OldTransfer:
    """A transfer as it is in Katana now.

    Attributes:
        now: when that was.
        record: as Katana sends it.
        deleted: whether it is deleted.
        taken: other transfers that have the number it is to get.
        goods: the variants of its rows, in their order.
        places: names of its locations, by their ids.
        levels: the stock of its goods.
    """

    now: datetime
    record: Record
    deleted: bool = False
    taken: tuple[int, ...] = ()
    goods: tuple[Named, ...] = ()
    places: Mapping[int, str] = field(default_factory=dict[int, str])
    levels: Levels = field(default_factory=dict[int, Mapping[int, Decimal]])

    @property
    def id(self) -> int:
        """Its id."""
        return int(str(self.record["id"]))

    @property
    def number(self) -> str:
        """Its number."""
        return text(self.record, "stock_transfer_number") or str(self.id)

    @property
    def status(self) -> str:
        """Its status."""
        return text(self.record, "status") or ""


async def gather_old(wanted: int | str, called: str | None, services: Services) -> OldTransfer:
    """Read a transfer as it is in Katana now, and which others have the number that it is to get."""
    await current(services, (ENTITY,), (ENTITY,))
    stored = await live_record(services, ENTITY, wanted, "transfer number")
    having = () if called is None else await live_with_key(services, ENTITY, called)
    taken = tuple(each for each in having if each != stored.id)
    return OldTransfer(now=services.clock.now(), record=stored.record, deleted=stored.deleted, taken=taken)


async def with_goods(facts: OldTransfer, services: Services) -> OldTransfer:
    """Return the same with the variants of its rows."""
    await current(services, VARIANT_ENTITIES, ("variant",))
    return replace(facts, goods=await variants(services, [each for each, _ in _moved(facts)]))


async def with_stock(facts: OldTransfer, services: Services) -> OldTransfer:
    """Return the same with the variants of its rows, its locations, and the stock."""
    await current(services, ("location",), ("location",))
    places = [place for name in PLACES if (place := whole(facts.record, name)) is not None]
    found = [await named(services, "location", place) for place in places]
    return replace(
        await with_goods(facts, services),
        places={place: each.found[0].called for place, each in zip(places, found, strict=True) if each.found},
        levels=await read_levels(services, [each for each, _ in _moved(facts)]),
    )


def moving(facts: OldTransfer) -> list[tuple[Named, Decimal | None]]:
    """Return the variant and the quantity of each row that has a variant, where the variants were read."""
    goods = {each.asked: each for each in facts.goods}
    return [(goods[variant], amount) for variant, amount in _moved(facts) if variant in goods]


def _moved(facts: OldTransfer) -> list[tuple[int, Decimal | None]]:
    moved = rows(facts.record, "stock_transfer_rows")
    return [(variant, number(each, "quantity")) for each in moved if (variant := whole(each, "variant_id"))]


def stock_moves(facts: OldTransfer, status: str) -> list[StockMove]:
    """Return what becomes of the stock when a transfer gets a status; a deleted one has that of a draft."""
    now, then = (_MOVED.get(each, (0, 0)) for each in (facts.status, status))
    return [
        StockMove(
            variant=good.one.id,
            called=good.one.called,
            location=place,
            place=facts.places.get(place, str(place)),
            change=(amount or Decimal(0)) * (after - before),
            path="status",
        )
        for good, amount in moving(facts)
        for name, before, after in zip(PLACES, now, then, strict=True)
        if good.one is not None and (place := whole(facts.record, name)) is not None
    ]


def unlike(name: str, value: Json, record: Record) -> bool:
    """Return whether a field is to be something else than it is."""
    return not same(StockTransfer, name, value, record.get(name))


def line(known: Known | None, asked: int | str | None, quantity: Decimal | None) -> PlanLine:
    """Return a row as a plan shows it; of an unknown variant there is only what was asked for."""
    if known is None:
        return PlanLine(sku=None if asked is None else str(asked), quantity=quantity)
    return PlanLine(variant_id=known.id, sku=known.sku, name=known.name, quantity=quantity, unit=known.unit)
