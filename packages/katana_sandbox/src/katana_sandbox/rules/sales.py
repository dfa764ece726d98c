"""Sales orders: totals, status and availability, always derived from rows, fee and fulfillments."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.allocation import settle_pairs
from katana_sandbox.rules.items import owner
from katana_sandbox.rules.ledger import Pair
from katana_sandbox.rules.manufacturing_open import linked_production
from katana_sandbox.rules.stock import pair_of, refresh_costs, shipped
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, number

OPEN = ("NOT_SHIPPED", "PENDING", "READY_FOR_FULFILLMENT")
_UNMADE: Record = {"ingredient_expected_date": None, "linked_manufacturing_order_id": None}
_RATES = {"EUR": "1", "USD": "0.92", "GBP": "1.17", "SEK": "0.088", "NOK": "0.086", "CHF": "1.05"}


def conversion_rate(currency: object, base: object) -> Decimal:
    """Base units per unit of a currency, from a fixed table; 1 for currencies it does not know."""
    if currency == base:
        return Decimal(1)
    return (Decimal(_RATES.get(str(currency), "1")) / Decimal(_RATES.get(str(base), "1"))).quantize(Decimal("0.0001"))


def rate_to_base(ctx: Context, currency: object) -> Decimal:
    """Base units of the account per unit of a currency."""
    return conversion_rate(currency, ctx.factory().get("base_currency_code"))


def row_totals(row: Mapping[str, object], rate: Decimal) -> Record:
    """The amounts of a row, without tax."""
    price = as_decimal(row.get("price_per_unit"))
    total = as_decimal(row.get("quantity")) * price - as_decimal(row.get("total_discount"))
    return {
        "price_per_unit_in_base_currency": number(price * rate),
        "total": number(total),
        "total_in_base_currency": number(total * rate),
        "conversion_rate": number(rate),
    }


def order_totals(rows: Iterable[Mapping[str, object]], fee: Decimal, rate: Decimal) -> Record:
    """The amounts of an order, with shipping, and with tax on what rows cost after their discount."""
    total = fee
    for row in rows:
        total += as_decimal(row.get("total")) * (1 + as_decimal(row.get("tax_rate")) / 100)
    return {"total": number(total), "total_in_base_currency": number(total * rate)}


def rolled_up_status(rows: Iterable[tuple[Decimal, Decimal, Decimal]], status: object) -> object:
    """The order's status from (ordered, shipped, delivered) of its rows; all shipped, some delivered is PACKED."""
    lines = list(rows)
    if not any(taken for _, taken, _ in lines):
        return status if status in OPEN else "NOT_SHIPPED"
    if all(handed >= ordered for ordered, _, handed in lines):
        return "DELIVERED"
    if all(taken >= ordered for ordered, taken, _ in lines):
        return "PACKED"
    return "PARTIALLY_DELIVERED" if any(handed for _, _, handed in lines) else "PARTIALLY_PACKED"


def rolled_up_availability(states: Iterable[object]) -> str:
    """The worst of the rows' availability; rows of services do not count."""
    present = {state for state in states if state != "NOT_APPLICABLE"}
    for state in ("NOT_AVAILABLE", "EXPECTED", "IN_STOCK"):
        if state in present:
            return state
    return "PICKED" if present else "NOT_APPLICABLE"


def settle_order(ctx: Context, order_id: object, also: Iterable[Pair | None] = ()) -> None:
    """Bring everything derived of an order, and the stock it touches, up to date."""
    order = ctx.get("sales_orders", order_id)
    pairs = [pair for pair in also if pair is not None]
    if order is None:
        refresh_availability(ctx, settle_pairs(ctx, pairs))
        return
    rows = ctx.children("sales_order_rows", "sales_order_id", order_id)
    taken = shipped(ctx, order_id)
    rate = as_decimal(order.get("conversion_rate") or 1)
    for row in rows:
        pair = pair_of(ctx, row)
        row.update(row_totals(row, rate), product_availability=_shipping_state(row, pair, taken))
        ctx.set("sales_order_rows", row["id"], row)
        pairs += [pair] if pair is not None else []
    ctx.set("sales_orders", order["id"], _derived(ctx, order, rows, rate, taken))
    refresh_availability(ctx, settle_pairs(ctx, pairs) | {order["id"]})


def check_sellable(ctx: Context, location_id: object) -> None:
    """Refuse a location that does not sell."""
    location = ctx.get("locations", location_id)
    if location is not None and not location.get("sales_allowed"):
        raise unprocessable("Location has selling disabled")


def _shipping_state(row: Record, pair: Pair | None, taken: Mapping[object, tuple[Decimal, Decimal]]) -> object:
    if pair is None:
        return "NOT_APPLICABLE"
    gone = taken.get(row["id"], (Decimal(0), Decimal(0)))[0]
    if gone and gone >= as_decimal(row.get("quantity")):
        return "PICKED"
    state = row.get("product_availability")
    return state if state in {"IN_STOCK", "EXPECTED", "NOT_AVAILABLE"} else "NOT_AVAILABLE"


def _derived(
    ctx: Context,
    order: Record,
    rows: list[Record],
    rate: Decimal,
    taken: Mapping[object, tuple[Decimal, Decimal]],
) -> Record:
    goods = [row for row in rows if row["product_availability"] != "NOT_APPLICABLE"] or rows
    nothing = (Decimal(0), Decimal(0))
    lines = [(as_decimal(row.get("quantity")), *taken.get(row["id"], nothing)) for row in goods]
    fulfillments = ctx.children("sales_order_fulfillments", "sales_order_id", order["id"])
    derived = order_totals(rows, _fee(ctx, order), rate)
    derived["status"] = rolled_up_status(lines, order.get("status"))
    if fulfillments:
        derived["picked_date"] = max((str(item.get("picked_date")) for item in fulfillments), default=None)
        derived["invoicing_status"] = order.get("invoicing_status") or "notInvoiced"
    return derived


def _fee(ctx: Context, order: Record) -> Decimal:
    total = Decimal(0)
    for fee in ctx.children("sales_order_shipping_fee", "sales_order_id", order["id"]):
        tax = ctx.get("tax_rates", fee.get("tax_rate_id")) or {}
        total += as_decimal(fee.get("amount")) * (1 + as_decimal(tax.get("rate")) / 100)
    return total


def settle_stock(ctx: Context, pairs: Iterable[Pair]) -> None:
    """Bring everything that depends on the stock of these pairs up to date; call it after posting to the ledger."""
    distinct = sorted(set(pairs))
    refresh_costs(ctx, distinct)
    refresh_availability(ctx, settle_pairs(ctx, distinct))


def refresh_availability(ctx: Context, order_ids: Iterable[int]) -> None:
    """Roll the rows' availability up to their orders."""
    for order_id in order_ids:
        rows = ctx.children("sales_order_rows", "sales_order_id", order_id)
        state = rolled_up_availability(row.get("product_availability") for row in rows)
        dates = [date for row in rows if (date := row.get("product_expected_date")) is not None]
        expected = max(dates, default=None) if state == "EXPECTED" else None
        production = linked_production(ctx, rows) or _production(ctx, rows)
        derived = {"product_availability": state, "product_expected_date": expected, **production}
        ctx.set("sales_orders", order_id, derived)


def _production(ctx: Context, rows: Iterable[Record]) -> Record:
    made = [row for row in rows if _is_made(ctx, row)]
    if not made:
        return {**_UNMADE, "ingredient_availability": "NOT_APPLICABLE", "production_status": "NOT_APPLICABLE"}
    short = [row for row in made if row.get("product_availability") == "NOT_AVAILABLE"]
    if not short:
        return {**_UNMADE, "ingredient_availability": "PROCESSED", "production_status": "NONE"}
    states = {_ingredients(ctx, row) for row in short}
    worst = next(state for state in ("NO_RECIPE", "NOT_AVAILABLE", "IN_STOCK") if state in states)
    return {**_UNMADE, "ingredient_availability": worst, "production_status": "NONE"}


def _is_made(ctx: Context, row: Record) -> bool:
    variant = ctx.get("variants", row.get("variant_id"), deleted=True)
    item = owner(ctx, variant, deleted=True) if variant is not None else None
    return item is not None and bool(item[1].get("is_producible"))


def _ingredients(ctx: Context, row: Record) -> str:
    recipe = ctx.children("bom_rows", "product_variant_id", row.get("variant_id"))
    pair = pair_of(ctx, row)
    if not recipe or pair is None:
        return "NO_RECIPE"
    for line in recipe:
        level = ctx.db.levels.get(line["ingredient_variant_id"], pair[1])
        if level.in_stock - level.committed < as_decimal(line.get("quantity")) * as_decimal(row.get("quantity")):
            return "NOT_AVAILABLE"
    return "IN_STOCK"
