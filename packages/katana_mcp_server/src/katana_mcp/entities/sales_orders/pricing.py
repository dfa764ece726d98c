"""How goods are sold in an order: at which price, in which currency, at which tax, and what an order comes to."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from katana_mcp.documents.goods import goods_line, in_several_rows, of_nothing, of_other_goods
from katana_mcp.documents.states import added_parts, changed_rows, requested_rows
from katana_mcp.documents.tracking import with_traces
from katana_mcp.documents.transition import Facts, State, Transition, Unknown
from katana_mcp.references.display_names import Names, text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number, so_many
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking, info
from katana_mcp.values import get_bool, get_int, number, rows
from katana_mcp.writing.preview import PlanLine
from katana_mcp.writing.totals import Totals, totals_of

ROWS, FEE, ADDRESSES = "sales_order_rows", "shipping_fee", "addresses"
_AMOUNTS = ("price_per_unit", "total_discount", "amount")
"""What Katana sends as text."""


def read(order: State, _: Facts) -> State:
    """Return an order with its amounts as numbers, and rows with attributes and traces as a request gives them."""
    amounts = {held: [_counted(row) for row in rows(order, held)] for held in (ROWS, FEE)}
    found = {**order, **amounts}
    plain = {**found, ROWS: [{**row, "attributes": rows(row, "attributes")} for row in rows(found, ROWS)]}
    return with_traces(plain, ROWS)


def _counted(row: State) -> State:
    texts = {name: value for name in _AMOUNTS if isinstance(value := row.get(name), str)}
    return {**row, **{name: _plain(Decimal(value)) for name, value in texts.items()}}


def _plain(amount: Decimal) -> Decimal:
    """Return an amount without the decimals that say nothing."""
    return amount.quantize(Decimal(1)) if amount == amount.to_integral_value() else amount.normalize()


def currency(change: Transition) -> str | None:
    """Return the currency of an order."""
    return _currency(change.subject, change.facts.names)


def _currency(order: State, names: Names) -> str | None:
    """Return the currency of an order: that of its customer, or the base currency, where none is said."""
    customer = names.record("customer", order.get("customer_id"))
    return text(order, "currency") or text(customer, "currency") or names.base_currency()


def default_tax(names: Names) -> int | None:
    """Return the account's tax rate of sales."""
    taxes = (record for (entity, _), record in names.records.items() if entity == "tax_rate")
    return next((get_int(tax, "id") for tax in taxes if get_bool(tax, "is_default_sales")), None)


def finish_row(row: State, order: State, facts: Facts) -> State:
    """Return a new row with the price of its item, where that fits, and the default tax rate: both are sent."""
    names = facts.names
    own = {"price_per_unit": _list_price(row, order, names), "tax_rate_id": default_tax(names)}
    return {**{name: value for name, value in own.items() if value is not None}, **row}


def _list_price(row: State, order: State, names: Names) -> Decimal | None:
    """Return the sales price of what a row is of; None where the order has another currency."""
    variant = names.record("variant", row.get("variant_id"))
    fits = names.base_currency() is not None and _currency(order, names) == names.base_currency()
    return number(variant, "sales_price") if variant is not None and fits else None


def finish_fee(fee: State, _: State, facts: Facts) -> State:
    """Return a new shipping fee with the default tax rate."""
    tax = default_tax(facts.names)
    return {**({} if tax is None else {"tax_rate_id": tax}), **fee}


def _called(change: Transition, entity: str, value: object) -> str | None:
    if isinstance(value, Unknown):
        return str(value.asked)
    named = change.facts.with_id(entity, value)
    return named.called if named is not None else None if value is None else str(value)


def row_line(change: Transition, row: State) -> PlanLine | None:
    """Return a row as a plan shows it: what it costs after its discount, its tax, its location where it has one."""
    line = goods_line(change, row)
    if line is None:
        return None
    quantity, price = number(row, "quantity"), number(row, "price_per_unit")
    total = None if quantity is None or price is None else quantity * price - (number(row, "total_discount") or 0)
    shown = {
        "price": price,
        "total": total,
        "tax_rate": change.facts.names.rate(row.get("tax_rate_id")),
        "location": _called(change, "location", row.get("location_id")),
    }
    return line.model_copy(update=shown)


def fee_line(change: Transition, fee: State) -> PlanLine:
    """Return the shipping fee as a plan shows it, among the rows."""
    amount, rate = number(fee, "amount"), change.facts.names.rate(fee.get("tax_rate_id"))
    return PlanLine(name="shipping fee", price=amount, total=amount, tax_rate=rate)


def totals(lines: Mapping[str, Sequence[PlanLine]]) -> Totals:
    """Return what an order comes to with its shipping fee, which Katana's total has in it with its tax."""
    return totals_of([*lines[ROWS], *lines[FEE]])


def described(change: Transition) -> str:
    """Return for whom a new order is, or how much of an old one goes."""
    if change.before is not None:
        return f" ({change.before.get('status')}, rows: {len(rows(change.before, ROWS))})"
    customer = _called(change, "customer", change.new.get("customer_id"))
    return f" for {customer} (rows: {len(rows(change.new, ROWS))})"


def binds(change: Transition) -> dict[str, object]:
    """Return what else a plan depends on: the currency of a customer whose order says none."""
    return {} if change.after is None else {"currency": currency(change)}


def priced(change: Transition) -> Iterator[ToolWarning]:
    """Yield which new rows take the price of their item, and of which none fits."""
    for here, asked, row in added_parts(change, ROWS):
        goods, path = change.facts.with_id("variant", row.get("variant_id")), f"{here}.price_per_unit"
        if "price_per_unit" in asked or goods is None:
            continue
        if "price_per_unit" in row:
            price = f"{plain_number(number(row, 'price_per_unit') or Decimal(0))} {currency(change) or ''}".rstrip()
            yield info(
                warning_codes.DEFAULT_PRICE,
                f"{path}: no price given: the sales price of {goods.called} is used, {price}",
                path,
            )
        else:
            why = f"has no sales price in {currency(change) or 'the currency of the order'}; give one"
            yield blocking(warning_codes.PRICE_REQUIRED, f"{path}: {goods.called} {why}", path)


def compared(change: Transition) -> Iterator[ToolWarning]:
    """Yield which rows are given another price than their item."""
    for here, asked, row in (*added_parts(change, ROWS), *of_other_goods(change, ROWS)):
        price, own = number(row, "price_per_unit"), _list_price(row, change.new, change.facts.names)
        if "price_per_unit" in asked and price is not None and own is not None and own != price:
            sales_price, path = f"{plain_number(own)} {currency(change)}", f"{here}.price_per_unit"
            message = f"{path}: {plain_number(price)} is not the sales price of the item, {sales_price}"
            yield info(warning_codes.OTHER_PRICE, message, path)


def kept(change: Transition) -> Iterator[ToolWarning]:
    """Yield which rows keep the price of the item that they were of, where it is not that of the one that they get."""
    ordered_in = currency(change)
    for here, asked, row in of_other_goods(change, ROWS):
        goods, price = change.facts.with_id("variant", row.get("variant_id")), number(row, "price_per_unit")
        own, path = _list_price(row, change.new, change.facts.names), f"{here}.price_per_unit"
        if "price_per_unit" in asked or goods is None or price in (None, own):
            continue
        said = (
            f"the sales price of {goods.called} is {plain_number(own)} {ordered_in}"
            if own is not None
            else (f"{goods.called} has no sales price in {ordered_in or 'the currency of the order'}")
        )
        stands = f"{plain_number(price)} {ordered_in or ''}".rstrip()
        yield advisory(warning_codes.OTHER_PRICE, f"{path}: no price given: the row keeps {stands}; {said}", path)


def sold(change: Transition) -> Iterator[ToolWarning]:
    """Yield goods and locations that are not for sale, and quantities of nothing."""
    changed = [(f"update_rows[{nr}]", row) for nr, row in enumerate(requested_rows(change.asked, "update_rows"))]
    for here, asked in (*((here, asked) for here, asked, _ in added_parts(change, ROWS)), *changed):
        goods = change.facts.one("variant", asked.get("sku_or_variant_id"))
        item = None if goods is None else change.facts.names.item(change.facts.names.record("variant", goods.id))
        if goods is not None and item is not None and get_bool(item, "is_sellable") is False:
            message = f"{here}.sku_or_variant_id: {goods.called} is not marked as sold"
            yield advisory(warning_codes.NOT_SELLABLE, message, f"{here}.sku_or_variant_id")
        yield from of_nothing(asked, here)
        yield from _no_sales(change, asked, f"{here}.location_id")
    yield from _no_sales(change, change.asked, "location_id")


def _no_sales(change: Transition, asked: State, path: str) -> Iterator[ToolWarning]:
    named = change.facts.one("location", asked.get("location_id"))
    place = None if named is None else change.facts.names.record("location", named.id)
    if named is not None and place is not None and get_bool(place, "sales_allowed") is False:
        yield blocking(warning_codes.NOT_SELLABLE, f"{path}: Katana does not allow sales from {named.called}", path)


def taxed(change: Transition) -> Iterator[ToolWarning]:
    """Yield which tax rate was taken where none is given, and that the total with tax is not known."""
    names = change.facts.names
    tax, path = default_tax(names), "rows" if change.before is None else "add_rows"
    if tax is not None and any("tax_rate_id" not in asked for _, asked, _ in added_parts(change, ROWS)):
        rate = names.rate(tax)
        which = f"id {tax}" if rate is None else f"{plain_number(rate)} %"
        message = f"{path}: the default tax rate for sales was used where none was given ({which})"
        yield info(warning_codes.DEFAULT_TAX_RATE, message, path)
    found = rows(change.new, ROWS) if change.all_found else []
    if any(names.rate(row.get("tax_rate_id")) is None for row in found):
        yield info(warning_codes.TAX_UNKNOWN, "the total with tax is not known: the tax rate of a row is not known")


def discounted(change: Transition) -> Iterator[ToolWarning]:
    """Yield which rows would cost less than nothing: a discount is an amount off the whole row."""
    changed = ((here, {**row, **fields}) for here, _, row, fields in changed_rows(change, ROWS))
    for here, row in (*((here, row) for here, _, row in added_parts(change, ROWS)), *changed):
        line = row_line(change, row)
        if line is not None and line.total is not None and line.total < 0:
            path = f"{here}.total_discount"
            message = f"{path}: it is an amount off the whole row, and it is more than the price of the row"
            yield advisory(warning_codes.DISCOUNT_ABOVE_PRICE, message, path)


def customer_discount(change: Transition) -> Iterator[ToolWarning]:
    """Yield that the customer of a new order has a discount rate of which its rows take nothing off."""
    customer = change.facts.with_id("customer", change.new.get("customer_id"))
    record = change.facts.names.record("customer", None if customer is None else customer.id)
    rate = None if record is None else number(record, "discount_rate")
    full = [row for _, _, row in added_parts(change, ROWS) if not number(row, "total_discount")]
    if change.before is None and customer is not None and rate and full:
        message = (
            f"customer_id: {customer.called} has a discount rate of {plain_number(rate)} %, and nothing is taken off "
            f"{so_many(len(full), 'row')}: Katana is sent these prices; give total_discount where it is to count"
        )
        yield advisory(warning_codes.CUSTOMER_DISCOUNT, message, "customer_id")


RULES = (priced, compared, kept, in_several_rows(ROWS), sold, taxed, discounted, customer_discount)
