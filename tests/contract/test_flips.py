"""What happened while another backend answered is so after a flip back, without asking Katana.

A backend on trial that a flip cannot fill is left out, whatever fails, and filled by the next opening that can.
"""

import shutil
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from cache_core.compared import Comparison
from cache_core.conditions import EVERYTHING
from cache_core.indexing import prepare
from cache_core.protocol import Batch, CacheBackend, Selection, SyncState
from cache_core.records import RecordId
from cache_core.search_rules import SearchText
from cache_core.testing import ManualClock
from katana_mcp.caches import stores
from katana_mcp.caches.stores import Parts, Stores
from katana_mcp.configuration.backend_flags import FLAGS, Flag

from .backends import TOY_PARTS, Forgetful
from .fuses import Blow, Fuse, connected_by, fuses
from .toy_tables import Toy
from .toys import OWNER, SPECS, TOY, found_ids, listing, moment, removal, toy

COMPLETE = SyncState(cursor=moment(), completed_at=moment())


@asynccontextmanager
async def flagged(directory: Path, flag: Flag, parts: Parts = TOY_PARTS) -> AsyncGenerator[CacheBackend]:
    """Open the cache with one flag for toys and their owners."""
    flags: dict[str, Flag] = dict.fromkeys((TOY.name, OWNER.name), flag)
    cache, _ = await Stores(flags, Forgetful(), ManualClock(), parts).open(directory)
    try:
        yield cache
    finally:
        await cache.close()


async def all_ids(cache: CacheBackend) -> list[RecordId]:
    """Return the ids of all toys."""
    return [row.id for row in await cache.select("toy", Selection(visibility=EVERYTHING))]


async def rename_owner(cache: CacheBackend, name: str, state: SyncState | None = None) -> None:
    """Name the owner, then reindex its toy as sync does; the toy's own cursor stays."""
    rows = (await prepare(OWNER, [{"id": 1, "name": name, "updated_at": moment(len(name))}], cache)).rows
    await cache.apply(Batch(entity="toy_owner", at=moment(), upserts=rows, state=state))
    stored = (await cache.get_many("toy", [1])).rows
    rows = (await prepare(TOY, [row.record for row in stored], cache)).rows
    await cache.apply(Batch(entity="toy", at=moment(), reindexed=rows))


@pytest.mark.parametrize(("first", "second"), [*permutations(FLAGS, 2), (FLAGS[-1], FLAGS[-1])])
async def test_a_rename_and_a_removal_survive_a_flip_back(tmp_path: Path, first: Flag, second: Flag) -> None:
    async with flagged(tmp_path / "cache", first) as cache:
        await rename_owner(cache, "Smith", COMPLETE)
        toys = [{"id": nr, "owner_id": 1, "updated_at": moment()} for nr in (1, 2)]
        await cache.apply(listing(*(await prepare(TOY, toys, cache)).rows))
        await cache.apply(Batch(entity="toy", at=moment(), state=COMPLETE))
    async with flagged(tmp_path / "cache", second) as cache:
        assert await found_ids(cache, "smith") == [1, 2]
        await cache.apply(removal(2))
        await rename_owner(cache, "Jones & Co")
    async with flagged(tmp_path / "cache", first) as cache:
        assert await found_ids(cache, "smith") == []
        assert await found_ids(cache, "jones") == [1]
        assert (await cache.get_many("toy", [2])).missing == (2,)


async def test_a_damaged_note_of_the_last_opening_does_no_harm(tmp_path: Path) -> None:
    async with flagged(tmp_path / "cache", FLAGS[-1]) as cache:
        await rename_owner(cache, "Smith", COMPLETE)
    (tmp_path / "cache" / "opened.json").write_bytes(b"\xff{")
    async with flagged(tmp_path / "cache", FLAGS[-1]) as cache:
        assert await found_ids(cache, "smith", "toy_owner") == [1]


@pytest.mark.parametrize("flag", FLAGS)
async def test_a_field_that_becomes_searchable_is_found_in_rows_that_are_already_there(
    tmp_path: Path, flag: Flag, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with flagged(tmp_path / "cache", flag) as cache:
        await cache.apply(listing(*(await prepare(TOY, [{"id": 1, "colour": "Teal"}], cache)).rows))
        assert await found_ids(cache, "teal") == []
    searchable = replace(TOY.searchable, extras=(*TOY.searchable.extras, "colour"))
    more = replace(TOY_PARTS, specs=tuple(replace(s, searchable=searchable) if s is TOY else s for s in SPECS))
    monkeypatch.setattr(Toy, "_fts_columns", searchable)
    async with flagged(tmp_path / "cache", flag, more) as cache:
        assert await found_ids(cache, "teal") == [1]


@pytest.mark.parametrize("flag", FLAGS)
async def test_rows_stored_under_older_text_rules_are_found_by_the_new_ones(
    tmp_path: Path, flag: Flag, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(stores, "RULES", 0)
        async with flagged(tmp_path / "cache", flag) as cache:
            await cache.apply(listing(replace(toy(1, sku="AB-1"), text=SearchText(keys="ab 1"))))
            assert await found_ids(cache, "ab1") == []
    async with flagged(tmp_path / "cache", flag) as cache:
        assert await found_ids(cache, "ab1") == [1]


async def test_a_note_that_cannot_be_written_does_not_stop_the_opening(tmp_path: Path) -> None:
    (tmp_path / "cache" / "opened.json").mkdir(parents=True, mode=0o700)
    (tmp_path / "cache").chmod(0o700)
    async with flagged(tmp_path / "cache", FLAGS[0]) as cache:
        await rename_owner(cache, "Smith", COMPLETE)
    assert [path.name for path in (tmp_path / "cache").glob("opened.json*")] == ["opened.json"]


TRIALS: tuple[Flag, ...] = tuple(flag for flag in FLAGS if flag.startswith("compare:"))
FAULTS = {
    sqlite3.SQLITE_FULL: "database or disk is full",
    sqlite3.SQLITE_READONLY: "attempt to write a readonly database",
    sqlite3.SQLITE_CORRUPT: "database disk image is malformed",
    sqlite3.SQLITE_BUSY: "database is locked",
}


class Sick(sqlite3.Connection):
    """A connection that burns a fuse at each write to the files of one backend."""

    fuse: Fuse
    backend: str

    def __init__(self, path: str | Path, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - as sqlite3 declares it
        super().__init__(path, *arguments, **named)
        self._is_meant = Path(path).name.startswith(self.backend)

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401 - as sqlite3 declares it
        if self._is_meant and sql == "BEGIN IMMEDIATE":
            self.fuse.burn(sqlite3.OperationalError())
        return super().execute(sql, parameters)


class Kept:
    """Keeps every comparison of a parallel run."""

    def __init__(self) -> None:
        self.comparisons: list[Comparison] = []

    def record(self, comparison: Comparison) -> None:
        self.comparisons.append(comparison)


def fails_by(code: int) -> Blow:
    """Return a blow that is this error of SQLite."""

    def blow(error: BaseException) -> None:
        del error
        raised = sqlite3.OperationalError(FAULTS[code])
        raised.sqlite_errorcode = code
        raise raised

    return blow


async def flipped_away(directory: Path, first: Flag, second: Flag) -> None:
    """Leave the first backend with a toy that was removed since in the second, at the same cursor."""
    async with flagged(directory, first) as cache:
        await rename_owner(cache, "Smith", COMPLETE)
        await cache.apply(listing(toy(1), toy(2)))
        await cache.apply(Batch(entity="toy", at=moment(), state=COMPLETE))
    async with flagged(directory, second) as cache:
        await cache.apply(removal(2))


@pytest.mark.parametrize(
    ("code", "stride"),
    [
        *((code, 3 if code == sqlite3.SQLITE_FULL else 100) for code in FAULTS),
        *(pytest.param(code, 1, marks=pytest.mark.soak) for code in FAULTS),
    ],
)
async def test_a_trial_that_cannot_be_filled_is_left_out_and_filled_by_the_next_opening(
    tmp_path: Path, code: int, stride: int
) -> None:
    for nr, flag in enumerate(TRIALS):
        await leaves_out(tmp_path / str(nr), flag, code, stride)


async def leaves_out(root: Path, flag: Flag, code: int, stride: int) -> None:
    """Open a cache whose trial fails at each write while it is filled, and open it again."""
    answering: Flag = next(candidate for candidate in FLAGS if flag == f"compare:{candidate}")
    trial: Flag = next(candidate for candidate in FLAGS if candidate not in {*TRIALS, answering})
    await flipped_away(root / "sound", trial, answering)
    flags: dict[str, Flag] = dict.fromkeys((TOY.name, OWNER.name), flag)
    times = 0
    for fuse in fuses(stride, fails_by(code)):
        directory, kept = root / str(fuse.step), Kept()
        shutil.copytree(root / "sound", directory)
        stores = Stores(flags, kept, ManualClock(), TOY_PARTS)
        with pytest.MonkeyPatch.context() as patch:
            factory = type("SickTrial", (Sick,), {"fuse": fuse, "backend": trial})
            connected_by(patch, factory)
            cache, notices = await stores.open(directory)
        fuse.blow = lambda error: None
        times += len(notices)
        assert stores.directory == directory
        assert all(FAULTS[code] in notice and trial in notice and "start again" in notice for notice in notices)
        assert {comparison.entity for comparison in kept.comparisons if comparison.error} == (
            set(flags) if notices else set()
        )
        kept.comparisons.clear()
        await rename_owner(cache, "Jones")
        assert await all_ids(cache) == [1]
        await cache.close()
        assert bool(kept.comparisons) is not bool(notices)
        cache, notices = await Stores(flags, Forgetful(), ManualClock(), TOY_PARTS).open(directory)
        await cache.close()
        assert not any("left out" in notice for notice in notices)
        async with flagged(directory, trial) as cache:
            assert await all_ids(cache) == [1]
            assert await found_ids(cache, "jones", "toy_owner") == [1]
    assert times > 0
