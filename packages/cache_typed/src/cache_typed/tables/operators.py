"""Operators: who works on the shop floor.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_core.specs.operators import OPERATOR
from cache_typed.columns import moment
from cache_typed.documents import Document, identity, text, whole
from cache_typed.mapping import TableMapping


class Operator(Document, table=True):
    """Someone who works on the shop floor or in the warehouse."""

    _fts_columns: ClassVar[Searchable] = OPERATOR.searchable

    id: int = identity()
    operator_name: str | None = text()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    working_area: str | None = text(index=True)
    resource_id: int | None = whole(index=True)


OPERATOR_TABLE = TableMapping(
    OPERATOR,
    Operator,
    guesses=frozenset(Capability),
)
