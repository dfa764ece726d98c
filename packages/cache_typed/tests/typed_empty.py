"""Typed caches that are empty, for tests of what reads, writes and searches their rows."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from cache_typed import dialect, schema
from cache_typed.backend import TypedBackend
from cache_typed.dialect import Connection
from cache_typed.tables.bom_rows import BOM_ROW_TABLE
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE
from cache_typed.tables.variants import VARIANT_TABLE


def empty_cache() -> Connection:
    """Return a connection to an empty cache of orders, BOM rows and variants in memory."""
    connection = dialect.connect(":memory:")
    dialect.load_image(schema.empty_image((SALES_ORDER_TABLE, BOM_ROW_TABLE, VARIANT_TABLE)), connection)
    return connection


@asynccontextmanager
async def opened(directory: Path | None) -> AsyncGenerator[TypedBackend]:
    """Open a cache for a block."""
    backend = TypedBackend(directory)
    await backend.open()
    yield backend
    await backend.close()
