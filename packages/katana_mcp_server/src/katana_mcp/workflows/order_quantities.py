"""How much of an item to order: whole purchase units that cover what is short, and what they come to by supplier."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from katana_mcp.references.purchasable import PurchasableVariant
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import total

_MOST_SUPPLIERS = 25


def order_quantity(good: PurchasableVariant, short: Decimal) -> Decimal:
    """Return the fewest whole purchase units that cover what is short and are no less than the minimum order.

    Args:
        good: how it is bought; its rate is more than nothing.
        short: in stock units, what is on its way taken off.
    """
    if short <= 0:
        return Decimal(0)
    needed = max(short, good.minimum or Decimal(0))
    return Decimal(math.ceil(Fraction(needed) / Fraction(rate_of(good))))


def rate_of(good: PurchasableVariant) -> Decimal:
    """Return how many stock units are in one purchase unit."""
    return Decimal(1) if good.rate is None else good.rate


def purchase_unit(good: PurchasableVariant) -> Mapping[str, object]:
    """Return the purchase unit, and how many stock units it holds; nothing where it is one stock unit."""
    rate = rate_of(good)
    return {} if rate == 1 else {"purchase_uom": good.unit, "purchase_uom_conversion_rate": rate}


def price_of(good: PurchasableVariant) -> Decimal | None:
    """Return the price of a purchase unit; Katana keeps a price that nobody has set as 0."""
    return good.price or None


@dataclass(frozen=True, slots=True)
class OrderLine:
    """What to order of an item.

    Attributes:
        good: how it is bought.
        quantity: in purchase units.
    """

    good: PurchasableVariant
    quantity: Decimal

    @property
    def value(self) -> Decimal | None:
        """What it comes to without tax; None without a price."""
        price = price_of(self.good)
        return None if price is None else price * self.quantity


def order_line(good: PurchasableVariant, short: Decimal | None) -> OrderLine | None:
    """Return what to order; None where nothing is short, where that is not known, or where it is not bought."""
    if short is None or short <= 0 or not good.is_cached or not good.bought or rate_of(good) <= 0:
        return None
    return OrderLine(good, order_quantity(good, short))


class SupplierTotal(Answer):
    """What would be ordered from a supplier; without one, of items that have no default supplier."""

    supplier_id: int | None = None
    supplier: str | None = None
    lines: int
    value: Number | None = None
    """Without tax, of the lines with a price."""
    currency: str | None = None


def by_supplier(lines: Iterable[OrderLine]) -> Sequence[SupplierTotal]:
    """Return the totals by supplier, most lines first."""
    found: dict[tuple[int | None, str | None], list[OrderLine]] = {}
    for line in lines:
        found.setdefault((line.good.supplier, line.good.currency), []).append(line)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0][0] or 0))
    return [_total(lines) for _, lines in ordered]


def shown_suppliers(totals: Sequence[SupplierTotal]) -> Sequence[SupplierTotal]:
    """Return as many as an answer names."""
    return totals[:_MOST_SUPPLIERS]


def _total(lines: Sequence[OrderLine]) -> SupplierTotal:
    good, values = lines[0].good, [line.value for line in lines if line.value is not None]
    return SupplierTotal(
        supplier_id=good.supplier,
        supplier=good.supplier_name,
        lines=len(lines),
        value=total(values) if values else None,
        currency=good.currency if values else None,
    )
