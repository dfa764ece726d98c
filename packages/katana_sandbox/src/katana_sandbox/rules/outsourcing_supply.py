"""Whether the tracking location has the ingredients of an outsourced purchase order, and when it will."""

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.manufacturing_open import covered
from katana_sandbox.rules.open_documents import expected
from katana_sandbox.rules.outsourcing import ROWS, is_committed, need
from katana_sandbox.wire.encoding import Record

_WORST_FIRST = ("NOT_AVAILABLE", "EXPECTED", "IN_STOCK", "PROCESSED")
_LAST = "9999"


def ingredient_supply(ctx: Context, line: Record) -> Record:
    """Whether an ingredient is there, and the date by which what is coming covers it."""
    state, date = _supply(ctx, line)
    return {"ingredient_availability": state, "ingredient_expected_date": date}


def order_supply(ctx: Context, order_id: object) -> Record:
    """The worst of an order's ingredients, with the latest date among those that are coming."""
    found = [_supply(ctx, line) for line in ctx.children(ROWS, "purchase_order_id", order_id)]
    states = {state for state, _ in found}
    worst = next((state for state in _WORST_FIRST if state in states), "NO_RECIPE")
    dates = [date for _, date in found if date is not None]
    latest = max(dates, default=None) if worst == "EXPECTED" else None
    return {"ingredient_availability": worst, "ingredient_expected_date": latest}


def _supply(ctx: Context, line: Record) -> tuple[str, str | None]:
    row = ctx.get("purchase_order_rows", line.get("purchase_order_row_id"), deleted=True) or {}
    if row.get("received_date") is not None:
        return "PROCESSED", None
    order = ctx.get("purchase_orders", line.get("purchase_order_id"), deleted=True) or {}
    place = order.get("tracking_location_id")
    if not isinstance(place, int):
        return "NOT_APPLICABLE", None
    variant_id = line["ingredient_variant_id"]
    level = ctx.db.levels.get(variant_id, place)
    required = need(ctx, line)
    free = level.in_stock - level.committed + (required if is_committed(ctx, order, line) else 0)
    coming = [entry for entry in expected(ctx, variant_id) if entry.location_id == place]
    return covered(free, sorted(coming, key=lambda entry: entry.date or _LAST), required)
