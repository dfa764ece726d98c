"""Receiving purchase orders: the row of its tool that plans a write."""

from katana_sandbox import Tenant

from .writes import Arguments, Pools, Record, Spoil, Write, edited, gone, live
from .writes_orders import DERIVED, FOLLOWS, LINED, ORDER, PARTS, ROW, WORDS, make_order

CAME = "2026-03-01T08:00:00Z"


def _rows(order: Record) -> list[int]:
    return [row["id"] for row in order["purchase_order_rows"]]


def _usual(_: Tenant, __: str, order: Record) -> Arguments:
    first, second, _third = _rows(order)
    return {"rows": [{"row_id": first, "quantity": 1}, {"row_id": second}], "received_date": CAME}


def _below(tenant: Tenant, order: Record) -> dict[str, Arguments]:
    first, second, third = _rows(order)
    batches = [{"batch_id": 1, "quantity": 1}]

    def one(**fields: object) -> Arguments:
        return {"rows": [{"row_id": first, "quantity": 1, **fields}, {"row_id": second}]}

    return {
        "rows[].row_id": {"rows": [{"row_id": third, "quantity": 1}, {"row_id": second}]},
        "rows[].quantity": one(quantity=2),
        "rows[].received_date": one(received_date="2026-03-02"),
        "rows[].location_id": one(location_id=live(tenant, "locations")[2]["id"]),
        "rows[].batches": one(batches=batches),
        "rows[].batches[]": one(batches=batches),
        "rows[].batches[].batch_id": one(batches=batches),
        "rows[].batches[].quantity": one(batches=batches),
        "rows[].serial_number_ids": one(serial_number_ids=[1]),
        "rows[].serial_number_ids[]": one(serial_number_ids=[1]),
    }


def _pools(tenant: Tenant, order: Record) -> Pools:
    places = [value for location in live(tenant, "locations") for value in (location["id"], location["name"])]
    pools: dict[str, list[object]] = {"rows[].location_id": [*places], "rows[].batches": [[]]}
    pools |= {"rows[].serial_number_ids": [[]], "received_date": [CAME], "rows[].received_date": [CAME]}
    return pools | ({"rows[].row_id": [*_rows(order)]} if order else {})


def _come(tenant: Tenant, order: Record, _: Arguments) -> None:
    tenant.edit(ROW, _rows(order)[1], received_date="2026-02-28T10:00:00.000Z")


RECEIPTS = {
    "receive_purchase_order": Write(
        collection=ORDER,
        usual=_usual,
        subject="purchase_order_id",
        make=make_order,
        pools=_pools,
        below=_below,
        spoils={
            "it is deleted": gone(ORDER),
            "it is received": edited(ORDER, "already_received", status="RECEIVED"),
            "it becomes a draft": edited(ORDER, "draft_order", status="DRAFT"),
            "a row that has come is received elsewhere": Spoil(act=_come, code="already_received"),
            "a row that has come is deleted": Spoil(
                act=lambda tenant, order, _: tenant.delete(ROW, _rows(order)[0]), code="unknown_row_id"
            ),
            "less is open": Spoil(
                act=lambda tenant, order, _: tenant.edit(ROW, _rows(order)[0], quantity=0.5), code="over_receipt"
            ),
        },
        follows=FOLLOWS,
        parts=PARTS,
        derived=DERIVED | {"group_id"},
        lined=LINED,
        words=WORDS,
        moments=frozenset({"received_date"}),
    )
}
