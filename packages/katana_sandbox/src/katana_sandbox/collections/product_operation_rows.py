"""Operations of product variants, which manufacturing orders copy. Made in bulk, deleted for good, ranked from high."""

from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import (
    Collection,
    Context,
    Filter,
    Route,
    View,
    plain_fields,
)
from katana_sandbox.operations.create import checked
from katana_sandbox.rules.product_operations import add_operations, rerank_operation, update_operation
from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import Record, encode


def _create(ctx: Context, _collection: Collection, call: Call) -> Reply:
    body = checked("POST /product_operation_rows", call.body())
    rows = cast("list[Record]", body["rows"])
    add_operations(ctx, rows, keep=bool(body.get("keep_current_rows", True)))
    return Reply(204)


def _rerank(ctx: Context, _collection: Collection, call: Call) -> Reply:
    body = checked("POST /product_operation_rerank", call.body())
    rerank_operation(ctx, body)
    return Reply(200, encode({"message": "OK", "success": True}))


def _parts(_ctx: Context, key: Key, _view: View) -> dict[str, bytes]:
    return {"product_operation_row_id": encode(key)}


PRODUCT_OPERATION_ROWS = Collection(
    name="product_operation_rows",
    custom_fields=("ProductionOperation",),
    custom_fields_replaced=True,
    fields=plain_fields(
        "product_id product_variant_id operation_id operation_name type=process resource_id resource_name"
        " cost_per_hour cost_parameter planned_cost_per_unit planned_time_per_unit planned_time_parameter"
        " rank=0 group_boundary custom_fields"
    ),
    filters=(Filter("product_operation_row_id", "int", "id"),),
    stamps=("created_at", "updated_at"),
    soft_delete=False,
    foreign_keys=("product_id", "product_variant_id"),
    references={"product_id": "products", "product_variant_id": "variants"},
    parts=_parts,
    hidden=frozenset({"id"}),
    parent=("product_id", "products"),
    on_update=update_operation,
    routes=(
        Route("POST", "/product_operation_rows", _create),
        Route("POST", "/product_operation_rerank", _rerank),
    ),
)
