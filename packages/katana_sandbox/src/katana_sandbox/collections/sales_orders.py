"""Sales orders: status, totals and availability follow rows and fulfillments and are never written."""

from typing import cast

from katana_sandbox.collections.sales_returns import returnable_items
from katana_sandbox.collections.search import search
from katana_sandbox.descriptor import (
    Collection,
    Context,
    Embed,
    Guard,
    Route,
    View,
    plain_fields,
)
from katana_sandbox.operations.create import build
from katana_sandbox.render import embedded, render
from katana_sandbox.rules.contacts import ENTITY_TYPES, PERSON_LINES
from katana_sandbox.rules.ledger import check_open_period
from katana_sandbox.rules.sales import (
    OPEN,
    check_sellable,
    rate_to_base,
    settle_order,
)
from katana_sandbox.rules.sales_rows import insert_row
from katana_sandbox.rules.stock import pair_of
from katana_sandbox.store.keys import Key
from katana_sandbox.store.records import DELETED
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import number as wire_number

_WHILE_OPEN = ("order_no", "customer_id", "location_id", "currency")
_CONVERSION = ("conversion_rate", "conversion_date")
_SHIPPED = ("PACKED", "DELIVERED")


def _create(ctx: Context, body: Record) -> Record:
    factory = ctx.factory()
    customer = ctx.get("customers", body["customer_id"]) or {}
    fields = build(SALES_ORDERS, body)
    fields["location_id"] = body.get("location_id") or factory.get("default_sales_location_id")
    check_sellable(ctx, fields["location_id"])
    fields["order_no"] = body.get("order_no") or ctx.db.next_number("SO")
    fields["order_created_date"] = fields["order_created_date"] or ctx.now
    fields["currency"] = body.get("currency") or customer.get("currency") or factory.get("base_currency_code")
    rate = rate_to_base(ctx, fields["currency"])
    fields["conversion_rate"] = wire_number(rate)
    fields["conversion_date"] = ctx.now
    order = ctx.insert("sales_orders", fields)
    _add_addresses(ctx, order, cast("list[Record]", body.get("addresses") or []))
    for row in cast("list[Record]", body["sales_order_rows"]):
        insert_row(ctx, {**row, "sales_order_id": order["id"]})
    return order


def _add_addresses(ctx: Context, order: Record, given: list[Record]) -> None:
    if not given:
        customer = ctx.get("customers", order["customer_id"]) or {}
        defaults = [ctx.get("customer_addresses", customer.get(f"default_{kind}_id")) for kind in ENTITY_TYPES]
        given = [address for address in defaults if address is not None]
    for address in given:
        fields = {name: address.get(name) for name in ("entity_type", *PERSON_LINES)}
        ctx.insert("sales_order_addresses", {"sales_order_id": order["id"], **fields})


def _update(ctx: Context, order: Record, changes: Record) -> Record:
    is_open = order["status"] in OPEN
    if not is_open and any(name in changes for name in _WHILE_OPEN):
        raise unprocessable("sales order can only be edited in status NOT_SHIPPED or PENDING")
    if order["status"] == "DELIVERED" and "delivery_date" in changes:
        raise unprocessable("delivery_date can not be edited in status DELIVERED")
    if order["status"] not in _SHIPPED and any(name in changes for name in _CONVERSION):
        raise unprocessable("conversion rate can only be edited in status PACKED or DELIVERED")
    check_sellable(ctx, changes.get("location_id"))
    _check_status(ctx, order, changes)
    if "currency" in changes:
        rate = rate_to_base(ctx, changes["currency"])
        changes["conversion_rate"] = wire_number(rate)
    if "picked_date" in changes:
        for fulfillment in ctx.children("sales_order_fulfillments", "sales_order_id", order["id"]):
            check_open_period(ctx, fulfillment["picked_date"])
            check_open_period(ctx, changes["picked_date"])
            ctx.change("sales_order_fulfillments", fulfillment["id"], {"picked_date": changes["picked_date"]})
    return changes


def _check_status(ctx: Context, order: Record, changes: Record) -> None:
    """PACKED and DELIVERED follow from fulfillments: writing them does nothing."""
    status = changes.get("status")
    if status in _SHIPPED:
        del changes["status"]
    elif status is not None and ctx.children("sales_order_fulfillments", "sales_order_id", order["id"]):
        raise unprocessable("fulfillments must be deleted before the sales order can be reopened")


def _settle(ctx: Context, before: Record | None, after: Record | None) -> None:
    if before is None:
        return
    rows = ctx.children("sales_order_rows", "sales_order_id", before["id"])
    moved = after is not None and before.get("location_id") != after.get("location_id")
    location = before.get("location_id")
    also = [pair_of(ctx, {**row, "location_id": row.get("location_id") or location}) for row in rows if moved]
    settle_order(ctx, before["id"], also)


def _parts(ctx: Context, key: Key, view: View) -> dict[str, bytes]:
    parts = {"shipping_fee": _fee(ctx, key)}
    if view == "list":
        parts["addresses"] = embedded(ctx, "sales_order_addresses", "sales_order_id", key)
    return parts


def _fee(ctx: Context, key: Key) -> bytes:
    store = ctx.db.stores["sales_order_shipping_fee"]
    for slot in store.linked("sales_order_id", key):
        if not store.flags[slot] & DELETED:
            return render(ctx, ctx.collections["sales_order_shipping_fee"], slot, "list")
    return b"{}"


SALES_ORDERS = Collection(
    name="sales_orders",
    custom_fields=("SalesOrder",),
    fields=plain_fields(
        "customer_id order_no source=API order_created_date delivery_date picked_date location_id"
        " status=NOT_SHIPPED currency conversion_rate conversion_date invoicing_status total=0"
        " total_in_base_currency=0 additional_info customer_ref ecommerce_order_type ecommerce_store_name"
        " ecommerce_order_id product_availability product_expected_date ingredient_availability"
        " ingredient_expected_date production_status tracking_number tracking_number_url billing_address_id"
        " shipping_address_id linked_manufacturing_order_id custom_fields"
    ),
    foreign_keys=("customer_id",),
    references={"customer_id": "customers", "location_id": "locations"},
    children=(
        ("sales_order_fulfillments", "sales_order_id"),
        ("sales_order_rows", "sales_order_id"),
        ("sales_order_addresses", "sales_order_id"),
        ("sales_order_shipping_fee", "sales_order_id"),
    ),
    embeds=(Embed("sales_order_rows", "sales_order_rows", "sales_order_id"),),
    parts=_parts,
    guards=(
        Guard(
            "sales_returns",
            "sales_order_id",
            "Cannot delete sales orders as sales orders have return orders.",
        ),
    ),
    unique=("order_no",),
    wipes="additional_info_wipe_untested",
    routes=(
        Route("POST", "/sales_orders/search", search),
        Route("GET", "/sales_orders/{id}/returnable_items", returnable_items),
    ),
    on_create=_create,
    on_update=_update,
    settle=_settle,
)
