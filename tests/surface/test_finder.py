"""Search mode: few tools listed, every other one found and called."""

import json

import pytest

from katana_mcp.adapter.catalogue import catalogue, in_search_mode, tokens
from katana_mcp.sandbox import OwnSandbox
from katana_mcp.settings import load
from katana_mcp.surface import promised, tools
from katana_mcp.testing import Setup, payload_of, staged, text_of
from katana_sandbox import ManualClock

from .matrix import PLANS, lasting, matrix

LISTED = {each["name"]: each for each in catalogue()}
FOUND = {
    "which purchase orders are late": "list_purchase_orders",
    "recipe of a manufacturing order": "get_manufacturing_order_recipe",
    "list customers of a category": "list_customers",
    "transfer between locations": "search_stock_transfers",
}


async def test_few_tools_are_listed_for_few_tokens(own: OwnSandbox) -> None:
    async with staged(own, Setup(flags={"search_mode": True})) as stage:
        told = [each.model_dump(mode="json", by_alias=True) for each in await stage.client.list_tools()]
    names = [each["name"] for each in told]
    assert names[-2:] == ["search_tools", "call_tool"]
    assert set(names[:-2]) < set(LISTED)
    assert sum(map(tokens, told)) <= 2_000
    assert all(each["annotations"]["readOnlyHint"] for each in told)
    shown = await in_search_mode(promised(tools(), load(sandbox=True).flags()))
    assert [(each["name"], each["description"]) for each in shown] == [
        (each["name"], each["description"]) for each in told
    ]


@pytest.mark.parametrize(("query", "tool"), FOUND.items())
async def test_a_tool_is_found_by_what_it_is_for(own: OwnSandbox, query: str, tool: str) -> None:
    async with staged(own, Setup(flags={"search_mode": True})) as stage:
        assert tool in text_of(await stage.result("search_tools", {"query": query}))


async def test_every_tool_answers_through_the_one_that_calls_as_it_does_by_itself(
    own: OwnSandbox, clock: ManualClock
) -> None:
    async with staged(own, Setup(flags={"search_mode": True})) as stage:
        for tool, usual in matrix(own.sandbox.tenant()).items():
            if tool in PLANS:
                clock.advance(61)  # a plan asks Katana how things are now, and a minute has 60 requests
            result = await stage.result("call_tool", {"name": tool, "arguments": usual.arguments})
            answer = await stage.call(tool, **usual.arguments)
            assert lasting(payload_of(result)) == lasting(answer), tool
            assert json.loads(text_of(result)) == result.structured_content


async def test_what_is_wrong_is_told_in_the_same_words(own: OwnSandbox) -> None:
    async with staged(own, Setup(flags={"search_mode": True, "exclude_tools": ("list_items",)})) as stage:
        unknown = await stage.refusal("call_tool", name="search_itemz", arguments={"query": "x"})
        assert unknown["warnings"][0]["message"] == "no tool is called 'search_itemz'; did you mean 'search_items'?"
        assert (await stage.refusal("call_tool", name="list_items"))["error"] == "unknown_tool"
        wrong = await stage.refusal("call_tool", name="search_items", arguments={"querry": "x"})
        assert wrong["error"] == "unknown_argument"
    async with staged(own) as stage:
        assert (await stage.refusal("call_tool", name="search_items"))["error"] == "unknown_tool"
