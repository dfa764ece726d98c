"""`get_sales_order`: one order with its rows, by id or by order number."""

from decimal import Decimal

from cache_core.protocol import Stored
from cache_core.records import Record
from katana_mcp.descriptor import View
from katana_mcp.entities.sales_orders.rows import PARTIES, ROW_VARIANTS, SalesOrderWithRows, with_rows
from katana_mcp.names import FACTORY, Names
from katana_mcp.operations.get import Document, DocumentAnswer, DocumentRequest, document_tool
from katana_mcp.services import Services
from katana_mcp.tools.answers import Number
from katana_mcp.tools.requests import NameOrId
from katana_mcp.values import child, number


class GetSalesOrderRequest(DocumentRequest):
    """Arguments of `get_sales_order`."""

    sales_order_id: NameOrId
    """Sales order id (integer) or order number (text, SO-1042)."""


class SalesOrderDocument(SalesOrderWithRows):
    """A sales order with everything that its header says."""

    customer_ref: str | None = None
    additional_info: str | None = None
    picked_date: str | None = None
    production_status: str | None = None
    ingredient_availability: str | None = None
    invoicing_status: str | None = None
    tracking_number: str | None = None
    tracking_number_url: str | None = None
    ecommerce_order_id: str | None = None
    conversion_rate: Number | None = None
    total_in_base_currency: Number | None = None
    base_currency: str | None = None
    shipping_fee: Number | None = None
    """Without tax, in `currency`."""
    created_at: str | None = None
    updated_at: str | None = None


class SalesOrderAnswer(DocumentAnswer):
    """The answer of `get_sales_order`."""

    order: SalesOrderDocument


def _document(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    return with_rows(stored, names, services) | {
        "base_currency": names.base_currency(),
        "shipping_fee": _fee(stored.record),
    }


def _fee(record: Record) -> Decimal | None:
    fee = child(record, "shipping_fee")
    return None if fee is None else number(fee, "amount")


GET_SALES_ORDER = document_tool(
    Document(
        source="sales_order",
        toolset="sales",
        called=("sales_order_id", "sales order", "order number"),
        key_path="order_no",
        what="with its rows, by id or order number; rows carry SKU and name",
        reads=("customer", "location", "variant", "product", "material", "service", *FACTORY),
        request=GetSalesOrderRequest,
        answer=SalesOrderAnswer,
        view=View(model=SalesOrderDocument, own=_document, names=PARTIES | ROW_VARIANTS | {"factory": ()}),
    )
)
