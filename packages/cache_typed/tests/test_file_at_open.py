"""What opening does to the files of a directory: what is made, kept, set aside or forgotten, and in which threads."""

import asyncio
import os
import shutil
import sqlite3
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import IO

import pytest

from cache_core.errors import CacheCorrupt, CacheUnavailable
from cache_core.protocol import Batch, Row
from cache_core.search_rules import SearchText
from cache_core.testing import ManualClock
from cache_typed import dialect, schema, storage, upgrade
from cache_typed.dialect import Connection
from cache_typed.mapping import layout_of
from cache_typed.storage import FILE_NAME, UNUSED, Storage
from cache_typed.tables.tax_rates import TAX_RATE_TABLE
from cache_typed.transactions import takes_long
from cache_typed.writing import write_batch

AT = "2025-01-01T12:00:00.000Z"
TABLES = (TAX_RATE_TABLE,)
SUFFIXES = ("", "-wal", "-shm", "-journal")


@asynccontextmanager
async def opened(directory: Path | None, clock: ManualClock | None = None) -> AsyncGenerator[Storage]:
    """Open the storage of a directory for a block."""
    made = Storage(directory, TABLES, clock or ManualClock())
    await made.open()
    yield made
    await made.close()


def held_in(directory: Path) -> set[str]:
    """Return the names of the files in a directory."""
    return {path.name for path in directory.iterdir()}


def remember(name: str) -> Callable[[Connection], None]:
    """Return the work that remembers a state of this name."""

    def work(db: Connection) -> None:
        db.execute("INSERT INTO cache_state VALUES (?, '')", (name,))

    return work


def names(db: Connection) -> list[str]:
    """Return the names of the states remembered."""
    return [name for (name,) in db.execute("SELECT entity FROM cache_state ORDER BY entity")]


def rates(db: Connection) -> list[str]:
    """Return the names of the tax rates."""
    return [name for (name,) in db.execute("SELECT name FROM tax_rate ORDER BY id")]


def older(directory: Path, version: int, name: str) -> Path:
    """Make the file of another schema version that holds a rate of this name."""
    path = directory / f"typed-{version}.db"
    with closing(dialect.connect(str(path))) as connection:
        schema.ensure(connection, TABLES)
        batch = Batch(entity="tax_rate", at=AT, upserts=(Row(1, AT, {"id": 1, "name": name}, SearchText()),))
        write_batch(connection, layout_of(TAX_RATE_TABLE), batch)
    return path


def raised_by_sqlite(code: int, text: str) -> sqlite3.Error:
    """Return an error of SQLite with its code."""
    made = sqlite3.OperationalError(text)
    made.sqlite_errorcode = code
    return made


@pytest.mark.parametrize("has_lock", [True, False])
async def test_an_older_file_goes_with_all_that_stands_beside_it_when_none_of_it_was_used_for_long(
    tmp_path: Path, *, has_lock: bool
) -> None:
    clock = ManualClock()
    async with opened(tmp_path, clock):
        pass
    parts = [tmp_path / f"typed-1.db{suffix}" for suffix in SUFFIXES]
    kept = [tmp_path / name for name in (f"typed-{schema.SCHEMA_VERSION + 1}.db", "typed-1.db.damaged-1", "typed-x.db")]
    for path in (*parts, *kept, *([tmp_path / "typed-1.lock"] if has_lock else [])):
        path.write_bytes(b"")
        os.utime(path, (0, 0))
    used = clock.now().timestamp()
    os.utime(parts[2], (used, used))
    for seconds, stays in ((UNUSED.total_seconds(), True), (1, False)):
        clock.advance(seconds)
        async with opened(tmp_path, clock) as file:
            assert await file.read(names) == []
        assert [path.exists() for path in (*parts, *kept)] == [stays] * 4 + [True] * 3
        assert (tmp_path / "typed-1.lock").exists() is (stays and has_lock)
    assert (tmp_path / FILE_NAME).stat().st_mtime == clock.now().timestamp()


@pytest.mark.parametrize("has_log", [True, False])
async def test_an_empty_file_is_set_aside_unless_another_process_is_just_making_it(
    tmp_path: Path, *, has_log: bool
) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(b"")
    if has_log:
        (tmp_path / f"{FILE_NAME}-wal").write_bytes(b"")
    async with opened(tmp_path) as file:
        assert (len(file.set_aside), file.emptied, await file.read(names)) == (0 if has_log else 1, (), [])
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("log", ["whole", "empty", "gone"])
async def test_a_file_that_ends_within_a_page_is_kept_only_where_its_log_holds_the_rest(
    tmp_path: Path, log: str
) -> None:
    torn = tmp_path / "torn"
    torn.mkdir(mode=0o700)
    async with opened(tmp_path / "whole") as file:
        await file.write(remember("kept" * 10_000))
        for suffix in ("", "-wal"):
            shutil.copy(tmp_path / "whole" / f"{FILE_NAME}{suffix}", torn)
    with (torn / FILE_NAME).open("ab") as cut:
        cut.write(bytes(100))
    if log == "empty":
        (torn / f"{FILE_NAME}-wal").write_bytes(b"")
    elif log == "gone":
        (torn / f"{FILE_NAME}-wal").unlink()
    async with opened(torn) as file:
        assert len(file.set_aside) == (log != "whole")
        assert await file.read(names) == (["kept" * 10_000] if log == "whole" else [])


async def test_what_a_removed_file_left_and_what_was_half_made_is_not_taken_up(tmp_path: Path) -> None:
    for name in (FILE_NAME, f"{FILE_NAME}.growing"):
        for suffix in SUFFIXES:
            if (name, suffix) != (FILE_NAME, ""):
                (tmp_path / f"{name}{suffix}").write_bytes(b"left over " * 500)
    async with opened(tmp_path) as file:
        assert (await file.read(names), file.set_aside) == ([], ())
    assert held_in(tmp_path) == {FILE_NAME, f"{FILE_NAME.removesuffix('.db')}.lock"}


async def test_of_two_that_make_the_file_at_once_the_later_one_takes_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older(tmp_path, 9, "nine")
    async with opened(tmp_path / "other") as file:
        await file.write(remember("theirs"))

    def held_up(_: IO[bytes]) -> None:
        shutil.copy(tmp_path / "other" / FILE_NAME, tmp_path / FILE_NAME)

    with monkeypatch.context() as waiting:
        waiting.setattr(storage, "lock", held_up)
        async with opened(tmp_path) as file:
            assert (await file.read(names), await file.read(rates), file.set_aside) == (["theirs"], [], ())


async def test_a_damaged_file_that_another_process_replaced_meanwhile_is_used_as_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path / "other") as file:
        await file.write(remember("theirs"))
    (tmp_path / FILE_NAME).write_bytes(b"")

    def replaced(_: IO[bytes]) -> bool:
        shutil.copy(tmp_path / "other" / FILE_NAME, tmp_path / "new")
        (tmp_path / "new").rename(tmp_path / FILE_NAME)
        return True

    monkeypatch.setattr(storage, "try_lock", replaced)
    async with opened(tmp_path) as file:
        assert (await file.read(names), file.set_aside) == (["theirs"], ())


@pytest.mark.parametrize("code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CORRUPT], ids=["busy", "corrupt"])
async def test_an_older_file_that_is_damaged_fills_nothing_and_one_that_is_busy_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    older(tmp_path, 9, "nine")

    def failing(*_: object) -> tuple[str, ...]:
        raise raised_by_sqlite(code, "no")

    with monkeypatch.context() as broken:
        broken.setattr(upgrade, "fill", failing)
        file = Storage(tmp_path, TABLES, ManualClock())
        if code == sqlite3.SQLITE_BUSY:
            with pytest.raises(CacheUnavailable, match=r"^the typed cache cannot be used: no$"):
                await file.open()
            assert not (tmp_path / FILE_NAME).exists()
        else:
            await file.open()
            assert (await file.read(rates), file.emptied, file.set_aside) == ([], (), ())
            await file.close()
    async with opened(tmp_path) as file:
        assert await file.read(rates) == (["nine"] if code == sqlite3.SQLITE_BUSY else [])


async def test_a_file_that_is_busy_at_its_opening_is_not_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as file:
        await file.write(remember("kept"))

    def busy(*_: object, **__: object) -> None:
        raise raised_by_sqlite(sqlite3.SQLITE_BUSY, "locked")

    with monkeypatch.context() as held:
        held.setattr(dialect, "check", busy)
        with pytest.raises(CacheUnavailable, match=r"^the typed cache cannot be used: locked$"):
            await Storage(tmp_path, TABLES, ManualClock()).open()
    async with opened(tmp_path) as file:
        assert (await file.read(names), file.set_aside) == (["kept"], ())


async def test_a_cache_in_memory_that_is_damaged_at_once_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def torn(*_: object) -> None:
        raise raised_by_sqlite(sqlite3.SQLITE_CORRUPT, "torn")

    monkeypatch.setattr(dialect, "load_image", torn)
    with pytest.raises(CacheCorrupt, match=r"^the typed cache is damaged: torn$"):
        await Storage(None, TABLES, ManualClock()).open()


def counted(db: Connection) -> str:
    """Count for a while, which is left to a thread; return its name."""
    takes_long()
    count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT count(*) FROM n"
    assert db.execute(count).fetchone() == (20_000,)
    return threading.current_thread().name


async def test_one_thread_serves_a_cache_in_memory_and_one_writes_a_file(tmp_path: Path) -> None:
    async with opened(None) as file:
        found = await asyncio.gather(file.read(counted), file.write(counted), file.read(counted))
        assert found == ["cache-typed_0"] * 3
    async with opened(tmp_path) as file:
        found = await asyncio.gather(file.write(counted), file.write(counted), file.write(counted))
        assert found == ["cache-typed-write_0"] * 3
        assert (await file.read(counted)).startswith("cache-typed-read_")


@pytest.mark.parametrize("on_disk", [True, False])
async def test_what_runs_is_waited_for_when_the_file_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, on_disk: bool
) -> None:
    waits: list[bool] = []

    class Noted(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            waits.append(wait)
            super().shutdown(wait=True, cancel_futures=cancel_futures)

    monkeypatch.setattr(storage, "ThreadPoolExecutor", Noted)
    file = Storage(tmp_path if on_disk else None, TABLES, ManualClock())
    await file.open()
    running = [asyncio.create_task(work) for work in (file.read(counted), file.write(counted))]
    await asyncio.sleep(0)
    await file.close()
    assert [(await task)[:11] for task in running] == ["cache-typed"] * 2
    assert waits == [True, True]


async def test_work_that_ends_its_transaction_and_fails_keeps_its_error(tmp_path: Path) -> None:
    def ended(db: Connection) -> None:
        db.execute("ROLLBACK")
        raise RuntimeError("own")

    async with opened(tmp_path) as file:
        with pytest.raises(RuntimeError, match=r"^own$"):
            await file.write(ended)
        await file.write(remember("next"))
        assert await file.read(names) == ["next"]
