"""What a manufacturing order takes and costs: times in seconds, money in base currency, planned and actual."""

from collections.abc import Mapping
from decimal import Decimal

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.items import owner
from katana_sandbox.rules.sales import rate_to_base
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import as_decimal

_HOUR = Decimal(3600)
_HOURLY = ("process", "setup")
_PER_UNIT = ("process", "perUnit")


def planned_seconds(row: Mapping[str, object], quantity: Decimal) -> Decimal:
    """The planned time of an operation for so many units; setup and fixed ones take theirs once."""
    seconds = as_decimal(row.get("planned_time_parameter"))
    return seconds * quantity if row.get("type") in _PER_UNIT else seconds


def planned_cost(row: Mapping[str, object], quantity: Decimal) -> Decimal:
    """The planned cost of an operation for so many units."""
    rate = as_decimal(row.get("cost_parameter"))
    if row.get("type") in _HOURLY:
        return rate * planned_seconds(row, quantity) / _HOUR
    return rate * quantity if row.get("type") == "perUnit" else rate


def actual_cost(row: Mapping[str, object], seconds: Decimal, quantity: Decimal) -> Decimal:
    """The cost of an operation that took so long: hourly types by time, the others as planned."""
    if row.get("type") in _HOURLY:
        return as_decimal(row.get("cost_parameter")) * seconds / _HOUR
    return planned_cost(row, quantity)


def share_of_time(row: Mapping[str, object], quantity: Decimal, share: Decimal) -> Decimal:
    """The planned time of a part of an order; what is taken once is spread over the parts."""
    seconds = planned_seconds(row, quantity)
    return seconds if row.get("type") in _PER_UNIT else seconds * share


def share_of_cost(row: Mapping[str, object], seconds: Decimal, quantity: Decimal, share: Decimal) -> Decimal:
    """The cost of a part of an order that took so long."""
    cost = actual_cost(row, seconds, quantity)
    return cost * share if row.get("type") == "fixed" else cost


def cost_per_unit(row: Mapping[str, object], quantity: Decimal) -> Decimal:
    """The planned cost of an operation spread over the units of its order."""
    return planned_cost(row, quantity) / quantity if quantity else Decimal(0)


def unit_cost(ctx: Context, variant_id: object, location_id: object) -> Decimal:
    """What one unit of an ingredient is expected to cost: the average in stock, else by the purchase price."""
    if isinstance(variant_id, int) and isinstance(location_id, int):
        average = ctx.db.levels.get(variant_id, location_id).average_cost
        if average:
            return average
    return _bought_for(ctx, ctx.get("variants", variant_id, deleted=True) or {})


def _bought_for(ctx: Context, variant: Record) -> Decimal:
    """The purchase price of a stock unit in base currency: it is kept of a purchase unit, in that of the supplier."""
    found = owner(ctx, variant, deleted=True)
    item = found[1] if found is not None else {}
    supplier = ctx.get("suppliers", item.get("default_supplier_id"), deleted=True)
    rate = Decimal(1) if supplier is None else rate_to_base(ctx, supplier["currency"])
    units = as_decimal(item.get("purchase_uom_conversion_rate")) or Decimal(1)
    return as_decimal(variant.get("purchase_price")) * rate / units


def is_made(ctx: Context, variant_id: object) -> bool:
    """Whether a variant belongs to a product that can be produced."""
    variant = ctx.get("variants", variant_id, deleted=True)
    found = owner(ctx, variant, deleted=True) if variant is not None else None
    return found is not None and bool(found[1].get("is_producible"))
