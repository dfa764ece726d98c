"""The person at the client is asked once before anything is written, in both eras; only a yes writes."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from fastmcp.client.elicitation import ElicitResult
from journal_plans import hasty
from transfer_plans import NUMBER, applied, counted, made, new_transfer, planned, writes

from katana_mcp.sandbox import OwnSandbox
from katana_mcp.testing import Setup, Stage, staged, within
from katana_sandbox import ManualClock, Tenant

type Era = Literal["auto", "legacy"]

ERAS: Sequence[Era] = ("auto", "legacy")
YES: ElicitResult[Any] = ElicitResult(action="accept", content={"value": True})
NO: ElicitResult[Any] = ElicitResult(action="accept", content={"value": False})
NOTHING: ElicitResult[Any] = ElicitResult(action="accept", content=None)
DECLINE: ElicitResult[Any] = ElicitResult(action="decline")
CANCEL: ElicitResult[Any] = ElicitResult(action="cancel")


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@dataclass
class Person:
    """Answers always the same, and remembers what was asked; without an answer it thinks for ever."""

    answer: ElicitResult[Any] | None
    tenant: Tenant | None = None
    asked: list[str] = field(default_factory=list[str])

    async def __call__(self, message: str, *_: object) -> ElicitResult[Any]:
        """Answer."""
        self.asked.append(message)
        if self.tenant is not None:
            self.tenant.create("stock_transfers", {**_BODY, "stock_transfer_number": NUMBER})
        if self.answer is None:
            await asyncio.Event().wait()
            raise AssertionError
        return self.answer


_BODY: dict[str, object] = {
    "source_location_id": 2001,
    "target_location_id": 2002,
    "stock_transfer_rows": [{"variant_id": 2004, "quantity": "1"}],
}


@asynccontextmanager
async def asking(own: OwnSandbox, era: Era, person: Person) -> AsyncGenerator[Stage]:
    async with staged(own, Setup(era=era, person=person)) as stage:
        yield stage


@pytest.mark.parametrize("era", ERAS)
async def test_a_yes_writes_once_and_the_question_names_every_plan(own: OwnSandbox, tenant: Tenant, era: Era) -> None:
    person = Person(YES)
    async with asking(own, era, person) as stage:
        first = await planned(stage)
        second = await planned(stage, "create_stock_transfer", **new_transfer(tenant, stock_transfer_number="ST-950"))
        answer = await applied(stage, first, second)
        assert "outcomes" in answer, answer
        assert [counted(each) for each in answer["outcomes"]] == [{"applied": 1}] * 2
        assert len(person.asked) == 1
        assert [f"{NUMBER} from Main workshop" in person.asked[0], "ST-950" in person.asked[0]] == [True, True]
        assert await applied(stage, first, second) == answer
        assert (len(person.asked), len(made(tenant)), len(writes(stage))) == (1, 1, 2)


@pytest.mark.parametrize("era", ERAS)
async def test_anything_but_a_yes_writes_nothing_and_is_no_error(own: OwnSandbox, era: Era) -> None:
    person = Person(None)
    async with asking(own, era, person) as stage:
        token = await planned(stage)
        for person.answer in (NO, NOTHING, DECLINE, CANCEL):
            answer = await applied(stage, token)
            assert (answer.get("outcomes"), writes(stage)) == ([], []), (person.answer, answer)
            assert answer["message"].endswith("nothing was written")
        assert len(person.asked) == 4


async def test_a_person_who_never_answers_is_waited_for_two_minutes(own: OwnSandbox, clock: ManualClock) -> None:
    async with asking(own, "legacy", Person(None)) as stage:
        token = await planned(stage)
        began = clock.monotonic()
        result = await within(clock, 200, stage.result("apply_plan", {"plan_tokens": [token]}))
        assert (result.structured_content or {})["message"] == "no answer: nothing was written"
        assert 120 <= clock.monotonic() - began < 130
        assert writes(stage) == []


@pytest.mark.parametrize("era", ERAS)
async def test_what_changes_while_the_person_thinks_is_stale(own: OwnSandbox, tenant: Tenant, era: Era) -> None:
    async with asking(own, era, Person(YES, tenant)) as stage:
        answer = await applied(stage, await planned(stage))
        assert (answer["error"], writes(stage)) == ("stale_plan", [])


async def test_nobody_is_asked_about_what_cannot_be_written(own: OwnSandbox, clock: ManualClock) -> None:
    person = Person(YES)
    async with asking(own, "auto", person) as stage:
        token = await planned(stage)
        clock.advance(600)
        assert (await applied(stage, token))["error"] == "expired_plan"
        assert (await applied(stage, "unknown"))["error"] == "unknown_plan"
        assert person.asked == []
