"""What a person answers is noted: a no ends a plan for every client, no answer leaves it as it is."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from cache_jobs import job_on
from declined_people import DISMISSED, NO, UNCHECKED, YES, Person
from fastmcp.client.elicitation import ElicitResult
from journal_plans import claimed, hasty, plan_of
from transfer_plans import applied, counted, new_transfer, planned, writes

from katana_mcp.commands.journal.look import entries
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.journal.entries import GONE_AFTER, LIFE, Answered, Declined
from katana_mcp.journal.file import JournalFile
from katana_mcp.testing import Setup, Stage, staged
from katana_sandbox import ManualClock, Tenant

pytestmark = pytest.mark.threads

type Era = Literal["auto", "legacy"]

ERAS: Sequence[Era] = ("auto", "legacy")


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@asynccontextmanager
async def at_client(own: OwnSandbox, root: Path, era: Era, person: Person | None) -> AsyncGenerator[Stage]:
    async with staged(own, Setup(cache_dir=root, era=era, person=person)) as stage:
        yield stage


def _journal(root: Path, clock: ManualClock) -> JournalFile:
    (path,) = root.glob("journal-*.sqlite")
    return JournalFile(path, clock)


async def _noted(stage: Stage) -> list[tuple[str, str | None]]:
    """Return state and answer of each plan, the newest first, as the journal shows them."""
    page = json.loads(await stage.read("katana://journal"))
    records = [json.loads(await stage.read(f"katana://journal/{row['entry']}"))["entry"] for row in page["rows"]]
    return [(row["state"], row.get("answer")) for row in records]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("answer", [NO, UNCHECKED])
async def test_a_no_ends_the_plan_for_every_other_client_of_the_caller(
    own: OwnSandbox, tmp_path: Path, era: Era, answer: ElicitResult[Any]
) -> None:
    async with at_client(own, tmp_path, era, Person(answer)) as stage, at_client(own, tmp_path, "auto", None) as other:
        token = await planned(stage)
        assert (await applied(stage, token))["message"] == "declined: nothing was written"
        for client in (other, stage):
            refusal = await applied(client, token)
            assert refusal["error"] == "declined_plan"
            assert "a person declined it" in refusal["warnings"][0]["message"]
        assert (writes(stage), await _noted(other)) == ([], [("declined", "declined")])


@pytest.mark.parametrize("era", ERAS)
async def test_a_dismissed_question_leaves_the_plan_to_be_applied(own: OwnSandbox, tmp_path: Path, era: Era) -> None:
    person = Person(DISMISSED, YES)
    async with at_client(own, tmp_path, era, person) as stage:
        token = await planned(stage)
        assert (await applied(stage, token))["message"] == "cancelled: nothing was written"
        assert await _noted(stage) == [("planned", "cancelled")]
        assert counted((await applied(stage, token))["outcomes"][0]) == {"applied": 1}
        assert await _noted(stage) == [("finished", "accepted")]


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_goes_away_over_a_question_leaves_the_plan_to_be_applied(
    own: OwnSandbox, tmp_path: Path, era: Era
) -> None:
    person = Person()
    async with at_client(own, tmp_path, "auto", None) as other:
        async with at_client(own, tmp_path, era, person) as stage:
            token = await planned(stage)
            asking = asyncio.ensure_future(applied(stage, token))
            await person.asked.wait()
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        state, answer = (await _noted(other))[0]
        assert (state, answer in {"asked", "cancelled", "no answer"}) == ("planned", True)
        assert counted((await applied(other, token))["outcomes"][0]) == {"applied": 1}


async def test_what_was_not_applied_in_time_is_listed_as_expired(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path
) -> None:
    async with at_client(own, tmp_path, "auto", Person(NO)) as stage:
        await applied(stage, await planned(stage))
        other = await planned(stage, "create_stock_transfer", **new_transfer(tenant, stock_transfer_number="ST-901"))
        file = _journal(tmp_path, clock)
        third = await planned(stage, "create_stock_transfer", **new_transfer(tenant, stock_transfer_number="ST-902"))
        claimed(file, third)
        file.close()
        clock.advance(LIFE.total_seconds())
        assert [state for state, _ in await _noted(stage)] == ["expired", "expired", "declined"]
        report = await entries(job_on(own, tmp_path), 20, None)
        assert [line.cells[2] for line in report.sheets[0].lines] == ["expired", "expired", "declined"]
        assert (await applied(stage, other))["error"] == "expired_plan"
        assert writes(stage) == []


@pytest.mark.parametrize("answer", ["asked", "accepted", "cancelled", "stale", "no answer", "declined"])
def test_what_somebody_works_on_no_answer_touches(clock: ManualClock, tmp_path: Path, answer: Answered) -> None:
    file = JournalFile(tmp_path / "journal.sqlite", clock)
    entry = file.add(plan_of("token", clock))
    claimed(file, "token")
    file.answered([entry, 999], answer)
    stored = file.entry(entry)
    assert stored is not None
    assert (stored.state, stored.answer) == ("claimed", None)
    clock.advance(GONE_AFTER.total_seconds())
    file.answered([entry], answer)
    stored = file.entry(entry)
    assert stored is not None
    assert (stored.answer, stored.answered_at) == (answer, clock.now())
    assert isinstance(file.claim("token", "other"), Declined) is (answer == "declined")
    file.close()
