"""Two servers of one account: together they keep to Katana's limit, whatever its headers say, and people go first."""

from pathlib import Path

import pytest
from server_wire import live
from test_shared_budget import HOSTILE

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, paced, staged, within
from katana_sandbox import EditHeaders, Fault, ManualClock, Sandbox, SandboxConfig, Status

pytestmark = pytest.mark.threads

CAP = 65.5


@pytest.mark.soak
async def test_two_servers_that_warm_up_one_cache_keep_to_the_limit_and_answer_within_ten_seconds(
    tmp_path: Path,
) -> None:
    clock = ManualClock(auto=False)
    own = OwnSandbox(Sandbox(SandboxConfig(variants=9_000, orders=2_000), clock=clock))
    named = [variant["id"] for variant in live(own.sandbox.tenant(), "variants")[:2]]
    setup = Setup(cache_dir=tmp_path, flags={"sync": "background"})
    async with staged(own, setup) as one, staged(own, setup) as other:
        for stage in (one, other):
            await stage.client.list_tools()
            await stage.call("cache_status")
        for _ in range(30):
            for stage in (one, other):
                answer = await within(clock, 10, stage.call("check_inventory", skus_or_variant_ids=named))
                assert [row["variant_id"] for row in answer["stock"]] == named
            await paced(clock, clock.sleep(5), 1)
    assert len(own.sandbox.journal) > 75
    assert own.sandbox.max_requests_in_window() <= 60
    assert {request.status for request in own.sandbox.journal} == {200}


@pytest.mark.parametrize("status", [pytest.param(200, marks=pytest.mark.soak), 429])
@pytest.mark.parametrize("headers", HOSTILE.values(), ids=HOSTILE)
async def test_no_header_holds_two_servers_up_longer_than_65_seconds(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    action = EditHeaders(set=headers) if status == 200 else Status(429, headers=headers)
    setup = Setup(cache_dir=tmp_path)
    async with staged(own, setup) as one, staged(own, setup) as other:
        await one.call("search_customers", query="velo")
        clock.advance(600)
        before = one.requests()
        own.sandbox.faults.add(Fault("*", action=action))
        await within(clock, 1, one.call("search_customers", query="velo"))
        await within(clock, 1, other.call("search_customers", query="velo"))
        await paced(clock, clock.sleep(2 * CAP), 2)
    times = [request.seconds for request in list(own.sandbox.journal)[before:]]
    assert len(times) > 1
    assert times[1] - times[0] <= CAP
