"""Sales orders: what customers ordered, when it is due, and what of it has left."""

from cache_core.conditions import NoneOf
from katana_mcp.entities.sales_orders.correcting import CORRECTING
from katana_mcp.entities.sales_orders.filters import ListSalesOrdersRequest
from katana_mcp.entities.sales_orders.fulfilling import FULFILLING
from katana_mcp.entities.sales_orders.get import GET_SALES_ORDER
from katana_mcp.entities.sales_orders.rows import (
    HEADER_READS,
    PARTIES,
    ROW_VARIANTS,
    SalesOrderSummary,
    SalesOrderWithRows,
    header,
    single_row,
    with_rows,
)
from katana_mcp.entities.sales_orders.writes import WRITES
from katana_mcp.references.display_names import VARIANT_ENTITIES
from katana_mcp.surface.descriptor import Entity, SingleRows, View

_FULFILLS = (
    "Plan to ship one sales order: pack or deliver all open rows, or parts of them; nothing is written.\n\n"
    "Shows the order afterwards, what stays open, stock before and after, and a `plan_token` for `apply_plan`."
)
_CORRECTS = (
    "Plan to correct one sales order that is closed: packed or delivered, in full or in part; nothing is written.\n\n"
    "Its shipments are undone, the order is changed, and shipped again: same dates, tracking, batches, serial "
    "numbers. Shows every step, stock before and after, what is not kept, and a `plan_token` for `apply_plan`, which "
    "goes on where it stopped halfway."
)
SALES_ORDERS = Entity(
    name="sales_order",
    plural="sales_orders",
    toolset="sales",
    sources=("sales_order",),
    reads=("customer", "location", *VARIANT_ENTITIES),
    searched=(
        "order number",
        "customer name and e-mail",
        "customer reference",
        "notes",
        "tracking number",
        "addresses",
        "SKUs of rows",
        "e-commerce order id",
    ),
    summary=View(model=SalesOrderSummary, computed_fields=header, names=PARTIES, reads=HEADER_READS),
    expanded=View(model=SalesOrderWithRows, computed_fields=with_rows, names=PARTIES | ROW_VARIANTS),
    single_rows=SingleRows(
        path="sales_order_rows",
        open=(NoneOf("product_availability", ("PICKED",)),),
        view=View(
            model=SalesOrderWithRows, computed_fields=single_row, names=PARTIES | {"variant": ("row.variant_id",)}
        ),
    ),
    list_request=ListSalesOrdersRequest,
    get=GET_SALES_ORDER,
    writes=WRITES,
    workflows={"fulfill_order": (FULFILLING, _FULFILLS), "correct_sales_order": (CORRECTING, _CORRECTS)},
    notes={
        "list": "Filters combine; newest first.",
        "create": "Lists all rows whose item is not found.",
        "modify": "Fields left out stay unchanged; null clears.",
    },
)
