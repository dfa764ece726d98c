"""A tool's answer depends on what Katana holds, never on which tool ran before it or on how warm the cache is."""

import pytest

from katana_mcp.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Stage, staged
from katana_sandbox import ManualClock, Sandbox

from .matrix import matrix

TOOLS = [each for each in matrix(Sandbox(clock=ManualClock(auto=False)).tenant()) if each != "cache_status"]


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_cold_answer_is_the_one_given_after_every_other_tool(own: OwnSandbox, stage: Stage, tool: str) -> None:
    usual = matrix(own.sandbox.tenant())
    for each in reversed(TOOLS):
        if each != tool:
            await stage.call(each, **usual[each].arguments)
    warm = await stage.call(tool, **usual[tool].arguments)
    async with staged(own) as cold:
        assert _settled(await cold.call(tool, **usual[tool].arguments)) == _settled(warm)


def _settled(answer: Payload) -> Payload:
    """Leave out an age of no seconds: while time stands still, stock that was marked cannot be read after its mark."""
    stale = answer.get("stale", {})
    return {key: value for key, value in answer.items() if key != "stale" or stale["age_seconds"] > 0}
