"""Manufacturing orders: what may be ordered and changed, completion and reopening."""

from katana_sandbox.custom_fields import copied_custom_fields
from katana_sandbox.descriptor import Context
from katana_sandbox.operations.create import build
from katana_sandbox.rules.ledger import check_open_period
from katana_sandbox.rules.manufacturing_costs import is_made
from katana_sandbox.rules.manufacturing_productions import Run, finish, produce, redate_production
from katana_sandbox.rules.manufacturing_rows import LOCKED, OPERATION_ROWS, ORDERS, PRODUCTIONS, copy_rows
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import Refused, unprocessable
from katana_sandbox.wire.numbers import as_decimal

_LOCKED_FIELDS = (
    "actual_quantity",
    "batch_transactions",
    "location_id",
    "order_no",
    "planned_quantity",
    "production_deadline_date",
    "variant_id",
)
DISABLED = "Location has manufacturing disabled"


def create_order(ctx: Context, body: Record) -> Record:
    """Store an order with the recipe and the operations of its variant."""
    check_location(ctx, body["location_id"])
    _check_producible(ctx, body["variant_id"])
    _check_header(body)
    fields = build(ctx.collections[ORDERS], body)
    fields["target_quantity"] = fields.pop("actual_quantity")
    fields["actual_quantity"] = None
    given = body.get("custom_fields")
    fields["custom_fields"] = copied_custom_fields(ctx, "ManufacturingOrder", body["variant_id"], given)
    fields["order_no"] = body.get("order_no") or ctx.db.next_number("MO")
    fields["order_created_date"] = fields["order_created_date"] or ctx.now
    order = ctx.insert(ORDERS, fields)
    copy_rows(ctx, order)
    return ctx.get(ORDERS, order["id"]) or order


def update_order(ctx: Context, order: Record, changes: Record) -> Record:
    """The stored changes of a header PATCH; a status that completes or reopens does so at once."""
    done = order["status"] == "DONE"
    status = changes.pop("status", None)
    if done and any(name in changes for name in _LOCKED_FIELDS):
        raise unprocessable(LOCKED)
    _check_changes(ctx, order, changes, status)
    if "actual_quantity" in changes:
        changes["target_quantity"] = changes.pop("actual_quantity")
    if "done_date" in changes:
        move_done_date(ctx, order, changes["done_date"])
    if status == "DONE" and not done:
        _complete(ctx, ctx.change(ORDERS, order["id"], changes))
        return {}
    if done and status not in {None, "DONE"}:
        _check_reopening(ctx, order)
        _reopen(ctx, order)
        return {**changes, "status": status, "done_date": None, "reopened": True, "status_before": None}
    return changes if status is None else {**changes, "status": status}


def check_deletable(_ctx: Context, order: Record) -> None:
    """Refuse to delete an order that is done, or made for a sales order."""
    if order["is_linked_to_sales_order"]:
        message = "Cannot delete manufacturing orders as manufacturing orders are linked to sales orders."
        raise Refused(412, message)
    if order["status"] == "DONE":
        raise unprocessable(LOCKED)


def check_location(ctx: Context, location_id: object) -> None:
    """Refuse a location that is gone or makes nothing."""
    location = ctx.get("locations", location_id)
    if location is None or not location.get("manufacturing_allowed"):
        raise unprocessable(DISABLED)


def move_done_date(ctx: Context, order: Record, moment: str) -> None:
    """Give the last production of a done order another date."""
    check_open_period(ctx, moment)
    for production in ctx.children(PRODUCTIONS, "manufacturing_order_id", order["id"]):
        if production.get("is_final"):
            redate_production(ctx, production, moment)
            ctx.change(PRODUCTIONS, production["id"], {"production_date": moment})


def _check_producible(ctx: Context, variant_id: object) -> None:
    if not is_made(ctx, variant_id):
        raise unprocessable("variant does not belong to a producible product")


def _check_header(body: Record) -> None:
    if len(body.get("batch_transactions") or []) > 1:
        raise unprocessable("manufacturing order can only be produced into one batch")


def _check_changes(ctx: Context, order: Record, changes: Record, status: object) -> None:
    if "done_date" in changes and order["status"] != "DONE":
        raise unprocessable("done_date can only be changed when manufacturing order is done")
    if status == "PARTIALLY_COMPLETED" and status != order["status"]:
        raise unprocessable("status PARTIALLY_COMPLETED follows from productions")
    _check_header(changes)
    if "location_id" in changes:
        check_location(ctx, changes["location_id"])
    if "variant_id" not in changes or changes["variant_id"] == order["variant_id"]:
        return
    _check_producible(ctx, changes["variant_id"])
    if ctx.children(PRODUCTIONS, "manufacturing_order_id", order["id"]):
        raise unprocessable("variant of a manufacturing order with productions can not be changed")


def _check_reopening(ctx: Context, order: Record) -> None:
    check_location(ctx, order["location_id"])
    for production in ctx.children(PRODUCTIONS, "manufacturing_order_id", order["id"]):
        check_open_period(ctx, production["production_date"])


def _complete(ctx: Context, order: Record) -> None:
    target = order.get("target_quantity")
    planned = as_decimal(order["planned_quantity"] if target is None else target)
    left = planned - as_decimal(order.get("completed_quantity"))
    if left > 0:
        produce(ctx, order, Run(left, ctx.now, final=True))
    else:
        finish(ctx, order, ctx.now)


def _reopen(ctx: Context, order: Record) -> None:
    for production in reversed(ctx.children(PRODUCTIONS, "manufacturing_order_id", order["id"])):
        ctx.delete(PRODUCTIONS, production["id"])
    for row in ctx.children(OPERATION_ROWS, "manufacturing_order_id", order["id"]):
        if row.get("status_before") is not None:
            restored = {"status": row["status_before"], "status_before": None, "completed_at": None}
            ctx.change(OPERATION_ROWS, row["id"], restored)
