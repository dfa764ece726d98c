"""What may be written to purchase orders, their rows and cost rows, and when."""

from datetime import timedelta
from typing import cast

from katana_sandbox.custom_fields import check_custom_fields, copied_custom_fields
from katana_sandbox.descriptor import Context
from katana_sandbox.operations.create import build, check_references
from katana_sandbox.rules.items import owner
from katana_sandbox.rules.ledger import check_open_period
from katana_sandbox.rules.outsourcing import copy_recipe
from katana_sandbox.rules.purchases import UNRECEIVED, order_rate, orders_of_group
from katana_sandbox.rules.receiving import receive_all
from katana_sandbox.rules.reverting import revert_receipts
from katana_sandbox.rules.tax_rates import default_tax_rate
from katana_sandbox.wire.encoding import Record, plain
from katana_sandbox.wire.errors import Refused, unprocessable
from katana_sandbox.wire.numbers import as_decimal, number
from katana_sandbox.wire.times import moment_of_ms, ms_of, wire_moment

_PARTIES = ("supplier_id", "currency", "location_id", "tracking_location_id")
_UNTIL_RECEIVED = ("order_no", "expected_arrival_date")
_ROW_LOCKED = (
    "quantity",
    "variant_id",
    "tax_rate_id",
    "tax_name",
    "tax_rate",
    "price_per_unit",
    "purchase_uom",
    "purchase_uom_conversion_rate",
    "location_id",
)
_LEAD_TIME = 14


def create_order(ctx: Context, body: Record) -> Record:
    """Store an order with its rows; nested locations give way to the order's."""
    fields = build(ctx.collections["purchase_orders"], body)
    _check_kind(fields)
    supplier = ctx.get("suppliers", body["supplier_id"]) or {}
    fields["currency"] = body.get("currency") or supplier.get("currency")
    fields["order_no"] = body.get("order_no") or ctx.db.next_number("PO")
    fields["status"] = body.get("status") or "NOT_RECEIVED"
    fields["order_created_date"] = fields["order_created_date"] or ctx.now
    fields["expected_arrival_date"] = fields["expected_arrival_date"] or _default_arrival(ctx, fields)
    fields["default_group_id"] = ctx.db.next_id("purchase_order_groups")
    order = ctx.insert("purchase_orders", fields)
    for row in cast("list[Record]", body["purchase_order_rows"]):
        insert_row(ctx, {**row, "purchase_order_id": order["id"], "location_id": order["location_id"]})
    return order


def update_order(ctx: Context, order: Record, changes: Record) -> Record:
    """The stored changes of an order PATCH."""
    status = changes.pop("status", None)
    if order["status"] not in UNRECEIVED and any(name in changes for name in _PARTIES):
        raise unprocessable("purchase order can only be edited in status DRAFT or NOT_RECEIVED")
    if order["status"] == "RECEIVED" and any(name in changes for name in _UNTIL_RECEIVED):
        raise unprocessable("received purchase order can not be edited")
    _check_kind({**order, **changes})
    rows = ctx.children("purchase_order_rows", "purchase_order_id", order["id"])
    for row in rows:
        moved = _cascaded(order, row, changes)
        if moved:
            ctx.change("purchase_order_rows", row["id"], moved)
    if status is not None and status != order["status"]:
        changes.update(_change_status(ctx, order, status))
    return changes


def check_order_deletable(ctx: Context, order: Record) -> None:
    """Refuse to delete an order whose receipts hold it."""
    if order["status"] not in UNRECEIVED and ctx.switches.word("received_order_delete") == "refuse":
        raise Refused(412, "Cannot delete purchase orders as purchase orders have received rows.")


def insert_row(ctx: Context, body: Record) -> Record:
    """Store a row of an order that is not fully received."""
    collection = ctx.collections["purchase_order_rows"]
    body = {**body, **_tax(ctx, body)}
    check_references(ctx, collection, body)
    check_custom_fields(ctx, collection, body)
    _check_stocked(ctx, body)
    order = ctx.get("purchase_orders", body["purchase_order_id"]) or {}
    if order.get("status") == "RECEIVED":
        raise unprocessable("rows can not be added to a purchase order with status RECEIVED")
    fields = build(collection, {name: value for name, value in body.items() if name not in {"tax_name", "tax_rate"}})
    fields["currency"] = order["currency"]
    fields["group_id"] = order["default_group_id"]
    target = "OutsourcedPurchaseOrderRow" if order["entity_type"] == "outsourced" else "PurchaseOrderRow"
    fields["custom_fields"] = copied_custom_fields(ctx, target, body["variant_id"], body.get("custom_fields"))
    fields["arrival_date"] = fields["arrival_date"] or order["expected_arrival_date"]
    fields.update(_unit(ctx, body))
    row = ctx.insert("purchase_order_rows", fields)
    copy_recipe(ctx, order, row)
    return row


def update_row(ctx: Context, row: Record, changes: Record) -> Record:
    """The stored changes of a row PATCH."""
    _check_stocked(ctx, changes)
    received = row.get("received_date") is not None
    if received and any(name in changes for name in _ROW_LOCKED):
        raise unprocessable("purchase order row can only be edited while it is not received")
    if "received_date" in changes:
        if not received:
            raise unprocessable("received_date can only be edited on a received row")
        check_open_period(ctx, row["received_date"])
        check_open_period(ctx, changes["received_date"])
    allowed = ctx.switches.word("row_arrival_date")
    if "arrival_date" in changes and allowed != "any" and received != (allowed == "received"):
        raise unprocessable(f"arrival_date can only be edited on an {allowed} row")
    tax = _tax(ctx, {"tax_rate_id": row["tax_rate_id"], **changes})
    changes = {name: value for name, value in changes.items() if name not in {"tax_name", "tax_rate"}}
    units = ("purchase_uom", "purchase_uom_conversion_rate")
    given = {name: value for name, value in changes.items() if name not in units or value is not None}
    return {**given, **tax}


def check_row_deletable(ctx: Context, row: Record) -> None:
    """Refuse to take away what has been received."""
    order = ctx.get("purchase_orders", row["purchase_order_id"]) or {}
    received = order.get("status") == "RECEIVED" or row.get("received_date") is not None
    if received:
        raise unprocessable("received purchase order rows can not be deleted")


def create_cost(ctx: Context, body: Record) -> Record:
    """Store an additional cost in the currency of its group's order."""
    fields = build(ctx.collections["po_additional_cost_rows"], body)
    return ctx.insert("po_additional_cost_rows", {**fields, **_cost_details(ctx, fields)})


def update_cost(ctx: Context, cost: Record, changes: Record) -> Record:
    """The stored changes of an additional cost."""
    return {**changes, **_cost_details(ctx, {**cost, **changes})}


def _check_stocked(ctx: Context, body: Record) -> None:
    """Refuse a service: it is never received."""
    if "variant_id" in body and ctx.get("variants", body["variant_id"]) is None:
        raise unprocessable("variant not found")


def _check_kind(order: Record) -> None:
    outsourced = order.get("entity_type") == "outsourced"
    if outsourced and order.get("tracking_location_id") is None:
        raise unprocessable("outsourced purchase order needs a tracking location")
    if not outsourced and order.get("tracking_location_id") is not None:
        raise unprocessable("tracking location needs an outsourced purchase order")


def _cascaded(order: Record, row: Record, changes: Record) -> Record:
    moved: Record = {}
    if "expected_arrival_date" in changes:
        moved["arrival_date"] = changes["expected_arrival_date"]
    if "location_id" in changes and row.get("location_id") == order["location_id"]:
        moved["location_id"] = changes["location_id"]
    if "currency" in changes:
        moved["currency"] = changes["currency"]
    return moved


def _change_status(ctx: Context, order: Record, status: str) -> Record:
    if status == "PARTIALLY_RECEIVED":
        raise unprocessable("status PARTIALLY_RECEIVED follows from receipts")
    if status == "RECEIVED":
        receive_all(ctx, order)
        return {}
    if order["status"] not in UNRECEIVED:
        if status == "DRAFT":
            raise unprocessable("received purchase order can not become a draft")
        revert_receipts(ctx, order)
    return {"status": status}


def _default_arrival(ctx: Context, order: Record) -> str:
    days = int(as_decimal(ctx.factory().get("default_po_lead_time"))) or _LEAD_TIME
    start = moment_of_ms(ms_of(order["order_created_date"]) or 0)
    return wire_moment(start + timedelta(days=days))


def _unit(ctx: Context, body: Record) -> Record:
    variant = ctx.get("variants", body["variant_id"])
    found = owner(ctx, variant) if variant is not None else None
    item = found[1] if found is not None else {}
    rate = body.get("purchase_uom_conversion_rate") or item.get("purchase_uom_conversion_rate") or 1
    return {
        "purchase_uom": body.get("purchase_uom") or item.get("purchase_uom") or item.get("uom") or "pcs",
        "purchase_uom_conversion_rate": number(as_decimal(rate)),
    }


def _tax(ctx: Context, body: Record) -> Record:
    """The tax rate a body means: by id, by rate and name, or the default of purchases."""
    if "tax_rate" not in body and "tax_name" not in body:
        if body.get("tax_rate_id") is not None:
            return {"tax_rate_id": body["tax_rate_id"]}
        return {"tax_rate_id": default_tax_rate(ctx)}
    store = ctx.db.stores["tax_rates"]
    for rate in (store.record(slot) for slot in store.visible):
        same_name = body.get("tax_name") in {None, rate.get("name")}
        if same_name and ("tax_rate" not in body or as_decimal(rate["rate"]) == as_decimal(body["tax_rate"])):
            return {"tax_rate_id": rate["id"]}
    raise unprocessable("tax rate not found")


def _cost_details(ctx: Context, cost: Record) -> Record:
    orders = orders_of_group(ctx, cost["group_id"])
    if not orders:
        raise unprocessable("purchase order group not found")
    order = orders[0]
    rate = order_rate(ctx, order)
    kind = ctx.get("additional_costs", cost["additional_cost_id"]) or {}
    tax = ctx.get("tax_rates", cost["tax_rate_id"]) or {}
    return {
        "name": kind.get("name"),
        "tax_rate": plain(tax["rate"]) if tax.get("rate") is not None else None,
        "currency": order["currency"],
        "currency_conversion_rate": number(rate),
        "price_in_base": number(as_decimal(cost["price"]) * rate),
    }
