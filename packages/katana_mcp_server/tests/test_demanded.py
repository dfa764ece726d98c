"""A person can be demanded; a question outlives a restart and a second server, answered anywhere, applied once."""

import asyncio
import errno
import os
import stat
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import mcp.types as mt
import pytest
from declined_people import NO, YES, Person
from journal_plans import hasty
from mcp.shared.exceptions import MCPError
from transfer_plans import applied, counted, made, of_before, planned, writes

from cache_core.errors import CacheUnavailable
from katana_mcp.caches.accounts.question_key import question_key
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import SettingsError, load
from katana_mcp.journal.entries import Answered
from katana_mcp.journal.file import JournalFile
from katana_mcp.journal.lanes import Lanes
from katana_mcp.testing import Payload, Setup, Stage, ends, staged, unstuck, within
from katana_sandbox import ManualClock, Tenant

KEY = "one-key-for-all-servers-0123456789"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _required(root: Path | None, person: Person | None) -> Setup:
    return Setup(cache_dir=root, person=person, flags={"confirm": "required"})


async def test_where_a_person_is_demanded_nothing_is_written_by_a_client_that_cannot_ask(
    own: OwnSandbox, tenant: Tenant, tmp_path: Path
) -> None:
    async with staged(own, _required(tmp_path, None)) as silent:
        token = await planned(silent)
        refusal = await applied(silent, token)
        assert refusal["error"] == "confirmation_required"
        assert "KATANA_MCP_CONFIRM=required" in refusal["warnings"][0]["message"]
        assert (writes(silent), made(tenant)) == ([], [])
        async with staged(own, _required(tmp_path, Person(YES))) as asking:
            answer = await applied(asking, token)
            assert counted(answer["outcomes"][0]) == {"applied": 1}
        assert of_before(await applied(silent, token), answer)
        assert len(writes(silent)) == 1


async def test_where_a_person_is_demanded_a_no_is_a_no(own: OwnSandbox, tmp_path: Path) -> None:
    async with staged(own, _required(tmp_path, Person(NO))) as stage:
        token = await planned(stage)
        assert (await applied(stage, token))["message"] == "declined: nothing was written"
        assert ((await applied(stage, token))["error"], writes(stage)) == ("declined_plan", [])


async def test_a_client_that_cannot_ask_does_not_use_the_yes_that_another_one_got(
    own: OwnSandbox, tmp_path: Path, clock: ManualClock
) -> None:
    async with staged(own, _required(tmp_path, None)) as silent:
        token = await planned(silent)
        with _journal(tmp_path, clock) as file:
            file.answered([file.entries(1)[0].id], "accepted")
        assert ((await applied(silent, token))["error"], writes(silent)) == ("confirmation_required", [])


async def _while_it_waits(stage: Stage, root: Path, clock: ManualClock, answer: Answered) -> Payload:
    """Return what an apply gives that got its yes, and waits for its turn while this is noted for another client."""
    token = await planned(stage)
    with _journal(root, clock) as file:
        entry, lanes = file.entries(1)[0], Lanes(file)
        names = [f"{entry.plan.tenant}: {name}" for name in entry.plan.lanes]
        assert lanes.take(names, "another") is None
        call = asyncio.ensure_future(applied(stage, token))
        assert not await ends(call)
        assert [found.answer for found in file.entries(1)] == ["accepted"]
        file.answered([entry.id], answer)
        lanes.leave("another")
        result = await within(clock, 100, call)
        assert lanes.take(names, "next") is None
    return result


@pytest.mark.parametrize(("answer", "error"), [("cancelled", "confirmation_required"), ("declined", "declined_plan")])
async def test_a_yes_that_is_taken_back_while_the_plan_waits_for_its_turn_writes_nothing(
    own: OwnSandbox, tmp_path: Path, clock: ManualClock, answer: Answered, error: str
) -> None:
    async with staged(own, _required(tmp_path, Person(YES))) as stage:
        refusal = await _while_it_waits(stage, tmp_path, clock, answer)
        assert (refusal["error"], writes(stage)) == (error, [])


@pytest.mark.parametrize("answer", ["asked", "no answer", "stale"])
async def test_a_yes_stays_one_while_another_client_asks_and_gets_no_answer(
    own: OwnSandbox, tmp_path: Path, clock: ManualClock, answer: Answered
) -> None:
    async with staged(own, _required(tmp_path, Person(YES))) as stage:
        answered = await _while_it_waits(stage, tmp_path, clock, answer)
        assert (counted(answered["outcomes"][0]), len(writes(stage))) == ({"applied": 1}, 1)


@contextmanager
def _journal(root: Path, clock: ManualClock) -> Generator[JournalFile]:
    """Open the journal of the account, as another process has it."""
    (path,) = root.glob("journal-*.sqlite")
    with closing(JournalFile(path, clock)) as file:
        yield file


async def _asked(
    stage: Stage, token: str, answered: mt.InputRequiredResult | None = None
) -> mt.CallToolResult | mt.InputRequiredResult:
    """Call `apply_plan` as a client that asks its person by itself; with a question, answer that with yes."""
    said = mt.ElicitResult(action="accept", content={"confirm": True})
    call = stage.client.session.call_tool(
        "apply_plan",
        {"plan_tokens": [token]},
        input_responses=None if answered is None else dict.fromkeys(answered.input_requests or {}, said),
        request_state=None if answered is None else answered.request_state,
        allow_input_required=True,
    )
    return await unstuck(stage.own.sandbox.clock, call)


async def _question(stage: Stage, token: str) -> mt.InputRequiredResult:
    question = await _asked(stage, token)
    assert isinstance(question, mt.InputRequiredResult)
    return question


async def _yes(stage: Stage, token: str, question: mt.InputRequiredResult) -> Payload:
    answer = await _asked(stage, token, question)
    assert isinstance(answer, mt.CallToolResult)
    return answer.structured_content or {}


@pytest.mark.parametrize("flags", [{}, {"question_key": KEY}])
async def test_what_one_server_asked_another_takes_the_answer_to_and_applies_once(
    own: OwnSandbox, tmp_path: Path, flags: Mapping[str, object]
) -> None:
    setup = Setup(cache_dir=tmp_path, person=Person(), flags=flags)
    async with staged(own, setup) as first, staged(own, setup) as second:
        token = await planned(first)
        question = await _question(first, token)
        answer = await _yes(second, token, question)
        assert counted(answer["outcomes"][0]) == {"applied": 1}
        assert of_before(await _yes(first, token, question), answer)
        assert len(writes(first)) == 1


async def test_a_question_is_answered_after_a_restart(own: OwnSandbox, tmp_path: Path) -> None:
    setup = Setup(cache_dir=tmp_path, person=Person())
    async with staged(own, setup) as before:
        token = await planned(before)
        question = await _question(before, token)
    async with staged(own, setup) as after:
        assert counted((await _yes(after, token, question))["outcomes"][0]) == {"applied": 1}
        assert len(writes(after)) == 1


async def test_a_server_with_another_key_takes_no_answer(own: OwnSandbox, tmp_path: Path) -> None:
    setup = Setup(cache_dir=tmp_path, person=Person())
    async with staged(own, setup) as first, staged(own, replace(setup, flags={"question_key": KEY})) as second:
        token = await planned(first)
        question = await _question(first, token)
        with pytest.raises(MCPError):
            await _yes(second, token, question)
        assert writes(first) == []


async def test_the_key_is_made_once_and_is_private(tmp_path: Path) -> None:
    root = tmp_path / "kept"
    key = question_key(root)
    assert (len(key), question_key(root), question_key(tmp_path / "other") == key) == (32, key, False)
    path = root / "question.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    assert question_key(root) == key
    assert (stat.S_IMODE(path.stat().st_mode), [file.name for file in root.iterdir()]) == (0o600, ["question.key"])
    assert question_key(None) != question_key(None)
    for wrong in (b"short", b"long" * 25):
        path.write_bytes(wrong)
        with pytest.raises(CacheUnavailable, match=f"has {len(wrong)} bytes and not 32: move it away"):
            question_key(root)
    path.unlink()
    path.symlink_to(tmp_path / "other" / "question.key")
    with pytest.raises(CacheUnavailable, match="cannot be used"):
        question_key(root)


def test_a_key_that_cannot_be_made_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Path) -> Path:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("katana_mcp.caches.accounts.question_key.private_file", full)
    with pytest.raises(CacheUnavailable, match="cannot be used: No space left on device"):
        question_key(tmp_path / "kept")


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        ({"confirm": "never"}, r"KATANA_MCP_CONFIRM \(--confirm\): .*auto.*required"),
        ({"question_key": "short"}, "KATANA_MCP_QUESTION_KEY is too short: give it 32 random characters"),
    ],
)
def test_what_cannot_work_is_said_before_anything_starts(flags: Mapping[str, object], why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        load(sandbox=True, **flags)
