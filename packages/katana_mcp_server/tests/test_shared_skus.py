"""Variants that share an SKU are told apart by name and id wherever a person or a model has to choose or to agree."""

from dataclasses import replace

from journal_plans import plan_of
from server_wire import live
from transfer_plans import new_transfer

from cache_core.testing import ManualClock
from katana_mcp.testing import Stage
from katana_mcp.writing.confirmation_text import question
from katana_sandbox import Tenant

SKU = "TWIN"


def twins(tenant: Tenant) -> list[tuple[int, str]]:
    """Give two variants of different items one SKU; return their ids with the names of their items."""
    variants = [variant for variant in live(tenant, "variants") if variant.get("material_id") and variant["sku"]]
    items = list(dict.fromkeys(variant["material_id"] for variant in variants))[:2]
    found = [next(variant for variant in variants if variant["material_id"] == item) for item in items]
    for variant in found:
        tenant.edit("variants", variant["id"], sku=SKU)
    return [(record["id"], tenant.get("materials", record["material_id"])["name"]) for record in found]


def asked_about(lines: list[dict[str, object]]) -> str:
    return question([replace(plan_of("token", ManualClock()), shown={"lines": lines})])


async def test_lines_stock_and_question_tell_two_variants_of_one_sku_apart(stage: Stage, tenant: Tenant) -> None:
    (first, name), (second, other) = twins(tenant)
    rows = [{"sku_or_variant_id": first, "quantity": 1}, {"sku_or_variant_id": second, "quantity": 2}]
    preview = await stage.call("create_stock_transfer", **new_transfer(tenant, rows=rows, transfer_date="2026-03-01"))
    assert [(line["variant_id"], line["sku"], line["is_shared"]) for line in preview["lines"]] == [
        (first, SKU, True),
        (second, SKU, True),
    ]
    text = asked_about(preview["lines"])
    assert f"TWIN ({preview['lines'][0]['name']}, variant {first}) \N{MULTIPLICATION SIGN} 1" in text
    assert f"variant {second}) \N{MULTIPLICATION SIGN} 2" in text
    assert name in text
    assert other in text


async def test_stock_phrases_name_the_variant_where_one_of_its_twins_alone_is_planned(
    stage: Stage, tenant: Tenant
) -> None:
    (first, name), _ = twins(tenant)
    rows = [{"sku_or_variant_id": first, "quantity": 1}]
    made = await stage.call("create_stock_transfer", **new_transfer(tenant, rows=rows))
    assert made["lines"][0]["is_shared"]
    outcome = await stage.call("apply_plan", plan_tokens=[made["plan_token"]])
    (transfer,) = [entry["id"] for entry in outcome["outcomes"]]
    moved = await stage.call("modify_stock_transfer", stock_transfer_id=transfer, status="received")
    assert moved["stock"]
    for phrase in moved["stock"]:
        assert phrase.startswith(f"{SKU} ({name}"), phrase
        assert f"variant {first}) at " in phrase


async def test_an_sku_of_one_variant_alone_stays_short(stage: Stage, tenant: Tenant) -> None:
    preview = await stage.call("create_stock_transfer", **new_transfer(tenant))
    (line,) = preview["lines"]
    assert "is_shared" not in line
    assert "variant" not in asked_about([line])


async def test_a_filter_by_a_shared_sku_names_the_candidates(stage: Stage, tenant: Tenant) -> None:
    variants = twins(tenant)
    refusal = await stage.refusal("list_purchase_orders", skus_or_variant_ids=[SKU])
    assert refusal["error"] == "ambiguous_name"
    for variant, name in variants:
        assert f"{variant} ({name}" in refusal["warnings"][0]["message"]
