"""Records to rows and back: what the table classes of an entity declare, read once into plain tuples."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import cast

from sqlalchemy import Table
from sqlmodel import SQLModel

from cache_core.protocol import Capability
from cache_core.records import Json, inner_fields, projected
from cache_core.search_rules import Sources
from cache_core.spec import EntitySpec, Searchable, sources_of
from cache_typed.columns import Cell
from cache_typed.documents import Document, Part
from cache_typed.field_names import FieldNames
from cache_typed.shapes import Names, Shape

type PartCells = Mapping[str, Sequence[Sequence[Cell]]]

_HEAD = ("cache_id", "cache_version", "cache_deleted", "cache_archived", "cache_digest")
HEAD = 1 + len(_HEAD)
"""Cells of a document's row that stand before those of its record."""
_NONE: Mapping[str, Json] = MappingProxyType({})
_MOST_PROJECTIONS = 256
"""Projections that are kept per entity; the server's code has a few."""


@dataclass(frozen=True, slots=True)
class PartMapping:
    """A list of rows (or a single object) of the record that has a table of its own."""

    field: str
    table: type[Part]
    single: bool = False


@dataclass(frozen=True, slots=True)
class TableMapping:
    """An entity's tables: its spec, the document's class and the classes of its parts.

    `guesses` says what a search tries after a miss; it costs an index of the entity's words.
    """

    spec: EntitySpec
    table: type[Document]
    parts: tuple[PartMapping, ...] = ()
    guesses: frozenset[Capability] = frozenset()


class Layout:
    """Everything the machinery needs to know of an entity's tables.

    Attributes:
        mapping: where it comes from.
        main: the shape of the document's own row, without its primary key.
        pk: the name of the primary key column.
        id_is_pk: whether the wire's id is that column; otherwise ids are texts in `cache_id`.
        parts: each part with its shape.
        statements: the texts of statements that were made for it, by what they depend on.
    """

    def __init__(self, mapping: TableMapping, only: frozenset[str] | None = None) -> None:
        """Read the mapping's table classes, or only what these paths of a record name."""
        table = table_of(mapping.table)
        inner = None if only is None else inner_fields(only)
        self.mapping = mapping
        self.spec = mapping.spec
        self.pk = next(column.name for column in table.primary_key)
        self.id_is_pk = self.pk == mapping.spec.id_path
        own_key = self.pk if self.id_is_pk else None
        self.main = Shape(table, own_key, None if inner is None else frozenset(inner))
        self.parts = tuple(
            (part, Shape(table_of(part.table), only=inner[part.field] or None if inner else None))
            for part in mapping.parts
            if inner is None or part.field in inner
        )
        self.shapes = {part.field: shape for part, shape in self.parts}
        self._known = frozenset((*self.main.fields, *self.shapes, *((self.pk,) if self.id_is_pk else ())))
        self._projections: dict[frozenset[str], Layout] = {}
        self.statements: dict[Hashable, str] = {}
        self._only = only
        self._is_nested = any(names and name not in self.shapes for name, names in (inner or {}).items())

    def only(self, fields: frozenset[str]) -> "Layout":
        """Return the layout that reads these paths of a record alone, as `records.projected` says."""
        layout = self._projections.get(fields)
        if layout is None:
            layout = Layout(self.mapping, fields)
            if len(self._projections) < _MOST_PROJECTIONS:
                self._projections[fields] = layout
        return layout

    @property
    def name(self) -> str:
        """The name of the document's table."""
        return self.main.name

    @cached_property
    def sources(self) -> Sources:
        """What of a row's text is stored, from `_fts_columns` of the document's class."""
        columns: Searchable = self.mapping.table._fts_columns  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - the name is given
        return tuple(map(sources_of, columns.by_class()))

    @cached_property
    def is_coded(self) -> bool:
        """Whether records have codes, of which a part may be typed without its separators."""
        keys, _, extras, _ = self.sources
        return bool(keys or extras)

    @cached_property
    def copies(self) -> Mapping[str, str]:
        """Fields whose value our bookkeeping holds too, under an index: the business key and the version."""
        copied = {self.spec.key_path: "cache_key", "updated_at": "cache_version"}
        return {name: column for name, column in copied.items() if name in self.main.fields}

    @cached_property
    def counts(self) -> tuple[str, ...]:
        """Columns that say how many rows each part has: null for null, 0 for an empty list."""
        return tuple(f"cache_count_{part.field}" for part, _ in self.parts)

    @cached_property
    def reading(self) -> str:
        """The statement that reads rows of the document: key, bookkeeping and `columns`; without its conditions."""
        return f"SELECT {', '.join((self.pk, *_HEAD, *self.columns))} FROM {self.name}"

    @cached_property
    def key(self) -> str:
        """The primary key, as SQL names it."""
        return f"{self.name}.{self.pk}"

    @cached_property
    def head(self) -> str:
        """What `reading` reads before `columns`, as SQL names it: `HEAD` cells."""
        return ", ".join((self.key, *(f"{self.name}.{column}" for column in _HEAD)))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The wire columns of the document's row, in storage order."""
        return (*self.counts, *self.main.columns)

    def to_rows(self, nr: int, record: Mapping[str, Json]) -> "DocumentRows":
        """Return the rows of a record whose primary key is `nr`."""
        odd: dict[str, Json] = {}
        names: set[FieldNames] = set()
        parts: dict[str, list[list[Cell]]] = {}
        counts: list[Cell] = []
        misfit = self._identify(nr, record, odd)
        for part, shape in self.parts:
            rows = _rows_of(part, record, odd)
            counts.append(None if rows is None else len(rows))
            stored: list[list[Cell]] = []
            parts[part.field] = stored
            for position, row in enumerate(rows or ()):
                cells, strange, sent = shape.cells(row, {}, shape.field_set)
                misfit = misfit or strange
                stored.append([nr, position, *cells])
                names.add(sent)
        cells, strange, sent = self.main.cells(record, odd, self._known)
        names.add(sent)
        return DocumentRows([*counts, *cells], parts, names, misfit or strange)

    def _identify(self, nr: int, record: Mapping[str, Json], odd: dict[str, Json]) -> bool:
        """Note an id field that is not the primary key itself; return whether filters cannot use it."""
        value = record.get(self.spec.id_path)
        if not self.id_is_pk:
            return not isinstance(value, str)
        if value == nr and not isinstance(value, bool | Decimal):
            return False
        if self.pk in record:
            odd[self.pk] = value
        return True

    def to_record(self, cells: Sequence[Cell], parts: PartCells, names: Names) -> dict[str, Json]:
        """Return the record that `to_rows` was given, fields in the same order.

        Its cells are its primary key, anything, and those of `columns`; those of parts end with their shapes' columns.
        """
        record = self.main.record(self._rows(cells, parts, names) if self.parts else _NONE, cells, names)
        is_left = self._is_nested or cells[-1] is not None  # what has no table or column of its own came whole
        return projected(record, self._only) if self._only is not None and is_left else record

    def _rows(self, cells: Sequence[Cell], parts: PartCells, names: Names) -> dict[str, Json]:
        values: dict[str, Json] = {}
        for index, (part, shape) in enumerate(self.parts, len(cells) - len(self.columns)):
            if cells[index] is None:
                values[part.field] = None
                continue
            rows: list[Json] = [shape.record(_NONE, row, names) for row in parts.get(part.field, ())]
            values[part.field] = rows[0] if part.single else rows
        return values


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """A record as rows.

    Attributes:
        cells: the document's wire cells.
        parts: the parts' full rows by field.
        names: the field names that the rows refer to.
        odd: whether a value did not fit its column.
    """

    cells: list[Cell]
    parts: dict[str, list[list[Cell]]]
    names: set[FieldNames]
    odd: bool


@lru_cache(maxsize=64)
def layout_of(mapping: TableMapping) -> Layout:
    """Return the layout of a mapping, read once."""
    return Layout(mapping)


def table_of(model: type[SQLModel]) -> Table:
    """Return the SQLAlchemy table behind a SQLModel class."""
    table: Table = vars(model)["__table__"]
    return table


def _rows_of(part: PartMapping, record: Mapping[str, Json], odd: dict[str, Json]) -> list[dict[str, Json]] | None:
    """Return the part's rows, None for null; what is neither a list of objects nor null is odd."""
    value = record.get(part.field)
    if value is None:
        return None
    rows = [value] if part.single else value
    if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
        return cast("list[dict[str, Json]]", rows)
    odd[part.field] = value
    return None
