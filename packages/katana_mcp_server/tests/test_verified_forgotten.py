"""Goods that a document has and a received order lacks: added by the one correction, or why no correction does it."""

from collections import Counter

import pytest
from correcting_orders import goods, small, stock, units
from correcting_steps import brought_to_its_end
from journal_plans import hasty
from server_wire import Wire, live
from test_verified_corrections import line_of

from katana_mcp.testing import Payload, Stage
from katana_sandbox import ManualClock, Tenant

TOOL, NUMBER = "verify_order_document", "PO-900"
NOT_COME = "if it has not come, leave it out of `add_rows` and order it with create_purchase_order"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _other(tenant: Tenant, order: Wire) -> Wire:
    """Return a good that an order lacks: bought by the stock unit, of an SKU that no other has."""
    held = {row["variant_id"] for row in order["purchase_order_rows"]}
    skus = Counter(variant["sku"] for variant in live(tenant, "variants"))
    plain = [variant for variant in goods(tenant, batched=False) if skus[variant["sku"]] == 1]
    items = {item["id"]: item for item in live(tenant, "materials")}
    return next(one for one in plain if one["id"] not in held and not items[one["material_id"]]["purchase_uom"])


def _forgotten(tenant: Tenant, order: Wire, **more: object) -> Wire:
    return {"sku": _other(tenant, order)["sku"], "quantity": 4, "price": 7, **more}


def _of(answer: Payload, kind: str) -> Payload:
    return next(difference for difference in answer["differences"] if difference["kind"] == kind)


def _calls(answer: Payload) -> list[Payload]:
    return [difference["settle"] for difference in answer["differences"] if "settle" in difference]


async def test_goods_that_a_received_order_lacks_are_added_by_the_call_that_corrects_the_rest(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = small(tenant, NUMBER)
    first, second = order["purchase_order_rows"]
    other, rates = _other(tenant, order), live(tenant, "tax_rates")
    rate = next(rate for rate in rates if [one["rate"] for one in rates].count(rate["rate"]) == 1)
    lines = [
        line_of(tenant, first, quantity=7, price=25),
        line_of(tenant, second),
        _forgotten(tenant, order, tax_rate=rate["rate"]),
    ]
    asked: Wire = {"purchase_order_id": NUMBER, "lines": lines, "kind": "invoice"}
    answer = await stage.call(TOOL, **asked)
    (call,) = _calls(answer)
    assert call["tool"] == "correct_purchase_order"
    assert call["arguments"] == {
        "purchase_order_id": order["id"],
        "update_rows": [{"row_id": first["id"], "quantity": 7, "price_per_unit": 25}],
        "add_rows": [{"sku_or_variant_id": other["id"], "quantity": 4, "price_per_unit": 7, "tax_rate_id": rate["id"]}],
    }
    lacking = _of(answer, "not_on_order")
    assert lacking["message"] == f"{other['sku']}: the order has no row for it; the call also receives it: {NOT_COME}"
    assert lacking["no_call"] == f"the call of {lines[0]['sku']} (quantity) settles it too"
    held = stock(tenant, {"purchase_order_rows": [{"variant_id": other["id"]}]})
    preview = await stage.call(call["tool"], **call["arguments"])
    assert preview["plan_token"], preview["warnings"]
    await brought_to_its_end(stage, clock, preview["plan_token"])
    then = tenant.get("purchase_orders", order["id"])
    assert then["status"] == "RECEIVED"
    came = stock(tenant, {"purchase_order_rows": [{"variant_id": other["id"]}]})
    here = other["id"], order["location_id"]
    assert came == {**held, here: held.get(here, 0) + 4}
    assert (await stage.call(TOOL, **asked))["differences"] == []


async def test_goods_of_a_note_that_a_received_order_lacks_came_and_are_added(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = small(tenant, NUMBER)
    asked: Wire = {"purchase_order_id": NUMBER, "lines": [_forgotten(tenant, order)]}
    answer = await stage.call(TOOL, **asked)
    (call,) = _calls(answer)
    assert (call["tool"], list(call["arguments"])) == ("correct_purchase_order", ["purchase_order_id", "add_rows"])
    assert _of(answer, "not_on_order")["message"].endswith(": the order has no row for it")
    preview = await stage.call(call["tool"], **call["arguments"])
    await brought_to_its_end(stage, clock, preview["plan_token"])
    again = await stage.call(TOOL, **asked)
    assert [difference["kind"] for difference in again["differences"]] == ["already_received"]


async def test_goods_that_are_bought_by_the_box_are_added_in_boxes(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    small(tenant, NUMBER)
    items = {item["id"]: item for item in live(tenant, "materials") if item["purchase_uom"] == "box"}
    boxed = next(variant for variant in goods(tenant, batched=False) if variant["material_id"] in items)
    holds = items[boxed["material_id"]]["purchase_uom_conversion_rate"]
    line = {"sku": boxed["sku"], "quantity": 2 * float(holds), "unit": "pcs", "price": 0.5}
    asked: Wire = {"purchase_order_id": NUMBER, "lines": [line], "kind": "invoice"}
    (call,) = _calls(await stage.call(TOOL, **asked))
    preview = await stage.call(call["tool"], **call["arguments"])
    await brought_to_its_end(stage, clock, preview["plan_token"])
    again = await stage.call(TOOL, **asked)
    assert {difference["kind"] for difference in again["differences"]} == {"not_on_document", "net_total"}
    (good,) = [good for good in again["goods"] if good["lines"]]
    assert (good["purchase_uom"], good["document_quantity"], good["received"]) == ("box", 2, 2)


@pytest.mark.parametrize(
    ("tracked", "why"),
    [
        ("batch", "it is tracked by batch: correct_purchase_order adds it with its `batches` named"),
        ("serial", "it has serial numbers, which no correction adds: if it came, use create_purchase_order"),
    ],
)
async def test_tracked_goods_are_not_added_to_a_received_order_without_what_they_are_of(
    stage: Stage, tenant: Tenant, tracked: str, why: str
) -> None:
    order = small(tenant, NUMBER)
    lines = [_forgotten(tenant, order)]
    if tracked == "batch":
        lines[0]["sku"] = goods(tenant, batched=True)[0]["sku"]
    else:
        tenant.edit("materials", _other(tenant, order)["material_id"], serial_tracked=True)
    answer = await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines, kind="invoice")
    lacking = _of(answer, "not_on_order")
    assert lacking["no_call"] == why
    assert lacking["message"].endswith(": the order has no row for it")


async def test_more_of_what_a_received_order_has_says_how_each_of_two_cases_is_settled(
    stage: Stage, tenant: Tenant
) -> None:
    order = small(tenant, NUMBER)
    line = line_of(tenant, order["purchase_order_rows"][0], quantity=6)
    answer = await stage.call(TOOL, purchase_order_id=NUMBER, lines=[line])
    assert _of(answer, "quantity")["no_call"] == (
        "if it is of another delivery, use create_purchase_order; if more came than was received, correct the quantity "
        "with correct_purchase_order"
    )


async def test_rows_of_a_received_order_that_an_invoice_lacks_are_not_deleted(stage: Stage, tenant: Tenant) -> None:
    order = small(tenant, NUMBER)
    first, second = order["purchase_order_rows"]
    answer = await stage.call(TOOL, purchase_order_id=NUMBER, lines=[line_of(tenant, first)], kind="invoice")
    absent = _of(answer, "not_on_document")
    sku = line_of(tenant, second)["sku"]
    assert absent["message"] == f"{sku}: the order has 3 set, the document has none"
    assert absent["no_call"] == (
        "it was received: only if it never came, correct_purchase_order takes it off with `delete_row_ids`"
    )


async def _answers(stage: Stage, tenant: Tenant, order: Wire) -> list[Payload]:
    """Return what is said of an order by an invoice that differs in all that a received order can, and by a note."""
    first, second = order["purchase_order_rows"]
    rates = [rate for rate in live(tenant, "tax_rates") if rate["id"] != first["tax_rate_id"]]
    changed = line_of(tenant, first, quantity=7, price=25, tax_rate=rates[0]["rate"])
    lines = [changed, _forgotten(tenant, order)]
    invoice = await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines, kind="invoice")
    lines = [line_of(tenant, first, quantity=7), line_of(tenant, second, price=2), _forgotten(tenant, order)]
    return [invoice, await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines)]


async def test_of_an_outsourced_order_that_was_received_no_correction_is_proposed(stage: Stage, tenant: Tenant) -> None:
    order = small(tenant, NUMBER)
    tenant.edit("purchase_orders", order["id"], entity_type="outsourced", tracking_location_id=order["location_id"])
    why = "the order is outsourced, and a correction would lose what its ingredients were taken from"
    by_hand = f"{why}: correct it in Katana"
    invoice, note = await _answers(stage, tenant, order)
    assert _calls(invoice) == _calls(note) == []
    told = {difference["kind"]: difference["no_call"] for difference in invoice["differences"]}
    assert {told[kind] for kind in ("quantity", "price", "not_on_document")} == {by_hand}
    assert told["not_on_order"] == f"{why}: if it came, use create_purchase_order"
    told = {difference["kind"]: difference["no_call"] for difference in note["differences"]}
    assert told["price"] == by_hand
    assert told["quantity"] == (
        f"if it is of another delivery, use create_purchase_order; if more came than was received, {by_hand}"
    )
    tried = await stage.call(
        "correct_purchase_order",
        purchase_order_id=NUMBER,
        update_rows=[{"row_id": order["purchase_order_rows"][0]["id"], "quantity": 7}],
    )
    assert "plan_token" not in tried


async def test_of_rows_with_serial_numbers_that_reopening_would_merge_no_correction_is_proposed(
    stage: Stage, tenant: Tenant
) -> None:
    order = units(tenant, NUMBER)
    first, second = (row for row in order["purchase_order_rows"] if row.get("traceability"))
    plain = next(row for row in order["purchase_order_rows"] if not row.get("traceability"))
    lines = [line_of(tenant, plain, price=5), _forgotten(tenant, order)]
    asked: Wire = {"purchase_order_id": NUMBER, "lines": lines, "kind": "invoice"}
    assert [call["tool"] for call in _calls(await stage.call(TOOL, **asked))] == ["correct_purchase_order"]
    tenant.edit("purchase_order_rows", second["id"], price_per_unit=first["price_per_unit"])
    tried = await stage.call(
        "correct_purchase_order", purchase_order_id=NUMBER, update_rows=[{"row_id": plain["id"], "price_per_unit": 5}]
    )
    assert "plan_token" not in tried
    answer = await stage.call(TOOL, **asked)
    assert _calls(answer) == []
    why = f"reopening the order would make one row of rows {first['id']}, {second['id']} with serial numbers"
    assert _of(answer, "price")["no_call"] == f"{why}: correct it in Katana"
    assert _of(answer, "not_on_order")["no_call"] == f"{why}: if it came, use create_purchase_order"


async def test_of_a_billed_order_no_correction_is_proposed_that_posts_again(stage: Stage, tenant: Tenant) -> None:
    order = small(tenant, NUMBER)
    tenant.edit("purchase_orders", order["id"], billing_status="BILLED")
    invoice, note = await _answers(stage, tenant, order)
    assert _calls(invoice) == _calls(note) == []
    told = {difference["kind"]: difference["no_call"] for difference in invoice["differences"]}
    assert all("reopen_billed=true" in told[kind] for kind in ("quantity", "price", "not_on_order", "not_on_document"))
