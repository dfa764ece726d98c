"""What is done to a cache file from beside it: checked on a copy, and filled from another file in one transaction.

Refuses to hold up who works with the file while it is checked.
"""

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from cache_core.errors import CacheCorrupt
from cache_core.files import private_file
from cache_core.leases import decode_lease, encode_lease, lease_line, voided
from cache_legacy.storage import WAIT_SECONDS, storage_errors, tables, tables_expected

COPIES = "checked-"
"""How the name of the directory begins in which a copy is checked."""

_CHECK_INDEX = "INSERT INTO entity_fts (entity_fts, rank) VALUES ('integrity-check', 1)"
_WITHOUT_TEXT = "SELECT count(*) FROM entities WHERE ref NOT IN (SELECT ref FROM entity_index)"
_MOVED = (
    """INSERT INTO main.entities
    SELECT ref + :base, entity, id, version, written_at, key, deleted, archived, body
    FROM beside.entities WHERE entity = :entity""",
    """INSERT INTO main.entity_index (ref, sku, name, name2, extras)
    SELECT ref + :base, sku, name, name2, extras
    FROM beside.entity_index WHERE ref IN (SELECT ref FROM beside.entities WHERE entity = :entity)""",
    """INSERT INTO main.codes
    SELECT entity, code, place, ref + :base
    FROM beside.codes WHERE entity = :entity""",
    """INSERT INTO main.quarantine (entity, id, reason, payload)
    SELECT entity, id, reason, payload
    FROM beside.quarantine WHERE entity = :entity ORDER BY position""",
    """INSERT INTO main.states
    SELECT entity, state
    FROM beside.states WHERE entity = :entity""",
)


def faults(path: Path) -> tuple[str, ...]:
    """Return what is wrong with a cache file, a sentence each; a copy of it is read whole. None there is no fault."""
    if not path.is_file():
        return ()
    with tempfile.TemporaryDirectory(prefix=COPIES, dir=path.parent) as directory:
        copy = private_file(Path(directory) / path.name)
        try:
            with storage_errors(), _opened(path) as live, _opened(copy) as db:
                live.backup(db)
                return tuple(_faults(db))
        except CacheCorrupt as error:
            return (str(error),)


def take(path: Path, beside: Path, entities: Iterable[str], begin: str = "BEGIN IMMEDIATE") -> None:
    """Replace what a cache file holds of these entities by what another one holds, or change nothing.

    Readers see all of the old or all of the new; other entities stay as they are. Who syncs these entities meanwhile
    loses the lease: the proof of a half-read listing went with its rows.

    Args:
        path: the file.
        beside: the other one.
        entities: what is replaced.
        begin: how the transaction begins; `BEGIN` lets others go on writing to the other file.
    """
    with storage_errors(), _opened(path) as db:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("ATTACH DATABASE ? AS beside", (str(beside),))
        db.execute(begin)
        try:
            # The index is made again as a whole: faster than row by row, and whatever state it was in.
            triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                db.execute(f"DROP TRIGGER {name}")
            for entity in entities:
                _take(db, entity)
            db.execute("INSERT INTO entity_fts (entity_fts) VALUES ('rebuild')")
            for _, sql in triggers:
                db.execute(sql)
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")


def _take(db: sqlite3.Connection, entity: str) -> None:
    for table in ("entities", "quarantine", "states"):
        db.execute(f"DELETE FROM main.{table} WHERE entity = ?", (entity,))
    (base,) = db.execute("SELECT coalesce(max(ref), 0) FROM main.entities").fetchone()
    for statement in _MOVED:
        db.execute(statement, {"base": base, "entity": entity})
    line = lease_line(entity)
    for (text,) in db.execute("SELECT state FROM main.states WHERE entity = ?", (line,)).fetchall():
        lease = decode_lease(text)
        if lease is not None:
            db.execute("UPDATE main.states SET state = ? WHERE entity = ?", (encode_lease(voided(lease)), line))


def _opened(path: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None))


def _faults(db: sqlite3.Connection) -> Iterator[str]:
    yield from (text for (text,) in db.execute("PRAGMA integrity_check(20)") if text != "ok")
    for table, count in db.execute('SELECT "table", count(*) FROM pragma_foreign_key_check GROUP BY 1').fetchall():
        yield f"rows of {table} that belong to no record: {count}"
    if tables(db) != tables_expected():
        yield "the tables are not the expected ones"
        return
    try:
        db.execute(_CHECK_INDEX)
    except sqlite3.DatabaseError:
        yield "the full-text index and the texts differ"
    (bare,) = db.execute(_WITHOUT_TEXT).fetchone()
    if bare:
        yield f"records without searchable text: {bare}"
