"""The registry of tables: one line per entity that the typed cache holds."""

from cache_typed.mapping import TableMapping
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE
from cache_typed.tables.stock import STOCK_TABLE

TABLES: tuple[TableMapping, ...] = (
    SALES_ORDER_TABLE,
    STOCK_TABLE,
)
