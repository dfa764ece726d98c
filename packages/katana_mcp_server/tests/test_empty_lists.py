"""A list that holds nothing says by what it was filtered, of how many records, and what was near."""

from typing import Any

import pytest
from server_wire import live

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Stage, paced, staged
from katana_sandbox import Delay, Fault, ManualClock, Sandbox, SandboxConfig, Tenant

REFERENCE = "list_reference"
LISTS = [row["name"] for row in catalogue() if "empty" in row["outputSchema"]["properties"]]


def swapped(text: str) -> str:
    """Return a text with a typing error near its end."""
    return f"{text[:-2]}{text[-1]}{text[-2]}"


async def test_filters_that_keep_nothing_are_told_with_how_many_records_there_are(stage: Stage, tenant: Tenant) -> None:
    asked: dict[str, Any] = {"currency": "zzz", "delivery_from": "2026-12-01", "status": ["packed"]}
    answer = await stage.call("list_sales_orders", limit=5, order_by="created_at", **asked)
    assert (answer["rows"], answer["total"]) == ([], 0)
    assert answer["empty"] == {
        "searched": "status=['PACKED'], currency='ZZZ', delivery_from='2026-12-01T00:00:00+02:00'",
        "fields": ["status", "currency", "delivery_from"],
        "records": len(live(tenant, "sales_orders")),
        "did_you_mean": [],
    }
    assert answer["next_actions"] == ["list_sales_orders(...) with fewer filters"]
    some = await stage.call("list_sales_orders", limit=1, page=1_000)
    assert (some["rows"], "empty" in some) == ([], False)
    deleted = await stage.call("list_sales_orders", currency="ZZZ", include_deleted=True)
    assert deleted["empty"]["records"] == sum(1 for _ in tenant.all("sales_orders")) > answer["empty"]["records"]


async def test_a_text_that_nothing_has_comes_with_those_that_are_near(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    customer = next(record for record in live(tenant, "customers") if record["company"])
    product = live(tenant, "products")[0]
    reason = next(adjustment["reason"] for adjustment in live(tenant, "stock_adjustments") if adjustment["reason"])
    for tool, name, value in (
        ("list_customers", "name", customer["name"]),
        ("list_customers", "company", customer["company"]),
        ("list_customers", "category", customer["category"]),
        ("list_customers", "email", customer["email"]),
        ("list_items", "name", product["name"]),
        ("list_items", "category", product["category_name"]),
        ("list_stock_adjustments", "reason", reason),
    ):
        answer = await stage.call(tool, **{name: swapped(value)})
        assert value in answer["empty"]["did_you_mean"], (tool, name, value, answer)
        near = answer["empty"]["did_you_mean"][0]
        assert answer["next_actions"] == [f"{tool}(..., {name}={near!r})"]
        assert (await stage.call(tool, **{name: near}))["total"] > 0
    far = await stage.call("list_customers", category="no such category at all")
    assert (far["empty"]["did_you_mean"], far["next_actions"]) == ([], ["list_customers(...) with fewer filters"])
    other = await stage.call("list_customers", name=customer["name"], currency="ZZZ")
    assert other["empty"]["did_you_mean"] == []
    spelt = await stage.call("list_customers", category=customer["category"].lower(), currency="ZZZ")
    assert (spelt["total"], spelt["empty"]["did_you_mean"]) == (0, [])
    gone = await stage.call("list_customers", ids=[999_999])
    assert (gone["not_found"], gone["empty"]["fields"], gone["next_actions"]) == ([999_999], ["ids"], [])
    tenant.edit("products", product["id"], bump=True, category_name="Wheels " * 40)
    clock.advance(600)
    # What is longer than a filter can be is no help.
    assert (await stage.call("list_items", category="Wheels " * 30))["empty"]["did_you_mean"] == []


async def test_a_text_is_taken_whatever_its_case_where_no_record_has_it_to_the_letter(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    for tool, name, collection, field in (
        ("list_customers", "category", "customers", "category"),
        ("list_items", "category", "products", "category_name"),
    ):
        value = next(record[field] for record in live(tenant, collection) if record[field])
        exact = await stage.call(tool, **{name: value})
        assert exact["total"] > 0
        for spelt in (value.upper(), f" {value.lower()} "):
            assert await stage.call(tool, **{name: spelt}) == exact
    first, second = live(tenant, "customers")[:2]
    tenant.edit("customers", first["id"], bump=True, category="vip")
    tenant.edit("customers", second["id"], bump=True, category="VIP")
    clock.advance(600)
    for spelt, ids in (("vip", {first["id"]}), ("VIP", {second["id"]}), ("Vip", {first["id"], second["id"]})):
        rows = (await stage.call("list_customers", category=spelt))["rows"]
        assert {row["customer_id"] for row in rows} == ids


EMPTY: list[tuple[str, dict[str, Any], str]] = [
    *(
        (tool, {}, tool.removeprefix("list_").replace("_", " "))
        for tool in LISTS
        if tool.startswith("list_") and tool != REFERENCE
    ),
    (REFERENCE, {"kind": "supplier"}, "suppliers"),
    ("list_low_stock_items", {}, "items"),
    ("list_blocking_ingredients", {}, "manufacturing orders"),
    ("order_readiness", {}, "sales orders"),
    ("buildable", {}, "items"),
    ("replenish", {}, "items"),
    ("stock_value", {}, "movements of stock"),
    ("promise_date", {"rows": [{"sku_or_variant_id": "PAD", "quantity": 1}]}, "items"),
    ("check_inventory", {"skus_or_variant_ids": ["PAD"]}, "items"),
    ("get_variant_details", {"skus_or_variant_ids": ["PAD"]}, "items"),
    ("get_bom", {"skus_or_variant_ids": ["PAD"]}, "items"),
    ("get_inventory_movements", {"skus_or_variant_ids": ["PAD"]}, "items"),
    ("inventory_at", {"skus_or_variant_ids": ["PAD"], "as_of": "2026-03-01T00:00:00Z"}, "items"),
]
SINGLE = {"sales_order": "SO-5", "purchase_order": 7, "manufacturing_order": "MO-1", "customer": "Velo", "item": "PAD"}


async def test_an_empty_account_is_called_empty_by_whatever_looks_for_something(clock: ManualClock) -> None:
    async with staged(OwnSandbox(Sandbox(SandboxConfig(empty=True), clock=clock))) as stage:
        for tool, arguments, titles in EMPTY:
            answer = await stage.call(tool, **arguments)
            assert answer["next_actions"] == [f"Katana holds no {titles} yet"], tool
        for name, asked in SINGLE.items():
            refusal = await stage.refusal(f"get_{name}", **{f"{name}_id": asked})
            assert refusal["error"] == "not_found"
            message = refusal["warnings"][0]["message"]
            assert message.endswith(f"; Katana holds no {name.replace('_', ' ')}s yet"), message


@pytest.mark.cold
async def test_nothing_is_called_empty_while_the_first_sync_runs(own: OwnSandbox, clock: ManualClock) -> None:
    own.sandbox.faults.add(Fault("*", action=Delay(60), times=None))
    async with staged(own) as stage:
        answer = await paced(clock, stage.call("list_customers", category="dealer"), 1)
        assert (answer["rows"], answer["warming"], "empty" in answer, answer["next_actions"]) == ([], "0/?", False, [])
        found = await paced(clock, stage.call("check_inventory", skus_or_variant_ids=["PAD"]), 1)
        refusal = await paced(clock, stage.refusal("get_sales_order", sales_order_id="SO-5"), 1)
        low = await paced(clock, stage.call("list_low_stock_items"), 1)
        assert "Katana holds no" not in f"{found}{refusal}{low}"
