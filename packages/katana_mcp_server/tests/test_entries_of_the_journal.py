"""What an entry of the journal says of its plan as time passes, to the moment at which it changes."""

import hashlib
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from journal_plans import plan_of

from cache_core.testing import ManualClock
from katana_mcp.journal.entries import (
    GONE_AFTER,
    LIFE,
    ActionState,
    Broken,
    Entry,
    PlanState,
    Progress,
    Run,
    digest_of,
    new_token,
)
from katana_mcp.journal.file import journal_path

NOW = ManualClock().now()
HAIR = timedelta(microseconds=1)
RUN = Run(1, 1, "digest")


def entry(state: PlanState, *actions: Progress, beat_at: datetime | None = NOW) -> Entry:
    """Return an entry whose owner was heard of then."""
    plan = plan_of("token", ManualClock(), max(1, len(actions)))
    return Entry(id=1, plan=plan, state=state, actions=tuple(map(ActionState, actions)), beat_at=beat_at)


@pytest.mark.parametrize(
    ("state", "is_recognised", "is_unanswered"),
    [
        (ActionState("unknown"), False, True),
        (ActionState("applied", look_up={"found": 1}), True, True),
        (ActionState("applied", look_up={}), True, True),
        (ActionState("applied", look_up={"confirmed": True}), False, False),
        (ActionState("applied", look_up={"confirmed": False}), True, True),
        (ActionState("applied"), False, False),
        (ActionState("failed", look_up={"found": 1}), False, False),
        (ActionState(), False, False),
    ],
)
def test_an_action_is_unanswered_as_long_as_only_a_look_up_tells_of_it(
    state: ActionState, is_recognised: bool, is_unanswered: bool
) -> None:
    assert (state.is_recognised, state.is_unanswered) == (is_recognised, is_unanswered)


@pytest.mark.parametrize(
    ("beat_at", "is_gone"),
    [
        (None, False),
        (NOW, False),
        (NOW - GONE_AFTER + HAIR, False),
        (NOW - GONE_AFTER, True),
        (NOW + GONE_AFTER - HAIR, False),
        (NOW + GONE_AFTER, True),
    ],
)
def test_an_owner_is_gone_after_half_a_minute_without_a_sign(beat_at: datetime | None, is_gone: bool) -> None:
    found = entry("claimed", "sending", beat_at=beat_at)
    assert (found.is_forsaken(NOW), found.is_halfway(NOW)) == (is_gone, is_gone)


@pytest.mark.parametrize(
    ("found", "is_begun", "is_halfway"),
    [
        (entry("planned", "planned"), False, False),
        (entry("claimed", "planned", "planned"), False, False),
        (entry("claimed", "applied", "planned"), True, True),
        (entry("claimed", "applied", "applied"), True, True),
        (entry("finished", "applied", "applied"), True, False),
        (entry("finished", "applied", "failed"), True, True),
        (entry("finished", "failed", "not_tried"), True, True),
        (entry("expired", "planned"), False, False),
        (entry("declined", "planned"), False, False),
    ],
)
def test_a_plan_is_halfway_that_was_begun_and_not_brought_to_its_end(
    found: Entry, is_begun: bool, is_halfway: bool
) -> None:
    assert (found.is_begun, found.is_halfway(NOW + GONE_AFTER)) == (is_begun, is_halfway)


@pytest.mark.parametrize(
    ("found", "after", "state"),
    [
        (entry("planned", "planned"), LIFE - HAIR, "planned"),
        (entry("planned", "planned"), LIFE, "expired"),
        (entry("claimed", "planned"), LIFE, "expired"),
        (entry("claimed", "planned", beat_at=NOW + LIFE), LIFE, "claimed"),
        (entry("claimed", "sending"), LIFE, "claimed"),
        (entry("claimed", "planned"), LIFE - HAIR, "claimed"),
        (entry("finished", "applied"), LIFE, "finished"),
        (entry("declined", "planned"), LIFE, "declined"),
    ],
)
def test_a_plan_that_nobody_began_expires_at_the_end_of_its_life(
    found: Entry, after: timedelta, state: PlanState
) -> None:
    assert found.stands(NOW + after) == state


@pytest.mark.parametrize(
    ("life", "is_lawful"), [(HAIR, True), (LIFE, True), (timedelta(0), False), (LIFE + HAIR, False)]
)
def test_a_plan_lives_longer_than_nothing_and_ten_minutes_at_most(life: timedelta, is_lawful: bool) -> None:
    plan = plan_of("token", ManualClock())
    if is_lawful:
        assert replace(plan, expires_at=NOW + life).expires_at == NOW + life
        return
    with pytest.raises(ValueError, match=r"^a plan lives between 0 and 600 seconds$"):
        replace(plan, expires_at=NOW + life)


@pytest.mark.parametrize(
    ("actions", "sending"),
    [(("sending", "planned"), 0), (("applied", "sending"), 1), (("applied", "unknown"), None), ((), None)],
)
def test_what_was_left_while_it_was_sent_is_known_by_its_place(
    actions: tuple[Progress, ...], sending: int | None
) -> None:
    left = Broken(RUN, plan_of("token", ManualClock()), tuple(map(ActionState, actions)))
    assert left.sending == sending


def test_a_token_is_known_by_its_digest() -> None:
    assert digest_of("tökén") == hashlib.sha256("tökén".encode()).hexdigest()
    assert digest_of("\ud800") == hashlib.sha256(b"?").hexdigest()
    assert len(new_token()) == 32


def test_a_journal_stands_beside_the_cache_of_its_account() -> None:
    assert journal_path(Path("/caches/factory-1")) == Path("/caches/journal-factory-1.sqlite")
