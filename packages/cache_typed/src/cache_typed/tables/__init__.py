"""The registry of tables: all entities that the typed cache holds.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from cache_typed.mapping import TableMapping
from cache_typed.tables.additional_costs import ADDITIONAL_COST_TABLE
from cache_typed.tables.bom_rows import BOM_ROW_TABLE
from cache_typed.tables.custom_field_definitions import CUSTOM_FIELD_DEFINITION_TABLE
from cache_typed.tables.customers import CUSTOMER_TABLE
from cache_typed.tables.factory import FACTORY_TABLE
from cache_typed.tables.inventory_movements import INVENTORY_MOVEMENT_TABLE
from cache_typed.tables.locations import LOCATION_TABLE
from cache_typed.tables.manufacturing_order_operation_rows import MANUFACTURING_ORDER_OPERATION_ROW_TABLE
from cache_typed.tables.manufacturing_order_productions import MANUFACTURING_ORDER_PRODUCTION_TABLE
from cache_typed.tables.manufacturing_order_recipe_rows import MANUFACTURING_ORDER_RECIPE_ROW_TABLE
from cache_typed.tables.manufacturing_orders import MANUFACTURING_ORDER_TABLE
from cache_typed.tables.materials import MATERIAL_TABLE
from cache_typed.tables.operators import OPERATOR_TABLE
from cache_typed.tables.outsourced_purchase_order_recipe_rows import OUTSOURCED_PURCHASE_ORDER_RECIPE_ROW_TABLE
from cache_typed.tables.products import PRODUCT_TABLE
from cache_typed.tables.purchase_order_accounting_metadata import PURCHASE_ORDER_ACCOUNTING_METADATA_TABLE
from cache_typed.tables.purchase_order_additional_cost_rows import PURCHASE_ORDER_ADDITIONAL_COST_ROW_TABLE
from cache_typed.tables.purchase_orders import PURCHASE_ORDER_TABLE
from cache_typed.tables.sales_order_fulfillments import SALES_ORDER_FULFILLMENT_TABLE
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE
from cache_typed.tables.sales_return_rows import SALES_RETURN_ROW_TABLE
from cache_typed.tables.sales_returns import SALES_RETURN_TABLE
from cache_typed.tables.services import SERVICE_TABLE
from cache_typed.tables.stock import STOCK_TABLE
from cache_typed.tables.stock_adjustments import STOCK_ADJUSTMENT_TABLE
from cache_typed.tables.stock_transfers import STOCK_TRANSFER_TABLE
from cache_typed.tables.stocktake_rows import STOCKTAKE_ROW_TABLE
from cache_typed.tables.stocktakes import STOCKTAKE_TABLE
from cache_typed.tables.suppliers import SUPPLIER_TABLE
from cache_typed.tables.tax_rates import TAX_RATE_TABLE
from cache_typed.tables.variants import VARIANT_TABLE

TABLES: tuple[TableMapping, ...] = (
    FACTORY_TABLE,
    LOCATION_TABLE,
    TAX_RATE_TABLE,
    ADDITIONAL_COST_TABLE,
    OPERATOR_TABLE,
    CUSTOM_FIELD_DEFINITION_TABLE,
    SUPPLIER_TABLE,
    CUSTOMER_TABLE,
    PRODUCT_TABLE,
    MATERIAL_TABLE,
    SERVICE_TABLE,
    VARIANT_TABLE,
    BOM_ROW_TABLE,
    SALES_ORDER_TABLE,
    SALES_ORDER_FULFILLMENT_TABLE,
    SALES_RETURN_TABLE,
    SALES_RETURN_ROW_TABLE,
    PURCHASE_ORDER_TABLE,
    PURCHASE_ORDER_ADDITIONAL_COST_ROW_TABLE,
    PURCHASE_ORDER_ACCOUNTING_METADATA_TABLE,
    OUTSOURCED_PURCHASE_ORDER_RECIPE_ROW_TABLE,
    MANUFACTURING_ORDER_TABLE,
    MANUFACTURING_ORDER_RECIPE_ROW_TABLE,
    MANUFACTURING_ORDER_OPERATION_ROW_TABLE,
    MANUFACTURING_ORDER_PRODUCTION_TABLE,
    STOCK_TRANSFER_TABLE,
    STOCK_ADJUSTMENT_TABLE,
    STOCKTAKE_TABLE,
    STOCKTAKE_ROW_TABLE,
    STOCK_TABLE,
    INVENTORY_MOVEMENT_TABLE,
)
