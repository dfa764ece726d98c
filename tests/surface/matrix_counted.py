"""The usual call of the list of stocktakes, and what makes a difference."""

from katana_sandbox import Tenant

from .usual import Usual, list_changes, live_records


def stocktakes(tenant: Tenant) -> Usual:
    """Return it."""
    counted = live_records(tenant, "stocktakes")
    rows = [each for each in tenant.all("stocktake_rows") if each["stocktake_id"] == counted[-1]["id"]]
    changes = list_changes(
        counted,
        ("completed",),
        stocktake_number=counted[0]["stocktake_number"],
        status=["COUNTED"],
        open=True,
        location_id=next(each["id"] for each in live_records(tenant, "locations") if each["name"] == "Returns depot"),
        skus_or_variant_ids=[rows[-1]["variant_id"]],
        order_by="created_at",
        include_rows=True,
    )
    return Usual({"limit": 50}, changes)
