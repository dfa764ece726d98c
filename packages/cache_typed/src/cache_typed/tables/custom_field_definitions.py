"""Custom field definitions: what records may carry besides their own fields. Their ids are texts.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.custom_field_definitions import CUSTOM_FIELD_DEFINITION
from cache_typed.columns import moment, nested
from cache_typed.documents import Document, identity, text
from cache_typed.mapping import TableMapping


class CustomFieldDefinition(Document, table=True):
    """A custom field that records of a kind can have."""

    _fts_columns: ClassVar[Searchable] = CUSTOM_FIELD_DEFINITION.searchable

    cache_nr: int = identity()
    id: str | None = text(index=True)
    label: str | None = text()
    field_type: str | None = text(index=True)
    entity_type: str | None = text(index=True)
    source: str | None = text()
    description: str | None = text()
    options: object | None = nested()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


CUSTOM_FIELD_DEFINITION_TABLE = TableMapping(
    CUSTOM_FIELD_DEFINITION,
    CustomFieldDefinition,
)
