"""Forecasts of demand, and the usual calls of the tools that ask Katana how long the stock lasts."""

from katana_sandbox import Tenant

from .usual import Usual, changed_each, live_records


def planned_goods(tenant: Tenant) -> None:
    """Plan demand of two variants at the first location."""
    place = live_records(tenant, "locations")[0]["id"]
    for variant in live_records(tenant, "variants")[:2]:
        months = (("2026-03-01", "2026-03-31", 4), ("2026-04-01", "2026-04-30", 6))
        periods = [
            {"period_start": f"{start}T00:00:00Z", "period_end": f"{end}T23:59:59Z", "committed": str(planned)}
            for start, end, planned in months
        ]
        body = {"variant_id": variant["id"], "location_id": place, "periods": periods}
        tenant.create("demand_forecasts", body)


def live_reads(tenant: Tenant) -> dict[str, Usual]:
    """Return usual calls of the tools that ask Katana about demand, and what makes a difference."""
    first, second = [record["id"] for record in live_records(tenant, "variants")][:2]
    here, there = [record["id"] for record in live_records(tenant, "locations")][:2]
    moved = [
        movement["variant_id"] for movement in tenant.all("inventory_movements") if movement["resource_type"] == _SOLD
    ]
    sold = list(dict.fromkeys(moved))[-10:]
    return {
        "list_inventory_signals": Usual(
            {"skus_or_variant_ids": sold},
            changed_each(skus_or_variant_ids=sold[:1], stock_risk=["stockout"], demand_window=90, limit=1, page=9),
        ),
        "get_demand_forecast": Usual(
            {"skus_or_variant_ids": [first], "location_id": here},
            changed_each(skus_or_variant_ids=[second], location_id=there),
        ),
    }


_SOLD = "SalesOrderRow"
