"""Recipes: the old name of BOM rows, whose store they are. Read and added in bulk, taken away by product."""

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.collections.bom_rows import BOM_ROWS, create_row
from katana_sandbox.descriptor import Collection, Context, Filter, Route
from katana_sandbox.operations import delete, update
from katana_sandbox.operations.create import checked
from katana_sandbox.operations.list import page_reply, page_slots
from katana_sandbox.operations.query import list_query, path_key
from katana_sandbox.wire.encoding import Record, decode_record, encode
from katana_sandbox.wire.errors import not_found, unprocessable

_ROWS = replace(BOM_ROWS, update="PATCH /recipe_rows/{id}")


def _recipe(row: Record) -> Record:
    row.pop("custom_fields", None)
    return {**row, "recipe_row_id": row.get("id"), "product_id": row.get("product_item_id")}


def _every(ctx: Context) -> Iterator[Record]:
    store = ctx.db.stores[BOM_ROWS.name]
    for slot in store.by_created:
        yield _recipe(store.record(slot))


def _list(ctx: Context, collection: Collection, call: Call) -> Reply:
    query = list_query(call, collection, ctx.switches)
    store = ctx.db.stores[BOM_ROWS.name]
    slots = ctx.db.selectors[BOM_ROWS.name].slots(query.selection)
    parts = [encode(_recipe(store.record(slot))) for slot in page_slots(slots, query.page)]
    return page_reply(parts, len(slots), query.page)


def _create(ctx: Context, _collection: Collection, call: Call) -> Reply:
    body = checked("POST /recipes", call.body())
    given = cast("list[Record]", body["rows"])
    products = [_product(ctx, row) for row in given]
    if body.get("keep_current_rows") is False:
        for product_id in set(products):
            _delete_rows(ctx, product_id)
    for row, product_id in zip(given, products, strict=True):
        create_row(ctx, {**row, "product_item_id": product_id})
    return Reply(204)


def _product(ctx: Context, row: Record) -> int:
    variant = ctx.get("variants", row["product_variant_id"])
    if variant is None or ctx.get("variants", row["ingredient_variant_id"]) is None:
        raise unprocessable("variant not found")
    if variant.get("product_id") is None:
        raise unprocessable("product variant does not belong to the product")
    return int(variant["product_id"])


def _delete_rows(ctx: Context, product_id: int) -> int:
    rows = ctx.children(BOM_ROWS.name, "product_item_id", product_id)
    for row in rows:
        ctx.delete(BOM_ROWS.name, row["id"])
    return len(rows)


def _delete(ctx: Context, collection: Collection, call: Call) -> Reply:
    if not _delete_rows(ctx, int(path_key(collection, call))):
        raise not_found()
    return Reply(204)


def _update_row(ctx: Context, _collection: Collection, call: Call) -> Reply:
    reply = update.run(ctx, _ROWS, call)
    return Reply(reply.status, encode(_recipe(decode_record(reply.body))))


def _delete_row(ctx: Context, _collection: Collection, call: Call) -> Reply:
    return delete.run(ctx, _ROWS, call)


RECIPES = Collection(
    name="recipes",
    filters=(
        Filter("recipe_row_id", field="id"),
        Filter("product_id", "int", "product_item_id"),
    ),
    computed=_every,
    routes=(
        Route("GET", "/recipes", _list),
        Route("POST", "/recipes", _create),
        Route("DELETE", "/recipes/{id}", _delete),
        Route("PATCH", "/recipe_rows/{id}", _update_row),
        Route("DELETE", "/recipe_rows/{id}", _delete_row),
    ),
)
