"""What happened while another backend answered is so after a flip back, without asking Katana."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import permutations
from pathlib import Path

import pytest

from cache_core.indexing import prepare
from cache_core.protocol import Batch, CacheBackend, SyncState
from cache_core.testing import ManualClock
from katana_mcp.flags import FLAGS, Flag
from katana_mcp.stores import Stores

from .backends import TOY_PARTS, Forgetful
from .toys import OWNER, TOY, found_ids, listing, moment, removal

COMPLETE = SyncState(cursor=moment(), completed_at=moment())


@asynccontextmanager
async def flagged(directory: Path, flag: Flag) -> AsyncGenerator[CacheBackend]:
    """Open the cache with one flag for toys and their owners."""
    cache, _ = await Stores(dict.fromkeys((TOY.name, OWNER.name), flag), Forgetful(), ManualClock(), TOY_PARTS).open(
        directory
    )
    yield cache
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


async def test_a_note_of_the_last_flags_that_is_damaged_does_no_harm(tmp_path: Path) -> None:
    async with flagged(tmp_path / "cache", FLAGS[-1]) as cache:
        await rename_owner(cache, "Smith", COMPLETE)
    (tmp_path / "cache" / "flags.json").write_bytes(b"\xff{")
    async with flagged(tmp_path / "cache", FLAGS[-1]) as cache:
        assert await found_ids(cache, "smith", "toy_owner") == [1]
