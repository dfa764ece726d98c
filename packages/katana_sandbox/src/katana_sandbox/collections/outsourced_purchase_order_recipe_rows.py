"""Ingredients of outsourced purchase order rows."""

from katana_sandbox.descriptor import Collection, Context, View, plain_fields
from katana_sandbox.operations.create import build
from katana_sandbox.rules.ledger import unpost
from katana_sandbox.rules.outsourcing import SOURCE, check_open, line_pairs
from katana_sandbox.rules.outsourcing_supply import ingredient_supply
from katana_sandbox.rules.sales import settle_stock
from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.numbers import fixed


def _create(ctx: Context, body: Record) -> Record:
    row = check_open(ctx, body["purchase_order_row_id"])
    fields = build(OUTSOURCED_PURCHASE_ORDER_RECIPE_ROWS, body)
    return ctx.insert(
        OUTSOURCED_PURCHASE_ORDER_RECIPE_ROWS.name, {**fields, "purchase_order_id": row["purchase_order_id"]}
    )


def _update(ctx: Context, line: Record, changes: Record) -> Record:
    check_open(ctx, line["purchase_order_row_id"])
    return changes


def _check_deletable(ctx: Context, line: Record) -> None:
    check_open(ctx, line["purchase_order_row_id"])


def _settle(ctx: Context, before: Record | None, after: Record | None) -> None:
    pairs = line_pairs(ctx, before) | line_pairs(ctx, after)
    if after is None and before is not None:
        pairs |= unpost(ctx, SOURCE, before["id"])
    settle_stock(ctx, pairs)


def _parts(ctx: Context, key: Key, view: View) -> dict[str, bytes]:
    line = ctx.get(OUTSOURCED_PURCHASE_ORDER_RECIPE_ROWS.name, key, deleted=True) or {}
    supply = {name: encode(value) for name, value in ingredient_supply(ctx, line).items()}
    quantity = line.get("planned_quantity_per_unit")
    if view == "reply":
        del supply["ingredient_availability"]
        return {"planned_quantity_per_unit": encode(fixed(quantity, 20)), "cost": b"null", **supply}
    return {
        "planned_quantity_per_unit": encode(quantity),
        "cost": encode(line.get("cost")),
        **supply,
    }


OUTSOURCED_PURCHASE_ORDER_RECIPE_ROWS = Collection(
    name="outsourced_purchase_order_recipe_rows",
    custom_fields=("RecipeBom",),
    fields=plain_fields(
        "purchase_order_id purchase_order_row_id ingredient_variant_id planned_quantity_per_unit notes"
        " batch_transactions=[] cost custom_fields"
    ),
    foreign_keys=("purchase_order_id", "purchase_order_row_id", "ingredient_variant_id"),
    references={"purchase_order_row_id": "purchase_order_rows", "ingredient_variant_id": "variants"},
    parts=_parts,
    hidden=frozenset({"planned_quantity_per_unit", "cost"}),
    on_create=_create,
    on_update=_update,
    on_delete=_check_deletable,
    settle=_settle,
)
