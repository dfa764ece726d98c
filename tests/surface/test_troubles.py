"""Katana is down, slow or refuses: every tool that reads answers from the cache at once, and says how old that is."""

import json
from collections import deque
from collections.abc import Generator
from typing import Any

import pytest

from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Payload, Stage, within
from katana_mcp.values import items
from katana_sandbox import Delay, Drop, Fault, Hang, ManualClock, Status

from .matrix import ABSENT, PLANS, matrix

NOT_CACHED = {"list_traceability", "list_inventory_signals", "get_demand_forecast", "trace"}
"""What has to ask Katana each time, and is refused where that is not possible."""
TOOLS = [
    row["name"]
    for row in catalogue()
    if row["annotations"]["readOnlyHint"]
    and row["annotations"]["openWorldHint"]
    and row["name"] not in PLANS | NOT_CACHED
]
TROUBLES = {
    "down": Drop(),
    "failing": Status(503),
    "hanging": Hang(),
    "slow": Delay(20),
    "refusing": Status(429),
    "refusing for an hour": Status(429, headers={"Retry-After": "3600"}),
    "key refused": Status(401),
}
VARIES = {"as_of", "stale", "warnings", "overdue"}


def _without_times(answer: Payload) -> Payload:
    """Return the answer without what time alone changes."""
    return json.loads(json.dumps(answer), object_hook=lambda entry: {k: v for k, v in entry.items() if k not in VARIES})


def _cases() -> Generator[Any]:
    """Give every other tool a trouble, each of them in turn; and each tool all, among the slow proofs."""
    for place, tool in enumerate(TOOLS):
        in_line = deque(TROUBLES)
        in_line.rotate(-(place // 2))
        yield pytest.param(tool, tuple(in_line)[:1], id=tool, marks=[pytest.mark.soak] if place % 2 else [])
        yield pytest.param(tool, tuple(in_line), id=f"{tool}-all", marks=pytest.mark.soak)


@pytest.mark.in_turn
@pytest.mark.parametrize(("tool", "troubles"), list(_cases()))
async def test_whatever_is_wrong_the_cached_answer_comes_within_a_second_with_its_age_and_the_reason(
    stage: Stage, clock: ManualClock, tool: str, troubles: tuple[str, ...]
) -> None:
    arguments = _existing(matrix(stage.own.sandbox.tenant())[tool].arguments)
    fresh = await _fresh(stage, clock, tool, arguments)
    for name in troubles:
        clock.advance(3_000)
        stage.own.sandbox.faults.add(Fault("*", action=TROUBLES[name], times=None))
        for _ in range(2):
            answer = await within(clock, 1, stage.call(tool, **arguments))
            assert answer["stale"]["age_seconds"] >= 3_000, name
            assert answer["stale"]["reason"], name
            assert _without_times(answer) == _without_times(fresh), name
            await within(clock, 20, clock.sleep(20))
        stage.own.sandbox.faults.clear()
        fresh = await _fresh(stage, clock, tool, arguments)


@pytest.mark.parametrize("tool", ["get_variant_details", "check_inventory"])
async def test_what_is_denied_is_asked_for_first_and_the_answer_comes_within_four_seconds_whatever_is_wrong(
    stage: Stage, clock: ManualClock, tool: str
) -> None:
    usual = _existing(matrix(stage.own.sandbox.tenant())[tool].arguments)["skus_or_variant_ids"]
    arguments: dict[str, object] = {"skus_or_variant_ids": [*items(usual), ABSENT]}
    fresh = await _fresh(stage, clock, tool, arguments)
    assert [missing["asked"] for missing in fresh["not_found"]] == [ABSENT]
    clock.advance(3_000)
    stage.own.sandbox.faults.add(Fault("*", action=Hang(), times=None))
    answer = await within(clock, 4, stage.call(tool, **arguments))
    assert answer["stale"]["age_seconds"] >= 3_000
    assert [missing["asked"] for missing in answer["not_found"]] == [ABSENT]


def _existing(arguments: dict[str, object]) -> dict[str, object]:
    """Leave out what nothing has: before it is denied, Katana is asked for it."""
    return {
        name: [element for element in value if element != ABSENT] if isinstance(value, list) else value
        for name, value in arguments.items()
    }


async def _fresh(stage: Stage, clock: ManualClock, tool: str, arguments: dict[str, object]) -> Payload:
    """Return the answer of well rows, which come two minutes after Katana is well again at the latest."""
    answer: Payload = {}
    for _ in range(12):
        answer = await within(clock, 10, stage.call(tool, **arguments))
        if not {"stale", "warming"} & set(answer):
            return answer
        await within(clock, 10, clock.sleep(10))
    raise AssertionError(answer)
