"""What a parallel run has shown so far, kept beside the cache: how often, what differed, how long both sides took.

Written in batches from a thread, by any number of processes. Refuses to hold up a read, to raise, and to keep data.
"""

import asyncio
import math
import sqlite3
from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from cache_core.clock import Clock
from cache_core.compared import UPKEEP, Comparison
from cache_core.errors import CacheUnavailable
from cache_core.files import private_directory, private_file
from cache_core.records import iso

FILE_NAME = "comparisons.db"
ENOUGH = 10_000
"""Comparisons without a difference after which an entity may be flipped."""

ASKED = 100
"""How many of them must be reads that somebody asked for: what people ask is not what `--run` thinks of."""

SELDOM = frozenset({"operator", "tax_rate"})
"""Entities that hardly anybody asks for: generated reads are enough where all records were found equal after them."""

EXAMPLES = 20
"""Differences that are kept of an entity, the first ones."""

BATCH = 200
SECONDS = 5.0
"""A batch is written when it has this many comparisons, or at the first one after so many seconds."""

_WAIT_SECONDS = 5.0
_STEPS_PER_DOUBLING = 4
_FASTEST, _SLOWEST = 1e-6, 1e3
_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS tally (entity TEXT NOT NULL, what TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (entity, what)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS timing (entity TEXT NOT NULL, backend TEXT NOT NULL, bucket INTEGER NOT NULL,
    count INTEGER NOT NULL, PRIMARY KEY (entity, backend, bucket)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS example (nr INTEGER PRIMARY KEY, entity TEXT NOT NULL, operation TEXT NOT NULL,
    question TEXT NOT NULL, difference TEXT NOT NULL, answering TEXT NOT NULL, at TEXT NOT NULL)""",
)
_ADD = "INSERT INTO {0} VALUES ({1}, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count"
_ADD_TALLY = _ADD.format("tally", "?, ?")
_ADD_TIMING = _ADD.format("timing", "?, ?, ?")
_ADD_EXAMPLE = """INSERT INTO example (entity, operation, question, difference, answering, at)
    SELECT ?, ?, ?, ?, ?, ? WHERE (SELECT count(*) FROM example WHERE entity = ?) < ?"""

_log = structlog.get_logger("katana_mcp.cache")


@dataclass(frozen=True, slots=True)
class Example:
    """A difference that was seen: who answered, what was asked, and how the trial differed."""

    operation: str
    question: str
    difference: str
    answering: str
    at: str


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one side took.

    Attributes:
        count: reads.
        p50: seconds that half of them took at most, to 19 %.
        p95: seconds that 95 of 100 took at most, to 19 %.
    """

    count: int
    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class ComparisonSummary:
    """What the parallel run of an entity has shown.

    Attributes:
        entity: which.
        comparisons: reads that both sides answered in full, or that the trial failed to.
        generated: how many of them nobody asked but `katana-mcp cache compare --run`.
        cut: reads of which one side cut its answer short, so that nothing was compared.
        mismatches: how many differed.
        errors: how often the trial raised, writes included.
        verified: how often all records were found equal after generated reads.
        timings: per backend.
        examples: the first differences and errors.
    """

    entity: str
    comparisons: int = 0
    generated: int = 0
    cut: int = 0
    mismatches: int = 0
    errors: int = 0
    verified: int = 0
    timings: Mapping[str, Timing] = field(default_factory=dict[str, Timing])
    examples: tuple[Example, ...] = ()

    @property
    def against(self) -> str | None:
        """Why the entity must not be flipped, or None when it may be."""
        if self.mismatches or self.errors:
            return f"differences: {self.mismatches}, errors of the trial: {self.errors}"
        if self.comparisons < ENOUGH:
            return f"{self.comparisons:,} of {ENOUGH:,} comparisons"
        asked = self.comparisons - self.generated
        if asked < ASKED and not (self.verified and self.entity in SELDOM):
            return f"{asked} of {ASKED} reads that somebody asked for, the others are generated"
        return None


@dataclass(slots=True)
class _Batch:
    tally: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    timing: Counter[tuple[str, str, int]] = field(default_factory=Counter[tuple[str, str, int]])
    examples: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])


class KeptComparisons:
    """Adds comparisons to the file of an account's directory; differences also go to the log."""

    def __init__(self, directory: Path, clock: Clock, *, generated: bool = False) -> None:
        self._path = directory / FILE_NAME
        self._clock = clock
        self._generated = generated
        self._batch = _Batch()
        self._count = 0
        self._began = clock.monotonic()
        self._writing: set[asyncio.Task[None]] = set()

    def record(self, comparison: Comparison) -> None:
        """Keep one comparison."""
        if not self._generated:
            log_difference(comparison)
        self._add(comparison)
        self._count += 1
        if self._count >= BATCH or self._clock.monotonic() - self._began >= SECONDS:
            self._start_writing()

    def verified(self, entity: str) -> None:
        """Keep that all records of an entity are equal."""
        self._batch.tally[entity, "verified"] += 1

    async def close(self) -> None:
        """Write what is left."""
        self._start_writing()
        await asyncio.gather(*self._writing)

    def _add(self, comparison: Comparison) -> None:
        entity, batch = comparison.entity, self._batch
        if comparison.operation not in UPKEEP:
            batch.tally[entity, "cut"] += comparison.cut
            batch.tally[entity, "comparisons"] += not comparison.cut
            batch.tally[entity, "generated"] += self._generated and not comparison.cut
            batch.timing[entity, comparison.sides[0], bucket(comparison.seconds[0])] += 1
            if comparison.error is None:
                batch.timing[entity, comparison.sides[1], bucket(comparison.seconds[1])] += 1
        batch.tally[entity, "mismatches"] += comparison.mismatch is not None
        batch.tally[entity, "errors"] += comparison.error is not None
        seen = comparison.mismatch or comparison.error
        if seen and len(batch.examples) < EXAMPLES:
            asked = (entity, comparison.operation, comparison.question)
            batch.examples.append((*asked, seen, comparison.sides[0], iso(self._clock.now())))

    def _start_writing(self) -> None:
        batch, self._batch = self._batch, _Batch()
        self._count, self._began = 0, self._clock.monotonic()
        if batch.tally:
            task = asyncio.create_task(asyncio.to_thread(self._write, batch))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)

    def _write(self, batch: _Batch) -> None:
        try:
            private_directory(self._path.parent)
            with _transaction(self._path) as db:
                db.executemany(_ADD_TALLY, [(*key, count) for key, count in batch.tally.items() if count])
                db.executemany(_ADD_TIMING, [(*key, count) for key, count in batch.timing.items()])
                db.executemany(_ADD_EXAMPLE, [(*example, example[0], EXAMPLES) for example in batch.examples])
        except (sqlite3.Error, OSError, CacheUnavailable) as error:
            _log.warning("comparisons are lost", reason=str(error), count=sum(batch.tally.values()))


class LoggedComparisons:
    """Keeps the differences of a parallel run in the log alone."""

    def record(self, comparison: Comparison) -> None:
        """Log a difference or an error of the trial; agreement is not worth a line."""
        log_difference(comparison)


def log_difference(comparison: Comparison) -> None:
    """Log how the trial differed: entity, operation and ids, never records."""
    if comparison.mismatch or comparison.error:
        _log.warning(
            "parallel run differs",
            entity=comparison.entity,
            operation=comparison.operation,
            difference=comparison.mismatch or comparison.error,
        )


def standings(directory: Path, entities: Iterable[str]) -> tuple[ComparisonSummary, ...]:
    """Return what the parallel run has shown of each entity.

    Raises:
        CacheUnavailable: the file cannot be read.
    """
    path = directory / FILE_NAME
    if not path.is_file():
        return tuple(map(ComparisonSummary, entities))
    try:
        with _transaction(path) as db:
            found = tuple(_standing(db, entity) for entity in entities)
    except sqlite3.Error as error:
        raise CacheUnavailable(f"{path} cannot be read: {error}; `compare --reset` begins anew") from error
    return found


def forget(directory: Path, entities: Iterable[str]) -> None:
    """Begin anew for these entities.

    Raises:
        CacheUnavailable: the file cannot be written.
    """
    path = directory / FILE_NAME
    if not path.is_file():
        return
    try:
        with _transaction(path) as db:
            for table in ("tally", "timing", "example"):
                db.executemany(f"DELETE FROM {table} WHERE entity = ?", [(entity,) for entity in entities])
    except sqlite3.OperationalError as error:
        raise CacheUnavailable(f"{path} cannot be written: {error}") from error
    except sqlite3.DatabaseError:
        # It is not a database any more: there is nothing in it to keep.
        path.unlink()


def bucket(seconds: float) -> int:
    """Return the step of a duration on a scale that doubles every four steps, from 1 µs to 1,000 s."""
    bounded = min(max(seconds, _FASTEST), _SLOWEST)
    return math.ceil(math.log2(bounded / _FASTEST) * _STEPS_PER_DOUBLING)


@contextmanager
def _transaction(path: Path) -> Generator[sqlite3.Connection]:
    """Open the file for one transaction.

    Nothing comes before its lock: SQLite does not wait where two begin a file, or change its journal, at once.
    """
    with closing(sqlite3.connect(private_file(path), timeout=_WAIT_SECONDS, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        for statement in _SCHEMA:
            db.execute(statement)
        yield db
        db.execute("COMMIT")


def _standing(db: sqlite3.Connection, entity: str) -> ComparisonSummary:
    tally: dict[str, int] = dict(db.execute("SELECT what, count FROM tally WHERE entity = ?", (entity,)).fetchall())
    buckets: dict[str, Counter[int]] = {}
    for backend, step, count in db.execute("SELECT backend, bucket, count FROM timing WHERE entity = ?", (entity,)):
        buckets.setdefault(backend, Counter())[step] = count
    sql = "SELECT operation, question, difference, answering, at FROM example WHERE entity = ? ORDER BY nr"
    return ComparisonSummary(
        entity,
        **tally,
        timings={backend: _timing(counts) for backend, counts in sorted(buckets.items())},
        examples=tuple(Example(*row) for row in db.execute(sql, (entity,))),
    )


def _timing(counts: Counter[int]) -> Timing:
    total = counts.total()
    return Timing(total, _percentile(counts, total * 0.5), _percentile(counts, total * 0.95))


def _percentile(counts: Counter[int], rank: float) -> float:
    seen = 0
    for step in sorted(counts):
        seen += counts[step]
        if seen >= rank:
            return _FASTEST * 2 ** (step / _STEPS_PER_DOUBLING)
    return 0.0
