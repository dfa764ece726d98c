"""Records to rows and back: what the table classes declare, read once into plain tuples.

Refuses to lose anything: what no column can hold exactly goes into the JSON of unknowns of the same row.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple, cast

from sqlalchemy import Column, Table
from sqlmodel import SQLModel

from cache_core.protocol import Capability
from cache_core.records import Json, decode, encode, inner_fields, projected
from cache_core.spec import EntitySpec, Searchable, Sources, sources_of
from cache_typed import dialect
from cache_typed.columns import Cell, Codec, codec_of, order_key_of
from cache_typed.documents import Document, Part
from cache_typed.field_names import FieldNames, field_names

type Names = Callable[[Cell], Sequence[str]]
"""Returns the field names that a row refers to."""
type PartCells = Mapping[str, Sequence[Sequence[Cell]]]

_OURS = "cache_"
_HEAD = ("cache_id", "cache_version", "cache_deleted", "cache_archived")
_NONE: Mapping[str, Json] = MappingProxyType({})
_MOST_PICKED = 4096
"""Lists of field names that are kept per table; Katana sends a handful."""
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


class Shape:
    """How the rows of one table hold wire fields.

    Attributes:
        name: the table's name.
        fields: wire fields that have a column here, with their codecs.
        field_set: their names.
        orders: which column sorts which number column.
        columns: wire columns in storage order, as SQL writes them: fields, their order columns, `cache_fields`,
            `cache_unknown`.
        reading: the statement that reads rows of a part, without its conditions.
    """

    def __init__(self, table: Table, key: str | None = None, only: frozenset[str] | None = None) -> None:
        """Read the table's declaration; the field `key` is a row's first cell, and `only` these fields are read."""
        wire = [column for column in table.columns if not column.name.startswith(_OURS) and column.name != key]
        if only is not None:
            wire = [column for column in wire if column.name in only]
        self._key = key
        self._only = only
        self.name = table.name
        self.orders = {_ordered(column): column.name for column in wire if _ordered(column)}
        self.fields: dict[str, Codec] = {column.name: codec_of(column) for column in wire if not _ordered(column)}
        self.columns: tuple[str, ...] = tuple(
            map(dialect.quoted, (*self.fields, *self.orders.values(), "cache_fields", "cache_unknown"))
        )
        self.field_set = frozenset(self.fields)
        self._sorted = tuple(list(self.fields).index(name) for name in self.orders if name in self.fields)
        self._placings: dict[tuple[str, ...], _Placing] = {}
        self._picked: dict[Cell, _Picked] = {}
        self.reading = f"SELECT cache_parent, {', '.join(self.columns)} FROM {self.name}"

    def cells(self, record: Mapping[str, Json], odd: dict[str, Json], placed: frozenset[str]) -> "PlacedCells":
        """Return the cells of a record.

        Args:
            record: the object to store.
            odd: fields that the caller found not to fit; grows.
            placed: every field that has a place, here or with the caller; the same each time.
        """
        sent = tuple(record)
        placing = self._placings.get(sent) or self._placing(sent, placed)
        values = list(record.values())
        cells = [None if value is None else store(value) for value, store in zip(values, placing.stores, strict=True)]
        has_misfit = cells.count(None) != values.count(None)
        cells = list(placing.cells_of([*cells, None])[:-2])
        if has_misfit:
            pairs = zip(self.fields, map(record.get, self.fields), cells, strict=True)
            odd.update((name, value) for name, value, cell in pairs if cell is None and value is not None)
        strange = bool(odd)
        cells += [order_key_of(cells[place]) for place in self._sorted]
        if placing.others:
            odd.update((name, record[name]) for name in placing.others)
        cells += (placing.names.nr, encode(odd).decode() if odd else None)
        return PlacedCells(cells, strange, placing.names)

    def _placing(self, sent: tuple[str, ...], placed: frozenset[str]) -> "_Placing":
        """Return how to place the values of fields with these names, and keep it."""
        stores = tuple(self.fields[name].store if name in self.fields else _elsewhere for name in sent)
        # Two more cells than fields: of fewer than two, `itemgetter` makes no tuple.
        cells_of = itemgetter(*(sent.index(name) if name in sent else -1 for name in self.fields), -1, -1)
        others = tuple(name for name in sent if name not in placed)
        placing = _Placing(field_names(sent), stores, cells_of, others)
        if len(self._placings) < _MOST_PICKED:
            self._placings[sent] = placing
        return placing

    def record(self, values: Mapping[str, Json], cells: Sequence[Cell], names: Names) -> dict[str, Json]:
        """Return the object whose cells these are, fields in the order sent.

        Args:
            values: what the caller knows of fields that have no column here.
            cells: the row; what stands between its first cell and those of `columns` does not matter.
            names: tells the field names that a row refers to.
        """
        listed, unknown = cells[-2], cells[-1]
        sent, cells_of, loads, others = self._picked.get(listed) or self._learnt(listed, names)
        record = dict(zip(sent, cells_of(cells), strict=False))
        for name, load in loads:
            cell = record[name]
            if cell is not None:
                record[name] = load(cell)
        if unknown is not None:
            values = {**values, **decode(str(unknown))}
            record.update((name, value) for name, value in values.items() if name in record)
        for name in others:
            record[name] = values[name]
        return record

    def _learnt(self, listed: Cell, names: Names) -> "_Picked":
        """Return how to read the rows whose fields have these names, and keep it.

        Not where the number is of other names, as in a damaged file: what is kept serves every file of this process.
        """
        places = {name: place - len(self.columns) for place, name in enumerate(self.fields)}
        places |= {} if self._key is None else {self._key: 0}
        every = tuple(names(listed))
        sent = every if self._only is None else tuple(name for name in every if name in self._only)
        # Two more cells than names: of fewer than two, `itemgetter` makes no tuple.
        cells_of = cast("_Reading", itemgetter(*(places.get(name, -1) for name in sent), -1, -1))
        found = ((name, self.fields[name].load) for name in sent if name in self.fields)
        loads = tuple((name, cast("Callable[[Json], Json]", load)) for name, load in found if load is not None)
        picked = _Picked(sent, cells_of, loads, tuple(name for name in sent if name not in places))
        if len(self._picked) < _MOST_PICKED and field_names(every).nr == listed:
            self._picked[listed] = picked
        return picked


class PlacedCells(NamedTuple):
    """The cells of an object, whether some value did not fit, and the names of its fields."""

    cells: list[Cell]
    odd: bool
    names: FieldNames


class _Placing(NamedTuple):
    """How objects are stored whose fields have the same names.

    Attributes:
        names: the names in the order sent.
        stores: what makes a cell of each value.
        cells_of: returns the cells in storage order, and two more, of those in the order sent and an empty one.
        others: names that have no place.
    """

    names: FieldNames
    stores: tuple[Callable[[Json], Cell], ...]
    cells_of: Callable[[Sequence[Cell]], tuple[Cell, ...]]
    others: tuple[str, ...]


def _elsewhere(_: Json) -> Cell:
    """Return a cell that nobody takes, for a value that has no column here."""
    return 0


type _Reading = Callable[[Sequence[Cell]], tuple[Json, ...]]
"""Returns some cells of a row, which are JSON values but for those that are loaded."""


class _Picked(NamedTuple):
    """How rows are read whose fields have the same names.

    Attributes:
        names: the names in the order sent.
        cells_of: returns a row's cells in their order, and two more.
        loads: what turns a cell into a value, where it is not one already.
        others: names that have no column here.
    """

    names: tuple[str, ...]
    cells_of: _Reading
    loads: tuple[tuple[str, Callable[[Json], Json]], ...]
    others: tuple[str, ...]


class Layout:
    """Everything the machinery needs to know of an entity's tables.

    Attributes:
        mapping: where it comes from.
        main: the shape of the document's own row, without its primary key.
        pk: the name of the primary key column.
        id_is_pk: whether the wire's id is that column; otherwise ids are texts in `cache_id`.
        parts: each part with its shape.
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


def _ordered(column: "Column[object]") -> str:
    name: object = column.info.get("order_of", "")
    return str(name)


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
