"""BOM rows: what one unit of a product variant takes. UUID ids, deleted for good, no GET by id."""

from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.custom_fields import check_custom_fields
from katana_sandbox.descriptor import Collection, Context, Route, plain_fields
from katana_sandbox.operations.create import build, check_references, checked
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import UNFORESEEN, Refused, not_found, unprocessable

_RANK_STEP = 10000
_UNFORESEEN = 500


def create_row(ctx: Context, body: Record) -> Record:
    """Store a row of a product's variant, after those it has."""
    variant = ctx.get("variants", body["product_variant_id"]) or {}
    if variant.get("product_id") != body["product_item_id"]:
        raise unprocessable("product variant does not belong to the product")
    if body["ingredient_variant_id"] == body["product_variant_id"]:
        raise unprocessable("product variant can not be its own ingredient")
    rank = len(ctx.children("bom_rows", "product_variant_id", body["product_variant_id"])) * _RANK_STEP
    return ctx.insert("bom_rows", {**build(BOM_ROWS, body), "rank": rank})


def _update(_ctx: Context, row: Record, changes: Record) -> Record:
    if changes.get("ingredient_variant_id") == row["product_variant_id"]:
        raise unprocessable("product variant can not be its own ingredient")
    return changes


def _missing(ctx: Context, body: Record) -> Refused:
    """Return how Katana refuses to change a row that is not there; where it clears fields, that was not foreseen."""
    is_cleared = "custom_fields" in body and not body["custom_fields"]
    is_unforeseen = is_cleared or ctx.switches.count("bom_row_missing") == _UNFORESEEN
    return Refused(_UNFORESEEN, code=UNFORESEEN) if is_unforeseen else not_found()


def _create_batch(ctx: Context, collection: Collection, call: Call) -> Reply:
    body = checked("POST /bom_rows/batch/create", call.body())
    for given in cast("list[Record]", body["data"]):
        check_references(ctx, collection, given)
        check_custom_fields(ctx, collection, given)
        create_row(ctx, given)
    return Reply(204)


BOM_ROWS = Collection(
    name="bom_rows",
    entity="BOM row",
    custom_fields=("RecipeBom",),
    fields=plain_fields("product_variant_id product_item_id ingredient_variant_id quantity notes rank=0 custom_fields"),
    key="uuid",
    stamps=("created_at", "updated_at"),
    soft_delete=False,
    foreign_keys=("product_variant_id", "product_item_id", "ingredient_variant_id"),
    hidden=frozenset({"custom_fields"}),
    references={
        "product_variant_id": "variants",
        "product_item_id": "products",
        "ingredient_variant_id": "variants",
    },
    parent=("product_item_id", "products"),
    on_create=create_row,
    on_update=_update,
    on_missing=_missing,
    routes=(Route("POST", "/bom_rows/batch/create", _create_batch),),
)
