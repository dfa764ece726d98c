"""What belongs to a sales order beside its rows: shipments, shipping fee, manufacturing orders made for it."""

from collections.abc import Mapping

from cache_core.records import Record
from katana_mcp.entities.sales_orders.rows import SalesOrderLine
from katana_mcp.references.display_names import Names, text
from katana_mcp.surface.operations.embedded import Attribute, BatchTransaction, CustomField, Traced
from katana_mcp.surface.operations.rows import filled
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import child, get_int, ids, rows

FULFILLMENTS = "sales_order_fulfillment"
MADE = "manufacturing_order"


class MadeForIt(Answer):
    """A manufacturing order that makes a row to order."""

    manufacturing_order_id: int | None = None
    order_no: str | None = None
    status: str | None = None


class SalesOrderDocumentLine(SalesOrderLine):
    """A row of a sales order with its stock, its cost and what is made for it."""

    location: str | None = None
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
    sku: str | None = None
    name: str | None = None
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
    packer: str | None = None
    """An operator."""
    rows: list[ShippedRow] | None = None


class ShippingFee(Answer):
    """What the customer pays for shipping, without tax."""

    shipping_fee_id: int | None = None
    amount: Number | None = None
    currency: str | None = None
    tax_rate_id: int | None = None
    tax_rate: Number | None = None
    """Percent."""
    description: str | None = None


def made_for(record: Record) -> dict[int | None, list[MadeForIt]]:
    """Return the manufacturing orders of an order by the row that they are made for."""
    made: dict[int | None, list[MadeForIt]] = {}
    for row in rows(record, MADE):
        made_for_it = filled(MadeForIt, row, manufacturing_order_id=get_int(row, "id"))
        made.setdefault(get_int(row, "sales_order_row_id"), []).append(made_for_it)
    return made


def fulfillments(record: Record, names: Names) -> list[Fulfillment]:
    """Return the shipments of an order, oldest first, with SKU and name of what was shipped."""
    ordered = {get_int(row, "id"): row.get("variant_id") for row in rows(record, "sales_order_rows")}
    return [
        filled(
            Fulfillment,
            shipment,
            sales_order_fulfillment_id=get_int(shipment, "id"),
            packer=text(names.record("operator", shipment.get("packer_id")), "operator_name"),
            rows=[_shipped(row, ordered, names) for row in rows(shipment, "sales_order_fulfillment_rows")],
        )
        for shipment in rows(record, FULFILLMENTS)
    ]


def _shipped(row: Record, ordered: Mapping[int | None, object], names: Names) -> ShippedRow:
    variant_id = ordered.get(get_int(row, "sales_order_row_id"))
    return filled(
        ShippedRow,
        row,
        fulfillment_row_id=get_int(row, "id"),
        sku=names.sku(variant_id),
        name=names.variant(variant_id),
        serial_number_ids=ids(row, "serial_numbers"),
    )


def shipping_fee(record: Record, names: Names) -> ShippingFee | None:
    """Return the shipping fee of an order; Katana sends an empty object where there is none."""
    fee = child(record, "shipping_fee")
    if fee is None:
        return None
    currency, rate = text(record, "currency"), names.rate(fee.get("tax_rate_id"))
    return filled(ShippingFee, fee, shipping_fee_id=get_int(fee, "id"), currency=currency, tax_rate=rate)
