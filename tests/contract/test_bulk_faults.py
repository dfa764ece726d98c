"""Whatever operation fails while a cache is rebuilt, moved or filled from an older file: nothing is lost or half done.

The k-th operation fails or is cancelled, for each k until a run meets no fault. Operations are each request, each
statement that writes, each commit, each change of a file that Python makes, and each statement that reads, once.
`make test` tries some of them, `make soak` each within a few nights.
"""

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.nights import NIGHTS, first_step

from cache_core.errors import CacheError, SourceUnavailable
from katana_mcp.caches.cache_files import NotDone
from katana_mcp.caches.rebuilding import STAYS

from .backends import Kind
from .bulk import WORKS, Bulk
from .fuses import Cancelling, Fuse, fails, filed, fuses, wired
from .proofs import of_files


def content(directory: Path) -> dict[str, bytes]:
    """Return what the files hold that outlive a process."""
    found = {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}
    return {name: data for name, data in found.items() if data and not name.endswith("-shm")}


async def meets(fuse: Fuse, bulk: Bulk) -> str:
    """Work on a fuse: it ends, by a named error or by the cancellation at worst; return what it said."""
    with pytest.MonkeyPatch.context() as patch:
        wired(patch, fuse)
        filed(patch, fuse)
        asked = replace(bulk, asked=lambda listed, number: fuse.burn(SourceUnavailable("cut")))
        work = asyncio.create_task(asked.run())
        if isinstance(fuse.blow, Cancelling):
            fuse.blow.task = work
        try:
            await work
        except (CacheError, NotDone, asyncio.CancelledError) as error:
            return str(error)
    return ""


@of_files
@pytest.mark.parametrize(
    ("way", "stride"),
    [
        ("error", 97),
        pytest.param("error", NIGHTS, marks=pytest.mark.soak),
        pytest.param("cancelled", NIGHTS, marks=pytest.mark.soak),
    ],
)
@pytest.mark.parametrize("work", WORKS)
async def test_work_that_fails_at_any_operation_loses_nothing_and_ends_when_it_is_done_again(
    kind: Kind, tmp_path: Path, work: str, way: str, stride: int
) -> None:
    sound, directory = tmp_path / "sound", tmp_path / "tried"
    await WORKS[work](kind.name, sound).prepare()
    before, first = content(sound), await WORKS[work](kind.name, sound).held()
    bulk, step = WORKS[work](kind.name, directory), 0
    blow = Cancelling() if way == "cancelled" else fails
    for fuse in fuses(stride, blow, first=1 + first_step(stride), reads_once=True):
        step = fuse.step
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(sound, directory)
        outcome = await meets(fuse, bulk)
        assert not fuse.connections
        if content(directory) == before:
            assert fuse.left <= 0
            continue
        await bulk.proves_sound()
        assert not outcome.endswith(STAYS) or await bulk.held() == first
        await bulk.mends()
    assert step > 50
    await bulk.verifies()
