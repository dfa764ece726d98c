"""Outsourced purchase orders: their rows' ingredients, held at the tracking location and used up there on receipt."""

from collections.abc import Iterator
from decimal import Decimal

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.incoming import stock_units
from katana_sandbox.rules.ledger import Movement, Open, Pair, keep, moved, unpost
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, number

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


def open_ingredients(ctx: Context, variant_id: int) -> Iterator[Open]:
    """What rows still to be received will use up of a variant."""
    for line in ctx.children(ROWS, "ingredient_variant_id", variant_id):
        order = ctx.get("purchase_orders", line["purchase_order_id"]) or {}
        place = order.get("tracking_location_id")
        if isinstance(place, int) and is_committed(ctx, order, line):
            yield Open(place, need(ctx, line))


def ingredient_pairs(ctx: Context, order: Record) -> set[Pair]:
    """Where the ingredients of an order are taken from."""
    place = order.get("tracking_location_id")
    if not isinstance(place, int):
        return set()
    return {(line["ingredient_variant_id"], place) for line in ctx.children(ROWS, "purchase_order_id", order["id"])}


def line_pairs(ctx: Context, line: Record | None) -> set[Pair]:
    """Where one ingredient is taken from."""
    order = ctx.get("purchase_orders", (line or {}).get("purchase_order_id"), deleted=True) or {}
    place = order.get("tracking_location_id")
    return {(line["ingredient_variant_id"], place)} if line is not None and isinstance(place, int) else set()


def consume(ctx: Context, order: Record, row: Record) -> tuple[set[Pair], Decimal]:
    """Let the ledger show what a received row used up; the pairs it touched, and the cost, fixed on receipt."""
    pairs: set[Pair] = set()
    spent = Decimal(0)
    place = order.get("tracking_location_id")
    received = row.get("received_date")
    for line in ctx.children(ROWS, "purchase_order_row_id", row["id"]):
        quantity = need(ctx, line)
        if received is None or not isinstance(place, int) or not quantity:
            pairs |= unpost(ctx, SOURCE, line["id"])
            ctx.set(ROWS, line["id"], {"cost": None})
            continue
        pair = (line["ingredient_variant_id"], place)
        movement = Movement(*pair, -quantity, None, received, SOURCE, line["id"], order["order_no"], order["id"])
        written = keep(ctx, SOURCE, line["id"], movement)
        if written:
            line["cost"] = number(sum((-m.quantity * cost for m, cost in moved(ctx, SOURCE, line["id"])), Decimal(0)))
            ctx.set(ROWS, line["id"], {"cost": line["cost"]})
        pairs |= written
        spent += as_decimal(line.get("cost"))
    return pairs, spent


def need(ctx: Context, line: Record) -> Decimal:
    """Stock units that an ingredient's row takes."""
    row = ctx.get("purchase_order_rows", line.get("purchase_order_row_id"), deleted=True) or {}
    return as_decimal(line["planned_quantity_per_unit"]) * as_decimal(row.get("quantity")) * stock_units(row)


def is_committed(ctx: Context, order: Record, line: Record) -> bool:
    """Whether an ingredient is held for its row."""
    if order.get("status") == "DRAFT":
        return False
    row = ctx.get("purchase_order_rows", line["purchase_order_row_id"])
    return row is not None and row.get("received_date") is None
