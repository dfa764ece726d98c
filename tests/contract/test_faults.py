"""Whatever statement or request fails: old rows stay, no cursor runs ahead, and the next sync mends all.

The k-th operation fails or is cancelled, for each k until a run meets no fault.
`make test` tries some of them, `make soak` each within a few nights.
"""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.nights import NIGHTS, first_step

from cache_core.errors import CacheError
from cache_core.protocol import Batch, CacheBackend, Quarantined, SyncState

from .accounts import ENTITIES, Account
from .backends import TOYS, Kind
from .fuses import Cancelling, Fuse, asked_on, fails, fuses, wired
from .proofs import NOTHING, filled, held, mends, of_files, process, proves_sound
from .toys import found_ids, moment, toy

TOYS_OF_TWO_PAGES = 251

each_way = pytest.mark.parametrize("way", ["error", "cancelled"])
some_or_all = pytest.mark.parametrize(
    "stride", [pytest.param(61, id="some"), pytest.param(NIGHTS, id="tonight", marks=pytest.mark.soak)]
)


@dataclass(frozen=True, slots=True)
class Faults:
    """A fault loop over processes that work on copies of a directory.

    Attributes:
        kind: the backend under test.
        root: where the copies are made, beside the directory `sound`.
        way: how an operation fails: by its own error, or cancelled.
        stride: each of how many operations fails.
    """

    kind: Kind
    root: Path
    way: str
    stride: int

    def __iter__(self) -> Iterator[tuple[Fuse, Path]]:
        """Give a fuse and a directory for each operation that fails, until a run meets no fault."""
        blow = Cancelling() if self.way == "cancelled" else fails
        for fuse in fuses(self.stride, blow, first=1 + first_step(self.stride)):
            directory = self.root / "tried"
            shutil.rmtree(directory, ignore_errors=True)
            if (self.root / "sound").exists():
                shutil.copytree(self.root / "sound", directory)
            yield fuse, directory


async def syncs(kind: Kind, directory: Path, account: Account) -> None:
    """Sync as a process of its own."""
    async with process(kind, directory) as cache:
        syncer = account.syncer(cache)
        try:
            for entity in ENTITIES:
                await syncer.start(entity)
        finally:
            await syncer.close()


async def applies(kind: Kind, directory: Path, batch: Batch) -> None:
    """Apply a batch as a process of its own."""
    async with process(kind, directory) as cache:
        await cache.apply(batch)


async def meets(fuse: Fuse, work: "asyncio.Task[None]") -> None:
    """Wait for work on a fuse: it ends, by a named error or by the cancellation at worst."""
    if isinstance(fuse.blow, Cancelling):
        fuse.blow.task = work
    with suppress(CacheError, asyncio.CancelledError):
        await work


@of_files
@each_way
@some_or_all
@pytest.mark.parametrize("first", [True, False], ids=["first sync", "delta"])
async def test_a_sync_that_fails_at_any_operation_harms_nothing_and_the_next_one_ends_it(
    kind: Kind, tmp_path: Path, way: str, stride: int, first: bool
) -> None:
    account, before = Account(toys=TOYS_OF_TWO_PAGES), NOTHING
    if not first:
        before = await filled(kind, tmp_path / "sound", account)
        account.work(tombstones=True)
    step = 0
    for fuse, directory in Faults(kind, tmp_path, way, stride):
        step = fuse.step
        with pytest.MonkeyPatch.context() as patch:
            wired(patch, fuse)
            asked_on(account.source, fuse)
            await meets(fuse, asyncio.create_task(syncs(kind, directory, account)))
        account.source.before = lambda listed, number: None
        async with process(kind, directory) as cache:
            await proves_sound(cache, account, before)
            await mends(cache, account)
    assert step > 100


@pytest.mark.usefixtures("persistence")
@each_way
async def test_an_opening_that_fails_at_any_statement_leaves_nothing_open(kind: Kind, tmp_path: Path, way: str) -> None:
    step = 0
    for fuse, directory in Faults(kind, tmp_path, way, stride=1):
        step = fuse.step
        cache = kind.make(TOYS, directory)
        with pytest.MonkeyPatch.context() as patch:
            wired(patch, fuse)
            opening = asyncio.create_task(cache.open())
            await meets(fuse, opening)
            has_failed = opening.cancelled() or opening.exception() is not None
            assert not (has_failed and fuse.connections)
            await cache.close()
            assert not fuse.connections
    assert step > 3


async def everything(cache: CacheBackend) -> object:
    """Return all that a batch can change."""
    texts = [await found_ids(cache, text) for text in ("old", "new", "B.2")]
    return await held(cache), await cache.state("toy"), await cache.quarantined("toy"), texts


@of_files
@each_way
@some_or_all
async def test_a_batch_that_fails_at_any_statement_is_stored_whole_or_not_at_all(
    kind: Kind, tmp_path: Path, way: str, stride: int
) -> None:
    old = [toy(number, name="old", rows=[{"note": "n"}]) for number in range(1, 21)]
    batch = Batch(
        entity="toy",
        at=moment(),
        upserts=[toy(number, version=1, name="new", codes=["B.2"]) for number in range(5, 30)],
        removed=(1, 2),
        reindexed=[toy(3, name="old", rows=[{"note": "n"}], owned_by="new")],
        quarantine=(Quarantined(31, "why", "{}"),),
        state=SyncState(cursor=moment(1)),
    )
    async with process(kind, tmp_path / "sound") as cache:
        await cache.apply(Batch(entity="toy", at=moment(), upserts=old, state=SyncState(cursor=moment(0))))
        before = await everything(cache)
    await applies(kind, shutil.copytree(tmp_path / "sound", tmp_path / "done"), batch)
    async with process(kind, tmp_path / "done") as cache:
        after = await everything(cache)
    step = 0
    for fuse, directory in Faults(kind, tmp_path, way, min(stride, 5)):
        step = fuse.step
        with pytest.MonkeyPatch.context() as patch:
            wired(patch, fuse)
            await meets(fuse, asyncio.create_task(applies(kind, directory, batch)))
        async with process(kind, directory) as cache:
            assert cache.set_aside == ()
            assert await cache.faults() == ()
            assert await everything(cache) in ([before, after] if fuse.left <= 0 else [after])
            await cache.apply(batch)
            assert await everything(cache) == after
    assert step > 20
