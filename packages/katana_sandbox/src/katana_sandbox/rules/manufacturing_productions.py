"""Productions: what completing a quantity consumes, takes in time, costs, and does to its order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import cast

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.items import is_tracked
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
from katana_sandbox.rules.serials import bring_units, generate_units, produce_units, unmake_units, waiting_units
from katana_sandbox.rules.traceability import check_unit_count, traced_batches, traced_units
from katana_sandbox.wire.encoding import Record, rows
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, number, shortest


@dataclass(frozen=True, slots=True)
class Run:
    """One completion: how many, when, whether the last; None for ingredients or operations means as planned."""

    quantity: Decimal
    moment: str
    final: bool = False
    ingredients: list[Record] | None = None
    operations: list[Record] | None = None
    serials: Sequence[object] | None = None
    traced: list[int] | None = None
    batch: Record | None = None


def create_production(ctx: Context, order: Record, body: Record) -> Record:
    """Complete a part, or the rest, of an order."""
    if order["status"] == "DONE":
        raise unprocessable(LOCKED)
    quantity = as_decimal(body["completed_quantity"])
    if quantity <= 0:
        raise unprocessable("completed_quantity must be greater than 0")
    ignored = order.get("reopened") and ctx.switches.word("completed_date_after_reopen") == "ignore"
    moment = ctx.now if ignored else body.get("completed_date") or ctx.now
    run = Run(
        quantity,
        str(moment),
        bool(body.get("is_final")),
        cast("list[Record] | None", body.get("ingredients")),
        cast("list[Record] | None", body.get("operations")),
        cast("list[object] | None", body.get("serial_numbers")),
        traced_output(ctx, order, quantity, body),
        output_batch(body),
    )
    return produce(ctx, order, run)


def produce(ctx: Context, order: Record, run: Run) -> Record:
    """Store a production with what it consumed, and move its order on."""
    check_open_period(ctx, run.moment)
    tracked = is_tracked(ctx, order["variant_id"], ("serial_tracked",))
    if run.serials is None and run.traced is None and tracked:
        run = replace(run, serials=waiting_units(ctx, order)[: int(run.quantity)] or None)
    _check_serials(ctx, run, tracked=tracked)
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
    if run.traced is not None:
        bring_units(ctx, order, production, run.traced)
    elif run.serials is not None:
        produce_units(ctx, order, production, run.serials)
    elif tracked:
        generate_units(ctx, order, production, int(run.quantity))
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
    if order.get("status") == "DONE":
        raise unprocessable(LOCKED)
    moment = changes.get("production_date")
    if "traceability" in changes:
        units = traced_output(ctx, order, as_decimal(production["quantity"]), changes)
        changes["batch_transaction"] = output_batch(changes)
        del changes["traceability"]
        unmake_units(ctx, production)
        bring_units(ctx, order, production, units or ())
    if isinstance(moment, str):
        check_open_period(ctx, moment)
        redate_production(ctx, production, moment)
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
    if "traceability" in changes:
        changes["batch_transactions"] = traced_batches(changes)
        del changes["traceability"]
    for batch in rows(changes, "batch_transactions"):
        if as_decimal(batch.get("quantity")) <= 0:
            raise unprocessable("Traceability entries without a serial number must provide a positive quantity")
    return changes


def traced_output(ctx: Context, order: Record, quantity: Decimal, body: Record) -> list[int] | None:
    """The units that a production's traceability names; None when there is none."""
    if "traceability" not in body:
        return None
    units = traced_units(ctx, order["variant_id"], rows(body, "traceability"))
    check_unit_count(units, quantity, exact=False)
    return units


def output_batch(body: Record) -> Record | None:
    """The one batch that takes all that is made."""
    batches = [part for part in rows(body, "traceability") if part.get("batch_id") is not None]
    return {"batch_id": batches[0]["batch_id"]} if batches else cast("Record | None", body.get("batch_transaction"))


def _check_serials(ctx: Context, run: Run, *, tracked: bool) -> None:
    given = len(run.traced or run.serials or ())
    required = tracked and ctx.switches.word("production_serials") == "require"
    if given > run.quantity or (required and given != run.quantity):
        raise unprocessable(
            f"sum of serial number quantity (current: {given}) must match "
            f"production quantity (expected: {shortest(run.quantity)})"
        )


def _consume(ctx: Context, order: Record, production: Record, run: Run) -> Decimal:
    total = Decimal(0)
    recipe = {row["id"]: row for row in ctx.children(RECIPE_ROWS, "manufacturing_order_id", order["id"])}
    for row_id, quantity, batches in _planned_ingredients(recipe, run):
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


def _planned_ingredients(recipe: dict[object, Record], run: Run) -> list[tuple[object, Decimal, object]]:
    if run.ingredients is None:
        planned = [(key, rounded(planned_use(row, run)), row) for key, row in recipe.items()]
        return [(key, use, row.get("batch_transactions") or []) for key, use, row in planned if use > 0]
    ingredients: list[tuple[object, Decimal, object]] = []
    for entry in run.ingredients:
        quantity = as_decimal(entry["quantity"])
        if quantity <= 0:
            raise unprocessable("ingredient quantity must be greater than 0")
        ingredients.append((entry["manufacturing_order_recipe_row_id"], quantity, traced_batches(entry)))
    return ingredients


def planned_use(row: Record, run: Run) -> Decimal:
    """What a production takes of an ingredient: by the recipe, or at the end what was written as actual quantity."""
    written = row.get("written_quantity")
    if run.final and written is not None:
        return max(Decimal(0), as_decimal(written) - as_decimal(row.get("total_consumed_quantity")))
    return as_decimal(row["planned_quantity_per_unit"]) * run.quantity


def _work(ctx: Context, order: Record, production: Record, run: Run) -> Decimal:
    total = Decimal(0)
    work = {row["id"]: row for row in ctx.children(OPERATION_ROWS, "manufacturing_order_id", order["id"])}
    share = run.quantity / as_decimal(order["planned_quantity"])
    for row_id, seconds in _planned_times(work, run, share):
        row = work.get(row_id)
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


def _planned_times(work: dict[object, Record], run: Run, share: Decimal) -> list[tuple[object, Decimal]]:
    if run.operations is None:
        return [(key, _planned_time(row, run, share)) for key, row in work.items()]
    times: list[tuple[object, Decimal]] = []
    for entry in run.operations:
        seconds = as_decimal(entry["time"])
        if seconds <= 0:
            raise unprocessable("operation time must be greater than 0")
        times.append((entry["manufacturing_order_operation_id"], seconds))
    return times


def _planned_time(row: Record, run: Run, share: Decimal) -> Decimal:
    written = row.get("written_time")
    if run.final and written is not None:
        return max(Decimal(0), as_decimal(written) - as_decimal(row.get("total_consumed_time")))
    return share_of_time(row, run.quantity, share)
