"""Ranks of orders: the row of the tool that plans to move them."""

from typing import cast

from katana_sandbox import Tenant

from .writes import Arguments, Record, Spoil, Write, edited, gone
from .writes_making import make_order as make_one
from .writes_sales import make_order

SOLD, MADE = "sales_orders", "manufacturing_orders"


def _beside(tenant: Tenant, order: Record) -> Arguments:
    other = make_order(tenant, f"{order['order_no']}-BESIDE")
    return {"orders": [order["id"]], "before": other["id"]}


def _close_other(tenant: Tenant, _: Record, arguments: Arguments) -> None:
    tenant.edit(SOLD, cast("int", arguments["before"]), True, status="DELIVERED")


def _made(tenant: Tenant, order: Record) -> Arguments:
    first, second = (make_one(tenant, f"{order['order_no']}-{nr}")["id"] for nr in range(2))
    return {"type": "manufacturing_order", "orders": [first], "after": second}


def _make_for_one_order(tenant: Tenant, order: Record, arguments: Arguments) -> None:
    for key in (*cast("list[int]", arguments["orders"]), cast("int", arguments["after"])):
        tenant.edit(MADE, key, True, sales_order_id=order["id"])


RANKING = {
    "prioritize_orders": Write(
        collection=SOLD,
        usual=lambda _, __, order: {"orders": [order["id"]], "position": "top"},
        always={"type": "sales_order"},
        make=make_order,
        spoils={
            "it is deleted": gone(SOLD),
            "it is packed": edited(SOLD, "already_completed", status="PACKED"),
            "the order that it is put before is delivered": Spoil(
                act=_close_other, code="already_completed", asks=_beside
            ),
            "both are made for one sales order": Spoil(act=_make_for_one_order, code="invalid_argument", asks=_made),
        },
    ),
}
