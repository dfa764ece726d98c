"""What productions of a manufacturing order do to the stock: the product comes, ingredients go; or the other way."""

from collections.abc import Iterator
from decimal import Decimal

from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.manufacturing_orders.parts import PRODUCTIONS
from katana_mcp.values import get_int, number, rows
from katana_mcp.writing.stock_moves import StockMove

DONE, PARTLY = "DONE", "PARTIALLY_COMPLETED"


def productions(facts: Facts) -> tuple[State, ...]:
    """Return what was made of an order so far, oldest first."""
    return facts.beside.get(PRODUCTIONS, ())


def undone(change: Transition) -> list[StockMove]:
    """Return what becomes of the stock where a change takes productions back, or deletes an order with some."""
    if not change.unlocks and change.after is not None:
        return []
    path = "status" if change.unlocks else None
    return [
        move
        for production in productions(change.facts)
        for move in moved(change.facts, change.old, production, -1, path)
    ]


def moved(facts: Facts, order: State, production: State, times: int, path: str | None) -> Iterator[StockMove]:
    """Yield what a production brings and takes at the order's location; `times` is -1 where it is taken back."""
    place = get_int(order, "location_id")
    made = (get_int(order, "variant_id"), number(production, "quantity"))
    used = [
        (get_int(ingredient, "variant_id"), number(ingredient, "quantity"))
        for ingredient in rows(production, "ingredients")
    ]
    goods = [(*made, times), *((*use, -times) for use in used)]
    where = facts.with_id("location", place)
    for variant, quantity, sign in goods:
        named = facts.with_id("variant", variant)
        if variant is not None and place is not None:
            yield StockMove(
                variant=variant,
                called=str(variant) if named is None else named.called,
                location=place,
                place=str(place) if where is None else where.called,
                change=(quantity or Decimal(0)) * sign,
                path=path,
            )
