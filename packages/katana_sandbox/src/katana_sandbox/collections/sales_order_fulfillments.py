"""Fulfillments of sales orders; their rows are fixed once made."""

from katana_sandbox.collections.sales_returns import returns_of
from katana_sandbox.descriptor import Collection, Context, Route, plain_fields
from katana_sandbox.operations.get import run_with_deleted
from katana_sandbox.rules.fulfillments import create_fulfillment, settle_fulfillment
from katana_sandbox.rules.ledger import check_open_period
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable


def _update(ctx: Context, fulfillment: Record, changes: Record) -> Record:
    if "picked_date" in changes:
        check_open_period(ctx, fulfillment["picked_date"])
        check_open_period(ctx, changes["picked_date"])
    return changes


def _check_deletable(ctx: Context, fulfillment: Record) -> None:
    check_open_period(ctx, fulfillment["picked_date"])
    if returns_of(ctx, fulfillment):
        raise unprocessable("fulfillment has been returned")


SALES_ORDER_FULFILLMENTS = Collection(
    name="sales_order_fulfillments",
    fields=plain_fields(
        "sales_order_id picked_date status invoice_status=NOT_INVOICED conversion_rate conversion_date"
        " tracking_number tracking_url tracking_carrier tracking_method packer_id"
    ),
    stamps=("created_at", "updated_at"),
    foreign_keys=("sales_order_id",),
    references={"sales_order_id": "sales_orders", "packer_id": "operators"},
    parent=("sales_order_id", "sales_orders"),
    on_create=create_fulfillment,
    on_update=_update,
    on_delete=_check_deletable,
    settle=settle_fulfillment,
    routes=(Route("GET", "/sales_order_fulfillments/{id}", run_with_deleted),),
)
