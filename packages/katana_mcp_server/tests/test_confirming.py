"""The person at the client is asked once before anything is written, in both eras; only a yes writes."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from fastmcp.client.elicitation import ElicitResult
from journal_plans import hasty
from transfer_plans import NUMBER, applied, counted, made, new_transfer, of_before, planned, writes

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, Stage, staged
from katana_sandbox import ManualClock, Tenant
from katana_sandbox.store.keys import FIRST_ID

type Era = Literal["auto", "legacy"]

ERAS: Sequence[Era] = ("auto", "legacy")
YES: ElicitResult[Any] = ElicitResult(action="accept", content={"confirm": True})


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@dataclass
class Person:
    """Says yes, and remembers what was asked; given a tenant, it makes the same transfer in Katana first."""

    tenant: Tenant | None = None
    asked: list[str] = field(default_factory=list[str])

    async def __call__(self, message: str, *_: object) -> ElicitResult[Any]:
        """Answer."""
        self.asked.append(message)
        if self.tenant is not None:
            self.tenant.create("stock_transfers", {**_BODY, "stock_transfer_number": NUMBER})
        return YES


_BODY: dict[str, object] = {
    "source_location_id": FIRST_ID,
    "target_location_id": FIRST_ID + 1,
    "stock_transfer_rows": [{"variant_id": FIRST_ID + 3, "quantity": "1"}],
}


@asynccontextmanager
async def asking(own: OwnSandbox, era: Era, person: Person) -> AsyncGenerator[Stage]:
    async with staged(own, Setup(era=era, person=person)) as stage:
        yield stage


@pytest.mark.parametrize("era", ERAS)
async def test_a_yes_writes_once_and_the_question_names_every_plan(own: OwnSandbox, tenant: Tenant, era: Era) -> None:
    person = Person()
    async with asking(own, era, person) as stage:
        first = await planned(stage)
        second = await planned(stage, "create_stock_transfer", **new_transfer(tenant, stock_transfer_number="ST-950"))
        answer = await applied(stage, first, second)
        assert "outcomes" in answer, answer
        assert [counted(outcome) for outcome in answer["outcomes"]] == [{"applied": 1}] * 2
        assert len(person.asked) == 1
        assert [f"{NUMBER} from Main workshop" in person.asked[0], "ST-950" in person.asked[0]] == [True, True]
        assert person.asked[0].count("\N{MULTIPLICATION SIGN} 2.5") == 2
        assert of_before(await applied(stage, first, second), answer)
        assert (len(person.asked), len(made(tenant)), len(writes(stage))) == (1, 1, 2)


@pytest.mark.parametrize("era", ERAS)
async def test_what_changes_while_the_person_thinks_is_stale(own: OwnSandbox, tenant: Tenant, era: Era) -> None:
    async with asking(own, era, Person(tenant)) as stage:
        answer = await applied(stage, await planned(stage))
        assert (answer["error"], writes(stage)) == ("stale_plan", [])


async def test_nobody_is_asked_about_what_cannot_be_written(own: OwnSandbox, clock: ManualClock) -> None:
    person = Person()
    async with asking(own, "auto", person) as stage:
        token = await planned(stage)
        clock.advance(600)
        assert (await applied(stage, token))["error"] == "expired_plan"
        assert (await applied(stage, "unknown"))["error"] == "unknown_plan"
        assert person.asked == []
