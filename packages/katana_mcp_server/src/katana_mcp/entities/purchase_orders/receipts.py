"""What receiving a purchase order, or taking receipts back, does to the stock, in stock units."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from cache_core.records import Record
from katana_mcp.entities.purchase_orders.head import OldOrder
from katana_mcp.entities.purchase_orders.wanted import Wanted
from katana_mcp.operations.get import of_ids, rows_beside
from katana_mcp.services import Services
from katana_mcp.values import number, whole
from katana_mcp.writing.stock_moves import StockMove, read_levels

INGREDIENTS = "outsourced_purchase_order_recipe_row"


async def with_ingredients(facts: OldOrder, services: Services) -> OldOrder:
    """Return the same with the ingredients of its rows, which only outsourced orders have."""
    found = await rows_beside(services, INGREDIENTS, of_ids("purchase_order_id", facts.id))
    return replace(facts, ingredients=tuple(found))


async def with_levels(facts: OldOrder, services: Services, new_goods: Iterable[int | None] = ()) -> OldOrder:
    """Return the same with the stock of its goods and ingredients, and of further goods."""
    moved = [*(whole(row, "variant_id") for row in facts.rows), *new_goods]
    moved += [whole(row, "ingredient_variant_id") for row in facts.ingredients]
    return replace(facts, levels=await read_levels(services, [each for each in moved if each is not None]))


def received(facts: OldOrder) -> list[Record]:
    """Return the rows that have come."""
    return [row for row in facts.rows if row.get("received_date") is not None]


def taken_out(facts: OldOrder, path: str | None = None) -> list[StockMove]:
    """Return what leaves the stock again when every receipt is taken back; ingredients come back."""
    return list(_moves(facts, received(facts), -1, path))


def status_moves(wanted: Wanted) -> list[StockMove]:
    """Return what the status does to the stock that a change sets."""
    if wanted.reverts:
        return taken_out(wanted.facts, "status")
    if wanted.status != "RECEIVED":
        return []
    facts = replace(wanted.facts, record={**wanted.facts.record, **wanted.head})
    home = facts.record.get("location_id")
    rows = [{"location_id": home, **row} for row in wanted.rows_then if row.get("received_date") is None]
    return list(_moves(facts, rows, 1, "status"))


def _moves(facts: OldOrder, rows: Sequence[Record], sign: int, path: str | None) -> Iterator[StockMove]:
    tracked = facts.record.get("tracking_location_id")
    for row in rows:
        amount = sign * _stock_units(row, facts)
        yield from _move(facts, row.get("variant_id"), row.get("location_id"), amount, path)
        for used in facts.ingredients:
            if used.get("purchase_order_row_id") == row.get("id"):
                needed = (number(used, "planned_quantity_per_unit") or Decimal(0)) * amount
                yield from _move(facts, used.get("ingredient_variant_id"), tracked, -needed, path)


def _stock_units(row: Record, facts: OldOrder) -> Decimal:
    """Return what a row brings; only a new one takes the rate of its item."""
    own = facts.directory.good(row.get("variant_id")).rate if "id" not in row else None
    return (number(row, "quantity") or Decimal(0)) * (number(row, "purchase_uom_conversion_rate") or own or 1)


def _move(facts: OldOrder, variant: object, location: object, change: Decimal, path: str | None) -> Iterator[StockMove]:
    if not isinstance(variant, int) or not isinstance(location, int):
        return
    known = facts.directory
    called, place = known.sku({"variant_id": variant}), known.called("location", location) or str(location)
    yield StockMove(variant=variant, called=called, location=location, place=place, change=change, path=path)
