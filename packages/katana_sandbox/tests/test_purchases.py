"""Purchase orders: who may write what and when, receipts, and the stock and costs they bring (facts 4.3)."""

from typing import Any

import pytest

from katana_sandbox import Answer, Caller, Refused, Sandbox, Tenant

BUY = {"variant_id": 10000106, "quantity": 10, "price_per_unit": 4}
PAIR = (10000106, 10000102)


def order(tenant: Tenant, *rows: dict[str, Any], **header: object) -> dict[str, Any]:
    body = {"supplier_id": 10000102, "location_id": 10000102, "purchase_order_rows": list(rows) or [BUY], **header}
    return tenant.create("purchase_orders", body)


async def receive(api: Caller, row: dict[str, Any], quantity: float, **more: object) -> Answer:
    return await api.post("/purchase_order_receive", {"purchase_order_row_id": row["id"], "quantity": quantity, **more})


def message(answer: Answer) -> str:
    return answer.error["message"]


def stock(tenant: Tenant, pair: tuple[int, int] = PAIR) -> tuple[float, float]:
    row = tenant.get("inventory", pair)
    return float(row["quantity_in_stock"]), float(row["quantity_expected"])


def test_what_a_new_order_leaves_out_is_filled_in(tenant: Tenant) -> None:
    """4.3."""
    made = order(tenant, {**BUY, "location_id": 10000101})
    row = made["purchase_order_rows"][0]
    assert made["status"] == "NOT_RECEIVED"
    assert made["order_no"] == "PO-25"
    assert (made["currency"], made["entity_type"]) == ("EUR", "regular")
    assert made["expected_arrival_date"] == "2026-03-16T09:00:00.000Z" == row["arrival_date"]
    assert row["location_id"] == 10000102, "4.3: a nested location gives way to the order's"
    assert (row["purchase_uom"], row["tax_rate_id"], row["group_id"]) == ("set", 10000101, made["default_group_id"])
    assert (row["total"], made["total"], row["conversion_rate"], row["received_date"]) == (40, 48.8, None, None)


def test_amounts_in_another_currency_are_also_given_in_the_base(tenant: Tenant) -> None:
    """4.3, 7.1."""
    made = order(tenant, currency="USD")
    assert made["total_in_base_currency"] == 44.896
    assert made["purchase_order_rows"][0]["price_per_unit_in_base_currency"] == 3.68


def test_an_order_takes_its_suppliers_currency_else_the_accounts(tenant: Tenant) -> None:
    """4.2, 4.3."""
    suppliers = [tenant.create("suppliers", {"name": "S", **own})["id"] for own in ({"currency": "USD"}, {})]
    assert [order(tenant, supplier_id=supplier)["currency"] for supplier in suppliers] == ["USD", "EUR"]
    assert order(tenant, supplier_id=suppliers[0], currency="SEK")["currency"] == "SEK"


def test_a_tax_rate_is_also_found_by_its_rate_and_name(tenant: Tenant) -> None:
    """3.4."""
    made = order(tenant, {**BUY, "tax_rate": "9", "tax_name": "Reduced VAT"})
    assert made["purchase_order_rows"][0]["tax_rate_id"] == 10000102
    with pytest.raises(Refused, match="tax rate not found"):
        order(tenant, {**BUY, "tax_rate": "77"})


async def test_the_reply_to_a_patch_shows_no_rows(sandbox: Sandbox, tenant: Tenant, api: Caller) -> None:
    """1.2, 5.8."""
    made = order(tenant)
    assert (await api.patch(f"/purchase_orders/{made['id']}", {"order_no": "X"})).body["purchase_order_rows"] == []
    assert (await api.get(f"/purchase_orders/{made['id']}")).body["purchase_order_rows"]


async def test_a_patch_without_additional_info_empties_it(tenant: Tenant, api: Caller) -> None:
    """5.1."""
    made = order(tenant, additional_info="Ring twice")
    assert (await api.patch(f"/purchase_orders/{made['id']}", {"order_no": "X"})).body["additional_info"] == ""


async def test_open_rows_are_expected_and_drafts_are_not(tenant: Tenant, api: Caller) -> None:
    """4.12."""
    before = stock(tenant)[1]
    made = order(tenant, {**BUY, "purchase_uom": "box", "purchase_uom_conversion_rate": 12}, status="DRAFT")
    assert stock(tenant)[1] == before
    await api.patch(f"/purchase_orders/{made['id']}", {"status": "NOT_RECEIVED"})
    assert stock(tenant)[1] == before + 120


async def test_a_whole_receipt_dates_the_row_and_brings_stock_at_landed_cost(tenant: Tenant, api: Caller) -> None:
    """4.3, receive 1, 3 and 8."""
    tenant.set_stock(*PAIR, 0)
    made = order(tenant, {**BUY, "purchase_uom": "box", "purchase_uom_conversion_rate": 4}, currency="USD")
    row = made["purchase_order_rows"][0]
    answer = await receive(api, row, 10, received_date="2026-03-02T11:30:00+02:00")
    assert (answer.status, answer.raw) == (204, b"")
    after = tenant.get("purchase_orders", made["id"])
    assert after["status"] == "RECEIVED"
    got = after["purchase_order_rows"][0]
    assert (got["received_date"], got["conversion_date"]) == ("2026-03-02T09:30:00.000Z",) * 2
    assert got["conversion_rate"] == 0.92
    level = tenant.get("inventory", PAIR)
    assert (level["quantity_in_stock"], level["average_cost"]) == ("40.00000", "0.9200000000")
    movement = (await api.get("/inventory_movements", {"resource_type": "PurchaseOrderRow"})).rows[0]
    assert movement["caused_by_order_no"] == made["order_no"]
    assert (movement["resource_id"], movement["caused_by_resource_id"]) == (row["id"], made["id"])
    assert (movement["movement_date"], movement["quantity_change"]) == ("2026-03-02T09:30:00.000Z", 40)


async def test_a_part_receipt_splits_the_row_and_the_old_one_keeps_its_id(tenant: Tenant, api: Caller) -> None:
    """4.3, receive 2."""
    made = order(tenant)
    row = made["purchase_order_rows"][0]
    held, expected = stock(tenant)
    assert (await receive(api, row, 3, location_id=10000101)).status == 204
    after = tenant.get("purchase_orders", made["id"])
    assert after["status"] == "PARTIALLY_RECEIVED"
    first, second = after["purchase_order_rows"]
    assert (first["id"], first["quantity"], first["received_date"]) == (row["id"], 7, None)
    assert (second["quantity"], second["location_id"]) == (3, 10000101)
    assert second["received_date"] == "2026-03-02T09:00:00.000Z"
    same = ("variant_id", "price_per_unit", "tax_rate_id")
    assert [first[name] for name in same] == [second[name] for name in same]
    assert stock(tenant) == (held, expected - 3)


async def test_status_received_receives_every_open_row(tenant: Tenant, api: Caller) -> None:
    """4.3."""
    made = order(tenant, BUY, {**BUY, "variant_id": 10000107})
    await receive(api, made["purchase_order_rows"][0], 10, received_date="2026-02-01T00:00:00Z")
    assert (await api.patch(f"/purchase_orders/{made['id']}", {"status": "RECEIVED"})).body["status"] == "RECEIVED"
    dates = [row["received_date"] for row in tenant.get("purchase_orders", made["id"])["purchase_order_rows"]]
    assert dates == ["2026-02-01T00:00:00.000Z", "2026-03-02T09:00:00.000Z"]


async def test_receipts_that_can_not_be_are_refused(tenant: Tenant, api: Caller) -> None:
    """4.3, receive 4 and 7."""
    draft = order(tenant, status="DRAFT")
    made = order(tenant)
    row = made["purchase_order_rows"][0]
    refused = {
        "DRAFT can not be received": await receive(api, draft["purchase_order_rows"][0], 1),
        "exceeds": await receive(api, row, 11),
        "greater than 0": await receive(api, row, 0),
        "row not found": await receive(api, {"id": 999999}, 1),
        "location not found": await receive(api, row, 1, location_id=999999),
        "follows from receipts": await api.patch(f"/purchase_orders/{made['id']}", {"status": "PARTIALLY_RECEIVED"}),
        "DRAFT": await api.patch(f"/purchase_orders/{draft['id']}", {"status": "RECEIVED"}),
    }
    assert {text: text in message(answer) for text, answer in refused.items()} == dict.fromkeys(refused, True)
    assert {answer.status for answer in refused.values()} == {422}
    await receive(api, row, 10)
    assert "already been received" in message(await receive(api, row, 10))
    answer = await api.patch(f"/purchase_orders/{made['id']}", {"status": "DRAFT"})
    assert message(answer) == "received purchase order can not become a draft"


async def test_one_refused_entry_undoes_the_whole_receipt(tenant: Tenant, api: Caller) -> None:
    """4.3."""
    made = order(tenant, BUY, {**BUY, "variant_id": 10000107})
    rows = [{"purchase_order_row_id": row["id"], "quantity": 10} for row in made["purchase_order_rows"]]
    answer = await api.post("/purchase_order_receive", [rows[0], {**rows[1], "quantity": 99}])
    assert answer.status == 422
    assert tenant.get("purchase_orders", made["id"]) == made
    assert (await api.post("/purchase_order_receive", [])).error["details"][0]["code"] == "minItems"


async def test_batch_tracked_goods_need_batches_that_add_up(tenant: Tenant, api: Caller) -> None:
    """4.3, receive 5."""
    item = tenant.create("materials", {"name": "Glue", "batch_tracked": True, "variants": [{"sku": "GLUE"}]})
    variant = next(row["id"] for row in tenant.all("variants") if row["material_id"] == item["id"])
    made = order(tenant, {**BUY, "variant_id": variant})
    row = made["purchase_order_rows"][0]
    expected = "sum of batch quantity (current: 4) must match purchase order row quantity (expected: 10)"
    few = [{"batch_id": None, "quantity": 4}]
    assert message(await receive(api, row, 10, batch_transactions=few)) == expected
    answer = await api.patch(f"/purchase_orders/{made['id']}", {"status": "RECEIVED"})
    assert "batch tracked" in message(answer)
    batches = [{"batch_id": None, "quantity": 10}]
    assert (await receive(api, row, 10, batch_transactions=batches)).status == 204
    assert tenant.get("purchase_order_rows", row["id"])["batch_transactions"] == batches


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        ({"supplier_id": 10000101}, 1),
        ({"currency": "USD"}, 1),
        ({"location_id": 10000101}, 1),
        ({"order_no": "X"}, 2),
        ({"expected_arrival_date": "2026-04-01T00:00:00Z"}, 2),
        ({"order_created_date": "2026-01-01T00:00:00Z"}, 3),
        ({"additional_info": "x"}, 3),
    ],
)
async def test_a_header_is_locked_step_by_step(
    tenant: Tenant, api: Caller, changes: dict[str, Any], allowed: int
) -> None:
    """4.3."""
    made = order(tenant)
    row = made["purchase_order_rows"][0]
    answers = [await api.patch(f"/purchase_orders/{made['id']}", changes)]
    await receive(api, row, 4)
    answers.append(await api.patch(f"/purchase_orders/{made['id']}", changes))
    await receive(api, row, 6)
    answers.append(await api.patch(f"/purchase_orders/{made['id']}", changes))
    assert [answer.status for answer in answers] == [200] * allowed + [422] * (3 - allowed)


async def test_a_received_row_keeps_everything_but_its_receipt_date(tenant: Tenant, api: Caller) -> None:
    """4.3."""
    made = order(tenant)
    row = made["purchase_order_rows"][0]
    path = f"/purchase_order_rows/{row['id']}"
    date = {"received_date": "2026-02-03T00:00:00Z"}
    assert (await api.patch(path, date)).status == 422
    assert (await api.patch(path, {"quantity": 12, "price_per_unit": 5, "location_id": 10000101})).body["total"] == 60
    await receive(api, row, 12)
    for name, value in {"quantity": 1, "variant_id": 10000107, "price_per_unit": 1, "location_id": 10000102}.items():
        assert (await api.patch(path, {name: value})).status == 422
    assert (await api.patch(path, date)).body["received_date"] == "2026-02-03T00:00:00.000Z"
    movements = await api.get("/inventory_movements", {"resource_id": row["id"], "resource_type": "PurchaseOrderRow"})
    assert [move["movement_date"] for move in movements.rows] == ["2026-02-03T00:00:00.000Z"]
    assert (await api.delete(path)).status == 422
    assert (await api.post("/purchase_order_rows", {"purchase_order_id": made["id"], **BUY})).status == 422


@pytest.mark.parametrize(("word", "statuses"), [("open", [200, 422]), ("received", [422, 200]), ("any", [200, 200])])
async def test_which_rows_take_an_arrival_date_is_a_switch(sandbox: Sandbox, word: str, statuses: list[int]) -> None:
    """4.3, 6.22."""
    tenant, api = sandbox.tenant(), sandbox.caller()
    sandbox.switches.set("row_arrival_date", word)
    row = order(tenant, BUY, {**BUY, "variant_id": 10000107})["purchase_order_rows"][0]
    change = {"arrival_date": "2026-05-01T00:00:00Z"}
    path = f"/purchase_order_rows/{row['id']}"
    answers = [await api.patch(path, change)]
    await receive(api, row, 10)
    answers.append(await api.patch(path, change))
    assert [answer.status for answer in answers] == statuses


async def test_arrival_dates_cascade_in_both_directions(tenant: Tenant, api: Caller) -> None:
    """4.3, 5.30."""
    made = order(tenant, BUY, {**BUY, "variant_id": 10000107})
    path = f"/purchase_orders/{made['id']}"
    row = made["purchase_order_rows"][0]
    await api.patch(f"/purchase_order_rows/{row['id']}", {"arrival_date": "2026-06-01T00:00:00Z"})
    assert (await api.get(path)).body["expected_arrival_date"] == "2026-06-01T00:00:00.000Z"
    await api.patch(path, {"expected_arrival_date": "2026-04-01T00:00:00Z"})
    dates = {row["arrival_date"] for row in (await api.get(path)).body["purchase_order_rows"]}
    assert dates == {"2026-04-01T00:00:00.000Z"}
    naive = await api.patch(path, {"expected_arrival_date": "2026-04-01T00:00:00"})
    assert naive.error["details"][0]["code"] == "format"


async def test_costs_spread_by_value_land_on_the_rows_and_in_stock(
    sandbox: Sandbox, tenant: Tenant, api: Caller
) -> None:
    """4.3, 6.23."""
    tenant.set_stock(*PAIR, 0)
    made = order(tenant, {**BUY, "price_per_unit": 10}, {**BUY, "variant_id": 10000107, "price_per_unit": 30})
    row = made["purchase_order_rows"][0]
    assert (await api.patch(f"/purchase_orders/{made['id']}", {"status": "RECEIVED"})).status == 200
    cost = {"additional_cost_id": 10000101, "group_id": made["default_group_id"], "tax_rate_id": 10000101, "price": 60}
    kept = (await api.post("/po_additional_cost_rows", {**cost, "distribution_method": "NON_DISTRIBUTED"})).body
    assert tenant.get("purchase_order_rows", row["id"])["landed_cost"] == 100
    assert (kept["name"], kept["currency"], kept["price_in_base"]) == ("Shipping", "EUR", 60)
    await api.patch(f"/po_additional_cost_rows/{kept['id']}", {"distribution_method": "BY_VALUE"})
    assert tenant.get("purchase_order_rows", row["id"])["landed_cost"] == 115
    assert tenant.get("inventory", PAIR)["average_cost"] == "11.5000000000"
    sandbox.switches.set("landed_cost", "unit")
    await api.patch(f"/po_additional_cost_rows/{kept['id']}", {"price": 20})
    assert tenant.get("purchase_order_rows", row["id"])["landed_cost"] == 10.5
    await api.delete(f"/po_additional_cost_rows/{kept['id']}")
    assert tenant.get("inventory", PAIR)["average_cost"] == "10.0000000000"
    answer = await api.post("/po_additional_cost_rows", {**cost, "group_id": 999999})
    assert message(answer) == "purchase order group not found"


async def test_an_order_with_receipts_or_bills_is_not_deleted(sandbox: Sandbox, tenant: Tenant, api: Caller) -> None:
    """4.3."""
    before = tenant.get("inventory", PAIR)
    made = order(tenant)
    await receive(api, made["purchase_order_rows"][0], 10)
    refused = await api.delete(f"/purchase_orders/{made['id']}")
    assert (refused.status, refused.error["name"]) == (412, "PreconditionFailedError")
    sandbox.switches.set("received_order_delete", "allow")
    assert (await api.delete(f"/purchase_orders/{made['id']}")).status == 204
    assert tenant.get("inventory", PAIR) == before
    assert (await api.delete(f"/purchase_orders/{made['id']}")).status == 404
    billed = next(tenant.all("purchase_order_accounting_metadata"))["purchase_order_id"]
    assert (await api.delete(f"/purchase_orders/{billed}")).status == 412


async def test_closed_books_refuse_receipts_and_reverts(tenant: Tenant, api: Caller) -> None:
    """4.12."""
    made = order(tenant)
    row = made["purchase_order_rows"][0]
    await receive(api, row, 10, received_date="2026-02-01T00:00:00Z")
    tenant.edit("factory", 1, inventory_closing_date="2026-02-15T00:00:00.000Z")
    refused = [
        await api.patch(f"/purchase_orders/{made['id']}", {"status": "NOT_RECEIVED"}),
        await api.patch(f"/purchase_order_rows/{row['id']}", {"received_date": "2026-02-20T00:00:00Z"}),
        await receive(api, order(tenant)["purchase_order_rows"][0], 1, received_date="2026-02-10T00:00:00Z"),
    ]
    assert {answer.status for answer in refused} == {422}


async def test_an_outsourced_order_uses_up_ingredients_where_they_are_tracked(tenant: Tenant, api: Caller) -> None:
    """4.3."""
    with pytest.raises(Refused, match="tracking location"):
        order(tenant, entity_type="outsourced")
    with pytest.raises(Refused, match="tracking location"):
        order(tenant, tracking_location_id=10000101)
    recipe = next(tenant.all("bom_rows"))
    lines = [row for row in tenant.all("bom_rows") if row["product_variant_id"] == recipe["product_variant_id"]]
    row = {**BUY, "variant_id": recipe["product_variant_id"], "quantity": 2}
    made = order(tenant, row, entity_type="outsourced", tracking_location_id=10000101)
    listed = (await api.get("/outsourced_purchase_order_recipe_rows", {"purchase_order_id": made["id"]})).rows
    assert {line["ingredient_variant_id"] for line in listed} == {line["ingredient_variant_id"] for line in lines}
    pair = (recipe["ingredient_variant_id"], 10000101)
    tenant.set_stock(*pair, 50, 3)
    await receive(api, made["purchase_order_rows"][0], 1)
    assert stock(tenant, pair)[0] == 50 - recipe["quantity"]
    used = (await api.get("/inventory_movements", {"resource_type": "PurchaseOrderRecipeRow"})).rows
    assert {move["caused_by_order_no"] for move in used} == {made["order_no"]}
    assert len(used) == len(lines)
    received = [line for line in tenant.all("outsourced_purchase_order_recipe_rows") if line["cost"] is not None]
    assert {line["ingredient_availability"] for line in received} == {"PROCESSED"}
    refused = await api.patch(f"/outsourced_purchase_order_recipe_rows/{received[0]['id']}", {"notes": "x"})
    assert refused.status == 422
    await receive(api, made["purchase_order_rows"][0], 1)
    await api.patch(f"/purchase_orders/{made['id']}", {"status": "NOT_RECEIVED"})
    assert stock(tenant, pair)[0] == 50


async def test_document_status_is_asked_in_another_case_than_it_is_shown(api: Caller) -> None:
    """5.36."""
    found = await api.get("/purchase_orders", {"last_document_status": "notSent", "limit": 250})
    assert found.rows
    assert {row["last_document_status"] for row in found.rows} == {"NOT_SENT"}
    assert (await api.get("/purchase_orders", {"status": "received"})).status == 400
