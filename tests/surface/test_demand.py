"""How long the stock lasts and what is planned: as Katana works it out, in words, and what nothing is known of."""

from decimal import Decimal
from typing import Any

from katana_mcp.testing import Payload, Stage
from katana_sandbox import EditBody, Fault, Tenant

from .usual import live_records

SIGNALS, FORECAST = "list_inventory_signals", "get_demand_forecast"
HOSTILE = "'); DROP TABLE variants; --\u202e%_\\\"\n)"


def _ids(answer: Payload) -> list[int]:
    return [row["variant_id"] for row in answer["rows"]]


async def test_what_runs_out_first_comes_first_with_its_names(stage: Stage) -> None:
    answer = await stage.call(SIGNALS, limit=250)
    assert answer["total"] == len(answer["rows"]) > 10
    order = ("stockout", "critical", "high", "low")
    places = [(order.index(row["stock_risk"]), row["days_of_stock_left"]) for row in answer["rows"]]
    assert places == sorted(places)
    assert len({risk for risk, _ in places}) >= 2
    assert all(row["name"] and row["lead_time_source"] for row in answer["rows"])
    assert any(row.get("sku") for row in answer["rows"])
    for row in answer["rows"]:
        assert Decimal(str(row["avg_daily_demand"])) == round(Decimal(str(row["avg_daily_demand"])), 4)


async def test_a_risk_is_understood_in_words_or_in_katanas_numbers(stage: Stage) -> None:
    every = (await stage.call(SIGNALS, limit=250))["rows"]
    for asked, meant in (
        ("Stockout", {"stockout"}),
        ([3, "LOW"], {"stockout", "low"}),
        (0, {"low"}),
        ("2", {"critical"}),
    ):
        answer = await stage.call(SIGNALS, stock_risk=asked, limit=250)
        assert _ids(answer) == [row["variant_id"] for row in every if row["stock_risk"] in meant], asked
    refusal = await stage.refusal(SIGNALS, stock_risk=["grave", 4, True])
    assert refusal["error"] == "invalid_argument"
    assert "stockout" in refusal["warnings"][0]["message"]


async def test_a_risk_of_named_variants_is_that_of_each(stage: Stage) -> None:
    every = (await stage.call(SIGNALS, limit=250))["rows"]
    low = [row["variant_id"] for row in every if row["stock_risk"] == "low"]
    other = next(row["variant_id"] for row in every if row["stock_risk"] != "low")
    answer = await stage.call(SIGNALS, skus_or_variant_ids=[other, *low[:2]], stock_risk="low")
    assert set(_ids(answer)) == set(low[:2])
    assert "without" not in answer


async def test_a_variant_without_demand_is_told_apart_from_one_that_there_is_not(stage: Stage, tenant: Tenant) -> None:
    having = _ids(await stage.call(SIGNALS, limit=250))
    variants = live_records(tenant, "variants")
    idle = next(variant["id"] for variant in variants if variant["id"] not in having)
    sku = next(variant["sku"] for variant in variants if variant["id"] == having[0])
    answer = await stage.call(SIGNALS, skus_or_variant_ids=[sku, idle, HOSTILE, 2**31 - 1])
    assert (_ids(answer), answer["without"]) == ([having[0]], [idle])
    assert [missing["asked"] for missing in answer["not_found"]] == [
        "'); DROP TABLE variants; --<U+202E>%_\\\"\n)",
        2**31 - 1,
    ]
    before = stage.requests()
    nothing = await stage.call(SIGNALS, skus_or_variant_ids=["no such sku"])
    assert (nothing["rows"], nothing["total"]) == ([], 0)
    assert all("inventory_signals" not in request.path for request in list(stage.own.sandbox.journal)[before:])


async def test_pages_of_signals_hold_each_once_and_the_window_counts(stage: Stage) -> None:
    whole = _ids(await stage.call(SIGNALS, limit=250))
    pages = [await stage.call(SIGNALS, limit=7, page=page) for page in range(1, -(-len(whole) // 7) + 1)]
    assert [record_id for page in pages for record_id in _ids(page)] == whole
    assert [page["has_more"] for page in pages] == [*[True] * (len(pages) - 1), False]
    assert pages[0]["next_actions"] == ["list_inventory_signals(..., limit=7, page=2)"]
    long = await stage.call(SIGNALS, demand_window="90", limit=250)
    assert len(long["rows"]) > len(whole)
    refusal = await stage.refusal(SIGNALS, demand_window=45)
    assert refusal["warnings"][0]["message"] == "demand_window is 45: must be one of 7, 30, 60, 90"


async def test_what_katana_has_not_worked_out_is_absent_and_last(stage: Stage) -> None:
    def unknown(body: Any) -> Any:  # noqa: ANN401 - a body as it is sent
        first, *rest = body["data"]
        nulls = dict.fromkeys(("stock_risk", "days_of_stock_left", "reorder_point"))
        return {"data": [first | nulls | {"avg_daily_demand": "0.00000000000000000001"}, *rest]}

    stage.own.sandbox.faults.add(Fault("GET /inventory_signals", action=EditBody(unknown), times=None))
    last = (await stage.call(SIGNALS, limit=250))["rows"][-1]
    assert not {"stock_risk", "days_of_stock_left", "reorder_point"} & set(last)
    assert last["avg_daily_demand"] == 0


async def test_a_forecast_has_its_periods_and_names(stage: Stage, tenant: Tenant) -> None:
    first, second, third = live_records(tenant, "variants")[:3]
    place = live_records(tenant, "locations")[0]
    asked = [second["sku"], first["id"], third["id"]]
    answer = await stage.call(FORECAST, skus_or_variant_ids=asked, location_id=place["name"])
    assert (answer["location_id"], answer["location"]) == (place["id"], place["name"])
    assert [entry["variant_id"] for entry in answer["forecasts"]] == [second["id"], first["id"]]
    assert answer["without"] == [third["id"]]
    forecast = answer["forecasts"][0]
    assert forecast["sku"] == second["sku"]
    assert forecast["name"]
    march, april = forecast["periods"]
    assert (march["period_start"], march["period_end"]) == ("2026-03-01T00:00:00Z", "2026-03-31T23:59:59Z")
    assert (march["committed"], april["committed"]) == (4, 6)
    stock = Decimal(str(forecast["in_stock"]))
    for period in (march, april):
        stock += Decimal(str(period["expected"])) - Decimal(str(period["committed"]))
        assert Decimal(str(period["in_stock"])) == stock


async def test_a_forecast_of_what_there_is_not_asks_nothing(stage: Stage, tenant: Tenant) -> None:
    service = next(tenant.all("services"))["variants"][0]["id"]
    gone = live_records(tenant, "variants")[0]["id"]
    place = live_records(tenant, "locations")[0]["id"]
    tenant.delete("variants", gone)
    await stage.call(FORECAST, skus_or_variant_ids=[gone], location_id=place)
    before = stage.requests()
    answer = await stage.call(FORECAST, skus_or_variant_ids=[gone, service, HOSTILE], location_id=place)
    asked = [request.path for request in list(stage.own.sandbox.journal)[before:]]
    assert not [path for path in asked if "demand_forecasts" in path]
    assert (answer["forecasts"], answer["without"], len(answer["not_found"])) == ([], [gone, service], 1)
    for wrong in ("no such place", HOSTILE, 999_999):
        refusal = await stage.refusal(FORECAST, skus_or_variant_ids=[service], location_id=wrong)
        assert (refusal["error"], refusal["warnings"][0]["field_path"]) == ("not_found", "location_id")


async def test_of_many_periods_the_first_hundred_are_shown_and_variants_that_do_not_fit_are_named(
    stage: Stage, tenant: Tenant
) -> None:
    variants, place = live_records(tenant, "variants")[:10], live_records(tenant, "locations")[0]["id"]
    for variant in variants:
        for year in (2030, 2031):
            periods = [
                {"period_start": f"{year}-{m:02}-{d:02}T00:00:00Z", "period_end": f"{year}-{m:02}-{d:02}T23:00:00Z"}
                | {"committed": "1"}
                for m in range(1, 5)
                for d in range(1, 22)
            ]
            body = {"variant_id": variant["id"], "location_id": place, "periods": periods}
            tenant.create("demand_forecasts", body)
    ids = [variant["id"] for variant in variants]
    answer = await stage.call(FORECAST, skus_or_variant_ids=ids, location_id=place)
    shown = answer["forecasts"]
    assert all(len(row["periods"]) == 100 for row in shown)
    assert 1 <= len(shown) < 10
    messages = " ".join(warning["message"] for warning in answer["warnings"])
    assert "only the first 100 periods are shown of " in messages
    (action,) = answer["next_actions"]
    rest = [row["variant_id"] for row in shown]
    assert (
        action == f"get_demand_forecast(skus_or_variant_ids={[i for i in ids if i not in rest]}, location_id={place})"
    )
