"""Stocktakes: the row of the tool that plans to count."""

from typing import cast

from katana_sandbox import Tenant

from .writes import Arguments, Pools, Record, Rows, Spoil, Write, live
from .writes_boms import parts


def _place(tenant: Tenant) -> int:
    return live(tenant, "locations")[0]["id"]


def _new(tenant: Tenant, number: str, _: Record) -> Arguments:
    counts = [{"sku_or_variant_id": parts(tenant)[0], "quantity": 3.5}]
    return {"location_id": _place(tenant), "counts": counts, "stocktake_number": number, "reason": "Counted"}


def _batch(tenant: Tenant) -> tuple[int, str]:
    """Return goods with batches and the number of a batch, new ones where there are none."""
    for record in tenant.all("variants"):
        if record["sku"] == "COUNTED-LOT":
            return record["id"], "LOT-1"
    body: Arguments = {"name": "Counted by batch", "batch_tracked": True, "variants": [{"sku": "COUNTED-LOT"}]}
    (variant,) = tenant.create("materials", body)["variants"]
    lot = tenant.create("batches", {"batch_number": "LOT-1", "variant_id": variant["id"]})["id"]
    line = {"variant_id": variant["id"], "quantity": 5, "batch_transactions": [{"batch_id": lot, "quantity": 5}]}
    tenant.create("stock_adjustments", {"location_id": _place(tenant), "stock_adjustment_rows": [line]})
    return variant["id"], "LOT-1"


def _below(tenant: Tenant, _: Record) -> dict[str, Arguments]:
    first, second = parts(tenant)[:2]
    by_batch, batch = _batch(tenant)
    return {
        "counts[].sku_or_variant_id": {"counts": [{"sku_or_variant_id": second, "quantity": 3.5}]},
        "counts[].quantity": {"counts": [{"sku_or_variant_id": first, "quantity": 4}]},
        "counts[].batch": {"counts": [{"sku_or_variant_id": by_batch, "quantity": 3.5, "batch": batch}]},
    }


def _pools(tenant: Tenant, _: Record) -> Pools:
    goods: list[object] = [*parts(tenant)[:6]]
    places = [value for location in live(tenant, "locations") for value in (location["id"], location["name"])]
    return {"location_id": places, "counts[].sku_or_variant_id": goods, "skus_or_variant_ids[]": goods}


def _forget(tenant: Tenant, _: Record, arguments: Arguments) -> None:
    tenant.delete("variants", cast("Rows", arguments["counts"])[0]["sku_or_variant_id"])


COUNTS = {
    "count_stock": Write(
        collection="stocktakes",
        usual=_new,
        pools=_pools,
        below=_below,
        spoils={"what is counted is deleted": Spoil(act=_forget, code="misread_lines")},
        parts={"counts": "stocktake_rows", "lines": "stocktake_rows"},
        derived=frozenset({"in_stock_quantity", "discrepancy_quantity", "started_date", "stocktake_created_date"}),
        words={"location_id": "locations"},
    )
}
