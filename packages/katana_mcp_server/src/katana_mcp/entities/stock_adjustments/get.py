"""`get_stock_adjustment`: one adjustment with its rows, by id or by number."""

from katana_mcp.entities.stock_adjustments.rows import PLACES, ROW_VARIANTS, StockAdjustmentSummary, header
from katana_mcp.entities.stock_adjustments.rows import StockAdjustmentLine as Line
from katana_mcp.references.display_names import FACTORY, VARIANT_ENTITIES
from katana_mcp.surface.descriptor import View
from katana_mcp.surface.operations.embedded import BatchTransaction, Traced
from katana_mcp.surface.operations.get import Document, DocumentAnswer, DocumentRequest, document_tool
from katana_mcp.surface.operations.rows import with_lines
from katana_mcp.tools.answers import Number
from katana_mcp.tools.requests import NameOrId, own_id


class GetStockAdjustmentRequest(DocumentRequest):
    """Arguments of `get_stock_adjustment`."""

    also = own_id("stock_adjustment_id")

    stock_adjustment_id: NameOrId
    """Stock adjustment id (integer) or number (text, SA-3)."""


class CostedAdjustmentLine(Line):
    """A row with its cost, its batches and its bins."""

    cost_per_unit: Number | None = None
    currency: str | None = None
    batch_transactions: list[BatchTransaction] | None = None
    traceability: list[Traced] | None = None


class StockAdjustmentDocument(StockAdjustmentSummary):
    """A stock adjustment with everything that its header says."""

    rows: list[CostedAdjustmentLine] | None = None
    additional_info: str | None = None
    created_at: str | None = None
    updated_at: str | None = None


class StockAdjustmentAnswer(DocumentAnswer):
    """The answer of `get_stock_adjustment`."""

    adjustment: StockAdjustmentDocument


_with_costs = with_lines(header, CostedAdjustmentLine, "stock_adjustment")

GET_STOCK_ADJUSTMENT = document_tool(
    Document(
        source="stock_adjustment",
        toolset="inventory",
        key="adjustment number",
        what="with its rows, by id or number; rows carry SKU, name and cost",
        reads=("location", *VARIANT_ENTITIES, *FACTORY),
        request=GetStockAdjustmentRequest,
        answer=StockAdjustmentAnswer,
        holds="adjustment",
        view=View(
            model=StockAdjustmentDocument, computed_fields=_with_costs, names=PLACES | ROW_VARIANTS | {"factory": ()}
        ),
    )
)
