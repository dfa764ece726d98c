"""Looking without a trace, checking on a copy, and taking over what another file holds in one transaction."""

import os
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cache_core.errors import CacheUnavailable, LeaseLost
from cache_core.leases import Claim
from cache_core.protocol import Batch, Quarantined, Row, Search, SyncState
from cache_core.records import canonical
from cache_core.search_rules import SearchText
from cache_core.spec import EntitySpec, Searchable
from cache_legacy import file_swap
from cache_legacy.backend import LegacyBackend
from cache_legacy.storage import FILE_NAME

AT = "2026-03-02T08:00:00.000Z"
PART = EntitySpec(name="part", collection="parts", searchable=Searchable(keys=("sku",)), key_path="sku")
PLACE = EntitySpec(name="place", collection="places", searchable=Searchable(names=("name",)))
OLD, NEW = SyncState(cursor="old", completed_at=AT), SyncState(cursor="new", completed_at=AT)
POISON = Quarantined(3, "why", "{}")


def part(nr: int) -> Row:
    return Row(nr, AT, canonical({"id": nr, "sku": f"P-{nr}"}), SearchText(keys=f"p {nr}"), key=f"P-{nr}")


async def filled(directory: Path, numbers: range, state: SyncState) -> LegacyBackend:
    """Return an open cache with these parts and a place."""
    cache = LegacyBackend(directory, (PART, PLACE))
    await cache.open()
    rows = [part(nr) for nr in numbers]
    await cache.apply(Batch(entity="part", at=AT, upserts=rows, state=state, quarantine=(POISON,)))
    place = Row(1, AT, canonical({"id": 1, "name": "Tartu"}), SearchText(names="tartu"))
    await cache.apply(Batch(entity="place", at=AT, upserts=(place,), state=state))
    return cache


async def test_looking_reads_beside_an_open_cache_and_changes_nothing(tmp_path: Path) -> None:
    live = await filled(tmp_path, range(1, 4), OLD)
    look = LegacyBackend(tmp_path, (PART, PLACE), looking=True)
    await look.open()
    await live.apply(Batch(entity="part", at=AT, upserts=(part(9),)))
    assert await look.count("part") == 4
    with pytest.raises(CacheUnavailable, match="readonly"):
        await look.apply(Batch(entity="part", at=AT, upserts=(part(10),)))
    await look.close()
    await live.close()


async def test_looking_for_a_file_that_is_not_there_makes_none(tmp_path: Path) -> None:
    look = LegacyBackend(tmp_path, (PART,), looking=True)
    with pytest.raises(CacheUnavailable, match="no legacy cache yet"):
        await look.open()
    assert await look.faults() == ()
    assert os.listdir(tmp_path) == []


async def test_looking_at_damage_leaves_it_where_it_is(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database " * 500)
    assert await LegacyBackend(tmp_path, (PART,), looking=True).faults() == (
        "the legacy cache is damaged: file is not a database",
    )
    assert os.listdir(tmp_path) == [FILE_NAME]


SPOILT = {
    "INSERT INTO entity_fts (entity_fts, rowid, sku, name, name2, extras)"
    " SELECT 'delete', ref, sku, name, name2, extras FROM entity_index WHERE ref = 2": (
        "the full-text index and the texts differ"
    ),
    "DELETE FROM entity_index WHERE ref = 2": "records without searchable text: 1",
    "DELETE FROM entities WHERE id = 2": "rows of codes that belong to no record: 1",
    "DROP TRIGGER unindexed": "the tables are not the expected ones",
}


@pytest.mark.parametrize("statement", SPOILT)
async def test_a_check_names_what_is_wrong_while_the_cache_is_in_use(tmp_path: Path, statement: str) -> None:
    live = await filled(tmp_path, range(1, 4), OLD)
    assert await live.faults() == ()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as raw, raw:
        raw.execute("INSERT INTO codes SELECT entity, 'p 2', 0, ref FROM entities WHERE id = 2")
        raw.execute(statement)
    assert SPOILT[statement] in await live.faults()
    assert not any(name.startswith(file_swap.COPIES) for name in os.listdir(tmp_path))
    await live.close()


@pytest.mark.parametrize("statement", [None, next(iter(SPOILT))])
async def test_taking_over_replaces_one_entity_whole_and_leaves_the_others(
    tmp_path: Path, statement: str | None
) -> None:
    live = await filled(tmp_path / "live", range(1, 4), OLD)
    other = await filled(tmp_path / "other", range(3, 8), NEW)
    await other.close()
    if statement is not None:
        with closing(sqlite3.connect(tmp_path / "live" / FILE_NAME)) as raw, raw:
            raw.execute(statement)
    await live.take(tmp_path / "other", ["part"])
    found = await live.get_many("part", range(1, 9))
    assert [row.record for row in found.rows] == [part(nr).record for nr in range(3, 8)]
    assert [hit.row.id for hit in (await live.search("part", Search("p-5"))).hits] == [5]
    assert (await live.search("part", Search("p-2"))).hits == ()
    assert (await live.search("place", Search("tartu"))).total == 1
    assert (await live.state("part"), await live.state("place")) == (NEW, OLD)
    assert await live.quarantined("part") == (POISON,)
    assert await live.faults() == ()
    await live.apply(Batch(entity="part", at=AT, upserts=(part(9),)))
    await live.close()


async def test_who_syncs_while_an_entity_is_taken_over_writes_no_more(tmp_path: Path) -> None:
    live = await filled(tmp_path / "live", range(1, 4), OLD)
    other = await filled(tmp_path / "other", range(3, 8), NEW)
    await other.close()
    mine = await live.claim(Claim("part", "me", AT, 30))
    await live.take(tmp_path / "other", ["part"])
    for _ in range(2):
        with pytest.raises(LeaseLost):
            await live.apply(Batch(entity="part", at=AT, upserts=(part(9),), lease=mine))
        assert (await live.claim(Claim("part", "me", AT, 30))).holder == "me"
    await live.close()


async def test_taking_over_changes_all_or_nothing_whichever_statement_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = await filled(tmp_path / "live", range(1, 4), OLD)
    other = await filled(tmp_path / "other", range(3, 8), NEW)
    await other.close()
    failed, statements = 0, 0

    class Failing(sqlite3.Connection):
        step = 0

        def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401 - as sqlite3 has it
            nonlocal statements
            statements += 1
            if statements == self.step:
                raise sqlite3.OperationalError("disk I/O error")
            return super().execute(sql, parameters)

    connect = partial(sqlite3.connect, factory=Failing)
    monkeypatch.setattr(sqlite3, "connect", connect)
    while True:
        Failing.step, statements = Failing.step + 1, 0
        try:
            await live.take(tmp_path / "other", ["part"])
        except CacheUnavailable:
            failed += 1
            assert (await live.count("part"), await live.state("part")) == (3, OLD)
        else:
            break
    assert failed > 10
    monkeypatch.undo()
    assert (await live.count("part"), await live.state("part")) == (5, NEW)
    assert await live.faults() == ()
    await live.close()
