"""What a good cost before: the last purchases of it in the unit and the currency of the order that is compared."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from statistics import median

from cache_core.conditions import NoneOf, OneOf, Order, Within
from cache_core.protocol import Selection, Stored
from katana_mcp.entities.purchase_orders.verifying.comparing import Terms, to_decimal
from katana_mcp.entities.purchase_orders.verifying.responses import PastPrice
from katana_mcp.entities.purchase_orders.verifying.sides import Side
from katana_mcp.references.display_names import text
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import number, rows

_ORDERS = 500
"""Newest orders of these goods that are looked at."""
_LAST = 5
_USUAL = Decimal(10)
"""Percent by which prices of a good differ without a word."""

type History = Mapping[int, Sequence[PastPrice]]
"""By the place of a side, its last purchases, newest first."""


async def last_purchases(sides: Sequence[Side], order: Stored, services: Services) -> History:
    """Return what each good cost in the last orders of it before this one, in the same unit and currency."""
    goods = {side.good.variant_id for side in sides if side.prices}
    if not goods:
        return {}
    where = (
        OneOf("purchase_order_rows[].variant_id", tuple(sorted(goods))),
        OneOf("currency", (text(order.record, "currency") or "",)),
        NoneOf("status", ("DRAFT",)),
        Within("order_created_date", high=text(order.record, "order_created_date")),
    )
    newest = Selection(where, Order("order_created_date", descending=True), _ORDERS)
    others = [row for row in await services.cache.select("purchase_order", newest) if row.id != order.id]
    return {place: list(_paid(side, others))[:_LAST] for place, side in enumerate(sides)}


def _paid(side: Side, orders: Iterable[Stored]) -> Iterable[PastPrice]:
    for order in orders:
        for row in rows(order.record, "purchase_order_rows"):
            price, is_it = number(row, "price_per_unit"), row.get("variant_id") == side.good.variant_id
            rate = number(row, "purchase_uom_conversion_rate") or Decimal(1)
            if is_it and price and rate == side.unit.rate:
                yield PastPrice(
                    order_no=text(order.record, "order_no"),
                    date=text(order.record, "order_created_date"),
                    price_per_unit=price,
                )
                break


def unusual(sides: Sequence[Side], history: History, terms: Terms) -> list[ToolWarning]:
    """Return a warning for each good whose price on the document is far from what the last purchases of it cost."""
    warnings: list[ToolWarning] = []
    tolerated = max(_USUAL, terms.request.price_tolerance or Decimal(0))
    for place, side in enumerate(sides):
        paid = [purchase.price_per_unit for purchase in history.get(place, ())]
        if not paid or terms.exchange is None or len(side.prices) != 1:
            continue
        price, usual = side.prices[0] * terms.exchange, Fraction(median(paid))
        if abs(price - usual) > usual * Fraction(tolerated) / 100:
            lowest, highest = plain_number(min(paid)), plain_number(max(paid))
            span = f"{lowest}" if lowest == highest else f"{lowest} to {highest}"
            message = (
                f"{side.good.called}: the document has {plain_number(to_decimal(price))} {terms.currency or ''} per "
                f"{side.unit.name or 'unit'}; {_last(len(paid))} cost {span}"
            )
            warnings.append(advisory(warning_codes.UNUSUAL_PRICE, message, f"lines[{side.places[0] - 1}]"))
    return warnings


def _last(count: int) -> str:
    return "the last purchase" if count == 1 else f"the last {count} purchases"
