"""The read half: rows by key, by condition, in order; counts, sync state and quarantine.

Where columns cannot decide, the record does: slower, never wrong.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import batched
from types import MappingProxyType
from typing import NamedTuple

from cache_core.conditions import Order, Visibility, Where, hold
from cache_core.protocol import Found, KeyMatch, Quarantined, Selection, Standing, Stored, SyncState, decode_state
from cache_core.records import RecordId, values_at
from cache_typed.columns import Cell, is_storable
from cache_typed.compiling import Clause, compiled, order_column
from cache_typed.dialect import CHUNK, Connection
from cache_typed.field_names import names_of
from cache_typed.keys import keys_of, marks, read_back, sortable
from cache_typed.mapping import HEAD, Layout
from cache_typed.remembered import MOST_AT_ONCE, Head, Remembered, heads_of, remembered, size_of, still_same
from cache_typed.unchanged import Question, forget, question, unchanged

_MAX = 2**62
_FITTING = "cache_odd = 0"
_NO_PARTS: Mapping[str, Sequence[Sequence[Cell]]] = MappingProxyType({})


def load(db: Connection, layout: Layout, nrs: Sequence[int], kept: Remembered | None = None) -> dict[int, Stored]:
    """Return the rows of these primary keys that are there, by key and in the order given; keep them where told so."""
    found: dict[int, Stored] = {}
    names = partial(names_of, db)
    for chunk in batched(nrs, CHUNK):
        sql = f"{layout.reading} WHERE {layout.pk} IN ({marks(chunk)})"
        cells_by_nr: dict[int, tuple[Cell, ...]] = {row[0]: row for row in db.execute(sql, chunk)}
        parts = _parts(db, layout, tuple(cells_by_nr)) if cells_by_nr and layout.parts else {}
        for nr in chunk:
            cells = cells_by_nr.get(nr)
            if cells is not None:
                _, text_id, version, deleted, archived = cells[:5]
                mine = parts.get(nr, _NO_PARTS)
                found[nr] = stored = Stored(
                    nr if text_id is None else read_back(str(text_id)),
                    None if version is None else str(version),
                    layout.to_record(cells, mine, names),
                    deleted=bool(deleted),
                    archived=bool(archived),
                )
                if kept is not None:
                    kept.add(layout, nr, (nr, *cells[1:HEAD]), stored, size_of(cells, mine.values()))
    return found


def load_kept(
    db: Connection, layout: Layout, nrs: Sequence[int], heads: Sequence[Head] | None = None
) -> dict[int, Stored]:
    """Return what `load` does, not made anew where it was read before; who gets the rows leaves them as they are.

    Where their heads are given, they are not read again.
    """
    if len(nrs) > MOST_AT_ONCE:
        return load(db, layout, nrs)
    kept = remembered(db)
    rows = kept.of(layout)
    same = still_same(kept, layout, heads_of(db, layout, [nr for nr in nrs if nr in rows]) if heads is None else heads)
    made = load(db, layout, [nr for nr in nrs if nr not in same], kept)
    if kept.bound():
        forget(db)
    found = same | made
    return {nr: found[nr] for nr in nrs if nr in found}


def _parts(db: Connection, layout: Layout, nrs: Sequence[int]) -> dict[int, dict[str, list[Sequence[Cell]]]]:
    found: dict[int, dict[str, list[Sequence[Cell]]]] = {}
    for part, shape in layout.parts:
        sql = f"{shape.reading} WHERE cache_parent IN ({marks(nrs)}) ORDER BY cache_parent, cache_position"
        for cells in db.execute(sql, nrs):
            found.setdefault(cells[0], {}).setdefault(part.field, []).append(cells)
    return found


def by_ids(layout: Layout, ids: Sequence[RecordId], fields: frozenset[str] | None) -> Question:
    """Return the question of `get_many`."""
    asked = tuple(dict.fromkeys(ids))
    return Question((layout, asked, tuple(map(type, asked)), fields), len(asked))


def get_many(db: Connection, layout: Layout, ids: Sequence[RecordId], fields: frozenset[str] | None = None) -> Found:
    """Return rows by id in any soft state."""
    asked = tuple(dict.fromkeys(ids))

    def read() -> Found:
        keys = keys_of(db, layout, asked)
        found = {row.id: row for row in load_kept(db, shown(layout, fields), list(keys.values())).values()}
        return Found(
            tuple(found[record_id] for record_id in asked if record_id in found),
            tuple(record_id for record_id in asked if record_id not in found),
        )

    return unchanged(db, by_ids(layout, ids, fields), read, lambda found: len(found.rows))


def find_by_key(db: Connection, layout: Layout, key: str) -> KeyMatch:
    """Return the best row for a business key."""
    if not is_storable(key):
        return KeyMatch(None)
    sql = f"SELECT {layout.pk}, cache_id, cache_deleted, cache_archived FROM {layout.name} WHERE cache_key = ?"
    same = [
        (not deleted, not archived, sortable(nr if text_id is None else read_back(text_id)), nr)
        for nr, text_id, deleted, archived in db.execute(sql, (key,))
    ]
    if not same:
        return KeyMatch(None)
    (row,) = load_kept(db, layout, [max(same)[-1]]).values()
    live = sorted(candidate[2] for candidate in same if candidate[0] and candidate[1])
    return KeyMatch(row, tuple(candidate[1] for candidate in live) if len(live) > 1 else ())


def has_overflow(db: Connection, layout: Layout) -> bool:
    """Return whether some row holds a value that its column could not."""
    return db.execute(f"SELECT 1 FROM {layout.name} WHERE cache_odd = 1 LIMIT 1").fetchone() is not None


def narrowed(db: Connection, layout: Layout, where: Where, visibility: Visibility) -> tuple[Clause, bool]:
    """Return what columns can decide of a search's conditions, and whether the records must still be asked."""
    clause = compiled(layout, where, visibility)
    odd = bool(where) and has_overflow(db, layout)
    if odd:
        visible = compiled(layout, (), visibility).sql()
        clause.parts = [visible, f"({clause.sql()} OR {layout.name}.cache_odd = 1)"]
    return clause, odd or bool(clause.left)


def window(layout: Layout, selection: Selection) -> Question | None:
    """Return the question of `select`; None for one that is read in any case."""
    return question(selection.where, layout, selection)


def select(db: Connection, layout: Layout, selection: Selection) -> tuple[Stored, ...]:
    """Return the window of rows that meet the conditions, in order."""
    return unchanged(db, window(layout, selection), lambda: _selected(db, layout, selection), len)


def _selected(db: Connection, layout: Layout, selection: Selection) -> tuple[Stored, ...]:
    odd = has_overflow(db, layout)
    projected = shown(layout, selection.fields)
    heads = None if odd else _heads_by_id(db, layout, selection)
    if heads is not None:
        return tuple(load_kept(db, projected, [head[0] for head in heads], heads).values())
    query = None if odd else window_query(layout, selection)
    if query is not None:
        return tuple(load_kept(db, projected, [nr for (nr,) in db.execute(*query)]).values())
    candidates = list(_sort_keys(_candidates(db, layout, selection), selection.order))
    if odd:
        strange = _overflow_rows(db, layout, selection.where, selection.visibility)
        candidates += _sort_keys(strange, selection.order)
    ordered = _ordered(candidates, selection.order)[selection.offset : selection.offset + selection.limit]
    return tuple(load_kept(db, projected, ordered).values())


def _heads_by_id(db: Connection, layout: Layout, selection: Selection) -> Sequence[Head] | None:
    """Return the heads of a window of rows, read with their keys; None where rows are sorted by another field, or many.

    Most reads that may have thousands have some.
    """
    if selection.order.field != layout.spec.id_path:
        return None
    few = selection._replace(limit=min(selection.limit, MOST_AT_ONCE + 1))
    query = window_query(layout, few, read=layout.head)
    if query is None:
        return None
    heads: list[Head] = db.execute(*query).fetchall()
    return heads if len(heads) <= MOST_AT_ONCE else None


def shown(layout: Layout, fields: frozenset[str] | None) -> Layout:
    """Return the layout that reads these paths of a record, or all of them."""
    return layout if fields is None else layout.only(fields)


def window_query(
    layout: Layout, selection: Selection, *more: str, read: str = ""
) -> tuple[str, dict[str, Cell]] | None:
    """Return the statement for the keys of a window, or for these columns, and its values; None where none can say."""
    clause = compiled(layout, selection.where, selection.visibility)
    column = order_column(layout, selection.order.field)
    if column is None or clause.left:
        return None
    limit, offset = clause.bind(min(selection.limit, _MAX)), clause.bind(min(selection.offset, _MAX))
    sql = (
        f"SELECT {read or layout.key} FROM {layout.name} WHERE {clause.sql(*more)}"
        f" ORDER BY {order_sql(layout, column, descending=selection.order.descending)}"
        f" LIMIT {limit} OFFSET {offset}"
    )
    return sql, clause.values


def order_sql(layout: Layout, column: str, *, descending: bool = False) -> str:
    """Return an ORDER BY: nulls last either way, ties by id in the same direction."""
    direction = "DESC" if descending else "ASC"
    tie = f"{layout.name}.{layout.pk if layout.id_is_pk else 'cache_id'}"
    if column == tie:
        return f"{tie} {direction}"
    return f"{column} {direction} NULLS LAST, {tie} {direction}"


type _Keyed = tuple[int, Stored]
"""A row with its primary key."""


def _candidates(db: Connection, layout: Layout, selection: Selection) -> Iterator[_Keyed]:
    """Yield the rows without odd values that may be in the window."""
    whole = selection._replace(limit=selection.offset + selection.limit, offset=0)
    query = window_query(layout, whole, _FITTING)
    if query is not None:
        return _each(db, layout, [nr for (nr,) in db.execute(*query)])
    return _held(db, layout, compiled(layout, selection.where, selection.visibility), _FITTING)


def _held(db: Connection, layout: Layout, clause: Clause, *more: str) -> Iterator[_Keyed]:
    """Yield the rows that meet the clause and whose records meet what is left of it."""
    sql = f"SELECT {layout.name}.{layout.pk} FROM {layout.name} WHERE {clause.sql(*more)}"
    nrs = [nr for (nr,) in db.execute(sql, clause.values)]
    return ((nr, row) for nr, row in _each(db, layout, nrs) if hold(clause.left, row.record))


def _each(db: Connection, layout: Layout, nrs: Sequence[int]) -> Iterator[_Keyed]:
    """Yield the rows of these primary keys, some at a time: they may be all that the table has."""
    for chunk in batched(nrs, CHUNK):
        yield from load(db, layout, chunk).items()


def _overflow_rows(db: Connection, layout: Layout, where: Where, visibility: Visibility) -> Iterator[_Keyed]:
    """Yield the visible rows with odd values whose records meet every condition."""
    clause = compiled(layout, (), visibility)
    clause.left = list(where)
    return _held(db, layout, clause, "cache_odd = 1")


type _SortKey = tuple[tuple[bool, object] | None, tuple[bool, RecordId], int]


def _sort_keys(rows: Iterable[_Keyed], order: Order) -> Iterator[_SortKey]:
    for nr, row in rows:
        value = next(values_at(row.record, order.field), None)
        yield (None if value is None else (isinstance(value, str), value), sortable(row.id), nr)


def _ordered(keys: list[_SortKey], order: Order) -> list[int]:
    keys.sort(key=lambda sort_key: sort_key[1], reverse=order.descending)
    present = [(key[0], key[2]) for key in keys if key[0] is not None]
    present.sort(key=lambda entry: entry[0], reverse=order.descending)
    return [nr for _, nr in present] + [nr for value, _, nr in keys if value is None]


def number(layout: Layout, where: Where, visibility: Visibility) -> Question | None:
    """Return the question of `count`; None for one that is read in any case."""
    return question(where, layout, visibility)


def count(db: Connection, layout: Layout, where: Where, visibility: Visibility) -> int:
    """Return how many rows meet the conditions."""
    return unchanged(db, number(layout, where, visibility), lambda: _count(db, layout, where, visibility))


def _count(db: Connection, layout: Layout, where: Where, visibility: Visibility) -> int:
    clause = compiled(layout, where, visibility)
    odd = has_overflow(db, layout)
    strange = sum(1 for _ in _overflow_rows(db, layout, where, visibility)) if odd else 0
    more = (_FITTING,) if odd else ()
    if clause.left:
        return strange + sum(1 for _ in _held(db, layout, clause, *more))
    sql = f"SELECT count(*) FROM {layout.name} WHERE {clause.sql(*more)}"
    return strange + db.execute(sql, clause.values).fetchone()[0]


def state(db: Connection, entity: str) -> SyncState:
    """Return what sync stored last."""
    row = db.execute("SELECT state FROM cache_state WHERE entity = ?", (entity,)).fetchone()
    return decode_state(None if row is None else row[0])


def standing(entities: Sequence[str]) -> Question:
    """Return the question of `standings`."""
    return Question(("standings", *entities))


def standings(db: Connection, entities: Sequence[str]) -> Mapping[str, Standing]:
    """Return how each of these entities stands, in the order asked."""
    return unchanged(db, standing(entities), lambda: _standings(db, entities))


def _standings(db: Connection, entities: Sequence[str]) -> dict[str, Standing]:
    these = f"entity IN ({marks(entities)})"
    states = dict(db.execute(f"SELECT entity, state FROM cache_state WHERE {these}", entities))
    named = db.execute(f"SELECT DISTINCT entity FROM cache_quarantine WHERE {these}", entities)
    quarantined = {entity for (entity,) in named}
    return {entity: Standing(decode_state(states.get(entity)), entity in quarantined) for entity in entities}


class Figures(NamedTuple):
    """How many records and quarantined records there are, and the greatest version."""

    records: int
    newest: str | None
    quarantined: int


def figures(db: Connection, layout: Layout) -> Figures:
    """Return the figures of an entity."""
    records = db.execute(f"SELECT count(*) FROM {layout.name}").fetchone()[0]
    newest = db.execute(f"SELECT max(cache_version) FROM {layout.name}").fetchone()[0]
    sql = "SELECT count(*) FROM cache_quarantine WHERE entity = ?"
    return Figures(records, newest, db.execute(sql, (layout.spec.name,)).fetchone()[0])


def quarantined(db: Connection, entity: str, limit: int) -> tuple[Quarantined, ...]:
    """Return the records that could not be kept, newest first."""
    sql = "SELECT key, has_id, reason, payload FROM cache_quarantine WHERE entity = ? ORDER BY nr DESC LIMIT ?"
    rows = db.execute(sql, (entity, min(limit, _MAX))).fetchall()
    return tuple(
        Quarantined(read_back(key) if has_id else None, reason, payload) for key, has_id, reason, payload in rows
    )
