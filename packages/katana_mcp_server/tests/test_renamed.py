"""Tools that were renamed after a release stay callable under their old names, and are listed under the new ones."""

import pytest

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp import renamed
from katana_mcp.testing import Setup, staged

EVERYDAY = Setup(flags={"toolsets": ()})


async def test_a_tool_answers_to_the_name_that_a_release_had_for_it(
    own: OwnSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renamed, "RENAMED", {"find_parts": "search_items", "stock_then": "inventory_at"})
    then = {"as_of": "2026-02-28", "skus_or_variant_ids": ["PAD"]}
    async with staged(own, EVERYDAY) as stage:
        assert await stage.call("find_parts", query="fork") == await stage.call("search_items", query="fork")
        found = [await stage.call("call_tool", name=name, arguments=then) for name in ("stock_then", "inventory_at")]
        assert found[0]["stock"] == found[1]["stock"]
        assert not {"find_parts", "stock_then"} & {tool.name for tool in await stage.client.list_tools()}
        assert (await stage.refusal("find_part", query="fork"))["error"] == "unknown_tool"


def test_what_was_renamed_has_a_name_of_today_and_no_name_is_used_twice() -> None:
    tool_names = {tool.name for tool in tools()}
    assert set(renamed.RENAMED.values()) <= tool_names
    assert not set(renamed.RENAMED) & tool_names
