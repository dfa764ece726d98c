"""Which lines each test runs, kept in a SQLite file: a row for each test, and its lines of each file as bits."""

import sqlite3
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from mutants.drawn.drawing import is_place

type Lines = dict[str, int]
"""By file, from the root: a number whose bit n is set where line n has run."""
_TABLES = (
    "CREATE TABLE IF NOT EXISTS tests (id INTEGER PRIMARY KEY, name TEXT, seconds REAL, size INTEGER)",
    "CREATE TABLE IF NOT EXISTS lines (file TEXT, test INTEGER, bits BLOB)",
    "CREATE INDEX IF NOT EXISTS of_file ON lines (file)",
    "CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, digest TEXT)",
)
_ANYWHERE = (0, 100_000)


@dataclass(frozen=True, slots=True)
class TracedTest:
    """What one test ran.

    Attributes:
        name: as pytest is given it; nothing for what importing ran.
        seconds: how long it worked.
        lines: what it ran.
    """

    name: str
    seconds: float
    lines: Lines


@dataclass(frozen=True, slots=True)
class Test:
    """One test that runs a line.

    Attributes:
        name: as pytest is given it.
        seconds: how long it works.
        size: how many lines it runs, of the places where bugs are drawn.
    """

    __test__ = False
    name: str
    seconds: float
    size: int


@contextmanager
def _opened(path: Path) -> Generator[sqlite3.Connection]:
    """Open for one transaction: each process of a run writes when it is done."""
    with closing(sqlite3.connect(path, timeout=300, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        for table in _TABLES:
            db.execute(table)
        yield db
        db.execute("COMMIT")


def write(path: Path, tests: Iterable[TracedTest]) -> None:
    """Add what tests ran."""
    with _opened(path) as db:
        for test in tests:
            size = sum(bits.bit_count() for bits in test.lines.values())
            row = db.execute(
                "INSERT INTO tests (name, seconds, size) VALUES (?, ?, ?)", (test.name, test.seconds, size)
            )
            rows = [
                (file, row.lastrowid, bits.to_bytes(bits.bit_length() // 8 + 1, "little"))
                for file, bits in test.lines.items()
            ]
            db.executemany("INSERT INTO lines VALUES (?, ?, ?)", rows)


def write_sources(path: Path, digests: dict[str, str]) -> None:
    """Note of which files of the tree the lines are."""
    with _opened(path) as db:
        db.execute("DELETE FROM sources")
        db.executemany("INSERT INTO sources VALUES (?, ?)", digests.items())


def sources(path: Path) -> dict[str, str]:
    """Return of which files of the tree the lines are, each with its digest; none where nothing is kept."""
    if not path.exists():
        return {}
    with _opened(path) as db:
        return dict(db.execute("SELECT name, digest FROM sources"))


def read(path: Path) -> list[TracedTest]:
    """Return each test with what it runs; what importing ran is nobody's."""
    with _opened(path) as db:
        tests = db.execute("SELECT id, name, seconds FROM tests WHERE name <> ''").fetchall()
        lines: dict[int, Lines] = {number: {} for number, _, _ in tests}
        for number, file, bits in db.execute("SELECT test, file, bits FROM lines"):
            if number in lines:
                lines[number][file] = int.from_bytes(bits, "little")
    return [TracedTest(name, seconds, lines[number]) for number, name, seconds in tests]


def concerned(path: Path, files: Sequence[str]) -> list[str]:
    """Return those of the files that hold tests, and the files of the tests that run any of the others."""
    with _opened(path) as db:
        chosen = ", ".join("?" * len(files))
        running = f"SELECT name FROM tests JOIN lines ON test = id WHERE file IN ({chosen}) AND name <> ''"
        found = {name.partition("::")[0] for (name,) in db.execute(running, files)}
    return sorted(found | {file for file in files if not is_place(file)})


def forget(path: Path, files: Iterable[str]) -> None:
    """Take away the tests of files of tests, and what importing ran of others."""
    with _opened(path) as db:
        for file in files:
            those = (len(file) + 2, f"{file}::")
            db.execute("DELETE FROM lines WHERE test IN (SELECT id FROM tests WHERE substr(name, 1, ?) = ?)", those)
            db.execute("DELETE FROM tests WHERE substr(name, 1, ?) = ?", those)
            db.execute("DELETE FROM lines WHERE file = ?", (file,))


class Trace:
    """What is known of all tests."""

    def __init__(self, path: Path) -> None:
        with _opened(path) as db:
            self._tests = {
                number: Test(name, seconds, size) for number, name, seconds, size in db.execute("SELECT * FROM tests")
            }
        self._path = path
        self._files: dict[str, list[tuple[Test, int]]] = {}

    def tests(self, file: str, spans: Sequence[tuple[int, int]]) -> list[Test]:
        """Return the tests that run the first of the spans that anything runs; none where nothing runs any of them.

        What runs while modules are imported is noticed by those that run more of its file, or by its package's.

        Args:
            file: from the root.
            spans: first and last lines, the narrowest first.
        """
        *narrow, function = spans
        for span in narrow:
            found = self._running(file, span)
            if found:
                is_imported = any(not test.name for test in found)
                wider = (self._running(file, function), self._running(file, _ANYWHERE), self._of_package(file))
                named = ([test for test in tests if test.name] for tests in (found, *(wider if is_imported else ())))
                return next(filter(None, named), found[:0])
        return []

    def _of_package(self, file: str) -> list[Test]:
        package = "/".join(file.split("/")[:2])
        return [test for test in self._tests.values() if test.name.startswith(f"{package}/")]

    def _running(self, file: str, span: tuple[int, int]) -> list[Test]:
        mask = (1 << span[1] + 1) - (1 << span[0])
        return [test for test, bits in self._of(file) if bits & mask]

    def _of(self, file: str) -> list[tuple[Test, int]]:
        if file not in self._files:
            with _opened(self._path) as db:
                rows = db.execute("SELECT test, bits FROM lines WHERE file = ?", (file,)).fetchall()
            self._files[file] = [(self._tests[number], int.from_bytes(bits, "little")) for number, bits in rows]
        return self._files[file]


class Given:
    """Tests that are tried on every bug, whatever they run."""

    def __init__(self, names: Sequence[str]) -> None:
        self._tests = [Test(name, _SOON_OVER, 1) for name in names]

    def tests(self, file: str, spans: Sequence[tuple[int, int]]) -> list[Test]:
        """Return them all."""
        del file, spans
        return self._tests


_SOON_OVER = 10.0
"""Seconds that are allowed for each test that is given."""
