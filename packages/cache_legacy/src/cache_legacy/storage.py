"""The SQLite file of the legacy cache: its tables, how it is opened, and what its faults mean.

Refuses to use a damaged file or one with other tables: it is set aside under another name and made anew.
"""

import asyncio
import re
import sqlite3
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from functools import cache, partial
from pathlib import Path

import aiosqlite

from cache_core.errors import CacheCorrupt, CacheUnavailable
from cache_core.files import private_file
from cache_core.locks import try_lock
from cache_core.records import InvalidRecord
from cache_legacy.reading import Meets, order_key

_SCHEMA_VERSION = 1
FILE_NAME = f"legacy-v{_SCHEMA_VERSION}.sqlite"
_NAME = re.compile(r"legacy-v([0-9]+)\.sqlite")

WAIT_SECONDS = 5.0
_POLL_SECONDS = 0.02
_ROWS_AT_ONCE = 64
_LOGS = ("-wal", "-shm")
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
_DAMAGE_SOUNDS = (
    "no such table",
    "no such column",
    "malformed JSON",
    "Could not decode to UTF-8",
    "invalid fts5 file format",
)
_PRAGMAS = "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
# Every character of a token is a token character for FTS5 too, so that its own Unicode tables never matter.
_TOKENS = "unicode61 remove_diacritics 0 categories 'L* N* M* Co Cn S* P*'"
_COLUMNS = "sku, name, name2, extras"
_NEW = f"""INSERT INTO entity_fts (rowid, {_COLUMNS})
    VALUES (new.ref, new.sku, new.name, new.name2, new.extras);"""
_OLD = f"""INSERT INTO entity_fts (entity_fts, rowid, {_COLUMNS})
    VALUES ('delete', old.ref, old.sku, old.name, old.name2, old.extras);"""
_CHANGED = "(old.sku, old.name, old.name2, old.extras) IS NOT (new.sku, new.name, new.name2, new.extras)"
_SCHEMA = f"""
CREATE TABLE entities (ref INTEGER PRIMARY KEY, entity TEXT NOT NULL, id NOT NULL, version TEXT,
    written_at TEXT, key TEXT, deleted INTEGER NOT NULL, archived INTEGER NOT NULL,
    body TEXT NOT NULL, UNIQUE (entity, id));
CREATE INDEX entities_by_key ON entities (entity, key, deleted, archived, id);
CREATE INDEX entities_by_version ON entities (entity, version, deleted, archived);
CREATE TABLE entity_index (ref INTEGER PRIMARY KEY REFERENCES entities ON DELETE CASCADE,
    sku TEXT NOT NULL, name TEXT NOT NULL, name2 TEXT NOT NULL, extras TEXT NOT NULL);
CREATE VIRTUAL TABLE entity_fts USING fts5 ({_COLUMNS}, content='entity_index', content_rowid='ref',
    tokenize="{_TOKENS}");
CREATE VIRTUAL TABLE entity_terms USING fts5vocab (entity_fts, row);
CREATE TRIGGER indexed AFTER INSERT ON entity_index BEGIN {_NEW} END;
CREATE TRIGGER unindexed AFTER DELETE ON entity_index BEGIN {_OLD} END;
CREATE TRIGGER reindexed AFTER UPDATE ON entity_index WHEN {_CHANGED} BEGIN {_OLD} {_NEW} END;
CREATE TABLE codes (entity TEXT NOT NULL, code TEXT NOT NULL, place INTEGER NOT NULL,
    ref INTEGER NOT NULL REFERENCES entities ON DELETE CASCADE,
    PRIMARY KEY (entity, code, place, ref)) WITHOUT ROWID;
CREATE INDEX codes_of ON codes (ref);
CREATE TABLE quarantine (position INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL, id,
    reason TEXT NOT NULL, payload TEXT NOT NULL);
CREATE INDEX quarantine_by_id ON quarantine (entity, id);
CREATE TABLE states (entity TEXT PRIMARY KEY, state TEXT NOT NULL);
"""


class Line:
    """One connection, used by one caller at a time; remembers whether the storage proved damaged."""

    def __init__(self, db: aiosqlite.Connection) -> None:
        self._db = db
        self._turn = asyncio.Lock()
        self.corrupt = False

    @asynccontextmanager
    async def transaction(self, begin: str, meets: Meets | None = None) -> AsyncGenerator[aiosqlite.Connection]:
        """Run the block between `begin` and COMMIT; any exception, cancellation included, rolls back.

        Args:
            begin: the statement that begins the transaction.
            meets: what the SQL function `meets(number, fragment)` means in it.
        """
        async with self._turn:
            try:
                with storage_errors():
                    try:
                        if meets is not None:
                            await self._db.create_function("meets", 2, meets)  # pyright: ignore[reportUnknownMemberType] - its stub leaves the function open
                        await self._db.execute_fetchall(begin)
                        yield self._db
                        await self._db.commit()
                    except BaseException:
                        await self._db.rollback()
                        raise
            except CacheCorrupt:
                self.corrupt = True
                raise

    async def close(self) -> None:
        """Close the connection once nobody uses it."""
        async with self._turn:
            await self._db.close()


async def connect(path: Path | None, *, looking: bool = False) -> Line:
    """Return a line to the prepared file, or to a new database in memory; `looking` refuses every change."""
    with storage_errors():
        db = await aiosqlite.Connection(partial(_connected, path, b"" if path else empty_image()), _ROWS_AT_ONCE)
        try:
            await db.executescript(_PRAGMAS)
            if looking:
                await db.execute_fetchall("PRAGMA query_only = ON")
            await db.create_function("order_key", 3, order_key, deterministic=True)  # pyright: ignore[reportUnknownMemberType] - its stub leaves the function open
        except BaseException:
            await db.close()
            raise
    return Line(db)


def _connected(path: Path | None, image: bytes) -> sqlite3.Connection:
    db = sqlite3.connect(path or ":memory:", timeout=WAIT_SECONDS, isolation_level=None)
    if path is None:
        with closing(sqlite3.connect(":memory:")) as made:
            made.deserialize(image)
            made.backup(db)
    return db


@cache
def empty_image() -> bytes:
    """Return an empty cache file: to copy its tables takes a tenth of making them."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(_SCHEMA)
        return db.serialize()


def prepare(path: Path, fill: Callable[[Path, Path], None], suspect: int | None) -> Path | None:
    """Make the file ready for use by many processes; return where a damaged one was set aside, if so.

    Args:
        path: the file; its directory is there.
        fill: copies into a new file what that of an older version holds.
        suspect: the inode of a file that proved damaged in use, so that it is not to be trusted even if it looks
            well; another process may have replaced it since.
    """
    with _alone(private_file(path.with_suffix(".lock"))), storage_errors():
        aside = _set_aside(path) if path.exists() and (path.stat().st_ino == suspect or _damaged(path)) else None
        if not path.exists(follow_symlinks=False):
            _make(path, fill)
        with closing(sqlite3.connect(private_file(path), timeout=WAIT_SECONDS, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode=WAL")
    return aside


def _make(path: Path, fill: Callable[[Path, Path], None]) -> None:
    """Make the file whole or not at all, filled from its newest older version: half of one would look damaged."""
    growing = private_file(path.with_name(f"{path.name}.growing"))
    try:
        growing.write_bytes(empty_image())
        for suffix in _LOGS:
            # What a removed file left would be taken up by the new one.
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        growing.with_name(f"{growing.name}-journal").unlink(missing_ok=True)
        with suppress(CacheCorrupt):
            # One that is damaged, or that the tables of this version cannot hold, is left alone and fetched anew.
            for older in _older(path)[-1:]:
                fill(growing, older)
        growing.rename(path)
    except OSError as error:
        raise CacheUnavailable(f"the cache file {path} cannot be made: {error.strerror}") from error


def _older(path: Path) -> list[Path]:
    """Return the files of older schema versions beside a file, the newest last."""
    numbered = [(int(found[1]), file) for file in path.parent.iterdir() if (found := _NAME.fullmatch(file.name))]
    return [file for number, file in sorted(numbered) if number < _SCHEMA_VERSION]


@contextmanager
def storage_errors() -> Generator[None]:
    """Turn SQLite's errors into the cache's own; none of them may look like an empty answer."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if _means_damage(error):
            raise CacheCorrupt(f"the legacy cache is damaged: {error}") from error
        raise CacheUnavailable(f"the legacy cache does not answer: {error}") from error
    except UnicodeDecodeError as error:
        raise CacheCorrupt("the legacy cache is damaged: it holds text that is not UTF-8") from error
    except (OverflowError, UnicodeEncodeError) as error:
        raise InvalidRecord(f"a value cannot be stored: {error}") from error


def _damaged(path: Path) -> bool:
    """Return whether the file is empty, fails SQLite's check, or holds other tables than ours."""
    if path.stat().st_size == 0:
        return True
    with closing(sqlite3.connect(private_file(path), timeout=WAIT_SECONDS)) as db:
        try:
            verdict = db.execute("PRAGMA quick_check(1)").fetchone()
            return verdict != ("ok",) or tables(db) != tables_expected()
        except UnicodeDecodeError:
            return True
        except sqlite3.DatabaseError as error:
            if _means_damage(error):
                return True
            raise


def _means_damage(error: sqlite3.DatabaseError) -> bool:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return code in _DAMAGED or str(error).startswith(_DAMAGE_SOUNDS)


def tables_expected() -> list[tuple[str, str]]:
    """Return the objects of a sound file."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(_SCHEMA)
        return tables(db)


def tables(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the objects that a file holds, and the statements that made them."""
    return db.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").fetchall()


def _set_aside(path: Path) -> Path:
    """Rename the file with its log, so that a new one cannot take up a stray log."""
    aside = path.with_name(f"{path.name}.damaged-{time.time_ns()}")
    for suffix in (*_LOGS, ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    return aside


@contextmanager
def _alone(lock: Path) -> Generator[None]:
    """Let one process at a time make or replace the file, waiting a bounded time for its turn."""
    deadline = time.monotonic() + WAIT_SECONDS
    with lock.open("rb") as handle:
        while not try_lock(handle):
            if time.monotonic() > deadline:
                raise CacheUnavailable("another process is opening the legacy cache")
            time.sleep(_POLL_SECONDS)
        yield
