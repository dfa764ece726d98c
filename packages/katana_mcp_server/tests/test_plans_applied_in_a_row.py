"""Plans applied by their tokens: the tool, their order, one question for all of them, and what is told of the rest."""

import hashlib
from collections.abc import Generator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import cast

import pytest
from journal_plans import hasty
from pydantic import ValidationError
from test_applied_once import EXPIRED, UNCONFIRMED, UNKNOWN, Stage, opened

from katana_mcp.journal.entries import LIFE
from katana_mcp.journal.errors import JournalBusy
from katana_mcp.journal.journal import Journal
from katana_mcp.surface.descriptor import APPLY
from katana_mcp.surface.operations.apply import ApplyPlanRequest, apply_tool
from katana_mcp.tools import warning_codes
from katana_mcp.tools.asking import Consent
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking
from katana_mcp.writing.confirmation_text import question
from katana_mcp.writing.outcome import ApplyAnswer

pytestmark = pytest.mark.threads
BEFORE = "used before, at 2026-03-02 09:00:00 UTC, and nothing is sent again: "


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Stage]:
    hasty(monkeypatch)
    with opened(tmp_path) as stage:
        yield stage


async def apply(stage: Stage, *tokens: str) -> ApplyAnswer:
    """Apply plans."""
    tool = apply_tool(stage.changes)
    answer = await stage.timed(tool.run(ApplyPlanRequest(plan_tokens=list(tokens)), stage.services))
    assert isinstance(answer, ApplyAnswer)
    return answer


async def refusal(stage: Stage, *tokens: str) -> tuple[ToolWarning, ...]:
    """Return why plans are not applied."""
    with pytest.raises(Refused) as raised:
        await apply(stage, *tokens)
    return raised.value.warnings


def told(answer: ApplyAnswer) -> tuple[str, list[str], int, list[ToolWarning]]:
    """Return the message, those of the outcomes, how many plans were not tried, and the warnings."""
    return answer.message, [outcome.message for outcome in answer.outcomes], answer.not_tried, answer.warnings


def test_the_tool_writes_what_tokens_stand_for(stage: Stage) -> None:
    tool = apply_tool(stage.changes)
    said = {item.name: getattr(tool, item.name) for item in fields(tool) if item.name not in ("run", "description")}
    assert said == {
        "name": "apply_plan",
        "toolset": "writing",
        "request": ApplyPlanRequest,
        "answer": ApplyAnswer,
        "reads": (),
        "open_world": True,
        "read_only": False,
        "destructive": True,
        "plans": False,
        "on_request": False,
        "shows_dates": True,
    }
    assert (APPLY, tool.description.partition("\n")[0]) == (
        "apply_plan",
        "Write to Katana what previews have planned, by their tokens.",
    )


def test_one_to_twenty_tokens_are_taken() -> None:
    assert ApplyPlanRequest(plan_tokens=["a"]).roll_back is False
    assert ApplyPlanRequest.also == {"plan_token": ("plan_tokens",)}
    for tokens in (["a"], ["a" * 64] * 20):
        assert ApplyPlanRequest(plan_tokens=tokens).plan_tokens == tokens
    for tokens in ([], [""], ["a" * 65], ["a"] * 21):
        with pytest.raises(ValidationError):
            ApplyPlanRequest(plan_tokens=tokens)


async def test_plans_are_applied_in_the_order_of_their_tokens_each_once(stage: Stage) -> None:
    for token, names in (("one", "a"), ("two", "b")):
        stage.planned(token, names)
    stage.katana.fresh_warnings = (advisory("x", "late"),)
    both = ["applied: customers b", "applied: customers a"]
    assert told(await apply(stage, "two", "one", "two")) == ("; ".join(both), both, 0, [advisory("x", "late")] * 2)
    assert stage.katana.sent == ["b", "a"]


@pytest.mark.parametrize(("is_sandbox", "source"), [(True, "sandbox"), (False, None)])
async def test_invented_data_is_said_to_be_so(stage: Stage, *, is_sandbox: bool, source: str | None) -> None:
    stage.parts = {"sandbox": is_sandbox}
    stage.planned("one", "a")
    assert (await apply(stage, "one")).source == source


async def test_the_first_plan_that_is_not_fully_applied_stops_the_rest(stage: Stage) -> None:
    for token, names in (("one", "a"), ("two", "b"), ("three", "c"), ("four", "d")):
        stage.planned(token, names)
    stage.katana.refused = "b"
    failed = "not applied: customers b (1 failed)"
    answer = await apply(stage, "one", "two", "three", "four")
    assert told(answer)[:3] == (f"applied: customers a; {failed}", ["applied: customers a", failed], 2)
    assert stage.katana.sent == ["a", "b"]


async def test_a_plan_that_is_refused_stops_the_rest_and_keeps_what_was_applied(stage: Stage) -> None:
    for token, names in (("two", "a"), ("one", "a"), ("three", "c")):
        stage.planned(token, names)
        if token == "two":
            stage.katana.clock.advance(LIFE.total_seconds())
    why = blocking(warning_codes.EXPIRED_PLAN, EXPIRED, "plan_tokens")
    answer = await apply(stage, "one", "two", "three")
    assert told(answer) == (f"applied: customers a; {EXPIRED}", ["applied: customers a"], 2, [why])
    assert await refusal(stage, "two", "three") == (why,)
    assert stage.katana.sent == ["a"]


async def test_an_unknown_token_writes_nothing_of_the_others(stage: Stage) -> None:
    stage.planned("one", "a")
    assert await refusal(stage, "one", "other") == (blocking(warning_codes.UNKNOWN_PLAN, UNKNOWN, "plan_tokens"),)
    assert stage.katana.sent == []


async def test_nothing_is_written_in_read_only_mode(stage: Stage) -> None:
    stage.parts = {"read_only": True}
    stage.planned("one", "a")
    message = "read-only mode: nothing is written to Katana"
    assert await refusal(stage, "one") == (blocking(warning_codes.READ_ONLY, message),)


async def test_a_journal_that_cannot_be_read_refuses(stage: Stage) -> None:
    class Busy(Journal):
        async def find(self, token: str) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
            raise JournalBusy(f"{token} is busy")

    stage.parts = {"journal": Busy(stage.file)}
    assert await refusal(stage, "one") == (blocking(warning_codes.JOURNAL_UNAVAILABLE, "one is busy"),)


@dataclass
class Person:
    """Somebody who answers the same to each question."""

    answer: Consent
    can_answer: bool = True
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    async def confirm(self, question: str, digest: str) -> Consent:
        """Answer."""
        self.asked.append((question, digest))
        return self.answer


async def test_a_person_is_asked_once_for_all_plans_that_wait(stage: Stage) -> None:
    person = Person("accepted")
    stage.parts = {"person": person}
    stage.planned("done", "c")
    await apply(stage, "done")
    person.asked.clear()
    entries = [stage.planned(token, names) for token, names in (("one", "a"), ("two", "b"))]
    answer = await apply(stage, "one", "done", "two")
    assert answer.message == f"applied: customers a; {BEFORE}applied: customers c; applied: customers b"
    plans = [entry.plan for entry in entries]
    digest = hashlib.sha256("\n".join(f"{plan.digest} {plan.content}" for plan in plans).encode()).hexdigest()
    assert person.asked == [(question(plans), digest)]
    assert [stage.entry(token).answer for token in ("one", "two")] == ["accepted", "accepted"]
    assert [outcome.message for outcome in (await apply(stage, "one")).outcomes] == ["applied: customers a"]
    assert (len(person.asked), stage.katana.sent) == (1, ["c", "a", "b"])


@pytest.mark.parametrize("answer", ["declined", "cancelled"])
async def test_without_a_yes_nothing_is_written(stage: Stage, answer: str) -> None:
    stage.parts = {"person": Person(cast("Consent", answer))}
    stage.planned("one", "a")
    stage.planned("two", "b")
    assert told(await apply(stage, "one", "two")) == (f"{answer}: nothing was written", [], 2, [])
    assert (stage.katana.sent, stage.entry("two").answer) == ([], answer)


async def test_a_plan_that_does_not_fit_any_more_is_not_asked_about(stage: Stage) -> None:
    person = Person("accepted")
    stage.parts = {"person": person}
    stage.planned("one", "a")
    stage.katana.clock.advance(LIFE.total_seconds())
    assert await refusal(stage, "one") == (blocking(warning_codes.EXPIRED_PLAN, EXPIRED, "plan_tokens"),)
    assert person.asked == []


async def test_where_a_person_must_confirm_and_none_can_be_asked_nothing_is_written(stage: Stage) -> None:
    stage.planned("done", "c")
    await apply(stage, "done")
    stage.parts = {"must_confirm": True, "person": Person("accepted", can_answer=False)}
    stage.planned("one", "a")
    assert await refusal(stage, "one") == (blocking(warning_codes.CONFIRMATION_REQUIRED, UNCONFIRMED, "plan_tokens"),)
    assert (await apply(stage, "done")).message == f"{BEFORE}applied: customers c"
    stage.parts = {"person": Person("declined", can_answer=False)}
    assert (await apply(stage, "one")).message == "applied: customers a"
    assert stage.entry("one").answer is None
