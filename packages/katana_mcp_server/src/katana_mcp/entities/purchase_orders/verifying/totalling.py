"""What a document and an order come to, without tax, in tax and with it, in the currency of the order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Literal

from cache_core.records import Record
from katana_mcp.entities.purchase_orders.verifying.amounts import amount, decimal_mark
from katana_mcp.entities.purchase_orders.verifying.comparing import Terms, to_decimal
from katana_mcp.entities.purchase_orders.verifying.responses import ComparedTotals, Difference
from katana_mcp.entities.purchase_orders.verifying.sides import Line, Side
from katana_mcp.tools.answers import plain_number
from katana_mcp.values import get_int, number, rows, total

type Total = Literal["net_total", "tax_total", "total"]
TOTALS: tuple[Total, ...] = ("net_total", "tax_total", "total")
_CENT = Decimal("0.01")
_NO_CALL = "totals follow from rows: settle those; freight is an additional cost, which the order's totals leave out"


@dataclass(frozen=True, slots=True)
class Compared:
    """The totals of both sides, what of the order they are held against, and why one of the document's is not read."""

    totals: dict[Total, ComparedTotals]
    against: Mapping[Total, Decimal | None]
    problems: dict[Total, str]


def totals_of(order: Record, lines: Sequence[Line], sides: Sequence[Side], terms: Terms) -> Compared:
    """Return the totals; those of the document stay away where its currency is another and no rate is given.

    A delivery note may be of a part of the order: it is held against that part alone.
    """
    net = total([number(row, "total") for row in rows(order, "purchase_order_rows")])
    gross = number(order, "total")
    tax = None if None in (net, gross) else _less(gross, net)
    ours: dict[Total, Decimal | None] = {"net_total": net, "total": gross, "tax_total": tax}
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
    against: dict[Total, Decimal | None] = {name: _rounded(value) for name, value in ours.items()}
    return Compared(found, _listed(lines, sides, terms) if _is_note(terms) else against, problems)


def _is_note(terms: Terms) -> bool:
    return terms.request.kind == "delivery_note"


def _listed(lines: Sequence[Line], sides: Sequence[Side], terms: Terms) -> dict[Total, Decimal | None]:
    """Return what the order has for the quantities of a document; nothing where that is not certain."""
    having = [side for side in sides if side.lines]
    if sum(len(side.lines) for side in having) < len(lines):
        return {}
    net, tax, is_taxed = Fraction(0), Fraction(0), True
    for side in having:
        priced = {
            (number(row, "price_per_unit"), terms.rates.get(get_int(row, "tax_rate_id") or 0)) for row in side.rows
        }
        price, rate = priced.pop() if len(priced) == 1 else (None, None)
        if price is None or side.quantity is None:
            return {}
        untaxed, is_taxed = side.quantity * Fraction(price), is_taxed and rate is not None
        net, tax = net + untaxed, tax + untaxed * Fraction(rate or 0) / 100
    found: dict[Total, Decimal | None] = {"net_total": to_decimal(net)}
    if is_taxed:
        found |= {"tax_total": to_decimal(tax), "total": to_decimal(net + tax)}
    return found


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
    of_order = "for the same quantities the order has" if _is_note(terms) else "the order totals"
    for name, totals in compared.totals.items():
        theirs, ours = totals.document if totals.document is not None else totals.lines, compared.against.get(name)
        pairs = [(of_order, theirs, ours, ours)]
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
