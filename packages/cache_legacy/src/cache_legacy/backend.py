"""`LegacyBackend`: JSON blobs in one `entities` table, a four-column index and FTS5 over it, in one file.

Throwaway: it implements the core of the protocol and nothing more. Refuses entities that it was not given.
"""

import asyncio
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from itertools import batched
from pathlib import Path

import aiosqlite

from cache_core.conditions import LIVE, Visibility, Where
from cache_core.errors import CacheCorrupt, CacheMissing, CacheUnavailable, WrongCacheUse
from cache_core.files import private_directory
from cache_core.leases import Claim, Lease
from cache_core.protocol import (
    Applied,
    Batch,
    Capability,
    EntityStatus,
    Found,
    Hit,
    KeyMatch,
    Quarantined,
    Read,
    Search,
    SearchResult,
    Selection,
    Standing,
    Stored,
    SyncState,
    decode_state,
    one_by_one,
)
from cache_core.records import InvalidRecord, RecordId, decode
from cache_core.search_rules import Tier, parse
from cache_core.spec import EntitySpec, read_of_hits
from cache_core.suggest import MAX_TERMS, suggestions
from cache_core.waiting import to_the_end
from cache_legacy import file_swap
from cache_legacy.fields import IndexFields, index_fields
from cache_legacy.reading import Filter, filter_for, json_path, storable
from cache_legacy.searching import answers
from cache_legacy.storage import FILE_NAME, Line, connect, prepare
from cache_legacy.writing import IDS_PER_STATEMENT, take_lease, write

_STORED = "e.id, e.version, e.body, e.deleted, e.archived"


class LegacyBackend:
    """Keeps entities as JSON blobs in a file of a private directory, or in memory without one.

    Attributes:
        set_aside: damaged files that were renamed and replaced by an empty one since this object was made.
    """

    name = "legacy"

    def __init__(self, directory: Path | None, specs: tuple[EntitySpec, ...], *, looking: bool = False) -> None:
        """Remember where; `looking` makes, mends and sets aside nothing: a file that is not there is unavailable."""
        self._directory = directory
        self._specs = {spec.name: spec for spec in specs}
        self.entities = frozenset(self._specs)
        self.set_aside: tuple[Path, ...] = ()
        self._opening = asyncio.Lock()
        self._writer: Line | None = None
        self._reader: Line | None = None
        self._inode: int | None = None
        self._suspect: int | None = None
        self._looking = looking

    def index_fields(self, entity: str) -> IndexFields:
        """Return the source fields of the entity's index columns."""
        return index_fields(self._spec(entity))

    def capabilities(self, entity: str) -> frozenset[Capability]:
        """Return nothing beyond the core."""
        self._spec(entity)
        return frozenset()

    async def open(self) -> None:
        """Make the file ready, setting a damaged one aside; safe to call twice.

        Who is cancelled meanwhile leaves nothing open and no thread at work.

        Raises:
            CacheUnavailable: the directory or the file cannot be used.
        """
        async with self._opening:
            if self._reader is not None:
                return
            try:
                await to_the_end(self._connect())
            except BaseException:
                await to_the_end(self._end())
                raise

    async def _connect(self) -> None:
        if self._directory is None:
            self._writer = self._reader = await connect(None)
            return
        if self._looking:
            self._writer = self._reader = await self._looked(self._directory / FILE_NAME)
            return
        path = private_directory(self._directory) / FILE_NAME
        aside = await asyncio.to_thread(prepare, path, self._fill, self._suspect)
        self._suspect = None
        self.set_aside += (aside,) if aside else ()
        self._inode = path.stat().st_ino
        self._writer = await connect(path)
        self._reader = await connect(path)

    def _fill(self, path: Path, older: Path) -> None:
        file_swap.take(path, older, self._specs, "BEGIN")

    async def _looked(self, path: Path) -> Line:
        if not await asyncio.to_thread(path.is_file):
            raise CacheMissing("there is no legacy cache yet")
        return await connect(path, looking=True)

    async def close(self) -> None:
        """Close the file; safe to call twice."""
        async with self._opening:
            await to_the_end(self._end())

    async def _end(self) -> None:
        lines = {line for line in (self._writer, self._reader) if line is not None}
        self._writer = self._reader = None
        for line in lines:
            self._suspect = self._inode if line.corrupt else self._suspect
            await line.close()

    async def apply(self, batch: Batch) -> Applied:
        """Write the batch in one transaction, index included.

        Raises:
            InvalidRecord: a row cannot be stored; nothing of the batch is.
        """
        fields = self.index_fields(batch.entity)
        writer, _ = self._opened()
        async with writer.transaction("BEGIN IMMEDIATE") as db:
            return await write(db, batch, fields)

    async def claim(self, claim: Claim) -> Lease:
        """Return the lease of an entity after a claim."""
        self._spec(claim.entity)
        writer, _ = self._opened()
        async with writer.transaction("BEGIN IMMEDIATE") as db:
            return await take_lease(db, claim)

    async def get_many(self, entity: str, ids: Sequence[RecordId], fields: frozenset[str] | None = None) -> Found:
        """Return rows by id in any soft state, in the order asked; any number of ids."""
        self._spec(entity)
        asked = tuple(dict.fromkeys(ids))
        rows: dict[RecordId, Stored] = {}
        async with self._reading() as db:
            for some in batched(filter(storable, asked), IDS_PER_STATEMENT):
                marks = ",".join("?" * len(some))
                sql = f"SELECT {_STORED} FROM entities AS e WHERE e.entity = ? AND e.id IN ({marks})"
                rows |= {row.id: row for row in await _rows(db, sql, (entity, *some))}
        found = tuple(rows[record_id].projected(fields) for record_id in asked if record_id in rows)
        return Found(found, tuple(record_id for record_id in asked if record_id not in rows))

    async def find_by_key(self, entity: str, key: str) -> KeyMatch:
        """Return the row whose business key is exactly this text."""
        self._spec(entity)
        if not storable(key):
            return KeyMatch(None)
        sql = "FROM entities AS e WHERE e.entity = ? AND e.key = ?"
        best = f"SELECT {_STORED} {sql} ORDER BY e.deleted, e.archived, e.id DESC LIMIT 1"
        live = f"SELECT e.id {sql} AND NOT e.deleted AND NOT e.archived ORDER BY +e.id"
        async with self._reading() as db:
            rows = await _rows(db, best, (entity, key))
            ids = tuple(row[0] for row in await db.execute_fetchall(live, (entity, key)))
        return KeyMatch(rows[0] if rows else None, ids if len(ids) > 1 else ())

    async def select(self, entity: str, selection: Selection) -> tuple[Stored, ...]:
        """Return the window of rows that meet the conditions, in order."""
        seen = filter_for(entity, selection.where, selection.visibility)
        field, descending = selection.order.field, selection.order.descending
        way = "DESC" if descending else "ASC"
        order, values = f"e.id {way}", ()
        if field not in {"id", self._spec(entity).id_path}:
            order, values = (
                f"order_key(e.body -> ?, ?, ?) {way}, {order}",
                (json_path(field), field, descending),
            )
        sql = f"SELECT {_STORED} FROM entities AS e WHERE {seen.sql} ORDER BY {order} LIMIT ? OFFSET ?"
        async with self._reading(seen) as db:
            window = (selection.limit, selection.offset)
            rows = await _rows(db, sql, (*seen.values, *values, *window))
        return tuple(row.projected(selection.fields) for row in rows)

    async def read(self, reads: Sequence[Read]) -> list[tuple[Stored, ...]]:
        """Return the rows of each of these reads."""
        return await one_by_one(self, reads)

    async def count(self, entity: str, where: Where = (), visibility: Visibility = LIVE) -> int:
        """Return how many rows meet the conditions."""
        self._spec(entity)
        seen = filter_for(entity, where, visibility)
        async with self._reading(seen) as db:
            return await _number(db, f"SELECT count(*) FROM entities AS e WHERE {seen.sql}", seen.values)

    async def search(self, entity: str, search: Search) -> SearchResult:
        """Return the best rows for a text that a person typed; ranks a bounded number of candidates."""
        spec, query = self._spec(entity), parse(search.text)
        seen = filter_for(entity, search.where, search.visibility)
        if not query.tokens:
            return SearchResult(cut=query.cut)
        async with self._reading(seen) as db:
            found = await answers(db, query, seen, near=search.near)
            best = sorted(found.ranked.items(), key=lambda entry: entry[1])[: search.limit]
            rows = await _by_ref(db, [ref for ref, _ in best])
        read = read_of_hits(spec, search.fields)
        found_rows = [(rows[ref].projected(read), how) for ref, how in best]
        hits = tuple(Hit(row, how.tier, how.place, how.missing) for row, how in found_rows)
        return SearchResult(hits, len(found.ranked), query.cut or found.cut)

    async def suggest(self, entity: str, text: str, limit: int = 5) -> tuple[str, ...]:
        """Return queries like `text` that would find something live, nearest first."""
        self._spec(entity)

        async def terms(token: str) -> Sequence[str]:
            first = token[0]
            sql = "SELECT term FROM entity_terms WHERE term >= ? AND term < ? ORDER BY term LIMIT ?"
            async with self._reading() as db:
                rows = await db.execute_fetchall(sql, (first, chr(ord(first) + 1), MAX_TERMS))
            return [row[0] for row in rows]

        async def finds(candidate: str) -> bool:
            hits = (await self.search(entity, Search(candidate, limit=1))).hits
            return any(hit.tier <= Tier.TOKENS for hit in hits)

        return await suggestions(parse(text), terms, finds, limit)

    async def state(self, entity: str) -> SyncState:
        """Return what sync stored last."""
        self._spec(entity)
        async with self._reading() as db:
            return await _state(db, entity)

    async def standings(self, entities: Sequence[str]) -> dict[str, Standing]:
        """Return how each of these entities stands."""
        for entity in entities:
            self._spec(entity)
        async with self._reading() as db:
            poisoned = {row[0] for row in await db.execute_fetchall("SELECT DISTINCT entity FROM quarantine")}
            return {entity: Standing(await _state(db, entity), entity in poisoned) for entity in entities}

    async def status(self, entity: str) -> EntityStatus:
        """Return how the entity stands."""
        self._spec(entity)
        async with self._reading() as db:
            sql = "SELECT count(*), max(version), (SELECT count(*) FROM quarantine WHERE entity = ?)"
            rows = await db.execute_fetchall(f"{sql} FROM entities WHERE entity = ?", (entity, entity))
            records, newest, quarantined = next(iter(rows))
            return EntityStatus(entity, self.name, records, newest, await _state(db, entity), quarantined)

    async def quarantined(self, entity: str, limit: int = 20) -> tuple[Quarantined, ...]:
        """Return the records that could not be kept, newest first."""
        self._spec(entity)
        sql = "SELECT id, reason, payload FROM quarantine WHERE entity = ? ORDER BY position DESC LIMIT ?"
        async with self._reading() as db:
            return tuple(Quarantined(*row) for row in await db.execute_fetchall(sql, (entity, limit)))

    async def faults(self) -> tuple[str, ...]:
        """Return what is wrong with the file, a sentence each, found on a copy; it need not be open."""
        if self._directory is None:
            return ()
        return await to_the_end(asyncio.to_thread(file_swap.faults, self._directory / FILE_NAME))

    async def take(self, directory: Path, entities: Iterable[str]) -> None:
        """Replace these entities by those of another directory's file, in one transaction; others stay."""
        if self._directory is None:
            raise CacheUnavailable("a cache in memory cannot be replaced by a file")
        ours, theirs = self._directory / FILE_NAME, directory / FILE_NAME
        await to_the_end(asyncio.to_thread(file_swap.take, ours, theirs, tuple(entities)))

    def _spec(self, entity: str) -> EntitySpec:
        try:
            return self._specs[entity]
        except KeyError:
            raise WrongCacheUse(f"the {self.name} backend does not hold {entity!r}") from None

    def _opened(self) -> tuple[Line, Line]:
        if self._writer is None or self._reader is None:
            raise CacheUnavailable("the legacy cache is not open")
        return self._writer, self._reader

    def _reading(self, seen: Filter | None = None) -> AbstractAsyncContextManager[aiosqlite.Connection]:
        _, reader = self._opened()
        return reader.transaction("BEGIN", seen.meets if seen else None)


async def _by_ref(db: aiosqlite.Connection, refs: Iterable[int]) -> dict[int, Stored]:
    rows: dict[int, Stored] = {}
    for some in batched(refs, IDS_PER_STATEMENT):
        marks = ",".join("?" * len(some))
        sql = f"SELECT {_STORED}, e.ref FROM entities AS e WHERE e.ref IN ({marks})"
        rows |= {row[-1]: _stored(row) for row in await db.execute_fetchall(sql, some)}
    return rows


async def _rows(db: aiosqlite.Connection, sql: str, values: Iterable[object]) -> list[Stored]:
    return [_stored(row) for row in await db.execute_fetchall(sql, tuple(values))]


async def _number(db: aiosqlite.Connection, sql: str, values: Iterable[object]) -> int:
    return next(iter(await db.execute_fetchall(sql, tuple(values))))[0]


async def _state(db: aiosqlite.Connection, entity: str) -> SyncState:
    rows = list(await db.execute_fetchall("SELECT state FROM states WHERE entity = ?", (entity,)))
    return decode_state(rows[0][0] if rows else None)


def _stored(row: sqlite3.Row) -> Stored:
    try:
        record = decode(row[2])
    except InvalidRecord as error:
        raise CacheCorrupt(f"the legacy cache holds a record that is damaged: {error}") from error
    return Stored(row[0], row[1], record, bool(row[3]), bool(row[4]))
