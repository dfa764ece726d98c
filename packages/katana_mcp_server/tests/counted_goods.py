"""Goods that are counted in tests, the table that is pasted of them, and what became of it."""

from collections.abc import Mapping
from typing import Any

from katana_mcp.testing import Payload, Stage
from katana_sandbox import ManualClock, Tenant

NORTH = 10000101


async def applied(stage: Stage, clock: ManualClock, preview: Payload) -> Payload:
    assert "plan_token" in preview, preview["message"]
    clock.advance(61)
    (outcome,) = (await stage.call("apply_plan", plan_tokens=[preview["plan_token"]]))["outcomes"]
    return outcome


def held(tenant: Tenant, variant: int) -> float:
    return float(tenant.get("inventory", (variant, NORTH))["quantity_in_stock"])


def goods(tenant: Tenant, count: int) -> list[dict[str, Any]]:
    """Return plain goods that are in stock there, without batches or serial numbers."""
    found: list[dict[str, Any]] = []
    for variant in tenant.all("variants"):
        path = "material_id" if variant["material_id"] else "product_id"
        item = tenant.get(f"{path.removesuffix('_id')}s", variant[path]) if variant[path] else {"batch_tracked": True}
        is_plain = not (item["batch_tracked"] or item.get("serial_tracked") or item["archived_at"])
        if is_plain and variant["sku"] and not variant["deleted_at"] and held(tenant, variant["id"]) > 3:
            found.append(variant)
        if len(found) == count:
            return found
    raise AssertionError(f"only {len(found)}")


def stocktakes(tenant: Tenant) -> list[dict[str, Any]]:
    return [stocktake for stocktake in tenant.all("stocktakes") if not stocktake["deleted_at"]]


def table_of(tenant: Tenant, counted: Mapping[int, float]) -> str:
    return "SKU\tCounted\n" + "\n".join(
        f"{tenant.get('variants', key)['sku']}\t{amount:g}" for key, amount in counted.items()
    )
