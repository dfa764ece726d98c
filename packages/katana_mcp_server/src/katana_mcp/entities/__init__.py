"""Every entity of the tool surface, as a constant; adding one is a folder beside these and a line here."""

from katana_mcp.entities.customers import CUSTOMERS
from katana_mcp.entities.items import ITEMS
from katana_mcp.entities.manufacturing_orders import MANUFACTURING_ORDERS
from katana_mcp.entities.purchase_orders import PURCHASE_ORDERS
from katana_mcp.entities.sales_orders import SALES_ORDERS
from katana_mcp.entities.sales_returns import SALES_RETURNS
from katana_mcp.entities.stock_adjustments import STOCK_ADJUSTMENTS
from katana_mcp.entities.stock_transfers import STOCK_TRANSFERS
from katana_mcp.entities.stocktakes import STOCKTAKES
from katana_mcp.entities.suppliers import SUPPLIERS
from katana_mcp.surface.descriptor import Entity

ENTITIES: tuple[Entity, ...] = (
    ITEMS,
    SALES_ORDERS,
    SALES_RETURNS,
    PURCHASE_ORDERS,
    MANUFACTURING_ORDERS,
    STOCK_TRANSFERS,
    STOCK_ADJUSTMENTS,
    STOCKTAKES,
    CUSTOMERS,
    SUPPLIERS,
)
