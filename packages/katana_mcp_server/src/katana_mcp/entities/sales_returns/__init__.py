"""Sales returns: what customers send back of what was shipped, and whether it is in stock again."""

from katana_mcp.entities.sales_returns.filters import ListSalesReturnsRequest
from katana_mcp.entities.sales_returns.get import GET_SALES_RETURN
from katana_mcp.entities.sales_returns.rows import (
    HEADER_READS,
    PARTIES,
    ROW_NAMES,
    ROWS,
    SalesReturnSummary,
    SalesReturnWithRows,
    header,
    with_rows,
)
from katana_mcp.entities.sales_returns.writes import WRITES
from katana_mcp.references.display_names import VARIANT_ENTITIES
from katana_mcp.surface.descriptor import Entity, View

SALES_RETURNS = Entity(
    name="sales_return",
    plural="sales_returns",
    toolset="sales",
    sources=("sales_return",),
    reads=("sales_order", "customer", "location", *VARIANT_ENTITIES),
    searched=("return number", "sales order number", "customer name", "notes", "tracking number"),
    summary=View(model=SalesReturnSummary, computed_fields=header, names=PARTIES, reads=HEADER_READS),
    expanded=View(
        model=SalesReturnWithRows, computed_fields=with_rows, names=PARTIES | ROW_NAMES, parts={ROWS: "sales_return_id"}
    ),
    list_request=ListSalesReturnsRequest,
    get=GET_SALES_RETURN,
    writes=WRITES,
    notes={
        "list": "Filters combine; newest first.",
        "modify": "Fields left out stay unchanged; null clears.",
    },
)
