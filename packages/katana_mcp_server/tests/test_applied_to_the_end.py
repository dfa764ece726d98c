"""What others began is brought to its end: an owner who is gone, a caller who is gone, a saga that stopped halfway."""

import asyncio
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from journal_plans import hasty
from test_applied_once import Katana, Stage, action, ended, opened, running

from cache_core.protocol import OWN_WRITE_STANDS
from katana_mcp.journal.entries import GONE_AFTER, ActionState, Broken
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, blocking
from katana_mcp.writing.actions import Action, JsonObject
from katana_mcp.writing.applying import applied, settled
from katana_mcp.writing.change import BACK, SAGA, Saga
from katana_mcp.writing.outcome import PlanOutcome

GONE = GONE_AFTER.total_seconds()


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Stage]:
    hasty(monkeypatch)
    with opened(tmp_path) as stage:
        yield stage


async def test_what_an_owner_who_is_gone_had_begun_is_looked_up_and_the_rest_is_not_tried(stage: Stage) -> None:
    stage.planned("token", "ab")
    stage.claimed("token", sends=True)
    stage.katana.clock.advance(GONE)
    stage.katana.rows = [{"id": 5, "name": "a"}]
    outcome = await stage.apply("token")
    message = "not fully applied: customers ab (1 applied, 1 not tried)"
    assert (ended(outcome), outcome.actions[0].id) == ((message, ["applied", "not_tried"]), 5)
    assert stage.katana.sent == []


async def test_what_another_ended_is_kept_as_it_ended(stage: Stage) -> None:
    stage.planned("token", "ab")
    run = stage.claimed("token", sends=True)
    stage.file.done(run, 0, ActionState("unknown", error="no answer"))
    stage.katana.clock.advance(GONE)
    claim = stage.file.take_over(1, "me")
    assert isinstance(claim, Broken)
    outcome = await stage.timed(settled(1, claim, stage.services))
    assert (ended(outcome)[1], outcome.actions[0].error) == (["unknown", "not_tried"], "no answer")
    assert PlanOutcome.model_validate(stage.entry("token").outcome) == outcome


async def test_who_owned_a_plan_of_which_nothing_was_sent_is_followed_by_another(stage: Stage) -> None:
    stage.planned("token", "a")
    stage.claimed("token")
    stage.katana.clock.advance(GONE)
    assert ended(await stage.apply("token"))[1] == ["applied"]


async def test_a_plan_goes_on_though_its_caller_is_gone_and_its_owner_is_heard_of(stage: Stage) -> None:
    stage.planned("token", "ab")
    stage.katana.slow = {"a": 50.0}
    calling = asyncio.ensure_future(applied("token", stage.services, stage.changes))
    with pytest.raises(TimeoutError):
        await stage.timed(calling, 20)
    await asyncio.gather(calling, return_exceptions=True)
    entry = stage.entry("token")
    assert entry.beat_at is not None
    assert ((entry.state, calling.cancelled()), (stage.katana.clock.now() - entry.beat_at).total_seconds() <= 5) == (
        ("claimed", True),
        True,
    )
    await stage.timed(stage.journal.settled())
    assert (stage.entry("token").state, stage.katana.sent) == ("finished", ["a", "b"])


def walking(katana: Katana, goal: str, shown: Sequence[str] | None = None) -> Saga:
    """Return a saga that makes customers until all of the goal are there, or none is left to make.

    Args:
        katana: where they are made.
        goal: their names.
        shown: those that Katana shows; all that were made where it is not given.
    """

    async def look(_: JsonObject, services: Services) -> JsonObject:
        assert services.tenant == "factory"
        return {"names": "".join(katana.sent if shown is None else shown)}

    def rest(goal_: JsonObject, record: JsonObject) -> Sequence[Action]:
        names = str(record["names"])
        if goal_.get(BACK):
            return [action(name.upper()) for name in goal if name in names and name.upper() not in names]
        return [action(name) for name in goal if name not in names]

    return Saga(look, rest)


async def halfway(stage: Stage, goal: str) -> PlanOutcome:
    """Return the outcome of a saga that stopped at its second step, which is not refused any more."""
    stage.saga, stage.touches = walking(stage.katana, goal), {SAGA: {}}
    stage.planned("token", goal)
    stage.katana.refused = "b"
    outcome = await stage.apply("token")
    stage.katana.refused = ""
    return outcome


async def test_a_saga_that_stopped_halfway_goes_on_or_is_rolled_back(stage: Stage) -> None:
    stopped = "stopped after 1 of 3 steps: customers abc; apply the same token again to go on, or with roll_back=true "
    outcome = await halfway(stage, "abc")
    assert (ended(outcome), stage.katana.sent) == (
        (f"{stopped}to put everything back as it was", ["applied", "failed", "not_tried"]),
        ["a", "b"],
    )
    stage.planned("other", "abc")
    kept = "customers abc: not applied, because another plan of the same record stopped halfway (journal entry 1): "
    how = "apply its token again to continue, or with roll_back to put the record back"
    assert await stage.refusal("other") == (blocking(warning_codes.PLAN_RUNNING, f"{kept}{how}", "plan_tokens"),)
    stage.katana.sent.remove("b")
    assert ended(await stage.apply("token"))[1] == ["applied"] * 3
    assert stage.katana.sent == ["a", "b", "c"]


async def test_what_katana_answered_and_does_not_show_is_neither_sent_again_nor_taken_for_the_end(stage: Stage) -> None:
    await halfway(stage, "abc")
    stage.saga = walking(stage.katana, "abc", [])
    why = "stopped: Katana has answered a step that it does not show yet; apply the same token again in a minute"
    for roll_back in (False, True):
        stage.katana.clock.advance(60)
        outcome = await stage.apply("token", roll_back=roll_back)
        assert [warning.message for warning in outcome.warnings] == [why]
        assert (ended(outcome)[1], stage.katana.sent) == (["applied", "not_tried", "not_tried"], ["a", "b"])
    stage.katana.clock.advance(OWN_WRITE_STANDS)
    assert ended(await stage.apply("token", roll_back=True))[0] == "done: roll back: customers abc"


async def test_a_last_step_that_was_answered_is_the_end_though_katana_does_not_show_it(stage: Stage) -> None:
    stage.saga, stage.touches = walking(stage.katana, "a", []), {SAGA: {}}
    stage.planned("token", "a")
    outcome = await stage.apply("token")
    assert (ended(outcome), list(outcome.warnings)) == (("applied: customers a", ["applied"]), [])
    assert stage.katana.sent == ["a"]


async def test_a_saga_is_rolled_back_only_where_it_stopped(stage: Stage) -> None:
    stage.saga, stage.touches = walking(stage.katana, "ab"), {SAGA: {}}
    stage.planned("token", "ab")
    with pytest.raises(Refused, match="roll_back is for a correction that stopped halfway"):
        await stage.apply("token", roll_back=True)
    stage.katana.refused = "b"
    await stage.apply("token")
    outcome = await stage.apply("token", roll_back=True)
    assert (outcome.message, stage.katana.sent) == ("done: roll back: customers ab", ["a", "b", "A", "B"])
    assert cast("Mapping[str, object]", stage.entry("token").plan.touches[SAGA])[BACK] is True


async def test_a_saga_that_takes_longer_than_a_call_is_told_to_be_running(stage: Stage) -> None:
    stage.saga, stage.touches = walking(stage.katana, "ab"), {SAGA: {}}
    stage.planned("token", "ab")
    stage.katana.slow = {"b": 100.0}
    assert await stage.refusal("token") == (running(" (1 of 2 steps are done)"),)
    assert round(stage.katana.clock.monotonic(), 1) == 40
    await stage.timed(stage.journal.settled(), 200)
    assert stage.entry("token").state == "finished"
    assert stage.katana.sent == ["a", "b"]
