"""How much is ordered: never too little, never a part of a purchase unit, never one more than it takes."""

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from katana_mcp.references.purchasable import PurchasableVariant
from katana_mcp.workflows.order_quantities import by_supplier, order_line, order_quantity, rate_of

AMOUNTS = st.decimals(0, 10**9, places=5, allow_nan=False)
RATES = st.none() | st.decimals(Decimal("0.00000000001"), 10**6, places=11, allow_nan=False)


@given(levels=st.tuples(AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS), rate=RATES, minimum=st.none() | AMOUNTS)
@example(levels=(Decimal(10), Decimal(0), Decimal(0), Decimal(0)), rate=Decimal(10), minimum=None)
@example(levels=(Decimal(1), Decimal(0), Decimal(0), Decimal(0)), rate=Decimal(3), minimum=None)
def test_what_is_ordered_reaches_the_target_in_whole_units_and_the_minimum_and_no_unit_less_does(
    levels: tuple[Decimal, Decimal, Decimal, Decimal], rate: Decimal | None, minimum: Decimal | None
) -> None:
    target, committed, there, coming = levels
    good = PurchasableVariant(rate=rate, minimum=minimum)
    short = target - (there - committed + coming)
    ordered, unit = order_quantity(good, short), rate_of(good)
    assert ordered == int(ordered) >= 0
    assert (there - committed) + coming + ordered * unit >= target
    if short <= 0:
        assert ordered == 0
        return
    assert ordered * unit >= (minimum or 0)
    fewer = (ordered - 1) * unit
    assert fewer < short or fewer < (minimum or 0)


@pytest.mark.parametrize(
    ("good", "short"),
    [
        (PurchasableVariant(bought=False), Decimal(1)),
        (PurchasableVariant(is_cached=False), Decimal(1)),
        (PurchasableVariant(rate=Decimal(0)), Decimal(1)),
        (PurchasableVariant(), None),
        (PurchasableVariant(), Decimal(0)),
        (PurchasableVariant(), Decimal(-1)),
    ],
)
def test_nothing_is_ordered_of_what_is_not_bought_not_known_or_not_short(
    good: PurchasableVariant, short: Decimal | None
) -> None:
    assert order_line(good, short) is None
    assert order_line(PurchasableVariant(), Decimal(1)) is not None


def test_totals_are_by_supplier_and_exact_and_lines_without_a_price_count() -> None:
    of_one = PurchasableVariant(supplier=7, supplier_name="Pine", currency="EUR", price=Decimal("0.1"))
    lines = [
        order_line(PurchasableVariant(), Decimal(1)),
        order_line(of_one, Decimal(3)),
        order_line(PurchasableVariant(supplier=7, supplier_name="Pine", currency="EUR", price=Decimal(0)), Decimal(1)),
    ]
    totals = [group.model_dump(mode="json", exclude_none=True) for group in by_supplier(filter(None, lines))]
    assert totals == [
        {"supplier_id": 7, "supplier": "Pine", "lines": 2, "value": 0.3, "currency": "EUR"},
        {"lines": 1},
    ]
