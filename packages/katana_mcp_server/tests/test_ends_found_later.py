"""Plans whose end nobody knows are looked up again: what Katana shows is noted, and what it does not show is not."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from journal_plans import hasty
from test_applied_once import Stage, action, opened

from katana_client.exchange import Call, Reply
from katana_client.testing import FakeClient, reply
from katana_mcp.journal.entries import GONE_AFTER, LIFE, ActionState, Entry
from katana_mcp.journal.errors import ClaimLost, WrongOrder
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import advisory
from katana_mcp.writing.actions import JsonObject, Recognise, Ref
from katana_mcp.writing.outcome import PlanOutcome
from katana_mcp.writing.reconciling import Reconciled, Was, reconciled

GONE = GONE_AFTER.total_seconds()
ODD = advisory(warning_codes.UNEXPECTED_RESULT, "odd")
UNKNOWN = ActionState("unknown", error="no answer", look_up={"asked": "then"})
RECOGNISED = ActionState("applied", {"id": 5, "name": "a"}, None, {"asked": "then"})
ANN: JsonObject = {"id": 5, "name": "a"}
ASKED = "GET /customers name=a"
NONE_NOW = "it counted as applied because Katana listed a matching record, but Katana lists none now"


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Stage]:
    hasty(monkeypatch)
    with opened(tmp_path) as stage:
        yield stage


def finished(stage: Stage, token: str, *states: ActionState) -> Entry:
    """Keep a plan whose actions ended like this, a second after they were sent."""
    names = "abcd"[: len(states)]
    stage.planned(token, names)
    run = stage.claimed(token)
    for place, state in enumerate(states):
        if state.state == "not_tried":
            break
        stage.file.sending(run, place)
        stage.katana.clock.advance(1)
        stage.file.done(run, place, state)
    outcome = PlanOutcome.of(run.entry, stage.entry(token).plan, states, [ODD])
    stage.file.finish(run, outcome.model_dump(mode="json"))
    return stage.entry(token)


async def looked(stage: Stage) -> list[Reconciled]:
    """Return what is found of all plans whose end is not known."""
    return await stage.timed(reconciled(stage.services))


def lists(rows: int, as_planned: int, **more: object) -> JsonObject:
    """Return what is told of a look-up."""
    return {"asked": ASKED, "rows": rows, "as_planned": as_planned, **more}


async def test_where_each_end_is_known_nothing_is_looked_up(stage: Stage) -> None:
    finished(stage, "one", ActionState("applied", {"id": 5}))
    finished(stage, "two", ActionState("failed", error="422"), ActionState("not_tried"))
    finished(stage, "three", replace(RECOGNISED, look_up={"confirmed": True}))
    stage.planned("four", "a")
    assert await looked(stage) == []


@pytest.mark.parametrize(
    ("state", "rows", "found"),
    [
        (
            UNKNOWN,
            [ANN],
            ActionState("applied", ANN, None, lists(1, 1, confirmed=True)),
        ),
        (UNKNOWN, [], ActionState("unknown", None, "no answer", lists(0, 0))),
        (replace(UNKNOWN, error=None), [], ActionState("unknown", None, "", lists(0, 0))),
        (RECOGNISED, [ANN], ActionState("applied", ANN, None, lists(1, 1, confirmed=True))),
        # What was found then was as planned: it was changed, or deleted, since.
        (
            RECOGNISED,
            [],
            ActionState("applied", ANN, None, {"asked": "then", "confirmed": True, "now": lists(0, 0)}),
        ),
        # What was found then is not what was planned, or nothing was kept of it.
        (
            replace(RECOGNISED, result={"id": 5, "name": "b"}),
            [],
            ActionState("unknown", None, NONE_NOW, lists(0, 0)),
        ),
        (
            replace(RECOGNISED, result=None),
            [],
            ActionState("unknown", None, NONE_NOW, lists(0, 0)),
        ),
    ],
)
async def test_what_katana_shows_now_is_noted_with_when_it_was_sent(
    stage: Stage, state: ActionState, rows: Sequence[object], found: ActionState
) -> None:
    before = finished(stage, "token", state)
    stage.katana.rows = rows
    stage.katana.clock.advance(60)
    (result,) = await looked(stage)
    noted = replace(found, at=before.actions[0].at)
    outcome = PlanOutcome.of(before.id, before.plan, [noted], [ODD])
    was: Was = "recognised" if state.state == "applied" else "unknown"
    assert (result, result.is_sure) == (Reconciled(before, was, outcome), found.state == "applied")
    after = stage.entry("token")
    assert (after.actions, after.amended_at) == ((noted,), stage.katana.clock.now())
    assert PlanOutcome.model_validate(after.amended) == outcome
    assert stage.katana.sent == []


async def test_a_listing_that_katana_refuses_changes_nothing_that_was_recognised(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(call: Call) -> Reply:
        return reply({"statusCode": 422, "message": f"no {call.method}"}, 422)

    monkeypatch.setattr(stage.katana, "customers", FakeClient(refuse).customers)
    one, two = finished(stage, "one", RECOGNISED), finished(stage, "two", UNKNOWN)
    first, second = await looked(stage)
    assert (first.is_sure, second.is_sure) == (True, False)
    assert stage.entry("one").actions == one.actions
    error = {"asked": ASKED, "error": "GET /customers: 422 no GET"}
    assert stage.entry("two").actions == (replace(UNKNOWN, look_up=error, at=two.actions[0].at),)


async def test_a_record_that_another_plan_made_was_not_made_by_this_one(stage: Stage) -> None:
    finished(stage, "other", ActionState("applied", ANN))
    finished(stage, "token", UNKNOWN)
    finished(stage, "third", RECOGNISED)
    stage.katana.rows = [ANN]
    found = {result.entry.id: result for result in await looked(stage)}
    assert stage.entry("token").actions[0].state == "unknown"
    # What was recognised then is that of the other: it was taken for ours.
    assert (found[3].was, found[3].is_sure, stage.entry("third").actions[0].error) == ("recognised", False, NONE_NOW)


async def test_only_what_no_answer_told_of_is_looked_up_and_the_rest_stays(stage: Stage) -> None:
    applied = ActionState("applied", {"id": 9})
    before = finished(stage, "token", applied, UNKNOWN, RECOGNISED, ActionState("not_tried"))
    stage.katana.rows = [{"id": 7, "name": "b"}]
    (result,) = await looked(stage)
    after = stage.entry("token").actions
    assert result.was == "unknown"
    assert [one.state for one in after] == ["applied", "applied", "unknown", "not_tried"]
    assert (after[0], after[3]) == (before.actions[0], before.actions[3])
    assert (after[1].result, after[2].error) == ({"id": 7, "name": "b"}, NONE_NOW)


async def test_what_an_action_refers_to_was_answered_to_those_before_it(stage: Stage) -> None:
    look = Recognise(collection="customers", filters={"name": Ref(0, "name")})
    second = replace(action("b"), recognise=look, expects={"name": Ref(0, "name")})
    stage.planned("token", "ab", actions=(action("a").to_json(), second.to_json()))
    run = stage.claimed("token")
    states = [ActionState("applied", {"id": 1, "name": "c"}), UNKNOWN]
    for place, state in enumerate(states):
        stage.file.sending(run, place)
        stage.file.done(run, place, state)
    outcome = PlanOutcome.of(1, stage.entry("token").plan, states, [])
    stage.file.finish(run, outcome.model_dump(mode="json"))
    stage.katana.rows = [{"id": 2, "name": "c"}]
    (result,) = await looked(stage)
    found = {"asked": "GET /customers name=c", "rows": 1, "as_planned": 1, "confirmed": True}
    assert (result.is_sure, stage.entry("token").actions[1].look_up) == (True, found)


async def test_the_oldest_is_looked_up_first(stage: Stage) -> None:
    for token in ("one", "two"):
        finished(stage, token, UNKNOWN)
    assert [result.entry.id for result in await looked(stage)] == [1, 2]


@pytest.mark.parametrize("error", [ClaimLost("over"), WrongOrder("not so")])
async def test_where_another_is_at_it_nothing_is_noted(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def lost(entry: int, ends: object, outcome: object) -> None:
        assert (entry, bool(ends), bool(outcome)) == (1, True, True)
        raise error

    before = finished(stage, "token", UNKNOWN)
    monkeypatch.setattr(stage.journal, "amend", lost)
    (result,) = await looked(stage)
    assert (result, result.is_sure) == (Reconciled(before, "being applied"), False)


@pytest.mark.parametrize(
    ("silent", "sends", "was", "is_sure"),
    [
        (GONE - 0.001, True, "being applied", False),
        (GONE - 0.001, False, "being applied", False),
        (GONE, False, "not sent", True),
        (LIFE.total_seconds(), False, "not sent", True),
    ],
)
async def test_a_claimed_plan_of_which_there_is_nothing_to_look_up_is_told_as_it_stands(
    stage: Stage, silent: float, sends: bool, was: Was, is_sure: bool
) -> None:
    stage.planned("token", "a")
    stage.claimed("token", sends=sends)
    before = stage.entry("token")
    stage.katana.clock.advance(silent)
    (result,) = await looked(stage)
    assert (result, result.is_sure) == (Reconciled(before, was), is_sure)


async def test_what_an_owner_who_is_gone_had_begun_is_brought_to_its_end(stage: Stage) -> None:
    stage.planned("token", "ab")
    stage.claimed("token", sends=True)
    before = stage.entry("token")
    stage.katana.clock.advance(GONE)
    stage.katana.rows = [ANN]
    (result,) = await looked(stage)
    after = stage.entry("token")
    assert result == Reconciled(before, "owner gone", PlanOutcome.model_validate(after.outcome))
    assert ([one.state for one in after.actions], result.is_sure, stage.katana.sent) == (
        ["applied", "not_tried"],
        True,
        [],
    )


async def test_a_deleted_record_is_not_looked_for_among_those_of_others(stage: Stage) -> None:
    gone = replace(action("a"), method="DELETE", path="/customers", body=None).to_json()
    finished(stage, "other", ActionState("applied", ANN))
    entry = stage.planned("token", "a", actions=(gone,))
    run = stage.claimed("token", sends=True)
    stage.file.done(run, 0, UNKNOWN)
    outcome = PlanOutcome.of(entry.id, entry.plan, [UNKNOWN], [])
    stage.file.finish(run, outcome.model_dump(mode="json"))
    stage.katana.rows = [{**ANN, "deleted_at": "2026-01-01T00:00:00.000Z"}]
    (result,) = await looked(stage)
    assert (result.is_sure, stage.entry("token").actions[0].state) == (True, "applied")
