"""Short ways to make, sell and ship single units, for the tests of serial numbers."""

from typing import Any

from katana_sandbox import Answer, Caller

from .manufacturing_floor import WORKSHOP, ordered, produced

NOW = "2026-03-02T09:00:00.000Z"
LATER = "2026-03-05T09:00:00.000Z"
ASSIGNED = "given serial numbers have already been assigned"
COUNT = "sum of serial number quantity (current: 0) must match fulfillment row quantity (expected: 1)"


async def post(api: Caller, kind: str, key: int, *names: str) -> Answer:
    body = {"resource_type": kind, "resource_id": key, "serial_numbers": list(names)}
    return await api.post("/serial_numbers", body)


async def mint(api: Caller, order: dict[str, Any], *names: str) -> list[int]:
    answer = await post(api, "ManufacturingOrder", order["id"], *names)
    assert (answer.status, answer.body["failed"]) == (200, []), answer.raw
    return [entry["id"] for entry in answer.body["successful"]]


async def made(api: Caller, variant: int, *names: str) -> list[int]:
    """Units that a done manufacturing order brought into stock."""
    order = await ordered(api, variant, len(names))
    units = await mint(api, order, *names)
    answer = await produced(api, order, len(names), is_final=True, serial_numbers=units)
    assert answer.status == 200, answer.raw
    return units


async def sold(api: Caller, variant: int, quantity: float = 1) -> dict[str, Any]:
    row = {"variant_id": variant, "quantity": quantity, "price_per_unit": 90}
    body = {"customer_id": 10000101, "location_id": WORKSHOP, "sales_order_rows": [row]}
    return (await api.post("/sales_orders", body)).body["sales_order_rows"][0]


async def ship(api: Caller, row: dict[str, Any], status: str = "DELIVERED", **extra: object) -> Answer:
    line = {"sales_order_row_id": row["id"], "quantity": 1, **extra}
    body = {"sales_order_id": row["sales_order_id"], "status": status, "picked_date": LATER}
    return await api.post("/sales_order_fulfillments", {**body, "sales_order_fulfillment_rows": [line]})


async def reserve(api: Caller, row: dict[str, Any], unit: int, quantity: int = 1) -> Answer:
    move = {"serial_number_id": unit, "quantity": quantity}
    return await api.patch(f"/sales_order_rows/{row['id']}", {"serial_number_transactions": [move]})


async def ledger(api: Caller, unit: int) -> tuple[bool, list[tuple[str, object, int]]]:
    """Whether a unit is in stock, and its entries as kind, date and change."""
    found = next(row for row in (await api.get("/serial_numbers_stock")).rows if row["id"] == unit)
    names = ("resource_type", "transaction_date", "quantity_change")
    return found["in_stock"], [(entry[names[0]], entry[names[1]], entry[names[2]]) for entry in found["transactions"]]


def said(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.error["message"]
