"""Replies in other than the wire's own form, for the switches that turn a quirk off."""

from typing import cast

from katana_sandbox.switches import Switches
from katana_sandbox.wire.encoding import Record, decode, encode, plain
from katana_sandbox.wire.numbers import is_decimal_text

_DECIMALS = frozenset(
    {
        "price_per_unit",
        "total_discount",
        "cogs_value",
        "amount",
        "planned_quantity_per_unit",
        "total_actual_quantity",
        "cost",
        "planned_time_per_unit",
        "planned_time_parameter",
        "planned_cost_per_unit",
        "total_actual_time",
        "total_actual_cost",
        "cost_per_hour",
        "cost_parameter",
        "purchase_uom_conversion_rate",
        "safety_stock_level",
        "reorder_point",
        "average_cost",
        "value_in_stock",
        "quantity_in_stock",
        "quantity_committed",
        "quantity_expected",
        "quantity_missing_or_excess",
        "value",
    }
)
_OBJECTS = frozenset({"shipping_fee", "supplier"})
_UNDOCUMENTED = frozenset({"sku", "traceability"})


def reshape(body: bytes, switches: Switches) -> bytes:
    """The body as the switches want it; untouched when they are at their defaults."""
    wanted = ("decimal_strings", "empty_objects", "undocumented_fields")
    if not body or all(switches.on(name) for name in wanted):
        return body
    return encode(_walk(decode(body), switches))


def _walk(value: object, switches: Switches) -> object:
    if isinstance(value, list):
        return [_walk(item, switches) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    record = cast("Record", value)
    if not switches.on("undocumented_fields") and "sales_order_row_id" in record:
        record.pop("id", None)
    goods = "variant_id" in record and ("sales_order_id" in record or "cost_per_unit" in record)
    is_row = goods or "sales_order_row_id" in record
    return {
        name: _member(name, item, switches)
        for name, item in record.items()
        if switches.on("undocumented_fields") or not (is_row and name in _UNDOCUMENTED)
    }


def _member(name: str, value: object, switches: Switches) -> object:
    if name in _OBJECTS and value == {} and not switches.on("empty_objects"):
        return None
    if name in _DECIMALS and isinstance(value, str) and not switches.on("decimal_strings"):
        return plain(float(value)) if is_decimal_text(value) else value
    return _walk(value, switches)
