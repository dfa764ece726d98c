"""What the rows of an order come to, with tax as Katana will show it and without, and what costs come to besides."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from katana_mcp.values import total
from katana_mcp.writing.preview import PlanLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums of an order; each is None where something of it is not known.

    Attributes:
        total: of its rows, with tax: the total that Katana shows.
        net_total: of its rows, without tax.
        additional_costs: without tax; Katana's total leaves them out. None where there are none.
    """

    total: Decimal | None = None
    net_total: Decimal | None = None
    additional_costs: Decimal | None = None


NO_TOTALS = Totals()
"""Of what has no prices."""


def totals_of(rows: Iterable[PlanLine], costs: Iterable[PlanLine] = ()) -> Totals:
    """Return what these rows and costs come to; those that would go do not count."""
    staying = [row for row in rows if row.change != "delete"]
    besides = [cost.total for cost in costs if cost.change != "delete"]
    return Totals(
        total=_rounded(total([_with_tax(row) for row in staying])),
        net_total=_rounded(total([row.total for row in staying])),
        additional_costs=_rounded(total(besides)) if besides else None,
    )


def _with_tax(row: PlanLine) -> Decimal | None:
    net = _rounded(row.total)
    return None if net is None or row.tax_rate is None else net * (1 + row.tax_rate / 100)


def _rounded(amount: Decimal | None) -> Decimal | None:
    """Return an amount with as many decimals as Katana keeps."""
    return None if amount is None else Decimal(f"{amount:.10f}").normalize()


def totals_in_words(shown: Mapping[str, object]) -> str:
    """Return the totals of a preview in words, `102.48 NOK with tax, 84 without`; empty where it has none."""
    total, net, costs = (shown.get(name) for name in ("total", "net_total", "additional_costs"))
    currency = f" {shown['currency']}" if shown.get("currency") else ""
    if net is None:
        return ""
    words = f"{net}{currency} without tax" if total is None else f"{total}{currency} with tax, {net} without"
    return f"{words}; plus additional costs of {costs}" if costs is not None else words
