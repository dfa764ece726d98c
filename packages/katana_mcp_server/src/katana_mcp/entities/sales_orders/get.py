"""`get_sales_order`: one order with its rows, by id or by order number."""

from cache_core.protocol import Stored
from cache_core.records import Record
from katana_mcp.entities.sales_orders.parts import (
    FULFILLMENTS,
    MADE,
    Fulfillment,
    SalesOrderDocumentLine,
    ShippingFee,
    fulfillments,
    made_for,
    shipping_fee,
)
from katana_mcp.entities.sales_orders.rows import PARTIES, ROW_VARIANTS, SalesOrderSummary, header, row_answer
from katana_mcp.references.display_names import CUSTOM_FIELDS, FACTORY, VARIANT_ENTITIES, Names
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import View
from katana_mcp.surface.operations.addresses import PostalAddress, addresses
from katana_mcp.surface.operations.embedded import CustomField
from katana_mcp.surface.operations.get import (
    Document,
    DocumentAnswer,
    DocumentRequest,
    RelatedRows,
    all_beside,
    document_tool,
    of_ids,
)
from katana_mcp.tools.answers import Number
from katana_mcp.tools.requests import NameOrId, own_id
from katana_mcp.values import get_int, ids, rows


class GetSalesOrderRequest(DocumentRequest):
    """Arguments of `get_sales_order`."""

    also = own_id("sales_order_id")

    sales_order_id: NameOrId
    """Sales order id (integer) or order number (text, SO-1042)."""


class SalesOrderDocument(SalesOrderSummary):
    """A sales order with everything that its header says."""

    customer_ref: str | None = None
    additional_info: str | None = None
    picked_date: str | None = None
    product_expected_date: str | None = None
    production_status: str | None = None
    linked_manufacturing_order_id: int | None = None
    ingredient_availability: str | None = None
    ingredient_expected_date: str | None = None
    invoicing_status: str | None = None
    tracking_number: str | None = None
    tracking_number_url: str | None = None
    source: str | None = None
    ecommerce_order_type: str | None = None
    ecommerce_store_name: str | None = None
    ecommerce_order_id: str | None = None
    conversion_rate: Number | None = None
    conversion_date: str | None = None
    net_total: Number | None = None
    total_in_base_currency: Number | None = None
    base_currency: str | None = None
    shipping_fee: ShippingFee | None = None
    billing_address_id: int | None = None
    shipping_address_id: int | None = None
    addresses: list[PostalAddress] | None = None
    custom_fields: list[CustomField] | None = None
    rows: list[SalesOrderDocumentLine] | None = None
    fulfillments: list[Fulfillment] | None = None
    created_at: str | None = None
    updated_at: str | None = None


class SalesOrderAnswer(DocumentAnswer):
    """The answer of `get_sales_order`."""

    order: SalesOrderDocument


async def _beside(record: Record, _: object, services: Services) -> RelatedRows:
    mine = of_ids("sales_order_id", get_int(record, "id"))
    return await all_beside(services, {FULFILLMENTS: (mine, "id"), MADE: (mine, "id")})


def _document(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    record = stored.record
    made = made_for(record)
    return header(stored, names, services) | {
        "base_currency": names.base_currency(),
        "shipping_fee": shipping_fee(record, names),
        "addresses": addresses(record),
        "fulfillments": fulfillments(record, names),
        "rows": [
            row_answer(
                SalesOrderDocumentLine,
                row,
                stored,
                names,
                location=names.name("location", row.get("location_id")),
                serial_number_ids=ids(row, "serial_numbers"),
                manufacturing_orders=made.get(get_int(row, "id")),
            )
            for row in rows(record, "sales_order_rows")
        ],
    }


_NAMED: dict[str, tuple[str, ...]] = ROW_VARIANTS | {
    "location": ("location_id", "sales_order_rows[].location_id"),
    "tax_rate": ("shipping_fee.tax_rate_id",),
    "operator": (f"{FULFILLMENTS}[].packer_id",),
    "factory": (),
    "custom_field_definition": (),
}
GET_SALES_ORDER = document_tool(
    Document(
        source="sales_order",
        changes_in_steps=True,
        toolset="sales",
        key="order number",
        what="with rows, addresses, shipments and what is made for it, by id or order number",
        reads=(
            FULFILLMENTS,
            MADE,
            "customer",
            "location",
            "tax_rate",
            "operator",
            *VARIANT_ENTITIES,
            *FACTORY,
            *CUSTOM_FIELDS,
        ),
        request=GetSalesOrderRequest,
        answer=SalesOrderAnswer,
        view=View(model=SalesOrderDocument, computed_fields=_document, names=PARTIES | _NAMED),
        paged=("rows", "fulfillments"),
        beside=_beside,
    )
)
