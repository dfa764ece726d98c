"""Stocktakes: counts of the stock of a location, and what differed."""

from katana_mcp.entities.stocktakes.counting import WORKFLOWS
from katana_mcp.entities.stocktakes.filters import ListStocktakesRequest
from katana_mcp.entities.stocktakes.rows import (
    HEADER_READS,
    PLACES,
    ROW_NAMES,
    ROWS,
    StocktakeSummary,
    StocktakeWithRows,
    header,
    with_rows,
)
from katana_mcp.references.display_names import VARIANT_ENTITIES
from katana_mcp.surface.descriptor import Entity, View

STOCKTAKES = Entity(
    name="stocktake",
    plural="stocktakes",
    toolset="inventory",
    sources=("stocktake",),
    reads=("location", *VARIANT_ENTITIES),
    searched=(),
    summary=View(model=StocktakeSummary, computed_fields=header, names=PLACES, reads=HEADER_READS),
    expanded=View(
        model=StocktakeWithRows, computed_fields=with_rows, names=PLACES | ROW_NAMES, parts={ROWS: "stocktake_id"}
    ),
    list_request=ListStocktakesRequest,
    workflows=WORKFLOWS,
    absent={
        "search": "`list_stocktakes` finds stocktakes by number, location or SKU",
        "get": "`list_stocktakes` with ids and include_rows shows a stocktake with its rows",
        **dict.fromkeys(
            ("create", "modify", "delete"), "`count_stock` begins, counts, completes and deletes stocktakes"
        ),
    },
    notes={"list": "Filters combine; newest first."},
)
