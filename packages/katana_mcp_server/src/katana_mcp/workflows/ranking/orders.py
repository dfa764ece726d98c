"""Orders that are to move, as they are in Katana now, and the manufacturing orders that move along with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from cache_core.conditions import NoneOf, OneOf, Order
from cache_core.protocol import Selection
from cache_core.records import Record
from katana_mcp.documents.gathering import references
from katana_mcp.documents.usual_fields import Reference
from katana_mcp.references.display_names import text
from katana_mcp.references.resolve import as_they_are_now
from katana_mcp.references.services import Services, current
from katana_mcp.references.wording import Named
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.requests import WriteRequest
from katana_mcp.values import get_int

type OrderType = Literal["sales_order", "manufacturing_order"]

SOLD, MADE = "sales_order", "manufacturing_order"
READS = (SOLD, MADE)
CLOSED: Mapping[str, tuple[str, ...]] = {SOLD: ("PACKED", "DELIVERED"), MADE: ("DONE",)}
"""The statuses in which an order has no rank any more."""
PLACES = ("position", "before", "after")
_MOST = 10_000


class PrioritizeOrdersRequest(WriteRequest):
    """Arguments of `prioritize_orders`."""

    also: ClassVar[Offers] = dict.fromkeys(("sales_order_ids", "manufacturing_order_ids"), ("orders",))
    words: ClassVar[Words] = {
        **dict.fromkeys(("order_ids", "order_id", "order_no", "sales_order_id", "manufacturing_order_id"), ("orders",)),
        **dict.fromkeys(("rank", "place", "priority", "to"), PLACES),
        **dict.fromkeys(("before_id", "above"), ("before",)),
        **dict.fromkeys(("after_id", "below"), ("after",)),
    }

    type: OrderType
    """Of `orders`."""
    orders: Annotated[list[Reference], Field(min_length=1, max_length=250)]
    """Ids or numbers, highest first."""
    position: Literal["top", "bottom"] | None = None
    """Or give before or after."""
    before: Reference | None = None
    """Just above this order."""
    after: Reference | None = None
    """Just below it."""

    @property
    def anchors(self) -> Mapping[str, int | str]:
        """The orders that are given as a place, by their argument."""
        given = {"before": self.before, "after": self.after}
        return {name: asked for name, asked in given.items() if asked is not None}


@dataclass(frozen=True, slots=True)
class RankedOrders:
    """What was read for a plan.

    Attributes:
        named: what has each id or number that the request gives.
        records: the orders that were found, by id, as they are in Katana now.
        along: open manufacturing orders that are made for the sales orders which move, or for those of the orders.
        sales: those sales orders, by id.
    """

    named: Mapping[int | str, Named]
    records: Mapping[object, Record]
    along: Sequence[Record] = ()
    sales: Mapping[object, Record] = field(default_factory=dict[object, Record])

    def order(self, asked: int | str) -> Record | None:
        """Return the order that an id or a number names, if exactly one was meant and it is not deleted."""
        one = self.named[asked].one
        return None if one is None else self.records.get(one.id)

    def moved(self, request: PrioritizeOrdersRequest) -> list[Record]:
        """Return the orders that are to move, as far as they were found, in the order wanted."""
        return [order for asked in request.orders if (order := self.order(asked)) is not None]


async def gather(request: PrioritizeOrdersRequest, services: Services) -> RankedOrders:
    """Return the orders that are named as they are in Katana now, and which manufacturing orders move along."""
    entity, asked = request.type, (*request.orders, *request.anchors.values())
    await current(services, READS, (entity,))
    found = await _named(entity, asked, services)
    await as_they_are_now(services, entity, _ids(found))
    found = await _named(entity, asked, services)
    ranked = RankedOrders(found, await _records(entity, _ids(found), services))
    sold = [get_int(order, "id" if entity == SOLD else "sales_order_id") for order in ranked.moved(request)]
    keys = [key for key in dict.fromkeys(sold) if key is not None]
    return replace(ranked, along=await _made_for(keys, services), sales=await _records(SOLD, keys, services))


async def _named(entity: str, asked: Iterable[int | str], services: Services) -> dict[int | str, Named]:
    found = await references(services, [(entity, given) for given in asked])
    return {given: named for (_, given), named in found.items()}


def _ids(named: Mapping[int | str, Named]) -> list[int]:
    return list(dict.fromkeys(one.id for reference in named.values() for one in reference.found))


async def _records(entity: str, ids: Sequence[int], services: Services) -> dict[object, Record]:
    return {row.id: row.record for row in (await services.cache.get_many(entity, ids)).rows}


async def _made_for(sold: Sequence[int], services: Services) -> list[Record]:
    """Return the open manufacturing orders that are made for these sales orders."""
    if not sold:
        return []
    where = (OneOf("sales_order_id", tuple(sold)), NoneOf("status", CLOSED[MADE]))
    return [row.record for row in await services.cache.select(MADE, Selection(where, Order("id"), _MOST))]


def number_of(order: Record) -> str:
    """Return the number of an order, its id where it has none."""
    return text(order, "order_no") or str(order.get("id"))
