"""`get_customer`: one customer with addresses and newest orders, by id or by exact name."""

from cache_core.conditions import NoneOf, Order
from cache_core.protocol import Selection, Stored
from cache_core.records import Record
from katana_mcp.entities.customers.rows import CustomerRow, customer_row
from katana_mcp.references.display_names import CUSTOM_FIELDS, Names
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import View
from katana_mcp.surface.operations.addresses import PostalAddress, addresses
from katana_mcp.surface.operations.embedded import CustomField
from katana_mcp.surface.operations.get import (
    Document,
    DocumentAnswer,
    DocumentRequest,
    RelatedRows,
    document_tool,
    of_ids,
)
from katana_mcp.surface.operations.rows import filled
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.tools.requests import NameOrId, own_id
from katana_mcp.values import get_int, rows

_SHOWN = 5


class GetCustomerRequest(DocumentRequest):
    """Arguments of `get_customer`."""

    also = own_id("customer_id")

    customer_id: NameOrId
    """Customer id (integer), or the customer's exact name (text)."""


class RecentOrder(Answer):
    """An order of the customer."""

    sales_order_id: int | None = None
    order_no: str | None = None
    status: str | None = None
    delivery_date: str | None = None
    total: Number | None = None
    currency: str | None = None


class CustomerDocument(CustomerRow):
    """A customer with everything that Katana says of it."""

    comment: str | None = None
    custom_fields: list[CustomField] | None = None
    default_billing_id: int | None = None
    default_shipping_id: int | None = None
    addresses: list[PostalAddress] | None = None
    sales_order_count: int = 0
    open_sales_order_count: int = 0
    recent_sales_orders: list[RecentOrder] | None = None
    """The newest five; list_sales_orders(customer_id=…) has all."""
    created_at: str | None = None
    updated_at: str | None = None


class CustomerAnswer(DocumentAnswer):
    """The answer of `get_customer`."""

    customer: CustomerDocument


async def _orders(record: Record, _: object, services: Services) -> RelatedRows:
    mine = of_ids("customer_id", get_int(record, "id"))
    newest = await services.cache.select("sales_order", Selection(mine, Order("id", descending=True), _SHOWN))
    return {
        "sales_orders": [row.record for row in newest],
        "sales_order_count": await services.cache.count("sales_order", mine),
        "open_sales_order_count": await services.cache.count("sales_order", (*mine, NoneOf("status", ("DELIVERED",)))),
    }


def _document(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    record = stored.record
    places = addresses(record)
    here = {place.address_id for place in places}
    # Whose default address we deleted, Katana may show with it for a while.
    defaults = {name: get_int(record, name) for name in ("default_billing_id", "default_shipping_id")}
    return customer_row(stored, names, services) | {
        **{name: address_id if address_id in here else None for name, address_id in defaults.items()},
        "addresses": places,
        "sales_order_count": get_int(record, "sales_order_count"),
        "open_sales_order_count": get_int(record, "open_sales_order_count"),
        "recent_sales_orders": [
            filled(RecentOrder, row, sales_order_id=get_int(row, "id")) for row in rows(record, "sales_orders")
        ],
    }


GET_CUSTOMER = document_tool(
    Document(
        source="customer",
        toolset="sales",
        key="name",
        what="with addresses, terms and newest sales orders, by id or exact name",
        reads=("sales_order", *CUSTOM_FIELDS),
        request=GetCustomerRequest,
        answer=CustomerAnswer,
        holds="customer",
        view=View(model=CustomerDocument, computed_fields=_document, names={"custom_field_definition": ()}),
        paged=("addresses",),
        beside=_orders,
    )
)
