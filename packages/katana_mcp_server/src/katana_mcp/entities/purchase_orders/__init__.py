"""Purchase orders: what was ordered from suppliers, when it should arrive, and what of it has come."""

from katana_mcp.descriptor import Entity, View
from katana_mcp.entities.purchase_orders.document import GET_PURCHASE_ORDER
from katana_mcp.entities.purchase_orders.filters import ListPurchaseOrdersRequest
from katana_mcp.entities.purchase_orders.rows import (
    PARTIES,
    ROW_VARIANTS,
    PurchaseOrderSummary,
    PurchaseOrderWithRows,
    header,
    with_rows,
)
from katana_mcp.entities.purchase_orders.writes import WRITES
from katana_mcp.names import VARIANT_ENTITIES

PURCHASE_ORDERS = Entity(
    name="purchase_order",
    plural="purchase_orders",
    toolset="purchasing",
    sources=("purchase_order",),
    reads=("supplier", "location", *VARIANT_ENTITIES),
    searched=("order number", "supplier name and e-mail", "notes", "SKUs and supplier item codes of rows"),
    summary=View(model=PurchaseOrderSummary, own=header, names=PARTIES),
    expanded=View(model=PurchaseOrderWithRows, own=with_rows, names=PARTIES | ROW_VARIANTS),
    list_request=ListPurchaseOrdersRequest,
    get=GET_PURCHASE_ORDER,
    writes=WRITES,
    notes={
        "list": "Filters combine; newest first.",
        "modify": "What is left out stays as it is.",
    },
)
