"""Additional costs: Katana's presets that a purchase order can carry.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.additional_costs import ADDITIONAL_COST
from cache_typed.columns import moment
from cache_typed.documents import Document, identity, text
from cache_typed.mapping import TableMapping


class AdditionalCost(Document, table=True):
    """A kind of cost that a purchase order can carry."""

    _fts_columns: ClassVar[Searchable] = ADDITIONAL_COST.searchable

    id: int = identity()
    name: str | None = text()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


ADDITIONAL_COST_TABLE = TableMapping(
    ADDITIONAL_COST,
    AdditionalCost,
)
