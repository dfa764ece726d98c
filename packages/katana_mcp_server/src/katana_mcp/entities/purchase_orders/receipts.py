"""What receiving a purchase order, or taking receipts back, does to the stock, in stock units."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from katana_mcp.documents.transition import State, Transition
from katana_mcp.entities.purchase_orders.pricing import ROWS, called, good_of
from katana_mcp.values import number, rows
from katana_mcp.writing.stock_moves import StockMove

INGREDIENTS = "outsourced_purchase_order_recipe_row"
RECEIVED = ("PARTIALLY_RECEIVED", "RECEIVED")


def received(order: State) -> list[State]:
    """Return the rows that have come."""
    return [row for row in rows(order, ROWS) if row.get("received_date") is not None]


def moves_stock(change: Transition) -> bool:
    """Return whether a change receives something, or takes a receipt back."""
    goes = change.before is not None and change.after is None and bool(received(change.before))
    return goes or change.unlocks or (change.before is not None and change.status == "RECEIVED")


def moves(change: Transition) -> list[StockMove]:
    """Return what becomes of the stock."""
    if not moves_stock(change):
        return []
    if change.after is None or change.unlocks:
        path = "status" if change.unlocks else None
        return list(_moves(change, received(change.old), -1, path))
    return list(_moves(change, [row for row in rows(change.new, ROWS) if row not in _dated(change)], 1, "status"))


def arriving(change: Transition, row: State, path: str) -> Iterator[StockMove]:
    """Yield what a row brings that comes, and the ingredients that it takes."""
    return _moves(change, [row], 1, path)


def _dated(change: Transition) -> Sequence[State]:
    """Return the rows that had come before: of others a receipt date is only when they do."""
    there = {row["id"] for row in received(change.old)}
    return [row for row in rows(change.new, ROWS) if row.get("id") in there]


def _moves(change: Transition, moved: Sequence[State], sign: int, path: str | None) -> Iterator[StockMove]:
    order = change.new or change.old
    home, tracked = order.get("location_id"), order.get("tracking_location_id")
    for row in moved:
        amount = sign * stock_units(change, row)
        yield from _move(change, row.get("variant_id"), row.get("location_id", home), amount, path)
        for used in change.facts.beside.get(INGREDIENTS, ()):
            if used.get("purchase_order_row_id") == row.get("id"):
                needed = (number(used, "planned_quantity_per_unit") or Decimal(0)) * amount
                yield from _move(change, used.get("ingredient_variant_id"), tracked, -needed, path)


def stock_units(change: Transition, row: State) -> Decimal:
    """Return what a row brings; only a new one takes the rate of its item."""
    own = good_of(change.facts, row).rate if "id" not in row else None
    return (number(row, "quantity") or Decimal(0)) * (number(row, "purchase_uom_conversion_rate") or own or 1)


def _move(
    change: Transition, variant: object, location: object, amount: Decimal, path: str | None
) -> Iterator[StockMove]:
    if not isinstance(variant, int) or not isinstance(location, int):
        return
    name, place = (
        str(called(change.facts, entity, key)) for entity, key in (("variant", variant), ("location", location))
    )
    yield StockMove(variant=variant, called=name, location=location, place=place, change=amount, path=path)
