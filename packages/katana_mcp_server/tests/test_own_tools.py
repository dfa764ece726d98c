"""How a call comes to a tool of ours: looked up by its first call, and by no later one."""

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools.base import Tool
from fastmcp.utilities.versions import VersionSpec

from katana_mcp.configuration.settings import load
from katana_mcp.server.application import application

TOOLS = ("search_items", "cache_status")


@pytest.fixture
async def client() -> AsyncIterator[Client[Any]]:
    async with Client(application(load(_env_file=None, sandbox=True, toolsets="all", catalog="off"))) as client:
        yield client


async def test_a_tool_is_looked_up_by_its_first_call_alone(
    client: Client[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up, of_fastmcp = Counter[str](), FastMCP.get_tool

    async def counted(server: FastMCP[Any], name: str, version: VersionSpec | None = None) -> Tool | None:
        looked_up[name] += 1
        return await of_fastmcp(server, name, version)

    monkeypatch.setattr(FastMCP, "get_tool", counted)
    for tool in TOOLS * 3:
        answer = await client.call_tool(tool, {"query": "chain"} if tool == "search_items" else {})
        assert not answer.is_error
    assert looked_up == dict.fromkeys(TOOLS, 1)


async def test_any_version_of_a_tool_of_ours_is_the_one_that_there_is(client: Client[Any]) -> None:
    for version in (None, "2"):
        with pytest.raises(ToolError, match='"error":"not_found"'):
            await client.call_tool("get_item", {"id": 1}, version=version)


async def test_what_is_no_tool_is_refused_by_its_name(client: Client[Any]) -> None:
    with pytest.raises(ToolError, match="no tool is called 'cache_state'"):
        await client.call_tool("cache_state", {})
