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
_SWITCHES = ("decimal_strings", "empty_objects", "undocumented_fields", "order_shows_link")
_LEVEL = frozenset({"variant_id", "location_id", "value", "created_at", "updated_at"})


def reshape(body: bytes, switches: Switches) -> bytes:
    """The body as the switches want it; untouched when they are at their defaults."""
    if not body or all(switches.on(name) for name in _SWITCHES):
        return body
    return encode(_walk(decode(body), switches))


def _walk(value: object, switches: Switches) -> object:
    if isinstance(value, list):
        return [_walk(item, switches) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    record = cast("Record", value)
    left_out = frozenset[str]() if switches.on("undocumented_fields") else _undocumented(record)
    if not switches.on("order_shows_link") and "sales_order_rows" in record:
        left_out |= {"linked_manufacturing_order_id"}
    return {name: _member(name, item, switches) for name, item in record.items() if name not in left_out}


def _undocumented(record: Record) -> frozenset[str]:
    """The members of a record that its description lacks."""
    if "sales_order_row_id" in record:
        return frozenset({"id", "sku", "traceability"})
    if "variant_id" in record and ("sales_order_id" in record or "cost_per_unit" in record):
        return frozenset({"sku", "traceability"})
    if record.keys() == _LEVEL:
        return frozenset({"created_at", "updated_at"})
    return frozenset({"reference"} if "additional_cost_id" in record else {"product_or_material_name"})


def _member(name: str, value: object, switches: Switches) -> object:
    if name in _OBJECTS and value == {} and not switches.on("empty_objects"):
        return None
    if name in _DECIMALS and isinstance(value, str) and not switches.on("decimal_strings"):
        return plain(float(value)) if is_decimal_text(value) else value
    return _walk(value, switches)
