"""Outsourced purchase orders: the ingredients of their rows, used up at the tracking location on receipt."""

from decimal import Decimal

from katana_sandbox.context import Context
from katana_sandbox.rules.ledger import Movement, Pair, keep, unpost
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal

SOURCE = "PurchaseOrderRecipeRow"
ROWS = "outsourced_purchase_order_recipe_rows"


def copy_recipe(ctx: Context, order: Record, row: Record) -> None:
    """Give a new row of an outsourced order the ingredients of its product."""
    if order.get("entity_type") != "outsourced":
        return
    for line in ctx.children("bom_rows", "product_variant_id", row["variant_id"]):
        insert_ingredient(ctx, row, line["ingredient_variant_id"], line["quantity"], line.get("notes"))


def copy_ingredients(ctx: Context, row: Record, split: Record) -> None:
    """Give a row that was split off the ingredients of the row it comes from."""
    for line in ctx.children(ROWS, "purchase_order_row_id", row["id"]):
        insert_ingredient(
            ctx, split, line["ingredient_variant_id"], line["planned_quantity_per_unit"], line.get("notes")
        )


def insert_ingredient(ctx: Context, row: Record, variant_id: int, quantity: float, notes: str | None) -> Record:
    """Store one ingredient of a row."""
    return ctx.insert(
        ROWS,
        {
            "purchase_order_id": row["purchase_order_id"],
            "purchase_order_row_id": row["id"],
            "ingredient_variant_id": variant_id,
            "planned_quantity_per_unit": quantity,
            "notes": notes,
            "batch_transactions": [],
        },
    )


def check_open(ctx: Context, row_id: object) -> Record:
    """The purchase order row of an ingredient, which must not be received."""
    row = ctx.get("purchase_order_rows", row_id) or {}
    order = ctx.get("purchase_orders", row.get("purchase_order_id")) or {}
    if order.get("entity_type") != "outsourced":
        raise unprocessable("purchase order is not outsourced")
    if order.get("status") == "RECEIVED" or row.get("received_date") is not None:
        raise unprocessable("ingredients can only be edited while the purchase order row is not received")
    return row


def consume(ctx: Context, order: Record, row: Record) -> set[Pair]:
    """Let the ledger show what a received row used up."""
    pairs: set[Pair] = set()
    place = order.get("tracking_location_id")
    received = row.get("received_date")
    for line in ctx.children(ROWS, "purchase_order_row_id", row["id"]):
        quantity = as_decimal(line["planned_quantity_per_unit"]) * as_decimal(row["quantity"])
        if received is None or not isinstance(place, int) or not quantity:
            pairs |= unpost(ctx, SOURCE, line["id"])
            continue
        pair = (line["ingredient_variant_id"], place)
        movement = Movement(*pair, -quantity, None, received, SOURCE, line["id"], order["order_no"], order["id"])
        pairs |= keep(ctx, SOURCE, line["id"], movement)
    return pairs


def availability(ctx: Context, line: Record) -> str:
    """Whether the tracking location has what an ingredient needs."""
    row = ctx.get("purchase_order_rows", line.get("purchase_order_row_id"), deleted=True) or {}
    if row.get("received_date") is not None:
        return "PROCESSED"
    order = ctx.get("purchase_orders", line.get("purchase_order_id"), deleted=True) or {}
    place = order.get("tracking_location_id")
    if not isinstance(place, int):
        return "NOT_APPLICABLE"
    level = ctx.db.levels.get(line["ingredient_variant_id"], place)
    need = as_decimal(line["planned_quantity_per_unit"]) * as_decimal(row.get("quantity"))
    if level.in_stock - level.committed >= need:
        return "IN_STOCK"
    return "EXPECTED" if level.in_stock - level.committed + level.expected >= need else "NOT_AVAILABLE"


def order_availability(ctx: Context, order_id: object) -> str:
    """The worst of an order's ingredients."""
    states = {availability(ctx, line) for line in ctx.children(ROWS, "purchase_order_id", order_id)}
    for state in ("NOT_AVAILABLE", "EXPECTED", "IN_STOCK", "PROCESSED"):
        if state in states:
            return state
    return "NO_RECIPE"


def spent(ctx: Context, line: Record) -> Decimal | None:
    """What an ingredient cost, once it is used up."""
    entries = ctx.db.movements.of_source((SOURCE, line["id"]))
    if not entries:
        return None
    level = ctx.db.levels.get(*entries[0].movement.pair)
    return -entries[0].movement.quantity * level.average_cost
