"""What a document says of open rows, settled by few calls: typed literally, planned, applied, and compared again."""

from collections import Counter

import pytest
from correcting_orders import goods, receive
from server_wire import Wire, live
from test_verified_corrections import line_of

from katana_mcp.testing import Payload, Stage
from katana_sandbox import ManualClock, Tenant

TOOL, MODIFY, NUMBER = "verify_order_document", "modify_purchase_order", "PO-900"


def _bought(tenant: Tenant) -> list[Wire]:
    """Return goods that are bought by the stock unit, each of an SKU that no other has."""
    skus = Counter(variant["sku"] for variant in live(tenant, "variants"))
    items = {item["id"]: item for item in live(tenant, "materials")}
    plain = [variant for variant in goods(tenant, batched=False) if skus[variant["sku"]] == 1]
    return [variant for variant in plain if not items[variant["material_id"]]["purchase_uom"]]


def _order(tenant: Tenant, clock: ManualClock, count: int = 4, **more: object) -> Wire:
    """Return an open order of so many goods, ten of each at a price of 3."""
    parties = {"supplier_id": live(tenant, "suppliers")[0]["id"], "location_id": live(tenant, "locations")[0]["id"]}
    rows = [{"variant_id": one["id"], "quantity": 10, "price_per_unit": 3} for one in _bought(tenant)[:count]]
    made = tenant.create("purchase_orders", {**parties, "order_no": NUMBER, "purchase_order_rows": rows, **more})
    clock.advance(3_600)
    return made


def _calls(answer: Payload) -> list[Payload]:
    for difference in answer["differences"]:
        assert ("settle" in difference) is not ("no_call" in difference), difference
    return [difference["settle"] for difference in answer["differences"] if "settle" in difference]


def _rate(tenant: Tenant, row: Wire) -> Wire:
    """Return a tax rate that a row does not have, the only one of its percent."""
    rates = live(tenant, "tax_rates")
    alone = [rate for rate in rates if [one["rate"] for one in rates].count(rate["rate"]) == 1]
    return next(rate for rate in alone if rate["id"] != row["tax_rate_id"])


async def _applied(stage: Stage, clock: ManualClock, *calls: Payload) -> None:
    """Plan each call as it stands, apply it, and let the minute go by."""
    for call in calls:
        preview = await stage.call(call["tool"], **call["arguments"])
        assert preview["plan_token"], (call, preview["warnings"])
        done = await stage.call("apply_plan", plan_tokens=[preview["plan_token"]])
        assert done["outcomes"][0]["applied"] == len(preview["requests"])
        clock.advance(61)


@pytest.mark.parametrize("status", ["NOT_RECEIVED", "DRAFT"])
async def test_an_invoice_is_settled_by_one_call_that_changes_rows_and_one_that_deletes_them(
    stage: Stage, tenant: Tenant, clock: ManualClock, status: str
) -> None:
    order = _order(tenant, clock, 5, status=status)
    first, second, third, *absent = order["purchase_order_rows"]
    other, rate = _bought(tenant)[5], _rate(tenant, first)
    lines = [
        line_of(tenant, first, quantity=12, price="3,50", tax_rate=rate["rate"]),
        line_of(tenant, second, quantity=4),
        line_of(tenant, third, price=2.5),
        {"sku": other["sku"], "quantity": 6, "price": 9, "tax_rate": rate["rate"]},
    ]
    asked: Wire = {"purchase_order_id": NUMBER, "lines": lines, "kind": "invoice"}
    answer = await stage.call(TOOL, **asked)
    change, delete = _calls(answer)
    assert change == {
        "tool": MODIFY,
        "arguments": {
            "purchase_order_id": order["id"],
            "update_rows": [
                {"row_id": first["id"], "quantity": 12, "price_per_unit": 3.5, "tax_rate_id": rate["id"]},
                {"row_id": second["id"], "quantity": 4},
                {"row_id": third["id"], "price_per_unit": 2.5},
            ],
            "add_rows": [
                {"sku_or_variant_id": other["id"], "quantity": 6, "price_per_unit": 9, "tax_rate_id": rate["id"]}
            ],
        },
    }
    assert delete == {
        "tool": MODIFY,
        "arguments": {"purchase_order_id": order["id"], "delete_row_ids": [row["id"] for row in absent]},
    }
    told = [(difference["kind"], difference.get("no_call")) for difference in answer["differences"]]
    too, gone = f"the call of {lines[0]['sku']} (quantity) settles it too", line_of(tenant, absent[0])["sku"]
    assert told[:8] == [
        ("quantity", None),
        *[(kind, too) for kind in ("price", "tax_rate", "quantity", "price", "not_on_order")],
        ("not_on_document", None),
        ("not_on_document", f"the call of {gone} (not on document) settles it too"),
    ]
    await _applied(stage, clock, change, delete)
    assert (await stage.call(TOOL, **asked))["differences"] == []


async def test_a_note_of_more_and_of_other_goods_is_settled_compared_again_and_received(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = _order(tenant, clock, 3)
    first, second, third = order["purchase_order_rows"]
    lines = [
        line_of(tenant, first, quantity=12),
        line_of(tenant, second, price=None),
        {"sku": _bought(tenant)[3]["sku"], "quantity": 2, "price": 5},
    ]
    asked: Wire = {"purchase_order_id": NUMBER, "lines": lines}
    answer = await stage.call(TOOL, **asked)
    change, delete = _calls(answer)
    assert answer["next_actions"] == ["before `receive`: apply the call that changes rows, and compare again"]
    assert list(change["arguments"]) == ["purchase_order_id", "update_rows", "add_rows"]
    assert delete["arguments"]["delete_row_ids"] == [third["id"]]
    await _applied(stage, clock, change, delete)
    agreed = await stage.call(TOOL, **asked)
    assert agreed["differences"] == agreed["next_actions"] == []
    assert [row["quantity"] for row in agreed["receive"]["rows"]] == [12, 10, 2]
    await _applied(stage, clock, {"tool": "receive_purchase_order", "arguments": agreed["receive"]})
    assert tenant.get("purchase_orders", order["id"])["status"] == "RECEIVED"
    over = await stage.call(TOOL, **asked)
    assert {difference["kind"] for difference in over["differences"]} == {"already_received"}
    assert _calls(over) == []


async def test_what_came_in_part_is_received_by_one_call_alone(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = _order(tenant, clock, 2)
    first, second = order["purchase_order_rows"]
    lines = [line_of(tenant, first, quantity=4), line_of(tenant, second, quantity=7)]
    answer = await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines)
    assert _calls(answer) == answer["next_actions"] == []
    parts = [difference["no_call"] for difference in answer["differences"] if difference["kind"] == "quantity"]
    assert parts == ["`receive` receives what came, and the rest stays open"] * 2
    await _applied(stage, clock, {"tool": "receive_purchase_order", "arguments": answer["receive"]})
    held = tenant.get("purchase_orders", order["id"])["purchase_order_rows"]
    assert sorted(row["quantity"] for row in held if row["received_date"]) == [4, 7]


async def test_more_of_what_came_is_ordered_as_the_row_that_came(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = _order(tenant, clock, 2)
    first, second = order["purchase_order_rows"]
    rate = _rate(tenant, first)
    tenant.edit("purchase_order_rows", first["id"], tax_rate_id=rate["id"])
    receive(tenant, {"purchase_order_row_id": first["id"], "quantity": 10})
    lines = [
        line_of(tenant, first, quantity=13, tax_rate=rate["rate"]),
        line_of(tenant, second, quantity=11, price=4),
    ]
    asked: Wire = {"purchase_order_id": NUMBER, "lines": lines, "kind": "invoice"}
    (call,) = _calls(await stage.call(TOOL, **asked))
    (row,) = call["arguments"]["add_rows"]
    assert (row["quantity"], row["price_per_unit"], row["tax_rate_id"]) == (3, 3, rate["id"])
    assert call["arguments"]["update_rows"] == [{"row_id": second["id"], "quantity": 11, "price_per_unit": 4}]
    await _applied(stage, clock, call)
    assert (await stage.call(TOOL, **asked))["differences"] == []


async def test_the_call_that_deletes_leaves_a_row_and_what_it_would_leave_empty_is_deleted_whole(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = _order(tenant, clock, 3)
    other = _bought(tenant)[3]
    asked: Wire = {"purchase_order_id": NUMBER, "lines": [{"sku": other["sku"], "quantity": 2, "price": 5}]}
    answer = await stage.call(TOOL, **asked, kind="invoice")
    (add,) = _calls(answer)
    assert list(add["arguments"]) == ["purchase_order_id", "add_rows"]
    absent = [difference for difference in answer["differences"] if difference["kind"] == "not_on_document"]
    assert {difference["no_call"] for difference in absent} == {
        "the order would have no rows left; use delete_purchase_order to delete it"
    }
    assert all(difference["message"].endswith(", the document has none") for difference in absent)
    await _applied(stage, clock, add)
    (delete,) = _calls(await stage.call(TOOL, **asked, kind="invoice"))
    assert delete["arguments"]["delete_row_ids"] == [row["id"] for row in order["purchase_order_rows"]]
    await _applied(stage, clock, delete)
    assert (await stage.call(TOOL, **asked, kind="invoice"))["differences"] == []


async def test_no_call_sends_more_than_may_be_sent_in_a_minute(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = _order(tenant, clock, 40)
    lines = [line_of(tenant, row, quantity=12, price=4) for row in order["purchase_order_rows"]]
    assert len(lines) == 40
    asked: Wire = {"purchase_order_id": NUMBER, "lines": lines, "kind": "invoice"}
    calls = _calls(await stage.call(TOOL, **asked))
    assert [len(call["arguments"]["update_rows"]) for call in calls] == [30, 10]
    await _applied(stage, clock, *calls)
    assert (await stage.call(TOOL, **asked))["differences"] == []


async def test_another_currency_is_a_call_of_its_own(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    order = _order(tenant, clock, 2)
    lines = [line_of(tenant, row, quantity=12) for row in order["purchase_order_rows"]]
    answer = await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines, kind="invoice", currency="XPF")
    assert [list(call["arguments"]) for call in _calls(answer)] == [
        ["purchase_order_id", "currency"],
        ["purchase_order_id", "update_rows"],
    ]
