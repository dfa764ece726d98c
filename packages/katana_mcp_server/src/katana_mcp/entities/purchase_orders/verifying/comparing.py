"""What differs between a document and an order, good by good, each with the call that would settle it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from katana_mcp.entities.purchase_orders.verifying.request import VerifyOrderDocumentRequest
from katana_mcp.entities.purchase_orders.verifying.responses import Difference, Kind
from katana_mcp.entities.purchase_orders.verifying.settling import Settling, Way, corrected_lines
from katana_mcp.entities.purchase_orders.verifying.sides import Side
from katana_mcp.entities.purchase_orders.verifying.units import exact
from katana_mcp.references.display_names import text
from katana_mcp.tools.answers import plain_number
from katana_mcp.values import get_int, number

_DIGITS = 10
_AGAIN = (
    "if the document is of the delivery that came before, there is nothing to do; if it is of another one, first order "
    "what is missing with modify_purchase_order"
)
_PART = "`receive` receives what came, and the rest stays open"
_WHICH = "rows of this item have several prices or units: change the right row by hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a comparison goes by.

    Attributes:
        request: the document, and what is tolerated.
        settling: the calls of the order.
        currency: of the order.
        exchange: the order's currency for one of the document's; None where that is not known.
        rates: the account's tax rates in percent, by id.
    """

    request: VerifyOrderDocumentRequest
    settling: Settling
    currency: str | None
    exchange: Fraction | None
    rates: Mapping[int, Decimal] = field(default_factory=dict[int, Decimal])


def to_decimal(value: Fraction) -> Decimal:
    """Return a number as it is shown: exact where Katana could hold it, else rounded to its decimals."""
    found = exact(value)
    return round(Decimal(value.numerator) / Decimal(value.denominator), _DIGITS) if found is None else found


def differences(side: Side, terms: Terms) -> Iterator[Difference]:
    """Yield what differs of a good that both have."""
    yield from _unreadable(side)
    if None in side.factors:
        yield from _units(side)
    elif side.quantity is not None:
        yield from _quantity(side, side.quantity, terms)
    if terms.exchange is not None:
        yield from _prices(side, terms, terms.exchange)
    yield from _taxes(side, terms)


def _said(side: Side, kind: Kind, message: str, way: Way, **values: Decimal) -> Difference:
    return Difference(
        kind=kind,
        message=f"{side.good.called}: {message}",
        sku=side.good.sku,
        lines=side.places or None,
        settle=way.settle,
        no_call=way.no_call,
        document=values.get("document"),
        order=values.get("order"),
    )


def _in_words(value: Fraction, side: Side) -> str:
    return f"{plain_number(to_decimal(value))} {side.unit.name or ''}".rstrip()


def absent(sides: Sequence[Side], terms: Terms, claimed: Mapping[int, int]) -> Iterator[Difference]:
    """Yield the goods that the document lacks, each with the call that takes it off where others stay.

    Args:
        sides: the goods of the order.
        terms: what is compared by.
        claimed: by variant, a line that may mean it, or another: it is not taken off before that is known.
    """
    is_note, lacking = terms.request.kind == "delivery_note", [side for side in sides if not side.lines]
    stay = sum(len(side.rows) for side in sides) - sum(len(side.open_rows) for side in lacking)
    for side in lacking:
        due = side.open if is_note else side.ordered
        if not due:
            continue
        message = f"the order has {_in_words(Fraction(due), side)}{' open' if is_note else ''}, the document has none"
        way = terms.settling.dropped(side, has_others=stay > 0)
        if way.settle is not None and side.good.variant_id in claimed:
            place = claimed[side.good.variant_id]
            way = Way(no_call=f"line {place} of the document may mean it: settle that first, and compare again")
        elif way.settle is not None:
            still = "the goods are still to come" if is_note else "they are billed or confirmed apart"
            message += f"; the call deletes its rows: leave them out if {still}"
        yield _said(side, "not_on_document", message, way, order=due, document=Decimal(0))


def _unreadable(side: Side) -> Iterator[Difference]:
    for line in side.lines:
        problems = line.problems or (["no quantity"] if line.quantity.value is None else [])
        for problem in problems:
            way = Way(no_call="give the amount as a number, and compare again")
            yield _said(side, "unreadable", f"line {line.place}: {problem}", way)


def _units(side: Side) -> Iterator[Difference]:
    for line, factor in zip(side.lines, side.factors, strict=True):
        if factor is None:
            written = line.asked.unit or line.quantity.rest
            units = side.unit.name or "purchase units"
            message = f"line {line.place}: it is not known how many {units} one {written!r} holds"
            yield _said(
                side,
                "unit",
                message,
                Way(no_call="give `unit_holds`, how many stock units one holds, and compare again"),
            )


def _quantity(side: Side, came: Fraction, terms: Terms) -> Iterator[Difference]:
    is_note = terms.request.kind == "delivery_note"
    due = Fraction(side.open if is_note else side.ordered)
    values = {"document": to_decimal(came), "order": to_decimal(due)}
    what = f"{'is' if due == 1 else 'are'} {'open' if is_note else 'ordered'}"
    message = f"the document has {_in_words(came, side)}, {_in_words(due, side)} {what}"
    if side.is_nothing:
        yield _said(side, "quantity", message, corrected_lines(side), **values)
        return
    if _near(came, due, terms.request.quantity_tolerance or Decimal(0)):
        return
    parts = {Fraction(amount) for amount in (side.received, side.open) if amount}
    if not is_note and came in parts:
        return
    if is_note and not due and came <= Fraction(side.received):
        before = f"{_in_words(Fraction(side.received), side)} was received before, nothing is left to receive"
        yield _said(side, "already_received", before, Way(no_call="it is already received"), **values)
        return
    if is_note and side.is_again:
        yield _said(side, "quantity", f"{message}, and as much came before", Way(no_call=_AGAIN), **values)
        return
    yield _said(side, "quantity", message, _quantity_way(side, came - due, terms), **values)


def _quantity_way(side: Side, more: Fraction, terms: Terms) -> Way:
    is_note, settling = terms.request.kind == "delivery_note", terms.settling
    if settling.status == "RECEIVED" and not is_note:
        return settling.came(side, more)
    can_come = is_note and settling.status != "DRAFT"
    if not can_come or more > 0:
        return settling.quantity_of(side, more)
    way = settling.received([side])
    return way if way.settle is None else Way(no_call=_PART)


def _prices(side: Side, terms: Terms, exchange: Fraction) -> Iterator[Difference]:
    prices = [price * exchange for price in side.prices]
    ours = {Fraction(own_price) for row in side.rows if (own_price := number(row, "price_per_unit")) is not None}
    if len(prices) > 1 and set(prices) == ours:
        return
    if len(prices) > 1:
        message = (
            f"its lines have several prices: {', '.join(str(plain_number(to_decimal(price))) for price in prices)}"
        )
        yield _said(side, "price", message, Way(no_call="it is not known which price is right"))
        return
    for price in prices:
        have = [number(row, "price_per_unit") for row in side.rows]
        other = [amount for amount in have if amount is None or not _near(price, Fraction(amount), _tolerance(terms))]
        if other:
            shown = ", ".join(
                dict.fromkeys("no price" if amount is None else str(plain_number(amount)) for amount in other)
            )
            per = f" {terms.currency or ''} per {side.unit.name or 'unit'}"
            message = f"the document has {plain_number(to_decimal(price))}, the order {shown}{per}"
            values = {"document": to_decimal(price)} | ({} if other[0] is None else {"order": other[0]})
            is_one_of_them = len(other) < len(have) or not side.is_alone
            way = Way(no_call=_WHICH) if is_one_of_them else terms.settling.rows_priced(side, price)
            yield _said(side, "price", message, way, **values)


def _taxes(side: Side, terms: Terms) -> Iterator[Difference]:
    rates = list(dict.fromkeys(rate for line in side.lines if (rate := line.asked.tax_rate) is not None))
    ours = [terms.rates.get(get_int(row, "tax_rate_id") or 0) for row in side.rows]
    if len(rates) > 1:
        if set(rates) != set(ours):
            message = f"its lines have several tax rates: {', '.join(f'{plain_number(rate)} %' for rate in rates)}"
            yield _said(side, "tax_rate", message, Way(no_call="it is not known which tax rate is right"))
        return
    for rate in rates:
        if all(our == rate for our in ours):
            continue
        other_rate = next((our for our in ours if our is not None and our != rate), None)
        said = "no known rate" if other_rate is None else f"{plain_number(other_rate)} %"
        values = {"document": rate} | ({} if other_rate is None else {"order": other_rate})
        message = f"the document has {plain_number(rate)} % tax, the order {said}"
        yield _said(side, "tax_rate", message, _tax_way(side, rate, terms), **values)


def _tax_way(side: Side, rate: Decimal, terms: Terms) -> Way:
    having = tax_rate_ids(rate, terms)
    if len(having) != 1:
        known = f"{len(having)} tax rates" if having else "no tax rate"
        return Way(no_call=f"the account has {known} of {plain_number(rate)} %")
    return terms.settling.rows_changed(side, "tax_rate_id", having[0])


def tax_rate_ids(rate: Decimal, terms: Terms) -> list[int]:
    """Return the account's tax rates of so many percent."""
    return [key for key, percent in terms.rates.items() if percent == rate]


def _tolerance(terms: Terms) -> Decimal:
    return terms.request.price_tolerance or Decimal(0)


def _near(value: Fraction, other: Fraction, percent: Decimal) -> bool:
    return abs(value - other) <= abs(other) * Fraction(percent) / 100


def currencies(terms: Terms) -> Iterator[Difference]:
    """Yield that the document is in another currency, and no rate is given: then prices are not compared."""
    theirs = terms.request.currency
    if terms.exchange is not None or theirs is None:
        return
    is_open = terms.settling.status in ("DRAFT", "NOT_RECEIVED")
    way = (
        terms.settling.modify(currency=theirs) if is_open else Way(no_call="an order with receipts keeps its currency")
    )
    message = f"the document is in {theirs}, the order in {terms.currency}: give `exchange_rate` to compare prices"
    yield Difference(kind="currency", message=message, settle=way.settle, no_call=way.no_call)


def order_name(order: Mapping[str, object]) -> str:
    """Return an order as people call it."""
    return text(dict(order), "order_no") or str(order.get("id"))
