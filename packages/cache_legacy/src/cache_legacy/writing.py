"""How a batch is written, in the caller's transaction: rows, index and codes, quarantine, sync state, lease."""

from collections.abc import Iterable, Sequence
from itertools import batched

import aiosqlite

from cache_core.leases import Claim, Lease, decode_lease, encode_lease, granted, lease_line, refuse_stale
from cache_core.protocol import Applied, Batch, Origin, Row, StoredVersion, encode_state, replaces
from cache_core.records import RecordId, decode, encode
from cache_core.search_rules import SearchText
from cache_core.spec import declared_text
from cache_legacy.fields import IndexFields

IDS_PER_STATEMENT = 500
_REF = "(SELECT ref FROM entities WHERE entity = ? AND id = ?)"
_UPSERT = (
    "INSERT INTO entities (entity, id, version, written_at, key, deleted, archived, body)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (entity, id) DO UPDATE SET version = excluded.version,"
    " written_at = excluded.written_at, key = excluded.key, deleted = excluded.deleted,"
    " archived = excluded.archived, body = excluded.body"
)
_INDEX = (
    f"INSERT INTO entity_index (ref, sku, name, extras, name2) VALUES ({_REF}, ?, ?, ?, ?)"
    " ON CONFLICT (ref) DO UPDATE SET sku = excluded.sku, name = excluded.name,"
    " extras = excluded.extras, name2 = excluded.name2"
)
_SAME_POISON = "DELETE FROM quarantine WHERE entity = ? AND id IS ? AND (id IS NOT NULL OR payload = ?)"

_REMEMBER = "INSERT OR REPLACE INTO states (entity, state) VALUES (?, ?)"

type _Versions = dict[RecordId, StoredVersion]


async def write(db: aiosqlite.Connection, batch: Batch, fields: IndexFields) -> Applied:
    """Write the batch and return what it changed; the caller commits.

    Args:
        db: a connection in a transaction.
        batch: what to write.
        fields: what of the rows' texts fills the index.

    Raises:
        InvalidRecord: a record has no JSON form.
        LeaseLost: another holder has taken the batch's lease.
    """
    entity = batch.entity
    if batch.lease is not None:
        refuse_stale(batch.lease, await _lease(db, entity))
    touched = [*(row.id for row in (*batch.upserts, *batch.reindexed)), *batch.removed]
    stored = await _versions(db, entity, touched)
    taken, ignored = _taken(batch, stored)
    written_at = batch.at if batch.origin is Origin.OWN_WRITE else None
    await db.executemany(_UPSERT, [_values(entity, row, written_at) for row in taken.values()])
    moved = {row.id: row for row in batch.reindexed if row.id in stored and stored[row.id].version == row.version}
    soft = [(row.deleted, row.archived, entity, row.id) for row in moved.values()]
    await db.executemany("UPDATE entities SET deleted = ?, archived = ? WHERE entity = ? AND id = ?", soft)
    sources = fields.by_class()
    texts = [(row.id, declared_text(row.text, sources)) for row in (taken | moved).values()]
    await _index(db, entity, texts)
    gone = [record_id for record_id in dict.fromkeys(batch.removed) if record_id in stored]
    await _delete(db, "entities", entity, gone)
    await _note(db, batch)
    return Applied(tuple(dict.fromkeys([*taken, *gone])), ignored)


async def _versions(db: aiosqlite.Connection, entity: str, ids: Sequence[RecordId]) -> _Versions:
    """Return version, own write time and own record of the rows that are there."""
    versions: _Versions = {}
    for some in batched(dict.fromkeys(ids), IDS_PER_STATEMENT):
        marks = ",".join("?" * len(some))
        own = "CASE WHEN written_at IS NOT NULL THEN body END"
        sql = f"SELECT id, version, written_at, {own} FROM entities WHERE entity = ? AND id IN ({marks})"
        rows = await db.execute_fetchall(sql, (entity, *some))
        versions.update(
            (row_id, StoredVersion(version, written_at, None if body is None else decode(body)))
            for row_id, version, written_at, body in rows
        )
    return versions


def _taken(batch: Batch, stored: _Versions) -> tuple[dict[RecordId, Row], int]:
    """Return the upserts that replace what is stored, the last for each id, and how many do not."""
    taken: dict[RecordId, Row] = {}
    ignored = 0
    for row in batch.upserts:
        if replaces(batch, row, stored.get(row.id)):
            taken[row.id] = row
            stored[row.id] = StoredVersion(row.version, batch.at if batch.origin is Origin.OWN_WRITE else None)
        else:
            ignored += 1
    return taken, ignored


def _values(entity: str, row: Row, written_at: str | None) -> tuple[object, ...]:
    body = encode(row.record).decode()
    return (entity, row.id, row.version, written_at, row.key, row.deleted, row.archived, body)


async def _index(db: aiosqlite.Connection, entity: str, texts: Sequence[tuple[RecordId, SearchText]]) -> None:
    await db.executemany(_INDEX, [(entity, row_id, *text.by_class()) for row_id, text in texts])
    await db.executemany(f"DELETE FROM codes WHERE ref = {_REF}", [(entity, row_id) for row_id, _ in texts])
    codes = [(entity, code, place, entity, row_id) for row_id, text in texts for code, place in text.codes]
    await db.executemany(f"INSERT OR IGNORE INTO codes (entity, code, place, ref) VALUES (?, ?, ?, {_REF})", codes)


async def _note(db: aiosqlite.Connection, batch: Batch) -> None:
    """Write the quarantine, healed by the upserts first, and the sync state."""
    entity = batch.entity
    await _delete(db, "quarantine", entity, [*(row.id for row in batch.upserts), *batch.removed])
    for quarantined in batch.quarantine:
        reason, payload = (
            text.encode("utf-8", "replace").decode() for text in (quarantined.reason, quarantined.payload)
        )
        await db.execute_fetchall(_SAME_POISON, (entity, quarantined.id, payload))
        insert = "INSERT INTO quarantine (entity, id, reason, payload) VALUES (?, ?, ?, ?)"
        await db.execute_fetchall(insert, (entity, quarantined.id, reason, payload))
    if batch.state is not None:
        await db.execute_fetchall(_REMEMBER, (entity, encode_state(batch.state)))


async def take_lease(db: aiosqlite.Connection, claim: Claim) -> Lease:
    """Return the lease of an entity after a claim; the caller commits."""
    lease = granted(claim, await _lease(db, claim.entity))
    await db.execute_fetchall(_REMEMBER, (lease_line(claim.entity), encode_lease(lease)))
    return lease


async def _lease(db: aiosqlite.Connection, entity: str) -> Lease | None:
    rows = await db.execute_fetchall("SELECT state FROM states WHERE entity = ?", (lease_line(entity),))
    return decode_lease(next((row[0] for row in rows), None))


async def _delete(db: aiosqlite.Connection, table: str, entity: str, ids: Iterable[RecordId]) -> None:
    await db.executemany(f"DELETE FROM {table} WHERE entity = ? AND id = ?", [(entity, record_id) for record_id in ids])
