"""Stock transfers: what moves from one location to another."""

from katana_mcp.entities.stock_transfers.filters import ListStockTransfersRequest
from katana_mcp.entities.stock_transfers.get import GET_STOCK_TRANSFER
from katana_mcp.entities.stock_transfers.rows import (
    HEADER_READS,
    PLACES,
    ROW_VARIANTS,
    StockTransferSummary,
    StockTransferWithRows,
    header,
    with_rows,
)
from katana_mcp.entities.stock_transfers.writes import WRITES
from katana_mcp.references.display_names import VARIANT_ENTITIES
from katana_mcp.surface.descriptor import Entity, View

STOCK_TRANSFERS = Entity(
    name="stock_transfer",
    plural="stock_transfers",
    toolset="inventory",
    sources=("stock_transfer",),
    reads=("location", *VARIANT_ENTITIES),
    searched=("transfer number", "names of both locations", "notes", "SKUs of rows"),
    summary=View(model=StockTransferSummary, computed_fields=header, names=PLACES, reads=HEADER_READS),
    expanded=View(model=StockTransferWithRows, computed_fields=with_rows, names=PLACES | ROW_VARIANTS),
    list_request=ListStockTransfersRequest,
    get=GET_STOCK_TRANSFER,
    writes=WRITES,
    notes={
        "list": "Filters combine; newest first.",
        "modify": "Fields left out stay unchanged; null clears a date or the notes.",
    },
)
