"""Make to order: a manufacturing order for a sales order row, and the end of that bond."""

from decimal import Decimal

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.manufacturing_costs import is_made
from katana_sandbox.rules.manufacturing_open import release_row
from katana_sandbox.rules.manufacturing_orders import create_order
from katana_sandbox.rules.manufacturing_rows import ORDERS, RECIPE_ROWS
from katana_sandbox.rules.stock import pair_of, shipped
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, number

_ROWS = "sales_order_rows"
_DEEPEST = 10


def make_to_order(ctx: Context, row_id: object, *, subassemblies: bool) -> Record:
    """Make what a sales order row still needs; with `subassemblies` also what that is made of."""
    row = _row(ctx, row_id)
    if row.get("linked_manufacturing_order_id") is not None:
        raise unprocessable("sales order row is already linked to a manufacturing order")
    order = ctx.get("sales_orders", row["sales_order_id"]) or {}
    pair = pair_of(ctx, row)
    left = _left(ctx, row)
    if pair is None or left <= 0:
        raise unprocessable("sales order row needs no manufacturing order")
    body: Record = {"variant_id": pair[0], "location_id": pair[1], "planned_quantity": number(left)}
    body["order_no"] = _number(ctx, order)
    if order.get("delivery_date") is not None:
        body["production_deadline_date"] = order["delivery_date"]
    made = create_order(ctx, body)
    links = {"sales_order_id": order["id"], "sales_order_row_id": row["id"], "is_linked_to_sales_order": True}
    ctx.set(ORDERS, made["id"], links)
    ctx.change(_ROWS, row["id"], {"linked_manufacturing_order_id": made["id"]})
    if subassemblies:
        _make_subassemblies(ctx, made, 1)
    return made


def unlink(ctx: Context, row_id: object) -> None:
    """Part a sales order row from its manufacturing order; both stay."""
    row = _row(ctx, row_id)
    if row.get("linked_manufacturing_order_id") is None:
        raise unprocessable("sales order row is not linked to a manufacturing order")
    ctx.change(_ROWS, row["id"], {"linked_manufacturing_order_id": None})
    release_row(ctx, row)


def _row(ctx: Context, row_id: object) -> Record:
    row = ctx.get(_ROWS, row_id)
    if row is None:
        raise unprocessable("sales order row not found")
    return row


def _left(ctx: Context, row: Record) -> Decimal:
    gone = shipped(ctx, row["sales_order_id"]).get(row["id"], (Decimal(0),))[0]
    return max(Decimal(0), as_decimal(row["quantity"]) - gone)


def _number(ctx: Context, order: Record) -> str:
    store = ctx.db.stores[ORDERS]
    return f"{order.get('order_no')} / {len(store.linked('sales_order_id', order.get('id'))) + 1}"


def _make_subassemblies(ctx: Context, order: Record, depth: int) -> None:
    if depth > _DEEPEST:
        return
    rows = ctx.children(RECIPE_ROWS, "manufacturing_order_id", order["id"])
    made = [row for row in rows if is_made(ctx, row["variant_id"])]
    for place, row in enumerate(made, 1):
        quantity = as_decimal(row["planned_quantity_per_unit"]) * as_decimal(order["planned_quantity"])
        body: Record = {
            "variant_id": row["variant_id"],
            "location_id": order["location_id"],
            "planned_quantity": number(quantity),
            "order_no": f"{order['order_no']} / {place}",
        }
        if order.get("production_deadline_date") is not None:
            body["production_deadline_date"] = order["production_deadline_date"]
        _make_subassemblies(ctx, create_order(ctx, body), depth + 1)
