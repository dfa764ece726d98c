"""No update is lost in a file either: the busy account of the sync tests, followed by each backend that keeps files."""

from pathlib import Path

import pytest
from busy_account import CONDITIONS, Gadgets
from sync_world import World

from cache_core.protocol import CacheBackend
from cache_core.sync import Syncer

from .accounts import cached
from .backends import Kind
from .proofs import of_files, process
from .toys import SPECS


class Watched(Gadgets):
    """Gadgets in a cache in which no row may go back to an older version, whatever lags."""

    cache: CacheBackend

    async def versions(self) -> dict[object, str]:
        return {key: str(row["updated_at"]) for key, row in (await cached(self.cache)).items()}

    async def sync(self) -> int:
        before, requests, after = await self.versions(), await super().sync(), await self.versions()
        assert {key for key, version in before.items() if after.get(key, version) < version} == set()
        return requests


@pytest.mark.in_turn
@of_files
@pytest.mark.parametrize("name", CONDITIONS)
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (0, 8))])
async def test_after_rest_and_one_sync_no_row_of_a_file_differs(
    kind: Kind, tmp_path: Path, name: str, seed: int
) -> None:
    async with process(kind, tmp_path) as cache:
        world = World()
        world.syncer = Syncer(SPECS, world.source, cache, world.clock)
        account = Watched(CONDITIONS[name], seed, "toy", world)
        account.cache = cache
        await account.work(12)
        await account.rest()
        await world.syncer.close()
        assert world.truth("toy").items() <= (await account.versions()).items()
