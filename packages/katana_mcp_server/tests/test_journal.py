"""A plan applies at most once: who may claim it, in which order it is sent, and what everybody else is answered."""

import asyncio
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from journal_plans import OUTCOME, claimed, hasty, plan_of

from cache_core.records import InvalidRecord, encode
from cache_core.testing import ManualClock
from katana_mcp.journal.entries import (
    GONE_AFTER,
    LIFE,
    ActionState,
    Broken,
    Claimed,
    Expired,
    Finished,
    Running,
    Unknown,
    digest_of,
    new_token,
)
from katana_mcp.journal.errors import ClaimLost, WrongOrder
from katana_mcp.journal.file import JournalFile
from katana_mcp.journal.journal import Journal
from katana_mcp.journal.pace import MINUTE, WriteRequested

pytestmark = pytest.mark.threads

GONE = GONE_AFTER.total_seconds()
APPLIED = ActionState("applied", {"id": 7})


@pytest.fixture
def moving() -> ManualClock:
    return ManualClock()


@pytest.fixture
def file(tmp_path: Path, moving: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Generator[JournalFile]:
    hasty(monkeypatch)
    with closing(JournalFile(tmp_path / "kept" / "journal-x.sqlite", moving)) as file:
        yield file


@pytest.fixture
def token(file: JournalFile, moving: ManualClock) -> str:
    """Return the token of a plan of two actions."""
    token = new_token()
    file.add(plan_of(token, moving))
    return token


def states(file: JournalFile, token: str) -> list[str]:
    """Return how far each action of a plan is."""
    entry = file.find(token)
    assert entry is not None
    return [action.state for action in entry.actions]


def test_a_plan_is_kept_word_for_word(file: JournalFile, moving: ManualClock) -> None:
    actions = (
        {"method": "POST", "path": "/a", "body": {"z": Decimal("1.10"), "a": None, "ü": "“"}, "refs": [[0, "id"]]},
        {"method": "DELETE", "path": "/a/1", "body": None},
    )
    plan = replace(plan_of("token", moving), actions=actions, shown={"total": Decimal("2.50")})
    number = file.add(plan)
    entry = file.entry(number)
    assert entry is not None
    assert entry.plan == plan
    assert encode(entry.plan.actions[0]) == encode(actions[0])
    assert str(entry.plan.shown["total"]) == "2.50"
    assert (entry.state, {action.state for action in entry.actions}, file.find("token")) == (
        "planned",
        {"planned"},
        entry,
    )
    assert (file.entry(number + 1), file.find("other")) == (None, None)


@pytest.mark.parametrize("life", [timedelta(0), timedelta(seconds=-1), LIFE + timedelta(milliseconds=1)])
def test_a_plan_lives_up_to_ten_minutes(moving: ManualClock, life: timedelta) -> None:
    with pytest.raises(ValueError, match="600 seconds"):
        replace(plan_of("token", moving), expires_at=moving.now() + life)


def test_a_plan_without_actions_or_with_what_is_no_json_is_refused(file: JournalFile, moving: ManualClock) -> None:
    plan = plan_of("token", moving)
    with pytest.raises(ValueError, match="needs an action"):
        replace(plan, actions=())
    with pytest.raises(InvalidRecord):
        file.add(replace(plan, actions=({"body": {"price": Decimal("NaN")}},)))
    with pytest.raises(InvalidRecord):
        file.add(replace(plan, shown={"file": object()}))
    assert file.entries(10) == ()


def test_a_token_is_given_out_once_and_never_kept(file: JournalFile, token: str, moving: ManualClock) -> None:
    with pytest.raises(WrongOrder):
        file.add(plan_of(token, moving))
    claimed(file, token)
    kept = b"".join(path.read_bytes() for path in file.path.parent.iterdir())
    assert token.encode() not in kept
    assert digest_of(token).encode() in kept
    assert len({new_token() for _ in range(50)}) == 50


def test_a_plan_that_is_applied_answers_each_claim_with_its_outcome(file: JournalFile, token: str) -> None:
    run = claimed(file, token)
    for place in (0, 1):
        file.sending(run, place)
        file.done(run, place, APPLIED)
    file.finish(run, OUTCOME)
    assert [file.claim(token, "two"), file.claim(token, "one")] == [Finished(OUTCOME)] * 2
    assert states(file, token) == ["applied", "applied"]


def test_a_claimed_plan_makes_others_wait(file: JournalFile, token: str, moving: ManualClock) -> None:
    began = moving.now()
    run = claimed(file, token)
    for _ in range(5):
        moving.advance(GONE - 1)
        assert file.claim(token, "two") == Running(began, "one")
        file.heartbeat(run)
    file.sending(run, 0)
    moving.advance(GONE - 1)
    assert file.claim(token, "one") == Running(began, "one")


def test_a_claim_of_which_nothing_was_sent_goes_to_the_next_and_is_lost_to_the_first(
    file: JournalFile, token: str, moving: ManualClock
) -> None:
    lost = claimed(file, token)
    moving.advance(GONE)
    run = claimed(file, token, "two")
    works: list[Callable[[], object]] = [
        lambda: file.heartbeat(lost),
        lambda: file.sending(lost, 0),
        lambda: file.done(lost, 0, APPLIED),
        lambda: file.finish(lost, OUTCOME),
    ]
    for work in works:
        with pytest.raises(ClaimLost):
            work()
    file.sending(run, 0)
    assert states(file, token) == ["sending", "planned"]


def test_what_was_being_sent_is_never_sent_again(file: JournalFile, token: str, moving: ManualClock) -> None:
    claimed_once = claimed(file, token)
    file.sending(claimed_once, 0)
    for owner in ("two", "three"):
        moving.advance(GONE)
        answer = file.claim(token, owner)
        assert isinstance(answer, Broken)
        assert (answer.sending, [action.state for action in answer.actions]) == (0, ["sending", "planned"])
        assert isinstance(file.claim(token, "four"), Running)
        for place in (0, 1):
            with pytest.raises(WrongOrder):
                file.sending(answer.run, place)
    with pytest.raises(ClaimLost):
        file.done(claimed_once, 0, APPLIED)
    file.done(answer.run, 0, ActionState("unknown", error="no answer", look_up={"order_no": "PO-1", "found": 0}))
    with pytest.raises(WrongOrder):
        file.sending(answer.run, 1)
    file.finish(answer.run, OUTCOME)
    entry = file.find(token)
    assert entry is not None
    assert [(action.state, action.error, action.look_up) for action in entry.actions] == [
        ("unknown", "no answer", {"order_no": "PO-1", "found": 0}),
        ("not_tried", None, None),
    ]


def test_an_owner_that_is_gone_between_two_actions_leaves_nothing_to_look_up_and_the_rest_untried(
    file: JournalFile, token: str, moving: ManualClock
) -> None:
    run = claimed(file, token)
    file.sending(run, 0)
    file.done(run, 0, APPLIED)
    moving.advance(GONE)
    answer = file.claim(token, "two")
    assert isinstance(answer, Broken)
    assert (answer.sending, answer.actions[0].result) == (None, {"id": 7})
    with pytest.raises(WrongOrder):
        file.sending(answer.run, 1)
    file.finish(answer.run, OUTCOME)
    assert states(file, token) == ["applied", "not_tried"]


def test_an_owner_from_before_the_clock_was_set_back_is_gone(
    file: JournalFile, token: str, moving: ManualClock
) -> None:
    moving.advance(100)
    claimed(file, token)
    moving.jump(1 - GONE)
    assert isinstance(file.claim(token, "two"), Running)
    moving.jump(-1)
    assert isinstance(file.claim(token, "two"), Claimed)


def test_a_plan_expires_for_good(file: JournalFile, token: str, moving: ManualClock) -> None:
    entry = file.find(token)
    assert entry is not None
    moving.advance(LIFE.total_seconds() - 0.001)
    assert entry.stands(moving.now()) == "planned"
    moving.advance(0.001)
    assert entry.stands(moving.now()) == "expired"
    assert file.claim(token, "one") == Expired()
    moving.jump(-60)
    assert file.claim(token, "one") == Expired()
    assert states(file, token) == ["planned", "planned"]


def test_a_clock_set_back_gives_a_plan_no_second_life(file: JournalFile, token: str, moving: ManualClock) -> None:
    moving.jump(-GONE)
    assert file.claim(token, "one") == Expired()


def test_a_plan_whose_owner_died_before_sending_expires_like_any_other(
    file: JournalFile, token: str, moving: ManualClock
) -> None:
    claimed(file, token)
    moving.advance(LIFE.total_seconds())
    assert file.claim(token, "two") == Expired()
    moving.jump(-LIFE.total_seconds())
    assert file.claim(token, "two") == Expired()


def test_a_plan_that_was_begun_never_expires(file: JournalFile, token: str, moving: ManualClock) -> None:
    file.sending(claimed(file, token), 0)
    moving.advance(LIFE.total_seconds())
    assert isinstance(file.claim(token, "two"), Broken)


def test_a_token_of_nobody_is_unknown(file: JournalFile, token: str) -> None:
    assert [file.claim(guess, "one") for guess in ("", token[:-1], f"{token} ", "\ud800")] == [Unknown()] * 4


def test_actions_are_sent_in_order_and_each_ends_once(file: JournalFile, token: str) -> None:
    run = claimed(file, token)
    for place in (1, -1, 2):
        with pytest.raises(WrongOrder):
            file.sending(run, place)
    with pytest.raises(WrongOrder):
        file.done(run, 0, APPLIED)
    file.sending(run, 0)
    for work in (lambda: file.sending(run, 0), lambda: file.sending(run, 1), lambda: file.finish(run, OUTCOME)):
        with pytest.raises(WrongOrder):
            work()
    for state in ("planned", "sending", "not_tried"):
        with pytest.raises(WrongOrder):
            file.done(run, 0, ActionState(state))
    file.done(run, 0, ActionState("failed", error="422"))
    with pytest.raises(WrongOrder):
        file.done(run, 0, APPLIED)
    file.finish(run, OUTCOME)
    with pytest.raises(ClaimLost):
        file.sending(run, 1)
    assert states(file, token) == ["failed", "not_tried"]


def test_entries_come_newest_first_page_by_page(file: JournalFile, moving: ManualClock) -> None:
    made = [file.add(plan_of(new_token(), moving)) for _ in range(5)]
    assert [entry.id for entry in file.entries(2)] == made[:2:-1]
    assert [entry.id for entry in file.entries(2, before=made[3])] == made[2:0:-1]
    assert (file.entries(2, before=made[0]), len(file.entries(9))) == ((), 5)


async def test_the_front_gives_what_the_file_gives(file: JournalFile, moving: ManualClock) -> None:
    journal, token = Journal(file), new_token()
    number = await journal.add(plan_of(token, moving))
    answer = await journal.claim(token, "one")
    assert isinstance(answer, Claimed)
    await journal.heartbeat(answer.run)
    await journal.sending(answer.run, 0)
    await journal.done(answer.run, 0, APPLIED)
    await journal.finish(answer.run, OUTCOME)
    assert await journal.room_at(WriteRequested("ann", 1, 1, ())) == moving.now() + MINUTE
    assert await journal.entry(number) == await journal.find(token) == (await journal.entries(1))[0]
    with pytest.raises(ClaimLost):
        await journal.heartbeat(answer.run)
    await journal.close()


async def test_work_that_was_handed_over_is_done_though_its_caller_is_gone_before_the_next_step(
    file: JournalFile,
) -> None:
    journal, done = Journal(file), list[str]()

    async def work() -> None:
        await asyncio.sleep(0)
        done.append("done")

    journal.through(work()).cancel()
    await journal.settled()
    assert done == ["done"]


async def test_a_cancelled_caller_learns_of_it_when_the_transaction_has_ended(file: JournalFile, token: str) -> None:
    run = claimed(file, token)
    with closing(sqlite3.connect(file.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        working = asyncio.create_task(Journal(file).sending(run, 0))
        for _ in range(20):
            await asyncio.sleep(0)
            working.cancel()
            assert not working.done()
        other.execute("COMMIT")
        with pytest.raises(asyncio.CancelledError):
            await working
    assert states(file, token) == ["sending", "planned"]
