"""`get_sales_return`: one return with its rows, by id or by number."""

from cache_core.protocol import Stored
from cache_core.records import Record
from katana_mcp.entities.sales_returns.rows import (
    PARTIES,
    ROW_NAMES,
    ROWS,
    SalesReturnLine,
    SalesReturnSummary,
    header,
    row_answer,
)
from katana_mcp.references.display_names import VARIANT_ENTITIES, Names
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import View
from katana_mcp.surface.operations.embedded import BatchTransaction
from katana_mcp.surface.operations.get import (
    Document,
    DocumentAnswer,
    DocumentRequest,
    RelatedRows,
    document_tool,
    of_ids,
    rows_beside,
)
from katana_mcp.tools.requests import NameOrId, own_id
from katana_mcp.values import get_int, rows


class GetSalesReturnRequest(DocumentRequest):
    """Arguments of `get_sales_return`."""

    also = own_id("sales_return_id")

    sales_return_id: NameOrId
    """Sales return id (integer) or number (text, RO-6)."""


class ReturnedLine(SalesReturnLine):
    """A row with its shipment, its reason and where it is put in stock."""

    fulfillment_row_id: int | None = None
    reason_id: int | None = None
    restock_location_id: int | None = None
    restock_location: str | None = None
    batch_transactions: list[BatchTransaction] | None = None


class SalesReturnDocument(SalesReturnSummary):
    """A sales return with everything that its header says."""

    rows: list[ReturnedLine] | None = None
    currency: str | None = None
    additional_info: str | None = None
    tracking_number: str | None = None
    tracking_number_url: str | None = None
    tracking_carrier: str | None = None
    tracking_method: str | None = None
    created_at: str | None = None
    updated_at: str | None = None


class SalesReturnAnswer(DocumentAnswer):
    """The answer of `get_sales_return`."""

    sales_return: SalesReturnDocument


async def _beside(record: Record, _: object, services: Services) -> RelatedRows:
    return {ROWS: await rows_beside(services, ROWS, of_ids("sales_return_id", get_int(record, "id")))}


def _document(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    lines = [
        row_answer(
            ReturnedLine,
            row,
            stored,
            names,
            restock_location=names.name("location", row.get("restock_location_id")),
        )
        for row in rows(stored.record, ROWS)
    ]
    return header(stored, names, services) | {"rows": lines}


_NAMED = PARTIES | ROW_NAMES | {"location": ("return_location_id", f"{ROWS}[].restock_location_id")}
GET_SALES_RETURN = document_tool(
    Document(
        source="sales_return",
        toolset="sales",
        key="number",
        what="with its rows, by id or number; rows carry SKU, name, price and where they are restocked",
        reads=(ROWS, "sales_order", "customer", "location", *VARIANT_ENTITIES),
        request=GetSalesReturnRequest,
        answer=SalesReturnAnswer,
        holds="sales_return",
        view=View(model=SalesReturnDocument, computed_fields=_document, names=_NAMED),
        beside=_beside,
    )
)
