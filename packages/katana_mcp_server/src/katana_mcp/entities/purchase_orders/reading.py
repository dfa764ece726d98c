"""What a plan of a purchase order needs besides its request: its costs as they are now, goods, taxes, its stock."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from cache_core.protocol import Selection
from cache_core.records import Record
from katana_client.models.po_additional_cost_rows import PurchaseOrderAdditionalCostRow
from katana_mcp.documents.gathering import Asked, references
from katana_mcp.documents.states import added_parts
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.purchase_orders.pricing import ROWS, Buying, buying, good_of
from katana_mcp.entities.purchase_orders.receipts import INGREDIENTS, moves_stock
from katana_mcp.references.display_names import FACTORY, VARIANT_ENTITIES, look_up, text
from katana_mcp.references.purchasable import PurchasableVariant, purchasable_variant
from katana_mcp.references.resolve import as_they_are_now, listed_now
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import Verb
from katana_mcp.surface.operations.get import of_ids, rows_beside
from katana_mcp.values import EMPTY, get_bool, get_int, number, rows
from katana_mcp.writing.meaning import all_same
from katana_mcp.writing.stock_moves import read_levels

COST, BILLS = "purchase_order_additional_cost_row", "purchase_order_accounting_metadata"
READS = (COST, "supplier", "location", "tax_rate", "additional_cost", *VARIANT_ENTITIES, *FACTORY)
_OLD = (*READS, INGREDIENTS)
BY_VERB: Mapping[Verb, tuple[str, ...]] = {"create": READS, "modify": _OLD, "delete": (*_OLD, BILLS)}
"""The cache entities that each verb reads besides the order."""


async def gather(change: Transition, services: Services) -> Facts:
    """Return the facts with the order's costs, ingredients and bills, all that they name, and how goods are bought."""
    facts = change.facts
    if change.before is not None:
        await current(services, BY_VERB["modify" if change.after else "delete"], ())
        facts = replace(facts, beside=await _beside(change, change.before, services))
    moved = [get_int(record, "ingredient_variant_id") for record in facts.beside.get(INGREDIENTS, ())]
    goods: list[Asked] = [("variant", key) for key in moved if key is not None]
    found = await references(services, [*goods, *_named_by(change.old, facts.beside.get(COST, ()))])
    facts = replace(facts, references={**found, **facts.references})
    facts = replace(facts, own=await _buying(facts, change.asked.get("supplier_id"), services))
    if not moves_stock(change):
        return facts
    levels = await read_levels(services, _variants(facts))
    return replace(facts, levels=levels)


def _variants(facts: Facts) -> list[int]:
    named = [reference.one for (entity, _), reference in facts.references.items() if entity == "variant"]
    return list(dict.fromkeys(record.id for record in named if record is not None))


async def _beside(change: Transition, order: State, services: Services) -> dict[str, tuple[Record, ...]]:
    """Return its costs, and what else belongs to it where a status moves its stock, or where it goes."""
    mine = of_ids("purchase_order_id", get_int(order, "id"))
    found: dict[str, tuple[Record, ...]] = {COST: tuple(await _costs_now(order, services))}
    if change.after is None or change.asked.get("status") is not None or change.asked.get("unreceive"):
        found[INGREDIENTS] = tuple(await rows_beside(services, INGREDIENTS, mine))
    if change.after is None:
        found[BILLS] = tuple(await rows_beside(services, BILLS, mine))
    return found


def _named_by(order: State, costs: Sequence[Record]) -> Iterator[Asked]:
    """Yield what an order, its rows and its costs name by id."""
    named = {"supplier_id": "supplier", "location_id": "location", "tracking_location_id": "location"}
    of_row = {"variant_id": "variant", "location_id": "location", "tax_rate_id": "tax_rate"}
    of_cost = {"additional_cost_id": "additional_cost", "tax_rate_id": "tax_rate"}
    for records, fields in (([order], named), (rows(order, ROWS), of_row), (costs, of_cost)):
        for record in records:
            yield from ((entity, key) for name, entity in fields.items() if (key := get_int(record, name)) is not None)


async def _costs_now(order: State, services: Services) -> Sequence[Record]:
    """Return the additional costs of an order as they are in Katana now: those that are cached, and any other.

    Raises:
        Refused: Katana does not say.
    """
    groups = [get_int(order, "default_group_id"), *(get_int(row, "group_id") for row in rows(order, ROWS))]
    mine = of_ids("group_id", *groups)
    cached, listed = await rows_beside(services, COST, mine), list[Record]()
    for group in dict.fromkeys(group for group in groups if group is not None):
        listing = services.client.po_additional_cost_rows.pages(group_id=group)
        listed += await listed_now(listing, "which additional costs the order has now")
    if all_same(PurchaseOrderAdditionalCostRow, [*listed], [*cached]):
        return cached
    ids = dict.fromkeys(record["id"] for record in (*cached, *listed))
    await as_they_are_now(services, COST, [record_id for record_id in ids if isinstance(record_id, int)])
    return await rows_beside(services, COST, mine)


async def _buying(facts: Facts, supplier: object, services: Services) -> Buying:
    taxes = await services.cache.select("tax_rate", Selection(limit=200))
    default = (tax.id for tax in taxes if get_bool(tax.record, "is_default_purchases"))
    record = facts.one("supplier", supplier)
    named = (await services.cache.get_many("supplier", [] if record is None else [record.id])).rows
    rates = {tax.id: rate for tax in taxes if (rate := number(tax.record, "rate")) is not None}
    return Buying(
        goods=await goods_of(_variants(facts), services),
        default_tax=next((record_id for record_id in default if isinstance(record_id, int)), None),
        rates={key: rate for key, rate in rates.items() if isinstance(key, int)},
        supplier_currency=text(named[0].record, "currency") if named else None,
    )


async def goods_of(variants: Sequence[int], services: Services) -> dict[int, PurchasableVariant]:
    """Return how each of these variants is bought, as far as it is cached."""
    names = await look_up(services.cache, {"variant": variants, "supplier": (), "factory": ()})
    return {key: purchasable_variant(names.record("variant", key) or EMPTY, names) for key in variants}


def uses(change: Transition) -> Iterator[tuple[str, int]]:
    """Yield where the price of an item is taken from: its unit is that of the item, its currency the supplier's."""
    for _, good in _own_priced(change):
        yield from () if good.item is None else (good.item,)
        yield from () if good.supplier is None else (("supplier", good.supplier),)


def _own_priced(change: Transition) -> Iterator[tuple[State, PurchasableVariant]]:
    """Yield the new rows that take the price of their item, with that."""
    own = [row for _, asked, row in added_parts(change, ROWS) if "price_per_unit" not in asked]
    yield from ((row, good_of(change.facts, row)) for row in own)


def binds(change: Transition) -> dict[str, object]:
    """Return what else a plan depends on: costs, bills, the currency of the supplier, purchase units of own prices."""
    beside = change.facts.beside
    found: dict[str, object] = {"costs": list(beside[COST])} if COST in beside else {}
    if change.after is None:
        return found | {"bills": list(beside.get(BILLS, ()))}
    units = [
        {"id": get_int(row, "variant_id"), "unit": good.unit, "rate": good.rate} for row, good in _own_priced(change)
    ]
    return found | {"currency": buying(change.facts).supplier_currency} | ({"units": units} if units else {})
