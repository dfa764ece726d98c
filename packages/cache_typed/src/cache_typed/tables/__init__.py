"""The registry of tables: one line per entity that the typed cache holds."""

from cache_typed.mapping import TableMapping
from cache_typed.tables.customers import CUSTOMER_TABLE
from cache_typed.tables.locations import LOCATION_TABLE
from cache_typed.tables.materials import MATERIAL_TABLE
from cache_typed.tables.operators import OPERATOR_TABLE
from cache_typed.tables.products import PRODUCT_TABLE
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE
from cache_typed.tables.services import SERVICE_TABLE
from cache_typed.tables.stock import STOCK_TABLE
from cache_typed.tables.suppliers import SUPPLIER_TABLE
from cache_typed.tables.tax_rates import TAX_RATE_TABLE
from cache_typed.tables.variants import VARIANT_TABLE

TABLES: tuple[TableMapping, ...] = (
    LOCATION_TABLE,
    TAX_RATE_TABLE,
    OPERATOR_TABLE,
    SUPPLIER_TABLE,
    CUSTOMER_TABLE,
    PRODUCT_TABLE,
    MATERIAL_TABLE,
    SERVICE_TABLE,
    VARIANT_TABLE,
    SALES_ORDER_TABLE,
    STOCK_TABLE,
)
