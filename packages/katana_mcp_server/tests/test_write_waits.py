"""A plan waits for Katana as long as a client does, says what it waits for, and then why it gave up."""

import re
from collections.abc import Mapping
from pathlib import Path

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Setup, Stage, payload_of, staged, within
from katana_sandbox import Delay, Fault, ManualClock, Sandbox, SandboxConfig, Status, Tenant

_MOST = 40.5


async def _planned(stage: Stage, clock: ManualClock, tool: str, arguments: Mapping[str, object]) -> tuple[Payload, str]:
    """Return what the tool gave within the time that a plan may take, and what was said meanwhile."""
    said: list[str] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        del progress, total
        said.append(message or "")

    call = stage.client.call_tool(tool, dict(arguments), raise_on_error=False, progress_handler=hear)
    result = await within(clock, _MOST, call)
    return payload_of(result), "\n".join(said)


def _renamed(tenant: Tenant) -> dict[str, object]:
    order = next(
        purchase_order for purchase_order in tenant.all("purchase_orders") if not purchase_order.get("deleted_at")
    )
    return {"purchase_order_id": order["id"], "additional_info": "call before noon"}


async def test_a_preview_waits_for_a_place_and_says_so(own: OwnSandbox, clock: ManualClock, tenant: Tenant) -> None:
    async with staged(own) as stage:
        change = _renamed(tenant)
        await _planned(stage, clock, "modify_purchase_order", change)
        headers = {"Retry-After": "20", "X-Ratelimit-Remaining": "30"}
        own.sandbox.faults.add(Fault("*", action=Status(429, headers=headers), times=1))
        began = clock.monotonic()
        preview, said = await _planned(stage, clock, "modify_purchase_order", change)
        assert preview.get("plan_token"), preview
        assert 19 < clock.monotonic() - began < 25
        assert "waiting for one of Katana's 60 requests a minute" in said


async def test_a_preview_that_finds_no_place_in_time_says_why_and_when_to_come_back(
    own: OwnSandbox, clock: ManualClock, tenant: Tenant
) -> None:
    async with staged(own) as stage:
        change = _renamed(tenant)
        await _planned(stage, clock, "modify_purchase_order", change)
        own.sandbox.faults.add(Fault("*", action=Status(429, headers={"retry-after": "60"}), times=None))
        began = clock.monotonic()
        refusal, _ = await _planned(stage, clock, "modify_purchase_order", change)
        waited = clock.monotonic() - began
        assert waited > 30
        assert refusal["error"] == "katana_unavailable"
        found = re.search(
            r"; waited (\d+) s for one of Katana's 60 requests a minute: ask again in (\d+) s",
            str(refusal["warnings"]),
        )
        assert found is not None, refusal["warnings"]
        assert abs(int(found[1]) - waited) <= 1
        assert 10 <= int(found[2]) <= 60


async def test_the_first_order_of_a_cold_account_is_planned(tmp_path: Path) -> None:
    clock = ManualClock(auto=False)
    own = OwnSandbox(Sandbox(SandboxConfig(variants=2_000, orders=200), clock=clock))
    tenant = own.sandbox.tenant()
    own.sandbox.faults.add(Fault("*", action=Delay(0.15), times=None))
    variant = next(record for record in tenant.all("variants") if record.get("material_id"))
    order = {
        "supplier_id": next(tenant.all("suppliers"))["name"],
        "location_id": next(tenant.all("locations"))["name"],
        "rows": [{"sku_or_variant_id": variant["sku"], "quantity": 2, "price_per_unit": 3}],
    }
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        preview, said = await _planned(stage, clock, "create_purchase_order", order)
    assert preview.get("plan_token"), preview
    assert "syncing" in said
    assert own.sandbox.max_requests_in_window() <= 60
