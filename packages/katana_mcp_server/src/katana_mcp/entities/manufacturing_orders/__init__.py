"""Manufacturing orders: what is made, from what, by when, and how far it is."""

from katana_mcp.entities.manufacturing_orders.completing import COMPLETION
from katana_mcp.entities.manufacturing_orders.correcting import CORRECTING
from katana_mcp.entities.manufacturing_orders.filters import ListManufacturingOrdersRequest
from katana_mcp.entities.manufacturing_orders.get import GET_MANUFACTURING_ORDER, GET_MANUFACTURING_ORDER_RECIPE
from katana_mcp.entities.manufacturing_orders.ordering import MAKING_TO_ORDER
from katana_mcp.entities.manufacturing_orders.parts import RECIPE_ROWS
from katana_mcp.entities.manufacturing_orders.rows import (
    HEADER_READS,
    NAMED,
    WITH_ROWS,
    ManufacturingOrderSummary,
    ManufacturingOrderWithRows,
    header,
    with_rows,
)
from katana_mcp.entities.manufacturing_orders.writes import WRITES
from katana_mcp.references.display_names import VARIANT_ENTITIES
from katana_mcp.surface.descriptor import Entity, View

_COMPLETES = (
    "Plan to report what was made on one manufacturing order: all that remains, or a part; nothing is written.\n\n"
    "Shows what each ingredient uses, shortages, stock before and after, and a `plan_token` for `apply_plan`."
)
_MAKES = (
    "Plan manufacturing orders for rows of one sales order, each linked to its row; nothing is written.\n\n"
    "Shows the rows that are made, its requests and a `plan_token` for `apply_plan`."
)
_CORRECTS = (
    "Plan to correct what was made on one manufacturing order; nothing is written.\n\n"
    "Its productions are undone, the order is changed, and they are reported again: same dates, batches, serial "
    "numbers. Shows every step, stock before and after, what is not kept, and a `plan_token` for `apply_plan`, which "
    "goes on where it stopped halfway."
)
MANUFACTURING_ORDERS = Entity(
    name="manufacturing_order",
    plural="manufacturing_orders",
    toolset="manufacturing",
    sources=("manufacturing_order",),
    reads=("location", *VARIANT_ENTITIES),
    searched=("order number", "SKU of the product made", "serial numbers", "notes"),
    summary=View(model=ManufacturingOrderSummary, computed_fields=header, names=NAMED, reads=HEADER_READS),
    expanded=View(
        model=ManufacturingOrderWithRows,
        computed_fields=with_rows,
        names=WITH_ROWS,
        parts={RECIPE_ROWS: "manufacturing_order_id"},
    ),
    list_request=ListManufacturingOrdersRequest,
    get=GET_MANUFACTURING_ORDER,
    more=(GET_MANUFACTURING_ORDER_RECIPE,),
    writes=WRITES,
    workflows={
        "complete_manufacturing_order": (COMPLETION, _COMPLETES),
        "correct_manufacturing_order": (CORRECTING, _CORRECTS),
        "create_manufacturing_orders": (MAKING_TO_ORDER, _MAKES),
    },
    notes={
        "list": "Filters combine; newest first.",
        "modify": "Fields left out stay unchanged; null clears.",
    },
)
