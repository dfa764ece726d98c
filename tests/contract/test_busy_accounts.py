"""No update is lost in a file either: the busy account of the sync tests, followed by each backend that keeps files."""

from pathlib import Path

import pytest
from busy_account import CONDITIONS, Gadgets
from sync_world import World

from cache_core.sync import Syncer

from .accounts import cached
from .backends import Kind
from .proofs import of_files, process
from .toys import SPECS


@of_files
@pytest.mark.parametrize("name", CONDITIONS)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.soak)])
async def test_after_rest_and_one_sync_no_row_of_a_file_differs(
    kind: Kind, tmp_path: Path, name: str, seed: int
) -> None:
    async with process(kind, tmp_path) as cache:
        world = World()
        world.syncer = Syncer(SPECS, world.source, cache, world.clock)
        account = Gadgets(CONDITIONS[name], seed, "toy", world)
        await account.work(6)
        await account.rest()
        await world.syncer.close()
        versions = {key: row["updated_at"] for key, row in (await cached(cache)).items()}
        assert world.truth("toy").items() <= versions.items()
