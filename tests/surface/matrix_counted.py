"""The usual calls of the list of stocktakes and of the tool that counts, and what makes a difference."""

from katana_sandbox import Tenant

from .usual import Usual, changed_each, list_changes, live_records
from .writes_boms import parts


def stocktakes(tenant: Tenant) -> Usual:
    """Return it."""
    counted = live_records(tenant, "stocktakes")
    rows = [row for row in tenant.all("stocktake_rows") if row["stocktake_id"] == counted[-1]["id"]]
    changes = list_changes(
        counted,
        ("completed",),
        stocktake_number=counted[0]["stocktake_number"],
        status=["COUNTED"],
        open=True,
        location_id=next(
            location["id"] for location in live_records(tenant, "locations") if location["name"] == "Returns depot"
        ),
        skus_or_variant_ids=[rows[-1]["variant_id"]],
        order_by="created_at",
        include_rows=True,
    )
    return Usual({"limit": 50}, changes)


def count_writes(tenant: Tenant) -> dict[str, Usual]:
    """Return the usual call of the tool that plans to count."""
    first, second, third = parts(tenant)[:3]
    skus = {variant["id"]: variant["sku"] for variant in tenant.all("variants")}
    place, other = [location["id"] for location in live_records(tenant, "locations")][:2]
    category = next(
        product["category_name"] for product in live_records(tenant, "products") if product["category_name"]
    )
    open_one = next(
        stocktake for stocktake in live_records(tenant, "stocktakes") if stocktake["status"] == "IN_PROGRESS"
    )
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
