"""A new jacket: from "is it there?" to a product that is found, priced, changed and taken out, over a real client."""

from pathlib import Path
from typing import Any

import pytest

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import staged
from katana_sandbox import ManualClock, Sandbox, Tenant

from .clerk import Clerk, direct, over_stdio, patient

JACKET, CLOTH = "Winter jacket", "Softshell cloth"
SIZES = ("S", "M")


def _held(tenant: Tenant, collection: str, name: str) -> dict[str, Any]:
    """Return the one live item of a name as Katana has it."""
    (item,) = [record for record in tenant.all(collection) if record["name"] == name and not record["deleted_at"]]
    return item


async def _set_up(clerk: Clerk) -> None:
    """Find nothing of that name, and make the cloth and the jacket in its sizes, which is cut from it."""
    assert (await clerk.asks("search_items", query="softshell"))["rows"] == []
    cloth = {"sku": "CLOTH-1", "purchase_price": 12.5, "sales_price": 20, "lead_time": 14, "internal_barcode": "cl-1"}
    unit = {"uom": "m", "purchase_uom": "roll", "purchase_uom_conversion_rate": 50}
    await clerk.does("create_item", type="material", name=CLOTH, variants=[cloth], **unit)
    sizes = [{"sku": f"JACKET-{size}", "config": {"Size": size}, "sales_price": 180} for size in SIZES]
    await clerk.does("create_item", type="product", name=JACKET, variants=sizes, category_name="Clothes")
    for size in SIZES:
        row = {"sku_or_variant_id": "CLOTH-1", "quantity": 2}
        await clerk.does("modify_bom", sku_or_variant_id=f"JACKET-{size}", add_rows=[row])


async def _changed(clerk: Clerk) -> dict[str, Any]:
    """Add a size, raise one price, and let the cloth come later; return the outcome of the jacket."""
    await clerk.does(
        "modify_item", type="material", item_id="CLOTH-1", update_variants=[{"variant_id": "CLOTH-1", "lead_time": 21}]
    )
    return await clerk.does(
        "modify_item",
        type="product",
        item_id=JACKET,
        add_variants=[{"sku": "JACKET-L", "config": {"Size": "L"}, "sales_price": 190}],
        update_variants=[{"variant_id": "JACKET-S", "sales_price": 185}],
    )


async def _run_story(clerk: Clerk, tenant: Tenant) -> None:
    """Tell it, and assert after each turn that Katana holds what the tools say."""
    await _set_up(clerk)
    changed = await _changed(clerk)
    shown = (await clerk.asks("get_item", item_id=JACKET))["item"]
    prices = {row["sku"]: (row["config"], row["sales_price"]) for row in shown["rows"]}
    assert prices == {"JACKET-S": ("Size: S", 185), "JACKET-M": ("Size: M", 180), "JACKET-L": ("Size: L", 190)}
    jacket, cloth = _held(tenant, "products", JACKET), _held(tenant, "materials", CLOTH)
    assert {row["sku"]: row["sales_price"] for row in jacket["variants"]} == {
        sku: price for sku, (_, price) in prices.items()
    }
    assert [(config["name"], config["values"]) for config in jacket["configs"]] == [("Size", ["S", "M", "L"])]
    (variant,) = cloth["variants"]
    fields = ("sales_price", "purchase_price", "lead_time", "internal_barcode")
    assert [variant[name] for name in fields] == [20, 12.5, 21, "CL-1"]
    clerk.rest()
    gone = await clerk.asks("delete_item", type="material", item_id="CLOTH-1")
    assert [(warning["code"], "JACKET-S, JACKET-M" in warning["message"]) for warning in gone["warnings"]] == [
        ("in_use", True)
    ]
    await clerk.does(changed["revert"]["tool"], **changed["revert"]["arguments"])
    back = _held(tenant, "products", JACKET)
    assert {row["sku"]: row["sales_price"] for row in back["variants"]} == {"JACKET-S": 180, "JACKET-M": 180}
    assert [config["values"] for config in back["configs"]] == [["S", "M"]]
    await clerk.does("modify_item", type="product", item_id=JACKET, is_archived=True)
    found = (await clerk.asks("search_items", query="JACKET-S"))["rows"]
    assert not [row for row in found if str(row.get("sku")).startswith("JACKET")]
    assert _held(tenant, "products", JACKET)["archived_at"]


async def test_a_product_and_its_material_are_set_up_changed_and_put_back() -> None:
    clock = ManualClock(auto=False)
    own = OwnSandbox(Sandbox(clock=clock))
    async with staged(own) as stage:
        await _run_story(Clerk(direct(stage), lambda: clock.advance(61)), own.sandbox.tenant())


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_they_are_through_a_real_client_of_a_real_process(tmp_path: Path) -> None:
    sandbox = Sandbox()
    async with sandbox.serve() as url, over_stdio(url, sandbox.default_key, tmp_path) as client:
        await _run_story(Clerk(patient(client), lambda: None), sandbox.tenant())
