"""Bodies and ids for the exchanges with the description: batches, stocktakes and returns."""

from typing import Any

from katana_sandbox import Tenant

from .spec_steps import Step, first, given
from .stock_room import adjust, batch, location, material, shipped, sold

DAY = "2026-05-01T00:00:00.000Z"
type Body = dict[str, Any]


def new_batch(tenant: Tenant) -> int:
    """A batch with stock."""
    variant = material(tenant, batch_tracked=True)
    body = {"batch_number": "B-1", "variant_id": variant, "expiration_date": DAY}
    key = tenant.create("batches", body)["id"]
    adjust(tenant, variant, 2, batch_id=key)
    return key


def stocktake(tenant: Tenant) -> Body:
    rows = [{"variant_id": material(tenant), "counted_quantity": 3}]
    return {"stocktake_number": "T-1", "location_id": location(tenant), "stocktake_rows": rows}


def new_stocktake(tenant: Tenant) -> int:
    return tenant.create("stocktakes", stocktake(tenant))["id"]


def stocktake_row(tenant: Tenant) -> int:
    new_stocktake(tenant)
    return next(tenant.all("stocktake_rows"))["id"]


def delivered(tenant: Tenant) -> Body:
    """An order of which some is delivered, in a batch."""
    variant = material(tenant, 5, batch_tracked=True)
    order = sold(tenant, variant, 2)
    key = batch(tenant, variant)
    return {**order, "line": shipped(tenant, order, 2, traceability=[{"batch_id": key, "quantity": "2"}])}


def new_return(tenant: Tenant) -> Body:
    return {"sales_order_id": delivered(tenant)["id"], "return_location_id": location(tenant), "tracking_number": "T"}


def return_line(tenant: Tenant) -> Body:
    order = delivered(tenant)
    header = {"sales_order_id": order["id"], "return_location_id": location(tenant)}
    named = {"variant_id": order["sales_order_rows"][0]["variant_id"], "fulfillment_row_id": order["line"]["id"]}
    return {"sales_return_id": tenant.create("sales_returns", header)["id"], **named, "quantity": 2}


def returned_row(tenant: Tenant) -> int:
    return tenant.create("sales_return_rows", return_line(tenant))["id"]


def new_bin(tenant: Tenant) -> int:
    return tenant.create("bin_locations", {"bin_name": "A", "location_id": location(tenant)})["id"]


def bin_transfer(tenant: Tenant) -> Body:
    row = {"variant_id": material(tenant, 4), "quantity": "2", "target_bin_location_id": new_bin(tenant)}
    return {"location_id": location(tenant), "bin_transfer_rows": [row]}


def new_bin_transfer(tenant: Tenant) -> int:
    return tenant.create("bin_transfers", bin_transfer(tenant))["id"]


def bin_transfer_row(tenant: Tenant) -> int:
    new_bin_transfer(tenant)
    return next(tenant.all("bin_transfer_rows"))["id"]


DELETED = (("include_deleted", "true"), ("limit", "250"))
STOCK_STEPS: dict[str, Step] = {
    "POST /batches": Step(
        body=lambda tenant: {"batch_number": "B", "variant_id": first("variants")(tenant), "expiration_date": DAY}
    ),
    "GET /batch_stocks": Step(new_batch, query=(("include_empty", "true"),)),
    "PATCH /batch_stocks/{id}": Step(new_batch, given({"batch_number": "B-2", "batch_barcode": None})),
    "GET /stocktakes": Step(new_stocktake, query=DELETED),
    "POST /stocktakes": Step(body=stocktake),
    "PATCH /stocktakes/{id}": Step(new_stocktake, given({"status": "IN_PROGRESS"})),
    "DELETE /stocktakes/{id}": Step(new_stocktake),
    "GET /stocktake_rows": Step(new_stocktake),
    "POST /stocktake_rows": Step(
        body=lambda tenant: {
            "stocktake_id": new_stocktake(tenant),
            "stocktake_rows": [{"variant_id": material(tenant)}],
        }
    ),
    "PATCH /stocktake_rows/{id}": Step(stocktake_row, given({"counted_quantity": 3, "notes": "x"})),
    "DELETE /stocktake_rows/{id}": Step(stocktake_row),
    "GET /sales_returns": Step(),
    "POST /sales_returns": Step(body=new_return),
    "GET /sales_returns/{id}": Step(first("sales_returns")),
    "PATCH /sales_returns/{id}": Step(first("sales_returns"), given({"status": "RETURNED_ALL"})),
    "DELETE /sales_returns/{id}": Step(first("sales_returns")),
    "GET /sales_returns/return_reasons": Step(),
    "GET /sales_orders/{id}/returnable_items": Step(lambda tenant: delivered(tenant)["id"]),
    "GET /sales_return_rows": Step(returned_row),
    "POST /sales_return_rows": Step(body=return_line),
    "GET /sales_return_rows/{id}": Step(returned_row),
    "PATCH /sales_return_rows/{id}": Step(returned_row, given({"quantity": 0.5, "reason_id": 1})),
    "DELETE /sales_return_rows/{id}": Step(returned_row),
    "GET /sales_return_rows/{id}/unassigned_batch_transactions": Step(returned_row),
    "GET /bin_locations": Step(new_bin),
    "POST /bin_locations": Step(body=lambda tenant: {"bin_name": "A", "location_id": location(tenant)}),
    "PATCH /bin_locations/{id}": Step(new_bin, given({"bin_name": "B"})),
    "DELETE /bin_locations/{id}": Step(new_bin),
    "GET /bin_inventory": Step(query=(("granularity", "VARIANT"),)),
    "GET /bin_transfers": Step(new_bin_transfer, query=DELETED),
    "POST /bin_transfers": Step(body=bin_transfer),
    "GET /bin_transfers/{id}": Step(new_bin_transfer),
    "PATCH /bin_transfers/{id}": Step(new_bin_transfer, given({"additional_info": "x"})),
    "DELETE /bin_transfers/{id}": Step(new_bin_transfer),
    "PATCH /bin_transfers/{id}/status": Step(new_bin_transfer, given({"status": "DONE"})),
    "GET /bin_transfer_rows": Step(new_bin_transfer),
    "POST /bin_transfer_rows": Step(
        body=lambda tenant: {
            "bin_transfer_id": new_bin_transfer(tenant),
            "variant_id": material(tenant),
            "quantity": "1",
        }
    ),
    "GET /bin_transfer_rows/{id}": Step(bin_transfer_row),
    "PATCH /bin_transfer_rows/{id}": Step(bin_transfer_row, given({"quantity": "2"})),
    "DELETE /bin_transfer_rows/{id}": Step(bin_transfer_row),
    "POST /variant_bin_locations": Step(
        body=lambda tenant: [{"bin_name": "A", "variant_id": material(tenant), "location_id": location(tenant)}]
    ),
    "POST /unlink_variant_bin_locations": Step(
        body=lambda tenant: [{"variant_id": material(tenant), "location_id": location(tenant)}]
    ),
}
