"""What a delivery note alone raises: lines of nothing, and totals of a part of the order."""

from decimal import Decimal

import pytest
from server_wire import Wire, live

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Tenant

TOOL = "verify_order_document"


def _order(tenant: Tenant) -> Wire:
    """Return an open order of several rows, each of another good."""
    orders = [order for order in live(tenant, "purchase_orders") if order["status"] == "NOT_RECEIVED"]
    return next(
        order
        for order in orders
        if len({row["variant_id"] for row in order["purchase_order_rows"]}) == len(order["purchase_order_rows"]) > 1
    )


def _line(tenant: Tenant, row: Wire, **more: object) -> Wire:
    said = {"quantity": row["quantity"], "unit": row["purchase_uom"], "price": row["price_per_unit"]}
    return {"sku": tenant.get("variants", row["variant_id"])["sku"], **said, **more}


def _of(answer: Payload, *kinds: str) -> list[Payload]:
    return [difference for difference in answer["differences"] if difference["kind"] in kinds]


@pytest.mark.parametrize("kind", ["delivery_note", "invoice"])
@pytest.mark.parametrize("quantity", [0, -3, "0 pcs"])
async def test_a_line_of_nothing_or_less_is_told_what_is_wrong_with_it(
    stage: Stage, tenant: Tenant, kind: str, quantity: object
) -> None:
    order = _order(tenant)
    line = _line(tenant, order["purchase_order_rows"][0], quantity=quantity)
    answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=[line], kind=kind)
    (differs,) = _of(answer, "quantity")
    allowed = "the quantity of line 1 has to be more than 0"
    assert differs["no_call"] == f"{allowed}: correct it, or leave the line out, and compare again"
    assert "settle" not in differs
    assert "nothing is left" not in str(answer)
    assert answer["next_actions"] == (
        [f"nothing to receive: {allowed}: see the differences"] if kind != "invoice" else []
    )


async def test_a_line_of_nothing_of_what_came_or_is_not_ordered_is_told_so_too(stage: Stage, tenant: Tenant) -> None:
    received = next(order for order in live(tenant, "purchase_orders") if order["status"] == "RECEIVED")
    lines = [_line(tenant, received["purchase_order_rows"][0], quantity=0, price=None)]
    answer = await stage.call(TOOL, purchase_order_id=received["id"], lines=lines)
    assert ["more than 0" in difference["no_call"] for difference in answer["differences"]] == [True]
    order = _order(tenant)
    held = {row["variant_id"] for row in order["purchase_order_rows"]}
    other = next(row for row in received["purchase_order_rows"] if row["variant_id"] not in held)
    for quantity in (0, -1):
        lines = [_line(tenant, other, quantity=quantity)]
        (added,) = _of(await stage.call(TOOL, purchase_order_id=order["id"], lines=lines), "not_on_order")
        assert added["no_call"].startswith("the quantity of line 1 has to be more than 0")


async def test_lines_that_come_to_nothing_are_told_together_and_what_came_beside_is_received(
    stage: Stage, tenant: Tenant
) -> None:
    order = _order(tenant)
    first, second, *_ = order["purchase_order_rows"]
    lines = [_line(tenant, first, quantity=2), _line(tenant, first, quantity=-2), _line(tenant, second)]
    answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=lines)
    (differs,) = _of(answer, "quantity")
    assert differs["no_call"].startswith("the quantities of lines 1, 2 have to come to more than 0: correct them")
    assert [row["row_id"] for row in answer["receive"]["rows"]] == [second["id"]]


async def test_a_part_of_an_order_is_compared_with_that_part_and_not_with_the_whole(
    stage: Stage, tenant: Tenant
) -> None:
    order = _order(tenant)
    row = order["purchase_order_rows"][0]
    rate = Decimal(str(tenant.get("tax_rates", row["tax_rate_id"])["rate"]))
    net = Decimal(str(row["price_per_unit"])) * Decimal(str(row["quantity"]))
    tax = round(net * rate / 100, 2)
    asked: Wire = {"purchase_order_id": order["id"], "lines": [_line(tenant, row)]}
    totals = {"net_total": float(net), "tax_total": float(tax), "total": float(net + tax)}
    answer = await stage.call(TOOL, **asked, **totals)
    assert _of(answer, "net_total", "tax_total", "total") == []
    asked["lines"] = [_line(tenant, row, price=None)]
    wrong = await stage.call(TOOL, **asked, **{name: amount + 7 for name, amount in totals.items()})
    told = {difference["kind"]: difference for difference in _of(wrong, "net_total", "tax_total", "total")}
    assert {kind: difference["order"] for kind, difference in told.items()} == pytest.approx(totals, abs=0.01)
    for difference in told.values():
        assert ", for the same quantities the order has " in difference["message"]
    invoice = await stage.call(TOOL, **asked, **totals, kind="invoice")
    assert {difference["kind"] for difference in _of(invoice, "net_total", "total")} == {"net_total", "total"}
    assert all(", the order totals " in difference["message"] for difference in _of(invoice, "net_total", "total"))


async def test_a_part_is_not_compared_where_it_is_not_certain_what_it_costs(stage: Stage, tenant: Tenant) -> None:
    order = _order(tenant)
    row = order["purchase_order_rows"][0]
    lines = [_line(tenant, row), {"description": "pallet, returnable", "quantity": 1, "price": 12}]
    asked = {"purchase_order_id": order["id"], "lines": lines}
    assert _of(await stage.call(TOOL, **asked, total=1), "net_total", "tax_total", "total") == []
    of_lines = await stage.call(TOOL, **asked, net_total=1)
    (differs,) = _of(of_lines, "net_total")
    assert ", its lines total " in differs["message"]


async def test_a_part_without_a_tax_rate_is_compared_without_tax_alone(stage: Stage, tenant: Tenant) -> None:
    order = _order(tenant)
    row = order["purchase_order_rows"][0]
    tenant.edit("purchase_order_rows", row["id"], tax_rate_id=None)
    asked = {"purchase_order_id": order["id"], "lines": [_line(tenant, row)]}
    answer = await stage.call(TOOL, **asked, net_total=1, tax_total=1, total=1)
    told = [difference["message"] for difference in _of(answer, "net_total", "tax_total", "total")]
    assert [("its lines total" in message, "same quantities" in message) for message in told] == [
        (False, True),
        (True, False),
    ]


async def test_a_part_of_a_good_of_several_prices_is_not_compared(stage: Stage, tenant: Tenant) -> None:
    like = _order(tenant)
    head = {name: like[name] for name in ("supplier_id", "location_id", "currency")}
    bought = {"variant_id": like["purchase_order_rows"][0]["variant_id"], "quantity": 5, "purchase_uom": "pcs"}
    rows = [{**bought, "price_per_unit": price, "purchase_uom_conversion_rate": 1} for price in (2, 3)]
    made = tenant.create("purchase_orders", {**head, "order_no": "PO-900", "purchase_order_rows": rows})
    lines = [_line(tenant, made["purchase_order_rows"][0], quantity=1, price=None)]
    answer = await stage.call(TOOL, purchase_order_id=made["id"], lines=lines, net_total=1, total=1)
    assert _of(answer, "net_total", "tax_total", "total") == []
