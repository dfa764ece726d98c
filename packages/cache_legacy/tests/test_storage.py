"""The file of the legacy cache: its index stays true, and its faults are named."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.contract.half_made import half_made

from cache_core.conditions import OneOf
from cache_core.errors import CacheCorrupt, CacheUnavailable
from cache_core.indexing import row_of
from cache_core.protocol import Batch, Quarantined, Row, Search, SyncState
from cache_core.records import canonical
from cache_core.specs.customers import CUSTOMER
from cache_core.specs.variants import VARIANT
from cache_legacy.backend import LegacyBackend
from cache_legacy.storage import FILE_NAME

NOON = "2025-01-01T12:00:00.000Z"


def variant(row_id: int, **fields: object) -> Row:
    return row_of(VARIANT, canonical({**fields, "id": row_id, "updated_at": NOON}), {})


def batch(*rows: Row) -> Batch:
    return Batch(entity="variant", at=NOON, upserts=rows)


@pytest.fixture
async def cache(tmp_path: Path) -> AsyncGenerator[LegacyBackend]:
    backend = LegacyBackend(tmp_path / "cache", (VARIANT, CUSTOMER))
    await backend.open()
    yield backend
    await backend.close()


def file_of(tmp_path: Path) -> Path:
    return tmp_path / "cache" / FILE_NAME


def run(path: Path, *statements: str) -> None:
    """Do something to the file behind the backend's back."""
    with closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()


async def test_a_supplier_code_with_dots_is_found_whole_and_by_its_parts(cache: LegacyBackend) -> None:
    await cache.apply(batch(variant(1, sku="V-1", supplier_item_codes=["00.4021.018.003"]), variant(2, sku="00")))
    for text in ("00.4021.018.003", "4021 018", "018-003", "4021"):
        result = await cache.search("variant", Search(text))
        assert [hit.row.id for hit in result.hits] == [1]


async def test_the_full_text_index_agrees_with_its_table_after_every_kind_of_write(
    cache: LegacyBackend, tmp_path: Path
) -> None:
    await cache.apply(batch(*(variant(number, sku=f"S.{number}") for number in range(50))))
    await cache.apply(batch(*(variant(number, sku=f"T.{number}") for number in range(20))))
    moved = tuple(variant(number, sku=f"U.{number}") for number in range(5))
    await cache.apply(Batch(entity="variant", at=NOON, reindexed=moved, removed=tuple(range(40, 50))))
    run(file_of(tmp_path), "INSERT INTO entity_fts (entity_fts, rank) VALUES ('integrity-check', 1)")
    with closing(sqlite3.connect(file_of(tmp_path))) as db:
        assert db.execute("SELECT count(*) FROM codes WHERE ref NOT IN (SELECT ref FROM entities)").fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM entity_index").fetchone() == (40,)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE entity_fts",
        "DROP TABLE codes",
        "DROP TRIGGER reindexed",
        "ALTER TABLE entities RENAME COLUMN body TO blob",
    ],
)
async def test_a_file_with_other_tables_is_set_aside_at_open(
    cache: LegacyBackend, tmp_path: Path, statement: str
) -> None:
    await cache.apply(batch(variant(1, sku="S.1")))
    await cache.close()
    run(file_of(tmp_path), statement)
    await cache.open()
    assert len(cache.set_aside) == 1
    assert (await cache.status("variant")).records == 0


async def test_an_index_that_vanishes_in_use_is_damage_and_not_an_empty_answer(
    cache: LegacyBackend, tmp_path: Path
) -> None:
    await cache.apply(batch(variant(1, sku="S.1")))
    run(file_of(tmp_path), "DROP TABLE entity_fts")
    with pytest.raises(CacheCorrupt):
        await cache.search("variant", Search("S.1"))
    await cache.close()
    await cache.open()
    assert len(cache.set_aside) == 1
    assert (await cache.search("variant", Search("S.1"))).hits == ()


async def test_a_damaged_text_index_is_set_aside_at_the_next_open(cache: LegacyBackend, tmp_path: Path) -> None:
    await cache.apply(batch(*(variant(number, sku=f"S.{number}") for number in range(10))))
    run(file_of(tmp_path), "UPDATE entity_fts_data SET block = x'00' WHERE id > 10")
    with pytest.raises(CacheCorrupt):
        await cache.search("variant", Search("S"))
    await cache.close()
    await cache.open()
    assert len(cache.set_aside) == 1


async def test_a_record_that_is_no_longer_json_is_damage(cache: LegacyBackend, tmp_path: Path) -> None:
    await cache.apply(batch(variant(1, sku="S.1")))
    run(file_of(tmp_path), "UPDATE entities SET body = substr(body, 1, 9)")
    with pytest.raises(CacheCorrupt):
        await cache.get_many("variant", [1])
    with pytest.raises(CacheCorrupt):
        await cache.count("variant", (OneOf("sku", ("S.1",)),))


def lock(path: Path) -> sqlite3.Connection:
    """Hold the file's write lock."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    return db


async def test_reads_are_answered_while_another_process_writes(cache: LegacyBackend, tmp_path: Path) -> None:
    await cache.apply(batch(variant(1, sku="S.1")))
    with closing(lock(file_of(tmp_path))):
        assert (await cache.search("variant", Search("S.1"))).total == 1
    await cache.apply(batch(variant(2, sku="S.2")))
    assert (await cache.status("variant")).records == 2


async def test_a_lock_that_is_never_given_up_is_unavailable_and_loses_nothing(
    cache: LegacyBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cache_legacy.storage.WAIT_SECONDS", 0.05)
    impatient = LegacyBackend(tmp_path / "cache", (VARIANT,))
    await impatient.open()
    with closing(lock(file_of(tmp_path))), pytest.raises(CacheUnavailable):
        await impatient.apply(batch(variant(1, sku="S.1")))
    await impatient.apply(batch(variant(1, sku="S.1")))
    assert (await cache.status("variant")).records == 1
    await impatient.close()


def a_file_instead(directory: Path) -> None:
    directory.write_text("not a directory")


def a_linked_file(directory: Path) -> None:
    directory.mkdir()
    (directory / FILE_NAME).symlink_to(directory / "elsewhere")


@pytest.mark.parametrize("obstacle", [a_file_instead, a_linked_file])
async def test_a_place_that_cannot_be_used_is_unavailable(tmp_path: Path, obstacle: Callable[[Path], None]) -> None:
    obstacle(tmp_path / "blocked")
    backend = LegacyBackend(tmp_path / "blocked", (VARIANT,))
    with pytest.raises(CacheUnavailable):
        await backend.open()


def test_the_files_name_carries_the_schema_version_so_that_two_never_share_one() -> None:
    assert FILE_NAME == "legacy-v1.sqlite"


def next_version(patch: pytest.MonkeyPatch) -> None:
    """Let the program be of the next schema version."""
    patch.setattr("cache_legacy.storage._SCHEMA_VERSION", 2)
    patch.setattr("cache_legacy.backend.FILE_NAME", "legacy-v2.sqlite")


COMPLETE = SyncState(cursor=NOON, completed_at=NOON)
POISON = Quarantined(9, "why", "{}")


async def test_the_file_of_a_new_version_is_filled_from_the_older_one_and_both_are_used_side_by_side(
    cache: LegacyBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [variant(number, sku=f"S.{number}") for number in (1, 2, 3)]
    await cache.apply(Batch(entity="variant", at=NOON, upserts=rows, quarantine=(POISON,), state=COMPLETE))
    (tmp_path / "cache" / "legacy-v0.sqlite").write_bytes(b"not a database " * 500)
    half_made(tmp_path / "cache" / "legacy-v2.sqlite.growing")
    next_version(monkeypatch)
    newer = LegacyBackend(tmp_path / "cache", (VARIANT, CUSTOMER))
    with closing(lock(file_of(tmp_path))):
        await newer.open()
    assert (await newer.get_many("variant", [1, 2, 3])).rows == (await cache.get_many("variant", [1, 2, 3])).rows
    assert (await newer.state("variant"), await newer.quarantined("variant")) == (COMPLETE, (POISON,))
    assert (await newer.search("variant", Search("S.2"))).total == 1
    await cache.apply(Batch(entity="variant", at=NOON, removed=(1,)))
    await newer.apply(Batch(entity="variant", at=NOON, removed=(2, 3)))
    assert [(await backend.status("variant")).records for backend in (cache, newer)] == [2, 1]
    assert [await backend.faults() for backend in (cache, newer)] == [(), ()]
    await newer.close()
    await newer.open()
    assert (await newer.get_many("variant", [1])).missing == ()
    assert (newer.set_aside, cache.set_aside) == ((), ())
    await newer.close()


@pytest.mark.parametrize("change", ["ALTER TABLE codes DROP COLUMN place", "DROP TABLE states"])
async def test_what_a_new_version_cannot_hold_is_left_in_its_file_and_fetched_anew(
    cache: LegacyBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    await cache.apply(batch(variant(1, sku="S.1")))
    await cache.close()
    run(file_of(tmp_path), "CREATE TABLE c AS SELECT * FROM codes", "DROP TABLE codes", "ALTER TABLE c RENAME TO codes")
    run(file_of(tmp_path), change)
    before = file_of(tmp_path).read_bytes()
    next_version(monkeypatch)
    newer = LegacyBackend(tmp_path / "cache", (VARIANT, CUSTOMER))
    await newer.open()
    assert ((await newer.status("variant")).records, newer.set_aside) == (0, ())
    await newer.apply(batch(variant(2, sku="S.2")))
    assert (await newer.search("variant", Search("S.2"))).total == 1
    await newer.close()
    assert file_of(tmp_path).read_bytes() == before


async def test_the_file_of_a_newer_version_is_neither_read_nor_touched(cache: LegacyBackend, tmp_path: Path) -> None:
    await cache.apply(batch(variant(1, sku="S.1")))
    await cache.close()
    newer = file_of(tmp_path).rename(tmp_path / "cache" / "legacy-v2.sqlite")
    before = newer.read_bytes()
    await cache.open()
    assert ((await cache.status("variant")).records, cache.set_aside) == (0, ())
    await cache.close()
    assert newer.read_bytes() == before


async def test_without_a_directory_everything_is_kept_in_memory() -> None:
    backend = LegacyBackend(None, (VARIANT,))
    await backend.open()
    await backend.apply(batch(variant(1, sku="S.1")))
    assert (await backend.search("variant", Search("s 2"))).hits == ()
    assert (await backend.search("variant", Search("s 1"))).total == 1
    await backend.close()
    await backend.open()
    assert (await backend.status("variant")).records == 0
    await backend.close()


async def test_a_replacement_made_by_another_process_is_not_set_aside_for_the_damage_of_the_old_file(
    cache: LegacyBackend, tmp_path: Path
) -> None:
    await cache.apply(batch(variant(1, sku="S.1")))
    run(file_of(tmp_path), "DROP TABLE entity_fts")
    with pytest.raises(CacheCorrupt):
        await cache.search("variant", Search("S.1"))
    other = LegacyBackend(tmp_path / "cache", (VARIANT, CUSTOMER))
    await other.open()
    assert len(other.set_aside) == 1
    await other.apply(batch(variant(2, sku="S.2")))
    await cache.close()
    await cache.open()
    assert cache.set_aside == ()
    assert (await cache.search("variant", Search("S.2"))).total == 1
    await other.close()


@pytest.mark.parametrize("directory", [None, "cache"])
async def test_an_opening_that_is_given_up_leaves_no_connection_open(tmp_path: Path, directory: str | None) -> None:
    before = set(threading.enumerate())
    for steps in range(1, 12):
        backend = LegacyBackend(tmp_path / directory if directory else None, (VARIANT,))
        opening = asyncio.create_task(backend.open())
        for _ in range(steps):
            await asyncio.sleep(0)
        opening.cancel()
        await asyncio.gather(opening, return_exceptions=True)
        await backend.close()
    lines = [thread for thread in set(threading.enumerate()) - before if not thread.name.startswith("asyncio")]
    for line in lines:
        line.join(5)
    assert [line.name for line in lines if line.is_alive()] == []
