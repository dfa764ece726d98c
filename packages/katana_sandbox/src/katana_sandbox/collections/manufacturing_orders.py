"""Manufacturing orders: quantities, costs and availability follow from their rows and productions."""

from katana_sandbox.calls import Call, Reply
from katana_sandbox.collections.search import search
from katana_sandbox.descriptor import Collection, Context, Field, Route, View, plain_fields
from katana_sandbox.operations.create import checked, created
from katana_sandbox.render import render_key
from katana_sandbox.rules.manufacturing_links import make_to_order, unlink
from katana_sandbox.rules.manufacturing_orders import check_deletable, create_order, update_order
from katana_sandbox.rules.manufacturing_settle import settle_changed_order
from katana_sandbox.rules.serials import ORDER, wire_entries
from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import encode
from katana_sandbox.wire.times import stored_moment

STATUS = ("NOT_STARTED", "BLOCKED", "IN_PROGRESS", "PARTIALLY_COMPLETED", "DONE")
_KIT = ("kit_fulfillment_id", "kit_row_id")
_LINKS = ("sales_order_id", "sales_order_row_id")


def _make_to_order(ctx: Context, _collection: Collection, call: Call) -> Reply:
    body = checked("POST /manufacturing_order_make_to_order", call.body())
    order = make_to_order(ctx, body["sales_order_row_id"], subassemblies=bool(body.get("create_subassemblies")))
    return created(render_key(ctx, "manufacturing_orders", order["id"], "reply"))


def _unlink(ctx: Context, _collection: Collection, call: Call) -> Reply:
    body = checked("POST /manufacturing_order_unlink", call.body())
    unlink(ctx, body["sales_order_row_id"])
    return Reply(204)


def _parts(ctx: Context, key: Key, _view: View) -> dict[str, bytes]:
    order = ctx.get("manufacturing_orders", key, deleted=True) or {}
    linked = {name: encode(order[name]) for name in _LINKS if order.get(name) is not None}
    sold = ctx.get("sales_orders", order.get("sales_order_id")) or {}
    return linked | {
        "sales_order_delivery_deadline": encode(sold.get("delivery_date")),
        "serial_numbers": encode(wire_entries(ctx, ORDER, key)),
    }


MANUFACTURING_ORDERS = Collection(
    name="manufacturing_orders",
    custom_fields=("ManufacturingOrder",),
    fields=(
        Field("status", "NOT_STARTED"),
        *plain_fields("order_no variant_id planned_quantity actual_quantity completed_quantity remaining_quantity"),
        Field("includes_partial_completions", default=False),
        Field("batch_transactions", ()),
        Field("location_id"),
        Field("order_created_date", store=stored_moment),
        Field("production_deadline_date", store=stored_moment),
        Field("done_date", store=stored_moment),
        Field("additional_info", "", lambda value: value or ""),
        Field("is_linked_to_sales_order", default=False),
        Field("ingredient_availability"),
        Field("total_cost", 0),
        Field("total_actual_time", 0),
        Field("total_planned_time", 0),
        Field("sales_order_id"),
        Field("sales_order_row_id"),
        Field("material_cost", 0),
        Field("subassemblies_cost", 0),
        Field("operations_cost", 0),
        Field("custom_fields"),
        Field("status_before"),
        Field("target_quantity"),
        Field("reopened", default=False),
    ),
    foreign_keys=("variant_id", "sales_order_id", "sales_order_row_id", "kit_fulfillment_id"),
    references={"variant_id": "variants", "location_id": "locations"},
    children=(
        ("manufacturing_order_productions", "manufacturing_order_id"),
        ("manufacturing_order_recipe_rows", "manufacturing_order_id"),
        ("manufacturing_order_operation_rows", "manufacturing_order_id"),
    ),
    parts=_parts,
    hidden=frozenset({*_LINKS, "custom_fields", *_KIT, "status_before", "target_quantity", "reopened"}),
    unique=("order_no",),
    wipes="additional_info_wipe",
    on_create=create_order,
    on_update=update_order,
    on_delete=check_deletable,
    settle=settle_changed_order,
    routes=(
        Route("POST", "/manufacturing_order_make_to_order", _make_to_order),
        Route("POST", "/manufacturing_order_unlink", _unlink),
        Route("POST", "/manufacturing_orders/search", search),
    ),
)
