"""What a process leaves that is killed while it fills a new cache file."""

import sqlite3
from contextlib import closing
from pathlib import Path

_STATEMENTS = (
    "PRAGMA cache_size = 1",
    "CREATE TABLE other (text)",
    *("INSERT INTO other VALUES (hex(randomblob(999)))",) * 9,
    "BEGIN",
    "UPDATE other SET text = hex(randomblob(999))",
)


def half_made(partial: Path) -> None:
    """Leave half of a file, and the journal by which SQLite would undo what was not committed."""
    journal = partial.with_name(f"{partial.name}-journal")
    with closing(sqlite3.connect(partial, isolation_level=None)) as db:
        for statement in _STATEMENTS:
            db.execute(statement)
        halves = {path: path.read_bytes() for path in (partial, journal)}
    for path, half in halves.items():
        path.write_bytes(half)
