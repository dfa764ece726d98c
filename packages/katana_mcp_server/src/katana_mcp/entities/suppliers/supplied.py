"""What depends on a supplier: its open orders, and the items whose default supplier it is, priced in its currency."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cache_core.conditions import OneOf
from katana_mcp.documents.leaving import PURCHASES, bound, count, open_orders
from katana_mcp.documents.transition import Facts, Transition
from katana_mcp.references.display_names import text
from katana_mcp.references.resolve import all_listed
from katana_mcp.references.services import Services, current
from katana_mcp.surface.operations.addresses import address_in_words
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import so_many
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import get_int, rows
from katana_mcp.writing.actions import JsonObject

ADDRESSES = "addresses"
ITEMS = ("product", "material")
"""The cache entities that have a default supplier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supplied:
    """The items whose default supplier it is: how many, and whether all are known."""

    count: int = 0
    is_counted: bool = True


async def gather(change: Transition, services: Services) -> Facts:
    """Return the facts with the items that a new currency or a deletion is about, and the orders of what goes."""
    facts, supplier = change.facts, (get_int(change.old, "id") or 0,)
    if change.after is not None and (change.before is None or "currency" not in change.head):
        return facts
    await current(services, ITEMS, ())
    bought = (OneOf("default_supplier_id", supplier),)
    counts = [await services.cache.count(entity, bought) for entity in ITEMS]
    facts = replace(facts, own=Supplied(count=sum(counts), is_counted=await all_listed(services, *ITEMS)))
    if change.after is not None:
        return facts
    return replace(facts, linked=(await open_orders((OneOf("supplier_id", supplier),), services, PURCHASES),))


def supplied_items(change: Transition) -> Iterator[ToolWarning]:
    """Yield that a deletion leaves items without their supplier, or that a new currency changes what prices mean."""
    supplied = change.facts.own
    if not isinstance(supplied, Supplied):
        return
    supplier, path = change.old.get("id"), None if change.after is None else "currency"
    items, them = so_many(supplied.count, "item"), "it" if supplied.count == 1 else "these"
    if supplied.count and path is None:
        message = f"supplier {supplier} is the default supplier of {items}: give {them} another one in Katana"
        yield advisory(warning_codes.SUPPLIES_ITEMS, message)
    elif supplied.count:
        message = f"currency: purchase prices of {items} are not converted: the same numbers are in"
        old, new = text(change.old, "currency"), text(change.new, "currency")
        yield advisory(warning_codes.AMOUNTS_STAY, f"{message} {old or 'no currency'} now and in {new} then", path)
    if not supplied.is_counted:
        message = "the first sync of items is not finished: more items may have this default supplier"
        yield advisory(warning_codes.COLD_CACHE, message, path)


def binds(change: Transition) -> JsonObject:
    """Return the items and orders that a plan was judged by: by the apply they have to be the same."""
    supplied = change.facts.own
    counted: JsonObject = {"supplied_items": supplied.count} if isinstance(supplied, Supplied) else {}
    return {**counted, **bound(change)}


def described(change: Transition) -> str:
    """Return the address of a supplier that is new or goes, and how many open orders and items it leaves."""
    details = [words for row in rows(change.subject, ADDRESSES) if (words := address_in_words(row))]
    supplied = change.facts.own
    if change.after is None:
        details.append(f"open purchase orders: {count(change)}")
    if change.after is None and isinstance(supplied, Supplied):
        details.append(f"items: {supplied.count}")
    return f" ({'; '.join(details)})" if details else ""
