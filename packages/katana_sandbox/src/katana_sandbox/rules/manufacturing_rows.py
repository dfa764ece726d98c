"""Recipe rows of manufacturing orders, what is copied into a new order, and what a done order locks."""

from decimal import Decimal

from katana_sandbox.descriptor import Context
from katana_sandbox.operations.create import build
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, fixed

ORDERS = "manufacturing_orders"
RECIPE_ROWS = "manufacturing_order_recipe_rows"
OPERATION_ROWS = "manufacturing_order_operation_rows"
PRODUCTIONS = "manufacturing_order_productions"
INGREDIENTS = "manufacturing_order_production_ingredients"
TIMES = "manufacturing_order_production_operations"
LOCKED = "You can not modify manufacturing order with status done"
_COPIED = (
    "type",
    "operation_id",
    "operation_name",
    "resource_id",
    "resource_name",
    "rank",
    "group_boundary",
    "planned_time_parameter",
    "cost_parameter",
)
_AMOUNTS = (("planned_time_parameter", "planned_time_per_unit"), ("cost_parameter", "cost_per_hour"))


def check_unlocked(ctx: Context, order_id: object) -> Record:
    """The order, unless its status locks its rows (422)."""
    order = ctx.get(ORDERS, order_id) or {}
    partly = order.get("status") == "PARTIALLY_COMPLETED" and ctx.switches.on("partially_completed_locks")
    if order.get("status") == "DONE" or partly:
        raise unprocessable(LOCKED)
    return order


def check_row_deletable(ctx: Context, row: Record) -> None:
    """Refuse to take a row from an order that is done."""
    check_unlocked(ctx, row["manufacturing_order_id"])


def add_recipe_row(ctx: Context, body: Record) -> Record:
    """Store an ingredient of an order that is not done."""
    order = check_unlocked(ctx, body["manufacturing_order_id"])
    fields = build(ctx.collections[RECIPE_ROWS], body)
    fields["location_id"] = order.get("location_id")
    fields["written_quantity"] = _written(body.get("total_actual_quantity"))
    return ctx.insert(RECIPE_ROWS, fields)


def update_recipe_row(ctx: Context, row: Record, changes: Record) -> Record:
    """The stored changes of a recipe row PATCH."""
    check_unlocked(ctx, row["manufacturing_order_id"])
    if "total_actual_quantity" in changes:
        changes["written_quantity"] = _written(changes.pop("total_actual_quantity"))
    return changes


def copy_rows(ctx: Context, order: Record) -> None:
    """Give an order the recipe and the operations of its variant."""
    variant_id = order["variant_id"]
    recipe = sorted(ctx.children("bom_rows", "product_variant_id", variant_id), key=_rank)
    for line in recipe:
        if not as_decimal(line.get("quantity")):
            continue
        body = {
            "manufacturing_order_id": order["id"],
            "variant_id": line["ingredient_variant_id"],
            "notes": line.get("notes"),
            "planned_quantity_per_unit": line["quantity"],
        }
        fields = build(ctx.collections[RECIPE_ROWS], body)
        ctx.insert(RECIPE_ROWS, {**fields, "location_id": order["location_id"]})
    operations = sorted(ctx.children("product_operation_rows", "product_variant_id", variant_id), key=_rank)
    for line in reversed(operations):
        ctx.insert(OPERATION_ROWS, copied_operation(ctx, order["id"], line))


def copied_operation(ctx: Context, order_id: object, line: Record) -> Record:
    """The fields of an operation row from a product's operation."""
    body: Record = {"manufacturing_order_id": order_id} | {name: line.get(name) for name in _COPIED}
    for name, alias in _AMOUNTS:
        body[name] = body[alias] = line.get(name) or 0
    if isinstance(body["group_boundary"], str):
        body["group_boundary"] = int(body["group_boundary"]) if body["group_boundary"].isdigit() else None
    return build(ctx.collections[OPERATION_ROWS], body)


def drop_rows(ctx: Context, order_id: object) -> None:
    """Take every recipe and operation row from an order."""
    for name in (RECIPE_ROWS, OPERATION_ROWS):
        for row in ctx.children(name, "manufacturing_order_id", order_id):
            ctx.delete(name, row["id"])


def _written(value: object) -> object:
    return None if value is None else fixed(value, 10)


def _rank(row: Record) -> Decimal:
    return as_decimal(row.get("rank"))
