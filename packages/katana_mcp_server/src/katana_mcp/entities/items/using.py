"""What goods are used by, and who has their SKUs: what a plan of products and materials is judged by."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from cache_core.conditions import EVERYTHING, OneOf, Order
from cache_core.protocol import Selection, Stored
from cache_core.records import Record
from katana_mcp.documents.gathering import references
from katana_mcp.documents.leaving import MAKING, PURCHASES, SALES, bound, open_orders
from katana_mcp.documents.leaving import linked as linked_orders
from katana_mcp.documents.transition import Facts, Linked, Transition
from katana_mcp.entities.items import skus
from katana_mcp.entities.items.finding import one_item
from katana_mcp.entities.items.headers import ItemType
from katana_mcp.entities.items.variants import ids_of, kept_in
from katana_mcp.references.display_names import look_up, text
from katana_mcp.references.resolve import all_listed
from katana_mcp.references.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of, plain_number, so_many
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import get_int
from katana_mcp.writing.actions import JsonObject
from katana_mcp.writing.change import record_lane, sku_lane
from katana_mcp.writing.stock_moves import read_levels

READ = skus.READ
ORDERS = (SALES.entity, PURCHASES.entity, MAKING.entity)
_NAMED = 5
_SUPPLIER = "default_supplier_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What is known of goods beside their record.

    Attributes:
        having: the ids of other variants that have a SKU that is given, by that SKU.
        products: the ids of product variants that are made of what goes.
        called: what these are called, as many as a warning names.
        made_of: how many rows the bills of materials of what goes have.
        is_counted: whether all bills of materials are known.
        stock: what there is of what goes, in words.
    """

    having: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    products: tuple[int, ...] = ()
    called: tuple[str, ...] = ()
    made_of: int = 0
    is_counted: bool = True
    stock: tuple[str, ...] = ()


async def find(kind: ItemType, services: Services, id_or_name: int | str) -> Stored:
    """Return the item of a type that an id, an exact name or a SKU names, as `get_item` finds it."""
    return (await one_item(id_or_name, kind, services))[1]


async def gather(link: str, change: Transition, services: Services) -> Facts:
    """Return the facts with the variants as they are cached, who has their SKUs, and what uses those that go.

    Args:
        link: the field in which variants name their item.
        change: what is asked for, as far as it is known.
        services: of the tenant.
    """
    facts, old = change.facts, change.old
    key = get_int(old, "id")
    mine = [] if key is None else await _variants(link, key, services)
    supplier = change.subject.get(_SUPPLIER)
    names = await look_up(services.cache, {"factory": (), "supplier": [supplier]})
    named = [] if get_int(old, _SUPPLIER) is None else [("supplier", get_int(old, _SUPPLIER) or 0)]
    found = {**await references(services, named), **facts.references}
    facts = replace(facts, names=names, references=found, beside={**facts.beside, "variant": tuple(mine)})
    going = ids_of(old) if change.after is None else change.sent["variants"].deletes
    variants = tuple(record_id for record_id in going if isinstance(record_id, int))
    used = await _used(variants, services) if variants else Used()
    given = tuple(dict.fromkeys(kept_in(change).values()))
    having = await skus.having(given, {*ids_of(old)}, services)
    orders = await _open(variants, services) if variants else ()
    return replace(facts, linked=orders, own=replace(used, having=having))


async def _variants(link: str, item: int, services: Services) -> list[Record]:
    """Return the cached variants of an item, also those that were deleted: what embeds them may lag behind that."""
    every = Selection((OneOf(link, (item,)),), Order("id"), _MOST, visibility=EVERYTHING)
    return [row.record for row in await services.cache.select("variant", every)]


async def _open(variants: Sequence[int], services: Services) -> tuple[Linked, ...]:
    paths = ("sales_order_rows[].variant_id", "purchase_order_rows[].variant_id", "variant_id")
    every = zip((SALES, PURCHASES, MAKING), paths, strict=True)
    return tuple([await open_orders((OneOf(path, tuple(variants)),), services, orders) for orders, path in every])


async def _used(variants: tuple[int, ...], services: Services) -> Used:
    """Return which products are made of these variants, and how many rows their own bills of materials have."""
    await current(services, ("bom_row",), ())
    naming = Selection((OneOf("ingredient_variant_id", variants),), Order("id"), _MOST)
    found = [row.record for row in await services.cache.select("bom_row", naming)]
    products = tuple(dict.fromkeys(key for row in found if (key := get_int(row, "product_variant_id")) is not None))
    others = tuple(key for key in products if key not in variants)
    names = await look_up(services.cache, {"variant": (*others[:_NAMED], *variants)})
    levels = await read_levels(services, variants)
    amounts = {key: sum(places.values(), Decimal(0)) for key, places in levels.items()}
    return Used(
        products=others,
        called=tuple(_called(names.record("variant", key), key) for key in others[:_NAMED]),
        made_of=await services.cache.count("bom_row", (OneOf("product_variant_id", variants),)),
        is_counted=await all_listed(services, "bom_row"),
        stock=tuple(
            f"{plain_number(held)} {_called(names.record('variant', key), key)}"
            for key, held in amounts.items()
            if held
        ),
    )


_MOST = 1_000


def _called(variant: Mapping[str, object] | None, key: int) -> str:
    return text(variant, "sku") or f"variant {key}"


def _own(change: Transition) -> Used:
    return change.facts.own if isinstance(change.facts.own, Used) else Used()


def taken(change: Transition) -> Iterator[ToolWarning]:
    """Yield that other variants have a SKU that is given."""
    for path, sku in kept_in(change).items():
        others = _own(change).having.get(sku, ())
        if others:
            yield skus.shared(sku, others, path)


def used_in(change: Transition) -> Iterator[ToolWarning]:
    """Yield that products are made of what goes, and what of it is in stock."""
    used, path = _own(change), None if change.after is None else "delete_variant_ids"
    if used.products:
        named = first_of(used.called, _NAMED, len(used.products))
        made = f"{so_many(len(used.products), 'product')} {'is' if len(used.products) == 1 else 'are'} made of it"
        message = f"{made}: {named}; `replace_ingredient` puts another in its place"
        yield advisory(warning_codes.IN_USE, message, path)
    if used.stock:
        named = first_of(used.stock, _NAMED)
        yield advisory(warning_codes.IN_USE, f"it has stock: {named}; that stock will no longer be listed", path)
    if not used.is_counted:
        message = "the first sync of bills of materials is not finished: more products may be made of it"
        yield advisory(warning_codes.COLD_CACHE, message, path)


def binds(change: Transition) -> JsonObject:
    """Return what a plan was judged by: by the apply it has to be the same."""
    used = _own(change)
    found: dict[str, object] = {"others with the SKU": {sku: list(ids) for sku, ids in used.having.items()}}
    found["made of it"] = list(used.products)
    return {**found, **bound(change)}


def lanes(change: Transition) -> tuple[str, ...]:
    """Return the SKUs that are given and the variants that change: plans that share one are applied in turn."""
    diff = change.sent["variants"]
    changed = [record_lane("variant", key) for key in (*diff.updates, *diff.deletes) if isinstance(key, int)]
    return tuple(dict.fromkeys([*(sku_lane(sku) for sku in kept_in(change).values()), *changed]))


def currency(change: Transition) -> str | None:
    """Return the base currency, in which sales prices are."""
    return change.facts.names.base_currency()


def linked(change: Transition) -> tuple[str, ...]:
    """Return the supplier with the currency of purchase prices, where some are given, and open orders of what goes."""
    diff = change.sent["variants"]
    is_bought = any("purchase_price" in row for row in (*diff.adds, *diff.updates.values()))
    supplier = change.facts.names.record("supplier", change.subject.get(_SUPPLIER))
    currency = text(supplier, "currency") or (change.facts.names.base_currency() if supplier is None else None)
    where = f"of supplier {text(supplier, 'name')} " if supplier is not None else ""
    notes = (f"purchase prices {where}are in {currency}",) if is_bought and currency else ()
    return (*notes, *linked_orders(change))
