"""Prices of a price list: raised by a percentage, set one by one, put in, taken back."""

from typing import Any

import pytest
from journal_plans import hasty
from server_wire import live

from katana_mcp.testing import Payload, Stage, payload_of, within
from katana_sandbox import Drop, Fault, ManualClock, Tenant

TOOL = "change_prices"
type Rows = dict[int, tuple[str, float]]


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@pytest.fixture
def goods(tenant: Tenant) -> list[int]:
    """Return four variants that are sold."""
    return [int(variant["id"]) for variant in live(tenant, "variants") if variant["sales_price"]][:4]


@pytest.fixture
def retail(tenant: Tenant, goods: list[int]) -> int:
    """Return a price list: two prices, and a percentage."""
    key = int(tenant.create("price_lists", {"name": "Retail 27"})["id"])
    for good, method, amount in zip(goods, ("fixed", "fixed", "percentage"), (10, 20.5, 15), strict=False):
        row = {"variant_id": good, "adjustment_method": method, "amount": amount}
        tenant.create("price_list_rows", {"price_list_id": key, "price_list_rows": [row]})
    return key


def _rows(tenant: Tenant, retail: int) -> Rows:
    rows: list[dict[str, Any]] = [row for row in tenant.all("price_list_rows") if row["price_list_id"] == retail]
    return {row["variant_id"]: (row["adjustment_method"], float(row["amount"])) for row in rows}


async def _applied(stage: Stage, clock: ManualClock, preview: Payload) -> Payload:
    assert "plan_token" in preview, preview["message"]
    clock.advance(61)
    (outcome,) = (await stage.call("apply_plan", plan_tokens=[preview["plan_token"]]))["outcomes"]
    return outcome


async def _planned(stage: Stage, **asked: object) -> Payload:
    return payload_of(await stage.result(TOOL, {"which": "sales", "price_list": "retail 27", **asked}))


def _against(preview: Payload) -> list[tuple[str, str | None]]:
    assert "plan_token" not in preview, preview
    return [
        (warning["code"], warning["field_path"]) for warning in preview["warnings"] if warning["severity"] == "blocking"
    ]


async def test_a_list_is_raised_by_a_percentage_and_taken_back(
    stage: Stage, clock: ManualClock, tenant: Tenant, goods: list[int], retail: int
) -> None:
    before, own = _rows(tenant, retail), {variant["id"]: variant["sales_price"] for variant in live(tenant, "variants")}
    preview = await _planned(stage, percent=10)
    assert [(change["old"], change["new"]) for change in preview["changes"]] == [("10", "11"), ("20.5", "22.55")]
    assert preview.get("currency") is None, "no source says in what a price list is"
    assert all(change["field"].endswith(".Retail 27") for change in preview["changes"])
    assert any("1 of the 3 prices" in warning["message"] for warning in preview["warnings"])
    outcome = await _applied(stage, clock, preview)
    assert outcome["applied"] == 2
    assert _rows(tenant, retail) == {**before, goods[0]: ("fixed", 11), goods[1]: ("fixed", 22.55)}
    assert {variant["id"]: variant["sales_price"] for variant in live(tenant, "variants")} == own, (
        "their own stay as they are"
    )
    clock.advance(61)
    await _applied(stage, clock, payload_of(await stage.result(TOOL, outcome["revert"]["arguments"])))
    assert _rows(tenant, retail) == before


async def test_prices_one_by_one_change_what_is_there_and_put_in_what_is_not(
    stage: Stage, clock: ManualClock, tenant: Tenant, goods: list[int], retail: int
) -> None:
    prices = [{"sku_or_variant_id": good, "price": 7 + nr} for nr, good in enumerate(goods)]
    preview = await _planned(stage, prices=prices)
    assert [change.get("old") for change in preview["changes"]] == ["10", "20.5", "15 percentage", None]
    assert [warning["code"] for warning in preview["warnings"] if warning["code"] == "no_way_back"]
    assert [request["method"] for request in preview["requests"]] == ["PATCH", "PATCH", "PATCH", "POST"]
    assert (await _applied(stage, clock, preview))["applied"] == 4
    assert _rows(tenant, retail) == {good: ("fixed", 7 + nr) for nr, good in enumerate(goods)}
    clock.advance(61)
    assert _against(await _planned(stage, prices=prices)) == [("no_effective_change", None)]


async def test_only_what_is_named_changes_and_what_has_no_price_there_is_told(
    stage: Stage, retail: int, goods: list[int]
) -> None:
    del retail
    preview = await _planned(stage, percent=-50, skus_or_variant_ids=[goods[0], goods[3]])
    assert [(line["variant_id"], line["price"]) for line in preview["lines"]] == [(goods[0], 5)]
    assert any(warning["message"].startswith("1 have no price in the list") for warning in preview["warnings"])


async def test_what_is_meant_is_certain_or_refused(
    stage: Stage, clock: ManualClock, tenant: Tenant, retail: int, goods: list[int]
) -> None:
    tenant.create("price_lists", {"name": "Twin"})
    tenant.create("price_lists", {"name": "twin "})
    cases: list[tuple[dict[str, object], list[tuple[str, str | None]]]] = [
        ({"price_list": "Nobody", "percent": 5}, [("not_found", "price_list")]),
        ({"price_list": "TWIN", "percent": 5}, [("ambiguous_name", "price_list")]),
        ({"price_list": retail, "which": "purchase", "percent": 5}, [("invalid_argument", "which")]),
        (
            {"prices": [{"sku_or_variant_id": goods[0], "price": 0}]},
            [("invalid_argument", "prices[0].price")],
        ),
    ]
    for asked, expected in cases:
        clock.advance(61)
        assert _against(await _planned(stage, **asked)) == expected, asked


@pytest.mark.parametrize("lost", [Drop("before"), Drop("after")], ids=["before", "after"])
async def test_a_lost_answer_is_looked_up_and_no_price_comes_twice(
    stage: Stage, clock: ManualClock, retail: int, goods: list[int], lost: Drop
) -> None:
    tenant = stage.own.sandbox.tenant()
    prices = [{"sku_or_variant_id": good, "price": 7} for good in (goods[0], goods[3])]
    preview = await _planned(stage, prices=prices)
    for request in ("PATCH /price_list_rows/*", "POST /price_list_rows"):
        stage.own.sandbox.faults.add(Fault(request, action=lost))
    clock.advance(61)
    asked = stage.call("apply_plan", plan_tokens=[preview["plan_token"]])
    (outcome,) = (await within(clock, 300, asked))["outcomes"]
    states = [action["state"] for action in outcome["actions"]]
    assert set(states) == ({"applied"} if lost == Drop("after") else {"unknown", "not_tried"}), outcome
    rows = [row["variant_id"] for row in tenant.all("price_list_rows") if row["price_list_id"] == retail]
    assert len(rows) == len(set(rows)), "one row for each variant"


async def test_a_plan_is_stale_once_somebody_else_sets_the_price(
    stage: Stage, clock: ManualClock, tenant: Tenant, retail: int, goods: list[int]
) -> None:
    preview = await _planned(stage, prices=[{"sku_or_variant_id": goods[0], "price": 7}])
    row = next(record for record in tenant.all("price_list_rows") if record["price_list_id"] == retail)
    assert row["variant_id"] == goods[0]
    tenant.edit("price_list_rows", row["id"], amount=9)
    clock.advance(61)
    asked = stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]})
    assert payload_of(await within(clock, 300, asked))["error"] == "stale_plan"
