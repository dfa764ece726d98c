"""A supplier's document held against an order through a server: what differs, and calls that plan what settles it."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from server_wire import Wire, live

from katana_mcp.testing import Payload, Stage, payload_of, text_of
from katana_sandbox import ManualClock, Tenant

TOOL, RECEIVE = "verify_order_document", "receive_purchase_order"


def _sku(tenant: Tenant, row: Wire) -> str:
    return tenant.get("variants", row["variant_id"])["sku"]


def _boxed(tenant: Tenant) -> Wire:
    """Return an open order that has a row in boxes of 500."""
    orders = [order for order in live(tenant, "purchase_orders") if order["status"] == "NOT_RECEIVED"]
    return next(order for order in orders if any(row["purchase_uom"] == "box" for row in order["purchase_order_rows"]))


def _partial(tenant: Tenant) -> Wire:
    return next(order for order in live(tenant, "purchase_orders") if order["status"] == "PARTIALLY_RECEIVED")


def _kinds(answer: Payload) -> list[str]:
    return [difference["kind"] for difference in answer["differences"]]


async def _previews(stage: Stage, answer: Payload) -> int:
    """Feed each proposed call back: each is a preview that could be applied."""
    calls = [difference["settle"] for difference in answer["differences"] if "settle" in difference]
    calls += [{"tool": RECEIVE, "arguments": answer["receive"]}] if "receive" in answer else []
    for call in calls:
        preview = await stage.call(call["tool"], **call["arguments"])
        assert preview["is_preview"]
        assert preview["plan_token"], (call, preview["warnings"])
    for difference in answer["differences"]:
        assert ("settle" in difference) is not ("no_call" in difference), difference
    return len(calls)


async def test_a_document_that_says_what_is_ordered_agrees_and_asks_nothing(stage: Stage, tenant: Tenant) -> None:
    order = _boxed(tenant)
    lines = [
        {
            "sku": _sku(tenant, row),
            "quantity": row["quantity"],
            "unit": row["purchase_uom"],
            "price": row["price_per_unit"],
        }
        for row in order["purchase_order_rows"]
    ]
    await stage.call(TOOL, purchase_order_id=order["id"], lines=lines)
    before = stage.requests()
    answer = await stage.call(
        TOOL, purchase_order_id=order["order_no"], lines=lines, kind="Invoice", total=round(order["total"], 2)
    )
    assert stage.requests() == before
    assert answer["differences"] == []
    assert answer["totals"][0]["lines"] == answer["totals"][0]["order"]
    assert "receive" not in answer
    note = await stage.call(TOOL, purchase_order_id=order["id"], lines=lines)
    assert [row["row_id"] for row in note["receive"]["rows"]] == [
        row["id"] for row in sorted(order["purchase_order_rows"], key=lambda row: (row["arrival_date"], str(row["id"])))
    ]
    assert await _previews(stage, note) == 1


async def test_an_ugly_delivery_note_is_matched_as_far_as_it_can_be(stage: Stage, tenant: Tenant) -> None:
    order = _boxed(tenant)
    boxed = next(row for row in order["purchase_order_rows"] if row["purchase_uom"] == "box")
    first, *_ = [row for row in order["purchase_order_rows"] if row is not boxed]
    sku = _sku(tenant, first)
    elsewhere = next(
        variant
        for variant in live(tenant, "variants")
        if variant["supplier_item_codes"]
        and variant["id"] not in {row["variant_id"] for row in order["purchase_order_rows"]}
    )
    lines = [
        {"sku": sku.replace("-", "").lower(), "quantity": "1,5 Stk."},
        {"sku": sku, "quantity": "1,5"},
        {"sku": _sku(tenant, boxed), "quantity": "500", "unit": "pcs"},
        {"supplier_item_code": elsewhere["supplier_item_codes"][0].replace(".", ""), "quantity": 2, "price": "3,25"},
        {"description": "pallet, returnable", "quantity": 1},
        {"quantity": 3},
    ]
    answer = await stage.call(TOOL, order=order["id"], lines=lines)
    goods = {product["sku"]: product for product in answer["goods"]}
    assert (goods[sku]["lines"], goods[sku]["document_quantity"]) == ([1, 2], 3)
    assert goods[_sku(tenant, boxed)]["document_quantity"] == 1
    (new,) = [difference for difference in answer["differences"] if difference["kind"] == "not_on_order"]
    assert (new["sku"], new["lines"]) == (elsewhere["sku"], [4])
    lost, silent = [difference for difference in answer["differences"] if difference["kind"] == "unmatched"]
    assert (silent["lines"], "neither a code" in silent["message"]) == ([6], True)
    assert (lost["lines"], "pallet, returnable" in lost["message"]) == ([5], True)
    absent = {difference["sku"] for difference in answer["differences"] if difference["kind"] == "not_on_document"}
    assert absent == {_sku(tenant, row) for row in order["purchase_order_rows"]} - {sku, _sku(tenant, boxed)}
    came = {row["row_id"]: row["quantity"] for row in answer["receive"]["rows"]}
    assert came == {first["id"]: 3, boxed["id"]: 1}
    assert await _previews(stage, answer) == 3


async def test_without_a_unit_a_quantity_that_fits_only_in_stock_units_is_one(stage: Stage, tenant: Tenant) -> None:
    order = _boxed(tenant)
    boxed = next(row for row in order["purchase_order_rows"] if row["purchase_uom"] == "box")
    line = {"sku": _sku(tenant, boxed), "quantity": boxed["quantity"] * 500}
    answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=[line])
    good = next(product for product in answer["goods"] if product["lines"])
    assert good["document_quantity"] == boxed["quantity"]
    unknown = await stage.call(TOOL, purchase_order_id=order["id"], lines=[{**line, "unit": "crate"}])
    assert "unit" in _kinds(unknown)
    line["unit_holds"] = 1
    compared = await stage.call(TOOL, purchase_order_id=order["id"], lines=[{**line, "unit": "crate"}])
    assert "unit" not in _kinds(compared)


async def test_what_came_before_is_told_apart_from_what_is_open(stage: Stage, tenant: Tenant) -> None:
    order = _partial(tenant)
    rows = order["purchase_order_rows"]
    of: dict[int, list[Wire]] = {}
    for row in rows:
        of.setdefault(row["variant_id"], []).append(row)
    came = next(having[0] for having in of.values() if all(row["received_date"] for row in having))
    split = next(having for having in of.values() if len({bool(row["received_date"]) for row in having}) == 2)
    opened = next(row for row in split if not row["received_date"])
    lines = [
        {"sku": _sku(tenant, came), "quantity": came["quantity"], "price": came["price_per_unit"] + 1},
        {"sku": _sku(tenant, opened), "quantity": opened["quantity"] + 4},
    ]
    note = await stage.call(TOOL, purchase_order_id=order["id"], lines=lines)
    differences = {(difference["kind"], difference.get("sku")): difference for difference in note["differences"]}
    assert "received" in differences["already_received", _sku(tenant, came)]["no_call"]
    assert "can no longer be changed" in differences["price", _sku(tenant, came)]["no_call"]
    more = differences["quantity", _sku(tenant, opened)]["settle"]["arguments"]["update_rows"]
    assert more == [{"row_id": opened["id"], "quantity": opened["quantity"] + 4}]
    assert {row["row_id"] for row in note["receive"]["rows"]} == {opened["id"]}
    good = next(product for product in note["goods"] if product["sku"] == _sku(tenant, opened))
    assert (good["ordered"], good["received"], good["open"]) == (
        sum(row["quantity"] for row in split),
        sum(row["quantity"] for row in split if row["received_date"]),
        opened["quantity"],
    )
    assert await _previews(stage, note) >= 3


async def test_prices_taxes_and_totals_are_compared_in_the_orders_currency(stage: Stage, tenant: Tenant) -> None:
    order = _boxed(tenant)
    row = order["purchase_order_rows"][0]
    rates = [rate for rate in live(tenant, "tax_rates") if rate["id"] != row["tax_rate_id"]]
    other = next(rate for rate in rates if [one["rate"] for one in live(tenant, "tax_rates")].count(rate["rate"]) == 1)
    line = {"sku": _sku(tenant, row), "quantity": row["quantity"], "price": "250,00", "price_per": 100}
    asked: dict[str, Any] = {"purchase_order_id": order["id"], "kind": "invoice", "net_total": "1,00", "tax_total": 1}
    answer = await stage.call(TOOL, **asked, lines=[{**line, "tax_rate": other["rate"]}])
    differences = {
        difference["kind"]: difference
        for difference in answer["differences"]
        if difference.get("sku") in (None, line["sku"])
    }
    assert (differences["price"]["document"], differences["price"]["order"]) == (2.5, row["price_per_unit"])
    assert differences["price"]["settle"]["arguments"]["update_rows"] == [
        {"row_id": row["id"], "price_per_unit": 2.5, "tax_rate_id": other["id"]}
    ]
    assert {"net_total", "tax_total"} <= differences.keys()
    assert await _previews(stage, answer) == 2
    foreign = await stage.call(TOOL, **asked, lines=[line], currency="XPF")
    assert "currency" in _kinds(foreign)
    assert not {"price", "net_total"} & set(_kinds(foreign))
    rated = await stage.call(
        TOOL, **asked, lines=[line], currency="XPF", exchange_rate=round(row["price_per_unit"] / 2.5, 6)
    )
    assert not {"currency", "price"} & set(_kinds(rated))
    close = {**line, "price": round(row["price_per_unit"] * 1.01, 4), "price_per": 1}
    near = await stage.call(TOOL, purchase_order_id=order["id"], lines=[close], price_tolerance=2)
    assert "price" not in _kinds(near)


async def test_what_came_is_not_said_to_be_received_where_it_cannot_be_read(stage: Stage, tenant: Tenant) -> None:
    order = _boxed(tenant)
    (row, *_) = order["purchase_order_rows"]
    lines = [{"sku": _sku(tenant, row), "quantity": "a pallet or so"}]
    answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=lines)
    text = " ".join([*answer["next_actions"], *(difference.get("no_call", "") for difference in answer["differences"])])
    assert "receive" not in answer
    assert "nothing is left" not in text
    assert f"how much of {lines[0]['sku']} came is not known: see the differences" in text
    assert "give the amount as a number, and compare again" in text


async def test_a_draft_is_not_received_but_changed(stage: Stage, tenant: Tenant) -> None:
    order = next(
        purchase_order for purchase_order in live(tenant, "purchase_orders") if purchase_order["status"] == "DRAFT"
    )
    row = order["purchase_order_rows"][0]
    answer = await stage.call(
        TOOL, purchase_order_id=order["id"], lines=[{"sku": _sku(tenant, row), "quantity": row["quantity"] / 2}]
    )
    assert "receive" not in answer
    assert "draft" in answer["next_actions"][0]
    (less,) = [difference for difference in answer["differences"] if difference["kind"] == "quantity"]
    assert less["settle"]["tool"] == "modify_purchase_order"
    assert await _previews(stage, answer) >= 1


async def test_a_received_order_takes_no_more_rows(stage: Stage, tenant: Tenant) -> None:
    order = next(
        purchase_order for purchase_order in live(tenant, "purchase_orders") if purchase_order["status"] == "RECEIVED"
    )
    row = order["purchase_order_rows"][0]
    line = {"sku": _sku(tenant, row), "quantity": row["quantity"] + 1}
    answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=[line])
    assert ["create_purchase_order" in difference["no_call"] for difference in answer["differences"]] == [True]
    assert answer["next_actions"] == ["nothing to receive: nothing is left to receive"]
    assert await _previews(stage, answer) == 0


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ({"lines": [{"sku": "A", "unit_holds": 0}]}, "lines[0].unit_holds"),
        ({"lines": [{"sku": "A", "price_per": 0}]}, "lines[0].price_per"),
        ({"lines": []}, "lines"),
        ({"lines": [{"sku": "A", "quantity": 10**16}]}, "lines[0].quantity"),
    ],
)
async def test_what_says_nothing_is_refused_by_its_place(stage: Stage, asked: dict[str, object], path: str) -> None:
    refusal = await stage.refusal(TOOL, purchase_order_id="PO-4", **asked)
    assert refusal["error"] == "invalid_argument"
    assert refusal["warnings"][0]["field_path"].startswith(path)


async def test_an_order_that_there_is_not_is_refused_with_what_is_near(stage: Stage) -> None:
    refusal = await stage.refusal(TOOL, purchase_order_id="PO-O4", lines=[{"sku": "A", "quantity": 1}])
    assert refusal["error"] == "not_found"


async def test_a_long_document_is_bounded_and_says_so(stage: Stage, tenant: Tenant) -> None:
    order = _boxed(tenant)
    lines = [{"description": f"{'x' * 400} {place}", "quantity": "1"} for place in range(250)]
    result = await stage.result(TOOL, {"purchase_order_id": order["id"], "lines": lines})
    assert len(text_of(result).encode()) <= 40_000
    assert "truncated_result" in [warning["code"] for warning in payload_of(result)["warnings"]]


async def test_a_deleted_order_is_compared_but_nothing_of_it_is_settled(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = _boxed(tenant)
    await stage.call("list_purchase_orders")
    tenant.delete("purchase_orders", order["id"])
    clock.advance(3_600)
    line = {"sku": _sku(tenant, order["purchase_order_rows"][0]), "quantity": 1}
    answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=[line])
    assert "deleted_item" in [warning["code"] for warning in answer["warnings"]]
    assert all("settle" not in difference for difference in answer["differences"])
    assert "receive" not in answer


@pytest.mark.parametrize(
    ("kind", "still"),
    [("delivery_note", "the goods are still to come"), ("invoice", "they are billed or confirmed apart")],
)
async def test_of_rows_that_the_document_lacks_it_says_what_the_call_would_delete(
    stage: Stage, tenant: Tenant, kind: str, still: str
) -> None:
    order = _boxed(tenant)
    row = order["purchase_order_rows"][0]
    line = {"sku": _sku(tenant, row), "quantity": 1, "price": 1}
    answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=[line], kind=kind)
    messages = [
        difference["message"] for difference in answer["differences"] if difference["kind"] == "not_on_document"
    ]
    assert messages
    assert all(message.endswith(f"; the call deletes its rows: leave them out if {still}") for message in messages)
    (net,) = [difference["message"] for difference in answer["differences"] if difference["kind"] == "net_total"]
    of_order = "the order totals" if kind == "invoice" else "for the same quantities the order has"
    assert net.startswith(f"net total: the lines of the document total 1, {of_order} ")


async def test_the_only_row_of_an_order_is_not_taken_off_it(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    like = _boxed(tenant)
    row = {name: like["purchase_order_rows"][0][name] for name in ("variant_id", "quantity", "price_per_unit")}
    body = {"supplier_id": like["supplier_id"], "location_id": like["location_id"], "purchase_order_rows": [row]}
    order = tenant.create("purchase_orders", {**body, "order_no": "PO-901"})
    clock.advance(3_600)
    answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=[{"description": "pallet", "quantity": 1}])
    (absent,) = [difference for difference in answer["differences"] if difference["kind"] == "not_on_document"]
    assert "delete_purchase_order" in absent["no_call"]
    assert await _previews(stage, answer) == 0


async def test_a_price_is_held_against_the_last_five_purchases_of_the_good(stage: Stage, tenant: Tenant) -> None:
    order = _boxed(tenant)
    row = next(line for line in order["purchase_order_rows"] if line["purchase_uom"] == "box")
    head = {name: order[name] for name in ("supplier_id", "location_id", "currency")}
    began = datetime.fromisoformat(order["order_created_date"])
    for nr, (price, uom, rate) in enumerate([(9, "box", 500)] + [(8, "box", 500)] * 5 + [(7, "pcs", 1)]):
        bought = {"variant_id": row["variant_id"], "quantity": 1, "price_per_unit": price}
        bought |= {"purchase_uom": uom, "purchase_uom_conversion_rate": rate}
        made = {"order_no": f"PO-90{nr}", "order_created_date": (began - timedelta(minutes=10 - nr)).isoformat()}
        tenant.create("purchase_orders", {**head, **made, "purchase_order_rows": [bought]})
    for number, late, status, price in (("PO-910", 1, "NOT_RECEIVED", 99), ("PO-911", -1, "DRAFT", 99)):
        dated = {"order_created_date": (began + timedelta(minutes=late)).isoformat(), "status": status}
        other = {"variant_id": row["variant_id"], "quantity": 1, "price_per_unit": price, "purchase_uom": "box"}
        rows = [other | {"purchase_uom_conversion_rate": 500}]
        tenant.create("purchase_orders", {**head, **dated, "order_no": number, "purchase_order_rows": rows})

    async def asked(price: object, **terms: object) -> Payload:
        line = {"sku": _sku(tenant, row), "quantity": row["quantity"], "unit": "box", "price": price}
        return await stage.call(TOOL, purchase_order_id=order["id"], lines=[line], kind="invoice", **terms)

    dear = await asked(9.5)
    good = next(entry for entry in dear["goods"] if entry["variant_id"] == row["variant_id"])
    assert [purchase["order_no"] for purchase in good["last_prices"]] == [
        "PO-905",
        "PO-904",
        "PO-903",
        "PO-902",
        "PO-901",
    ]
    assert {purchase["price_per_unit"] for purchase in good["last_prices"]} == {8}
    (unusual,) = [warning for warning in dear["warnings"] if warning["code"] == "unusual_price"]
    assert unusual["message"].endswith(f"the document has 9.5 {order['currency']} per box; the last 5 purchases cost 8")
    assert unusual["field_path"] == "lines[0]"
    for unremarkable in (await asked(8.5), await asked(9.5, price_tolerance=20), await asked(None)):
        assert [warning for warning in unremarkable["warnings"] if warning["code"] == "unusual_price"] == []
    assert "last_prices" not in (await asked(None))["goods"][0]


async def test_what_an_invoice_says_of_a_received_order_is_settled_by_correcting_it(
    stage: Stage, tenant: Tenant
) -> None:
    received = [record for record in live(tenant, "purchase_orders") if record["status"] == "RECEIVED"]
    order = next(record for record in received if record["billing_status"] == "NOT_BILLED")
    row = order["purchase_order_rows"][0]
    line = {"sku": _sku(tenant, row), "quantity": row["quantity"] + 2, "price": row["price_per_unit"] + 1}
    answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=[line], kind="invoice")
    (call,) = [difference["settle"] for difference in answer["differences"] if "settle" in difference]
    assert call["arguments"]["update_rows"] == [
        {"row_id": row["id"], "quantity": row["quantity"] + 2, "price_per_unit": row["price_per_unit"] + 1}
    ]
    preview = await stage.call(call["tool"], **call["arguments"])
    assert call["tool"] == "correct_purchase_order"
    assert preview["plan_token"], preview["warnings"]
    note = await stage.call(TOOL, purchase_order_id=order["id"], lines=[line | {"quantity": row["quantity"]}])
    assert "correct_purchase_order" not in {
        difference["settle"]["tool"] for difference in note["differences"] if "quantity" in difference
    }


async def test_a_received_good_of_several_rows_is_never_corrected_by_guess(stage: Stage, tenant: Tenant) -> None:
    received = [record for record in live(tenant, "purchase_orders") if record["status"] == "RECEIVED"]
    order = next(record for record in received if record["billing_status"] == "NOT_BILLED")
    first = order["purchase_order_rows"][0]
    head = {name: order[name] for name in ("supplier_id", "location_id", "currency")}
    bought = {"variant_id": first["variant_id"], "purchase_uom": "pcs", "purchase_uom_conversion_rate": 1}
    rows = [
        bought | {"quantity": 10, "price_per_unit": 2},
        bought | {"quantity": 5, "price_per_unit": 3},
        bought | {"quantity": 2, "price_per_unit": 24, "purchase_uom": "box", "purchase_uom_conversion_rate": 12},
    ]
    made = tenant.create("purchase_orders", {**head, "order_no": "PO-920", "purchase_order_rows": rows})
    for row in made["purchase_order_rows"]:
        tenant.create("purchase_order_receive", {"purchase_order_row_id": row["id"], "quantity": row["quantity"]})
    sku = _sku(tenant, first)
    lines = [{"sku": sku, "quantity": 17, "price": 2}, {"sku": sku, "quantity": 9, "price": 4, "unit": "box"}]
    answer = await stage.call(TOOL, purchase_order_id=made["id"], lines=lines, kind="invoice")
    assert {difference["kind"] for difference in answer["differences"]} >= {"quantity", "price"}
    assert [difference for difference in answer["differences"] if "settle" in difference] == []


async def test_a_billed_order_is_not_proposed_to_be_reopened(stage: Stage, tenant: Tenant) -> None:
    received = [record for record in live(tenant, "purchase_orders") if record["status"] == "RECEIVED"]
    order = next(record for record in received if record["billing_status"] == "BILLED")
    row = order["purchase_order_rows"][0]
    line = {"sku": _sku(tenant, row), "quantity": row["quantity"], "price": row["price_per_unit"] + 1}
    answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=[line], kind="invoice")
    price = next(difference for difference in answer["differences"] if difference["kind"] == "price")
    assert "reopen_billed" in price["no_call"]


async def test_what_does_not_fit_into_one_answer_is_counted_and_nothing_is_left_out_in_silence(
    stage: Stage, tenant: Tenant
) -> None:
    order = _boxed(tenant)
    lines = [{"sku": f"NOWHERE-{nr:03d}-{'X' * 180}", "quantity": 1, "price": 1.5} for nr in range(250)]
    few = await stage.call(TOOL, purchase_order_id=order["id"], lines=lines[:30])
    of_the_order = len(few["differences"]) - 30
    assert not few["warnings"]
    assert of_the_order >= len(few["goods"]) > 1
    answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=lines)
    (warning,) = answer["warnings"]
    assert warning["code"] == "truncated_result"
    left, goods = map(int, re.findall(r"^(\d+) differences and (\d+) goods did not fit", warning["message"])[0])
    assert left > 0
    assert len(answer["differences"]) + left == of_the_order + len(lines)
    assert len(answer["goods"]) + goods == len(few["goods"])


async def test_a_note_of_what_came_before_orders_nothing_more_and_receives_nothing(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    like = _boxed(tenant)
    row = next(line for line in like["purchase_order_rows"] if line["purchase_uom"] != "box")
    rows = [{"variant_id": row["variant_id"], "quantity": 26, "price_per_unit": 9}]
    head = {"supplier_id": like["supplier_id"], "location_id": like["location_id"], "order_no": "PO-902"}
    order = tenant.create("purchase_orders", {**head, "purchase_order_rows": rows})
    clock.advance(3_600)
    line = {"sku": _sku(tenant, row), "quantity": 20}
    note = await stage.call(TOOL, purchase_order_id=order["id"], lines=[line])
    assert note["warnings"] == []
    plan = await stage.call(RECEIVE, **note["receive"])
    await stage.call("apply_plan", plan_tokens=[plan["plan_token"]])

    again = await stage.call(TOOL, purchase_order_id=order["id"], lines=[line])
    (difference,) = again["differences"]
    assert difference["kind"] == "quantity"
    assert difference["message"].endswith(" are open, and as much came before")
    assert "there is nothing to do" in difference["no_call"]
    assert "receive" not in again
    assert [warning["code"] for warning in again["warnings"]] == ["already_received"]

    rest = await stage.call(TOOL, purchase_order_id=order["id"], lines=[{**line, "quantity": 6}])
    assert rest["differences"] == rest["warnings"] == []
    assert rest["receive"]["rows"][0]["quantity"] == 6
    more = await stage.call(TOOL, purchase_order_id=order["id"], lines=[{**line, "quantity": 8}])
    assert more["differences"][0]["settle"]["arguments"]["update_rows"][0]["quantity"] == 8
    bill = await stage.call(TOOL, purchase_order_id=order["id"], lines=[line], kind="invoice")
    assert bill["differences"] == bill["warnings"] == []


async def test_goods_that_the_order_lacks_are_added_only_in_a_unit_that_is_said(stage: Stage, tenant: Tenant) -> None:
    boxed = next(line for line in _boxed(tenant)["purchase_order_rows"] if line["purchase_uom"] == "box")
    order = next(
        order
        for order in live(tenant, "purchase_orders")
        if order["status"] == "NOT_RECEIVED"
        and all(row["purchase_uom"] != "box" for row in order["purchase_order_rows"])
    )
    line = {"sku": _sku(tenant, boxed), "quantity": 500, "price": 0.05}

    async def added(**more: object) -> Payload:
        answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=[{**line, **more}])
        return next(difference for difference in answer["differences"] if difference["kind"] == "not_on_order")

    unsaid = await added()
    assert "document" not in unsaid
    assert unsaid["no_call"] == "it is bought by the box of 500 pcs: give the `unit` of its line, and compare again"
    assert (await added(unit="pcs"))["settle"]["arguments"]["add_rows"][0]["quantity"] == 1


async def test_what_the_lines_total_is_not_called_the_orders(stage: Stage, tenant: Tenant) -> None:
    order = _boxed(tenant)
    lines = [
        {"sku": _sku(tenant, row), "quantity": row["quantity"], "unit": row["purchase_uom"], "price": 1}
        for row in order["purchase_order_rows"]
    ]
    net = sum(row["total"] for row in order["purchase_order_rows"])
    answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=lines, kind="invoice", net_total=net)
    (differs,) = [difference for difference in answer["differences"] if difference["kind"] == "net_total"]
    assert "its lines total" in differs["message"]
    assert "order" not in differs
