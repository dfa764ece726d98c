"""An empty cache on a connection, for tests of what reads and writes its rows."""

from collections.abc import Generator
from contextlib import closing

import pytest
from typed_empty import empty_cache

from cache_typed.dialect import Connection
from cache_typed.mapping import Layout
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE


@pytest.fixture
def db() -> Generator[Connection]:
    """Return a connection to an empty cache of orders, BOM rows and variants in memory."""
    with closing(empty_cache()) as connection:
        yield connection


@pytest.fixture
def orders() -> Layout:
    """Return the layout of orders, read anew."""
    return Layout(SALES_ORDER_TABLE)
