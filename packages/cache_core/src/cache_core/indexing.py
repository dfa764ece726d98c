"""From records to rows: borrowed text and inherited soft state are looked up here, for every backend."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import batched

from cache_core.conditions import EVERYTHING, OneOf, Order
from cache_core.protocol import ByIds, CacheBackend, Quarantined, Read, Row, Selection
from cache_core.records import InvalidRecord, Json, Record, RecordId, canonical, encode, ids_at, is_set, values_at
from cache_core.spec import EntitySpec, Lookup, Parents, search_text, texts_at

REINDEX_STEP = 1_000
_AT_ONCE = 50
"""Records that are made into rows in one go: some 3 ms on a usual machine."""
_PAYLOAD_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows ready for a batch, the records that cannot be kept, and the parents that the rows borrowed from."""

    rows: tuple[Row, ...]
    quarantine: tuple[Quarantined, ...]
    parents: Parents


async def prepare(spec: EntitySpec, records: Sequence[Record], cache: CacheBackend) -> Prepared:
    """Return the records as rows, with the text and soft state that they take from their parents."""
    read = await made_of(records, partial(_canonical_or_poison, spec))
    kept = [record for record in read if not isinstance(record, Quarantined)]
    poison = [record for record in read if isinstance(record, Quarantined)]
    parents = await parents_of(spec, kept, cache)
    rows = await made_of(kept, lambda record: row_of(spec, record, parents))
    return Prepared(tuple(rows), tuple(poison), parents)


def _canonical_or_poison(spec: EntitySpec, record: Record) -> dict[str, Json] | Quarantined:
    try:
        if spec.id_of(record) is None:
            raise InvalidRecord(f"{spec.id_path}: an integer or a text is required")
        return canonical(record)
    except InvalidRecord as error:
        return Quarantined(spec.id_of(record), str(error), excerpt(record))


async def made_of[A, B](each: Sequence[A], make: Callable[[A], B]) -> list[B]:
    """Return what is made of each; what waits for the loop is let in meanwhile."""
    made: list[B] = []
    for some in batched(each, _AT_ONCE):
        made += map(make, some)
        await asyncio.sleep(0)
    return made


def row_of(spec: EntitySpec, record: dict[str, Json], parents: Parents) -> Row:
    """Return the row for a canonical record, given the parents that are known.

    Raises:
        InvalidRecord: the record has no usable id.
    """
    row_id = spec.id_of(record)
    if row_id is None:
        raise InvalidRecord(f"{spec.id_path}: an integer or a text is required")
    deleted, archived = is_set(record, "deleted_at"), is_set(record, "archived_at")
    for ancestor in inherited(spec, record, parents):
        deleted = deleted or is_set(ancestor, "deleted_at")
        archived = archived or is_set(ancestor, "archived_at")
    key = next(values_at(record, spec.key_path), None) if spec.key_path else None
    return Row(
        id=row_id,
        version=spec.version_of(record),
        record=record,
        text=search_text(spec.searchable, record, parents),
        key=key if isinstance(key, str) else None,
        deleted=deleted,
        archived=archived,
    )


def inherited(spec: EntitySpec, record: Record, parents: Parents) -> Iterable[Record]:
    """Yield the known records whose soft state this record shares."""
    for lookup in spec.inherits:
        for parent_id in ids_at(record, lookup.path):
            if (lookup.entity, parent_id) in parents:
                yield parents[lookup.entity, parent_id]


async def parents_of(spec: EntitySpec, records: Sequence[Record], cache: CacheBackend) -> Parents:
    """Return what every record lends that these records borrow from, in any soft state; unknown ones are left out."""
    lookups = [lookup for lookup in (*spec.searchable.lookups(), *spec.inherits) if lookup.entity in cache.entities]
    ids_by_entity: dict[str, dict[RecordId, None]] = {}
    for entity, path in dict.fromkeys((lookup.entity, lookup.path) for lookup in lookups):
        ids = ids_by_entity.setdefault(entity, {})
        ids.update(dict.fromkeys(record_id for record in records for record_id in ids_at(record, path)))
    reads: list[Read] = [
        ByIds(entity, list(ids), frozenset((*_LENT_STATE, *_lent_by(entity, lookups))))
        for entity, ids in ids_by_entity.items()
        if ids
    ]
    found = await cache.read(reads) if reads else []
    return {(read.entity, row.id): row.record for read, rows in zip(reads, found, strict=True) for row in rows}


def _lent_by(entity: str, lookups: Iterable[Lookup]) -> Iterator[str]:
    return (field for lookup in lookups if lookup.entity == entity for field in lookup.fields)


def lends_differently(before: Record | None, after: Record, lookup: Lookup) -> bool:
    """Return whether what `lookup` takes from a parent changed: its text, or its soft state."""
    if before is None:
        return True
    return any(_lent(before, field) != _lent(after, field) for field in _LENT_STATE + lookup.fields)


async def dependants(spec: EntitySpec, parent: str, ids: Sequence[RecordId], cache: CacheBackend) -> list[RecordId]:
    """Return the ids of this entity's rows that borrow from the given parents, in any soft state."""
    found: dict[RecordId, None] = {}
    paths = {lookup.path for lookup in (*spec.searchable.lookups(), *spec.inherits) if lookup.entity == parent}
    values = tuple(ids)
    for path in sorted(paths):
        for start in range(0, len(values), REINDEX_STEP):
            where = (OneOf(path, values[start : start + REINDEX_STEP]),)
            async for record_id in _ids_of(spec.name, where, cache):
                found[record_id] = None
    return list(found)


async def every_id(spec: EntitySpec, cache: CacheBackend) -> list[RecordId]:
    """Return the ids of all rows of the entity, in any soft state."""
    return [record_id async for record_id in _ids_of(spec.name, (), cache)]


async def _ids_of(entity: str, where: tuple[OneOf, ...], cache: CacheBackend) -> AsyncIterator[RecordId]:
    offset = 0
    while True:
        window = Selection(where, Order("id"), REINDEX_STEP, offset, EVERYTHING, fields=frozenset())
        rows = await cache.select(entity, window)
        for row in rows:
            yield row.id
        if len(rows) < REINDEX_STEP:
            return
        offset += REINDEX_STEP


_LENT_STATE = ("deleted_at", "archived_at")


def _lent(record: Record, field: str) -> list[str]:
    return list(texts_at(field, record, {}))


def excerpt(record: Record) -> str:
    """Return the start of a record as text, for the quarantine."""
    try:
        return encode(record).decode("utf-8")[:_PAYLOAD_CHARACTERS]
    except InvalidRecord:
        return repr(record)[:_PAYLOAD_CHARACTERS]
