"""What is kept of our tools: a server lists them without what they do, and has it when one is called."""

import json
import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

from katana_mcp.configuration.backend_flags import DEFAULTS
from katana_mcp.server.catalogue import promised
from katana_mcp.server.kept_tools import kept_tools
from katana_mcp.server.made_tools import by_name, tools
from katana_mcp.surface.descriptor import ListedTool

PROGRAM = """
import asyncio, json, sys
from fastmcp import Client
from katana_mcp.configuration.settings import Settings
from katana_mcp.server.application import application

def loaded():
    return [name for name in ("katana_mcp.entities", "katana_mcp.workflows") if name in sys.modules]

async def main():
    async with Client(application(Settings())) as client:
        listed = [tool.name for tool in await client.list_tools()]
        before = loaded()
        refused = await client.call_tool("search_items", {"limit": -1}, raise_on_error=False)
        print(json.dumps([listed, before, loaded(), refused.content[0].text]))

asyncio.run(main())
"""


def test_a_server_that_lists_its_tools_has_not_loaded_what_they_do_until_one_is_called(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KATANA_")}
    environment |= {"KATANA_API_KEY": "a-key-of-nobody", "KATANA_BASE_URL": "http://127.0.0.1:9/v1"}
    environment |= {"KATANA_MCP_TOOLSETS": "all", "KATANA_CACHE_DIR": str(tmp_path / "cache")}
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    listed, before, after, refused = json.loads(ended.stdout.splitlines()[-1])
    assert sorted(listed) == sorted(tool.name for tool in tools())
    assert before == []
    assert after == ["katana_mcp.entities", "katana_mcp.workflows"]
    assert "limit" in refused


def test_what_is_kept_says_what_the_tool_says() -> None:
    for kept, made in zip(kept_tools(), tools(), strict=True):
        assert kept.groups == made.groups
        for field in fields(ListedTool):
            assert getattr(kept, field.name) == getattr(made, field.name)


def test_a_tool_that_is_called_something_else_does_the_same() -> None:
    kept = next(tool for tool in kept_tools() if tool.name == "search_items")
    assert replace(kept, name="find_parts", description="Finds parts.").spec() is by_name()["search_items"]
    assert by_name()["search_items"].spec() is by_name()["search_items"]


def test_with_what_ships_no_search_promises_less_than_what_is_kept() -> None:
    assert promised(kept_tools(), DEFAULTS) == kept_tools()
    without = promised(kept_tools(), {**DEFAULTS, "variant": "legacy"})  # goes with cache_legacy
    pairs = zip(without, kept_tools(), strict=True)  # goes with cache_legacy
    assert [tool.name for tool, kept in pairs if tool is not kept] == ["search_items"]  # goes with cache_legacy
