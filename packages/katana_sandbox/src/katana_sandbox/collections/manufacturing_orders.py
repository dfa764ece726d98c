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
        *plain_fields(
            "status=NOT_STARTED order_no variant_id planned_quantity actual_quantity completed_quantity"
            " remaining_quantity includes_partial_completions=false batch_transactions=[] location_id"
            " order_created_date production_deadline_date done_date"
        ),
        Field("additional_info", "", lambda value: value or ""),
        *plain_fields(
            "is_linked_to_sales_order=false ingredient_availability total_cost=0 total_actual_time=0"
            " total_planned_time=0 sales_order_id sales_order_row_id material_cost=0 subassemblies_cost=0"
            " operations_cost=0 custom_fields status_before target_quantity reopened=false"
        ),
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
