"""Correcting received purchase orders: the row of its tool that plans a write."""

from typing import cast

from katana_sandbox import Tenant

from .writes import Arguments, Pools, Record, Write, edited, gone, live
from .writes_orders import DERIVED, FOLLOWS, LINED, ORDER, PARTS, WORDS, make_order

CAME = "2026-03-01T08:00:00Z"


def _received(tenant: Tenant, number: str) -> Record:
    """Return a new order that came at once."""
    order = make_order(tenant, number)
    rows = order["purchase_order_rows"]
    came = [{"purchase_order_row_id": row["id"], "quantity": row["quantity"], "received_date": CAME} for row in rows]
    tenant.create("purchase_order_receive", cast("Record", came))
    return tenant.get(ORDER, order["id"])


def _rows(order: Record) -> list[int]:
    return [row["id"] for row in order["purchase_order_rows"]]


def _usual(_: Tenant, __: str, order: Record) -> Arguments:
    first, _second, third = _rows(order)
    good = order["purchase_order_rows"][1]["variant_id"]
    added = {"sku_or_variant_id": good, "quantity": 1, "price_per_unit": 9}
    return {"update_rows": [{"row_id": first, "quantity": 2}], "add_rows": [added], "delete_row_ids": [third]}


def _below(tenant: Tenant, order: Record) -> dict[str, Arguments]:
    first, second, _third = _rows(order)
    usual = _usual(tenant, "", order)
    (added,) = cast("list[Arguments]", usual["add_rows"])
    place, tax, batches = (
        live(tenant, "locations")[2]["id"],
        live(tenant, "tax_rates")[1]["id"],
        [{"batch_id": 1, "quantity": 1}],
    )

    def changed(**fields: object) -> Arguments:
        return usual | {"update_rows": [{"row_id": first, "quantity": 2, **fields}]}

    def new(**fields: object) -> Arguments:
        return usual | {"add_rows": [added | fields]}

    batched = ("", "[]", "[].batch_id", "[].quantity")
    return {
        "update_rows[].row_id": usual | {"update_rows": [{"row_id": second, "quantity": 2}]},
        "update_rows[].quantity": changed(quantity=1),
        "update_rows[].price_per_unit": changed(price_per_unit=3),
        "update_rows[].tax_rate_id": changed(tax_rate_id=tax),
        "update_rows[].arrival_date": changed(arrival_date="2026-03-02"),
        "update_rows[].received_date": changed(received_date="2026-02-27"),
        "update_rows[].location_id": changed(location_id=place),
        **{f"update_rows[].batches{below}": changed(batches=batches) for below in batched},
        "add_rows[].sku_or_variant_id": new(sku_or_variant_id=order["purchase_order_rows"][0]["variant_id"]),
        "add_rows[].quantity": new(quantity=3),
        "add_rows[].price_per_unit": new(price_per_unit=8),
        "add_rows[].tax_rate_id": new(tax_rate_id=tax),
        "add_rows[].received_date": new(received_date="2026-02-27"),
        "add_rows[].received_with_row_id": new(received_with_row_id=first),
        "add_rows[].location_id": new(location_id=place),
        **{f"add_rows[].batches{below}": new(batches=batches) for below in batched},
    }


def _pools(tenant: Tenant, order: Record) -> Pools:
    places = [value for location in live(tenant, "locations") for value in (location["id"], location["name"])]
    pools: dict[str, list[object]] = {name: [*places] for name in ("location_id", "update_rows[].location_id")}
    pools |= {"add_rows[].location_id": [*places], "supplier_id": [one["id"] for one in live(tenant, "suppliers")]}
    taxes: list[object] = [tax["id"] for tax in live(tenant, "tax_rates")]
    pools |= {f"{name}[].tax_rate_id": taxes for name in ("update_rows", "add_rows")}
    pools |= {f"{name}[].batches": [[]] for name in ("update_rows", "add_rows")}
    goods: list[object] = [row["variant_id"] for row in order.get("purchase_order_rows", ())]
    rows: list[object] = [*_rows(order)] if order else []
    pools |= {"add_rows[].sku_or_variant_id": goods, "update_rows[].row_id": rows, "delete_row_ids[]": rows}
    return pools | {"add_rows[].received_with_row_id": rows, "currency": ["EUR", "USD"]}


CORRECTIONS = {
    "correct_purchase_order": Write(
        collection=ORDER,
        usual=_usual,
        subject="purchase_order_id",
        make=_received,
        pools=_pools,
        below=_below,
        spoils={
            "it is deleted": gone(ORDER),
            "it becomes a draft": edited(ORDER, "not_received", status="DRAFT"),
            "it is open again": edited(ORDER, "not_received", status="NOT_RECEIVED"),
            "it is billed": edited(ORDER, "billed_order", billing_status="BILLED"),
        },
        follows=FOLLOWS,
        parts=PARTS,
        derived=DERIVED | {"group_id"},
        lined=LINED,
        words=WORDS,
    )
}
