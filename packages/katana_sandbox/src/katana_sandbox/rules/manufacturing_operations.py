"""Operation rows of manufacturing orders: who, how long, and how their progress moves the order."""

from decimal import Decimal
from typing import cast

from katana_sandbox.descriptor import Context
from katana_sandbox.operations.create import build
from katana_sandbox.rules.manufacturing_names import resolve_names, resolve_operators
from katana_sandbox.rules.manufacturing_rows import LOCKED, OPERATION_ROWS, ORDERS, check_unlocked
from katana_sandbox.rules.product_operations import RANK_STEP, with_aliases
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, fixed, number

_WHEN_DONE = frozenset({"completed_by_operators", "total_actual_time"})
_OPERATORS = ("assigned_operators", "completed_by_operators")
_STARTED = ("IN_PROGRESS", "COMPLETED")


def add_operation_row(ctx: Context, body: Record) -> Record:
    """Append an operation to an order that is not done."""
    order = check_unlocked(ctx, body["manufacturing_order_id"])
    if body.get("operation_id") is None and body.get("operation_name") is None:
        raise unprocessable("operation_id or operation_name is required")
    names = resolve_names(ctx, body)
    fields = build(ctx.collections[OPERATION_ROWS], {**body, **with_aliases(body), **names})
    fields["assigned_operators"] = resolve_operators(ctx, body.get("assigned_operators"))
    ranks = [as_decimal(row["rank"]) for row in ctx.children(OPERATION_ROWS, "manufacturing_order_id", order["id"])]
    fields["rank"] = number(min(ranks) - RANK_STEP if ranks else Decimal(100 * RANK_STEP))
    return ctx.insert(OPERATION_ROWS, fields)


def update_operation_row(ctx: Context, row: Record, changes: Record) -> Record:
    """The stored changes of an operation row PATCH."""
    order = ctx.get(ORDERS, row["manufacturing_order_id"]) or {}
    if order.get("status") == "DONE":
        _check_done(row, changes)
    else:
        check_unlocked(ctx, row["manufacturing_order_id"])
    _check_actionable(row, changes)
    changes |= resolve_names(ctx, changes)
    changes |= {name: fixed(value, 10) for name, value in with_aliases(changes).items()}
    for name in _OPERATORS:
        if name in changes:
            changes[name] = resolve_operators(ctx, changes[name])
    if "total_actual_time" in changes:
        changes["written_time"] = changes.pop("total_actual_time")
    if "status" in changes:
        _move_status(ctx, order, row, changes)
    return changes


def _check_done(row: Record, changes: Record) -> None:
    """A PATCH may repeat the status, which is no change."""
    changed = {name for name in changes if name != "status" or changes[name] != row["status"]}
    if changed - _WHEN_DONE:
        raise unprocessable(LOCKED)
    changes.pop("status", None)


def _check_actionable(row: Record, changes: Record) -> None:
    status = changes.get("status")
    if status is not None and status != row["status"] and not row.get("is_status_actionable"):
        raise unprocessable("status of the operation can not be changed before earlier operations are completed")


def _move_status(ctx: Context, order: Record, row: Record, changes: Record) -> None:
    status = changes["status"]
    changes["completed_at"] = (row.get("completed_at") or ctx.now) if status == "COMPLETED" else None
    assigned = cast("list[Record]", changes.get("assigned_operators", row.get("assigned_operators")) or [])
    running = status == "IN_PROGRESS" and assigned
    changes["active_operator_id"] = assigned[0]["operator_id"] if running else None
    if status in _STARTED and order.get("status") == "NOT_STARTED":
        ctx.change(ORDERS, order["id"], {"status": "IN_PROGRESS"})
