"""What happened while another backend answered is so after a flip back, without asking Katana."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from cache_core.indexing import prepare
from cache_core.protocol import Batch, CacheBackend, SyncState
from cache_core.testing import ManualClock
from cache_core.text import SearchText
from katana_mcp import stores
from katana_mcp.flags import FLAGS, Flag
from katana_mcp.stores import Parts, Stores

from .backends import TOY_PARTS, Forgetful
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
    tmp_path: Path, flag: Flag
) -> None:
    async with flagged(tmp_path / "cache", flag) as cache:
        await cache.apply(listing(*(await prepare(TOY, [{"id": 1, "colour": "Teal"}], cache)).rows))
        assert await found_ids(cache, "teal") == []
    searchable = replace(TOY.searchable, extras=(*TOY.searchable.extras, "colour"))
    more = replace(TOY_PARTS, specs=tuple(replace(s, searchable=searchable) if s is TOY else s for s in SPECS))
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
    assert [each.name for each in (tmp_path / "cache").glob("opened.json*")] == ["opened.json"]
