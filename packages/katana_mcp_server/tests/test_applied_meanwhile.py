"""What happens to a plan while it waits for its turn, is checked or is sent, and when its caller is told."""

from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from journal_plans import hasty
from test_applied_once import (
    DECLINED,
    EXPIRED,
    TOOL,
    UNCONFIRMED,
    Asked,
    Katana,
    Stage,
    action,
    drafted,
    ended,
    opened,
    running,
)
from test_applied_to_the_end import halfway, walking

from katana_mcp.journal.entries import GONE_AFTER, LIFE, ActionState, Broken, Claimed
from katana_mcp.references.numbers import Numbered
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, blocking, info
from katana_mcp.writing.actions import Action
from katana_mcp.writing.applying import settled
from katana_mcp.writing.change import SAGA, Change, Draft
from katana_mcp.writing.outcome import PlanOutcome

pytestmark = pytest.mark.threads


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Stage]:
    hasty(monkeypatch)
    with opened(tmp_path) as stage:
        yield stage


def now(stage: Stage) -> float:
    """Return how many seconds have passed."""
    return round(stage.katana.clock.monotonic(), 3)


async def is_free(stage: Stage) -> bool:
    """Return whether nobody holds the lane of all plans here."""
    return await stage.journal.take_lanes(["factory: order 1"], "somebody else") is None


def full(stage: Stage, token: str) -> None:
    """Let another plan of the caller use up its one write of a minute."""
    stage.planned(token, "z")
    claim = stage.file.claim(token, "another")
    assert isinstance(claim, Claimed)
    stage.file.sending(claim.run, 0)


@pytest.mark.parametrize(
    ("state", "warning"),
    [
        ("expired", blocking(warning_codes.EXPIRED_PLAN, EXPIRED, "plan_tokens")),
        ("unconfirmed", blocking(warning_codes.CONFIRMATION_REQUIRED, UNCONFIRMED, "plan_tokens")),
    ],
)
async def test_a_plan_that_may_not_be_sent_waits_for_no_room(stage: Stage, state: str, warning: ToolWarning) -> None:
    stage.planned("token", "a")
    stage.katana.room = lambda count: 9.0
    stage.parts = {"must_confirm": state == "unconfirmed"}
    stage.katana.clock.advance(LIFE.total_seconds() if state == "expired" else 0)
    began = now(stage)
    assert (await stage.refusal("token"), now(stage)) == ((warning,), began)


async def test_a_caller_without_any_writes_left_waits_for_no_lane(stage: Stage) -> None:
    stage.parts = {"most_writes": 1}
    stage.planned("token", "a")
    full(stage, "other")
    assert not await stage.journal.take_lanes(["factory: order 1"], "another")
    (warning,) = await stage.refusal("token")
    assert (warning.code, now(stage)) == (warning_codes.TOO_MANY_WRITES, 0.0)


async def test_it_is_told_every_five_seconds_what_is_waited_for_and_given_up_after_forty(stage: Stage) -> None:
    stage.planned("token", "a")
    stage.katana.room = lambda count: 1.0 if now(stage) < 7 else 0.0
    assert ended(await stage.apply("token"))[1] == ["applied"]
    assert [at for at, text in stage.noted if "Katana's 60 requests" in text] == [0.0, 5.0]
    stage.planned("late", "b")
    stage.katana.room = lambda count: 1.375
    (warning,) = await stage.refusal("late")
    assert (warning.code, now(stage)) == (warning_codes.KATANA_UNAVAILABLE, 47.0)


async def test_a_plan_without_a_saga_is_waited_for_as_long_as_it_takes(stage: Stage) -> None:
    stage.planned("token", "a")
    stage.katana.slow = {"a": 55.0}
    assert ended(await stage.apply("token"))[1] == ["applied"]
    assert now(stage) == 55.0


async def test_a_saga_is_waited_for_until_its_call_is_over(stage: Stage) -> None:
    stage.saga, stage.touches = walking(stage.katana, "ab"), {SAGA: {}}
    stage.planned("token", "ab")
    stage.katana.slow = {"b": 100.0}
    stage.katana.room = lambda count: max(0.0, 7.0 - now(stage))
    assert await stage.refusal("token") == (running(" (1 of 2 steps are done)"),)
    assert now(stage) == 40.0
    await stage.timed(stage.journal.settled(), 200)


async def test_a_saga_that_does_not_fit_any_more_is_not_begun(stage: Stage) -> None:
    stage.saga, stage.touches = walking(stage.katana, "a"), {SAGA: {}}
    stage.planned("token", "a", request={"names": "b"})
    (warning,) = await stage.refusal("token")
    assert (warning.code, stage.katana.sent) == (warning_codes.STALE_PLAN, [])


async def test_a_saga_goes_on_once_its_lanes_are_free(stage: Stage) -> None:
    await halfway(stage, "ab")
    stage.katana.sent.remove("b")
    lanes = stage.journal.take_lanes

    async def busy(names: Collection[str], holder: str, plan: int = 0) -> str | None:
        return await lanes(names, holder, plan) if now(stage) >= 3 else "factory: order 1"

    stage.journal.take_lanes = busy
    assert (ended(await stage.apply("token"))[1], stage.katana.sent) == (["applied"] * 2, ["a", "b"])
    why = "another plan for the same record is being applied (order 1)"
    assert [why in text for _, text in stage.noted if text.startswith("waiting: customers ab")] == [True]
    assert 3 <= now(stage) < 3.2


def before_the_lanes(stage: Stage, happens: Callable[[], None]) -> None:
    """Let something happen just before a plan gets its lanes for the first time."""
    lanes, times = stage.journal.take_lanes, list[None]()

    async def taken(names: Collection[str], holder: str, plan: int = 0) -> str | None:
        if not times:
            happens()
        times.append(None)
        return await lanes(names, holder, plan)

    stage.journal.take_lanes = taken


async def test_a_yes_that_is_taken_back_while_a_plan_waits_counts(stage: Stage) -> None:
    stage.planned("token", "a")
    stage.parts = {"must_confirm": True}
    stage.file.answered([1], "accepted")
    before_the_lanes(stage, lambda: stage.file.answered([1], "cancelled"))
    assert await stage.refusal("token") == (blocking(warning_codes.CONFIRMATION_REQUIRED, UNCONFIRMED, "plan_tokens"),)
    assert (stage.katana.sent, await is_free(stage)) == ([], True)


async def test_a_plan_that_another_applied_while_it_waited_is_told_as_that_one_ended_it(stage: Stage) -> None:
    stage.planned("token", "a")

    def finish() -> None:
        run = stage.claimed("token", sends=True)
        stage.file.done(run, 0, ActionState("applied", {"id": 5}))
        outcome = PlanOutcome.of(1, stage.entry("token").plan, [ActionState("applied", {"id": 5})], [])
        stage.file.finish(run, outcome.model_dump(mode="json"))

    before_the_lanes(stage, finish)
    outcome = await stage.apply("token")
    assert (ended(outcome)[1], outcome.actions[0].id, stage.katana.sent) == (["applied"], 5, [])
    assert await is_free(stage)


@dataclass
class Meanwhile(Katana):
    """A Katana before which something happens while a plan is checked."""

    happens: Callable[[], object] = list

    async def standings(self, entities: Sequence[str]) -> dict[str, object]:
        """Let it happen."""
        self.happens()
        return await super().standings(entities)


def checking(stage: Stage, happens: Callable[[], object]) -> Stage:
    """Return a stage of the same journal on which something happens while a plan is checked."""
    return Stage(stage.file, Meanwhile(stage.katana.clock, happens=happens), parts={"most_writes": 1})


NO_ROOM = "1 writes a minute are allowed (KATANA_MCP_MAX_WRITES_PER_MINUTE) and all are used: nothing was written"


@pytest.mark.parametrize(
    ("what", "code", "message"),
    [
        pytest.param("declined", warning_codes.DECLINED_PLAN, DECLINED, id="a person declines it"),
        pytest.param("used up", warning_codes.TOO_MANY_WRITES, NO_ROOM, id="another takes its room"),
    ],
)
async def test_what_happens_while_a_plan_is_checked_is_told_and_its_lanes_are_free_again(
    stage: Stage, what: str, code: str, message: str
) -> None:
    stage.planned("token", "a")
    busy = checking(stage, lambda: stage.file.answered([1], "declined") if what == "declined" else full(stage, "other"))
    (warning,) = await busy.refusal("token")
    assert (warning.code, warning.message.partition("; the token")[0], busy.katana.sent) == (code, message, [])
    assert await is_free(stage)


async def test_a_plan_that_another_claims_while_it_is_checked_is_left_to_that_one(stage: Stage) -> None:
    stage.planned("token", "a")
    busy = checking(stage, lambda: stage.claimed("token", sends=True))
    outcome = await busy.apply("token")
    assert (ended(outcome)[1], busy.katana.sent) == (["unknown"], [])
    assert (busy.noted[0], 30 <= now(stage) < 31) == (
        (0.0, f"waiting: {running().message.replace('ab', 'a', 1)}"),
        True,
    )


async def test_a_plan_that_runs_out_while_it_is_checked_is_not_sent(stage: Stage) -> None:
    stage.planned("token", "a")
    stage.katana.reads = 3
    stage.katana.clock.advance(LIFE.total_seconds() - 2)
    assert await stage.refusal("token") == (blocking(warning_codes.EXPIRED_PLAN, EXPIRED, "plan_tokens"),)
    assert (stage.katana.sent, await is_free(stage)) == ([], True)


@dataclass
class Renumbering(Stage):
    """A stage whose plan chooses the number of what it makes; by now the next one is free."""

    number: str = "b"

    @property
    def changes(self) -> dict[str, Change[Asked, str]]:
        """The one tool that there is."""

        async def gather(request: Asked, services: Services) -> str:
            del request, services
            return self.number

        def plan(request: Asked, number: str) -> Draft:
            del request
            return drafted(number, number=number, assigned={"names": number})

        def checks(request: Asked, number: str) -> Sequence[ToolWarning]:
            del request, number
            return ()

        def renumbered(number: str, to: Numbered) -> str:
            del number
            return to.number

        return {TOOL: Change(request=Asked, gather=gather, plan=plan, checks=checks, renumbered=renumbered)}


async def test_the_number_that_is_free_by_now_is_sent_and_kept(stage: Stage) -> None:
    renumbering = Renumbering(stage.file, stage.katana)
    shown = drafted("a", number="a", assigned={"names": "a"}).as_dict(None)
    renumbering.planned("token", "a", shown=shown)
    outcome = await renumbering.apply("token")
    assert (outcome.message, stage.katana.sent) == ("applied: customers b", ["b"])
    assert stage.entry("token").plan.summary == "customers b"


async def test_what_an_outcome_holds_of_nothing_is_told_again(stage: Stage) -> None:
    draft = drafted("a", revert={"tool": "modify_customer", "arguments": {"id": 3, "note": None}})
    stage.planned("token", "a", shown=draft.as_dict(None))
    outcome = await stage.apply("token")
    assert outcome.revert is not None
    assert outcome.revert.arguments == {"id": 3, "note": None}
    assert await stage.apply("token") == outcome


@dataclass
class Slow(Katana):
    """A Katana whose stock is read while somebody else asks for the lanes."""

    asks: Callable[[], object] = list

    async def read_moved(self, variants: Sequence[int]) -> bool:
        """Let somebody ask."""
        self.asks()
        return await super().read_moved(variants)


async def test_the_lanes_are_free_as_soon_as_all_is_sent(stage: Stage) -> None:
    free = list[str | None]()

    def ask() -> None:
        with stage.file.reading() as db:
            free.extend(name for (name,) in db.execute("SELECT name FROM lane"))

    slow = Slow(stage.katana.clock, asks=ask)
    other = Stage(stage.file, slow, stock=("FORK at North: 2 → 1",))
    other.planned("token", "a")
    assert ended(await other.apply("token"))[1] == ["applied"]
    assert free == []


async def test_what_changed_along_and_what_others_have_too_is_told_of_what_another_sent(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = info("twin", "another has this name")

    async def twins(done: Sequence[tuple[Action, ActionState]], services: Services) -> list[ToolWarning]:
        assert (len(done), services.tenant) == (1, "factory")
        return [twin]

    monkeypatch.setattr("katana_mcp.writing.applying.twins", twins)
    stage.planned(
        "token", "ab", actions=tuple(replace(action(name), refreshes=("variant",)).to_json() for name in "ab")
    )
    run = stage.claimed("token", sends=True)
    stage.file.done(run, 0, ActionState("applied", {"id": 5}))
    stage.katana.clock.advance(GONE_AFTER.total_seconds())
    claim = stage.file.take_over(1, "me")
    assert isinstance(claim, Broken)
    message = "variants: related changes could not be read yet; the next sync reads it"
    outcome = await stage.timed(settled(1, claim, stage.services))
    assert outcome.warnings == [info(warning_codes.CACHE_WRITE_FAILED, message), twin]
