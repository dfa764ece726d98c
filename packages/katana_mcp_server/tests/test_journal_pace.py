"""How many writes a caller may send in a minute: what counts, from when there is room, and that a claim takes it."""

import asyncio
from collections.abc import Generator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from journal_plans import OUTCOME, claimed, hasty, plan_of

from cache_core.testing import ManualClock
from katana_mcp.journal.entries import (
    GONE_AFTER,
    ActionState,
    Claimed,
    Expired,
    Finished,
    Full,
    Running,
    Settled,
    new_token,
)
from katana_mcp.journal.file import JournalFile
from katana_mcp.journal.journal import Journal
from katana_mcp.journal.pace import MINUTE, WriteRequested

MOST = 4
FULL: tuple[Settled, ...] = ("applied",) * MOST


@pytest.fixture
def moving() -> ManualClock:
    return ManualClock()


@pytest.fixture
def file(tmp_path: Path, moving: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Generator[JournalFile]:
    hasty(monkeypatch)
    with closing(JournalFile(tmp_path / "kept" / "journal-x.sqlite", moving)) as file:
        yield file


@pytest.fixture
def planned(file: JournalFile, moving: ManualClock) -> str:
    """Return the token of a plan of two actions that waits."""
    return _added(file, moving)


def _added(file: JournalFile, clock: ManualClock, actions: int = 2, principal: str = "ann") -> str:
    token = new_token()
    file.add(plan_of(token, clock, actions, principal))
    return token


def _ended(file: JournalFile, clock: ManualClock, *ends: Settled, principal: str = "ann") -> None:
    """Apply a plan whose actions end like this, a second each."""
    token = _added(file, clock, len(ends), principal)
    run = claimed(file, token)
    for place, end in enumerate(ends):
        file.sending(run, place)
        clock.advance(1)
        file.done(run, place, ActionState(end))
    file.finish(run, OUTCOME)


def test_what_was_or_may_have_been_written_takes_room_for_a_minute_and_what_was_refused_does_not(
    file: JournalFile, moving: ManualClock, planned: str
) -> None:
    _ended(file, moving, "applied", "failed", "unknown", "failed")
    assert file.room_at(WriteRequested("ann", 2, MOST, ())) is None
    _ended(file, moving, "applied")
    ended = moving.now()
    assert file.claim(planned, "one", MOST) == Full(ended + timedelta(seconds=56))
    moving.advance(56 - 0.001)
    assert isinstance(file.claim(planned, "one", MOST), Full)
    moving.advance(0.001)
    assert isinstance(file.claim(planned, "one", MOST), Claimed)


def test_another_caller_and_a_claim_without_a_limit_have_room(
    file: JournalFile, moving: ManualClock, planned: str
) -> None:
    _ended(file, moving, *FULL)
    theirs = _added(file, moving, principal="bob")
    assert isinstance(file.claim(planned, "one", MOST), Full)
    assert isinstance(file.claim(theirs, "one", MOST), Claimed)
    assert isinstance(file.claim(planned, "one"), Claimed)


def test_a_plan_that_is_being_applied_takes_its_room_from_the_claim_on_until_its_owner_is_gone(
    file: JournalFile, moving: ManualClock, planned: str
) -> None:
    run = claimed(file, _added(file, moving, 3))
    file.sending(run, 0)
    began = moving.now()
    assert file.claim(planned, "two", MOST) == Full(began + MINUTE)
    moving.advance(GONE_AFTER.total_seconds() - 1)
    assert isinstance(file.claim(planned, "two", MOST), Full)
    moving.advance(1)
    assert isinstance(file.claim(planned, "two", MOST), Claimed)


def test_a_plan_does_not_stand_in_its_own_way(file: JournalFile, moving: ManualClock) -> None:
    token = _added(file, moving, MOST)
    number = file.entries(1)[0].id
    claimed(file, token)
    assert isinstance(file.claim(token, "two", MOST), Running)
    assert file.room_at(WriteRequested("ann", MOST, MOST, (number,))) is None
    moving.advance(GONE_AFTER.total_seconds())
    assert isinstance(file.claim(token, "two", MOST), Claimed)


def test_without_room_what_has_ended_is_still_told(file: JournalFile, moving: ManualClock, planned: str) -> None:
    ended = _added(file, moving, MOST)
    run = claimed(file, ended)
    for place in range(MOST):
        file.sending(run, place)
        file.done(run, place, ActionState("applied"))
    file.finish(run, OUTCOME)
    assert file.claim(ended, "two", MOST) == Finished(OUTCOME)
    assert isinstance(file.claim(planned, "two", MOST), Full)
    moving.advance(600)
    assert file.claim(planned, "two", MOST) == Expired()


def test_a_clock_that_was_set_back_makes_nobody_wait_for_hours(
    file: JournalFile, moving: ManualClock, planned: str
) -> None:
    moving.jump(20)
    _ended(file, moving, *FULL)
    moving.jump(-20)
    assert isinstance(file.claim(planned, "one", MOST), Full)
    moving.jump(3_600)
    _ended(file, moving, *FULL)
    moving.jump(-3_600)
    moving.advance(90)
    assert isinstance(file.claim(planned, "one", MOST), Claimed)


def test_more_writes_than_the_most_wait_for_a_minute_without_any(
    file: JournalFile, moving: ManualClock, planned: str
) -> None:
    assert isinstance(file.claim(planned, "one", 1), Claimed)
    assert file.room_at(WriteRequested("ann", 2, 1, ())) == moving.now() + MINUTE


async def test_of_twenty_plans_claimed_at_once_no_more_than_the_limit_get_through(
    tmp_path: Path, file: JournalFile, moving: ManualClock
) -> None:
    tokens = [_added(file, moving, 1) for _ in range(20)]
    with closing(JournalFile(file.path, moving)) as second:
        journals = [Journal(file), Journal(second)]
        asked = [journals[nr % 2].claim(token, str(nr), 7) for nr, token in enumerate(tokens)]
        answers = await asyncio.gather(*asked)
    assert sorted(type(answer).__name__ for answer in answers) == ["Claimed"] * 7 + ["Full"] * 13
