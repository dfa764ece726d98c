"""A tool's answer depends on what Katana holds, never on which tool ran before it or on how warm the cache is."""

import asyncio
import json
import re
from collections.abc import Iterable, Mapping

import pytest

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Stage, paced, payload_of, staged, within
from katana_sandbox import ManualClock, Sandbox, SandboxConfig

from .matrix import A_MINUTE, PLANS, let_ask, matrix
from .prepared import prepare, prepared
from .usual import Usual, lasting

TOOLS = [tool for tool in matrix(prepared(ManualClock(auto=False)).sandbox.tenant()) if tool != "cache_status"]
PARTS = 12


@pytest.mark.soak
@pytest.mark.in_turn
@pytest.mark.parametrize("part", range(PARTS))
async def test_a_cold_answer_is_the_one_given_after_every_other_tool(
    own: OwnSandbox, stage: Stage, clock: ManualClock, part: int
) -> None:
    usual = matrix(own.sandbox.tenant())
    for tool in TOOLS:
        let_ask(tool, clock)
        await stage.call(tool, **usual[tool].arguments)
    for tool in reversed(TOOLS[part::PARTS]):
        clock.advance(A_MINUTE)
        warm = await stage.call(tool, **usual[tool].arguments)
        async with staged(own) as cold:
            assert _settled(await cold.call(tool, **usual[tool].arguments)) == _settled(warm), tool


def _settled(answer: Payload) -> Payload:
    """Leave out what time alone changes."""
    return {key: value for key, value in lasting(answer).items() if key not in {"as_of", "stale", "expires_at"}}


UNKNOWN = "no such record"
WHOLE_ACCOUNT = {
    "list_low_stock_items",
    "list_blocking_ingredients",
    "order_readiness",
    "promise_date",
    "buildable",
    "trace",
}
"""What asks about all there is waits with progress, as long as clients do."""
ALWAYS_ANSWER = {
    "get_bom",
    "get_variant_details",
    "list_customers",
    "list_inventory_signals",
    "list_reference",
    "search_customers",
    "search_items",
    "search_manufacturing_orders",
    "search_purchase_orders",
    "search_sales_orders",
    "search_sales_returns",
    "search_stock_adjustments",
    "search_stock_transfers",
}
"""Every other tool may refuse with `cold_cache`: it takes an argument that names a record, which is not read yet."""


def _patience(tool: str) -> float:
    return 40.5 if tool in WHOLE_ACCOUNT else 10


@pytest.mark.soak
@pytest.mark.parametrize("many", [10_000, 20_000])
async def test_a_cold_start_keeps_nobody_waiting_for_ten_seconds_or_forty_for_a_whole_account(
    clock: ManualClock, many: int
) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=many), clock=clock))
    usual = matrix(prepare(own.sandbox.tenant()))
    # One may take as long as Katana does. What is asked for by id comes first: nothing of it is listed yet.
    reading = [name for name in TOOLS if name not in PLANS | {"rebuild_cache"}]
    tools = sorted(reading, key=lambda tool: (tool in WHOLE_ACCOUNT, not tool.startswith("get_")))
    async with staged(own) as stage:
        unnamed = [(tool, {**usual[tool].arguments, **other}) for tool in tools for other in _unnamed(usual[tool])]
        soon = [call for call in unnamed if call[0] not in WHOLE_ACCOUNT]
        results = await within(clock, 10, asyncio.gather(*(stage.result(*call) for call in soon)))
        errors = {tool: payload_of(result)["error"] for (tool, _), result in zip(soon, results, strict=True)}
        assert errors.keys() == set(tools) - ALWAYS_ANSWER - WHOLE_ACCOUNT
        # What this list reads has few records: its listings are complete before the patience ends.
        assert {tool for tool, error in errors.items() if error != "cold_cache"} <= {"list_items"}, errors
        warming: list[str] = []
        clock.advance(61)  # a minute has 60 requests, of which reads leave 15 to writes
        for tool in tools:
            answer = await within(clock, _patience(tool), stage.call(tool, **usual[tool].arguments))
            warming += [answer["warming"]] if "warming" in answer else []
            ids = _ids(usual[tool].arguments).items() if tool.startswith("get_") else ()
            assert all(f'"{name}": {value}' in json.dumps(answer) for name, value in ids), (tool, answer)
        assert len(warming) >= len(tools) / 3
        assert all(re.fullmatch(r"\d+/(\d+|\?)", progress) for progress in warming), warming
        await _refuses_in_time(stage, clock, [call for call in unnamed if call[0] in WHOLE_ACCOUNT])
        order = stage.call("get_sales_order", **usual["get_sales_order"].arguments)
        assert (await within(clock, 10, order))["order"]["rows"]
        began = clock.monotonic()
        while "warming" in await within(clock, 10, stage.call("search_items", query="00")):
            await paced(clock, clock.sleep(20), 2)
        assert clock.monotonic() - began < 60 + many / 100
        (listed,) = [
            entity for entity in (await stage.call("cache_status"))["entities"] if entity["entity"] == "variant"
        ]
    assert listed["records"] == own.sandbox.tenant().count("variants")
    assert own.sandbox.max_requests_in_window() <= 60
    assert {request.status for request in own.sandbox.journal} == {200}


async def _refuses_in_time(stage: Stage, clock: ManualClock, calls: Iterable[tuple[str, dict[str, object]]]) -> None:
    """Call what waits for a whole account with records that are not there."""
    for tool, arguments in calls:
        refused = await within(clock, _patience(tool), stage.result(tool, arguments))
        assert payload_of(refused)["error"] in {"cold_cache", "not_found"}, tool


def _ids(arguments: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments that name a record of Katana's."""
    return {name: value for name, value in arguments.items() if name.endswith("_id") and name != "reference_id"}


def _unnamed(usual: Usual) -> list[dict[str, object]]:
    """Return for each argument of a tool that names a record one that nothing has."""
    return [{name: UNKNOWN} for name in _ids(usual.arguments | usual.changes)]
