"""What free stock does not cover of a new sales order, by what is known of it: said, and never binding."""

from collections.abc import Iterator
from decimal import Decimal

from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.sales_orders.pricing import ROWS
from katana_mcp.entities.sales_orders.shipped_goods import is_kit, place_of
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of, plain_number
from katana_mcp.tools.warnings import ToolWarning, info
from katana_mcp.values import EMPTY, get_int, number, rows

_NAMED = 10


def uncovered(change: Transition) -> Iterator[ToolWarning]:
    """Yield which goods of a new order are not free where they ship from; a kit has no stock of its own."""
    facts = change.facts
    sold = dict[tuple[int, int], Decimal]()
    for row in rows(change.new, ROWS) if change.before is None else ():
        variant, place = get_int(row, "variant_id"), _place(facts, change.new, row)
        if variant is not None and place is not None and variant in facts.free and not is_kit(facts, row):
            sold[variant, place] = sold.get((variant, place), Decimal(0)) + (number(row, "quantity") or Decimal(0))
    free = {(variant, place): max(Decimal(0), facts.free[variant].get(place, Decimal(0))) for variant, place in sold}
    lacking = [
        f"{plain_number(quantity)} {_called(facts, place[0])} ({plain_number(free[place])} free)"
        for place, quantity in sold.items()
        if quantity > free[place]
    ]
    if lacking:
        message = f"free stock does not cover {first_of(lacking, _NAMED)}; `promise_date` says by when it can be there"
        yield info(warning_codes.NOT_IN_STOCK, message, "rows")


def _place(facts: Facts, order: State, row: State) -> int | None:
    """Return where a row ships from: without a location, from that of the factory."""
    return place_of(order, row) or get_int(next(facts.names.of("factory"), EMPTY), "default_sales_location_id")


def _called(facts: Facts, variant: int) -> str:
    goods = facts.with_id("variant", variant)
    return str(variant) if goods is None else goods.called
