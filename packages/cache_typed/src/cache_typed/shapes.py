"""The rows of one table: how the fields of an object stand in its columns, stored and read back.

Refuses to lose anything: what no column can hold exactly goes into the JSON of unknowns of the same row.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple, cast

from sqlalchemy import Column, Table

from cache_core.records import Json, decode, encode
from cache_typed import dialect
from cache_typed.columns import Cell, Codec, codec_of, order_key_of
from cache_typed.field_names import FieldNames, field_names

type Names = Callable[[Cell], Sequence[str]]
"""Returns the field names that a row refers to."""

_OURS = "cache_"
_MOST_PICKED = 4096
"""Lists of field names that are kept per table; Katana sends a handful."""


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


def _ordered(column: "Column[object]") -> str:
    name: object = column.info.get("order_of", "")
    return str(name)
