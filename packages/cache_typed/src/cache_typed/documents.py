"""What every table of the typed cache carries beside its own columns: bookkeeping, and what no column fits.

Columns that begin with `cache_` are ours; every other column has the name of the wire field that it holds.
"""

import re
from typing import ClassVar

from sqlalchemy import BigInteger, ForeignKeyConstraint, Index, LargeBinary, Text
from sqlalchemy.orm import declared_attr
from sqlmodel import Field, SQLModel

from cache_core.spec import Searchable
from cache_typed import dialect


class Named(SQLModel):
    """A table named like its class: `SalesOrderRow` is `sales_order_row`."""

    @declared_attr  # pyright: ignore[reportArgumentType] - as SQLModel declares its own  # ty: ignore[invalid-argument-type]
    def __tablename__(cls) -> str:  # noqa: N805 - SQLAlchemy passes the class  # pyright: ignore[reportIncompatibleVariableOverride] - as above
        """Return the table's name."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()


class Document(Named):
    """A record's own row. Subclasses declare an integer primary key and a column per wire field.

    Attributes:
        cache_id: the record's id where it is not the primary key itself (`i-5`, `sabc`), otherwise null.
        cache_version: its version; its index serves `updated_at`, which says the same.
        cache_written_at: when we wrote it ourselves, if a listing has not confirmed it since.
        cache_deleted: whether it is deleted.
        cache_archived: whether it is archived.
        cache_odd: whether some value did not fit its column, here or in a part: filters then ask the record.
        cache_key: its business key; its index serves the field that the key is read from.
        cache_sort: what hits of equal standing are ordered by.
        cache_keys: its searchable text of the class keys; likewise names, extras and related.
        cache_codes: its exact codes as JSON, `[["00 4021",0]]`.
        cache_digest: of the record (16 bytes) and of everything else (16 bytes); equal means unchanged.
        cache_fields: the names of the record's fields in the order sent, an entry of `CacheFields`.
        cache_unknown: a JSON object of fields without a column, and of values that did not fit theirs.

    `_fts_columns` says what of a record's text is stored, and with it found: the spec's `searchable`.
    """

    _fts_columns: ClassVar[Searchable] = Searchable()

    cache_id: str | None = Field(default=None, sa_type=Text)
    cache_version: str | None = Field(default=None, sa_type=Text, index=True)
    cache_written_at: str | None = Field(default=None, sa_type=Text)
    cache_deleted: bool = Field(default=False)
    cache_archived: bool = Field(default=False)
    cache_odd: bool = Field(default=False)
    cache_key: str | None = Field(default=None, sa_type=Text, index=True)
    cache_sort: str = Field(default="", sa_type=Text)
    cache_keys: str = Field(default="", sa_type=Text)
    cache_names: str = Field(default="", sa_type=Text)
    cache_extras: str = Field(default="", sa_type=Text)
    cache_related: str = Field(default="", sa_type=Text)
    cache_codes: str = Field(default="[]", sa_type=Text)
    cache_digest: bytes = Field(default=b"", sa_type=LargeBinary)
    cache_fields: int = Field(sa_type=BigInteger)
    cache_unknown: str | None = Field(default=None, sa_type=Text)


class Part(Named):
    """A row inside a document, such as an order row; it lives and dies with the document.

    Attributes:
        cache_parent: the document's primary key.
        cache_position: its place in the document's list, from 0.
        cache_fields: as in `Document`.
        cache_unknown: as in `Document`.
    """

    cache_parent: int = Field(primary_key=True)
    cache_position: int = Field(primary_key=True)
    cache_fields: int = Field(sa_type=BigInteger)
    cache_unknown: str | None = Field(default=None, sa_type=Text)


class CacheState(Named, table=True):
    """What sync remembers of an entity, and under another name its lease, as JSON."""

    entity: str = Field(primary_key=True)
    state: str = Field(sa_type=Text)


class CacheQuarantine(Named, table=True):
    """A record that could not be kept; `key` is its id in the form of `Document.cache_id`, or its payload."""

    nr: int | None = Field(default=None, primary_key=True)
    entity: str = Field(index=True)
    key: str = Field(sa_type=Text)
    has_id: bool
    reason: str = Field(sa_type=Text)
    payload: str = Field(sa_type=Text)


class CacheFields(Named, table=True):
    """Names of fields in the order sent, a JSON list once for all rows alike: tells absent from null."""

    nr: int = Field(primary_key=True, sa_type=BigInteger)
    names: str = Field(sa_type=Text)


def identity() -> int:
    """Declare the primary key: the field of the integer id, or `cache_nr` where ids are texts."""
    return Field(primary_key=True)


def whole(*, index: bool = False) -> int | None:
    """Declare a column for an integer; with an index where a filter or an order needs one."""
    return Field(default=None, index=index)


def text(*, index: bool = False) -> str | None:
    """Declare a column for a text; with an index where a filter or an order needs one."""
    return Field(default=None, sa_type=Text, index=index)


def flag(*, index: bool = False) -> bool | None:
    """Declare a column for true or false; with an index where a filter needs one."""
    return Field(default=None, index=index)


def together(table: str, *columns: str) -> Index:
    """Return an index over columns that a list is often narrowed by at once."""
    return Index(f"ix_{table}_{'_'.join(columns)}", *columns)


def part_of(document: str) -> tuple[ForeignKeyConstraint, dict[str, bool]]:
    """Return `__table_args__` of a part: the one foreign key that the cache enforces."""
    link = ForeignKeyConstraint(["cache_parent"], [document], ondelete="CASCADE")
    return (link, dialect.WITHOUT_ROWID)
