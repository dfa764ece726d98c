"""The reference backend: plain dictionaries, the clearest reading of the protocol, and the test double."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from cache_core.conditions import LIVE, Order, Visibility, Where, hold
from cache_core.errors import WrongCacheUse
from cache_core.leases import Claim, Lease, granted, refuse_stale
from cache_core.protocol import (
    Applied,
    Batch,
    Capability,
    EntityStatus,
    Found,
    Hit,
    KeyMatch,
    Origin,
    Quarantined,
    Read,
    Row,
    Search,
    SearchResult,
    Selection,
    Standing,
    Stored,
    StoredVersion,
    SyncState,
    one_by_one,
    replaces,
)
from cache_core.records import RecordId, encode, values_at
from cache_core.search_rules import AFTER_A_MISS, GUESSES, Query, Tier, WeightClass, guess, match, parse, words_missing
from cache_core.spec import EntitySpec, read_of_hits
from cache_core.suggest import suggestions


@dataclass(slots=True)
class _Table:
    spec: EntitySpec
    rows: dict[RecordId, Row] = field(default_factory=dict[RecordId, Row])
    written_at: dict[RecordId, str] = field(default_factory=dict[RecordId, str])
    quarantine: dict[RecordId | str, Quarantined] = field(default_factory=dict[RecordId | str, Quarantined])
    state: SyncState = field(default_factory=SyncState)
    lease: Lease | None = None


class MemoryBackend:
    """Keeps everything in this process and forgets it at the end; for tests and as the last resort."""

    name = "memory"

    def __init__(self, specs: Sequence[EntitySpec]) -> None:
        self._tables = {spec.name: _Table(spec) for spec in specs}
        self.entities = frozenset(self._tables)

    def capabilities(self, entity: str) -> frozenset[Capability]:
        """Return nothing beyond the core."""
        self._table(entity)
        return frozenset()

    async def open(self) -> None:
        """Do nothing: there is nothing to open."""

    async def close(self) -> None:
        """Do nothing: what is kept lives as long as the object."""

    async def apply(self, batch: Batch) -> Applied:
        """Write the batch; once every record proved storable, plain assignments cannot fail half way."""
        table = self._table(batch.entity)
        refuse_stale(batch.lease, table.lease)
        for row in batch.upserts:
            encode(row.record)
        taken = [row for row in batch.upserts if self._upsert(table, batch, row)]
        for row in batch.reindexed:
            self._reindex(table, row)
        gone = [record_id for record_id in batch.removed if table.rows.pop(record_id, None) is not None]
        for removed_id in batch.removed:
            table.written_at.pop(removed_id, None)
            table.quarantine.pop(removed_id, None)
        for poison in batch.quarantine:
            key = poison.id if poison.id is not None else poison.payload
            table.quarantine.pop(key, None)
            table.quarantine[key] = poison
        if batch.state is not None:
            table.state = batch.state
        changed = dict.fromkeys([*(row.id for row in taken), *gone])
        return Applied(tuple(changed), len(batch.upserts) - len(taken))

    async def claim(self, claim: Claim) -> Lease:
        """Return the lease of an entity after a claim."""
        table = self._table(claim.entity)
        table.lease = granted(claim, table.lease)
        return table.lease

    def _upsert(self, table: _Table, batch: Batch, row: Row) -> bool:
        table.quarantine.pop(row.id, None)
        stored = table.rows.get(row.id)
        existing = (
            None if stored is None else StoredVersion(stored.version, table.written_at.get(row.id), stored.record)
        )
        if not replaces(batch, row, existing):
            return False
        table.rows[row.id] = row
        if batch.origin is Origin.OWN_WRITE:
            table.written_at[row.id] = batch.at
        else:
            table.written_at.pop(row.id, None)
        return True

    def _reindex(self, table: _Table, row: Row) -> None:
        stored = table.rows.get(row.id)
        if stored is not None and stored.version == row.version:
            table.rows[row.id] = Row(
                stored.id, stored.version, stored.record, row.text, stored.key, row.deleted, row.archived
            )

    async def get_many(self, entity: str, ids: Sequence[RecordId], fields: frozenset[str] | None = None) -> Found:
        """Return rows by id in any soft state, in the order asked."""
        rows = self._table(entity).rows
        asked = tuple(dict.fromkeys(ids))
        found = tuple(_stored(rows[record_id]).projected(fields) for record_id in asked if record_id in rows)
        return Found(found, tuple(record_id for record_id in asked if record_id not in rows))

    async def find_by_key(self, entity: str, key: str) -> KeyMatch:
        """Return the row whose business key is exactly this text."""
        rows = [row for row in self._table(entity).rows.values() if row.key == key]
        live = sorted(_sortable(row.id) for row in rows if not row.deleted and not row.archived)
        best = max(rows, key=lambda row: (not row.deleted, not row.archived, _sortable(row.id)), default=None)
        ambiguous = tuple(sort_key[-1] for sort_key in live) if len(live) > 1 else ()
        return KeyMatch(None if best is None else _stored(best), ambiguous)

    async def select(self, entity: str, selection: Selection) -> tuple[Stored, ...]:
        """Return the window of rows that meet the conditions, in order."""
        rows = list(self._visible(entity, selection.where, selection.visibility))
        ordered = _ordered(rows, selection.order)
        window = (_stored(row) for row in ordered[selection.offset : selection.offset + selection.limit])
        return tuple(row.projected(selection.fields) for row in window)

    async def read(self, reads: Sequence[Read]) -> list[tuple[Stored, ...]]:
        """Return the rows of each of these reads."""
        return await one_by_one(self, reads)

    async def count(self, entity: str, where: Where = (), visibility: Visibility = LIVE) -> int:
        """Return how many rows meet the conditions."""
        return sum(1 for _ in self._visible(entity, where, visibility))

    async def search(self, entity: str, search: Search) -> SearchResult:
        """Return the best rows for a text that a person typed."""
        query = parse(search.text)
        spec = self._table(entity).spec
        rows = list(self._visible(entity, search.where, search.visibility))
        answers = _answers(query, rows)
        found = sorted(
            next(filter(None, answers if search.near else islice(answers, 1)), ()),
            key=lambda candidate: (*candidate[:3], candidate[3].text.sort_name, _sortable(candidate[3].id)),
        )
        read = read_of_hits(spec, search.fields)
        hits = tuple(_hit(query, answer, read) for answer in found[: search.limit])
        return SearchResult(hits, len(found), query.cut)

    async def suggest(self, entity: str, text: str, limit: int = 5) -> tuple[str, ...]:
        """Return queries like `text` that would find something live, nearest first."""
        words = {word for row in self._visible(entity, (), LIVE) for word in _words(row)}

        async def terms(token: str) -> Sequence[str]:
            return sorted(word for word in words if word[:1] == token[:1])

        async def finds(candidate: str) -> bool:
            query = parse(candidate)
            return any(match(query, row.text) for row in self._visible(entity, (), LIVE))

        return await suggestions(parse(text), terms, finds, limit)

    async def state(self, entity: str) -> SyncState:
        """Return what sync stored last."""
        return self._table(entity).state

    async def standings(self, entities: Sequence[str]) -> dict[str, Standing]:
        """Return how each of these entities stands."""
        tables = {entity: self._table(entity) for entity in entities}
        return {entity: Standing(table.state, bool(table.quarantine)) for entity, table in tables.items()}

    async def status(self, entity: str) -> EntityStatus:
        """Return how the entity stands."""
        table = self._table(entity)
        versions = [row.version for row in table.rows.values() if row.version is not None]
        newest = max(versions, default=None)
        return EntityStatus(entity, self.name, len(table.rows), newest, table.state, len(table.quarantine))

    async def quarantined(self, entity: str, limit: int = 20) -> tuple[Quarantined, ...]:
        """Return the records that could not be kept, newest first."""
        return tuple(reversed(self._table(entity).quarantine.values()))[:limit]

    def _table(self, entity: str) -> _Table:
        try:
            return self._tables[entity]
        except KeyError:
            raise WrongCacheUse(f"the {self.name} backend does not hold {entity!r}") from None

    def _visible(self, entity: str, where: Where, visibility: Visibility) -> Iterator[Row]:
        for row in self._table(entity).rows.values():
            shown = (visibility.deleted or not row.deleted) and (visibility.archived or not row.archived)
            if shown and hold(where, row.record):
                yield row


type _Answer = tuple[Tier, int, WeightClass, Row]


def _answers(query: Query, rows: Sequence[Row]) -> Iterator[list[_Answer]]:
    """Yield the rows that answer the query, then those of each tier after a miss."""
    yield [(how[0], 0, how[1], row) for row in rows if (how := match(query, row.text)) is not None]
    for tier in AFTER_A_MISS:
        if tier not in GUESSES:
            yield [(tier, *how, row) for row in rows if (how := guess(query, row.text, tier)) is not None]


def _hit(query: Query, answer: _Answer, read: frozenset[str] | None) -> Hit:
    tier, _, place, row = answer
    missing = words_missing(query, row.text) if tier is Tier.PARTIAL else ()
    return Hit(_stored(row).projected(read), tier, place, missing)


def _stored(row: Row) -> Stored:
    return Stored(row.id, row.version, row.record, row.deleted, row.archived)


def _words(row: Row) -> Iterator[str]:
    for part in row.text.by_class():
        yield from part.split()


def _sortable(value: RecordId) -> tuple[bool, RecordId]:
    """Order ids: numbers by value, before texts."""
    return (isinstance(value, str), value)


def _ordered(rows: list[Row], order: Order) -> list[Row]:
    rows = sorted(rows, key=lambda row: _sortable(row.id), reverse=order.descending)
    present = [(value, row) for row in rows if (value := next(values_at(row.record, order.field), None)) is not None]
    present.sort(key=lambda pair: _kind(pair[0]), reverse=order.descending)
    kept = {row.id for _, row in present}
    return [row for _, row in present] + [row for row in rows if row.id not in kept]


def _kind(value: object) -> tuple[bool, object]:
    return (isinstance(value, str), value)
