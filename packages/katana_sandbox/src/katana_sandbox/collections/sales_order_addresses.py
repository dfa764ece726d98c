"""Addresses of sales orders; no GET by id."""

from katana_sandbox.descriptor import Collection, Context, Field, plain_fields
from katana_sandbox.rules.contacts import PERSON_LINES
from katana_sandbox.wire.encoding import Record


def _settle(ctx: Context, before: Record | None, after: Record | None) -> None:
    address = after or before or {}
    order = ctx.get("sales_orders", address.get("sales_order_id"))
    if order is None:
        return
    field = f"{address.get('entity_type')}_address_id"
    if after is not None and order.get(field) is None:
        ctx.set("sales_orders", order["id"], {field: address["id"]})
    elif after is None and order.get(field) == address["id"]:
        ctx.set("sales_orders", order["id"], {field: None})


SALES_ORDER_ADDRESSES = Collection(
    name="sales_order_addresses",
    entity="sales order address",
    fields=(
        *plain_fields("sales_order_id entity_type"),
        *(Field(name) for name in PERSON_LINES),
    ),
    foreign_keys=("sales_order_id",),
    references={"sales_order_id": "sales_orders"},
    parent=("sales_order_id", "sales_orders"),
    settle=_settle,
)
