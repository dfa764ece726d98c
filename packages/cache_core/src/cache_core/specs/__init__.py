"""What the cache knows of Katana, one `EntitySpec` per collection; plain data, no code."""

from cache_core.spec import EntitySpec
from cache_core.specs.additional_costs import ADDITIONAL_COST
from cache_core.specs.bom_rows import BOM_ROW
from cache_core.specs.custom_field_definitions import CUSTOM_FIELD_DEFINITION
from cache_core.specs.customers import CUSTOMER
from cache_core.specs.factory import FACTORY
from cache_core.specs.inventory_movements import INVENTORY_MOVEMENT
from cache_core.specs.locations import LOCATION
from cache_core.specs.manufacturing_order_operation_rows import MANUFACTURING_ORDER_OPERATION_ROW
from cache_core.specs.manufacturing_order_productions import MANUFACTURING_ORDER_PRODUCTION
from cache_core.specs.manufacturing_order_recipe_rows import MANUFACTURING_ORDER_RECIPE_ROW
from cache_core.specs.manufacturing_orders import MANUFACTURING_ORDER
from cache_core.specs.materials import MATERIAL
from cache_core.specs.operators import OPERATOR
from cache_core.specs.outsourced_purchase_order_recipe_rows import OUTSOURCED_PURCHASE_ORDER_RECIPE_ROW
from cache_core.specs.products import PRODUCT
from cache_core.specs.purchase_order_accounting_metadata import PURCHASE_ORDER_ACCOUNTING_METADATA
from cache_core.specs.purchase_order_additional_cost_rows import PURCHASE_ORDER_ADDITIONAL_COST_ROW
from cache_core.specs.purchase_orders import PURCHASE_ORDER
from cache_core.specs.sales_order_fulfillments import SALES_ORDER_FULFILLMENT
from cache_core.specs.sales_orders import SALES_ORDER
from cache_core.specs.sales_return_rows import SALES_RETURN_ROW
from cache_core.specs.sales_returns import SALES_RETURN
from cache_core.specs.services import SERVICE
from cache_core.specs.stock import STOCK
from cache_core.specs.stock_adjustments import STOCK_ADJUSTMENT
from cache_core.specs.stock_transfers import STOCK_TRANSFER
from cache_core.specs.stocktake_rows import STOCKTAKE_ROW
from cache_core.specs.stocktakes import STOCKTAKE
from cache_core.specs.suppliers import SUPPLIER
from cache_core.specs.tax_rates import TAX_RATE
from cache_core.specs.variants import VARIANT

SPECS: tuple[EntitySpec, ...] = (
    FACTORY,
    LOCATION,
    TAX_RATE,
    ADDITIONAL_COST,
    OPERATOR,
    CUSTOM_FIELD_DEFINITION,
    SUPPLIER,
    CUSTOMER,
    PRODUCT,
    MATERIAL,
    SERVICE,
    VARIANT,
    BOM_ROW,
    SALES_ORDER,
    SALES_ORDER_FULFILLMENT,
    SALES_RETURN,
    SALES_RETURN_ROW,
    PURCHASE_ORDER,
    PURCHASE_ORDER_ADDITIONAL_COST_ROW,
    PURCHASE_ORDER_ACCOUNTING_METADATA,
    OUTSOURCED_PURCHASE_ORDER_RECIPE_ROW,
    MANUFACTURING_ORDER,
    MANUFACTURING_ORDER_RECIPE_ROW,
    MANUFACTURING_ORDER_OPERATION_ROW,
    MANUFACTURING_ORDER_PRODUCTION,
    STOCK_TRANSFER,
    STOCK_ADJUSTMENT,
    STOCKTAKE,
    STOCKTAKE_ROW,
    STOCK,
    INVENTORY_MOVEMENT,
)
"""Every entity, parents before the entities that borrow from them."""
