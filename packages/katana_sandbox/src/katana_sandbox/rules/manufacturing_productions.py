"""Productions: what completing a quantity consumes, takes in time, costs, and does to its order."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.items import owner
from katana_sandbox.rules.ledger import check_open_period, rounded
from katana_sandbox.rules.manufacturing_costs import share_of_cost, share_of_time
from katana_sandbox.rules.manufacturing_rows import (
    INGREDIENTS,
    LOCKED,
    OPERATION_ROWS,
    ORDERS,
    PRODUCTIONS,
    RECIPE_ROWS,
    TIMES,
)
from katana_sandbox.rules.serials import produce_units
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, number, shortest
from katana_sandbox.wire.times import stored_moment


@dataclass(frozen=True, slots=True)
class Run:
    """One completion: how many, when, whether the last; None for ingredients or operations means as planned."""

    quantity: Decimal
    moment: str
    final: bool = False
    ingredients: list[Record] | None = None
    operations: list[Record] | None = None
    serials: Sequence[object] = ()
    batch: Record | None = None


def create_production(ctx: Context, order: Record, body: Record) -> Record:
    """Complete a part, or the rest, of an order."""
    if order["status"] == "DONE":
        raise unprocessable(LOCKED)
    quantity = as_decimal(body["completed_quantity"])
    if quantity <= 0:
        raise unprocessable("completed_quantity must be greater than 0")
    ignored = order.get("reopened") and ctx.switches.word("completed_date_after_reopen") == "ignore"
    moment = ctx.now if ignored else stored_moment(body.get("completed_date")) or ctx.now
    run = Run(
        quantity,
        str(moment),
        bool(body.get("is_final")),
        cast("list[Record] | None", body.get("ingredients")),
        cast("list[Record] | None", body.get("operations")),
        cast("list[object]", body.get("serial_numbers") or []),
        cast("Record | None", body.get("batch_transaction")),
    )
    return produce(ctx, order, run)


def produce(ctx: Context, order: Record, run: Run) -> Record:
    """Store a production with what it consumed, and move its order on."""
    check_open_period(ctx, run.moment)
    _check_serials(ctx, order, run)
    fields: Record = {
        "manufacturing_order_id": order["id"],
        "quantity": number(run.quantity),
        "production_date": run.moment,
        "variant_id": order["variant_id"],
        "location_id": order["location_id"],
        "cost": None,
        "is_final": run.final,
        "batch_transaction": run.batch,
    }
    production = ctx.insert(PRODUCTIONS, fields)
    produce_units(ctx, order, production, run.serials)
    cost = _consume(ctx, order, production, run) + _work(ctx, order, production, run)
    ctx.change(PRODUCTIONS, production["id"], {"cost": number(cost)}, bump=False)
    if run.final:
        finish(ctx, order, run.moment)
    else:
        before = {} if order["status"] == "PARTIALLY_COMPLETED" else {"status_before": order["status"]}
        ctx.change(ORDERS, order["id"], {"status": "PARTIALLY_COMPLETED", **before})
    return ctx.get(PRODUCTIONS, production["id"]) or production


def finish(ctx: Context, order: Record, moment: str) -> None:
    """Let an order be done; its operations are completed with it."""
    for row in ctx.children(OPERATION_ROWS, "manufacturing_order_id", order["id"]):
        if row["status"] != "COMPLETED":
            done = {"status": "COMPLETED", "status_before": row["status"], "completed_at": moment}
            ctx.change(OPERATION_ROWS, row["id"], {**done, "active_operator_id": None})
    before = order["status"] if order["status"] != "PARTIALLY_COMPLETED" else order.get("status_before")
    ctx.change(ORDERS, order["id"], {"status": "DONE", "done_date": moment, "status_before": before})


def update_production(ctx: Context, production: Record, changes: Record) -> Record:
    """The stored changes of a production PATCH: its date, which its movements take over."""
    order = ctx.get(ORDERS, production["manufacturing_order_id"]) or {}
    done = order.get("status") == "DONE"
    if done and ctx.switches.on("done_locks_production_date"):
        raise unprocessable(LOCKED)
    moment = changes.get("production_date")
    if isinstance(moment, str):
        check_open_period(ctx, moment)
        redate_production(ctx, production, moment)
        if done and production.get("is_final"):
            ctx.change(ORDERS, order["id"], {"done_date": moment})
    return changes


def redate_production(ctx: Context, production: Record, moment: str) -> None:
    """Give what a production consumed, and its times, another date."""
    for name in (INGREDIENTS, TIMES):
        for entry in ctx.children(name, "production_id", production["id"]):
            ctx.change(name, entry["id"], {"production_date": moment})


def check_production_deletable(ctx: Context, production: Record) -> None:
    """Refuse to take a production from an order that is done."""
    order = ctx.get(ORDERS, production["manufacturing_order_id"]) or {}
    if order.get("status") == "DONE":
        raise unprocessable(LOCKED)
    check_open_period(ctx, production["production_date"])


def update_ingredient(ctx: Context, ingredient: Record, changes: Record) -> Record:
    """The stored changes of a production ingredient PATCH: its batches, until the order is done."""
    order = ctx.get(ORDERS, ingredient["manufacturing_order_id"]) or {}
    if order.get("status") == "DONE":
        raise unprocessable(LOCKED)
    return changes


def _check_serials(ctx: Context, order: Record, run: Run) -> None:
    variant = ctx.get("variants", order["variant_id"], deleted=True)
    found = owner(ctx, variant, deleted=True) if variant is not None else None
    if found is None or not found[1].get("serial_tracked") or not ctx.switches.on("production_serial_count"):
        return
    if len(run.serials) != run.quantity:
        raise unprocessable(
            f"sum of serial number quantity (current: {len(run.serials)}) must match "
            f"production quantity (expected: {shortest(run.quantity)})"
        )


def _consume(ctx: Context, order: Record, production: Record, run: Run) -> Decimal:
    total = Decimal(0)
    recipe = {row["id"]: row for row in ctx.children(RECIPE_ROWS, "manufacturing_order_id", order["id"])}
    for row_id, quantity, batches in _wanted_ingredients(recipe, run):
        row = recipe.get(row_id)
        if row is None:
            raise unprocessable("manufacturing order recipe row not found")
        if ctx.get("variants", row["variant_id"], deleted=True) is None:
            continue
        ingredient = ctx.insert(
            INGREDIENTS,
            {
                "location_id": order["location_id"],
                "variant_id": row["variant_id"],
                "manufacturing_order_id": order["id"],
                "manufacturing_order_recipe_row_id": row_id,
                "production_id": production["id"],
                "quantity": number(quantity),
                "production_date": run.moment,
                "cost": 0,
                "batch_transactions": batches,
            },
        )
        total += as_decimal(ingredient["cost"])
    return total


def _wanted_ingredients(rows: dict[object, Record], run: Run) -> list[tuple[object, Decimal, object]]:
    if run.ingredients is None:
        planned = [(key, rounded(planned_use(row, run)), row) for key, row in rows.items()]
        return [(key, use, row.get("batch_transactions") or []) for key, use, row in planned if use > 0]
    wanted: list[tuple[object, Decimal, object]] = []
    for entry in run.ingredients:
        quantity = as_decimal(entry["quantity"])
        if quantity <= 0:
            raise unprocessable("ingredient quantity must be greater than 0")
        wanted.append((entry["manufacturing_order_recipe_row_id"], quantity, entry.get("batch_transactions") or []))
    return wanted


def planned_use(row: Record, run: Run) -> Decimal:
    """What a production takes of an ingredient: by the recipe, or at the end what was written as actual quantity."""
    written = row.get("written_quantity")
    if run.final and written is not None:
        return max(Decimal(0), as_decimal(written) - as_decimal(row.get("total_consumed_quantity")))
    return as_decimal(row["planned_quantity_per_unit"]) * run.quantity


def _work(ctx: Context, order: Record, production: Record, run: Run) -> Decimal:
    total = Decimal(0)
    rows = {row["id"]: row for row in ctx.children(OPERATION_ROWS, "manufacturing_order_id", order["id"])}
    share = run.quantity / as_decimal(order["planned_quantity"])
    for row_id, seconds in _wanted_times(rows, run, share):
        row = rows.get(row_id)
        if row is None:
            raise unprocessable("manufacturing order operation row not found")
        cost = share_of_cost(row, seconds, run.quantity, share)
        total += cost
        ctx.insert(
            TIMES,
            {
                "location_id": order["location_id"],
                "manufacturing_order_id": order["id"],
                "manufacturing_order_operation_id": row_id,
                "production_id": production["id"],
                "time": number(seconds),
                "production_date": run.moment,
                "cost": number(cost),
            },
        )
    return total


def _wanted_times(rows: dict[object, Record], run: Run, share: Decimal) -> list[tuple[object, Decimal]]:
    if run.operations is None:
        return [(key, _planned_time(row, run, share)) for key, row in rows.items()]
    wanted: list[tuple[object, Decimal]] = []
    for entry in run.operations:
        seconds = as_decimal(entry["time"])
        if seconds <= 0:
            raise unprocessable("operation time must be greater than 0")
        wanted.append((entry["manufacturing_order_operation_id"], seconds))
    return wanted


def _planned_time(row: Record, run: Run, share: Decimal) -> Decimal:
    written = row.get("written_time")
    if run.final and written is not None:
        return max(Decimal(0), as_decimal(written) - as_decimal(row.get("total_consumed_time")))
    return share_of_time(row, run.quantity, share)
