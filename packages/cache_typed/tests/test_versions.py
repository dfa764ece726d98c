"""Files of every released schema version open under this one, and no row and no cursor is lost."""

import asyncio
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlmodel import Field
from tests.contract.half_made import half_made
from typed_orders import NOON
from typed_released import FIXTURES as DIRECTORY
from typed_released import HELD, ORDERS, QUARANTINED, STATE

from cache_core.conditions import EVERYTHING, OneOf, Order
from cache_core.protocol import Batch, Row, Search, Selection, SyncState
from cache_core.records import canonical
from cache_core.search_rules import SearchText, Tier
from cache_core.spec import EntitySpec, Searchable
from cache_typed import dialect, schema, storage
from cache_typed.backend import TypedBackend
from cache_typed.documents import Document, Part, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping, table_of
from cache_typed.tables import TABLES

FIXTURES = sorted(DIRECTORY.glob("typed-*.db"), key=lambda path: int(path.stem.removeprefix("typed-")))
NAMES = [path.stem for path in FIXTURES]
CURRENT = f"typed-{schema.SCHEMA_VERSION}.db"


def test_there_is_a_file_of_every_version() -> None:
    assert [f"typed-{version}" for version in range(1, schema.SCHEMA_VERSION + 1)] == NAMES


@pytest.mark.parametrize("path", FIXTURES, ids=NAMES)
def test_no_column_of_a_released_version_is_dropped_or_changed(path: Path) -> None:
    with closing(dialect.connect(f"file:{path}?mode=ro&immutable=1")) as db:
        for mapping in TABLES:
            for model in (mapping.table, *(part.table for part in mapping.parts)):
                there = dialect.columns_in(db, table_of(model).name)
                assert schema.can_lack(there, dialect.column_objects(table_of(model))) or not there


def test_a_change_of_an_existing_table_has_raised_the_version() -> None:
    with closing(dialect.connect(f"file:{DIRECTORY / CURRENT}?mode=ro&immutable=1")) as db:
        models = [model for mapping in TABLES for model in (mapping.table, *(part.table for part in mapping.parts))]
        tables = [table for table in map(table_of, models) if dialect.columns_in(db, table.name)]
        held = {table.name: dialect.columns_in(db, table.name) for table in tables}
    assert {table.name: dialect.column_objects(table) for table in tables} == held


@pytest.mark.parametrize("path", FIXTURES, ids=NAMES)
async def test_a_file_of_any_version_opens_with_all_it_held(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / path.name)
    cache = TypedBackend(tmp_path)
    await cache.open()
    assert (cache.emptied, cache.set_aside) == (frozenset(), ())
    listed = await cache.select("sales_order", Selection(visibility=EVERYTHING))
    assert [row.record for row in reversed(listed)] == list(ORDERS)
    assert await cache.state("sales_order") == STATE
    assert await cache.quarantined("sales_order") == (QUARANTINED,)
    assert await cache.count("stock") == 3
    assert await cache.count("stock", (OneOf("levels[].location_id", (2,)),)) == 3
    hit = (await cache.search("sales_order", Search("so-3"))).hits[0]
    assert (hit.row.id, hit.tier) == (3, Tier.EXACT)
    with closing(dialect.connect(f"file:{path}?mode=ro&immutable=1")) as db:
        released = dialect.schema_objects(db)
    # An entity that was added after the release has no table in its file.
    for entity, records in ((entity, records) for entity, records in HELD[path.stem].items() if entity in released):
        listed = await cache.select(entity, Selection((), Order("id"), visibility=EVERYTHING))
        assert [row.record for row in listed] == [canonical(record) for record in records]
    await cache.close()
    with closing(sqlite3.connect(tmp_path / CURRENT)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        db.execute(dialect.sidecar_check("sales_order"))


async def test_the_older_file_stays_as_it_was_and_is_read_once(tmp_path: Path) -> None:
    older = tmp_path / "typed-1.db"
    shutil.copy(FIXTURES[0], older)
    before = older.read_bytes()
    cache = TypedBackend(tmp_path)
    for _ in range(2):
        await cache.open()
        await cache.apply(Batch(entity="sales_order", at=NOON, removed=(1,)))
        assert await cache.count("sales_order") == 4
        await cache.close()
    assert older.read_bytes() == before


async def test_a_newer_file_is_neither_read_nor_touched(tmp_path: Path) -> None:
    newer = tmp_path / f"typed-{schema.SCHEMA_VERSION + 1}.db"
    shutil.copy(FIXTURES[0], newer)
    before = newer.read_bytes()
    cache = TypedBackend(tmp_path)
    await cache.open()
    assert await cache.count("sales_order") == 0
    await cache.close()
    assert newer.read_bytes() == before


async def test_a_running_process_keeps_its_rows_while_a_newer_version_starts_and_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(FIXTURES[-1], tmp_path / FIXTURES[-1].name)
    running = TypedBackend(tmp_path)
    await running.open()
    assert await running.count("sales_order") == 5
    with monkeypatch.context() as newer_release:
        newer_release.setattr(schema, "SCHEMA_VERSION", schema.SCHEMA_VERSION + 1)
        newer_release.setattr(storage, "FILE_NAME", f"typed-{schema.SCHEMA_VERSION}.db")
        newer = TypedBackend(tmp_path)
        await newer.open()
        await newer.apply(Batch(entity="sales_order", at=NOON, removed=(1, 2)))
        assert await newer.count("sales_order") == 3
        assert await running.count("sales_order") == 5
        assert (await running.search("sales_order", Search("so-3"))).hits[0].row.id == 3
        await running.apply(Batch(entity="sales_order", at=NOON, removed=(5,)))
        await newer.close()
    assert await running.state("sales_order") == STATE
    await running.close()
    await running.open()
    assert await running.count("sales_order") == 4
    assert (running.emptied, running.set_aside) == (frozenset(), ())
    await running.close()


@pytest.mark.parametrize("damage", [b"not a database " * 500, b""])
async def test_a_damaged_older_file_is_left_alone_and_the_new_one_starts_empty(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "typed-1.db").write_bytes(damage)
    cache = TypedBackend(tmp_path)
    await cache.open()
    assert await cache.count("sales_order") == 0
    await cache.close()
    assert (tmp_path / "typed-1.db").read_bytes() == damage


async def test_a_broken_off_filling_begins_again(tmp_path: Path) -> None:
    shutil.copy(FIXTURES[0], tmp_path / "typed-1.db")
    half_made(tmp_path / f"{CURRENT}.growing")
    cache = TypedBackend(tmp_path)
    await cache.open()
    assert await cache.count("sales_order") == 5
    await cache.close()
    assert cache.set_aside == ()
    assert await cache.faults() == ()
    assert [name for name in os.listdir(tmp_path) if "growing" in name] == []


PLANT = EntitySpec(name="plant", collection="plants", searchable=Searchable(names=("name",)), children=("leaves",))


class Plant(Document, table=True):
    """A table as a later release declares it; `height` and the leaves' `colour` are new."""

    id: int = identity()
    name: str | None = text(index=True)
    height: int | None = Field(default=None, index=True)
    cache_count_leaves: int | None = whole()


class PlantLeaf(Part, table=True):
    """Leaves of a plant."""

    __table_args__ = part_of("plant.id")

    size: int | None = whole()
    colour: str | None = text(index=True)


PLANTS = (TableMapping(PLANT, Plant, (PartMapping("leaves", PlantLeaf),)),)
ADDED = (("plant", "height"), ("plant_leaf", "colour"))


def made_older(path: Path) -> None:
    """Make of the file what an earlier release would have left: two columns fewer, their values unknown fields."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE plant SET cache_unknown = json_object('height', height), cache_odd = 0")
        db.execute("UPDATE plant_leaf SET cache_unknown = json_object('colour', colour)")
        for table, column in ADDED:
            db.execute(f"DROP INDEX ix_{table}_{column}")
            db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")


def plant(nr: int) -> Row:
    record = canonical({"id": nr, "name": f"fern {nr}", "height": nr, "leaves": [{"size": 1, "colour": f"green{nr}"}]})
    return Row(nr, None, record, SearchText(names=f"fern {nr}"))


@pytest.mark.parametrize("version", [0, 1], ids=["this version", "the one before"])
async def test_added_columns_are_filled_from_what_was_unknown(tmp_path: Path, version: int) -> None:
    cache = TypedBackend(tmp_path, PLANTS)
    await cache.open()
    rows = [plant(nr) for nr in range(1, 4)]
    await cache.apply(Batch(entity="plant", at=NOON, upserts=rows, state=SyncState(cursor=NOON)))
    await cache.close()
    made_older(tmp_path / CURRENT)
    (tmp_path / CURRENT).rename(tmp_path / f"typed-{schema.SCHEMA_VERSION - version}.db")
    for _ in range(2):
        await cache.open()
        assert cache.emptied == frozenset()
        for field, value in (("height", 2), ("leaves[].colour", "green2")):
            found = await cache.select("plant", Selection((OneOf(field, (value,)),)))
            assert [row.record for row in found] == [rows[1].record]
        assert (await cache.state("plant")).cursor == NOON
        assert (await cache.search("plant", Search("fern 3"))).total == 1
        await cache.close()
    with closing(sqlite3.connect(tmp_path / CURRENT)) as db:
        assert db.execute("SELECT count(*) FROM plant WHERE cache_unknown IS NOT NULL").fetchone() == (0,)
        assert db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'ix_plant%_colour'").fetchall()


async def test_a_file_of_the_version_before_whose_columns_are_others_leaves_the_entity_empty(tmp_path: Path) -> None:
    cache = TypedBackend(tmp_path, PLANTS)
    await cache.open()
    await cache.apply(Batch(entity="plant", at=NOON, upserts=[plant(1)], state=SyncState(cursor=NOON)))
    await cache.close()
    with closing(sqlite3.connect(tmp_path / CURRENT)) as db, db:
        db.execute("ALTER TABLE plant_leaf RENAME COLUMN size TO width")
    (tmp_path / CURRENT).rename(tmp_path / f"typed-{schema.SCHEMA_VERSION - 1}.db")
    await cache.open()
    assert cache.emptied == {"plant"}
    assert (await cache.count("plant"), (await cache.state("plant")).cursor) == (0, None)
    await cache.close()


async def test_columns_of_another_program_are_no_reason_to_start_empty(tmp_path: Path) -> None:
    cache = TypedBackend(tmp_path, PLANTS)
    await cache.open()
    await cache.apply(Batch(entity="plant", at=NOON, upserts=[plant(1)]))
    await cache.close()
    with closing(sqlite3.connect(tmp_path / CURRENT)) as db:
        db.execute("ALTER TABLE plant ADD COLUMN of_tomorrow TEXT")
    await cache.open()
    assert cache.emptied == frozenset()
    await cache.apply(Batch(entity="plant", at=NOON, upserts=[plant(2)]))
    assert await cache.count("plant") == 2
    await cache.close()


async def test_two_that_open_at_once_fill_the_file_once(tmp_path: Path) -> None:
    shutil.copy(FIXTURES[0], tmp_path / "typed-1.db")
    both = [TypedBackend(tmp_path) for _ in range(4)]
    await asyncio.gather(*(cache.open() for cache in both))
    assert [await cache.count("sales_order") for cache in both] == [5] * 4
    assert {len(cache.set_aside) for cache in both} == {0}
    await asyncio.gather(*(cache.close() for cache in both))
