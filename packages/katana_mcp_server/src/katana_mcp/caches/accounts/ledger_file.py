"""A key's ledger in a SQLite file: read, changed and written in one short transaction that waits for nobody.

Refuses symbolic links and files of others. Nothing in it outlives a minute, so nothing is flushed to the disk.
"""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

from cache_core.errors import CacheUnavailable
from cache_core.files import private_directory, private_file
from katana_client.ledger import Ledger, Quota

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_SETTINGS = ("PRAGMA synchronous = OFF", "PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 64")
_TABLE = "CREATE TABLE IF NOT EXISTS ledger (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL)"


class Busy(Exception):
    """Another process is at it; it takes less than a millisecond."""


class Unusable(Exception):
    """The file cannot serve: read-only, full, damaged, not ours; the message says which."""


class LedgerFile:
    """The ledger of one key in one file, opened by the first change, and again once another stands in its place.

    Attributes:
        is_new: whether this process has changed nothing yet in the file that is open.

    Args:
        path: Where; its directory is made private.
        quota: How much may be sent on the key.
    """

    def __init__(self, path: Path, quota: Quota) -> None:
        self._path = path
        self._quota = quota
        self._connection: sqlite3.Connection | None = None
        self._inode: int | None = None
        self.is_new = True

    def change[T](self, work: Callable[[Ledger], T]) -> tuple[Ledger, T]:
        """Run `work` on the ledger, keep what it changed, and return both; all of it or nothing is kept.

        Raises:
            Busy: another process holds the file just now; try again.
            Unusable: the file cannot serve.
        """
        try:
            if _inode_of(self._path) != self._inode:
                self.close()
            if self._connection is None:
                self._connection, self.is_new = self._opened(), True
            changed = self._changed(self._connection, work)
        except CacheUnavailable as error:
            raise Unusable(str(error)) from error
        except sqlite3.Error as error:
            raise self._as_unusable(error) from error
        self.is_new = False
        return changed

    def close(self) -> None:
        """Close the file; the next change opens it again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _opened(self) -> sqlite3.Connection:
        private_directory(self._path.parent)
        self._inode = _inode_of(private_file(self._path))
        connection = sqlite3.connect(self._path, timeout=0, isolation_level=None)
        try:
            for statement in (*_SETTINGS, _TABLE):
                connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        return connection

    def _changed[T](self, connection: sqlite3.Connection, work: Callable[[Ledger], T]) -> tuple[Ledger, T]:
        connection.execute("BEGIN IMMEDIATE")
        try:
            kept = connection.execute("SELECT value FROM ledger").fetchone()
            ledger = Ledger.from_data(self._quota, _parsed(kept[0]) if kept else None)
            result = work(ledger)
            connection.execute("INSERT OR REPLACE INTO ledger VALUES (1, ?)", (json.dumps(ledger.as_data()),))
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return ledger, result

    def _as_unusable(self, error: sqlite3.Error) -> Busy | Unusable:
        # What the sqlite3 module itself refuses has no code.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in _BUSY:
            return Busy()
        self.close()
        if code in _DAMAGED:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self._path}{suffix}").unlink(missing_ok=True)
        return Unusable(f"{self._path.name}: {error}")


def _inode_of(path: Path) -> int | None:
    """Return what tells the file from one that stands in its place later; None where there is none."""
    try:
        return path.lstat().st_ino
    except OSError:
        return None


def _parsed(text: object) -> object:
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
