"""What a document and an order come to, without tax, in tax and with it, in the currency of the order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Literal

from cache_core.records import Record
from katana_mcp.entities.purchase_orders.verifying.amounts import amount, decimal_mark
from katana_mcp.entities.purchase_orders.verifying.comparing import Terms, to_decimal
from katana_mcp.entities.purchase_orders.verifying.responses import ComparedTotals, Difference
from katana_mcp.entities.purchase_orders.verifying.sides import Line
from katana_mcp.tools.answers import plain_number
from katana_mcp.values import number, rows, total

type Total = Literal["net_total", "tax_total", "total"]
TOTALS: tuple[Total, ...] = ("net_total", "tax_total", "total")
_CENT = Decimal("0.01")
_NO_CALL = "totals follow from rows: settle those; freight is an additional cost, which the order's totals leave out"


@dataclass(frozen=True, slots=True)
class Compared:
    """The totals of both sides, and why one of the document's is not read."""

    totals: dict[Total, ComparedTotals]
    problems: dict[Total, str]


def totals_of(order: Record, lines: Sequence[Line], terms: Terms) -> Compared:
    """Return the totals; those of the document stay away where its currency is another and no rate is given."""
    net = total([number(row, "total") for row in rows(order, "purchase_order_rows")])
    gross = number(order, "total")
    ours = {"net_total": net, "total": gross, "tax_total": None if None in (net, gross) else _less(gross, net)}
    request = terms.request
    written = [value for line in request.lines for value in (line.quantity, line.price)]
    mark = decimal_mark([*written, *(getattr(request, name) for name in TOTALS)])
    added = [line.total for line in lines]
    totals = [value for value in added if value is not None]
    by_lines = sum(totals, Fraction(0)) if len(totals) == len(added) else None
    found, problems = dict[Total, ComparedTotals](), dict[Total, str]()
    for name in TOTALS:
        theirs = amount(getattr(request, name), mark)
        if theirs.problem:
            problems[name] = theirs.problem
        found[name] = ComparedTotals(
            of=name,
            document=_exchanged(None if theirs.value is None else Fraction(theirs.value), terms),
            lines=_exchanged(by_lines, terms) if name == "net_total" else None,
            order=_rounded(ours[name]),
        )
    return Compared(found, problems)


def _less(gross: Decimal | None, net: Decimal | None) -> Decimal:
    return (gross or Decimal(0)) - (net or Decimal(0))


def _exchanged(value: Fraction | None, terms: Terms) -> Decimal | None:
    return None if value is None or terms.exchange is None else to_decimal(value * terms.exchange)


def _rounded(value: Decimal | None) -> Decimal | None:
    return None if value is None else Decimal(f"{value:.10f}").normalize() + 0


def differing(compared: Compared, count: int, terms: Terms) -> Iterator[Difference]:
    """Yield the totals that differ by more than what is tolerated, and half a cent per line is rounded."""
    for name, problem in compared.problems.items():
        yield Difference(kind="unreadable", message=f"{name}: {problem}", no_call="give it as a number")
    for name, totals in compared.totals.items():
        theirs = totals.document if totals.document is not None else totals.lines
        pairs = [("the order totals", theirs, totals.order, totals.order)]
        if totals.document is not None and totals.lines is not None:
            pairs.append(("its lines total", totals.document, totals.lines, None))
        for said, one, other, ordered in pairs:
            if one is None or other is None or _same(one, other, count, terms):
                continue
            called = name.replace("_", " ")
            has = "the document has" if totals.document is not None else "the lines of the document total"
            message = f"{called}: {has} {_money(one)}, {said} {_money(other)} {terms.currency or ''}".rstrip()
            yield Difference(kind=name, message=message, document=one, order=ordered, no_call=_NO_CALL)


def _money(value: Decimal) -> object:
    return plain_number(value.quantize(_CENT, ROUND_HALF_UP))


def _same(one: Decimal, other: Decimal, count: int, terms: Terms) -> bool:
    cents = _CENT * max(1, count) / 2
    return abs(one - other) <= max(cents, abs(other) * (terms.request.price_tolerance or 0) / 100)
