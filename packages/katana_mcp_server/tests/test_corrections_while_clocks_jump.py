"""A wall clock that is set while Katana does not show yet what a saga has sent: nothing is sent again because of it."""

from pathlib import Path

import pytest
from correcting_steps import CASES, WRITES, brought_to_its_end, planned, tried
from counted_goods import NORTH, goods, table_of
from journal_plans import hasty
from tests.nights import rest_in_turn

from cache_core.protocol import OWN_WRITE_STANDS
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Setup, Stage, staged
from katana_sandbox import Drop, Fault, ManualClock, Mutate, ReplicaLag, Tenant

LAG = 400
"""Seconds by which Katana's listings lag: longer than the time between two tries."""
HOUR = 3600.0
JUMPS = [HOUR, -HOUR]
SMALL = ("small", "small sale", "small make")
"""A correction of an order of each kind."""


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def lost_while_listings_lag(own: OwnSandbox, step: int) -> None:
    """Let all that is read lag from the sending of a step on, whose answer is lost."""
    lagging = Mutate(change=lambda _: own.sandbox.faults.add(Fault("GET *", action=ReplicaLag(LAG), times=None)))
    own.sandbox.faults.add(Fault(WRITES, nth=step, action=lagging), Fault(WRITES, nth=step, action=Drop("after")))


def sent_since(own: OwnSandbox, start: int) -> int:
    """Return how many requests were writes since so many requests."""
    return sum(entry.method != "GET" for entry in own.sandbox.journal[start:])


async def counting(stage: Stage, tenant: Tenant) -> Payload:
    """Return the preview of a new stocktake."""
    counted = {row["id"]: 3 for row in goods(tenant, 1)}
    return await stage.call("count_stock", location_id=NORTH, table=table_of(tenant, counted))


@pytest.mark.parametrize("jump", JUMPS)
async def test_a_stocktake_is_made_once_whatever_the_clock_is_set_to(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path, jump: float
) -> None:
    clock.advance(HOUR)
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        token = (await counting(stage, tenant))["plan_token"]
        lost_while_listings_lag(own, 1)
        assert (await tried(stage, clock, token))["unknown"] == 1
        clock.shift(jump)
        await still_in_doubt(stage, clock, token)
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:  # a new process
        await still_in_doubt(stage, clock, token)
        own.sandbox.faults.clear()
        assert (await brought_to_its_end(stage, clock, token))["message"].startswith("applied: ")
    assert len([one for one in tenant.all("stocktakes") if one["stocktake_number"] == "STK-9"]) == 1


async def still_in_doubt(stage: Stage, clock: ManualClock, token: str) -> None:
    """Apply a plan again: that its step may have been done is told, and nothing is sent."""
    start = len(stage.own.sandbox.journal)
    outcome = await tried(stage, clock, token)
    assert (outcome["unknown"], sent_since(stage.own, start)) == (1, 0)
    assert "Katana may have done a step that it does not show yet" in outcome["warnings"][0]["message"]


@pytest.mark.parametrize("jump", JUMPS)
@pytest.mark.parametrize("size", rest_in_turn(*SMALL))
async def test_the_last_step_is_sent_once_whatever_the_clock_is_set_to(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path, size: str, jump: float
) -> None:
    case, tenant = CASES[size], own.sandbox.tenant()
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        order, preview = await planned(stage, tenant, case, "X-1")
        await brought_to_its_end(stage, clock, preview["plan_token"])
        end = case.shape(tenant, order["id"])
        order = case.make(tenant, "X-2")
        clock.advance(HOUR)  # what lags is how the order is now, not that it is there
        preview = await stage.call(f"correct_{case.kind}", id=order["id"], **case.edit(order))
        steps, start, token = len(preview["requests"]), len(own.sandbox.journal), preview["plan_token"]
        lost_while_listings_lag(own, steps)
        assert (await tried(stage, clock, token))["unknown"] == 1
        clock.shift(jump)
        await still_in_doubt(stage, clock, token)
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:  # a new process
        await still_in_doubt(stage, clock, token)
        own.sandbox.faults.clear()
        await brought_to_its_end(stage, clock, token)
    assert (case.shape(tenant, order["id"]), sent_since(own, start)) == (end, steps)


@pytest.mark.parametrize("jump", JUMPS)
async def test_a_step_that_never_came_is_sent_again_in_time_whatever_the_clock_is_set_to(
    stage: Stage, tenant: Tenant, clock: ManualClock, jump: float
) -> None:
    clock.advance(HOUR)
    token = (await counting(stage, tenant))["plan_token"]
    stage.own.sandbox.faults.add(Fault("POST *", action=Drop("before")))
    assert (await tried(stage, clock, token))["unknown"] == 1
    clock.shift(jump)
    await still_in_doubt(stage, clock, token)
    clock.advance(OWN_WRITE_STANDS)
    assert (await tried(stage, clock, token))["message"].startswith("applied: ")
