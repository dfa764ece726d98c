"""What `replenish` decides by: stock levels, bills of materials, who needs what and when, and what is drafted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from cache_core.conditions import Missing, NoneOf, OneOf, Order
from cache_core.protocol import Selection, Stored
from cache_core.records import Record, RecordId
from cache_core.sync import StockAnswer
from katana_mcp.references.display_names import text
from katana_mcp.references.resolve import first_rows
from katana_mcp.references.services import Services
from katana_mcp.values import get_bool, get_int, number, rows
from katana_mcp.workflows.bom import rows_by_level
from katana_mcp.workflows.requirements import Level, Place
from katana_mcp.workflows.stock import target_of

_MOST, _MOST_LEVELS = 10_000, 20
_SHIPPED = ("DELIVERED", "PACKED", "PENDING")


@dataclass(frozen=True, slots=True)
class Need:
    """An open order that takes a variant from a location: its number, by when, and how much it still takes."""

    order_no: str
    date: str | None
    quantity: Decimal


type Needs = Mapping[Place, Sequence[Need]]
"""By place, the earliest first; those without a date last."""


async def every_variant(services: Services) -> tuple[list[Stored], bool]:
    """Return the live variants of products and materials, and whether there are more than are looked at."""
    found: list[Stored] = []
    for path in ("product_id", "material_id"):
        selection = Selection((Missing(path, missing=False),), Order("id"), _MOST)
        found += (await first_rows(services, "variant", selection))[0]
    return found[:_MOST], len(found) > _MOST


async def recipes_of(made: Sequence[int], services: Services) -> tuple[dict[int, Sequence[tuple[int, Decimal]]], bool]:
    """Return what these variants and all below them are made of, and whether some is left out."""
    ends = ("product_variant_id", "ingredient_variant_id")
    found, is_cut = await rows_by_level(made, ends, _MOST_LEVELS, services)
    return {product: list(_ingredients(each)) for product, each in found.items()}, is_cut


def _ingredients(recipe: Sequence[Record]) -> Iterator[tuple[int, Decimal]]:
    for row in recipe:
        ingredient, quantity = get_int(row, "ingredient_variant_id"), number(row, "quantity")
        if ingredient is not None and quantity is not None:
            yield ingredient, quantity


async def producible(variants: Iterable[int], services: Services) -> list[int]:
    """Return which of these variants are of products that are made."""
    stored = (await services.cache.get_many("variant", list(variants))).rows
    items = {product for each in stored if (product := get_int(each.record, "product_id")) is not None}
    products = (await services.cache.get_many("product", list(items))).rows
    made = {row.id for row in products if get_bool(row.record, "is_producible")}
    return [each.id for each in stored if each.record.get("product_id") in made and isinstance(each.id, int)]


def levels_in(stock: StockAnswer, places: frozenset[object]) -> tuple[dict[Place, Level], int]:
    """Return the levels at these locations, or at all, and of how many a figure is not known."""
    found: dict[Place, Level] = {}
    unknown = 0
    for record in (row for stored in stock.stored for row in rows(stored.record, "levels")):
        variant, location = get_int(record, "variant_id"), get_int(record, "location_id")
        if variant is None or location is None or (places and location not in places):
            continue
        level = _level(record)
        unknown += level is None
        if level is not None:
            found[variant, location] = level
    return found, unknown


def _level(record: Record) -> Level | None:
    figures = [
        target_of(record),
        *(number(record, f"quantity_{each}") for each in ("in_stock", "committed", "expected")),
    ]
    known = [figure for figure in figures if figure is not None]
    return Level(*known) if len(known) == len(figures) else None


async def needs_of(variants: Sequence[int], services: Services) -> Needs:
    """Return the open sales and manufacturing orders that take these variants; three reads in all."""
    found: dict[Place, list[Need]] = {}
    for place, need in [*await _sold(variants, services), *await _used(variants, services)]:
        found.setdefault(place, []).append(need)
    return {place: sorted(each, key=lambda need: need.date or "9999") for place, each in found.items()}


async def _sold(variants: Sequence[int], services: Services) -> list[tuple[Place, Need]]:
    where = (OneOf("sales_order_rows[].variant_id", tuple(variants)), NoneOf("status", _SHIPPED))
    orders, _ = await first_rows(services, "sales_order", Selection(where, Order("id"), _MOST))
    shipped = await _shipped([order.id for order in orders], services)
    return [need for order in orders for need in _open_rows(order.record, shipped)]


async def _shipped(orders: Sequence[RecordId], services: Services) -> Mapping[int | None, Decimal]:
    """Return how much of each row of these orders is in shipments."""
    selection = Selection((OneOf("sales_order_id", tuple(orders)),), Order("id"), _MOST)
    shipments, _ = await first_rows(services, "sales_order_fulfillment", selection)
    found: dict[int | None, Decimal] = {}
    for row in (row for shipment in shipments for row in rows(shipment.record, "sales_order_fulfillment_rows")):
        key = get_int(row, "sales_order_row_id")
        found[key] = found.get(key, Decimal(0)) + (number(row, "quantity") or 0)
    return found


def _open_rows(order: Record, shipped: Mapping[int | None, Decimal]) -> Iterator[tuple[Place, Need]]:
    for row in rows(order, "sales_order_rows"):
        variant = get_int(row, "variant_id")
        location = get_int(row, "location_id") or get_int(order, "location_id")
        left = (number(row, "quantity") or Decimal(0)) - shipped.get(get_int(row, "id"), Decimal(0))
        is_open = left > 0 and text(row, "product_availability") != "PICKED"
        if is_open and variant is not None and location is not None:
            yield (variant, location), Need(text(order, "order_no") or "", text(order, "delivery_date"), left)


async def _used(variants: Sequence[int], services: Services) -> list[tuple[Place, Need]]:
    where = (OneOf("variant_id", tuple(variants)), NoneOf("ingredient_availability", ("PROCESSED",)))
    lines, _ = await first_rows(services, "manufacturing_order_recipe_row", Selection(where, Order("id"), _MOST))
    ids = dict.fromkeys(key for line in lines if (key := get_int(line.record, "manufacturing_order_id")) is not None)
    known = (await services.cache.get_many("manufacturing_order", list(ids))).rows if ids else ()
    orders = {row.id: row.record for row in known if not row.deleted and row.record.get("status") != "DONE"}
    found: list[tuple[Place, Need]] = []
    for row in (line.record for line in lines):
        order = orders.get(get_int(row, "manufacturing_order_id") or 0)
        location = None if order is None else get_int(order, "location_id")
        variant, left = get_int(row, "variant_id"), number(row, "total_remaining_quantity")
        if order is not None and location is not None and variant is not None and left:
            need = Need(text(order, "order_no") or "", text(order, "production_deadline_date"), left)
            found.append(((variant, location), need))
    return found


async def drafted(variants: Sequence[int], services: Services) -> Mapping[Place, Decimal]:
    """Return what draft purchase orders would bring of these variants, in stock units: Katana does not expect it."""
    where = (OneOf("purchase_order_rows[].variant_id", tuple(variants)), OneOf("status", ("DRAFT",)))
    orders, _ = await first_rows(services, "purchase_order", Selection(where, Order("id"), _MOST))
    found: dict[Place, Decimal] = {}
    for order in (each.record for each in orders):
        for row in rows(order, "purchase_order_rows"):
            variant, location = get_int(row, "variant_id"), get_int(row, "location_id") or get_int(order, "location_id")
            if variant is not None and location is not None:
                rate = number(row, "purchase_uom_conversion_rate") or 1
                brought = (number(row, "quantity") or Decimal(0)) * rate
                found[variant, location] = found.get((variant, location), Decimal(0)) + brought
    return found
