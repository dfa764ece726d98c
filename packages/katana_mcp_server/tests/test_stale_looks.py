"""What a saga remembers of what it sent, and which looks at a record are too old to go by."""

from dataclasses import replace
from datetime import timedelta

import pytest

from cache_core.protocol import OWN_WRITE_STANDS
from cache_core.records import decode, encode, iso
from cache_core.testing import ManualClock
from katana_mcp.journal.entries import ActionState, Progress
from katana_mcp.writing.actions import Action, Method
from katana_mcp.writing.stale_looks import Look, Sending, from_json, recent, to_json, with_ends

CLOCK = ManualClock()
CLOCK.advance(100_000)  # since the machine was started
NOW = CLOCK.now()


def earlier(seconds: float) -> ManualClock:
    """Return the clock as it was so many seconds ago."""
    clock = ManualClock()
    clock.advance(CLOCK.monotonic() - seconds)
    return clock


def step(name: str, method: Method = "PATCH") -> Action:
    """Return a step."""
    return Action(title=f"do {name}", method=method, path=f"/customers/{name}", body={"name": name}, entity="none")


def look(record: str, names: str = "", method: Method = "PATCH") -> Look:
    """Return a look at a record, by which these steps are left."""
    return Look.at({"look": record}, [step(name, method) for name in names])


def sending(name: str = "a", *, place: int | None = None, left: int = 2, age: float = 0, back: bool = False) -> Sending:
    """Return that a step was sent from the look of its name, so many seconds ago; answered where it has no place."""
    sent = look(name, name + "x" * (left - 1)).next_step(0, earlier(age), back=back)
    return replace(sent, place=place, is_repeatable=place is not None)


@pytest.mark.parametrize(("method", "is_repeatable"), [("PATCH", True), ("DELETE", True), ("POST", False)])
def test_what_makes_nothing_may_be_sent_again_until_it_is_answered(method: Method, is_repeatable: bool) -> None:
    sent = look("now", "ab", method).next_step(3, CLOCK, back=True)
    assert (sent.place, sent.left, sent.back, sent.is_repeatable) == (3, 2, True, is_repeatable)
    states = [*[ActionState("applied")] * 3, ActionState("unknown")]
    assert with_ends([sent], states) == [replace(sent, place=None)]
    answered = replace(sent, place=None, is_repeatable=False)
    assert with_ends([sent], [*states[:3], ActionState("applied")]) == [answered]


@pytest.mark.parametrize(
    ("state", "is_kept"),
    [
        ("planned", False),
        ("not_tried", False),
        ("failed", False),
        ("applied", True),
        ("unknown", True),
        ("sending", True),
    ],
)
def test_only_what_certainly_did_not_happen_is_forgotten(state: Progress, is_kept: bool) -> None:
    kept = decode(encode({"sent": to_json([sending("a"), sending("b", place=1)])}))["sent"]
    later = NOW + timedelta(seconds=7)
    found = with_ends(from_json(kept), [ActionState("applied"), ActionState(state, at=later)])
    ended = replace(sending("b"), at=iso(later), is_repeatable=state != "applied")
    assert found == [sending("a"), *([ended] if is_kept else [])]


def test_what_was_sent_before_is_known_by_when_it_was_planned_where_the_journal_tells_no_time() -> None:
    kept = from_json(to_json([sending(place=0, age=5)]))
    assert with_ends(kept, [ActionState("applied")]) == [sending(age=5)]
    assert from_json(None) == []


def test_what_was_sent_long_ago_is_on_every_replica() -> None:
    young, old = sending("a", age=OWN_WRITE_STANDS), sending("b", age=OWN_WRITE_STANDS + 1)
    assert recent([young, old], CLOCK) == [young]


@pytest.mark.parametrize("jump", [3_600, -3_600, 86_400, -86_400])
@pytest.mark.parametrize(("age", "is_recent"), [(0, True), (OWN_WRITE_STANDS, True), (OWN_WRITE_STANDS + 1, False)])
def test_how_long_ago_a_step_was_sent_is_not_told_by_a_clock_that_was_set(
    jump: float, age: float, *, is_recent: bool
) -> None:
    sent, clock = [sending(place=0)], earlier(-age)
    clock.jump(jump)
    assert recent(sent, clock) == (sent if is_recent else [])


@pytest.mark.parametrize("boot", ["another start", ""])
@pytest.mark.parametrize(
    ("uptime", "wall", "is_recent"),
    [(1_000, 1_000, False), (1_000, 60, True), (60, 4_000, True), (60, 60, True), (1_000, -3_600, True)],
)
def test_what_was_sent_before_the_machine_started_is_old_once_it_runs_for_long_and_its_clock_says_so_as_well(
    uptime: float, wall: float, boot: str, *, is_recent: bool
) -> None:
    clock = ManualClock(NOW + timedelta(seconds=wall - uptime))
    clock.advance(uptime)
    sent = [replace(sending(), boot=boot)]
    assert recent(sent, clock) == (sent if is_recent else [])
    where_nothing_tells_a_start = [sending()]  # the machine's clock counts less than when it was sent
    assert recent(where_nothing_tells_a_start, clock) == (where_nothing_tells_a_start if is_recent else [])


@pytest.mark.parametrize("back", [False, True])
def test_a_record_as_it_was_when_a_step_was_sent_shows_nothing_of_it_whichever_way(back: bool) -> None:
    sent = [sending("a", left=9), sending("b", left=9)]
    assert [look(name).is_shown(sent, back=back) for name in "abc"] == [False, False, True]
    assert [look(name, "z").is_new(sent, back=False) for name in "abc"] == [False, False, True]


@pytest.mark.parametrize(("names", "is_shown"), [("", True), ("x", True), ("xy", False), ("xyz", False)])
def test_a_step_shows_where_less_is_left_than_when_it_was_sent(names: str, is_shown: bool) -> None:
    sent = [sending("a", left=9), sending("b", left=2)]
    other_way = [*sent, sending("c", left=1, back=True)]
    found = [look("now", names).is_shown(known, back=False) for known in (sent, other_way, [], other_way[-1:])]
    assert found == [is_shown, is_shown, True, True]


@pytest.mark.parametrize(
    ("names", "sent", "is_new"),
    [("xyz", "a", True), ("axy", "a", False), ("xy", "ab", True), ("xyz", "ab", False), ("ay", "ab", False)],
)
def test_a_step_that_was_not_sent_yet_may_be_left_but_not_ever_more_of_them(
    names: str, sent: str, is_new: bool
) -> None:
    assert look("now", names).is_new([sending(name) for name in sent], back=False) is is_new


@pytest.mark.parametrize(("names", "is_new"), [("xyz", True), ("xyzuv", True), ("xyzuvw", False), ("ayz", False)])
def test_more_may_be_left_than_when_the_last_step_was_sent_but_never_more_than_once_was(
    names: str, is_new: bool
) -> None:
    sent = [sending("a", left=5), sending("b", left=2)]
    assert look("now", names).is_new(sent, back=False) is is_new


@pytest.mark.parametrize(
    ("names", "method", "is_shown"),
    [("ax", "PATCH", True), ("ax", "DELETE", True), ("ax", "POST", False), ("", "PATCH", False)],
)
def test_what_got_no_answer_and_makes_nothing_is_sent_again_but_nothing_is_made_or_called_done_before_it_shows(
    names: str, method: Method, is_shown: bool
) -> None:
    sent = [replace(sending("a"), is_repeatable=True)]
    assert look("a", names, method).is_shown(sent, back=False) is is_shown
    assert look("a", names, method).is_shown([sending("a")], back=False) is False


@pytest.mark.parametrize(
    ("record", "names", "expected"),
    [("a", "abc", True), ("b", "b", True), ("now", "b", True), ("now", "a", False), ("now", "bc", False)],
)
def test_a_look_does_not_show_the_last_step_where_it_is_old_or_leaves_just_that(
    record: str, names: str, expected: bool
) -> None:
    sent = [sending("a"), sending("b", left=1)]
    assert [look(record, names).is_before_last(sent, back=back) for back in (False, True)] == [expected, False]
