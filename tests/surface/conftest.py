"""A sandbox whose time stands still until it is moved, and a connected client."""

from collections.abc import AsyncGenerator

import pytest

from katana_mcp.sandbox import OwnSandbox
from katana_mcp.testing import Stage, staged
from katana_sandbox import ManualClock, Sandbox, Tenant


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(auto=False)


@pytest.fixture
def own(clock: ManualClock) -> OwnSandbox:
    sandbox = Sandbox(clock=clock)
    for collection in ("manufacturing_orders", "stock_transfers", "stock_adjustments"):
        tenant = sandbox.tenant()
        tenant.delete(collection, max(each["id"] for each in tenant.all(collection)))
    _subassembly(sandbox.tenant())
    return OwnSandbox(sandbox)


def _subassembly(tenant: Tenant) -> None:
    """Give the factory a BOM of two levels."""
    first, *others = tenant.all("bom_rows")
    top = {name: first[name] for name in ("product_variant_id", "product_item_id")}
    below = next(each for each in others if each["product_item_id"] != first["product_item_id"])
    tenant.create("bom_rows", {**top, "ingredient_variant_id": below["product_variant_id"], "quantity": 2})


@pytest.fixture
async def stage(own: OwnSandbox) -> AsyncGenerator[Stage]:
    async with staged(own) as connected:
        yield connected
