"""Lines of a document that mean nothing of the order: goods that could be added to it, and what nothing is."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from katana_mcp.entities.purchase_orders.reading import goods_of
from katana_mcp.entities.purchase_orders.verifying.comparing import Terms, tax_rate_ids, to_decimal
from katana_mcp.entities.purchase_orders.verifying.finding import catalogued, good_of, near
from katana_mcp.entities.purchase_orders.verifying.matching import Match, OrderedGood, as_named, codes_of, several
from katana_mcp.entities.purchase_orders.verifying.responses import Difference
from katana_mcp.entities.purchase_orders.verifying.settling import CORRECT, NOT_ADDED, Way, corrected_lines
from katana_mcp.entities.purchase_orders.verifying.sides import Line, Side
from katana_mcp.entities.purchase_orders.verifying.units import OrderUnit, exact
from katana_mcp.references.display_names import look_up, text
from katana_mcp.references.purchasable import PurchasableVariant
from katana_mcp.references.services import Services
from katana_mcp.references.suggestions import did_you_mean
from katana_mcp.tools.answers import plain_number

_LONGEST = 60
_NOT_COME = (
    "; the call also receives it: if it has not come, leave it out of `add_rows` and order it with "
    "create_purchase_order"
)


@dataclass(slots=True)
class Strangers:
    """Lines that the order has no row for.

    Attributes:
        unmatched: what nothing is, told.
        sides: goods that the order does not hold, with the lines that mean them.
        claimed: goods of the order, by variant, that a line may mean, and which line.
    """

    unmatched: list[Difference] = field(default_factory=list[Difference])
    sides: dict[int, Side] = field(default_factory=dict[int, Side])
    claimed: dict[int, int] = field(default_factory=dict[int, int])


async def strangers(
    lines: Sequence[tuple[Line, Match]], goods: Sequence[OrderedGood], services: Services
) -> tuple[Strangers, Sequence[PurchasableVariant]]:
    """Return what is known of these lines, and how the goods are bought that they mean."""
    found = Strangers()
    for line, of_order in lines:
        match = of_order if of_order.problem else await _outside(line, goods, services)
        if match.good is None:
            likely = () if match.problem else await near(line.asked, goods, line.place, services)
            found.unmatched.append(_unmatched(line, match, match.near or likely))
            found.claimed |= {good.variant_id: line.place for good in of_order.may_be}
            continue
        good = match.good
        key = good.variant_id
        if key not in found.sides:
            (bought,) = (await goods_of([key], services)).values()
            names = await look_up(services.cache, {"variant": [key]})
            stock = text(names.item(names.record("variant", key)), "uom")
            order_unit = OrderUnit(bought.unit, bought.rate or Decimal(1), stock)
            found.sides[key] = Side(good=good, rows=(), unit=order_unit)
        found.sides[key].lines.append(line)
    bought_goods = await goods_of(list(found.sides), services) if found.sides else {}
    return found, [bought_goods[key] for key in found.sides]


async def _outside(line: Line, goods: Sequence[OrderedGood], services: Services) -> Match:
    """Return the one good that a line means of those that the order does not hold."""
    found = [await good_of(variant, services) for variant in await catalogued(line.asked, services)]
    if len(found) > 1:
        return several(found, "items")
    if not found:
        return Match()
    return as_named(line.asked, found[0], goods) if line.asked.variant_id is not None else Match(found[0])


def _unmatched(line: Line, match: Match, likely: Sequence[str]) -> Difference:
    key = [] if line.asked.variant_id is None else [f"variant_id {line.asked.variant_id}"]
    texts = [repr(name[:_LONGEST]) for name in (*codes_of(line.asked), line.asked.description) if name]
    named = ", ".join([*key, *texts])
    why = match.problem or (
        "no item with this code or name was found" if named else "it has neither a code nor a description"
    )
    return Difference(
        kind="unmatched",
        message=f"line {line.place}{f' ({named})' if named else ''}: {why}{did_you_mean(likely)}",
        lines=[line.place],
        no_call=f"{match.give}, and compare again",
    )


def not_on_order(side: Side, bought: PurchasableVariant, terms: Terms) -> Difference:
    """Return that a good of the document is not on the order, with the call that adds it."""
    came, way = None if side.is_unsaid else side.quantity, _way(side, bought, terms)
    is_received_too = way.settle is not None and way.settle.tool == CORRECT and terms.request.kind == "invoice"
    return Difference(
        kind="not_on_order",
        message=f"{side.good.called}: the order has no row for it{_NOT_COME if is_received_too else ''}",
        sku=side.good.sku,
        lines=side.places,
        document=None if came is None else to_decimal(came),
        order=Decimal(0),
        settle=way.settle,
        no_call=way.no_call,
    )


def _way(side: Side, bought: PurchasableVariant, terms: Terms) -> Way:
    why = _unaddable(side, bought, terms)
    if why is not None or side.quantity is None:
        return Way(no_call=why)
    prices = [price * terms.exchange for price in side.prices] if terms.exchange is not None else []
    if len(prices) == 1 and (price := exact(prices[0])) is not None:
        return terms.settling.added(side, side.quantity, price, _tax_rate(side, terms))
    if not prices and bought.price is not None and bought.currency == terms.currency:
        return terms.settling.added(side, side.quantity, None, _tax_rate(side, terms))
    return Way(no_call="no price in the currency of the order is known: give one in its line")


def _unaddable(side: Side, bought: PurchasableVariant, terms: Terms) -> str | None:
    """Return why no call adds a good, whatever it costs; None where one may."""
    if bought.service:
        return "it is a service"
    if not bought.is_cached:
        return "it is not in the cache yet, so how it is bought is not known"
    if side.quantity is None or side.is_nothing:
        return corrected_lines(side).no_call if side.is_nothing else "how much of it came is not known"
    if side.is_unsaid:
        units = f"{side.unit.name or 'a unit'} of {plain_number(side.unit.rate)} {side.unit.stock or 'stock units'}"
        return f"it is bought by the {units}: give the `unit` of its line, and compare again"
    is_received = terms.settling.status == "RECEIVED" and terms.settling.locked is None
    return _tracked(bought) if is_received else None


def _tracked(bought: PurchasableVariant) -> str | None:
    """Return why a good comes with a correction only once it is said of what it is; None where it need not be."""
    if bought.in_batches:
        return f"it is tracked by batch: {CORRECT} adds it with its `batches` named"
    return f"it has serial numbers, which no correction adds: {NOT_ADDED}" if bought.in_units else None


def _tax_rate(side: Side, terms: Terms) -> int | None:
    """Return the tax rate that the lines of a good have; None where it is not one that the account has once."""
    rates = {rate for line in side.lines if (rate := line.asked.tax_rate) is not None}
    having = [key for rate in rates for key in tax_rate_ids(rate, terms)]
    return having[0] if len(having) == len(rates) == 1 else None
