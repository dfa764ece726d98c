"""Tools that are not one verb on one entity, as a constant tuple."""

from katana_mcp.surface.descriptor import AnyTool
from katana_mcp.workflows.batches.planning import CHANGING, MODIFY_TRACEABILITY
from katana_mcp.workflows.bin_transfers.planning import MOVING, PLAN_BIN_TRANSFER
from katana_mcp.workflows.blocking_ingredients import LIST_BLOCKING_INGREDIENTS
from katana_mcp.workflows.bom import GET_BOM
from katana_mcp.workflows.buildable import BUILDABLE
from katana_mcp.workflows.cache_status import CACHE_STATUS
from katana_mcp.workflows.check_inventory import CHECK_INVENTORY
from katana_mcp.workflows.custom_fields.defining import DEFINE_CUSTOM_FIELD, DEFINING
from katana_mcp.workflows.demand_forecast import GET_DEMAND_FORECAST
from katana_mcp.workflows.inventory_at import INVENTORY_AT
from katana_mcp.workflows.inventory_movements import GET_INVENTORY_MOVEMENTS
from katana_mcp.workflows.inventory_signals import LIST_INVENTORY_SIGNALS
from katana_mcp.workflows.low_stock import LIST_LOW_STOCK_ITEMS
from katana_mcp.workflows.order_readiness import ORDER_READINESS
from katana_mcp.workflows.promise_date import PROMISE_DATE
from katana_mcp.workflows.ranking.prioritizing import PRIORITIZE_ORDERS, PRIORITIZING
from katana_mcp.workflows.rebuild_cache import REBUILD_CACHE
from katana_mcp.workflows.reference import LIST_REFERENCE
from katana_mcp.workflows.safety_stock.setting import MODIFY_SAFETY_STOCK, SETTING
from katana_mcp.workflows.stock_value import STOCK_VALUE
from katana_mcp.workflows.traceability import LIST_TRACEABILITY
from katana_mcp.workflows.tracing.trace import TRACE
from katana_mcp.workflows.variant_details import GET_VARIANT_DETAILS
from katana_mcp.writing.change import Changes

WORKFLOWS: tuple[AnyTool, ...] = (
    GET_VARIANT_DETAILS,
    CHECK_INVENTORY,
    LIST_LOW_STOCK_ITEMS,
    LIST_INVENTORY_SIGNALS,
    GET_DEMAND_FORECAST,
    GET_INVENTORY_MOVEMENTS,
    INVENTORY_AT,
    STOCK_VALUE,
    MODIFY_SAFETY_STOCK,
    LIST_TRACEABILITY,
    MODIFY_TRACEABILITY,
    PLAN_BIN_TRANSFER,
    TRACE,
    ORDER_READINESS,
    PROMISE_DATE,
    PRIORITIZE_ORDERS,
    LIST_BLOCKING_INGREDIENTS,
    GET_BOM,
    BUILDABLE,
    LIST_REFERENCE,
    DEFINE_CUSTOM_FIELD,
    CACHE_STATUS,
    REBUILD_CACHE,
)

CHANGES: Changes = {
    PRIORITIZE_ORDERS.name: PRIORITIZING,
    DEFINE_CUSTOM_FIELD.name: DEFINING,
    MODIFY_SAFETY_STOCK.name: SETTING,
    MODIFY_TRACEABILITY.name: CHANGING,
    PLAN_BIN_TRANSFER.name: MOVING,
}
"""How those of them plan that plan a write, by name."""
