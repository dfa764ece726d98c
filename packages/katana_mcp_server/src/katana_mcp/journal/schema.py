"""The journal's tables as numbered steps, and a connection on which they are all taken.

Refuses a file of a newer version, of another user, or that is no file; never rebuilds, never deletes.
"""

import sqlite3
import stat
from collections.abc import Sequence
from pathlib import Path

from cache_core.files import is_foreign, private_directory
from katana_mcp.journal.errors import JournalUnusable

BUSY_SECONDS = 5.0
"""How long a statement waits for another process."""

DURABLE = "PRAGMA synchronous = FULL"
"""What is committed is on the disk."""

type Steps = Sequence[Sequence[str]]

STEPS: Steps = (
    (
        """CREATE TABLE plan (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            digest TEXT NOT NULL UNIQUE,
            tool TEXT NOT NULL, tenant TEXT NOT NULL, principal TEXT NOT NULL,
            created_at TEXT NOT NULL, expires_at TEXT NOT NULL,
            summary TEXT NOT NULL, content TEXT NOT NULL, shown TEXT NOT NULL,
            state TEXT NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'claimed', 'finished', 'expired')),
            epoch INTEGER NOT NULL DEFAULT 0, broken INTEGER NOT NULL DEFAULT 0,
            owner TEXT, claimed_at TEXT, beat_at TEXT, finished_at TEXT, outcome TEXT,
            CHECK ((state = 'finished') = (outcome IS NOT NULL)))""",
        """CREATE TABLE action (
            plan INTEGER NOT NULL REFERENCES plan (id), place INTEGER NOT NULL,
            sent TEXT NOT NULL,
            state TEXT NOT NULL DEFAULT 'planned'
                CHECK (state IN ('planned', 'sending', 'applied', 'failed', 'unknown', 'not_tried')),
            result TEXT, error TEXT, look_up TEXT, at TEXT,
            PRIMARY KEY (plan, place)) WITHOUT ROWID""",
        "CREATE INDEX applied ON action (at) WHERE state = 'applied'",
    ),
    ("ALTER TABLE plan ADD COLUMN request TEXT NOT NULL DEFAULT '{}'",),
    (
        "DROP INDEX applied",
        "CREATE INDEX sent ON action (at) WHERE state IN ('sending', 'applied', 'unknown')",
        "CREATE INDEX claimed ON plan (principal) WHERE state = 'claimed'",
    ),
    (
        "ALTER TABLE plan ADD COLUMN amended TEXT",
        "ALTER TABLE plan ADD COLUMN amended_at TEXT",
        "CREATE INDEX unsure ON action (plan) WHERE state = 'unknown'",
    ),
    (
        "ALTER TABLE plan ADD COLUMN basis TEXT NOT NULL DEFAULT '{}'",
        "CREATE TABLE lane (name TEXT PRIMARY KEY, holder TEXT NOT NULL, beat_at TEXT NOT NULL) WITHOUT ROWID",
    ),
    (
        "ALTER TABLE plan ADD COLUMN answer TEXT",
        "ALTER TABLE plan ADD COLUMN answered_at TEXT",
    ),
    (
        "ALTER TABLE plan ADD COLUMN refused TEXT",
        "ALTER TABLE plan ADD COLUMN refused_at TEXT",
    ),
    ("ALTER TABLE lane ADD COLUMN plan INTEGER",),
)
"""Step n makes version n. A step that was released never changes; a new one is added below it."""


def connected(path: Path, steps: Steps = STEPS) -> sqlite3.Connection:
    """Return a connection to the journal, for any thread, made or brought to the newest version if need be.

    Raises:
        JournalUnusable: the file is newer, not ours or no file.
        CacheUnavailable: its directory cannot be used.
        sqlite3.Error: the file cannot serve.
    """
    private_directory(path.parent)
    _refuse_foreign(path)
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        if stat.S_IMODE(path.stat().st_mode) != _PRIVATE:
            # By its name: to open and close the file beside SQLite would drop the locks of this process.
            path.chmod(_PRIVATE)
        version = refuse_newer(db, path, steps)
        db.execute("PRAGMA journal_mode = WAL")
        # Each change goes into the file itself at once: SQLite drops a lost or damaged `-wal` without a word.
        db.execute("PRAGMA wal_autocheckpoint = 1")
        db.execute(DURABLE)
        if version < len(steps):
            _migrate(db, path, steps)
    except BaseException:
        db.close()
        raise
    return db


def refuse_newer(db: sqlite3.Connection, path: Path, steps: Steps) -> int:
    """Return the file's version; another process may bring it to a newer one at any time.

    Raises:
        JournalUnusable: it is newer than these steps.
    """
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > len(steps):
        raise JournalUnusable(
            f"the journal of writes {path} has version {version} and this katana-mcp knows {len(steps)}: "
            "nothing is written to Katana; start a newer katana-mcp"
        )
    return version


_PRIVATE = 0o600


def _refuse_foreign(path: Path) -> None:
    if not path.exists(follow_symlinks=False):
        return
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode) or is_foreign(found):
        raise JournalUnusable(f"the journal of writes {path} is not a file of this user; move it away, then try again")


def _migrate(db: sqlite3.Connection, path: Path, steps: Steps) -> None:
    """Take the steps that are missing, all or none; another process may have taken them meanwhile."""
    db.execute("BEGIN IMMEDIATE")
    try:
        for step in steps[refuse_newer(db, path, steps) :]:
            for statement in step:
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(steps)}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
