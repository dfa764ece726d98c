"""What `replenish` decides by: stock levels, bills of materials, who needs what and when, and what is drafted."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from cache_core.conditions import EVERYTHING, LIVE, Missing, OneOf, Order
from cache_core.protocol import Selected, Selection, Stored
from cache_core.records import Record
from cache_core.sync import StockAnswer, target_of
from katana_mcp.references.boms import bom_rows, by_end
from katana_mcp.references.resolve import first_of_each
from katana_mcp.references.services import Services
from katana_mcp.values import get_bool, get_int, number, rows
from katana_mcp.workflows.computing import computed_once
from katana_mcp.workflows.needs import Needs, needs_of
from katana_mcp.workflows.requirements import Level, Place, Recipes

_MOST, _MOST_LEVELS = 10_000, 20
_ID, _PRODUCT, _MADE = (frozenset((name,)) for name in ("id", "product_id", "is_producible"))


async def every_variant(services: Services) -> tuple[list[Stored], bool]:
    """Return the variants of products and materials, and whether there are more than are looked at.

    Of what is archived or deleted only what open orders need.
    """
    # Read one by one: what is archived or deleted must not crowd out what is not.
    reads = [
        Selected("variant", Selection((Missing(path, missing=False),), Order("id"), _MOST, visibility=visibility))
        for visibility in (LIVE, EVERYTHING)
        for path in ("product_id", "material_id")
    ]
    listed = await first_of_each(services, reads)
    every = {row.id: row for found, _ in listed for row in found}
    gone = [key for key, row in every.items() if _is_gone(row) and isinstance(key, int)]
    needed = {variant for variant, _ in await needs_of(gone, services)} if gone else ()
    kept = [row for key, row in every.items() if not _is_gone(row) or key in needed]
    return kept[:_MOST], any(more for _, more in listed) or len(kept) > _MOST


def _is_gone(row: Stored) -> bool:
    return row.archived or row.deleted


async def deleted_of(variants: Iterable[Stored], others: Sequence[int], services: Services) -> frozenset[int]:
    """Return which of these variants, and of others by their ids, are deleted."""
    found = (await services.cache.get_many("variant", others, _ID)).rows if others else ()
    return frozenset(row.id for row in (*variants, *found) if row.deleted and isinstance(row.id, int))


async def taken_of(
    deleted: Collection[int], levels: Mapping[Place, Level], places: frozenset[object], services: Services
) -> Mapping[Place, Level]:
    """Return these levels, and what open orders at these places, or at all, take of deleted variants without one."""
    needs = await needs_of(list(deleted), services)
    nothing = Decimal(0)
    return dict(levels) | {
        place: Level(nothing, nothing, sum((need.quantity for need in of), nothing), nothing, is_listed=False)
        for place, of in needs.items()
        if place not in levels and (not places or place[1] in places)
    }


async def recipes_of(made: Sequence[int], services: Services) -> tuple[Recipes, bool]:
    """Return what these variants and all below them are made of, and whether some is left out."""
    found, is_cut = await bom_rows(made, (_MADE_OF, _INGREDIENT), _MOST_LEVELS, services, ("quantity",))
    return await computed_once(len(found), found, _recipes, found), is_cut


def _recipes(found: Sequence[Stored]) -> Recipes:
    return {product: list(_ingredients(records)) for product, records in by_end(found, _MADE_OF).items()}


_MADE_OF, _INGREDIENT = "product_variant_id", "ingredient_variant_id"


def _ingredients(recipe: Sequence[Record]) -> Iterator[tuple[int, Decimal]]:
    for row in recipe:
        ingredient, quantity = get_int(row, _INGREDIENT), number(row, "quantity")
        if ingredient is not None and quantity is not None:
            yield ingredient, quantity


async def producible(variants: Iterable[int], services: Services) -> list[int]:
    """Return which of these variants are of products that are made."""
    stored = (await services.cache.get_many("variant", list(variants), _PRODUCT)).rows
    items = {product for row in stored if (product := get_int(row.record, "product_id")) is not None}
    products = (await services.cache.get_many("product", list(items), _MADE)).rows
    made = {row.id for row in products if get_bool(row.record, "is_producible")}
    return [row.id for row in stored if row.record.get("product_id") in made and isinstance(row.id, int)]


async def only_made(recipes: Recipes, services: Services, known: Collection[int] = frozenset()) -> Recipes:
    """Return the recipes of what is made: an item that is bought keeps its bill of materials.

    Args:
        recipes: by the variant that they are of.
        services: the tenant's services.
        known: variants that are known to be of products that are made.
    """
    others = [variant for variant in recipes if variant not in known]
    made = frozenset((*known, *(await producible(others, services) if others else ())))
    return await computed_once(len(recipes), (recipes,), _only, recipes, made, asked=made)


def _only(recipes: Recipes, made: Collection[int]) -> Recipes:
    return {product: recipe for product, recipe in recipes.items() if product in made}


async def levels_in(stock: StockAnswer, places: frozenset[object]) -> tuple[Mapping[Place, Level], int]:
    """Return the levels at these locations, or at all, and of how many a figure is not known."""
    stored = stock.stored
    return await computed_once(len(stored), stored, levels_of, stored, places, asked=places)


def levels_of(stored: Sequence[Stored], places: frozenset[object]) -> tuple[Mapping[Place, Level], int]:
    """Return what `levels_in` does, of records of stock."""
    found: dict[Place, Level] = {}
    unknown = 0
    for record in (level for row in stored for level in rows(row.record, "levels")):
        variant, location = get_int(record, "variant_id"), get_int(record, "location_id")
        if variant is None or location is None or (places and location not in places):
            continue
        level = _level(record)
        unknown += level is None
        if level is not None:
            found[variant, location] = level
    return found, unknown


def _level(record: Record) -> Level | None:
    target, in_stock = target_of(record), number(record, "quantity_in_stock")
    committed, expected = number(record, "quantity_committed"), number(record, "quantity_expected")
    if target is None or in_stock is None or committed is None or expected is None:
        return None
    return Level(target, in_stock, committed, expected)


async def within_horizon(
    levels: Mapping[Place, Level], variants: Sequence[int], end: str, services: Services
) -> tuple[Mapping[Place, Level], Needs]:
    """Return the levels without what orders take only after the horizon, and what orders need before its end.

    Args:
        levels: the stock.
        variants: all that are looked at, those without a level too.
        end: the last moment of the horizon.
        services: the tenant's services.
    """
    committed = {variant for (variant, _), level in levels.items() if level.committed > 0}
    unneeded = {variant for variant, _ in levels} - committed
    needs = await needs_of([variant for variant in variants if variant not in unneeded], services)
    later = {
        place: sum((need.quantity for need in of if need.date is not None and need.date > end), Decimal(0))
        for place, of in needs.items()
    }
    sooner = {place: [need for need in of if need.date is None or need.date <= end] for place, of in needs.items()}
    reduced = {
        place: level._replace(committed=max(level.committed - later.get(place, Decimal(0)), Decimal(0)))
        for place, level in levels.items()
    }
    return reduced, sooner


_ROWS = ("variant_id", "location_id", "quantity", "purchase_uom_conversion_rate")
DRAFTS = Selected(
    "purchase_order",
    Selection(
        (OneOf("status", ("DRAFT",)),),
        Order("id"),
        _MOST,
        fields=frozenset(("location_id", *(f"purchase_order_rows[].{name}" for name in _ROWS))),
    ),
)
"""Draft purchase orders, as `drafted` takes them."""


def drafted(orders: Sequence[Stored]) -> Iterator[tuple[Place, Decimal]]:
    """Yield what each row of these draft purchase orders would bring, in stock units: Katana does not expect it."""
    return (brought for order in orders for brought in _brought(order.record))


def _brought(order: Record) -> Iterator[tuple[Place, Decimal]]:
    for row in rows(order, "purchase_order_rows"):
        variant, location = get_int(row, "variant_id"), get_int(row, "location_id") or get_int(order, "location_id")
        if variant is not None and location is not None:
            rate = number(row, "purchase_uom_conversion_rate") or 1
            yield (variant, location), (number(row, "quantity") or Decimal(0)) * rate
