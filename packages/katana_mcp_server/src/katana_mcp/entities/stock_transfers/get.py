"""`get_stock_transfer`: one transfer with its rows, by id or by number."""

from katana_mcp.entities.stock_transfers.rows import PLACES, ROW_VARIANTS, StockTransferSummary, header
from katana_mcp.entities.stock_transfers.rows import StockTransferLine as Line
from katana_mcp.references.display_names import FACTORY, VARIANT_ENTITIES
from katana_mcp.surface.descriptor import View
from katana_mcp.surface.operations.embedded import BatchTransaction, Traced
from katana_mcp.surface.operations.get import Document, DocumentAnswer, DocumentRequest, document_tool
from katana_mcp.surface.operations.rows import with_lines
from katana_mcp.tools.answers import Number
from katana_mcp.tools.requests import NameOrId, own_id


class GetStockTransferRequest(DocumentRequest):
    """Arguments of `get_stock_transfer`."""

    also = own_id("stock_transfer_id")

    stock_transfer_id: NameOrId
    """Stock transfer id (integer) or number (text, ST-3)."""


class CostedTransferLine(Line):
    """A row with its cost, its batches and its bins."""

    cost_per_unit: Number | None = None
    currency: str | None = None
    batch_transactions: list[BatchTransaction] | None = None
    traceability: list[Traced] | None = None


class StockTransferDocument(StockTransferSummary):
    """A stock transfer with everything that its header says."""

    rows: list[CostedTransferLine] | None = None
    additional_info: str | None = None
    created_at: str | None = None
    updated_at: str | None = None


class StockTransferAnswer(DocumentAnswer):
    """The answer of `get_stock_transfer`."""

    transfer: StockTransferDocument


_with_costs = with_lines(header, CostedTransferLine, "stock_transfer")

GET_STOCK_TRANSFER = document_tool(
    Document(
        source="stock_transfer",
        toolset="inventory",
        key="transfer number",
        what="with its rows, by id or number; rows carry SKU, name and cost",
        reads=("location", *VARIANT_ENTITIES, *FACTORY),
        request=GetStockTransferRequest,
        answer=StockTransferAnswer,
        holds="transfer",
        view=View(
            model=StockTransferDocument, computed_fields=_with_costs, names=PLACES | ROW_VARIANTS | {"factory": ()}
        ),
    )
)
