"""Everything derived of a manufacturing order, and the movements of stock its productions cause."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.ledger import Movement, Pair, moved, post, redate, unpost
from katana_sandbox.rules.manufacturing_costs import (
    actual_cost,
    cost_per_unit,
    is_made,
    planned_cost,
    planned_seconds,
    unit_cost,
)
from katana_sandbox.rules.manufacturing_open import order_availability
from katana_sandbox.rules.manufacturing_rows import (
    INGREDIENTS,
    OPERATION_ROWS,
    ORDERS,
    PRODUCTIONS,
    RECIPE_ROWS,
    TIMES,
    copy_rows,
    drop_rows,
)
from katana_sandbox.rules.sales import refresh_availability, settle_stock
from katana_sandbox.rules.serials import ENTRIES, ORDER, PRODUCTION, brought_units, redate_units, unbind, unmake_units
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import as_decimal, fixed, number

_COVERED = ("IN_STOCK", "EXPECTED")
_ZERO = Decimal(0)


def settle_changed_order(ctx: Context, before: Record | None, after: Record | None) -> None:
    """An order was made, changed or deleted."""
    record = after or before or {}
    pairs = {_pair(order) for order in (before, after) if order is not None}
    if before is not None and after is not None:
        if before["variant_id"] != after["variant_id"]:
            drop_rows(ctx, after["id"])
            copy_rows(ctx, after)
        if before["location_id"] != after["location_id"]:
            pairs |= _move_rows(ctx, after, before["location_id"])
    if after is None:
        _forget_link(ctx, record)
        unbind(ctx, ORDER, record["id"])
    settle_manufacturing_order(ctx, record["id"], pairs)
    if record.get("sales_order_id") is not None:
        refresh_availability(ctx, [record["sales_order_id"]])


def settle_changed_row(ctx: Context, before: Record | None, after: Record | None) -> None:
    """A recipe or operation row was made, changed or deleted."""
    record = after or before or {}
    pairs = {_pair(row) for row in (before, after) if row is not None and "location_id" in row}
    settle_manufacturing_order(ctx, record["manufacturing_order_id"], pairs)


def settle_changed_production(ctx: Context, before: Record | None, after: Record | None) -> None:
    """A production was made, priced, redated or deleted: its output enters or leaves stock."""
    record = after or before or {}
    order = ctx.get(ORDERS, record["manufacturing_order_id"])
    pairs = {_pair(record)}
    if after is not None and before is not None and before["cost"] == after["cost"]:
        pairs |= redate(ctx, "Production", after["id"], after["production_date"])
        redate_units(ctx, PRODUCTION, after["id"], after["production_date"])
        for entry in brought_units(ctx, after):
            ctx.set(ENTRIES, entry["id"], {"transaction_date": after["production_date"]})
    else:
        pairs |= unpost(ctx, "Production", record["id"])
        if after is not None and after["cost"] is not None:
            quantity = as_decimal(after["quantity"])
            post(ctx, _movement(ctx, "Production", after, quantity, as_decimal(after["cost"]) / quantity))
    if after is None:
        unmake_units(ctx, record)
    if after is None and order is not None and order["status"] == "PARTIALLY_COMPLETED":
        left = ctx.children(PRODUCTIONS, "manufacturing_order_id", order["id"])
        state = order.get("status_before") or "IN_PROGRESS"
        ctx.set(ORDERS, order["id"], {} if left else {"status": state, "status_before": None})
    settle_manufacturing_order(ctx, record["manufacturing_order_id"], pairs)


def settle_changed_ingredient(ctx: Context, before: Record | None, after: Record | None) -> None:
    """An ingredient was consumed, redated, or given back."""
    record = after or before or {}
    if before is not None and after is not None:
        settle_stock(ctx, redate(ctx, "ProductionIngredient", after["id"], after["production_date"]))
        return
    if after is None:
        settle_stock(ctx, unpost(ctx, "ProductionIngredient", record["id"]))
        return
    post(ctx, _movement(ctx, "ProductionIngredient", after, -as_decimal(after["quantity"]), None))
    spent = sum((-m.quantity * cost for m, cost in moved(ctx, "ProductionIngredient", after["id"])), _ZERO)
    ctx.set(INGREDIENTS, after["id"], {"cost": number(spent)})


def settle_manufacturing_order(ctx: Context, order_id: object, also: Iterable[Pair] = ()) -> None:
    """Bring everything derived of an order, and the stock it touches, up to date."""
    order = ctx.get(ORDERS, order_id)
    pairs = set(also)
    if order is not None:
        pairs |= derive_order(ctx, order)
    settle_stock(ctx, pairs)
    if order is not None:
        ctx.set(ORDERS, order["id"], {"ingredient_availability": order_availability(ctx, order)})


def derive_order(ctx: Context, order: Record) -> set[Pair]:
    """Bring quantities, times and costs of an order up to date; the pairs whose stock it may touch."""
    made = ctx.children(PRODUCTIONS, "manufacturing_order_id", order["id"])
    completed = sum((as_decimal(production["quantity"]) for production in made), _ZERO)
    figures = _settle_recipe(ctx, order) | _settle_operations(ctx, order, completed)
    ctx.set(ORDERS, order["id"], _derived(order, made, completed) | figures)
    rows = [row for row in _recipe(ctx, order) if row["ingredient_availability"] != "NOT_APPLICABLE"]
    return {_pair(order), *(_pair(row) for row in rows)}


def _pair(record: Mapping[str, object]) -> Pair:
    return int(str(record["variant_id"])), int(str(record["location_id"]))


def _recipe(ctx: Context, order: Record) -> list[Record]:
    return ctx.children(RECIPE_ROWS, "manufacturing_order_id", order["id"])


def _derived(order: Record, made: list[Record], completed: Decimal) -> Record:
    done = order["status"] == "DONE"
    left = _ZERO if done else max(_ZERO, as_decimal(order["planned_quantity"]) - completed)
    target = order.get("target_quantity")
    return {
        "completed_quantity": number(completed) if made else None,
        "remaining_quantity": number(left),
        "actual_quantity": target if not done and target is not None else number(completed) if made else None,
        "includes_partial_completions": any(not production["is_final"] for production in made),
    }


def _settle_recipe(ctx: Context, order: Record) -> Record:
    done = order["status"] == "DONE"
    used, spent = _sums(ctx, INGREDIENTS, "manufacturing_order_recipe_row_id", "quantity", order)
    costs = {True: _ZERO, False: _ZERO}
    for row in _recipe(ctx, order):
        consumed = used.get(row["id"], _ZERO)
        planned = as_decimal(row["planned_quantity_per_unit"]) * as_decimal(order["planned_quantity"])
        price = unit_cost(ctx, row["variant_id"], order["location_id"])
        cost = spent.get(row["id"], _ZERO) if done else planned * price
        costs[is_made(ctx, row["variant_id"])] += cost
        written = row.get("written_quantity")
        actual = fixed(consumed, 10) if done or (consumed and written is None) else written
        left = _ZERO if done else max(_ZERO, planned - consumed)
        derived = {
            "total_actual_quantity": actual,
            "cost": fixed(cost, 10),
            "total_consumed_quantity": number(consumed),
            "total_remaining_quantity": number(left),
        }
        ctx.set(RECIPE_ROWS, row["id"], derived | _availability(ctx, row, left))
    return {"material_cost": number(costs[False]), "subassemblies_cost": number(costs[True])}


def _availability(ctx: Context, row: Record, left: Decimal) -> Record:
    state: object = row.get("ingredient_availability")
    if ctx.get("variants", row["variant_id"], deleted=True) is None:
        state = "NOT_APPLICABLE"
    elif not left:
        state = "PROCESSED"
    elif state not in _COVERED:
        state = "NOT_AVAILABLE"
    return {"ingredient_availability": state} | ({} if state == "EXPECTED" else {"ingredient_expected_date": None})


def _settle_operations(ctx: Context, order: Record, completed: Decimal) -> Record:
    done = order["status"] == "DONE"
    quantity = as_decimal(order["planned_quantity"])
    times, spent = _sums(ctx, TIMES, "manufacturing_order_operation_id", "time", order)
    rows = ctx.children(OPERATION_ROWS, "manufacturing_order_id", order["id"])
    blocked = _blocked(ctx, order, rows)
    planned_time = actual_time = cost = _ZERO
    for row in rows:
        consumed = times.get(row["id"], _ZERO)
        written = row.get("written_time")
        actual = consumed if written is None else as_decimal(written)
        planned = planned_seconds(row, quantity)
        finished = done or row["status"] == "COMPLETED"
        planned_time += planned
        actual_time += actual
        cost += spent.get(row["id"], _ZERO) if done else planned_cost(row, quantity)
        derived = {
            "total_actual_time": fixed(actual, 10),
            "total_actual_cost": fixed(actual_cost(row, actual, completed) if actual or completed else 0, 10),
            "planned_cost_per_unit": fixed(cost_per_unit(row, quantity), 10),
            "total_consumed_time": number(consumed),
            "total_remaining_time": number(_ZERO if finished else max(_ZERO, planned - actual)),
            "is_status_actionable": not done and row["id"] not in blocked,
        }
        ctx.set(OPERATION_ROWS, row["id"], derived)
    total = _total_cost(ctx, order, cost)
    times_shown = {"total_actual_time": number(actual_time), "total_planned_time": number(planned_time)}
    return {"operations_cost": number(cost), "total_cost": number(total), **times_shown}


def _total_cost(ctx: Context, order: Record, operations: Decimal) -> Decimal:
    rows = _recipe(ctx, order)
    return operations + sum((as_decimal(row.get("cost")) for row in rows), _ZERO)


def _blocked(ctx: Context, order: Record, rows: list[Record]) -> set[object]:
    """Rows that must wait for an earlier one; rows of one group wait together."""
    variant = ctx.get("variants", order["variant_id"], deleted=True) or {}
    product = ctx.get("products", variant.get("product_id"), deleted=True) or {}
    if not product.get("operations_in_sequence"):
        return set()
    waiting: set[object] = set()
    open_groups: set[object] = set()
    for row in sorted(rows, key=lambda row: -as_decimal(row["rank"])):
        group = row.get("group_boundary") or row["id"] * -1
        if open_groups - {group}:
            waiting.add(row["id"])
        if row["status"] != "COMPLETED":
            open_groups.add(group)
    return waiting


def _sums(
    ctx: Context, name: str, key: str, amount: str, order: Record
) -> tuple[dict[object, Decimal], dict[object, Decimal]]:
    amounts: dict[object, Decimal] = {}
    costs: dict[object, Decimal] = {}
    for entry in ctx.children(name, "manufacturing_order_id", order["id"]):
        amounts[entry[key]] = amounts.get(entry[key], _ZERO) + as_decimal(entry[amount])
        costs[entry[key]] = costs.get(entry[key], _ZERO) + as_decimal(entry["cost"])
    return amounts, costs


def _movement(ctx: Context, kind: str, record: Record, quantity: Decimal, cost: Decimal | None) -> Movement:
    order = ctx.get(ORDERS, record["manufacturing_order_id"], deleted=True) or {}
    moment = record["production_date"]
    return Movement(*_pair(record), quantity, cost, moment, kind, record["id"], order.get("order_no"), order.get("id"))


def _move_rows(ctx: Context, order: Record, old: int) -> set[Pair]:
    pairs: set[Pair] = set()
    for row in _recipe(ctx, order):
        pairs.add((row["variant_id"], old))
        ctx.set(RECIPE_ROWS, row["id"], {"location_id": order["location_id"]})
    return pairs


def _forget_link(ctx: Context, order: Record) -> None:
    row = ctx.get("sales_order_rows", order.get("sales_order_row_id"))
    if row is not None and row.get("linked_manufacturing_order_id") == order["id"]:
        ctx.change("sales_order_rows", row["id"], {"linked_manufacturing_order_id": None})
