"""What a plan of a sales order needs besides its request: its shipments, prices, taxes, what its ids stand for."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from cache_core.conditions import Where
from cache_core.protocol import Selection
from cache_core.records import Record
from katana_client.errors import KatanaError, NotFound
from katana_mcp.documents.gathering import Asked, references
from katana_mcp.documents.tracking import with_stock
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.sales_orders.checks import LINK, RETURNS, going_rows, is_open, traced_rows
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS, MADE
from katana_mcp.entities.sales_orders.pricing import FEE, ROWS
from katana_mcp.entities.sales_orders.shipped_goods import returned, with_kits
from katana_mcp.references.display_names import FACTORY, VARIANT_ENTITIES, Names, look_up
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import Verb
from katana_mcp.surface.operations.get import of_ids, rows_beside
from katana_mcp.values import get_int, rows
from katana_mcp.writing.stock_moves import known_free, read_levels

_NEW = ("customer", "location", "tax_rate", *VARIANT_ENTITIES, *FACTORY)
_OLD = (*_NEW, FULFILLMENTS)
BY_VERB: Mapping[Verb, tuple[str, ...]] = {"create": _NEW, "modify": _OLD, "delete": (*_OLD, RETURNS)}
"""The cache entities that each verb reads besides the order."""
_NAMED = {"customer_id": "customer", "location_id": "location", "tax_rate_id": "tax_rate", "variant_id": "variant"}


async def gather(change: Transition, services: Services) -> Facts:
    """Return the facts with what the order and its rows name, the prices of new goods, and its shipments."""
    facts = change.facts
    if change.before is not None:
        await current(services, _OLD, ())
        facts = replace(facts, references={**await references(services, [*_ids(change.before)]), **facts.references})
        facts = await with_stock(facts, traced_rows(change), services)
        facts = replace(facts, beside={**facts.beside, MADE: await made_for(going_rows(change), services)})
        if not is_open(change.before):
            mine = of_ids("sales_order_id", get_int(change.before, "id"))
            facts = replace(
                facts, beside={**facts.beside, FULFILLMENTS: tuple(await rows_beside(services, FULFILLMENTS, mine))}
            )
            if change.after is None:
                facts = replace(facts, beside={**facts.beside, RETURNS: await _returns_now(mine, services)})
    else:
        await current(services, FACTORY, ())
        sold = [variant for row in rows(change.new, ROWS) if (variant := get_int(row, "variant_id")) is not None]
        facts = replace(facts, free=await known_free(services, sold))
    facts = replace(facts, names=await _names(change, facts, services))
    is_shipped = change.before is not None and not is_open(change.before)
    return await _with_levels(replace(change, facts=facts), services) if is_shipped and change.after is None else facts


async def made_for(held: Iterable[State], services: Services) -> tuple[Record, ...]:
    """Return the manufacturing orders that make rows to order."""
    linked = [key for row in held if (key := get_int(row, LINK)) is not None]
    if not linked:
        return ()
    await current(services, (MADE,), ())
    names = await look_up(services.cache, {MADE: linked})
    return tuple(order for key in linked if (order := names.record(MADE, key)) is not None)


async def _with_levels(change: Transition, services: Services) -> Facts:
    """Return the facts with the stock of what comes back."""
    facts = await with_kits(change.facts, rows(change.old, ROWS), services)
    moves = returned(replace(change, facts=facts))
    return replace(facts, levels=await read_levels(services, [move.variant for move in moves]))


async def _returns_now(mine: Where, services: Services) -> tuple[Record, ...]:
    """Return the sales returns of an order that Katana has now."""
    await current(services, (RETURNS,), ())
    await services.fresh.read_newest(RETURNS)
    cached = await rows_beside(services, RETURNS, mine)
    return tuple([record for record in cached if await _is_there(get_int(record, "id") or 0, services)])


async def _is_there(key: int, services: Services) -> bool:
    """Return whether Katana has a return: it does not list those that are deleted. What it does not say is cached."""
    try:
        await services.client.sales_returns.get_record(key)
    except NotFound:
        return services.syncer.wrote(RETURNS, key)
    except KatanaError:
        return True
    return True


def _ids(order: State) -> Iterator[Asked]:
    """Yield what an order, its rows and its shipping fee name by id."""
    for record in (order, *rows(order, ROWS), *rows(order, FEE)):
        yield from ((kind, key) for name, kind in _NAMED.items() if (key := get_int(record, name)) is not None)


async def _names(change: Transition, facts: Facts, services: Services) -> Names:
    named_ids = [(entity, record.id) for (entity, _), named in facts.references.items() for record in named.found]
    ids_by_entity: dict[str, list[object]] = {"variant": [], "location": [], "factory": []}
    ids_by_entity["customer"] = [change.subject.get("customer_id")]
    for entity, key in named_ids:
        ids_by_entity.setdefault(entity, []).append(key)
    names = await look_up(services.cache, ids_by_entity)
    taxes = await services.cache.select("tax_rate", Selection(limit=200))
    names.records.update((("tax_rate", tax.id), tax.record) for tax in taxes)
    return names
