"""The journal as the event loop uses it: each call does in the file what it says, and what was begun is waited for."""

import asyncio
import gc
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from journal_plans import OUTCOME, hasty, plan_of

from cache_core.testing import ManualClock
from katana_mcp.journal.entries import (
    GONE_AFTER,
    ActionState,
    Broken,
    Claimed,
    Entry,
    Finished,
    Full,
    Resumed,
    Run,
)
from katana_mcp.journal.errors import ClaimLost, LaneLost
from katana_mcp.journal.file import JournalFile
from katana_mcp.journal.journal import Journal
from katana_mcp.journal.pace import MINUTE, WriteRequested

GONE = GONE_AFTER.total_seconds()
APPLIED, UNKNOWN = ActionState("applied", {"id": 7}), ActionState("unknown")


@pytest.fixture
def moving() -> ManualClock:
    return ManualClock()


@pytest.fixture
def file(tmp_path: Path, moving: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Generator[JournalFile]:
    hasty(monkeypatch)
    with closing(JournalFile(tmp_path / "journal.sqlite", moving)) as file:
        yield file


def entry(file: JournalFile, token: str = "token") -> Entry:
    """Return the entry of a token."""
    found = file.find(token)
    assert found is not None
    return found


async def claimed(journal: Journal, token: str = "token", actions: int = 2) -> Run:
    """Keep a plan and claim it."""
    await journal.add(plan_of(token, ManualClock(), actions))
    claim = await journal.claim(token, "one")
    assert isinstance(claim, Claimed)
    return claim.run


async def test_a_plan_is_followed_from_its_claim_to_its_amended_end(file: JournalFile, moving: ManualClock) -> None:
    journal = Journal(file)
    run = await claimed(journal)
    moving.advance(1)
    await journal.heartbeat(run)
    assert entry(file).beat_at == moving.now()
    await journal.sending(run, 0)
    await journal.done(run, 0, UNKNOWN)
    assert [found.state for found in entry(file).actions] == ["unknown", "planned"]
    await journal.finish(run, OUTCOME)
    assert await journal.unsure() == (entry(file),)
    await journal.amend(1, {0: APPLIED}, {"message": "amended"})
    assert await journal.claim("token", "two") == Finished({"message": "amended"})
    claim = await journal.claim("token", "two", resumes=True)
    assert isinstance(claim, Resumed)
    plan = replace(plan_of("token", moving, 3), summary="anew")
    await journal.replan(claim.run, 1, plan)
    assert (entry(file).plan.summary, len(entry(file).actions)) == ("anew", 3)
    assert await journal.made_by_others(9, "/purchase_orders") == {7}


async def test_what_is_asked_of_a_claim_goes_with_it(file: JournalFile, moving: ManualClock) -> None:
    journal = Journal(file)
    await journal.add(plan_of("token", moving))
    changed = replace(plan_of("token", moving), summary="renumbered")
    claim = await journal.claim("token", "one", 2, changed)
    assert isinstance(claim, Claimed)
    assert (entry(file).plan, entry(file).owner) == (changed, "one")
    await journal.add(plan_of("other", moving))
    assert await journal.room_at(WriteRequested("ann", 1, 2, ())) == moving.now() + MINUTE
    assert await journal.claim("other", "one", 2) == Full(moving.now() + MINUTE)


async def test_what_a_person_said_and_why_a_plan_was_refused_is_kept(file: JournalFile, moving: ManualClock) -> None:
    journal = Journal(file)
    await journal.add(plan_of("token", moving))
    await journal.answered([1], "accepted")
    await journal.refused(1, "it no longer fits")
    assert (entry(file).answer, entry(file).refused) == ("accepted", "it no longer fits")
    assert (await journal.find("token"), await journal.entry(1)) == (entry(file), entry(file))
    await journal.add(replace(plan_of("other", moving), tenant="other"))
    assert [found.id for found in await journal.entries(9)] == [2, 1]
    assert [found.id for found in await journal.entries(9, 2)] == [1]
    assert [found.id for found in await journal.entries(9, tenant="other")] == [2]


async def test_what_an_owner_who_is_gone_had_begun_is_taken_over(file: JournalFile, moving: ManualClock) -> None:
    journal = Journal(file)
    run = await claimed(journal)
    await journal.sending(run, 0)
    moving.advance(GONE)
    claim = await journal.take_over(1, "two")
    assert isinstance(claim, Broken)
    assert (claim.sending, entry(file).owner) == (0, "two")
    with pytest.raises(ClaimLost):
        await journal.heartbeat(run)


async def test_lanes_are_taken_renewed_kept_and_left(file: JournalFile, moving: ManualClock) -> None:
    journal = Journal(file)
    run = await claimed(journal)
    assert await journal.take_lanes(["order 1", "numbers"], "one", 1) is None
    await journal.sending(run, 0, "order 1")
    assert await journal.take_lanes(["numbers"], "two") == "numbers"
    moving.advance(GONE - 1)
    await journal.renew_lanes(["order 1", "numbers"], "one")
    moving.advance(1)
    assert await journal.take_lanes(["numbers"], "two") == "numbers"
    assert await journal.numbers_in_doubt("none", "order_no") == frozenset()
    await journal.leave_lanes("one")
    assert await journal.take_lanes(["numbers"], "two") is None
    assert (await journal.lanes_kept_by(["order 1"], 2), await journal.take_lanes(["order 1"], "two", 2)) == (
        1,
        "order 1",
    )
    with pytest.raises(LaneLost):
        await journal.renew_lanes(["order 1"], "one")


async def test_numbers_that_may_be_taken_are_in_doubt(file: JournalFile, moving: ManualClock) -> None:
    journal = Journal(file)
    plan = plan_of("token", moving)
    await journal.add(replace(plan, actions=tuple({**sent, "entity": "purchase_order"} for sent in plan.actions)))
    claim = await journal.claim("token", "one")
    assert isinstance(claim, Claimed)
    await journal.sending(claim.run, 0)
    assert await journal.numbers_in_doubt("purchase_order", "order_no") == {"PO-1"}


async def test_a_journal_is_closed_once_all_that_was_begun_has_ended(file: JournalFile) -> None:
    journal, told = Journal(file), list[str]()
    await claimed(journal)

    async def work() -> str:
        for _ in range(20):
            await asyncio.sleep(0)
        told.append("ended")
        return "result"

    first, second = journal.through(work()), journal.through(work())
    second.cancel()
    await journal.close()
    assert (told, await first) == (["ended", "ended"], "result")
    assert [path.name for path in file.path.parent.iterdir()] == [file.path.name], "it was closed"
    assert entry(file).state == "claimed"
    await asyncio.wait_for(journal.settled(), 5)


async def test_work_that_fails_after_its_caller_is_gone_is_reported_nowhere(file: JournalFile) -> None:
    journal, troubles = Journal(file), list[object]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(context))

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ValueError("nobody is there")

    journal.through(fail()).cancel()
    await journal.settled()
    await asyncio.sleep(0)
    gc.collect()  # asyncio reports a failure that nobody looked at once its task is gone
    failing = journal.through(fail())
    with pytest.raises(ValueError, match="nobody is there"):
        await failing
    del failing
    assert troubles == []
