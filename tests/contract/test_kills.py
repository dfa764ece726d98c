"""A process that is killed in the middle of a sync loses no row and no progress, and leaves a whole file.

So does one that is killed while it rebuilds or moves a cache, or fills it from the file of an older version.
"""

import shutil
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tests.nights import NIGHTS, first_step

from cache_core.sync.source import PAGE_SIZE

from .accounts import cached
from .backends import Kind
from .bulk import WORKS
from .dying import PAUSE, End, Nursery, Order, account_after
from .proofs import NOTHING, filled, held, mends, of_files, process, proves_sound

NEW_FILE_EVERY = 10
STRIDES = {"rebuild": 12, "migrate": 4, "carry": 3}
AT_ANY_MOMENT = 10


@of_files
@pytest.mark.parametrize("kills", [5, pytest.param(60, marks=pytest.mark.soak)])
async def test_a_process_killed_at_any_moment_leaves_a_whole_file_and_loses_nothing(
    kind: Kind, tmp_path: Path, dying: Nursery, kills: int
) -> None:
    random, killed, rounds, before = Random(kills), 0, 0, NOTHING
    takes = [dying.run(Order(kind.name, str(tmp_path / "whole"), index)).seconds for index in range(2)]
    while killed < kills:
        first = rounds % NEW_FILE_EVERY == 0
        order = Order(kind.name, str(tmp_path / str(rounds // NEW_FILE_EVERY)), rounds)
        end = dying.run(replace(order, seconds=random.uniform(0, takes[not first])))
        assert end.how in {"killed", "complete"}
        killed += end.how == "killed"
        account = account_after(rounds, order.toys)
        async with process(kind, Path(order.directory)) as cache:
            await proves_sound(cache, account, NOTHING if first else before)
            await mends(cache, account)
            before = await held(cache)
        rounds += 1


@of_files
@pytest.mark.parametrize(
    "stride", [pytest.param(61, id="some"), pytest.param(NIGHTS, id="tonight", marks=pytest.mark.soak)]
)
@pytest.mark.parametrize("rounds", [0, 1], ids=["first sync", "delta"])
async def test_a_process_that_dies_at_any_statement_leaves_a_whole_file_and_loses_nothing(
    kind: Kind, tmp_path: Path, dying: Nursery, stride: int, rounds: int
) -> None:
    order = Order(kind.name, str(tmp_path / "tried"), rounds, toys=PAGE_SIZE + 1)
    directory = Path(order.directory)
    before = await filled(kind, tmp_path / "sound", account_after(0, order.toys)) if rounds else NOTHING
    statement, how = 1 + first_step(stride) - stride, "killed"
    while how == "killed":
        statement += stride
        shutil.rmtree(directory, ignore_errors=True)
        if rounds:
            shutil.copytree(tmp_path / "sound", directory)
        how = dying.run(replace(order, statement=statement)).how
        account = account_after(rounds, order.toys)
        async with process(kind, directory) as cache:
            await proves_sound(cache, account, before)
            await mends(cache, account)
    assert how == "complete"
    assert statement > 100


@of_files
@pytest.mark.parametrize(("pages", "every"), [(6, 2), pytest.param(20, 5, marks=pytest.mark.soak)])
async def test_a_first_sync_that_is_killed_again_and_again_asks_for_no_page_twice_but_the_lost_one(
    kind: Kind, tmp_path: Path, dying: Nursery, pages: int, every: int
) -> None:
    journal = tmp_path / "requests"
    order = Order(kind.name, str(tmp_path / "cache"), toys=pages * PAGE_SIZE, journal=str(journal))
    kills = 0
    while dying.run(replace(order, wait=kills * PAUSE, request=every + 1)).how == "killed":
        kills += 1
        assert kills < pages // every
    account = account_after(0, order.toys)
    account.clock.advance(kills * PAUSE)
    asked = len(journal.read_bytes())
    async with process(kind, Path(order.directory)) as cache:
        await proves_sound(cache, account, NOTHING)
        assert len(await cached(cache)) == pages * PAGE_SIZE
    assert kills == pages // every - 1
    assert asked <= pages + kills


@pytest.mark.soak
@of_files
@pytest.mark.parametrize("work", WORKS)
async def test_work_on_a_whole_cache_that_is_killed_loses_nothing_and_ends_when_it_is_done_again(
    kind: Kind, tmp_path: Path, dying: Nursery, work: str
) -> None:
    sound, directory = tmp_path / "sound", tmp_path / "tried"
    bulk, order = WORKS[work](kind.name, directory), Order(kind.name, str(directory), work=work)
    await WORKS[work](kind.name, sound).prepare()

    async def ends(order: Order) -> End:
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(sound, directory)
        end = dying.run(order)
        assert end.how in {"killed", "complete"}
        await bulk.proves_sound()
        await bulk.mends()
        await bulk.verifies()
        return end

    statement, killed = 1, 0
    while (await ends(replace(order, statement=statement))).how == "killed":
        statement, killed = statement + STRIDES[work], killed + 1
    assert killed > 15
    random, takes = Random(work), (await ends(order)).seconds
    for _ in range(AT_ANY_MOMENT):
        await ends(replace(order, seconds=random.uniform(0, takes)))
