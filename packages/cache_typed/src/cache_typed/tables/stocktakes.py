"""Stocktakes; their rows are a table of their own.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.stocktakes import STOCKTAKE
from cache_typed.columns import moment
from cache_typed.documents import Document, flag, identity, text, whole
from cache_typed.mapping import TableMapping


class Stocktake(Document, table=True):
    """A count of stock at a location."""

    _fts_columns: ClassVar[Searchable] = STOCKTAKE.searchable

    id: int = identity()
    stocktake_number: str | None = text()
    location_id: int | None = whole(index=True)
    status: str | None = text(index=True)
    stocktake_created_date: datetime | None = moment()
    started_date: datetime | None = moment()
    completed_date: datetime | None = moment(index=True)
    status_update_in_progress: bool | None = flag()
    set_remaining_items_as_counted: bool | None = flag()
    stock_adjustment_id: int | None = whole()
    reason: str | None = text()
    additional_info: str | None = text()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


STOCKTAKE_TABLE = TableMapping(
    STOCKTAKE,
    Stocktake,
)
