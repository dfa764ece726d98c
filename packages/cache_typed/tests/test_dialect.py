"""SQLite's own SQL stands in four modules of the typed cache, and its driver nowhere else where records are kept."""

import re
from pathlib import Path

import cache_typed
import katana_mcp

TYPED = Path(cache_typed.__file__).parent
SERVER = Path(katana_mcp.__file__).parent
OWN = re.compile(
    r"PRAGMA|pragma_|MATCH |fts5|\btrigram\b|ON CONFLICT|OR IGNORE|OR REPLACE|rowid|GLOB|instr\(|json_each|json_extract"
    r"|INDEXED BY|sqlite_|import sqlite3|dialects import"
)
# The number of a request budget, what a parallel run found, the deletion of files, the journal of writes: no records.
OTHER_FILES = {
    "caches/accounts/ledger_file.py",
    "commands/cache/clear.py",
    "caches/comparisons.py",
    "journal/claiming.py",
    "journal/file.py",
    "journal/pace.py",
    "journal/rows.py",
    "journal/schema.py",
}


def naming(root: Path, pattern: re.Pattern[str]) -> set[str]:
    """Return the modules in which a line matches, by path."""
    return {str(path.relative_to(root)) for path in root.rglob("*.py") if pattern.search(path.read_text("utf-8"))}


def test_what_only_sqlite_understands_stands_in_five_modules() -> None:
    assert naming(TYPED, OWN) == {"dialect.py", "code_fragments.py", "indexes.py", "one_word.py", "trigrams.py"}


def test_the_server_opens_databases_of_its_own_and_never_the_caches() -> None:
    assert naming(SERVER, re.compile("import sqlite3|sqlalchemy|sqlmodel")) == OTHER_FILES
    assert naming(SERVER, re.compile(r"fts5|MATCH \?|typed-\d+\.db")) == set()
