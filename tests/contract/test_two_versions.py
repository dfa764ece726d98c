"""Processes of two schema versions on one directory: the newer lists nothing anew, and neither disturbs the other."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from cache_core.sync.source import PAGE_SIZE
from cache_typed.backend import TypedBackend

from .accounts import synced
from .backends import KINDS
from .dying import Nursery, Order, account_after, of_the_next_version
from .proofs import filled, mends, process, proves_sound

TYPED = next(kind for kind in KINDS if kind.name == TypedBackend.name)


@pytest.mark.soak
async def test_a_process_of_the_next_version_and_one_of_this_follow_the_account_side_by_side(
    tmp_path: Path, dying: Nursery
) -> None:
    journal = tmp_path / "requests"
    order = Order(TYPED.name, str(tmp_path / "cache"), newer=True, journal=str(journal))
    directory, later = Path(order.directory), account_after(3, order.toys)
    before = await filled(TYPED, directory, account_after(0, order.toys))
    async with process(TYPED, directory) as older:
        # The first delta looks far back, and so lists all that was made in the same hour.
        await synced(account_after(1, order.toys).syncer(older))
        for rounds in (2, 3):
            account = account_after(rounds, order.toys)
            newer = asyncio.to_thread(dying.run, replace(order, rounds=rounds))
            end, _ = await asyncio.gather(newer, synced(account.syncer(older)))
            assert end.how == "complete"
            await proves_sound(older, account, before)
        await mends(older, later)
    with pytest.MonkeyPatch.context() as patch:
        of_the_next_version(patch)
        async with process(TYPED, directory) as newest:
            await proves_sound(newest, later, before)
            await mends(newest, later)
    assert order.toys > 2 * PAGE_SIZE
    assert len(journal.read_bytes()) == 2
