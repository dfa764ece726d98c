"""Goods of rows that would be made, and that are there already: Katana makes what is asked for all the same."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from katana_mcp.documents.transition import Facts, State
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of, plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import EMPTY, get_int, number

_NAMED = 10
_HELD = ("NOT_SHIPPED", "READY_FOR_FULFILLMENT")
"""Statuses of an order of which all that its rows take is committed: nothing has left, and it is no quote."""


def in_stock(facts: Facts, made: Sequence[State]) -> Iterator[ToolWarning]:
    """Yield which of these rows have all of their goods already, and which goods of the others are free."""
    there = [row for row in made if row.get("product_availability") == "IN_STOCK"]
    if there:
        called = first_of([f"{_sku(facts, row.get('variant_id'))} (row {row.get('id')})" for row in there], _NAMED)
        message = f"in stock for this order already: {called}; name the rows that lack something in row_ids"
        yield advisory(warning_codes.STOCK_AT_HAND, message, "row_ids")
    free = list(_free(facts, [row for row in made if row.get("product_availability") != "IN_STOCK"]))
    if free:
        message = f"free in stock already: {first_of(free, _NAMED)}; all of it would be made all the same"
        yield advisory(warning_codes.STOCK_AT_HAND, message, "row_ids")


def _free(facts: Facts, made: Sequence[State]) -> Iterator[str]:
    """Yield how much is free of what these rows take, what is committed for themselves being theirs."""
    order, taken = facts.record or EMPTY, dict[tuple[int, int], Decimal]()
    for row in made:
        variant = get_int(row, "variant_id")
        place = get_int(row, "location_id") or get_int(order, "location_id")
        if variant is not None and place is not None and variant in facts.free:
            taken[variant, place] = taken.get((variant, place), Decimal(0)) + (number(row, "quantity") or Decimal(0))
    for (variant, place), quantity in taken.items():
        free = facts.free[variant].get(place, Decimal(0)) + (quantity if order.get("status") in _HELD else 0)
        if free > 0:
            where = facts.with_id("location", place)
            parts = f"{plain_number(min(free, quantity))} of {plain_number(quantity)} {_sku(facts, variant)}"
            yield f"{parts} at {place if where is None else where.called}"


def _sku(facts: Facts, variant: object) -> str:
    goods = facts.with_id("variant", variant)
    return str(variant) if goods is None or goods.sku is None else goods.sku
