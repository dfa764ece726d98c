"""How goods are bought for an order: at which price, in which unit, at which tax rate, and what looks wrong."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import cast

from katana_mcp.documents.goods import in_several_rows, of_nothing, of_other_goods
from katana_mcp.documents.states import added_parts, changed_rows
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.references.display_names import text
from katana_mcp.references.purchasable import PurchasableVariant
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of, plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking, info
from katana_mcp.values import get_int, number, rows

ROWS, COSTS = "purchase_order_rows", "additional_costs"
UNIT = ("purchase_uom", "purchase_uom_conversion_rate")
"""What of a row is set together only."""
_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Buying:
    """Goods by variant id; the account's tax rate of purchases; all rates in percent; the currency of the supplier."""

    goods: Mapping[int, PurchasableVariant] = field(default_factory=dict[int, PurchasableVariant])
    default_tax: int | None = None
    rates: Mapping[int, Decimal] = field(default_factory=dict[int, Decimal])
    supplier_currency: str | None = None


def buying(facts: Facts) -> Buying:
    """Return what was read of how an order is bought."""
    return cast("Buying", facts.own) if facts.own is not None else Buying()


def good_of(facts: Facts, row: State) -> PurchasableVariant:
    """Return the good of a row."""
    return buying(facts).goods.get(get_int(row, "variant_id") or 0) or PurchasableVariant()


def called(facts: Facts, entity: str, key: object) -> str | None:
    """Return what people call a record, as well as it is known."""
    record = facts.with_id(entity, key)
    return record.called if record is not None else None if key is None else str(key)


def sku(change: Transition, row: State) -> str:
    """Return what people call the good of a row."""
    return str(called(change.facts, "variant", row.get("variant_id")))


def currency(change: Transition) -> str | None:
    """Return the currency of an order."""
    return text(change.subject, "currency") or (None if change.before else buying(change.facts).supplier_currency)


def tax_rate(facts: Facts, row: State) -> Decimal | None:
    """Return the tax rate of a row or a cost in percent, if it is known."""
    return buying(facts).rates.get(get_int(row, "tax_rate_id") or 0)


def finish_row(row: State, order: State, facts: Facts) -> State:
    """Return a new row with the price of its item, where that fits, and the default tax rate: both are sent."""
    terms, good = buying(facts), good_of(facts, row)
    ordered_in = text(order, "currency") or (None if "id" in order else terms.supplier_currency)
    price = {} if "price_per_unit" in row else {"price_per_unit": _own_price(row, good, ordered_in)}
    taxed = {} if terms.default_tax is None else {"tax_rate_id": terms.default_tax}
    return {**{name: value for name, value in (taxed | price).items() if value is not None}, **row}


def finish_cost(cost: State, order: State, facts: Facts) -> State:
    """Return a new cost with the default tax rate."""
    del order
    tax = buying(facts).default_tax
    return {**({} if tax is None else {"tax_rate_id": tax}), **cost}


def _own_price(row: State, good: PurchasableVariant, ordered_in: str | None) -> Decimal | None:
    """Return the price that the item has, where it is one of this currency and of this unit."""
    unit, rate = text(row, UNIT[0]), number(row, UNIT[1])
    alike = unit in (None, good.unit) and rate in (None, good.rate)
    return good.price if alike and good.currency is not None and ordered_in in (None, good.currency) else None


def unit_of(facts: Facts, row: State, good: PurchasableVariant, quantity: Decimal | None = None) -> str | None:
    """Return the purchase unit, what it holds, and what so many of it hold: `box (12 pcs, 24 in all)`."""
    own = text(row, UNIT[0])
    unit = own or good.unit
    rate = number(row, UNIT[1]) or (good.rate if own in (None, good.unit) else None)
    variant = facts.with_id("variant", row.get("variant_id"))
    stock = None if variant is None else variant.unit
    if not unit or rate in (None, 1) or stock in (None, unit):
        return unit
    in_all = "" if quantity in (None, 1) else f", {(quantity * rate).normalize():,f} in all"
    return f"{unit} ({plain_number(rate)} {stock}{in_all})"


def priced(change: Transition) -> Iterator[ToolWarning]:
    """Yield which new rows take the price of their item, and of which none fits."""
    ordered_in = currency(change)
    for here, asked, row in added_parts(change, ROWS):
        variant = change.facts.with_id("variant", row.get("variant_id"))
        if "price_per_unit" in asked or variant is None:
            continue
        good, path = good_of(change.facts, row), f"{here}.price_per_unit"
        if "price_per_unit" in row:
            price = _per_unit(change.facts, row, good, number(row, "price_per_unit") or Decimal(0), good.currency)
            message = f"{path}: no price given: the purchase price of {variant.called} is used, {price}"
            yield info(warning_codes.DEFAULT_PRICE, message, path)
        else:
            message = f"{path}: {variant.called} {_unfit(change.facts, row, good, ordered_in)}; give one"
            yield blocking(warning_codes.PRICE_REQUIRED, message, path)


def compared(change: Transition) -> Iterator[ToolWarning]:
    """Yield which rows are given another price than their item, where that is one of this currency and unit."""
    ordered_in = currency(change)
    for here, asked, row in (*added_parts(change, ROWS), *of_other_goods(change, ROWS)):
        good, price, path = good_of(change.facts, row), number(row, "price_per_unit"), f"{here}.price_per_unit"
        own = None if ordered_in is None else _own_price(row, good, ordered_in)
        if "price_per_unit" in asked and price is not None and own is not None and own != price:
            purchase_price = f"{plain_number(own)} {ordered_in}"
            message = f"{path}: {plain_number(price)} is not the purchase price of the item, {purchase_price}"
            yield info(warning_codes.OTHER_PRICE, message, path)


def kept(change: Transition) -> Iterator[ToolWarning]:
    """Yield which rows keep the price of the item that they were of, where it is not that of the one that they get."""
    ordered_in = currency(change)
    for here, asked, row in of_other_goods(change, ROWS):
        variant, price = change.facts.with_id("variant", row.get("variant_id")), number(row, "price_per_unit")
        good, path = good_of(change.facts, row), f"{here}.price_per_unit"
        if "price_per_unit" in asked or variant is None or price is None:
            continue
        if _own_price(row, good, ordered_in) != price:
            stands = _per_unit(change.facts, row, good, price, ordered_in)
            own = f"{variant.called} {_unfit(change.facts, row, good, ordered_in)}"
            yield advisory(warning_codes.OTHER_PRICE, f"{path}: no price given: the row keeps {stands}; {own}", path)


def _unfit(facts: Facts, row: State, good: PurchasableVariant, ordered_in: str | None) -> str:
    """Return in words what the item's own price is, and why it does not fit a row where it does not."""
    if good.price is None:
        return "has no purchase price"
    price = _per_unit(facts, {"variant_id": row.get("variant_id")}, good, good.price, good.currency)
    if good.currency is None:
        return f"has a price of {price}, but its currency is not known yet"
    if ordered_in not in (None, good.currency):
        return f"has a price of {price}, but the order is in {ordered_in}"
    fits = _own_price(row, good, ordered_in) is not None
    return f"has a price of {price}{'' if fits else ', but the row has another purchase unit'}"


def _per_unit(facts: Facts, row: State, good: PurchasableVariant, price: Decimal, currency: str | None) -> str:
    """Return a price in words: `30 EUR per box (12 pcs)`."""
    unit = unit_of(facts, row, good)
    words = f"{plain_number(price)} {currency or ''}".rstrip()
    return f"{words} per {unit}" if unit else words


def bought(change: Transition) -> Iterator[ToolWarning]:
    """Yield goods that are not bought, quantities of nothing, and units without their rate."""
    for here, asked, row in (
        *added_parts(change, ROWS),
        *((here, asked, asked) for here, asked, *_ in changed_rows(change, ROWS)),
    ):
        named = asked.get("sku_or_variant_id")
        variant = change.facts.one("variant", named)
        if variant is not None:
            good = good_of(change.facts, {**row, "variant_id": variant.id})
            yield from _not_bought(good, variant.called, f"{here}.sku_or_variant_id")
        yield from of_nothing(asked, here)
        missing = [name for name in UNIT if asked.get(name) is None]
        if len(missing) == 1:
            path = f"{here}.{missing[0]}"
            message = f"{path}: give both the purchase unit and how many stock units it holds, or neither"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, path)


def _not_bought(good: PurchasableVariant, name: str, path: str) -> Iterator[ToolWarning]:
    if not good.is_cached:
        why = "is not in the cache yet: whether it is bought and how it is tracked is not known; try again in a moment"
        yield blocking(warning_codes.COLD_CACHE, f"{path}: {name} {why}", path)
    elif good.service:
        message = f"{path}: {name} is a service, and services cannot be received"
        yield blocking(warning_codes.NOT_PURCHASABLE, message, path)
    elif not good.bought:
        yield advisory(warning_codes.NOT_PURCHASABLE, f"{path}: {name} is not marked as bought", path)


def advisories(change: Transition) -> Iterator[ToolWarning]:
    """Yield what of new rows a buyer may not have meant: the price of another supplier, less than the minimum."""
    supplier, told = get_int(change.new, "supplier_id"), set[int]()
    for here, asked, row in added_parts(change, ROWS):
        good, variant = good_of(change.facts, row), change.facts.with_id("variant", row.get("variant_id"))
        if variant is None:
            continue
        if "price_per_unit" not in asked and None not in (supplier, good.supplier) and good.supplier != supplier:
            theirs, ours = good.supplier_name or good.supplier, called(change.facts, "supplier", supplier)
            message = (
                f"{here}.price_per_unit: {variant.called} has the price of supplier {theirs}, "
                f"but the order is for {ours}"
            )
            yield advisory(warning_codes.OTHER_SUPPLIER, message, f"{here}.price_per_unit")
        if good.minimum is not None and variant.id not in told and _ordered(change, variant.id, good) < good.minimum:
            told.add(variant.id)
            message = f"{here}.quantity: {variant.called} has a minimum order of {plain_number(good.minimum)}"
            yield advisory(warning_codes.BELOW_MINIMUM, message, f"{here}.quantity")


def _ordered(change: Transition, variant: int, good: PurchasableVariant) -> Decimal:
    """Return how many stock units of a variant all rows of an order come to."""
    of_it = [row for row in rows(change.new, ROWS) if get_int(row, "variant_id") == variant]
    return sum(
        ((number(row, "quantity") or Decimal(0)) * (number(row, UNIT[1]) or good.rate or 1) for row in of_it),
        Decimal(0),
    )


def taxed(change: Transition) -> Iterator[ToolWarning]:
    """Yield which tax rate was taken where none is given, and that the total with tax is not known."""
    terms, added = buying(change.facts), list(added_parts(change, ROWS))
    path = "rows" if change.before is None else "add_rows"
    if terms.default_tax is not None and any("tax_rate_id" not in asked for _, asked, _ in added):
        rate = terms.rates.get(terms.default_tax)
        which = f"id {terms.default_tax}" if rate is None else f"{plain_number(rate)} %"
        message = f"{path}: the default tax rate for purchases was used where none was given ({which})"
        yield info(warning_codes.DEFAULT_TAX_RATE, message, path)
    unknown = [sku(change, row) for row in rows(change.new, ROWS) if tax_rate(change.facts, row) is None]
    unknown = unknown if all(change.facts.with_id("variant", row.get("variant_id")) for _, _, row in added) else []
    if unknown:
        message = f"the total with tax is not known: no tax rate is known for {first_of(unknown, _NAMED)}"
        yield info(warning_codes.TAX_UNKNOWN, message)
    for here, asked, _ in added_parts(change, COSTS, COSTS):
        if "tax_rate_id" not in asked:
            yield _cost_taxed(terms, f"{here}.tax_rate_id")


def _cost_taxed(terms: Buying, path: str) -> ToolWarning:
    if terms.default_tax is None:
        message = f"{path}: Katana needs a tax rate for a cost, and the account has no default for purchases; give one"
        return blocking(warning_codes.TAX_RATE_REQUIRED, message, path)
    message = f"{path}: the default tax rate for purchases was used (id {terms.default_tax})"
    return info(warning_codes.DEFAULT_TAX_RATE, message, path)


RULES = (bought, priced, compared, kept, in_several_rows(ROWS), advisories, taxed)
