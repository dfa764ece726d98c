"""An empty typed cache in memory, for tests of what reads, writes and searches its rows."""

from cache_typed import dialect, schema
from cache_typed.dialect import Connection
from cache_typed.tables.bom_rows import BOM_ROW_TABLE
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE
from cache_typed.tables.variants import VARIANT_TABLE


def empty_cache() -> Connection:
    """Return a connection to an empty cache of orders, BOM rows and variants in memory."""
    connection = dialect.connect(":memory:")
    dialect.load_image(schema.empty_image((SALES_ORDER_TABLE, BOM_ROW_TABLE, VARIANT_TABLE)), connection)
    return connection
