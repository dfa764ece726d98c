"""The write half: one batch, one transaction. Who wins is decided by `protocol.replaces`, and guarded in SQL.

Refuses to touch what did not change: an unchanged record costs one digest, a renamed parent no part rows. What a batch
comes to is computed before others have to wait for the file, and counts if all that it met is there still.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import batched, count
from json.encoder import encode_basestring
from typing import NamedTuple

from cache_core.leases import Claim, Lease, decode_lease, encode_lease, granted, lease_line, refuse_stale, voided
from cache_core.protocol import Applied, Batch, Origin, Row, StoredVersion, encode_state, replaces
from cache_core.records import RecordId, encode
from cache_core.search_rules import WeightClass
from cache_core.spec import declared_text
from cache_typed import dialect
from cache_typed.columns import Cell
from cache_typed.dialect import CHUNK, Connection
from cache_typed.field_names import FieldNames
from cache_typed.keys import is_primary_key, keys_of, lowest_key, marks, written
from cache_typed.mapping import DocumentRows, Layout
from cache_typed.reading import load

_STANDING = (
    "cache_id",
    "cache_version",
    "cache_written_at",
    "cache_deleted",
    "cache_archived",
    "cache_key",
    "cache_sort",
    *dialect.TEXT_COLUMNS,
    "cache_codes",
    "cache_digest",
)
_HALF = 16
_PLACES = {place: str(int(place)) for place in WeightClass}
"""How each class is written: to format a number takes four times as long."""


@dataclass(frozen=True, slots=True)
class _StoredState:
    """What is stored of a record already: its key, version, own write time and digest."""

    nr: int
    version: str | None
    written_at: str | None
    digest: bytes


class _Document(NamedTuple):
    """A record to store under a primary key, with the cells of `_STANDING`."""

    nr: int
    stored: DocumentRows
    standing: list[Cell]


class _Met(NamedTuple):
    """What a round of upserts meets: what is stored of them, and the lowest key."""

    states: dict[RecordId, _StoredState]
    lowest: int


@dataclass(slots=True)
class _Changes:
    """What a round of upserts comes to: whole documents, bookkeeping of unchanged ones, and the losers."""

    documents: list[_Document] = field(default_factory=list["_Document"])
    standing: list[tuple[int, list[Cell]]] = field(default_factory=list[tuple[int, list[Cell]]])
    taken: list[RecordId] = field(default_factory=list[RecordId])
    ignored: int = 0


@dataclass(frozen=True, slots=True)
class Decided:
    """What the first round of a batch met, and what it came to."""

    met: _Met
    changes: _Changes


def decide(db: Connection, layout: Layout, batch: Batch) -> Decided | None:
    """Return what the batch comes to as things stand; the caller holds a snapshot, and need not hold the lock."""
    first = next(_rounds(batch.upserts), None)
    if first is None:
        return None
    met = _met(db, layout, first)
    return Decided(met, _decide(db, layout, batch, first, met))


def write_batch(db: Connection, layout: Layout, batch: Batch, decided: Decided | None = None) -> Applied:
    """Write everything of the batch; the caller holds the transaction.

    Args:
        db: the file.
        layout: of the batch's entity.
        batch: what to write.
        decided: what `decide` returned before; it is decided anew if anything that it met was changed since.

    Raises:
        LeaseLost: another holder has taken the batch's lease.
    """
    if batch.lease is not None:
        refuse_stale(batch.lease, _lease(db, batch.entity))
    changed: list[RecordId] = []
    ignored = 0
    for rows in _rounds(batch.upserts):
        met = _met(db, layout, rows)
        stands = decided is not None and decided.met == met
        round_ = decided.changes if decided is not None and stands else _decide(db, layout, batch, rows, met)
        decided = None
        _store_documents(db, layout, round_.documents)
        _store_standing(db, layout, round_.standing)
        changed += round_.taken
        ignored += round_.ignored
    for rows in _rounds(batch.reindexed):
        _store_standing(db, layout, _reindexed(db, layout, rows))
    changed += _remove(db, layout, batch.removed)
    _heal(db, batch)
    _quarantine(db, batch)
    if batch.state is not None:
        db.execute(dialect.REMEMBER_STATE, (batch.entity, encode_state(batch.state)))
    return Applied(tuple(dict.fromkeys(changed)), ignored)


def take_lease(db: Connection, claim: Claim) -> Lease:
    """Return the lease of an entity after a claim; the caller holds the transaction."""
    lease = granted(claim, _lease(db, claim.entity))
    db.execute(dialect.REMEMBER_STATE, (lease_line(claim.entity), encode_lease(lease)))
    return lease


def void_lease(db: Connection, entity: str) -> None:
    """Make the late writes of who syncs the entity void; the caller holds the transaction."""
    standing = _lease(db, entity)
    if standing is not None:
        db.execute(dialect.REMEMBER_STATE, (lease_line(entity), encode_lease(voided(standing))))


def _lease(db: Connection, entity: str) -> Lease | None:
    row = db.execute("SELECT state FROM cache_state WHERE entity = ?", (lease_line(entity),)).fetchone()
    return decode_lease(None if row is None else row[0])


def _rounds(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the rows in rounds without repeated ids: a later row of an id meets the earlier one stored."""
    rest = list(rows)
    while rest:
        first: dict[RecordId, Row] = {}
        again = [row for row in rest if first.setdefault(row.id, row) is not row]
        yield list(first.values())
        rest = again


def _met(db: Connection, layout: Layout, rows: Sequence[Row]) -> _Met:
    return _Met(_stored_states(db, layout, [row.id for row in rows]), lowest_key(db, layout))


def _decide(db: Connection, layout: Layout, batch: Batch, rows: list[Row], met: _Met) -> _Changes:
    states, fresh = met.states, count(met.lowest - 1, -1)
    ours = load(db, layout, [state.nr for state in states.values() if state.written_at is not None])
    written_at = batch.at if batch.origin is Origin.OWN_WRITE else None
    changes = _Changes()
    for row in rows:
        old = states.get(row.id)
        own = None if old is None else ours.get(old.nr)
        record = None if own is None else own.record
        if not replaces(batch, row, None if old is None else StoredVersion(old.version, old.written_at, record)):
            changes.ignored += 1
            continue
        changes.taken.append(row.id)
        nr = old.nr if old else int(row.id) if is_primary_key(layout, row.id) else next(fresh)
        standing = _standing(layout, row, written_at)
        digest = standing[-1]
        if old is None or not isinstance(digest, bytes) or old.digest[:_HALF] != digest[:_HALF]:
            changes.documents.append(_Document(nr, layout.to_rows(nr, row.record), standing))
        elif (old.digest, old.version, old.written_at) != (digest, row.version, written_at):
            changes.standing.append((nr, standing))
    return changes


def _stored_states(db: Connection, layout: Layout, ids: Iterable[RecordId]) -> dict[RecordId, _StoredState]:
    keys = keys_of(db, layout, ids)
    by_nr: dict[int, _StoredState] = {}
    columns = f"{layout.pk}, cache_version, cache_written_at, cache_digest"
    for chunk in batched(keys.values(), CHUNK):
        sql = f"SELECT {columns} FROM {layout.name} WHERE {layout.pk} IN ({marks(chunk)})"
        by_nr.update((nr, _StoredState(nr, *rest)) for nr, *rest in db.execute(sql, chunk))
    return {record_id: by_nr[nr] for record_id, nr in keys.items() if nr in by_nr}


def _standing(layout: Layout, row: Row, written_at: str | None) -> list[Cell]:
    """Return the cells of `_STANDING`: everything about a row that is not a field of its record."""
    own = is_primary_key(layout, row.id)
    text = declared_text(row.text, layout.sources)
    codes = ",".join([f"[{encode_basestring(code)},{_PLACES[place]}]" for code, place in text.codes])
    about: list[Cell] = [
        int(row.deleted),
        int(row.archived),
        None if row.key is None else _clean(row.key),
        _clean(text.sort_name),
        *(_clean(part) for part in text.by_class()),
        _clean(f"[{codes}]"),
    ]
    digest = _digest(encode(row.record)) + _digest(repr(about).encode())
    head: list[Cell] = [None if own else _clean(written(row.id)), row.version, written_at]
    return [*head, *about, digest]


def store_again(db: Connection, layout: Layout) -> None:
    """Store the records with fields that had no column once more, so that columns added since hold them."""
    strange = " UNION ".join(
        (
            f"SELECT {layout.pk} FROM {layout.name} WHERE cache_unknown IS NOT NULL",
            *(f"SELECT cache_parent FROM {shape.name} WHERE cache_unknown IS NOT NULL" for _, shape in layout.parts),
        )
    )
    for chunk in batched([nr for (nr,) in db.execute(strange)], CHUNK):
        sql = f"SELECT {layout.pk}, {', '.join(_STANDING)} FROM {layout.name} WHERE {layout.pk} IN ({marks(chunk)})"
        standing: dict[int, list[Cell]] = {nr: cells for nr, *cells in db.execute(sql, chunk)}
        found = load(db, layout, chunk).items()
        documents = [_Document(nr, layout.to_rows(nr, row.record), standing[nr]) for nr, row in found]
        _store_documents(db, layout, documents)


def _store_documents(db: Connection, layout: Layout, documents: list[_Document]) -> None:
    if not documents:
        return
    for chunk in batched([nr for nr, _, _ in documents], CHUNK):
        for _, shape in layout.parts:
            db.execute(f"DELETE FROM {shape.name} WHERE cache_parent IN ({marks(chunk)})", chunk)
    rows: list[list[Cell]] = []
    names = set[FieldNames]()
    parts: dict[str, list[list[Cell]]] = {part.field: [] for part, _ in layout.parts}
    # Katana lists the newest first, and keys stored downwards leave every page of the file half empty.
    for nr, stored, standing in sorted(documents, key=lambda document: document.nr):
        rows.append([nr, *standing, int(stored.odd), *stored.cells])
        names |= stored.names
        for name, added in stored.parts.items():
            parts[name] += added
    db.executemany(dialect.LEARN_FIELDS, names)
    columns = (layout.pk, *_STANDING, "cache_odd", *layout.columns)
    dialect.upsert(db, layout.name, layout.pk, columns, rows)
    for part, shape in layout.parts:
        into = ("cache_parent", "cache_position", *shape.columns)
        sql = f"INSERT INTO {shape.name} ({', '.join(into)}) VALUES ({marks(into)})"
        db.executemany(sql, parts[part.field])


def _store_standing(db: Connection, layout: Layout, rows: list[tuple[int, list[Cell]]]) -> None:
    sets = ", ".join(f"{name} = ?" for name in _STANDING)
    sql = f"UPDATE {layout.name} SET {sets} WHERE {layout.pk} = ?"
    db.executemany(sql, [(*cells, nr) for nr, cells in rows])


def _reindexed(db: Connection, layout: Layout, rows: Sequence[Row]) -> list[tuple[int, list[Cell]]]:
    """Return new bookkeeping for stored rows; record, version and key stay, and so does their digest."""
    states = _stored_states(db, layout, [row.id for row in rows])
    keys: dict[int, str | None] = {}
    for chunk in batched([state.nr for state in states.values()], CHUNK):
        sql = f"SELECT {layout.pk}, cache_key FROM {layout.name} WHERE {layout.pk} IN ({marks(chunk)})"
        keys.update(db.execute(sql, chunk).fetchall())
    changed: list[tuple[int, list[Cell]]] = []
    for row in rows:
        old = states.get(row.id)
        if old is not None and old.version == row.version:
            kept = replace(row, version=old.version, key=keys[old.nr])
            *cells, digest = _standing(layout, kept, old.written_at)
            tail = digest[_HALF:] if isinstance(digest, bytes) else b""
            if old.digest[_HALF:] != tail:
                changed.append((old.nr, [*cells, old.digest[:_HALF] + tail]))
    return changed


def _remove(db: Connection, layout: Layout, ids: Sequence[RecordId]) -> list[RecordId]:
    states = _stored_states(db, layout, ids)
    for chunk in batched([state.nr for state in states.values()], CHUNK):
        db.execute(f"DELETE FROM {layout.name} WHERE {layout.pk} IN ({marks(chunk)})", chunk)
    return list(states)


def _heal(db: Connection, batch: Batch) -> None:
    """Take out of quarantine what came whole this time, or is gone."""
    ids = [*(row.id for row in batch.upserts), *batch.removed]
    for chunk in batched([_clean(written(record_id)) for record_id in ids], CHUNK):
        sql = f"DELETE FROM cache_quarantine WHERE entity = ? AND has_id AND key IN ({marks(chunk)})"
        db.execute(sql, (batch.entity, *chunk))


def _quarantine(db: Connection, batch: Batch) -> None:
    for quarantined in batch.quarantine:
        key = _clean(quarantined.payload if quarantined.id is None else written(quarantined.id))
        has_id = int(quarantined.id is not None)
        db.execute(
            "DELETE FROM cache_quarantine WHERE entity = ? AND has_id = ? AND key = ?",
            (batch.entity, has_id, key),
        )
        sql = "INSERT INTO cache_quarantine (entity, key, has_id, reason, payload) VALUES (?, ?, ?, ?, ?)"
        db.execute(sql, (batch.entity, key, has_id, _clean(quarantined.reason), _clean(quarantined.payload)))


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_HALF).digest()


def _clean(text: str) -> str:
    """Return the text with what has no UTF-8 form replaced, as the codec of records does."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
