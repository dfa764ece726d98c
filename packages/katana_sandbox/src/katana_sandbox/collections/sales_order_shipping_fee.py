"""Shipping fees of sales orders: the amount is text, but a number in the reply to a create; no stamps are shown."""

from katana_sandbox.descriptor import Collection, Context, Field, View, plain_fields
from katana_sandbox.operations.create import build
from katana_sandbox.rules.sales import settle_order
from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, decimal_text, is_decimal_text
from katana_sandbox.wire.numbers import number as wire_number


def _create(ctx: Context, body: Record) -> Record:
    if ctx.children("sales_order_shipping_fee", "sales_order_id", body["sales_order_id"]):
        raise unprocessable("sales order already has a shipping fee")
    return ctx.insert("sales_order_shipping_fee", build(SALES_ORDER_SHIPPING_FEE, body))


def _parts(ctx: Context, key: Key, view: View) -> dict[str, bytes]:
    amount = (ctx.get("sales_order_shipping_fee", key, deleted=True) or {}).get("amount")
    return {"amount": encode(wire_number(as_decimal(amount)) if view == "reply" else amount)}


def _settle(ctx: Context, before: Record | None, after: Record | None) -> None:
    settle_order(ctx, (after or before or {}).get("sales_order_id"))


def _decimal(value: object) -> object:
    if not is_decimal_text(str(value)):
        raise unprocessable("amount must be a number")
    return decimal_text(10)(value)


SALES_ORDER_SHIPPING_FEE = Collection(
    name="sales_order_shipping_fee",
    fields=(
        Field("sales_order_id"),
        Field("amount", store=_decimal),
        *plain_fields("tax_rate_id description"),
    ),
    parts=_parts,
    hidden=frozenset({"amount", "created_at", "updated_at", "deleted_at"}),
    foreign_keys=("sales_order_id",),
    references={"sales_order_id": "sales_orders", "tax_rate_id": "tax_rates"},
    parent=("sales_order_id", "sales_orders"),
    on_create=_create,
    settle=_settle,
)
