"""A preview says how current the names and numbers are that it was made of, as reads do."""

from datetime import timedelta

import pytest
from transfer_plans import new_transfer

from cache_core.records import iso
from katana_mcp.testing import Stage, within
from katana_sandbox import Fault, ManualClock, Status, Tenant


async def test_a_preview_is_as_old_as_the_oldest_names_in_it_and_costs_no_more(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    began = clock.now()
    first = await stage.call("create_stock_transfer", **new_transfer(tenant))
    assert (first["as_of"], "stale" in first, "warming" in first) == (iso(began), False, False)
    clock.advance(60)
    asked = stage.requests()
    second = await stage.call("create_stock_transfer", **new_transfer(tenant))
    assert (second["as_of"], "stale" in second, stage.requests() - asked) == (iso(began), False, 3)
    stage.own.sandbox.faults.add(Fault("GET /variants", action=Status(500), times=None))
    clock.advance(90)
    work = stage.call("create_stock_transfer", **new_transfer(tenant))
    third = await within(clock, 60, work)
    age = clock.now() - began
    assert third["as_of"] == iso(began)
    assert abs(third["stale"]["age_seconds"] - age / timedelta(seconds=1)) <= 1
    assert "plan_token" in third


@pytest.mark.cold
async def test_a_preview_during_the_first_sync_says_that_names_may_be_missing(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    stage.own.sandbox.faults.add(Fault("GET /services", action=Status(500), times=None))
    preview = await within(clock, 60, stage.call("create_stock_transfer", **new_transfer(tenant)))
    assert "warming" in preview
    assert "cold_cache" in {warning["code"] for warning in preview["warnings"]}
