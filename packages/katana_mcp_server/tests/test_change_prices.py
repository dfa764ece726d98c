"""`change_prices`: many prices in one plan, by a percentage or one by one, applied once and taken back."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from journal_plans import hasty
from server_wire import live

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Setup, Stage, payload_of, staged
from katana_sandbox import Drop, Fault, ManualClock, Tenant

TOOL = "change_prices"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _prices(tenant: Tenant, field: str = "sales_price") -> dict[int, Any]:
    return {variant["id"]: variant[field] for variant in live(tenant, "variants")}


def _raised(price: float, factor: str) -> float:
    """Return a price times so much, to the cent; half a cent is one."""
    return float((Decimal(str(price)) * Decimal(factor)).quantize(Decimal("0.01"), ROUND_HALF_UP))


async def _applied(stage: Stage, clock: ManualClock, preview: Payload) -> Payload:
    assert "plan_token" in preview, preview["message"]
    clock.advance(61)
    (outcome,) = (await stage.call("apply_plan", plan_tokens=[preview["plan_token"]]))["outcomes"]
    return outcome


async def test_a_category_is_raised_by_a_percentage_and_taken_back_to_the_cent(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    before = _prices(tenant)
    wheels = {
        path: {record["id"] for record in live(tenant, items) if record["category_name"] == "Wheels"}
        for path, items in (("material_id", "materials"), ("product_id", "products"))
    }
    meant = {
        variant["id"]
        for variant in live(tenant, "variants")
        if variant["sales_price"] and any(variant[path] in ids for path, ids in wheels.items())
    }
    preview = await stage.call(TOOL, which="sales", percent=5, category="Wheels")
    assert {line["variant_id"] for line in preview["lines"]} == meant
    outcome = await _applied(stage, clock, preview)
    assert (outcome["applied"], outcome["failed"]) == (len(meant), 0)
    after = _prices(tenant)
    assert {id for id in after if after[id] != before[id]} == meant
    assert all(after[id] == _raised(before[id], "1.05") for id in meant)
    clock.advance(61)
    back = await _applied(stage, clock, await stage.call(outcome["revert"]["tool"], **outcome["revert"]["arguments"]))
    assert back["applied"] == len(meant)
    assert _prices(tenant) == before


async def test_prices_one_by_one_go_to_their_own_variants(stage: Stage, clock: ManualClock, tenant: Tenant) -> None:
    first, second = [
        variant for variant in live(tenant, "variants") if variant["material_id"] and variant["purchase_price"]
    ][:2]
    before = _prices(tenant, "purchase_price")
    prices = [
        {"sku_or_variant_id": first["id"], "price": 12.34567891},
        {"sku_or_variant_id": second["id"], "price": second["purchase_price"]},
    ]
    preview = await stage.call(TOOL, which="purchase", prices=prices)
    old = f"{first['purchase_price']:g}"
    assert preview["changes"] == [{"field": f"{first['sku']}.purchase_price", "old": old, "new": "12.34567891"}]
    await _applied(stage, clock, preview)
    assert _prices(tenant, "purchase_price") == before | {first["id"]: 12.34567891}


async def test_a_price_of_nothing_or_far_from_the_one_now_is_said(stage: Stage, tenant: Tenant) -> None:
    sold = [variant for variant in live(tenant, "variants") if variant["sku"] and variant["sales_price"]][:5]
    olds = [Decimal(str(variant["sales_price"])) for variant in sold]
    news = [Decimal(0), olds[1] / 10, olds[2] * 10, olds[3] / 10 - Decimal("0.01"), olds[4] * 10 + Decimal("0.01")]
    prices = [
        {"sku_or_variant_id": variant["id"], "price": float(price)} for variant, price in zip(sold, news, strict=True)
    ]
    preview = await stage.call(TOOL, which="sales", prices=prices)
    (warning,) = [one for one in preview["warnings"] if one["code"] == "unusual_price"]
    shown = [f"{sold[nr]['sku']} {olds[nr].normalize():f} → {news[nr].normalize():f}" for nr in (0, 3, 4)]
    far = "0, or more than ten times or less than a tenth of the price now"
    assert warning["message"] == f"prices[0].price: {far}: {', '.join(shown)}"
    assert (warning["severity"], warning["field_path"], "plan_token" in preview) == (
        "advisory",
        "prices[0].price",
        True,
    )
    raised = await stage.call(TOOL, which="sales", percent=950, skus_or_variant_ids=[sold[0]["id"]])
    assert [one["field_path"] for one in raised["warnings"] if one["code"] == "unusual_price"] == ["percent"]


async def test_a_purchase_price_is_told_in_the_currency_of_its_supplier(stage: Stage, tenant: Tenant) -> None:
    money = {supplier["id"]: supplier["currency"] for supplier in live(tenant, "suppliers")}
    paid = {material["id"]: money.get(material["default_supplier_id"]) for material in live(tenant, "materials")}
    bought = [variant for variant in live(tenant, "variants") if variant["material_id"] and variant["purchase_price"]]
    by_currency = {paid[record["material_id"]]: record for record in bought if paid[record["material_id"]]}
    (one, first), (other, second), *_ = by_currency.items()
    asked = [{"sku_or_variant_id": record["id"], "price": 7} for record in (first, second)]
    preview = await stage.call(TOOL, which="purchase", prices=asked)
    prices = {change["field"].split(".purchase")[0]: change["new"] for change in preview["changes"]}
    assert (prices, preview.get("currency")) == ({first["sku"]: f"7 {one}", second["sku"]: f"7 {other}"}, None)
    alone = await stage.call(TOOL, which="purchase", prices=asked[:1])
    assert ([change["new"] for change in alone["changes"]], alone["currency"]) == (["7"], one)


async def test_what_one_plan_does_not_hold_is_said_and_goes_on_without_raising_anything_twice(
    own: OwnSandbox, clock: ManualClock, tenant: Tenant
) -> None:
    before, seen, asked = _prices(tenant, "purchase_price"), set[int](), dict[str, object]()
    async with staged(own, Setup(flags={"max_writes_per_minute": 40})) as stage:
        for _ in range(20):
            preview = await stage.call(TOOL, which="purchase", percent=10, **asked)
            ids = [line["variant_id"] for line in preview["lines"]]
            assert len(ids) <= 40
            assert not seen & set(ids)
            seen |= set(ids)
            await _applied(stage, clock, preview)
            if "left" not in preview:
                break
            asked = {"after_variant_id": ids[-1]}
    after = _prices(tenant, "purchase_price")
    raised = {id for id, price in before.items() if price}
    assert seen == {id for id in raised if after[id] != before[id]}
    assert all(after[id] == _raised(before[id], "1.1") for id in raised)


async def test_a_lost_answer_leaves_each_price_as_planned_and_none_twice(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    sku = [variant["sku"] for variant in live(tenant, "variants") if variant["sku"] and variant["purchase_price"]][:3]
    before = _prices(tenant, "purchase_price")
    preview = await stage.call(TOOL, which="purchase", percent=10, skus_or_variant_ids=sku)
    stage.own.sandbox.faults.add(Fault("PATCH /variants/*", action=Drop("after")))
    outcome = await _applied(stage, clock, preview)
    assert (outcome["applied"], outcome["unknown"], outcome["failed"]) == (3, 0, 0)
    changed = {id: price for id, price in _prices(tenant, "purchase_price").items() if price != before[id]}
    assert changed == {id: _raised(before[id], "1.1") for id in changed}
    assert len(changed) == 3


async def test_a_price_that_somebody_changed_meanwhile_stops_the_plan(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    variant = next(record for record in live(tenant, "variants") if record["sku"] and record["purchase_price"])
    preview = await stage.call(TOOL, which="purchase", percent=10, skus_or_variant_ids=[variant["sku"]])
    tenant.edit("variants", variant["id"], purchase_price=77)
    clock.advance(61)
    refusal = await stage.refusal("apply_plan", plan_tokens=[preview["plan_token"]])
    assert refusal["error"] == "stale_plan"
    assert _prices(tenant, "purchase_price")[variant["id"]] == 77


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ({}, "percent"),
        ({"percent": 5, "prices": [{"sku_or_variant_id": "PAD", "price": 1}]}, "percent"),
        ({"category": "Wheels", "prices": [{"sku_or_variant_id": "PAD", "price": 1}]}, "category"),
        ({"percent": 5, "skus_or_variant_ids": ["PAD", "PAD"]}, "skus_or_variant_ids[1]"),
        ({"percent": 5, "skus_or_variant_ids": ["NOWHERE"]}, "skus_or_variant_ids[0]"),
        ({"percent": 5, "supplier_id": "Nobody Ltd"}, "supplier_id"),
        ({"after_variant_id": 1, "prices": [{"sku_or_variant_id": "PAD", "price": 1}]}, "after_variant_id"),
        ({"percent": 0.001, "decimals": 0, "skus_or_variant_ids": ["KVCT-L-SIG"]}, None),
    ],
)
async def test_what_cannot_be_meant_is_blocked_by_its_place(
    stage: Stage, asked: dict[str, object], path: str | None
) -> None:
    preview = await stage.call(TOOL, which="sales", **asked)
    blocked = [warning["field_path"] for warning in preview["warnings"] if warning["severity"] == "blocking"]
    assert path in blocked
    assert "plan_token" not in preview


async def test_a_small_price_keeps_its_decimals_and_is_never_rounded_the_other_way(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    small, exact, dear = [variant for variant in live(tenant, "variants") if variant["sku"] and variant["material_id"]][
        :3
    ]
    for variant, price in ((small, 0.0124), (exact, 1.23456789), (dear, 9e10)):
        tenant.edit("variants", variant["id"], purchase_price=price)
    clock.advance(300)
    asked = {"which": "purchase", "percent": 5, "skus_or_variant_ids": [small["sku"], exact["sku"]]}
    preview = await stage.call(TOOL, **asked)
    assert [line["price"] for line in preview["lines"]] == [0.013, 1.29629628]
    outcome = await _applied(stage, clock, preview)
    clock.advance(61)
    await _applied(stage, clock, await stage.call(outcome["revert"]["tool"], **outcome["revert"]["arguments"]))
    prices = _prices(tenant, "purchase_price")
    assert (prices[small["id"]], prices[exact["id"]]) == (0.0124, 1.23456789)
    clock.advance(61)
    for wrong in ({"decimals": 2}, {"percent": -99, "decimals": 0}):
        blocked = await stage.call(TOOL, **{**asked, **wrong})
        assert "decimals" in [warning["field_path"] for warning in blocked["warnings"]]
        assert "plan_token" not in blocked
    clock.advance(61)
    blocked = await stage.call(TOOL, which="purchase", percent=50, skus_or_variant_ids=[dear["sku"]])
    assert [warning["field_path"] for warning in blocked["warnings"] if warning["severity"] == "blocking"] == [
        "percent"
    ]


async def test_variants_that_share_an_sku_are_told_apart(stage: Stage, tenant: Tenant) -> None:
    two = [variant for variant in live(tenant, "variants") if variant["sku"] == "PAD"]
    assert len(two) == 2
    ids = [record["id"] for record in two]
    preview = await stage.call(TOOL, which="sales", percent=5, skus_or_variant_ids=[*ids, "ROTR-160"])
    fields = [change["field"] for change in preview["changes"]]
    assert fields == [
        f"PAD (Brake pad pair, sintered, variant {min(ids)}).sales_price",
        f"PAD (Brake pad pair, organic, variant {max(ids)}).sales_price",
        "ROTR-160.sales_price",
    ]
    assert [line.get("is_shared") for line in preview["lines"]] == [True, True, None]
    assert preview["requests"][0]["title"].startswith(
        f"set the sales price of PAD (Brake pad pair, sintered, variant {min(ids)})"
    )


async def test_new_prices_of_a_supplier_name_goods_by_its_own_codes(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    bought = [variant for variant in live(tenant, "variants") if variant["material_id"] and variant["purchase_price"]]
    first, second = bought[:2]
    tenant.edit("variants", first["id"], supplier_item_codes=["LIEF 77-A"])
    tenant.edit("variants", second["id"], internal_barcode="4006381333931")
    clock.advance(61)
    prices = [{"sku_or_variant_id": code, "price": 7} for code in ("lief 77-a", "4006381333931")]
    preview = await stage.call(TOOL, which="purchase", prices=prices)
    assert [line["variant_id"] for line in preview["lines"]] == sorted(record["id"] for record in (first, second))
    messages = [warning["message"] for warning in preview["warnings"] if warning["code"] == "matched_by_code"]
    assert len(messages) == 2
    await _applied(stage, clock, preview)
    assert {_prices(tenant, "purchase_price")[record["id"]] for record in (first, second)} == {7}
    clock.advance(61)
    refused = payload_of(await stage.result(TOOL, {"which": "sales", "prices": [prices[0] | {"price": 8}]}))
    assert [warning["code"] for warning in refused["warnings"]] == ["not_found"], (
        "what is sold has no code of a supplier"
    )
