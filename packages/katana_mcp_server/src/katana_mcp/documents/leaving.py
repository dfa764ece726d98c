"""What a record leaves behind that goes: the orders that name it and are still open."""

from collections.abc import Iterator
from dataclasses import dataclass

from cache_core.conditions import NoneOf, Order, Where
from cache_core.protocol import Selection
from cache_core.records import Record
from katana_mcp.documents.transition import Linked, Transition
from katana_mcp.references.display_names import text, titled
from katana_mcp.references.resolve import all_listed
from katana_mcp.references.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.writing.actions import JsonObject

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Orders:
    """Orders of one kind: their cache entity, and the status in which one is no longer open."""

    entity: str
    closed: str


SALES, PURCHASES = Orders("sales_order", "DELIVERED"), Orders("purchase_order", "RECEIVED")
MAKING = Orders("manufacturing_order", "DONE")


async def open_orders(naming: Where, services: Services, orders: Orders = SALES) -> Linked:
    """Return how many orders that name a record are open, and the newest of these."""
    await current(services, (orders.entity,), ())
    still_open = (*naming, NoneOf("status", (orders.closed,)))
    newest = await services.cache.select(orders.entity, Selection(still_open, Order("id", descending=True), _SHOWN))
    return Linked(
        what=titled(orders.entity),
        count=await services.cache.count(orders.entity, still_open),
        newest=tuple(row.record for row in newest),
        is_counted=await all_listed(services, orders.entity),
    )


def bound(change: Transition) -> JsonObject:
    """Return the orders that a deletion depends on, of a document or of what it consists of."""
    every = change.facts.linked
    binding = [value for orders in every for value in (orders.count, *(_number(order) for order in orders.newest))]
    return {"open_orders": binding} if binding or change.after is None else {}


def linked(change: Transition) -> tuple[str, ...]:
    """Return the newest open orders of each kind, and how many more there are."""
    return tuple(phrase for orders in change.facts.linked for phrase in _phrases(orders))


def _phrases(orders: Linked) -> Iterator[str]:
    yield from (f"{orders.what} {_number(record)} ({text(record, 'status')})" for record in orders.newest)
    more = orders.count - len(orders.newest)
    if more > 0:
        yield f"{more} more open {orders.what}s"


def left_open(title: str, change: Transition) -> Iterator[ToolWarning]:
    """Yield that open orders are left behind; their numbers, which people write, are data. `title` is what goes."""
    for orders in change.facts.linked:
        if orders.count:
            message = (
                f"{title} {change.old.get('id')} has {orders.count} open {orders.what}s; `linked` lists the newest"
            )
            yield advisory(warning_codes.OPEN_ORDERS, message)
        if not orders.is_counted:
            message = f"the first sync of {orders.what}s is not finished: there may be open ones that are not known yet"
            yield advisory(warning_codes.COLD_CACHE, message)


def count(change: Transition) -> int:
    """Return how many open orders of all kinds name what goes."""
    return sum(orders.count for orders in change.facts.linked)


def _number(order: Record) -> str:
    return text(order, "order_no") or str(order.get("id"))
