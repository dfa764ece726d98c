"""What shipped goods of a sales order do to the stock; a kit, built on delivery, takes its ingredients."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from cache_core.records import Record
from katana_mcp.documents.gathering import Asked, references
from katana_mcp.documents.goods import is_marked
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS
from katana_mcp.entities.sales_orders.pricing import ROWS
from katana_mcp.references.services import Services, current
from katana_mcp.references.wording import Named
from katana_mcp.surface.operations.get import of_ids, rows_beside
from katana_mcp.values import get_int, number, rows
from katana_mcp.writing.stock_moves import StockMove

RECIPE = "bom_row"
GONE = "sales_order_fulfillment_rows"
"""The field of a shipment that holds what of each row it took."""


def place_of(order: State, row: State) -> int | None:
    """Return the location that a row is shipped from."""
    return get_int(row, "location_id") or get_int(order, "location_id")


def is_service(facts: Facts, row: State) -> bool:
    """Return whether a row is no goods: it is never picked."""
    variant = facts.names.record("variant", row.get("variant_id"))
    parent = None if variant is None else facts.names.parent(variant)
    return parent is not None and parent[0] == "service"


def is_kit(facts: Facts, row: State) -> bool:
    """Return whether a row is built when it is delivered."""
    return is_marked(facts, row, "is_auto_assembly")


def row_moves(facts: Facts, order: State, row: State, amount: Decimal, path: str | None) -> Iterator[StockMove]:
    """Yield what so much of a row of an order brings, or takes where it is less than nothing."""
    place = place_of(order, row)
    if place is None or is_service(facts, row):
        return
    goods = [(get_int(row, "variant_id"), amount)]
    if is_kit(facts, row):
        goods = [
            (get_int(record, "ingredient_variant_id"), amount * (number(record, "quantity") or Decimal(0)))
            for record in facts.beside.get(RECIPE, ())
            if record.get("product_variant_id") == row.get("variant_id")
        ]
    where = facts.with_id("location", place)
    for variant, change in goods:
        goods = facts.with_id("variant", variant)
        if variant is not None:
            yield StockMove(
                variant=variant,
                called=str(variant) if goods is None else goods.called,
                location=place,
                place=str(place) if where is None else where.called,
                change=change,
                path=path,
            )


def shipment_moves(facts: Facts, order: State, shipment: State, path: str | None) -> Iterator[StockMove]:
    """Yield what comes back of a shipment that goes."""
    held = {row.get("id"): row for row in rows(order, ROWS)}
    for line in rows(shipment, GONE):
        row = held.get(line.get("sales_order_row_id"))
        if row is not None:
            yield from row_moves(facts, order, row, number(line, "quantity") or Decimal(0), path)


def returned(change: Transition) -> list[StockMove]:
    """Return what comes back where an order is deleted with its shipments."""
    if change.after is not None:
        return []
    shipments = change.facts.beside.get(FULFILLMENTS, ())
    return [move for shipment in shipments for move in shipment_moves(change.facts, change.old, shipment, None)]


async def with_kits(facts: Facts, found: Sequence[State], services: Services) -> Facts:
    """Return the facts with what those of these rows are made of that are kits."""
    kits = [get_int(row, "variant_id") for row in found if is_kit(facts, row)]
    facts = replace(facts, beside={**facts.beside, RECIPE: await _recipes(kits, services)})
    return replace(facts, references={**facts.references, **await _ingredients(facts, services)})


async def _recipes(kits: Sequence[int | None], services: Services) -> tuple[Record, ...]:
    """Return what kits are made of."""
    if not kits:
        return ()
    await current(services, (RECIPE,), ())
    return tuple(await rows_beside(services, RECIPE, of_ids("product_variant_id", *kits)))


async def _ingredients(facts: Facts, services: Services) -> dict[Asked, Named]:
    lines = facts.beside[RECIPE]
    return await references(
        services, [("variant", key) for row in lines if (key := get_int(row, "ingredient_variant_id"))]
    )
