"""The usual calls of the list of stocktakes and of the tool that counts, and what makes a difference."""

from katana_sandbox import Tenant

from .usual import Usual, changed_each, list_changes, live_records
from .writes_boms import parts


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


def count_writes(tenant: Tenant) -> dict[str, Usual]:
    """Return the usual call of the tool that plans to count."""
    first, second, third = parts(tenant)[:3]
    skus = {each["id"]: each["sku"] for each in tenant.all("variants")}
    place, other = [each["id"] for each in live_records(tenant, "locations")][:2]
    category = next(each["category_name"] for each in live_records(tenant, "products") if each["category_name"])
    open_one = next(each for each in live_records(tenant, "stocktakes") if each["status"] == "IN_PROGRESS")
    mine: dict[str, object] = {"location_id": None, "stocktake_id": open_one["id"]}
    return {
        "count_stock": Usual(
            {"location_id": place, "counts": [{"sku_or_variant_id": first, "quantity": 77}]},
            changed_each(
                location_id=other,
                table=f"{skus[second]};3",
                counts=[{"sku_or_variant_id": first, "quantity": 78}],
                skus_or_variant_ids=[third],
                category=category,
                stocktake_number="COUNT-7",
                reason="Spring",
                additional_info="second shelf",
                complete=True,
                delete=True,
            )
            | {"stocktake_id": mine},
        )
    }
