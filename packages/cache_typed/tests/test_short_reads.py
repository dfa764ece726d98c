"""Reads done where they are asked for: which are, which are left to a thread, and that none of them is ever wrong."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Hashable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from time import thread_time
from typing import Any

import pytest
from typed_orders import batch, order

from cache_core.conditions import EVERYTHING, LIVE, OneOf, Order, Within
from cache_core.errors import CacheCorrupt, CacheUnavailable
from cache_core.protocol import ByIds, Search, Selected, Selection
from cache_core.testing import ManualClock
from cache_typed import dialect, transactions
from cache_typed.backend import LONGEST_OF_WORDS, MOST_BY_ID, TypedBackend
from cache_typed.dialect import Connection
from cache_typed.storage import Storage
from cache_typed.tables.tax_rates import TAX_RATE_TABLE
from cache_typed.transactions import LongReads, PutOff, ShortReads, takes_long

COUNT = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) FROM n"
MANY = 50_000


@pytest.fixture(params=["file", "memory"])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    """Return where the cache stands: in a file, or nowhere."""
    return tmp_path if request.param == "file" else None


@asynccontextmanager
async def opened(directory: Path | None) -> AsyncGenerator[Storage]:
    """Open a storage for a block."""
    storage = Storage(directory, (TAX_RATE_TABLE,), ManualClock())
    await storage.open()
    yield storage
    await storage.close()


def here(_: Connection) -> bool:
    """Return whether the read is done in the thread of the event loop."""
    return threading.current_thread() is threading.main_thread()


def counted(where: list[bool], to: int = MANY) -> Callable[[Connection], int]:
    """Return a read that counts to a number, and notes each time whether it is done here."""

    def read(db: Connection) -> int:
        where.append(here(db))
        count: int = db.execute(COUNT, (to,)).fetchone()[0]
        return count

    return read


async def test_a_short_read_takes_no_thread(directory: Path | None) -> None:
    async with opened(directory) as storage:
        assert await storage.read(here)


async def test_a_long_read_is_begun_again_in_a_thread(directory: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transactions, "LONGEST", 0.0)
    where: list[bool] = []
    async with opened(directory) as storage:
        assert await storage.read(counted(where)) == MANY
        assert where == [True, False]
        assert await storage.read(counted(where, to=10)) == 10
        assert where == [True, False, True]


async def test_reads_that_follow_each_other_let_others_have_their_turn(
    directory: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[int] = []

    async def others() -> None:
        while True:
            turns.append(len(turns))
            await asyncio.sleep(0)

    async with opened(directory) as storage:
        running = asyncio.create_task(others())
        monkeypatch.setattr("cache_typed.storage.A_TURN", 1.0)
        for _ in range(10):
            assert await storage.read(here)
        assert turns == []
        monkeypatch.setattr("cache_typed.storage.A_TURN", 0.0)
        for _ in range(10):
            assert await storage.read(here)
        assert turns == list(range(10))
        running.cancel()


async def test_the_end_of_an_interrupted_transaction_is_not_interrupted(
    directory: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "LONGEST", 0.0)
    monkeypatch.setattr(transactions, "_STEPS", 1)
    async with opened(directory) as storage:
        for _ in range(100):
            assert await storage.read(counted([], to=10)) == 10


async def test_while_rows_are_written_reads_are_left_to_a_thread(directory: Path | None) -> None:
    begun, let_go = threading.Event(), threading.Event()

    def write(_: Connection) -> None:
        begun.set()
        let_go.wait(10)

    async with opened(directory) as storage:
        writing = asyncio.create_task(storage.write(write))
        await asyncio.to_thread(begun.wait, 10)
        reading = asyncio.create_task(storage.read(here))
        await asyncio.sleep(0)
        let_go.set()
        assert not await reading
        await writing
        assert await storage.read(here)


async def test_after_a_write_that_was_given_up_a_database_in_memory_is_read_once_it_has_ended() -> None:
    begun, let_go = threading.Event(), threading.Event()

    def write(db: Connection) -> None:
        db.execute("INSERT INTO cache_state VALUES ('tax_rate', 'half')")
        begun.set()
        let_go.wait(10)

    def states(db: Connection) -> tuple[bool, int]:
        count: int = db.execute("SELECT count(*) FROM cache_state").fetchone()[0]
        return here(db), count

    async with opened(None) as storage:
        writing = asyncio.create_task(storage.write(write))
        await asyncio.to_thread(begun.wait, 10)
        writing.cancel()
        await asyncio.sleep(0)
        reading = asyncio.create_task(storage.read(states))
        await asyncio.sleep(0)
        let_go.set()
        assert await reading == (False, 1)


def test_a_read_is_put_off_while_another_process_has_the_file_to_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(dialect.connect(str(path), patience=0)) as ours, closing(dialect.connect(str(path))) as other:
        short = ShortReads(ours)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(PutOff):
            short.read(lambda db: db.execute("SELECT * FROM sqlite_master"))
        other.execute("ROLLBACK")
        assert short.read(lambda db: db.execute("SELECT * FROM sqlite_master").fetchall()) == []


async def test_a_short_read_waits_for_no_other_process(tmp_path: Path) -> None:
    async with opened(tmp_path) as storage:
        waits = await storage.read(lambda db: (here(db), db.execute("PRAGMA busy_timeout").fetchone()))
    assert waits == (True, (0,))


@pytest.fixture
def done_here(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list that notes each read begun where it is asked for: whether it was done there."""
    done_here: list[bool] = []
    read = ShortReads.read

    def noted[T](self: ShortReads, work: Callable[[Connection], T], longest: float | None) -> T:
        try:
            answer = read(self, work, longest)
        except PutOff:
            done_here.append(False)
            raise
        done_here.append(True)
        return answer

    monkeypatch.setattr(ShortReads, "read", noted)
    return done_here


async def test_many_rows_by_id_are_left_to_a_thread(directory: Path | None, done_here: list[bool]) -> None:
    backend = TypedBackend(directory)
    await backend.open()
    await backend.apply(batch(order(1), order(2)))
    few, more = list(range(1, MOST_BY_ID + 1)), list(range(1, MOST_BY_ID + 2))
    for ids, begun in ((few, [True]), (more, [])):
        assert [row.id for row in (await backend.get_many("sales_order", ids)).rows] == [1, 2]
        assert done_here == begun
        done_here.clear()
        (rows,) = await backend.read([ByIds("sales_order", ids[::-1])])
        assert [row.id for row in rows] == [2, 1]
        assert done_here == begun
        done_here.clear()
    for some, begun in ((range(1, 251), [True]), (range(1, 252), [])):
        assert len((await backend.get_many("sales_order", some, frozenset({"id"}))).rows) == 2
        assert done_here == begun
        done_here.clear()
    halves = [ByIds("sales_order", few), ByIds("sales_order", [1])]
    assert [len(rows) for rows in await backend.read(halves)] == [2, 1]
    assert done_here == []
    await backend.close()


async def test_a_search_after_a_miss_is_left_to_a_thread(directory: Path | None, done_here: list[bool]) -> None:
    backend = TypedBackend(directory)
    await backend.open()
    await backend.apply(batch(order(1, order_no="SO-1001")))
    assert (await backend.search("sales_order", Search("SO-1001"))).total == 1
    assert done_here == [True]
    await backend.search("sales_order", Search("customar"))
    assert done_here == [True, False]
    await backend.close()


@pytest.mark.parametrize(
    ("entity", "text", "longest"),
    [
        ("variant", "bolt", None),
        ("variant", "00.4021.01", None),
        ("variant", "red bolt", LONGEST_OF_WORDS),
        ("variant", "--", LONGEST_OF_WORDS),
        ("sales_order", "SO", LONGEST_OF_WORDS),
    ],
)
async def test_a_search_is_sooner_left_to_a_thread_where_indexes_alone_cannot_rank(
    entity: str, text: str, longest: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float | None] = []
    read = ShortReads.read

    def noted[T](self: ShortReads, work: Callable[[Connection], T], longest: float | None) -> T:
        given.append(longest)
        return read(self, work, longest)

    monkeypatch.setattr(ShortReads, "read", noted)
    backend = TypedBackend(None)
    await backend.open()
    await backend.search(entity, Search(text))
    await backend.close()
    assert given[0] == longest


async def test_a_read_is_given_less_time_where_its_asker_says_so(directory: Path | None) -> None:
    where: list[bool] = []
    async with opened(directory) as storage:
        assert await storage.read(counted(where), longest=0.0) == MANY
        assert where == [True, False]


def test_what_takes_long_goes_on_where_it_has_a_thread() -> None:
    takes_long()


async def test_faults_of_a_short_read_have_their_names(directory: Path | None) -> None:
    async with opened(directory) as storage:
        with pytest.raises(CacheUnavailable, match="no such table: nowhere"):
            await storage.read(lambda db: db.execute("SELECT 1 FROM nowhere"))
        with pytest.raises(CacheCorrupt):
            await storage.read(lambda _: int("half a number"))
        assert await storage.read(here)
    with pytest.raises(CacheUnavailable, match="is not open"):
        await storage.read(here)


async def test_what_took_long_is_begun_in_a_thread_until_it_is_short(
    directory: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    where: list[bool] = []
    async with opened(directory) as storage:
        monkeypatch.setattr(transactions, "LONGEST", 0.0)
        for kind, begun in (("wide", [True, False]), ("wide", [False]), ("narrow", [True, False])):
            where.clear()
            assert await storage.read(counted(where), kind=kind) == MANY
            assert where == begun
        monkeypatch.setattr(transactions, "LONGEST", 60.0)
        for begun in (False, True):
            where.clear()
            assert await storage.read(counted(where), kind="wide") == MANY
            assert where == [begun]


def test_of_kinds_that_take_long_the_last_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transactions, "_MOST_KINDS", 2)
    long = LongReads()

    def held() -> list[str]:
        return [kind for kind in ("a", "b", "c") if long.holds(kind)]

    for kind in ("a", "b", "a", "c", "c"):
        long.note(kind, transactions.LONGEST + 0.001)
    assert held() == ["a", "c"]
    long.note("a", transactions.LONGEST)
    assert held() == ["c"]
    assert not long.holds(None)


def test_to_wait_makes_no_read_long(monkeypatch: pytest.MonkeyPatch) -> None:
    long = LongReads()
    monkeypatch.setattr(transactions, "LONGEST", 0.05)

    def waits(db: Connection) -> int:
        assert not threading.Event().wait(0.1)
        return len(db.execute("SELECT 1").fetchall())

    def computes(_: Connection) -> int:
        began = thread_time()
        while thread_time() - began < 0.06:
            pass
        return 2

    with closing(dialect.connect(":memory:")) as db:
        assert (long.timed("waits", waits, db), long.holds("waits")) == (1, False)
        assert (long.timed("computes", computes, db), long.holds("computes")) == (2, True)
        assert (long.timed(None, computes, db), long.holds(None)) == (2, False)


def _asked(low: int, of: int = 3, **other: Any) -> Selection:  # noqa: ANN401 - parts of a selection
    """Return a selection that has these parts."""
    where = (Within("id", low), OneOf("status", tuple(f"S{nr}" for nr in range(of))))
    return Selection(where, Order("id"), 5, 0, LIVE, frozenset({"id"}))._replace(**other)


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        (_asked(2), True),
        (_asked(1, of=2), True),
        (_asked(1, limit=7), True),
        (_asked(1, of=4), False),
        (_asked(1, limit=8), False),
        (_asked(1, offset=1), False),
        (_asked(1, visibility=EVERYTHING), False),
        (_asked(1, fields=frozenset({"id", "status"})), False),
        (_asked(1, where=(OneOf("id", (1,)), OneOf("status", ("A", "B", "C")))), False),
        (_asked(1, order=Order("status")), False),
    ],
)
async def test_reads_are_of_one_kind_that_differ_in_values_alone(
    other: Selection, *, is_same: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds: list[tuple[Hashable, ...]] = []

    def noted(_: LongReads, kind: tuple[Hashable, ...]) -> bool:
        kinds.append(kind)
        return False

    monkeypatch.setattr(LongReads, "holds", noted)
    backend = TypedBackend(None)
    await backend.open()
    kinds.clear()
    await backend.select("sales_order", _asked(1))
    await backend.select("sales_order", other)
    assert (kinds[0] == kinds[1]) is is_same
    await backend.select("purchase_order", _asked(1))
    assert kinds[2] != kinds[0]
    await backend.read([Selected("sales_order", other), ByIds("variant", [1, 2])])
    assert kinds[3] == (*kinds[1], ("variant", None, 2))
    for ids in ([1], [2, 3], [1, 2, 3]):
        await backend.get_many("variant", ids)
    assert kinds[4:] == [(("variant", None, bits),) for bits in (1, 2, 2)]
    await backend.close()


def test_a_glance_gives_nothing_where_somebody_is_at_the_connection_or_it_fails() -> None:
    with closing(dialect.connect(":memory:")) as db:
        short = ShortReads(db)
        assert short.glance(lambda own: own is db)
        with short.alone:
            assert short.glance(lambda _: True) is None
        assert short.glance(lambda own: own.execute("SELECT * FROM nowhere").fetchall()) is None
        assert not short.alone.locked()
