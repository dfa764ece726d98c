"""Purchase orders: what rows come to, what they cost when they land, and the stock they bring."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.incoming import row_location, stock_units
from katana_sandbox.rules.ledger import Movement, Pair, keep, unpost
from katana_sandbox.rules.outsourcing import consume, ingredient_pairs
from katana_sandbox.rules.sales import rate_to_base, settle_stock
from katana_sandbox.rules.serials import count_units, unbind
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import as_decimal, number

SOURCE = "PurchaseOrderRow"
UNRECEIVED = ("DRAFT", "NOT_RECEIVED")
_NOTHING = Decimal(0)


def settle_order(ctx: Context, order_id: object, also: Iterable[Pair] = ()) -> None:
    """Bring everything derived of a purchase order, and the stock its rows brought, up to date."""
    order = ctx.get("purchase_orders", order_id)
    pairs = set(also)
    if order is not None:
        rows = ctx.children("purchase_order_rows", "purchase_order_id", order_id)
        rate = order_rate(ctx, order)
        for row in rows:
            row.update(row_amounts(row, rate))
        for row in rows:
            used, spent = consume(ctx, order, row)
            value = landed_value(row, rows, spread_costs(ctx, row.get("group_id")), rate)
            value += spent
            per_unit = ctx.switches.word("landed_cost") == "unit" and as_decimal(row.get("quantity"))
            row["landed_cost"] = number(value / as_decimal(row["quantity"]) if per_unit else value)
            ctx.set("purchase_order_rows", row["id"], row)
            pairs |= used | _bring(ctx, order, row, value)
        taxes = {row.get("tax_rate_id"): ctx.get("tax_rates", row.get("tax_rate_id")) or {} for row in rows}
        totals = order_amounts(rows, rate, {key: as_decimal(tax.get("rate")) for key, tax in taxes.items()})
        ctx.set("purchase_orders", order["id"], _derived(order, rows) | totals)
        pairs |= {pair for row in rows if (pair := _pair(ctx, order, row)) is not None} | ingredient_pairs(ctx, order)
    settle_stock(ctx, pairs)


def settle_row(ctx: Context, before: Record | None, after: Record | None) -> None:
    """A row was written or deleted: its order and its stock follow."""
    record = before or after or {}
    order = ctx.get("purchase_orders", record.get("purchase_order_id"), deleted=True) or {}
    pairs = {pair for row in (before, after) if row and (pair := _pair(ctx, order, row)) is not None}
    if after is None:
        pairs |= unpost(ctx, SOURCE, record["id"])
        unbind(ctx, SOURCE, record["id"])
    else:
        received = after.get("received_date")
        count_units(ctx, SOURCE, after["id"], int(received is not None), received)
    settle_order(ctx, record.get("purchase_order_id"), pairs)


def settle_header(ctx: Context, before: Record | None, after: Record | None) -> None:
    """An order was written: rows that followed its location are now expected elsewhere."""
    if before is None:
        return
    rows = ctx.children("purchase_order_rows", "purchase_order_id", before["id"])
    pairs = {pair for row in rows if (pair := _pair(ctx, before, row)) is not None}
    settle_order(ctx, before["id"], pairs | ingredient_pairs(ctx, before))


def settle_cost(ctx: Context, before: Record | None, after: Record | None) -> None:
    """An additional cost was written: the orders of its group follow."""
    for group in {row.get("group_id") for row in (before, after) if row is not None}:
        for order in orders_of_group(ctx, group):
            settle_order(ctx, order["id"])


def orders_of_group(ctx: Context, group: object) -> list[Record]:
    """The order that a cost group is of: by its own group, or by that of a receipt."""
    found = ctx.children("purchase_orders", "default_group_id", group)
    rows = ctx.children("purchase_order_rows", "group_id", group) if not found else []
    order = ctx.get("purchase_orders", rows[0]["purchase_order_id"]) if rows else None
    return found if order is None else [order]


def order_rate(ctx: Context, order: Record) -> Decimal:
    """Base units per unit of the order's currency."""
    return rate_to_base(ctx, order.get("currency"))


def row_rate(row: Record, rate: Decimal) -> Decimal:
    """The rate a row has: fixed when received, today's before."""
    return as_decimal(row["conversion_rate"]) if row.get("conversion_rate") is not None else rate


def rolled_up_status(rows: list[Record], status: object) -> object:
    """The order's status from the receipts of its rows."""
    received = sum(row.get("received_date") is not None for row in rows)
    if received and received == len(rows):
        return "RECEIVED"
    if received:
        return "PARTIALLY_RECEIVED"
    return status if status in UNRECEIVED else "NOT_RECEIVED"


def row_amounts(row: Record, rate: Decimal) -> Record:
    """The derived amounts of a row, without tax."""
    received = row.get("received_date")
    fixed_rate = number(row_rate(row, rate)) if received is not None else None
    used = row_rate(row, rate) if received is not None else rate
    price = as_decimal(row.get("price_per_unit"))
    total = as_decimal(row.get("quantity")) * price
    return {
        "price_per_unit_in_base_currency": number(price * used),
        "total": number(total),
        "total_in_base_currency": number(total * used),
        "conversion_rate": fixed_rate,
        "conversion_date": received,
    }


def order_amounts(rows: Iterable[Record], rate: Decimal, taxes: Mapping[object, Decimal]) -> Record:
    """The amounts of an order, with tax."""
    total = in_base = _NOTHING
    for row in rows:
        taxed = as_decimal(row["total"]) * (1 + taxes.get(row.get("tax_rate_id"), _NOTHING) / 100)
        total += taxed
        in_base += taxed * row_rate(row, rate)
    return {"total": number(total), "total_in_base_currency": number(in_base)}


def landed_value(row: Record, rows: list[Record], extra: Decimal, rate: Decimal) -> Decimal:
    """What a row costs in base currency with its share of the `extra` that its group spreads by value."""
    value = _base_value(row, rate)
    if not extra:
        return value
    group = [other for other in rows if other.get("group_id") == row.get("group_id")]
    whole = sum((_base_value(other, rate) for other in group), _NOTHING)
    return value + (extra * value / whole if whole else extra / len(group))


def spread_costs(ctx: Context, group_id: object) -> Decimal:
    """The additional costs of a group that are spread by value, in base currency."""
    found = ctx.children("po_additional_cost_rows", "group_id", group_id)
    prices = (as_decimal(cost["price_in_base"]) for cost in found if cost["distribution_method"] == "BY_VALUE")
    return sum(prices, _NOTHING)


def _base_value(row: Record, rate: Decimal) -> Decimal:
    used = row_rate(row, rate) if row.get("received_date") is not None else rate
    return as_decimal(row.get("quantity")) * as_decimal(row.get("price_per_unit")) * used


def _pair(ctx: Context, order: Record, row: Record) -> Pair | None:
    variant_id = row.get("variant_id")
    if not isinstance(variant_id, int) or ctx.db.stores["variants"].slot(variant_id) is None or not order:
        return None
    return variant_id, row_location(row, order)


def _bring(ctx: Context, order: Record, row: Record, value: Decimal) -> set[Pair]:
    """Let the ledger show what the row has brought."""
    pair = _pair(ctx, order, row)
    units = as_decimal(row.get("quantity")) * stock_units(row)
    received = row.get("received_date")
    if pair is None or received is None or not units:
        return unpost(ctx, SOURCE, row["id"])
    movement = Movement(*pair, units, value / units, received, SOURCE, row["id"], order["order_no"], order["id"])
    return keep(ctx, SOURCE, row["id"], movement)


def _derived(order: Record, rows: list[Record]) -> Record:
    arrivals = [date for row in rows if (date := row.get("arrival_date")) is not None]
    return {
        "status": rolled_up_status(rows, order.get("status")),
        "expected_arrival_date": max(arrivals, default=order.get("expected_arrival_date")),
    }
