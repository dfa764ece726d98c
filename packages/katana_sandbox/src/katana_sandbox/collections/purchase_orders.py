"""Purchase orders: status and totals follow from rows and receipts."""

from katana_sandbox.collections.search import search
from katana_sandbox.descriptor import (
    Collection,
    Context,
    Filter,
    Guard,
    Route,
    View,
    plain_fields,
)
from katana_sandbox.render import embedded
from katana_sandbox.rules.outsourcing_supply import order_supply
from katana_sandbox.rules.purchase_edits import check_order_deletable, create_order, update_order
from katana_sandbox.rules.purchases import settle_header
from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import Record, encode

STATUS = ("DRAFT", "NOT_RECEIVED", "PARTIALLY_RECEIVED", "RECEIVED")
_DOCUMENT = ("notSent", "sending", "sent", "failed")
_NO_INGREDIENTS: Record = {"ingredient_availability": None, "ingredient_expected_date": None}


def supplier(ctx: Context, order: Record) -> bytes:
    """The supplier with its addresses."""
    found = ctx.get("suppliers", order.get("supplier_id"))
    if found is None:
        return b"{}"
    found["addresses"] = ctx.children("supplier_addresses", "supplier_id", found["id"])
    return encode(found)


def _parts(ctx: Context, key: Key, view: View) -> dict[str, bytes]:
    order = ctx.get("purchase_orders", key, deleted=True) or {}
    supply = order_supply(ctx, key) if order.get("entity_type") == "outsourced" else _NO_INGREDIENTS
    return {
        "purchase_order_rows": b"[]"
        if view == "patch"
        else embedded(ctx, "purchase_order_rows", "purchase_order_id", key),
        **{name: encode(value) for name, value in supply.items()},
    }


PURCHASE_ORDERS = Collection(
    name="purchase_orders",
    custom_fields=("PurchaseOrder", "OutsourcedPurchaseOrder"),
    fields=plain_fields(
        "status=NOT_RECEIVED order_no entity_type=regular default_group_id supplier_id currency"
        " expected_arrival_date order_created_date additional_info= location_id total=0"
        " total_in_base_currency=0 billing_status=NOT_BILLED last_document_status=NOT_SENT"
        " tracking_location_id custom_fields"
    ),
    filters=(Filter("last_document_status", values=_DOCUMENT, upper=True),),
    foreign_keys=("supplier_id", "default_group_id"),
    references={
        "supplier_id": "suppliers",
        "location_id": "locations",
        "tracking_location_id": "locations",
    },
    children=(("purchase_order_rows", "purchase_order_id"),),
    extends={"supplier": supplier},
    parts=_parts,
    guards=(
        Guard(
            "purchase_order_accounting_metadata",
            "purchase_order_id",
            "Cannot delete purchase orders as purchase orders have bills.",
        ),
    ),
    routes=(Route("POST", "/purchase_orders/search", search),),
    unique=("order_no",),
    wipes="additional_info_wipe",
    on_create=create_order,
    on_update=update_order,
    on_delete=check_order_deletable,
    settle=settle_header,
)
