"""Shipping sales orders: the row of its tool that plans a write."""

from katana_sandbox import Tenant

from .writes import Arguments, Pools, Record, Spoil, Write, edited, gone
from .writes_sales import DERIVED, LINED, ORDER, PARTS, ROW, WORDS, make_order

LEFT = "2026-02-20T08:00:00Z"
SHIPMENT = "sales_order_fulfillments"
FOLLOWS = frozenset({"inventory", "inventory_movements", "negative_stock", "manufacturing_orders"})


def _rows(order: Record) -> list[int]:
    return [row["id"] for row in order[ROW]]


def _usual(_: Tenant, __: str, order: Record) -> Arguments:
    first, second, _third = _rows(order)
    rows = [{"row_id": first, "quantity": 1}, {"row_id": second}]
    return {"rows": rows, "picked_date": LEFT, "status": "PACKED", "tracking_number": "1Z 1"}


def _below(_: Tenant, order: Record) -> dict[str, Arguments]:
    first, second, third = _rows(order)
    batches = [{"batch_id": 1, "quantity": 1}]

    def one(**fields: object) -> Arguments:
        return {"rows": [{"row_id": first, "quantity": 1, **fields}, {"row_id": second}]}

    return {
        "rows[].row_id": {"rows": [{"row_id": third, "quantity": 1}, {"row_id": second}]},
        "rows[].quantity": one(quantity=2),
        "rows[].batches": one(batches=batches),
        "rows[].batches[]": one(batches=batches),
        "rows[].batches[].batch_id": one(batches=batches),
        "rows[].batches[].quantity": one(batches=batches),
        "rows[].serial_number_ids": one(serial_number_ids=[1]),
        "rows[].serial_number_ids[]": one(serial_number_ids=[1]),
    }


def _pools(_: Tenant, order: Record) -> Pools:
    pools: dict[str, list[object]] = {"rows[].batches": [[]], "rows[].serial_number_ids": [[]], "picked_date": [LEFT]}
    return pools | ({"rows[].row_id": [*_rows(order)]} if order else {})


def _ship(tenant: Tenant, order: Record, quantity: float | None = None) -> None:
    row = order[ROW][1]
    line: Arguments = {"sales_order_row_id": row["id"], "quantity": quantity or row["quantity"]}
    tenant.create(SHIPMENT, {"sales_order_id": order["id"], "status": "PACKED", "sales_order_fulfillment_rows": [line]})


SHIPMENTS = {
    "fulfill_order": Write(
        collection=ORDER,
        usual=_usual,
        subject="sales_order_id",
        make=make_order,
        pools=_pools,
        below=_below,
        spoils={
            "it is deleted": gone(ORDER),
            "it becomes a quote": Spoil(
                act=edited(ORDER, "", status="PENDING").act, code="blocked_status", blocks=False
            ),
            "a row that is to go is shipped elsewhere": Spoil(
                act=lambda tenant, order, _: _ship(tenant, order), code="already_completed"
            ),
            "a row that is to go is deleted": Spoil(
                act=lambda tenant, order, _: tenant.delete(ROW, _rows(order)[0]), code="unknown_row_id"
            ),
            "less is open": Spoil(
                act=lambda tenant, order, _: tenant.edit(ROW, _rows(order)[0], quantity=0.5), code="over_shipment"
            ),
        },
        follows=FOLLOWS,
        parts={**PARTS, "fulfillments": SHIPMENT, "add_fulfillments": SHIPMENT},
        derived=DERIVED | {"sales_order_id", "invoice_status", "sales_order_fulfillment_rows"},
        lined=LINED,
        words=WORDS,
        moments=frozenset({"picked_date"}),
    )
}
