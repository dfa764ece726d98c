"""`apply_plan` through real doors, stdio and HTTP, in both eras, with a person, without one, and in search mode."""

import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import ClientTransport, StdioTransport, StreamableHttpTransport
from http_door import TOKEN, opened
from journal_plans import hasty
from transfer_plans import NUMBER, made, new_transfer

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, payload_of, staged
from katana_sandbox import ManualClock, Sandbox, Tenant

type Era = Literal["auto", "legacy"]

ERAS: Sequence[Era] = ("auto", "legacy")
YES: ElicitResult[Any] = ElicitResult(action="accept", content={"confirm": True})
DECLINE: ElicitResult[Any] = ElicitResult(action="decline")
CANCEL: ElicitResult[Any] = ElicitResult(action="cancel")


@asynccontextmanager
async def over_stdio(directory: Path) -> AsyncGenerator[tuple[ClientTransport, Tenant]]:
    sandbox = Sandbox(clock=ManualClock())
    async with sandbox.serve() as url:
        yield (
            StdioTransport(
                command=sys.executable,
                args=["-m", "katana_mcp", "serve", "--sandbox", "--base-url", url, "--cache-dir", str(directory)],
                env={"KATANA_API_KEY": sandbox.default_key},
                cwd=str(directory),
                keep_alive=False,
            ),
            sandbox.tenant(),
        )


async def written(
    transport: ClientTransport, tenant: Tenant, era: Era, answers: Sequence[ElicitResult[Any]]
) -> list[int]:
    """Plan a transfer and apply it once for each answer and once more; return how many there were each time."""
    asked: list[str] = []

    async def person(message: str, *_: object) -> ElicitResult[Any]:
        asked.append(message)
        return answers[len(asked) - 1]

    handler = person if answers else None
    async with Client(transport, mode=era, init_timeout=60, elicitation_handler=handler) as client:
        preview = await client.call_tool("create_stock_transfer", new_transfer(tenant))
        token = payload_of(preview)["plan_token"]
        counts: list[int] = []
        for _ in range(len(answers) + 1):
            await client.call_tool("apply_plan", {"plan_tokens": [token]}, raise_on_error=False)
            counts.append(len(made(tenant)))
    assert [NUMBER in question for question in asked] == [True] * len(answers)
    return counts


@pytest.mark.parametrize("era", ["auto", pytest.param("legacy", marks=pytest.mark.soak)])
async def test_over_stdio_a_dismissed_question_writes_nothing_and_a_yes_once(tmp_path: Path, era: Era) -> None:
    async with over_stdio(tmp_path) as (transport, tenant):
        assert await written(transport, tenant, era, [CANCEL, YES]) == [0, 1, 1]


@pytest.mark.parametrize("era", ERAS)
async def test_over_http_a_no_is_final_a_yes_writes_once_and_without_a_person_the_host_is_the_gate(
    own: OwnSandbox, tenant: Tenant, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, era: Era
) -> None:
    hasty(monkeypatch)
    async with opened(own, capsys) as door:

        def transport() -> ClientTransport:
            return StreamableHttpTransport(f"http://127.0.0.1:{door.port}/mcp", auth=TOKEN)

        assert await written(transport(), tenant, era, [DECLINE]) == [0, 0]
        assert await written(transport(), tenant, era, [CANCEL, YES]) == [0, 1, 1]
        assert await written(transport(), tenant, era, []) == [2]


@pytest.mark.parametrize("era", ERAS)
async def test_a_person_is_asked_as_well_for_a_plan_that_was_made_through_another_tool(
    own: OwnSandbox, tenant: Tenant, monkeypatch: pytest.MonkeyPatch, era: Era
) -> None:
    hasty(monkeypatch)
    answers, asked = [CANCEL, YES], list[str]()

    async def person(message: str, *_: object) -> ElicitResult[Any]:
        asked.append(message)
        return answers[len(asked) - 1]

    async with staged(own, Setup(era=era, person=person, flags={"search_mode": True})) as stage:
        plan = {"name": "create_stock_transfer", "arguments": new_transfer(tenant)}
        token = (await stage.call("call_tool", **plan))["plan_token"]
        for count in (0, 1):
            await stage.result("apply_plan", {"plan_tokens": [token]})
            assert (len(made(tenant)), len(asked)) == (count, count + 1)
