"""Files and faults: nothing read at open, damage named and set aside, a failed write leaves no trace."""

import asyncio
import os
import sqlite3
import string
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, closing
from itertools import batched
from pathlib import Path

import pytest
from typed_orders import NOON, batch, only_file, order

from cache_core.conditions import OneOf
from cache_core.errors import CacheCorrupt, CacheUnavailable, WrongCacheUse
from cache_core.protocol import Batch, Origin, Row, Search, Selection, SyncState
from cache_core.records import InvalidRecord
from cache_core.search_rules import SearchText, Tier
from cache_core.suggest import closest
from cache_typed import dialect, storage, trigrams
from cache_typed.backend import MOST_BY_ID, TypedBackend
from cache_typed.transactions import PutOff, ShortReads


@pytest.fixture
async def cache(tmp_path: Path) -> AsyncGenerator[TypedBackend]:
    """Return an open cache over a file."""
    backend = TypedBackend(tmp_path)
    await backend.open()
    yield backend
    await backend.close()


@asynccontextmanager
async def closing_at_end(backend: TypedBackend) -> AsyncGenerator[TypedBackend]:
    """Open a backend for a block."""
    await backend.open()
    yield backend
    await backend.close()


def test_importing_the_package_loads_no_sql_library() -> None:
    code = "import sys, cache_typed; sys.exit('sqlalchemy' in sys.modules or 'sqlite3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_a_file_that_others_may_read_is_private_again_once_it_is_opened(tmp_path: Path) -> None:
    async with closing_at_end(TypedBackend(tmp_path)):
        pass
    only_file(tmp_path).chmod(0o644)
    async with closing_at_end(TypedBackend(tmp_path)):
        assert only_file(tmp_path).stat().st_mode & 0o777 == 0o600


async def test_damage_met_while_reading_is_named_and_the_next_open_starts_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "CHECKED_WHOLE", 0)
    cache = TypedBackend(tmp_path)
    await cache.open()
    await cache.apply(batch(*(order(nr) for nr in range(1, 400))))
    await cache.close()
    path = only_file(tmp_path)
    with closing(sqlite3.connect(path)) as raw:
        (root,) = raw.execute("SELECT rootpage FROM sqlite_master WHERE name = 'ix_sales_order_cache_key'").fetchone()
    data = bytearray(path.read_bytes())
    data[(root - 1) * 4096 : root * 4096] = bytes(4096)
    path.write_bytes(data)
    await cache.open()
    with pytest.raises(CacheCorrupt):
        await cache.find_by_key("sales_order", "SO-7")
    await cache.close()
    await cache.open()
    assert [file.name.startswith(f"{path.name}.damaged-") for file in cache.set_aside] == [True]
    assert await cache.count("sales_order") == 0
    await cache.apply(batch(order(1)))
    await cache.close()
    await cache.open()
    assert await cache.count("sales_order") == 1
    assert len(cache.set_aside) == 1
    await cache.close()


async def test_damage_of_a_file_that_another_process_replaced_does_not_mark_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cache_typed.storage._READERS", 1)
    cache = TypedBackend(tmp_path)
    await cache.open()
    await cache.apply(batch(order(1)))
    assert await cache.count("sales_order") == 1
    path = only_file(tmp_path)
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE sales_order SET total = '{garbage'")
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).rename(path.with_name(f"aside{suffix}"))
    other = TypedBackend(tmp_path)
    await other.open()
    await other.apply(batch(order(2)))
    with pytest.raises(CacheCorrupt):
        await cache.get_many("sales_order", [1])
    await cache.close()
    await other.close()
    await other.open()
    assert other.set_aside == ()
    assert await other.count("sales_order") == 1
    await other.close()


@pytest.mark.parametrize("column", ["cache_unknown", "total", "custom_fields"])
async def test_a_cell_that_does_not_decode_is_damage_not_a_missing_row(
    cache: TypedBackend, tmp_path: Path, column: str
) -> None:
    await cache.apply(batch(order(1)))
    with closing(sqlite3.connect(only_file(tmp_path))) as raw, raw:
        raw.execute(f"UPDATE sales_order SET {column} = '{{garbage'")
    with pytest.raises(CacheCorrupt):
        await cache.get_many("sales_order", [1])


async def test_a_locked_file_is_unavailable_and_reads_go_on(
    cache: TypedBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cache.apply(batch(order(1)))
    await cache.close()
    monkeypatch.setattr("cache_typed.dialect.BUSY_MILLISECONDS", 20)
    await cache.open()
    with closing(sqlite3.connect(only_file(tmp_path), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CacheUnavailable):
            await cache.apply(batch(order(2)))
        assert await cache.count("sales_order") == 1
        many = range(1, MOST_BY_ID + 2)  # What a thread reads, not the loop.
        assert len((await cache.get_many("sales_order", many)).rows) == 1
        other.execute("ROLLBACK")
    await cache.apply(batch(order(2)))
    assert await cache.count("sales_order") == 2


async def test_a_search_whose_index_is_gone_is_a_fault_and_no_miss(cache: TypedBackend, tmp_path: Path) -> None:
    await cache.apply(batch(order(1)))
    assert (await cache.search("sales_order", Search("so-1"))).total == 1
    with closing(sqlite3.connect(only_file(tmp_path))) as raw:
        raw.execute("DROP TABLE sales_order_fts")
    with pytest.raises(CacheUnavailable):
        await cache.search("sales_order", Search("so-1"))
    with pytest.raises(CacheUnavailable):
        await cache.search("sales_order", Search("another"))
    assert await cache.count("sales_order") == 1


async def test_an_open_cache_reads_on_where_no_more_files_can_be_opened(
    cache: TypedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cache.apply(batch(order(1)))

    def no_more_files(_path: str, _patience: int) -> dialect.Connection:
        raise sqlite3.OperationalError("unable to open database file")

    def put_off(_short: ShortReads, _read: object, _longest: float | None) -> None:
        raise PutOff

    monkeypatch.setattr(dialect, "connect", no_more_files)
    monkeypatch.setattr(ShortReads, "read", put_off)
    assert await cache.count("sales_order") == 1


async def test_a_cache_whose_file_another_process_replaced_reads_nothing_of_the_new_one(
    cache: TypedBackend, tmp_path: Path
) -> None:
    await cache.apply(batch(*(order(nr) for nr in range(1, MOST_BY_ID + 2))))
    path = only_file(tmp_path)
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).rename(path.with_name(f"aside{suffix}"))
    async with closing_at_end(TypedBackend(tmp_path)) as other:
        assert await other.count("sales_order") == 0
        short, long = [await cache.get_many("sales_order", range(1, most)) for most in (3, MOST_BY_ID + 2)]
        assert (len(short.rows), len(long.rows), long.missing) == (2, MOST_BY_ID + 1, ())


async def test_a_full_disk_keeps_the_old_rows_and_the_old_cursor(
    cache: TypedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cache.apply(Batch(entity="sales_order", at=NOON, state=SyncState(cursor="old")))
    await cache.apply(batch(order(1)))
    many = batch(*(order(nr) for nr in range(2, 500))).upserts
    full = Batch(entity="sales_order", at=NOON, upserts=many, state=SyncState(cursor="new"))
    await cache.close()
    connect = dialect.connect

    def limited(path: str, patience: int) -> dialect.Connection:
        connection = connect(path, patience)
        connection.execute("PRAGMA max_page_count = 150")
        return connection

    with monkeypatch.context() as small:
        small.setattr(dialect, "connect", limited)
        await cache.open()
        with pytest.raises(CacheUnavailable):
            await cache.apply(full)
        assert await cache.count("sales_order") == 1
        assert (await cache.state("sales_order")).cursor == "old"
        await cache.close()
    await cache.open()
    assert len((await cache.apply(full)).changed) == 498


async def test_a_record_that_has_no_json_form_stops_its_batch_whole(cache: TypedBackend) -> None:
    bad = Row(2, NOON, {"id": 2, "total": object()}, SearchText())  # pyright: ignore[reportArgumentType] - the point of it  # ty: ignore[invalid-argument-type]
    with pytest.raises(InvalidRecord):
        await cache.apply(Batch(entity="sales_order", at=NOON, upserts=(*batch(order(1)).upserts, bad)))
    assert await cache.count("sales_order") == 0


async def test_an_older_version_never_replaces_a_newer_one_even_in_raw_sql(cache: TypedBackend, tmp_path: Path) -> None:
    newer = "2025-03-01T00:00:00.000Z"
    await cache.apply(batch(order(1, updated_at=newer, status="NEW")))
    applied = await cache.apply(batch(order(1, status="OLD"), order(1, status="OLDER")))
    assert (applied.changed, applied.ignored) == ((), 2)
    with closing(sqlite3.connect(only_file(tmp_path))) as raw, raw:
        assert raw.execute("SELECT status, cache_version FROM sales_order").fetchall() == [("NEW", newer)]


async def test_an_unchanged_order_writes_no_rows_and_still_loses_its_own_write_mark(
    cache: TypedBackend, tmp_path: Path
) -> None:
    (own,) = batch(order(1)).upserts
    await cache.apply(Batch(entity="sales_order", at=NOON, upserts=(own,), origin=Origin.OWN_WRITE))
    later = "2025-01-01T12:16:00.000Z"
    with closing(sqlite3.connect(only_file(tmp_path))) as raw, raw:
        raw.execute("CREATE TRIGGER no_rows BEFORE DELETE ON sales_order_row BEGIN SELECT raise(ABORT, 'touched'); END")
        await cache.apply(Batch(entity="sales_order", at=later, upserts=(own,)))
        assert raw.execute("SELECT cache_written_at FROM sales_order").fetchall() == [(None,)]


@asynccontextmanager
async def running_on() -> AsyncGenerator[None]:
    """Let the event loop turn while the block waits, a hundred times at least."""
    turns = 0

    async def tick() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    ticking = asyncio.create_task(tick())
    yield
    ticking.cancel()
    assert turns > 100


async def test_the_event_loop_runs_on_while_the_cache_works(cache: TypedBackend) -> None:
    async with running_on():
        await cache.apply(batch(*(order(nr) for nr in range(1, 200))))
        await asyncio.gather(*(cache.search("sales_order", Search("so")) for _ in range(20)))


async def test_the_event_loop_runs_on_while_the_cache_guesses_what_a_typo_means(
    cache: TypedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: set[int] = set()

    def noted(token: str, known: Sequence[str], limit: int) -> list[str]:
        threads.add(threading.get_ident())
        return closest(token, known, limit)

    monkeypatch.setattr(trigrams, "closest", noted)
    names = [f"wheel{left}barrow{right}" for left in string.ascii_lowercase for right in string.ascii_lowercase]
    rows = [Row(nr, None, {"id": nr}, SearchText(names=name)) for nr, name in enumerate(names)]
    await cache.apply(Batch(entity="product", at=NOON, upserts=rows))
    async with running_on():
        found = await asyncio.gather(*(cache.search("product", Search("whelabarrowz")) for _ in range(5)))
    assert {hit.tier for result in found for hit in result.hits} == {Tier.TYPO}
    assert threads
    assert threading.get_ident() not in threads


async def test_five_thousand_rows_and_forty_thousand_ids_fit(cache: TypedBackend) -> None:
    rows = [{"id": nr, "variant_id": nr % 9} for nr in range(5_000)]
    await cache.apply(batch(order(1, sales_order_rows=rows)))
    found = await cache.get_many("sales_order", range(40_000))
    assert ([row.record["sales_order_rows"] for row in found.rows], len(found.missing)) == ([rows], 39_999)


async def test_a_build_that_binds_999_values_holds_as_many_rows_and_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = dialect.connect

    def bounded(path: str, patience: int = 0) -> dialect.Connection:
        connection = connect(path, patience)
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
        return connection

    monkeypatch.setattr(dialect, "connect", bounded)
    rows = [{"id": nr, "variant_id": nr % 9} for nr in range(2_000)]
    async with closing_at_end(TypedBackend(tmp_path)) as cache:
        await cache.apply(
            batch(*(order(nr, sales_order_rows=rows[:1]) for nr in range(1_000)), order(1_000, sales_order_rows=rows))
        )
        found = await cache.get_many("sales_order", range(3_000))
        assert (len(found.rows), len(found.missing)) == (1_001, 1_999)
        assert found.rows[-1].record["sales_order_rows"] == rows
        where = (OneOf("id", tuple(range(0, 3_000, 2))),)
        assert await cache.count("sales_order", where) == 501
        removed = Batch(entity="sales_order", at=NOON, removed=range(1, 2_000))
        assert len((await cache.apply(removed)).changed) == 1_000


async def test_ids_of_any_kind_are_different_records(cache: TypedBackend) -> None:
    ids = (42, "42", -42, 2**70, "i42", "", "a\x00b", "漢")
    rows = tuple(Row(record_id, None, {"id": record_id}, SearchText()) for record_id in ids)
    await cache.apply(Batch(entity="sales_order", at=NOON, upserts=rows))
    found = await cache.get_many("sales_order", (*ids, "\ud800", 43))
    assert [row.record["id"] for row in found.rows] == list(ids)
    assert found.missing == ("\ud800", 43)
    listed = await cache.select("sales_order", Selection())
    assert [row.id for row in listed] == ["漢", "i42", "a\x00b", "42", "", 2**70, 42, -42]


async def test_an_unknown_entity_is_a_wrong_use_and_a_closed_cache_is_unavailable(cache: TypedBackend) -> None:
    with pytest.raises(WrongCacheUse):
        await cache.count("unicorn")
    await cache.close()
    with pytest.raises(CacheUnavailable):
        await cache.count("sales_order")


@pytest.mark.parametrize("damaged", [b"dontent_rowid", b"content_\xffowid"])
async def test_a_schema_that_is_no_longer_what_was_written_is_damage(tmp_path: Path, damaged: bytes) -> None:
    async with closing_at_end(TypedBackend(tmp_path)) as cache:
        await cache.apply(batch(order(1)))
    path = only_file(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"content_rowid", damaged))
    cache = TypedBackend(tmp_path)
    assert await cache.faults() != ()
    async with closing_at_end(cache):
        assert len(cache.set_aside) == 1
        await cache.apply(batch(order(2)))
        assert await cache.faults() == ()


@pytest.mark.parametrize("lost", [1, 100, 4_096, 4_097, 100_000])
@pytest.mark.parametrize("whole", [0, storage.CHECKED_WHOLE], ids=["large", "small"])
async def test_a_file_that_was_cut_is_set_aside(
    tmp_path: Path, lost: int, whole: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "CHECKED_WHOLE", whole)
    async with closing_at_end(TypedBackend(tmp_path)) as cache:
        await cache.apply(batch(*map(order, range(1, 301))))
    path = only_file(tmp_path)
    os.truncate(path, path.stat().st_size - lost)
    async with closing_at_end(TypedBackend(tmp_path)) as cache:
        assert (len(cache.set_aside), await cache.count("sales_order")) == (1, 0)


async def test_a_file_that_is_opened_twice_in_a_process_stays_locked_for_the_first(tmp_path: Path) -> None:
    """What SQLite holds of an open file is seen by a process that wants it for itself alone."""
    alone = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('PRAGMA journal_mode = DELETE')"
    async with closing_at_end(TypedBackend(tmp_path)) as cache:
        await cache.count("sales_order")
        async with closing_at_end(TypedBackend(tmp_path)) as second:
            await second.count("sales_order")
            asked = [sys.executable, "-c", alone, only_file(tmp_path)]
            process = await asyncio.to_thread(subprocess.run, asked, capture_output=True)
    assert "database is locked" in str(process.stderr)


async def test_a_listing_newest_first_takes_hardly_more_room_than_one_oldest_first(tmp_path: Path) -> None:
    grown: list[int] = []
    for name, numbers in (("oldest", range(1, 751)), ("newest", range(750, 0, -1))):
        async with closing_at_end(TypedBackend(tmp_path / name)) as cache:
            empty = only_file(tmp_path / name).stat().st_size
            for page in batched(numbers, 250):
                await cache.apply(batch(*map(order, page)))
        grown.append(only_file(tmp_path / name).stat().st_size - empty)
    assert grown[1] < 1.15 * grown[0], grown
