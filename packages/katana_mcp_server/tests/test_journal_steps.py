"""What the journal takes and refuses at each step of a plan, and what it holds of it then."""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from journal_plans import OUTCOME, claimed, hasty, plan_of

from cache_core.testing import ManualClock
from katana_mcp.journal.entries import (
    GONE_AFTER,
    LIFE,
    ActionState,
    Answered,
    Broken,
    Claimed,
    Declined,
    Entry,
    Expired,
    Finished,
    Full,
    JsonObject,
    Progress,
    Resumed,
    Run,
    Running,
    Unknown,
)
from katana_mcp.journal.errors import ClaimLost, JournalUnusable, WrongOrder
from katana_mcp.journal.file import JournalFile
from katana_mcp.journal.pace import MINUTE, WriteRequested

GONE = GONE_AFTER.total_seconds()
APPLIED = ActionState("applied", {"id": 7})
FAILED = ActionState("failed", error="422")
UNKNOWN = ActionState("unknown", None, "no answer", {"found": 0})


@pytest.fixture
def moving() -> ManualClock:
    return ManualClock()


@pytest.fixture
def file(tmp_path: Path, moving: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Generator[JournalFile]:
    hasty(monkeypatch)
    with closing(JournalFile(tmp_path / "journal.sqlite", moving)) as file:
        yield file


def entry(file: JournalFile, token: str) -> Entry:
    """Return the entry of a token."""
    found = file.find(token)
    assert found is not None
    return found


def begun(file: JournalFile, token: str, *ends: ActionState | None, actions: int = 2) -> Run:
    """Keep and claim a plan of which the first actions ended like this; None is being sent."""
    file.add(plan_of(token, file.clock, actions))
    run = claimed(file, token)
    for place, end in enumerate(ends):
        file.sending(run, place)
        if end is not None:
            file.done(run, place, end)
    return run


def finished(file: JournalFile, token: str, *ends: ActionState, actions: int = 2) -> Run:
    """Keep a plan that has ended like this."""
    run = begun(file, token, *ends, actions=actions)
    file.finish(run, OUTCOME)
    return run


def states(file: JournalFile, token: str) -> list[Progress]:
    """Return how far each action is."""
    return [action.state for action in entry(file, token).actions]


def test_an_action_is_kept_with_what_it_ended_with_and_when(file: JournalFile, moving: ManualClock) -> None:
    run = begun(file, "token", None)
    assert entry(file, "token").actions[0] == ActionState("sending", at=moving.now())
    moving.advance(1)
    file.done(run, 0, UNKNOWN)
    moving.advance(1)
    file.sending(run, 1)
    file.done(run, 1, APPLIED)
    now = moving.now()
    moving.advance(1)
    file.finish(run, OUTCOME)
    found = entry(file, "token")
    at = [replace(UNKNOWN, at=ManualClock().now().replace(second=1)), replace(APPLIED, at=now)]
    assert (found.actions, found.state, found.outcome, found.finished_at) == (
        tuple(at),
        "finished",
        OUTCOME,
        moving.now(),
    )
    assert (found.owner, found.claimed_at, found.beat_at) == ("one", ManualClock().now(), moving.now())


NOT_NOW = "action {} of entry 1 is not to be sent now"


@pytest.mark.parametrize(
    ("ends", "place", "may"),
    [
        ((), 0, True),
        ((), 1, False),
        ((), -1, False),
        ((None,), 0, False),
        ((None,), 1, False),
        ((APPLIED,), 1, True),
        ((FAILED,), 1, True),
        ((UNKNOWN,), 1, True),
        ((APPLIED,), 0, False),
        ((APPLIED, APPLIED), 2, False),
    ],
)
def test_only_the_next_action_may_be_sent(
    file: JournalFile, ends: tuple[ActionState | None, ...], place: int, may: bool
) -> None:
    run = begun(file, "token", *ends)
    if may:
        file.sending(run, place)
        assert states(file, "token")[place] == "sending"
        return
    with pytest.raises(WrongOrder) as raised:
        file.sending(run, place)
    assert str(raised.value) == NOT_NOW.format(place)


@pytest.mark.parametrize(
    ("place", "end"), [(1, APPLIED), (-1, APPLIED), (2, APPLIED), (0, ActionState("not_tried")), (0, ActionState())]
)
def test_only_what_is_being_sent_ends_and_only_as_something_ends(
    file: JournalFile, place: int, end: ActionState
) -> None:
    run = begun(file, "token", None)
    with pytest.raises(WrongOrder) as raised:
        file.done(run, place, end)
    assert str(raised.value) == f"action {place} of entry 1 cannot be {end.state} now"
    assert states(file, "token") == ["sending", "planned"]


def test_a_plan_cannot_be_finished_while_an_action_is_being_sent(file: JournalFile) -> None:
    run = begun(file, "token", None)
    with pytest.raises(WrongOrder, match=r"^entry 1 cannot be finished while an action is being sent$"):
        file.finish(run, OUTCOME)


@pytest.mark.parametrize(
    ("ends", "start", "may"),
    [
        ((), 0, True),
        ((), 1, False),
        ((APPLIED,), 1, True),
        ((APPLIED,), 0, True),
        ((FAILED,), 1, False),
        ((FAILED,), 0, True),
        ((None,), 0, False),
        ((APPLIED, None), 1, False),
        ((APPLIED, APPLIED), 2, True),
        ((APPLIED, APPLIED), 3, False),
    ],
)
def test_what_is_left_is_planned_anew_after_what_was_applied(
    file: JournalFile, ends: tuple[ActionState | None, ...], start: int, may: bool
) -> None:
    run = begun(file, "token", *ends)
    plan = replace(plan_of("token", file.clock, 3), summary="other orders")
    if not may:
        with pytest.raises(WrongOrder, match=f"^entry 1 cannot be planned anew from action {start}$"):
            file.replan(run, start, plan)
        return
    before = entry(file, "token").actions
    file.replan(run, start, plan)
    found = entry(file, "token")
    assert (found.plan.summary, found.plan.actions) == ("other orders", plan.actions)
    assert found.actions == (*before[:start], *[ActionState()] * (3 - start))


@pytest.mark.parametrize(
    ("end", "may"), [(APPLIED, True), (FAILED, True), (ActionState("unknown"), True), (None, False)]
)
def test_what_was_found_applied_by_a_look_counts_where_it_was_sent_before(
    file: JournalFile, end: ActionState | None, *, may: bool
) -> None:
    run = begun(file, "token", end)
    plan, found = plan_of("token", file.clock, 2), ActionState("applied", look_up={"found": "there"})
    if not may:
        with pytest.raises(WrongOrder):
            file.replan(run, 1, plan, found)
        return
    file.replan(run, 1, plan, found)
    first, second = entry(file, "token").actions
    assert (first.state, first.error, first.look_up) == ("applied", None, {"found": "there"})
    assert second == ActionState()


def test_a_plan_that_was_taken_over_is_only_brought_to_its_end(file: JournalFile, moving: ManualClock) -> None:
    lost = begun(file, "token", APPLIED, actions=3)
    moving.advance(GONE)
    claim = file.claim("token", "two")
    assert isinstance(claim, Broken)
    assert claim == Broken(Run(1, 2, lost.digest), entry(file, "token").plan, entry(file, "token").actions)
    with pytest.raises(WrongOrder):
        file.sending(claim.run, 1)
    with pytest.raises(ClaimLost, match=r"^the claim of entry 1 is over$"):
        file.heartbeat(lost)
    file.finish(claim.run, OUTCOME)
    assert (states(file, "token"), entry(file, "token").owner) == (["applied", "not_tried", "not_tried"], "two")


def test_a_claim_that_is_of_no_plan_here_makes_the_journal_unusable(file: JournalFile) -> None:
    begun(file, "token")
    with pytest.raises(JournalUnusable, match="no longer holds entry 1: it was moved or emptied"):
        file.heartbeat(Run(1, 1, "another digest"))


@pytest.mark.parametrize(
    ("ends", "resumes", "kind"),
    [
        ((APPLIED, FAILED), True, Resumed),
        ((APPLIED, FAILED), False, Finished),
        ((APPLIED, APPLIED), True, Finished),
        ((APPLIED,), True, Resumed),
    ],
)
def test_what_stopped_halfway_is_resumed_where_that_is_asked_for(
    file: JournalFile, moving: ManualClock, ends: tuple[ActionState, ...], resumes: bool, kind: type
) -> None:
    finished(file, "token", *ends)
    before = entry(file, "token")
    file.amend(1, {}, {"message": "amended"})
    claim = file.claim("token", "two", resumes=resumes)
    assert type(claim) is kind
    if not isinstance(claim, Resumed):
        assert claim == Finished({"message": "amended"})
        return
    assert claim == Resumed(Run(1, 2, before.plan.digest), before.plan, before.actions)
    found = entry(file, "token")
    assert (found.state, found.outcome, found.finished_at, found.amended, found.amended_at) == (
        "claimed",
        None,
        None,
        None,
        None,
    )
    assert states(file, "token") == ["planned" if state == "not_tried" else state for state in states_of(before)]
    assert (found.owner, found.claimed_at, found.beat_at) == ("two", moving.now(), moving.now())


def states_of(found: Entry) -> list[Progress]:
    """Return how far each action of an entry is."""
    return [action.state for action in found.actions]


@pytest.mark.parametrize(("most", "is_full"), [(2, True), (3, False), (None, False)])
def test_only_what_is_left_of_a_plan_needs_room(file: JournalFile, most: int | None, is_full: bool) -> None:
    finished(file, "other", APPLIED, actions=1)
    finished(file, "token", APPLIED, FAILED, actions=3)
    claim = file.claim("token", "two", most, resumes=True)
    assert claim == Full(file.clock.now() + MINUTE) if is_full else isinstance(claim, Resumed)


def test_a_number_that_is_assigned_at_the_claim_is_kept_in_the_plan(file: JournalFile) -> None:
    file.add(plan_of("token", file.clock))
    changed = replace(plan_of("token", file.clock), summary="renumbered", shown={"orders": 9})
    claim = file.claim("token", "one", None, changed)
    assert isinstance(claim, Claimed)
    assert (claim.plan, entry(file, "token").plan) == (changed, changed)


@pytest.mark.parametrize(("back", "kind"), [(GONE - 0.001, Claimed), (GONE, Expired)])
def test_a_plan_from_the_future_is_over(file: JournalFile, moving: ManualClock, back: float, kind: type) -> None:
    file.add(plan_of("token", moving))
    moving.jump(-back)
    assert type(file.claim("token", "one")) is kind


@pytest.mark.parametrize(("after", "kind"), [(LIFE.total_seconds() - 0.001, Claimed), (LIFE.total_seconds(), Expired)])
def test_a_plan_is_claimed_until_its_life_is_over(
    file: JournalFile, moving: ManualClock, after: float, kind: type
) -> None:
    file.add(plan_of("token", moving))
    moving.advance(after)
    assert type(file.claim("token", "one")) is kind
    assert file.claim("never", "one") == Unknown()


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        ("accepted", "asked", "accepted"),
        ("accepted", "no answer", "accepted"),
        ("accepted", "stale", "accepted"),
        ("accepted", "cancelled", "cancelled"),
        ("accepted", "declined", "declined"),
        ("asked", "no answer", "no answer"),
        ("cancelled", "asked", "asked"),
    ],
)
def test_a_yes_stays_until_a_person_says_otherwise(
    file: JournalFile, moving: ManualClock, first: Answered, then: Answered, kept: Answered
) -> None:
    file.add(plan_of("token", moving))
    file.answered([1], first)
    asked = moving.now()
    moving.advance(1)
    file.answered([1], then)
    found = entry(file, "token")
    at = asked if first == kept else moving.now()
    assert (found.answer, found.answered_at, found.state) == (kept, at, "declined" if kept == "declined" else "planned")
    assert (file.claim("token", "one") == Declined()) is (kept == "declined")


@pytest.mark.parametrize("make", [begun, finished])
def test_no_answer_touches_what_was_begun(file: JournalFile, moving: ManualClock, make: Callable[..., Run]) -> None:
    make(file, "token", APPLIED)
    moving.advance(GONE)
    file.answered([7, 1], "declined")
    assert (entry(file, "token").answer, entry(file, "token").state != "declined") == (None, True)


def test_why_a_plan_was_refused_is_kept_until_it_has_ended(file: JournalFile, moving: ManualClock) -> None:
    file.add(plan_of("token", moving))
    file.refused(1, "no longer fits")
    found = entry(file, "token")
    assert (found.refused, found.refused_at, found.state) == ("no longer fits", moving.now(), "planned")
    finished(file, "other", APPLIED, APPLIED)
    file.refused(2, "too late")
    assert (entry(file, "other").refused, entry(file, "other").refused_at) == (None, None)


def test_what_nobody_began_to_send_is_not_taken_over_and_expires_in_time(
    file: JournalFile, moving: ManualClock
) -> None:
    file.add(plan_of("token", moving))
    assert (file.take_over(1, "two"), file.take_over(9, "two"), entry(file, "token").state) == (None, None, "planned")
    claimed(file, "token")
    assert (file.take_over(1, "two"), entry(file, "token").owner) == (None, "one")
    moving.advance(LIFE.total_seconds())
    assert (file.take_over(1, "two"), entry(file, "token").state) == (None, "expired")


def test_what_was_begun_is_taken_over_once_its_owner_is_gone(file: JournalFile, moving: ManualClock) -> None:
    run = begun(file, "token", None)
    moving.advance(GONE - 0.001)
    assert file.take_over(1, "two") is None
    moving.advance(0.001)
    claim = file.take_over(1, "two")
    assert isinstance(claim, Broken)
    assert (claim.run, claim.sending) == (Run(1, 2, run.digest), 0)
    assert file.claim("token", "three") == Running(moving.now(), "two")
    file.done(claim.run, 0, UNKNOWN)
    file.finish(claim.run, OUTCOME)
    assert file.take_over(1, "three") is None


RECOGNISED = ActionState("applied", {"id": 7}, None, {"found": 1})


def test_what_was_found_out_later_is_noted_beside_the_outcome_of_then(file: JournalFile, moving: ManualClock) -> None:
    finished(file, "token", UNKNOWN, RECOGNISED, APPLIED, actions=3)
    before = entry(file, "token")
    moving.advance(60)
    found = ActionState("applied", {"id": 9}, "late", {"confirmed": True})
    file.amend(1, {0: found, 1: FAILED}, {"message": "amended"})
    after = entry(file, "token")
    assert after.actions == (
        replace(found, at=before.actions[0].at),
        replace(FAILED, at=before.actions[1].at),
        before.actions[2],
    )
    assert (after.outcome, after.amended, after.amended_at) == (OUTCOME, {"message": "amended"}, moving.now())
    assert file.claim("token", "two") == Finished({"message": "amended"})


@pytest.mark.parametrize(
    ("number", "ends", "ended"),
    [(1, {2: APPLIED}, True), (1, {0: APPLIED, 2: APPLIED}, True), (1, {0: APPLIED}, False), (9, {}, True)],
)
def test_only_what_no_answer_told_of_an_ended_plan_is_amended(
    file: JournalFile, number: int, ends: dict[int, ActionState], ended: bool
) -> None:
    run = begun(file, "token", UNKNOWN, RECOGNISED, APPLIED, actions=3)
    if ended:
        file.finish(run, OUTCOME)
    with pytest.raises(WrongOrder, match=f"^entry {number} has not ended so that it could be amended like this$"):
        file.amend(number, ends, OUTCOME)
    assert entry(file, "token").amended is None


def test_plans_are_unsure_as_long_as_they_are_claimed_or_no_answer_told_of_an_action(file: JournalFile) -> None:
    confirmed = replace(RECOGNISED, look_up={"confirmed": True})
    for number, ends in enumerate([(APPLIED,), (UNKNOWN,), (RECOGNISED,), (confirmed,), (FAILED,)]):
        finished(file, f"ended {number}", *ends)
    begun(file, "claimed")
    file.add(plan_of("planned", file.clock))
    assert [found.id for found in file.unsure()] == [2, 3, 6]
    assert file.unsure()[0] == entry(file, "ended 1")


def test_the_records_that_other_plans_made_are_known_by_their_path(file: JournalFile) -> None:
    ends: list[JsonObject] = [{"id": 7}, {"id": "uuid"}, {"id": None}, {}]
    for number, result in enumerate(ends):
        finished(file, f"plan {number}", ActionState("applied", result))
    finished(file, "failed", ActionState("failed", {"id": 8}))
    changes = tuple({**sent, "method": "PATCH"} for sent in plan_of("patch", file.clock).actions)
    file.add(replace(plan_of("patch", file.clock), actions=changes))
    run = claimed(file, "patch")
    file.sending(run, 0)
    file.done(run, 0, ActionState("applied", {"id": 10}))
    assert file.made_by_others(9, "/purchase_orders") == {7, "uuid"}
    assert (file.made_by_others(1, "/purchase_orders"), file.made_by_others(9, "/other")) == ({"uuid"}, frozenset())


def test_entries_of_an_account_come_newest_first(file: JournalFile) -> None:
    for number, tenant in enumerate(["factory", "other", "factory"]):
        file.add(replace(plan_of(f"token {number}", file.clock), tenant=tenant))
    assert [found.id for found in file.entries(9, tenant="factory")] == [3, 1]
    assert [found.id for found in file.entries(9, 3, "factory")] == [1]
    assert [found.id for found in file.entries(2)] == [3, 2]


def test_there_is_room_again_a_minute_after_what_was_sent(file: JournalFile, moving: ManualClock) -> None:
    sent = moving.now()
    finished(file, "token", APPLIED, UNKNOWN, FAILED, actions=3)
    assert file.room_at(WriteRequested("ann", 1, 3, ())) is None
    assert file.room_at(WriteRequested("ann", 2, 3, ())) == sent + MINUTE
    assert file.room_at(WriteRequested("ann", 2, 3, (1,))) is None
    begun(file, "claimed", actions=1)
    assert file.room_at(WriteRequested("ann", 1, 3, ())) == sent + MINUTE
    moving.advance(GONE)
    assert file.room_at(WriteRequested("ann", 1, 3, ())) is None
