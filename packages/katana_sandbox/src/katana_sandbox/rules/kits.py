"""Kits: products built on the spot when a sales order ships them, and taken apart when the shipment is undone."""

from decimal import ROUND_FLOOR, Decimal
from typing import cast

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.ledger import Pair
from katana_sandbox.rules.manufacturing_orders import create_order, move_done_date
from katana_sandbox.rules.manufacturing_productions import Run, produce
from katana_sandbox.rules.manufacturing_rows import ORDERS
from katana_sandbox.wire.encoding import Record, rows
from katana_sandbox.wire.numbers import as_decimal, number

_KIT = b'"is_auto_assembly":true'


def is_kit(ctx: Context, variant_id: object) -> bool:
    """Whether a variant builds itself on delivery."""
    variant = ctx.get("variants", variant_id, deleted=True) or {}
    store = ctx.db.stores["products"]
    product_id = variant.get("product_id")
    slot = store.slot(product_id) if isinstance(product_id, int) else None
    return slot is not None and _KIT in store.raw(slot)


def potential(ctx: Context, variant_id: int, location_id: int) -> Decimal | None:
    """How many kits the free stock of the ingredients makes; None for what is no kit."""
    lines = ctx.db.stores["bom_rows"].linked("product_variant_id", variant_id)
    if not lines or not is_kit(ctx, variant_id):
        return None
    made: list[Decimal] = []
    for line in ctx.children("bom_rows", "product_variant_id", variant_id):
        quantity = as_decimal(line.get("quantity"))
        level = ctx.db.levels.get(line["ingredient_variant_id"], location_id)
        if quantity:
            made.append(max(Decimal(0), level.in_stock - level.committed) / quantity)
    return min(made).to_integral_value(ROUND_FLOOR) if made else None


def build_kit(ctx: Context, fulfillment: Record, row_id: int, pair: Pair, quantity: Decimal) -> None:
    """Make what a shipment takes of a kit, in a manufacturing order that is done at once; others stay as they are."""
    if quantity <= 0 or not is_kit(ctx, pair[0]):
        return
    body: Record = {"variant_id": pair[0], "location_id": pair[1], "planned_quantity": number(quantity)}
    order = create_order(ctx, body)
    ctx.set(ORDERS, order["id"], {"kit_fulfillment_id": fulfillment["id"], "kit_row_id": row_id})
    serials = [
        serial
        for entry in rows(fulfillment, "sales_order_fulfillment_rows")
        if entry["sales_order_row_id"] == row_id
        for serial in cast("list[object]", entry.get("serial_numbers") or [])
    ]
    made = ctx.get(ORDERS, order["id"]) or order
    produce(ctx, made, Run(quantity, fulfillment["picked_date"], final=True, serials=serials[: int(quantity)]))


def take_apart(ctx: Context, fulfillment_id: object, row_id: int) -> None:
    """Undo what a shipment had built of a kit."""
    for order in _orders(ctx, fulfillment_id, row_id):
        ctx.delete(ORDERS, order["id"])


def redate_kit(ctx: Context, fulfillment_id: object, row_id: int, moment: str) -> None:
    """Let a kit be built on another day, with its shipment."""
    for order in _orders(ctx, fulfillment_id, row_id):
        if order["status"] == "DONE":
            move_done_date(ctx, order, moment)
            ctx.change(ORDERS, order["id"], {"done_date": moment})


def _orders(ctx: Context, fulfillment_id: object, row_id: int) -> list[Record]:
    found = ctx.children(ORDERS, "kit_fulfillment_id", fulfillment_id)
    return [order for order in found if order["kit_row_id"] == row_id]
