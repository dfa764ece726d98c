"""Who calls over HTTP: plans are their caller's alone, and a request can ask for less than the server allows."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from http_door import TOKEN, Door, opened
from journal_plans import hasty
from structlog.testing import capture_logs
from transfer_plans import applied, counted, made, new_transfer, planned, writes

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.server.mcp.caller import READ_ONLY, principal_of
from katana_mcp.testing import Setup, Stage, payload_of, staged
from katana_sandbox import Tenant

type Era = Literal["auto", "legacy"]
LISTING: dict[str, object] = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
LISTED = '"name":"apply_plan"'
OTHER = "another-http-token-0123456789"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@asynccontextmanager
async def calling(
    own: OwnSandbox, door: Door, token: str = TOKEN, *, era: Era = "auto", read_only: str | None = None
) -> AsyncGenerator[Stage]:
    """Connect a client to a door; `read_only` is what each request says of it."""
    sent = {"Authorization": f"Bearer {token}"} | ({} if read_only is None else {READ_ONLY: read_only})
    transport = StreamableHttpTransport(f"http://127.0.0.1:{door.port}/mcp", headers=sent)
    async with Client(transport, mode=era) as client:
        yield Stage(client, own)


async def test_a_plan_is_applied_by_its_own_caller_alone(
    own: OwnSandbox, tenant: Tenant, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, cache_dir=tmp_path) as door, calling(own, door) as stage:
        token = await planned(stage)
        second = opened(own, capsys, cache_dir=tmp_path, http_token=OTHER)
        async with second as next_door, calling(own, next_door, OTHER) as other:
            assert (await applied(other, token))["error"] == "unknown_plan"
        async with staged(own, Setup(cache_dir=tmp_path)) as local:
            assert (await applied(local, token))["error"] == "unknown_plan"
            theirs = await planned(
                local, "create_stock_transfer", **new_transfer(tenant, stock_transfer_number="ST-1x")
            )
        assert (await applied(stage, theirs))["error"] == "unknown_plan"
        assert writes(stage) == []
        with capture_logs() as logs:
            assert counted((await applied(stage, token))["outcomes"][0]) == {"applied": 1}
    (line,) = [log for log in logs if log["event"] == "plan ended"]
    assert re.fullmatch(r"http:[0-9a-f]{8}", line["principal"])
    assert line["principal"] == principal_of(TOKEN) != principal_of(OTHER)
    assert len(made(tenant)) == 1


async def test_each_line_of_a_tool_names_its_caller(own: OwnSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    with capture_logs() as logs:
        async with opened(own, capsys) as door, calling(own, door) as stage:
            await stage.call("cache_status")
        async with staged(own) as local:
            await local.call("cache_status")
    lines = [(line["tool"], line["caller"], line["outcome"]) for line in logs if line["event"] == "tool"]
    assert lines == [("cache_status", who, "answered") for who in (principal_of(TOKEN), "local")]


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_request_that_asks_to_read_only_previews_and_writes_nothing(
    own: OwnSandbox, tenant: Tenant, capsys: pytest.CaptureFixture[str], era: Era
) -> None:
    async with opened(own, capsys) as door, calling(own, door, era=era) as free:
        token = await planned(free)
        names = {tool.name for tool in await free.client.list_tools()}
        async with calling(own, door, era=era, read_only="true") as tight:
            assert names - {tool.name for tool in await tight.client.list_tools()} == {"apply_plan", "rebuild_cache"}
            preview = await tight.call("create_stock_transfer", **new_transfer(tenant))
            assert ("plan_token" in preview, "read-only" in preview["message"], preview["next_actions"]) == (
                False,
                True,
                [],
            )
            refusal = await applied(tight, token)
            assert (refusal["error"], READ_ONLY in refusal["warnings"][0]["message"]) == ("read_only", True)
            assert (await tight.refusal("rebuild_cache"))["error"] == "read_only"
        assert writes(free) == []
        async with calling(own, door, era=era, read_only="False") as loose:
            assert {tool.name for tool in await loose.client.list_tools()} == names
        assert counted((await applied(free, token))["outcomes"][0]) == {"applied": 1}


async def test_of_one_session_each_request_says_for_itself_and_what_is_no_clear_no_is_a_yes(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys) as door:
        headers = {"Host": f"127.0.0.1:{door.port}", "Authorization": f"Bearer {TOKEN}"}
        session = re.search(r"mcp-session-id: (\S+)", (await door.knock(headers))[1], re.IGNORECASE)
        assert session is not None
        headers["Mcp-Session-Id"] = session[1]
        values = ("true", "1", "yes", "maybe", "false", "0", " no ", "off", "")
        served = {
            value: LISTED in (await door.knock(headers | {READ_ONLY.lower(): value}, LISTING))[1] for value in values
        }
        assert served == {value: value.strip() in {"false", "0", "no", "off", ""} for value in served}
        twice = headers | {READ_ONLY: "false", READ_ONLY.upper(): "true"}
        assert LISTED not in (await door.knock(twice, LISTING))[1]
        assert LISTED in (await door.knock(headers, LISTING))[1]


async def _error(stage: Stage, call: dict[str, object]) -> object:
    return payload_of(await stage.result("call_tool", call))["error"]


async def test_where_tools_are_found_what_writes_is_neither_found_nor_called_for_it(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    served = opened(own, capsys, search_mode=True)
    async with served as door, calling(own, door) as free, calling(own, door, read_only="1") as tight:
        for stage, found in ((free, True), (tight, False)):
            result = await stage.result("search_tools", {"query": "write what previews have planned, by their tokens"})
            assert ("## apply_plan" in str(result.content)) is found, result
        call: dict[str, object] = {"name": "apply_plan", "arguments": {"plan_tokens": ["x"]}}
        assert await _error(tight, call) == "read_only"
        assert await _error(free, call) == "call_directly"
        assert (await applied(free, "x"))["error"] == "unknown_plan"
        assert (await applied(tight, "x"))["error"] == "read_only"


async def test_a_no_does_not_loosen_a_server_that_only_reads(
    own: OwnSandbox, tenant: Tenant, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, read_only=True) as door, calling(own, door, read_only="false") as stage:
        assert "apply_plan" not in {tool.name for tool in await stage.client.list_tools()}
        assert "plan_token" not in await stage.call("create_stock_transfer", **new_transfer(tenant))
        assert (await applied(stage, "any"))["error"] == "unknown_tool"
        assert writes(stage) == []
