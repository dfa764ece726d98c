"""Stock adjustments: what was corrected in the stock of a location, and why."""

from katana_mcp.entities.stock_adjustments.filters import ListStockAdjustmentsRequest
from katana_mcp.entities.stock_adjustments.get import GET_STOCK_ADJUSTMENT
from katana_mcp.entities.stock_adjustments.rows import (
    HEADER_READS,
    PLACES,
    ROW_VARIANTS,
    StockAdjustmentSummary,
    StockAdjustmentWithRows,
    header,
    with_rows,
)
from katana_mcp.entities.stock_adjustments.writes import WRITES
from katana_mcp.references.display_names import VARIANT_ENTITIES
from katana_mcp.surface.descriptor import Entity, View

STOCK_ADJUSTMENTS = Entity(
    name="stock_adjustment",
    plural="stock_adjustments",
    toolset="inventory",
    sources=("stock_adjustment",),
    reads=("location", *VARIANT_ENTITIES),
    searched=("adjustment number", "location name", "reason", "notes", "SKUs of rows"),
    summary=View(model=StockAdjustmentSummary, computed_fields=header, names=PLACES, reads=HEADER_READS),
    expanded=View(model=StockAdjustmentWithRows, computed_fields=with_rows, names=PLACES | ROW_VARIANTS),
    list_request=ListStockAdjustmentsRequest,
    get=GET_STOCK_ADJUSTMENT,
    writes=WRITES,
    notes={
        "list": "Filters combine; newest first.",
        "modify": "Fields left out stay unchanged; null clears the reason or the notes.",
        "delete": "Its stock change may stay: check stock.",
    },
)
