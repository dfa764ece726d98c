"""What belongs to a sales order beside its rows: shipments, shipping fee, manufacturing orders made for it."""

from cache_core.records import Record
from katana_mcp.entities.sales_orders.rows import SalesOrderLine
from katana_mcp.names import text
from katana_mcp.operations.embedded import Attribute, BatchTransaction, CustomField, Traced
from katana_mcp.operations.rows import filled
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import child, ids, rows, whole

FULFILLMENTS = "sales_order_fulfillment"
MADE = "manufacturing_order"


class MadeForIt(Answer):
    """A manufacturing order that makes a row to order."""

    manufacturing_order_id: int | None = None
    order_no: str | None = None
    status: str | None = None


class SalesOrderDocumentLine(SalesOrderLine):
    """A row of a sales order with its stock, its cost and what is made for it."""

    tax_rate: Number | None = None
    """Percent."""
    total_in_base_currency: Number | None = None
    cogs_value: Number | None = None
    """In `base_currency`."""
    batch_transactions: list[BatchTransaction] | None = None
    serial_number_ids: list[int] | None = None
    traceability: list[Traced] | None = None
    attributes: list[Attribute] | None = None
    custom_fields: list[CustomField] | None = None
    manufacturing_orders: list[MadeForIt] | None = None


class ShippedRow(Answer):
    """How much of a row was shipped."""

    fulfillment_row_id: int | None = None
    sales_order_row_id: int | None = None
    quantity: Number | None = None
    batch_transactions: list[BatchTransaction] | None = None
    serial_number_ids: list[int] | None = None
    traceability: list[Traced] | None = None


class Fulfillment(Answer):
    """A shipment."""

    sales_order_fulfillment_id: int | None = None
    status: str | None = None
    picked_date: str | None = None
    """When stock left."""
    invoice_status: str | None = None
    tracking_number: str | None = None
    tracking_url: str | None = None
    tracking_carrier: str | None = None
    tracking_method: str | None = None
    conversion_rate: Number | None = None
    packer_id: int | None = None
    """An operator."""
    rows: list[ShippedRow] | None = None


class ShippingFee(Answer):
    """What the customer pays for shipping, without tax."""

    shipping_fee_id: int | None = None
    amount: Number | None = None
    currency: str | None = None
    tax_rate_id: int | None = None
    description: str | None = None


def made_for(record: Record) -> dict[int | None, list[MadeForIt]]:
    """Return the manufacturing orders of an order by the row that they are made for."""
    made: dict[int | None, list[MadeForIt]] = {}
    for each in rows(record, MADE):
        told = filled(MadeForIt, each, manufacturing_order_id=whole(each, "id"))
        made.setdefault(whole(each, "sales_order_row_id"), []).append(told)
    return made


def fulfillments(record: Record) -> list[Fulfillment]:
    """Return the shipments of an order, oldest first."""
    return [
        filled(Fulfillment, each, sales_order_fulfillment_id=whole(each, "id"), rows=_shipped(each))
        for each in rows(record, FULFILLMENTS)
    ]


def _shipped(fulfillment: Record) -> list[ShippedRow]:
    sent = rows(fulfillment, "sales_order_fulfillment_rows")
    return [
        filled(ShippedRow, each, fulfillment_row_id=whole(each, "id"), serial_number_ids=ids(each, "serial_numbers"))
        for each in sent
    ]


def shipping_fee(record: Record) -> ShippingFee | None:
    """Return the shipping fee of an order; Katana sends an empty object where there is none."""
    fee = child(record, "shipping_fee")
    if fee is None:
        return None
    return filled(ShippingFee, fee, shipping_fee_id=whole(fee, "id"), currency=text(record, "currency"))
