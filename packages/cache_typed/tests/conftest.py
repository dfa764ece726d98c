"""An empty cache on a connection, for tests of what reads and writes its rows."""

from collections.abc import Generator
from contextlib import closing

import pytest

from cache_typed import dialect, schema
from cache_typed.dialect import Connection
from cache_typed.mapping import Layout
from cache_typed.tables.bom_rows import BOM_ROW_TABLE
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE


@pytest.fixture
def db() -> Generator[Connection]:
    """Return a connection to an empty cache of orders and BOM rows in memory."""
    with closing(dialect.connect(":memory:")) as connection:
        dialect.load_image(schema.empty_image((SALES_ORDER_TABLE, BOM_ROW_TABLE)), connection)
        yield connection


@pytest.fixture
def orders() -> Layout:
    """Return the layout of orders, read anew."""
    return Layout(SALES_ORDER_TABLE)
