"""A tool's answer depends on what Katana holds, never on which tool ran before it or on how warm the cache is."""

import re

import pytest

from katana_mcp.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Stage, paced, staged, within
from katana_sandbox import ManualClock, Sandbox, SandboxConfig

from .matrix import matrix

TOOLS = [each for each in matrix(Sandbox(clock=ManualClock(auto=False)).tenant()) if each != "cache_status"]


async def test_a_cold_answer_is_the_one_given_after_every_other_tool(
    own: OwnSandbox, stage: Stage, clock: ManualClock
) -> None:
    usual = matrix(own.sandbox.tenant())
    for tool in TOOLS:
        await stage.call(tool, **usual[tool].arguments)
    for tool in reversed(TOOLS):
        clock.advance(61)  # a cold start has the requests of a minute of its own
        warm = await stage.call(tool, **usual[tool].arguments)
        async with staged(own) as cold:
            assert _settled(await cold.call(tool, **usual[tool].arguments)) == _settled(warm), tool


def _settled(answer: Payload) -> Payload:
    """Leave out what time alone changes."""
    return {key: value for key, value in answer.items() if key not in {"as_of", "stale"}}


@pytest.mark.parametrize("variants", [10_000, pytest.param(20_000, marks=pytest.mark.soak)])
async def test_a_cold_start_keeps_nobody_waiting_for_ten_seconds(clock: ManualClock, variants: int) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=variants), clock=clock))
    usual = matrix(own.sandbox.tenant())
    async with staged(own) as stage:
        warming: list[str] = []
        for tool in [each for each in TOOLS if each != "rebuild_cache"]:  # that one may take as long as Katana does
            answer = (await within(clock, 10, stage.result(tool, usual[tool].arguments))).structured_content or {}
            assert answer.get("error", "cold_cache") == "cold_cache", tool
            warming += [answer["warming"]] if "warming" in answer else []
        assert len(warming) > len(TOOLS) / 3
        assert all(re.fullmatch(r"\d+/(\d+|\?)", each) for each in warming), warming
        order = await within(clock, 10, stage.call("get_sales_order", **usual["get_sales_order"].arguments))
        assert order["order"]["rows"]
        began = clock.monotonic()
        while "warming" in await within(clock, 10, stage.call("search_items", query="00")):
            await paced(clock, clock.sleep(20), 2)
        assert clock.monotonic() - began < 60 + variants / 100
        (listed,) = [each for each in (await stage.call("cache_status"))["entities"] if each["entity"] == "variant"]
    assert listed["records"] == own.sandbox.tenant().count("variants")
    assert own.sandbox.max_requests_in_window() <= 60
    assert {each.status for each in own.sandbox.journal} == {200}
