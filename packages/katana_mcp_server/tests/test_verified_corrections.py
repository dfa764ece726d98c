"""What a document says of a received order, settled by one correction: all rows at once, once, whatever happens."""

from collections import Counter

import pytest
from correcting_orders import goods, large, receive, small, stock, units
from correcting_steps import WRITES, brought_to_its_end, tried
from journal_plans import hasty
from server_wire import Wire, live

from katana_mcp.entities.purchase_orders.verifying.merging import most_rows
from katana_mcp.testing import Payload, Stage
from katana_sandbox import Drop, Fault, ManualClock, Status, Tenant

TOOL, NUMBER = "verify_order_document", "PO-900"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def line_of(tenant: Tenant, row: Wire, **more: object) -> Wire:
    """Return the line of an invoice that says what a row of the order does, but for what is given."""
    said = {"quantity": row["quantity"], "unit": row["purchase_uom"], "price": row["price_per_unit"]}
    return {"sku": tenant.get("variants", row["variant_id"])["sku"], **said, **more}


def _settled(answer: Payload) -> Payload:
    """Return the one call of an answer."""
    (call,) = [difference["settle"] for difference in answer["differences"] if "settle" in difference]
    return call


def _rates(tenant: Tenant, row: Wire) -> list[Wire]:
    """Return tax rates that a row does not have, each the only one of its percent."""
    every = [rate["rate"] for rate in live(tenant, "tax_rates")]
    rates = [rate for rate in live(tenant, "tax_rates") if every.count(rate["rate"]) == 1]
    return [rate for rate in rates if rate["id"] != row["tax_rate_id"]]


async def test_all_differences_of_received_rows_are_settled_by_one_call(stage: Stage, tenant: Tenant) -> None:
    order = small(tenant, NUMBER)
    first, second = order["purchase_order_rows"]
    rate = _rates(tenant, first)[0]
    lines = [line_of(tenant, first, quantity=7, price=25, tax_rate=rate["rate"]), line_of(tenant, second, price=2)]
    answer = await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines, kind="invoice")
    told = {(difference["kind"], difference.get("sku")): difference for difference in answer["differences"]}
    assert [kind for kind, _ in told] == ["quantity", "price", "tax_rate", "price", "net_total"]
    call = _settled(answer)
    assert told["quantity", lines[0]["sku"]]["settle"] == call
    assert call["tool"] == "correct_purchase_order"
    assert call["arguments"]["update_rows"] == [
        {"row_id": first["id"], "quantity": 7, "price_per_unit": 25, "tax_rate_id": rate["id"]},
        {"row_id": second["id"], "price_per_unit": 2},
    ]
    for kind, sku in (("price", lines[0]["sku"]), ("tax_rate", lines[0]["sku"]), ("price", lines[1]["sku"])):
        assert told[kind, sku]["no_call"] == f"the call of {lines[0]['sku']} (quantity) settles it too"


async def test_a_single_difference_keeps_its_call_and_nothing_refers_to_another(stage: Stage, tenant: Tenant) -> None:
    order = small(tenant, NUMBER)
    lines = [line_of(tenant, row) for row in order["purchase_order_rows"]]
    lines[1]["price"] = 2
    answer = await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines, kind="invoice")
    assert _settled(answer)["arguments"]["update_rows"] == [
        {"row_id": order["purchase_order_rows"][1]["id"], "price_per_unit": 2}
    ]
    assert not any("settles it too" in difference.get("no_call", "") for difference in answer["differences"])


@pytest.mark.parametrize(
    ("step", "trouble"), [(1, Drop("after")), (2, Drop("before")), (3, Status(503)), (4, Drop("after"))]
)
async def test_the_one_call_is_applied_exactly_once_whatever_happens_at_a_step(
    stage: Stage, tenant: Tenant, clock: ManualClock, step: int, trouble: Drop | Status
) -> None:
    order = small(tenant, NUMBER)
    first, second = order["purchase_order_rows"]
    lines = [line_of(tenant, first, quantity=7, price=25), line_of(tenant, second, price=2)]
    call = _settled(await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines, kind="invoice"))
    preview = await stage.call(call["tool"], **call["arguments"])
    assert [request["method"] for request in preview["requests"]] == ["PATCH", "PATCH", "PATCH", "POST"]
    held, variant = stock(tenant, order), (first["variant_id"], order["location_id"])
    stage.own.sandbox.faults.add(Fault(WRITES, nth=step, action=trouble))
    await tried(stage, clock, preview["plan_token"])
    stage.own.sandbox.faults.clear()
    await brought_to_its_end(stage, clock, preview["plan_token"])
    then = tenant.get("purchase_orders", order["id"])
    assert then["status"] == "RECEIVED"
    assert [(row["id"], row["quantity"], row["price_per_unit"]) for row in then["purchase_order_rows"]] == [
        (first["id"], 7, 25),
        (second["id"], 3, 2),
    ]
    assert stock(tenant, order) == {**held, variant: held[variant] + 2 * 12}
    again = await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines, kind="invoice")
    assert again["differences"] == []


async def test_rows_that_need_their_batches_named_do_not_keep_the_others_from_being_settled(
    stage: Stage, tenant: Tenant
) -> None:
    order = large(tenant, NUMBER)
    rows = order["purchase_order_rows"]
    several = next(row for row in rows if len(row["batch_transactions"]) > 1)
    last = next(row for row in rows if row["price_per_unit"] == 4)
    for row in rows:
        if row["variant_id"] == several["variant_id"] and row is not several:
            tenant.edit("purchase_order_rows", row["id"], variant_id=last["variant_id"], price_per_unit=4)
    lines = [line_of(tenant, several, quantity=several["quantity"] + 1, price=9), line_of(tenant, last, price=6)]
    answer = await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines, kind="invoice")
    told = {(difference["kind"], difference.get("sku")): difference for difference in answer["differences"]}
    why = told["quantity", lines[0]["sku"]]["no_call"]
    assert why == f"row {several['id']} came in batches: correct_purchase_order changes it with its `batches` named"
    call = _settled(answer)
    assert {"row_id": several["id"], "price_per_unit": 9} in call["arguments"]["update_rows"]
    preview = await stage.call(call["tool"], **call["arguments"])
    assert preview["plan_token"], preview["warnings"]


async def test_rows_of_serial_numbers_are_not_proposed_in_another_quantity(stage: Stage, tenant: Tenant) -> None:
    order = units(tenant, NUMBER)
    first, second, _ = order["purchase_order_rows"]
    plain = next(row for row in order["purchase_order_rows"] if not row.get("traceability"))
    tenant.edit("purchase_order_rows", second["id"], variant_id=plain["variant_id"], traceability=[])
    lines = [line_of(tenant, first, quantity=first["quantity"] + 1)]
    answer = await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines, kind="invoice")
    (differs,) = [difference for difference in answer["differences"] if difference["kind"] == "quantity"]
    how = "correct_purchase_order changes it with its `serial_number_ids` named"
    assert differs["no_call"] == f"row {first['id']} came in serial numbers: {how}"


async def test_two_tax_rates_of_one_good_are_not_taken_for_one(stage: Stage, tenant: Tenant) -> None:
    order = small(tenant, NUMBER)
    first, second = order["purchase_order_rows"]
    one, other, *_ = _rates(tenant, first)
    half = line_of(tenant, first, quantity=2, tax_rate=one["rate"])
    lines = [half, {**half, "quantity": 3, "tax_rate": other["rate"]}, line_of(tenant, second)]
    answer = await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines, kind="invoice")
    (differs,) = answer["differences"]
    assert (differs["kind"], differs["no_call"]) == ("tax_rate", "it is not known which tax rate is right")


async def test_no_call_changes_more_rows_than_one_correction_may(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    skus = Counter(variant["sku"] for variant in goods(tenant, batched=False))
    found = [variant for variant in goods(tenant, batched=False) if variant["sku"] and skus[variant["sku"]] == 1]
    bought = [{"variant_id": variant["id"], "quantity": 2, "price_per_unit": 3} for variant in found]
    parties = {"supplier_id": live(tenant, "suppliers")[0]["id"], "location_id": live(tenant, "locations")[0]["id"]}
    order = tenant.create("purchase_orders", {**parties, "order_no": NUMBER, "purchase_order_rows": bought[:40]})
    whole = order["purchase_order_rows"]
    receive(tenant, *({"purchase_order_row_id": row["id"], "quantity": row["quantity"]} for row in whole))
    lines = [line_of(tenant, row, quantity=3, price=4) for row in whole]
    answer = await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines, kind="invoice")
    calls = [difference["settle"] for difference in answer["differences"] if "settle" in difference]
    changed = [row for call in calls for row in call["arguments"]["update_rows"]]
    assert changed == [{"row_id": row["id"], "quantity": 3, "price_per_unit": 4} for row in whole]
    assert len(whole) == 40
    assert [len(call["arguments"]["update_rows"]) for call in calls] == [28, 12]
    for call in calls:
        clock.advance(61)
        preview = await stage.call(call["tool"], **call["arguments"])
        assert preview["plan_token"], preview["warnings"]


@pytest.mark.parametrize(("most_writes", "corrected"), [(30, 23), (7, 1)])
def test_room_is_left_for_receipts_costs_and_rows_that_become_one(most_writes: int, corrected: int) -> None:
    held = [(1, 7), (1, 8), (2, 7), (2, 9)]
    order = {"purchase_order_rows": [{"group_id": group, "variant_id": variant} for group, variant in held]}
    most = most_rows(order, [{"id": 1}], most_writes)
    assert most == {"modify_purchase_order": most_writes, "correct_purchase_order": corrected}
