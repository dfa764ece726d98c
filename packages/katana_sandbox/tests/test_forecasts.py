"""Demand forecasts and inventory signals: calculations over stock, supply and demand (October 2.1 and 6.5)."""

from typing import Any

import pytest

from katana_sandbox import Caller, ManualClock, Tenant

from .stock_room import adjust, location, material, shipped, sold

MARCH = {"period_start": "2026-03-03T00:00:00.000Z", "period_end": "2026-03-31T23:59:59.999Z"}
APRIL = {"period_start": "2026-04-01T00:00:00.000Z", "period_end": "2026-04-30T23:59:59.999Z"}


async def bought(api: Caller, tenant: Tenant, variant: int, quantity: float, date: str) -> None:
    row = {"variant_id": variant, "quantity": quantity, "price_per_unit": 1, "arrival_date": date}
    supplier = next(tenant.all("suppliers"))["id"]
    body = {"supplier_id": supplier, "location_id": location(tenant), "purchase_order_rows": [row]}
    assert (await api.post("/purchase_orders", body)).status == 200


async def test_a_forecast_counts_supply_and_planned_demand_by_period(api: Caller, tenant: Tenant) -> None:
    variant = material(tenant, 10)
    pair = {"variant_id": variant, "location_id": location(tenant)}
    await bought(api, tenant, variant, 5, "2026-03-20T00:00:00.000Z")
    await bought(api, tenant, variant, 7, "2026-04-02T00:00:00.000Z")
    assert (await api.get("/demand_forecasts", pair)).body == {**pair, "in_stock": "10", "periods": []}
    periods = [{**APRIL, "committed": "20.50"}, {**MARCH, "committed": "3"}]
    assert (await api.post("/demand_forecasts", {**pair, "periods": periods})).status == 204
    shown = (await api.get("/demand_forecasts", pair)).body["periods"]
    assert shown == [
        {**MARCH, "in_stock": "12", "expected": "5", "committed": "3"},
        {**APRIL, "in_stock": "-1.5", "expected": "7", "committed": "20.5"},
    ]
    again = {**pair, "periods": [{**MARCH, "committed": "4"}]}
    assert (await api.post("/demand_forecasts", again)).status == 204
    assert [one["committed"] for one in (await api.get("/demand_forecasts", pair)).body["periods"]] == ["4", "20.5"]
    assert tenant.get("inventory", (variant, pair["location_id"]))["quantity_committed"] == "0.00000"


async def test_clearing_forgets_the_periods_inside(api: Caller, tenant: Tenant) -> None:
    pair = {"variant_id": material(tenant), "location_id": location(tenant)}
    periods = [{**MARCH, "committed": "1"}, {**APRIL, "committed": "2"}]
    await api.post("/demand_forecasts", {**pair, "periods": periods})
    short = {**APRIL, "period_end": "2026-04-15T00:00:00.000Z"}
    assert (await api.delete("/demand_forecasts", {**pair, "periods": [short, MARCH]})).status == 204
    shown = (await api.get("/demand_forecasts", pair)).body["periods"]
    assert [one["period_start"] for one in shown] == [APRIL["period_start"]]


async def test_forecasts_refuse_what_is_not_there_and_what_is_no_number(api: Caller, tenant: Tenant) -> None:
    pair = {"variant_id": material(tenant), "location_id": location(tenant)}
    assert (await api.get("/demand_forecasts", {"variant_id": pair["variant_id"]})).status == 400
    assert (await api.get("/demand_forecasts", {**pair, "variant_id": 999999})).status == 404
    lost = {**pair, "location_id": 999999, "periods": [{**MARCH, "committed": "1"}]}
    assert (await api.post("/demand_forecasts", lost)).status == 404
    back = {"period_start": MARCH["period_end"], "period_end": MARCH["period_start"]}
    for period in ({**MARCH, "committed": "many"}, {**back, "committed": "1"}, {**MARCH, "committed": 1}):
        assert (await api.post("/demand_forecasts", {**pair, "periods": [period]})).status == 422
    assert (await api.delete("/demand_forecasts", {**pair, "periods": []})).status == 422
    assert (await api.get("/demand_forecasts", pair)).body["periods"] == []


async def used(tenant: Tenant, clock: ManualClock, lead_time: int | None = None) -> int:
    """A material of which 15 were shipped and 30 are left, 10 days after they came; a night has passed."""
    variant = material(tenant, 45)
    tenant.edit("variants", variant, lead_time=lead_time)
    clock.advance(10 * 86400 - 3600)
    shipped(tenant, sold(tenant, variant, 15), 15)
    clock.advance(86400)
    return variant


async def signal(api: Caller, variant: int, **query: object) -> dict[str, Any]:
    answer = await api.get("/inventory_signals", {"variant_id": variant, **query})
    return answer.rows[0] if answer.rows else {}


async def test_a_signal_says_how_long_the_stock_lasts(api: Caller, tenant: Tenant, clock: ManualClock) -> None:
    variant = await used(tenant, clock, lead_time=5)
    shown = await signal(api, variant)
    assert {name: shown[name] for name in ("avg_daily_demand", "in_stock", "reorder_point")} == {
        "avg_daily_demand": "1.50000000000000000000",
        "in_stock": "30.00000000000000000000",
        "reorder_point": "7.50000000000000000000",
    }
    assert (shown["days_of_stock_left"], shown["stock_risk"], shown["safety_stock_breach_at"]) == (20, 0, None)
    assert (shown["lead_time_used"], shown["lead_time_source"], shown["demand_window"]) == (5, "sku", 30)
    assert shown["demand_calculated_at"] == "2026-03-13T07:00:00.000Z"
    assert (await signal(api, variant, demand_window=7))["avg_daily_demand"].startswith("2.14285")


async def test_a_variant_without_demand_has_no_signal(api: Caller, tenant: Tenant) -> None:
    assert await signal(api, material(tenant, 5)) == {}


async def test_the_risk_follows_stock_and_supply_in_time(api: Caller, tenant: Tenant, clock: ManualClock) -> None:
    variant = await used(tenant, clock, lead_time=20)
    assert (await signal(api, variant))["stock_risk"] == 2
    tenant.edit("variants", variant, lead_time=15)
    high = await signal(api, variant)
    assert (high["stock_risk"], high["safety_stock_breach_at"]) == (1, "2026-04-02T08:00:00.000Z")
    assert high["expected_before_safety_stock_breach"] == "0.00000000000000000000"
    await bought(api, tenant, variant, 100, "2026-06-20T00:00:00.000Z")
    assert (await signal(api, variant))["stock_risk"] == 1, "too late to matter"
    await bought(api, tenant, variant, 4, "2026-03-20T00:00:00.000Z")
    later = await signal(api, variant)
    assert (later["stock_risk"], later["safety_stock_breach_at"]) == (0, None)
    assert later["expected_before_safety_stock_breach"] == "4.00000000000000000000"
    adjust(tenant, variant, -30)
    gone = await signal(api, variant)
    assert (gone["stock_risk"], gone["expected_before_safety_stock_breach"]) == (3, None)
    assert (await api.get("/inventory_signals", {"stock_risk": 3, "variant_id": variant})).rows == [gone]
    assert (await api.get("/inventory_signals", {"stock_risk": 0, "variant_id": variant})).rows == []


async def test_the_lead_time_is_the_variants_or_the_factorys(api: Caller, tenant: Tenant, clock: ManualClock) -> None:
    variant = await used(tenant, clock)
    seen: list[tuple[int, str]] = []
    for bought_in, made_in in ((9, 4), (None, 4), (None, None)):
        tenant.edit("factory", 1, default_po_lead_time=bought_in, default_mo_lead_time=made_in)
        shown = await signal(api, variant)
        seen.append((shown["lead_time_used"], shown["lead_time_source"]))
    assert seen == [(9, "system_po"), (4, "system_mo"), (14, "fallback")]


@pytest.mark.parametrize("query", [{"demand_window": 14}, {"stock_risk": 4}, {"variant_id": "x"}])
async def test_a_signal_of_another_window_or_risk_is_refused(api: Caller, query: dict[str, object]) -> None:
    assert (await api.get("/inventory_signals", query)).status == 400
