"""One cache file and the backend over it: what each fault is called, what is set aside, and what is left alone."""

import errno
import os
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from cache_core.conditions import EVERYTHING, OneOf, Order
from cache_core.errors import CacheCorrupt, CacheMissing, CacheUnavailable, WrongCacheUse
from cache_core.leases import Claim, Lease
from cache_core.protocol import (
    Applied,
    Batch,
    Capability,
    EntityStatus,
    Found,
    KeyMatch,
    Quarantined,
    Row,
    Search,
    Selection,
    Standing,
    Stored,
    SyncState,
)
from cache_core.search_rules import SearchText
from cache_core.testing import ManualClock
from cache_typed import dialect, schema, storage
from cache_typed.backend import TypedBackend
from cache_typed.dialect import Connection
from cache_typed.mapping import layout_of
from cache_typed.storage import FILE_NAME, Storage, file_in
from cache_typed.tables.additional_costs import ADDITIONAL_COST_TABLE
from cache_typed.tables.tax_rates import TAX_RATE_TABLE
from cache_typed.writing import write_batch

AT = "2025-01-01T12:00:00.000Z"
TABLES = (TAX_RATE_TABLE,)
CLOCK = ManualClock()
ASIDE = f"{FILE_NAME}.damaged-{CLOCK.now():%Y%m%dT%H%M%S%f}"
KEPT = {FILE_NAME, f"{FILE_NAME.removesuffix('.db')}.lock"}


@asynccontextmanager
async def opened(directory: Path | None, *, looking: bool = False) -> AsyncGenerator[Storage]:
    """Open the storage of a directory for a block."""
    made = Storage(directory, TABLES, CLOCK, looking=looking)
    await made.open()
    yield made
    await made.close()


def insert(name: str) -> Callable[[Connection], None]:
    """Return the work that remembers a state of this name."""

    def work(db: Connection) -> None:
        db.execute("INSERT INTO cache_state VALUES (?, '')", (name,))

    return work


def held_in(directory: Path) -> set[str]:
    """Return the names of the files in a directory."""
    return {path.name for path in directory.iterdir()}


def refuse(_: object) -> bool:
    """Take no lock."""
    return False


def names(db: Connection) -> list[str]:
    """Return the names of the states remembered."""
    return [name for (name,) in db.execute("SELECT entity FROM cache_state ORDER BY entity")]


def failing(error: Exception) -> Callable[[Connection], None]:
    """Return the work that writes something, where it may, and fails."""

    def work(db: Connection) -> None:
        if db.execute("PRAGMA query_only").fetchone() == (0,):
            insert("lost")(db)
        raise error

    return work


def raised_by_sqlite(code: int, text: str) -> sqlite3.Error:
    """Return an error of SQLite with its code."""
    made = sqlite3.OperationalError(text)
    made.sqlite_errorcode = code
    return made


UNUSABLE, DAMAGED = "the typed cache cannot be used", "the typed cache is damaged"


@pytest.mark.parametrize("on_disk", [True, False])
@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (raised_by_sqlite(sqlite3.SQLITE_BUSY, "locked"), CacheUnavailable, f"{UNUSABLE}: locked"),
        (raised_by_sqlite(sqlite3.SQLITE_CORRUPT, "torn"), CacheCorrupt, f"{DAMAGED}: torn"),
        (OSError(errno.ENOSPC, "no space"), CacheUnavailable, f"{UNUSABLE}: no space"),
        (RuntimeError("own"), RuntimeError, "own"),
    ],
    ids=repr,
)
async def test_a_fault_has_its_own_name_and_leaves_no_trace(
    tmp_path: Path, error: Exception, kind: type[Exception], text: str, *, on_disk: bool
) -> None:
    async with opened(tmp_path if on_disk else None) as file:
        await file.write(insert("kept"))
        for run in (file.read, file.write):
            with pytest.raises(kind) as raised:
                await run(failing(error))
            assert str(raised.value) == text
            assert await file.read(names) == ["kept"]
    mark = tmp_path / f"{FILE_NAME}.is-damaged"
    assert mark.exists() is (on_disk and kind is CacheCorrupt)
    if mark.exists():
        assert mark.read_text() == str((tmp_path / FILE_NAME).stat().st_ino)


@pytest.mark.parametrize("error", [ValueError("v"), ArithmeticError("a"), LookupError("l")], ids=repr)
async def test_what_does_not_decode_is_damage_of_a_read_alone(tmp_path: Path, error: Exception) -> None:
    async with opened(tmp_path) as file:
        with pytest.raises(type(error)):
            await file.write(failing(error))
        with pytest.raises(CacheCorrupt) as raised:
            await file.read(failing(error))
    assert str(raised.value) == f"{DAMAGED}: {error}"


async def test_a_cache_that_is_not_open_is_unavailable(tmp_path: Path) -> None:
    file = Storage(tmp_path, TABLES, CLOCK)
    for opened_before in (False, True):
        if opened_before:
            await file.open()
            await file.open()
            await file.close()
        await file.close()
        with pytest.raises(CacheUnavailable, match=r"^the typed cache is not open$"):
            await file.read(names)
    await file.open()
    assert await file.read(names) == []
    await file.close()


async def test_a_read_that_looks_marks_no_damage(tmp_path: Path) -> None:
    async with opened(tmp_path):
        pass
    async with opened(tmp_path, looking=True) as file:
        with pytest.raises(CacheCorrupt):
            await file.read(failing(ValueError("v")))
    assert held_in(tmp_path) <= {*KEPT, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm"}
    with pytest.raises(CacheMissing, match=r"^there is no typed cache yet$"):
        await Storage(tmp_path / "nowhere", TABLES, CLOCK, looking=True).open()


@pytest.mark.parametrize("cause", ["marked", "emptied", "overwritten", "cut"])
async def test_a_damaged_file_is_set_aside_with_what_stands_beside_it(tmp_path: Path, cause: str) -> None:
    path = tmp_path / FILE_NAME
    async with opened(tmp_path) as file:
        await file.write(insert("gone"))
        if cause == "marked":
            with pytest.raises(CacheCorrupt):
                await file.read(failing(ValueError("v")))
    journal = tmp_path / f"{FILE_NAME}-journal"
    if cause == "marked":
        journal.write_bytes(b"")
    elif cause == "emptied":
        path.write_bytes(b"")
    elif cause == "overwritten":
        path.write_bytes(b"not a database " * 500)
    else:
        os.truncate(path, path.stat().st_size - 1)
    before = path.read_bytes()
    async with opened(tmp_path) as file:
        assert file.set_aside == (tmp_path / ASIDE,)
        assert (await file.read(names), file.emptied) == ([], ())
    assert (tmp_path / ASIDE).read_bytes()[:100] == before[:100]
    assert (tmp_path / f"{ASIDE}-journal").exists() is (cause == "marked")
    assert {name for name in held_in(tmp_path) if ASIDE not in name} == KEPT
    async with opened(tmp_path) as file:
        assert file.set_aside == ()


async def test_a_mark_of_another_file_is_no_reason_to_set_this_one_aside(tmp_path: Path) -> None:
    async with opened(tmp_path) as file:
        await file.write(insert("kept"))
    (tmp_path / f"{FILE_NAME}.is-damaged").write_text("1")
    async with opened(tmp_path) as file:
        assert (file.set_aside, await file.read(names)) == ((), ["kept"])


async def test_a_file_that_another_process_sets_aside_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"")
    with monkeypatch.context() as held:
        held.setattr(storage, "try_lock", refuse)
        with pytest.raises(CacheUnavailable, match=f"^{UNUSABLE}: another process replaces it$"):
            await Storage(tmp_path, TABLES, CLOCK).open()
    async with opened(tmp_path) as file:
        assert await file.read(names) == []


@pytest.mark.parametrize(("whole", "notices"), [(0, False), (1, True)])
async def test_a_small_file_is_checked_whole_and_a_large_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: int, *, notices: bool
) -> None:
    async with opened(tmp_path):
        pass
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as raw, raw:
        raw.execute("PRAGMA ignore_check_constraints = ON")
        raw.execute("CREATE TABLE odd (a CHECK (a > 0))")
        raw.execute("INSERT INTO odd VALUES (0)")
    monkeypatch.setattr(storage, "CHECKED_WHOLE", (tmp_path / FILE_NAME).stat().st_size - 1 + whole)
    async with opened(tmp_path) as file:
        assert len(file.set_aside) == notices


def older(directory: Path, version: int, name: str) -> Path:
    """Make the file of another schema version that remembers a rate of this name."""
    path = directory / f"typed-{version}.db"
    with closing(dialect.connect(str(path))) as connection:
        schema.ensure(connection, TABLES)
        batch = Batch(entity="tax_rate", at=AT, upserts=(Row(1, AT, {"id": 1, "name": name}, SearchText()),))
        write_batch(connection, layout_of(TAX_RATE_TABLE), batch)
    return path


async def test_a_new_file_is_filled_from_the_newest_older_one(tmp_path: Path) -> None:
    now = schema.SCHEMA_VERSION
    for version, name in ((9, "nine"), (8, "eight"), (now + 1, "newer")):
        older(tmp_path, version, name)
    (tmp_path / "typed-99x.db").write_bytes(b"")
    leftover = tmp_path / f"{FILE_NAME}.growing-wal"
    leftover.write_bytes(b"left")
    async with opened(tmp_path) as file:
        assert await file.read(lambda db: db.execute("SELECT name FROM tax_rate").fetchall()) == [("nine",)]
        assert (file.emptied, file.set_aside, leftover.exists()) == ((), (), False)
        assert await file.read(lambda db: db.execute("PRAGMA journal_mode").fetchone()) == ("wal",)


async def test_what_an_older_file_holds_otherwise_starts_empty_and_is_said_once(tmp_path: Path) -> None:
    path = older(tmp_path, 9, "nine")
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("ALTER TABLE tax_rate RENAME COLUMN rate TO share")
    async with opened(tmp_path) as file:
        assert file.emptied == ("tax_rate",)
    async with opened(tmp_path) as file:
        assert file.emptied == ()


async def test_files_are_private_and_stand_in_the_directory(tmp_path: Path) -> None:
    assert (file_in(None), file_in(tmp_path)) == (None, tmp_path / FILE_NAME)
    async with opened(tmp_path / "new"):
        pass
    made = list((tmp_path / "new").iterdir())
    assert {path.name for path in made} == KEPT
    assert {path.stat().st_mode & 0o777 for path in made} == {0o600}


async def test_a_cache_in_memory_has_no_faults_and_cannot_be_taken_over(tmp_path: Path) -> None:
    async with opened(None) as file:
        await file.write(insert("kept"))
        assert (await file.read(names), await file.faults()) == (["kept"], ())
        with pytest.raises(CacheUnavailable, match=r"^a cache in memory cannot be replaced by a file$"):
            await file.take(tmp_path, ["tax_rate"])


def rate(nr: int, **about: object) -> Row:
    """Return a tax rate of this number."""
    version = str(about.get("version", AT))
    return Row(nr, version, {"id": nr, "name": f"rate {nr}"}, SearchText(names=f"rate {nr}"), f"rate {nr}")


def stored(nr: int) -> Stored:
    """Return what is stored of a rate."""
    return Stored(nr, AT, {"id": nr, "name": f"rate {nr}"}, deleted=False, archived=False)


async def test_the_backend_answers_for_its_entities_alone() -> None:
    cache = TypedBackend(None, (TAX_RATE_TABLE, ADDITIONAL_COST_TABLE), CLOCK)
    await cache.open()
    poison, state = Quarantined(9, "why", "{}"), SyncState(cursor="c")
    batch = Batch(entity="tax_rate", at=AT, upserts=(rate(1), rate(2)), quarantine=(poison,), state=state)
    assert await cache.apply(batch) == Applied((1, 2), 0)
    assert cache.entities == {"tax_rate", "additional_cost"}
    assert (cache.capabilities("tax_rate"), cache.capabilities("additional_cost")) == (
        frozenset(Capability),
        frozenset(),
    )
    assert await cache.get_many("tax_rate", [2, 3]) == Found((stored(2),), (3,))
    narrow = await cache.get_many("tax_rate", [2], frozenset({"name"}))
    assert [row.record for row in narrow.rows] == [{"name": "rate 2"}]
    assert await cache.find_by_key("tax_rate", "rate 1") == KeyMatch(stored(1))
    assert await cache.select("tax_rate", Selection(order=Order("id"), limit=1)) == (stored(1),)
    assert await cache.count("tax_rate") == await cache.count("tax_rate", (), EVERYTHING) == 2
    assert await cache.count("tax_rate", (OneOf("id", (1,)),)) == 1
    assert [hit.row for hit in (await cache.search("tax_rate", Search("rate 2"))).hits] == [stored(2)]
    assert await cache.suggest("tax_rate", "ratte") == ("rate",)
    assert await cache.suggest("tax_rate", "ratte", 0) == ()
    assert await cache.state("tax_rate") == state
    assert await cache.standings(["tax_rate", "additional_cost"]) == {
        "tax_rate": Standing(state, quarantined=True),
        "additional_cost": Standing(SyncState(), quarantined=False),
    }
    assert await cache.status("tax_rate") == EntityStatus("tax_rate", "typed", 2, AT, state, 1)
    assert (await cache.quarantined("tax_rate"), await cache.quarantined("tax_rate", 0)) == ((poison,), ())
    assert await cache.claim(Claim("tax_rate", "me", AT, 0)) == Lease("tax_rate", "me", 1, AT, AT)
    assert (cache.set_aside, cache.emptied, await cache.faults()) == ((), frozenset(), ())
    await cache.close()


async def test_an_entity_that_the_backend_does_not_hold_is_a_wrong_use() -> None:
    cache = TypedBackend(None, TABLES, CLOCK)
    await cache.open()
    text = r"^the typed backend does not hold 'unicorn'$"
    for attempt in (
        cache.count("unicorn"),
        cache.standings(["tax_rate", "unicorn"]),
        cache.claim(Claim("unicorn", "me", AT, 1)),
        cache.suggest("unicorn", ""),
        cache.apply(Batch(entity="unicorn", at=AT)),
    ):
        with pytest.raises(WrongCacheUse, match=text):
            await attempt
    with pytest.raises(WrongCacheUse, match=text):
        cache.capabilities("unicorn")
    await cache.close()


async def test_twenty_records_in_quarantine_are_shown_unless_more_are_asked_for() -> None:
    cache = TypedBackend(None, TABLES, CLOCK)
    await cache.open()
    poison = tuple(Quarantined(nr, "why", "{}") for nr in range(21))
    await cache.apply(Batch(entity="tax_rate", at=AT, quarantine=poison))
    assert await cache.quarantined("tax_rate") == poison[:0:-1]
    await cache.close()


async def test_an_entity_is_taken_over_from_another_directory_alone(tmp_path: Path) -> None:
    both = (TAX_RATE_TABLE, ADDITIONAL_COST_TABLE)
    live, other = TypedBackend(tmp_path / "live", both, CLOCK), TypedBackend(tmp_path / "other", both, CLOCK)
    for cache, nr in ((live, 1), (other, 2)):
        await cache.open()
        for entity in ("tax_rate", "additional_cost"):
            await cache.apply(Batch(entity=entity, at=AT, upserts=(rate(nr),)))
    await other.close()
    await live.take(tmp_path / "other", ["tax_rate"])
    assert [(await live.get_many(entity, [1, 2])).missing for entity in ("tax_rate", "additional_cost")] == [(1,), (2,)]
    assert await live.faults() == ()
    await live.close()
