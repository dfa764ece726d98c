"""`get_sales_order`: one order with its rows, by id or by order number."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from cache_core.protocol import Stored
from cache_core.records import Record
from katana_mcp.descriptor import ToolSpec, View
from katana_mcp.entities.sales_orders.rows import SalesOrderWithRows, header, lines
from katana_mcp.lookup import one_record
from katana_mcp.names import FACTORY, Names, text
from katana_mcp.operations.get import description
from katana_mcp.operations.rows import shown
from katana_mcp.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.requests import NameOrId, PageNumber, Request
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.values import child, number

PARTIES: dict[str, tuple[str, ...]] = {"customer": ("customer_id",), "location": ("location_id",)}
ROW_VARIANTS: dict[str, tuple[str, ...]] = {"variant": ("sales_order_rows[].variant_id",)}
_READS = ("sales_order", "customer", "location", "variant", "product", "material", "service", *FACTORY)
_CALLED = ("sales_order_id", "sales order", "order number")
_ROWS_PER_PAGE = 50


class GetSalesOrderRequest(Request):
    """Arguments of `get_sales_order`."""

    sales_order_id: NameOrId
    """Sales order id (integer) or order number (text, SO-1042)."""
    rows_page: Annotated[PageNumber, Field()] = 1
    """Page of the order's rows, 50 per page."""


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


class SalesOrderAnswer(Envelope):
    """The answer of `get_sales_order`."""

    order: SalesOrderDocument
    rows_page: int = 1
    rows_have_more: bool = False


async def _get(request: GetSalesOrderRequest, services: Services) -> Answer:
    now = await current(services, _READS, ("sales_order",))
    with now.refusals():
        stored = await one_record(services, "sales_order", request.sales_order_id, _CALLED)
    (document,) = await shown(lambda _: _VIEW, [("sales_order", stored)], services)
    assert isinstance(document, SalesOrderDocument)
    first = (request.rows_page - 1) * _ROWS_PER_PAGE
    rows = document.rows or []
    more = first + _ROWS_PER_PAGE < len(rows)
    return now.answer(
        SalesOrderAnswer,
        *_deleted(stored, document),
        order=document.model_copy(update={"rows": rows[first : first + _ROWS_PER_PAGE]}),
        rows_page=request.rows_page,
        rows_have_more=more,
        next_actions=[f"get_sales_order(sales_order_id={stored.id}, rows_page={request.rows_page + 1})"]
        if more
        else [],
    )


def _deleted(stored: Stored, document: SalesOrderDocument) -> list[ToolWarning]:
    if not stored.deleted:
        return []
    message = f"sales order {document.order_no} was deleted in Katana at {document.deleted_at}"
    return [ToolWarning(severity="advisory", code=warning_codes.DELETED_ITEM, message=message)]


def _document(stored: Stored, names: Names, services: Services) -> SalesOrderDocument:
    record = stored.record
    fields: dict[str, object] = {name: text(record, name) for name in _TEXTS}
    fields |= {
        "rows": lines(record, names),
        "conversion_rate": number(record, "conversion_rate"),
        "total_in_base_currency": number(record, "total_in_base_currency"),
        "base_currency": names.base_currency(),
        "shipping_fee": _fee(record),
    }
    return SalesOrderDocument.model_validate(header(stored, names, services) | fields)


def _fee(record: Record) -> Decimal | None:
    fee = child(record, "shipping_fee")
    return None if fee is None else number(fee, "amount")


_TEXTS = (
    "customer_ref",
    "additional_info",
    "picked_date",
    "production_status",
    "ingredient_availability",
    "invoicing_status",
    "tracking_number",
    "tracking_number_url",
    "ecommerce_order_id",
    "created_at",
    "updated_at",
)
_VIEW = View(row=_document, model=SalesOrderDocument, names=PARTIES | ROW_VARIANTS | {"factory": ()})

GET_SALES_ORDER = ToolSpec(
    name="get_sales_order",
    toolset="sales",
    description=description(
        "sales order", "list_sales_orders", "with its rows, by id or order number; rows carry SKU and name"
    ),
    request=GetSalesOrderRequest,
    answer=SalesOrderAnswer,
    run=_get,
    reads=_READS,
)
