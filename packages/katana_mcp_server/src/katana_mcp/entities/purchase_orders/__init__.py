"""Purchase orders: what was ordered from suppliers, when it should arrive, and what of it has come."""

from cache_core.conditions import Missing
from katana_mcp.entities.purchase_orders.correcting import CORRECTING
from katana_mcp.entities.purchase_orders.filters import ListPurchaseOrdersRequest
from katana_mcp.entities.purchase_orders.get import GET_PURCHASE_ORDER
from katana_mcp.entities.purchase_orders.receiving import RECEIVING
from katana_mcp.entities.purchase_orders.rows import (
    HEADER_READS,
    PARTIES,
    ROW_VARIANTS,
    PurchaseOrderSummary,
    PurchaseOrderWithRows,
    header,
    single_row,
    with_rows,
)
from katana_mcp.entities.purchase_orders.verifying import VERIFY_ORDER_DOCUMENT
from katana_mcp.entities.purchase_orders.writes import WRITES
from katana_mcp.references.display_names import VARIANT_ENTITIES
from katana_mcp.surface.descriptor import Entity, SingleRows, View

_RECEIVES = (
    "Plan to receive goods of one purchase order, in full or in part; nothing is written.\n\n"
    "Shows the order afterwards, what stays open, stock before and after, and a `plan_token` for `apply_plan`."
)
_CORRECTS = (
    "Plan to correct one fully received purchase order; nothing is written.\n\n"
    "It is reopened, changed, and closed again: same receipts, dates, batches, costs. "
    "Shows every step, stock before and after, what is not kept, and a `plan_token` for `apply_plan`, which goes on "
    "where it stopped halfway."
)
PURCHASE_ORDERS = Entity(
    name="purchase_order",
    plural="purchase_orders",
    toolset="purchasing",
    sources=("purchase_order",),
    reads=("supplier", "location", *VARIANT_ENTITIES),
    searched=("order number", "supplier name and e-mail", "notes", "SKUs and supplier item codes of rows"),
    summary=View(model=PurchaseOrderSummary, computed_fields=header, names=PARTIES, reads=HEADER_READS),
    expanded=View(model=PurchaseOrderWithRows, computed_fields=with_rows, names=PARTIES | ROW_VARIANTS),
    single_rows=SingleRows(
        path="purchase_order_rows",
        open=(Missing("received_date"),),
        view=View(
            model=PurchaseOrderWithRows, computed_fields=single_row, names=PARTIES | {"variant": ("row.variant_id",)}
        ),
    ),
    list_request=ListPurchaseOrdersRequest,
    get=GET_PURCHASE_ORDER,
    more=(VERIFY_ORDER_DOCUMENT,),
    writes=WRITES,
    workflows={
        "receive_purchase_order": (RECEIVING, _RECEIVES),
        "correct_purchase_order": (CORRECTING, _CORRECTS),
    },
    notes={
        "list": "Filters combine; newest first.",
        "modify": "Fields left out stay unchanged.",
    },
)
