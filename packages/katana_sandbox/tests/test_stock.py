"""Transfers, adjustments, movements and shortages (facts 4.8, 4.9, 4.12), and what they do to sales (4.4)."""

from typing import Any

import pytest

from katana_sandbox import Answer, Caller, ManualClock, Refused, Sandbox, Tenant
from katana_sandbox.rules.ledger import Movement, balance, moved, post, unpost

HERE, THERE = (10000106, 10000101), (10000106, 10000102)
NOW = "2026-03-02T09:00:00.000Z"


def transfer(tenant: Tenant, quantity: str = "4", **more: object) -> dict[str, Any]:
    header = {"stock_transfer_number": "ST-9", "source_location_id": 10000101, "target_location_id": 10000102}
    rows = [{"variant_id": 10000106, "quantity": quantity}]
    return tenant.create("stock_transfers", {**header, "stock_transfer_rows": rows, **more})


def adjustment(tenant: Tenant, *rows: dict[str, Any], **more: object) -> dict[str, Any]:
    header = {"stock_adjustment_number": "SA-99", "location_id": 10000101}
    return tenant.create("stock_adjustments", {**header, "stock_adjustment_rows": list(rows), **more})


def levels(tenant: Tenant) -> tuple[float, float, float]:
    here, there = tenant.get("inventory", HERE), tenant.get("inventory", THERE)
    return float(here["quantity_in_stock"]), float(there["quantity_in_stock"]), float(there["quantity_expected"])


async def move(api: Caller, made: dict[str, Any], status: str) -> Answer:
    return await api.patch(f"/stock_transfers/{made['id']}/status", {"status": status})


async def test_a_transfer_is_in_neither_place_while_in_transit(tenant: Tenant, api: Caller) -> None:
    """4.8."""
    tenant.set_stock(*HERE, 10, 3)
    tenant.set_stock(*THERE, 1, 9)
    expected = levels(tenant)[2]
    made = transfer(tenant)
    assert (made["status"], made["transfer_date"], levels(tenant)) == ("draft", NOW, (10, 1, expected))
    await move(api, made, "inTransit")
    assert levels(tenant) == (6, 1, expected + 4)
    done = await move(api, made, "received")
    assert levels(tenant) == (6, 5, expected)
    row = done.body["stock_transfer_rows"][0]
    assert (row["quantity"], row["cost_per_unit"], done.body["status"]) == (4, 3, "received")
    assert tenant.get("inventory", THERE)["value_in_stock"] == "21.0000000000"
    moves = await api.get("/inventory_movements", {"resource_type": "StockTransferRow", "resource_id": row["id"]})
    assert [(m["location_id"], m["quantity_change"], m["value_per_unit"]) for m in moves.rows] == [
        (10000102, 4, 3),
        (10000101, -4, 3),
    ]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (["received"], 200),
        (["inTransit", "draft"], 200),
        (["received", "draft"], 200),
        (["received", "received"], 200),
        (["received", "inTransit"], 400),
    ],
)
async def test_which_moves_of_a_transfer_are_allowed(tenant: Tenant, api: Caller, path: list[str], status: int) -> None:
    """4.8, 6.20."""
    before = levels(tenant)
    made = transfer(tenant)
    answers = [await move(api, made, step) for step in path]
    assert answers[-1].status == status
    if path[-1] == "draft":
        assert levels(tenant) == before


async def test_a_received_transfer_goes_back_in_transit_where_switched(
    sandbox: Sandbox, tenant: Tenant, api: Caller
) -> None:
    """4.8, 6.20."""
    made = transfer(tenant)
    await move(api, made, "received")
    assert (await move(api, made, "inTransit")).status == 400
    sandbox.switches.set("transfer_moves", "any")
    assert (await move(api, made, "inTransit")).body["status"] == "inTransit"


async def test_transfers_that_can_not_be_are_refused(tenant: Tenant, api: Caller) -> None:
    """4.8."""
    header = {"stock_transfer_number": "X", "source_location_id": 10000101, "target_location_id": 10000102}
    numeric = await api.post(
        "/stock_transfers", {**header, "stock_transfer_rows": [{"variant_id": 10000106, "quantity": 2}]}
    )
    assert [detail["message"] for detail in numeric.error["details"]] == ["must be string"]
    for quantity in ("0", "-1", "many"):
        with pytest.raises(Refused, match="greater than 0"):
            transfer(tenant, quantity)
    with pytest.raises(Refused, match="must differ"):
        transfer(tenant, target_location_id=10000101)
    with pytest.raises(Refused, match="variant not found"):
        transfer(tenant, stock_transfer_rows=[{"variant_id": 999999, "quantity": "1"}])
    batches = [{"batch_id": None, "quantity": 5}]
    with pytest.raises(Refused, match="sum of batch quantity"):
        transfer(tenant, stock_transfer_rows=[{"variant_id": 10000106, "quantity": "4", "batch_transactions": batches}])
    assert (await api.patch("/stock_transfers/999999/status", {"status": "draft"})).status == 404
    assert (await api.patch(f"/stock_transfers/{transfer(tenant)['id']}/status", {})).error["message"] == (
        "At least 1 field is required"
    )


async def test_the_header_of_a_received_transfer_can_be_changed_and_its_movements_follow(
    tenant: Tenant, api: Caller
) -> None:
    """4.8."""
    made = transfer(tenant, additional_info="Van")
    await move(api, made, "received")
    date = {"transfer_date": "2026-02-01T00:00:00Z", "stock_transfer_number": "ST-X"}
    assert (await api.patch(f"/stock_transfers/{made['id']}", date)).body["additional_info"] == "Van"
    moves = (await api.get("/inventory_movements", {"caused_by_order_no": "ST-X"})).rows
    assert {m["movement_date"] for m in moves} == {"2026-02-01T00:00:00.000Z"}
    assert len(moves) == 2
    assert (await api.get(f"/stock_transfers/{made['id']}")).status == 404, "1.13: there is no GET by id"


@pytest.mark.parametrize("reverses", [True, False])
async def test_whether_a_delete_takes_stock_back_is_a_switch(
    sandbox: Sandbox, tenant: Tenant, api: Caller, reverses: bool
) -> None:
    """4.8, 4.9, 6.9."""
    sandbox.switches.set("delete_reverses_stock", reverses)
    before = levels(tenant)
    moved_stock = transfer(tenant)
    await move(api, moved_stock, "received")
    counted = adjustment(tenant, {"variant_id": 10000106, "quantity": 2})
    between = levels(tenant)
    assert (await api.delete(f"/stock_transfers/{moved_stock['id']}")).status == 204
    assert (await api.delete(f"/stock_adjustments/{counted['id']}")).status == 204
    assert levels(tenant) == (before if reverses else between)
    assert (await api.delete(f"/stock_adjustments/{counted['id']}")).status == 404


async def test_adjustments_take_effect_at_once_at_their_cost_or_at_average_cost(tenant: Tenant, api: Caller) -> None:
    """4.9."""
    tenant.set_stock(*HERE, 10, 3)
    made = adjustment(
        tenant, {"variant_id": 10000106, "quantity": 10, "cost_per_unit": 5}, {"variant_id": 10000106, "quantity": 5}
    )
    assert [row["cost_per_unit"] for row in made["stock_adjustment_rows"]] == [5, 4]
    level = tenant.get("inventory", HERE)
    assert (level["quantity_in_stock"], level["average_cost"]) == ("25.00000", "4.0000000000")
    adjustment(tenant, {"variant_id": 10000106, "quantity": -5})
    assert tenant.get("inventory", HERE)["value_in_stock"] == "80.0000000000"
    path = f"/stock_adjustments/{made['id']}"
    answer = await api.patch(path, {"location_id": 10000102, "stock_adjustment_date": "2026-02-02T00:00:00Z"})
    assert answer.body["additional_info"] == "", "5.1: the wipe"
    assert float(tenant.get("inventory", HERE)["quantity_in_stock"]) == 5
    assert (await api.patch(path, {"stock_adjustment_rows": []})).error["details"][0]["code"] == "additionalProperties"


def test_adjustments_that_can_not_be_are_refused(tenant: Tenant) -> None:
    """4.9, 4.13."""
    with pytest.raises(Refused, match=r"^422 cost per unit is not allowed when quantity is negative$"):
        adjustment(tenant, {"variant_id": 10000106, "quantity": -1, "cost_per_unit": 2})
    with pytest.raises(Refused, match="must not be 0"):
        adjustment(tenant, {"variant_id": 10000106, "quantity": 0})
    batches = [{"batch_id": None, "quantity": 1}]
    with pytest.raises(Refused, match=r"sum of batch quantity \(current: 1\) must match row quantity \(expected: 2\)"):
        adjustment(tenant, {"variant_id": 10000106, "quantity": 2, "batch_transactions": batches})
    item = tenant.create("materials", {"name": "Glue", "batch_tracked": True, "variants": [{"sku": "GLUE"}]})
    variant = next(row["id"] for row in tenant.all("variants") if row["material_id"] == item["id"])
    adjustment(tenant, {"variant_id": variant, "quantity": 2})
    trace = [{"batch_id": None, "quantity": "2"}]
    made = adjustment(tenant, {"variant_id": variant, "quantity": 2, "traceability": trace, "batch_transactions": []})
    row = made["stock_adjustment_rows"][0]
    assert row["batch_transactions"] == [{"batch_id": None, "quantity": 2}]
    assert row["traceability"][0]["quantity"] == "2"
    tenant.edit("factory", 1, inventory_closing_date="2026-02-15T00:00:00.000Z")
    with pytest.raises(Refused, match="closing date"):
        adjustment(tenant, {"variant_id": 10000106, "quantity": 1}, stock_adjustment_date="2026-02-14T00:00:00Z")


async def test_a_back_dated_movement_changes_every_balance_after_it(empty: Sandbox) -> None:
    """4.12."""
    tenant, api = empty.tenant(), empty.caller()
    tenant.create("materials", {"name": "Bolt", "variants": [{"sku": "B"}]})
    variant = next(tenant.all("variants"))["id"]
    for on, quantity, cost in (("05", 10, 2), ("20", -4, None), ("10", 10, 4)):
        row = {"variant_id": variant, "quantity": quantity} | ({"cost_per_unit": cost} if cost else {})
        adjustment(tenant, row, stock_adjustment_date=f"2026-02-{on}T00:00:00Z")
    rows = (await api.get("/inventory_movements", {"variant_ids": variant})).rows
    assert [row["quantity_change"] for row in rows] == [10, -4, 10], "newest created first"
    by_date = sorted(rows, key=lambda row: row["movement_date"])
    assert [row["balance_after"] for row in by_date] == [10, 20, 16]
    assert [row["average_cost_after"] for row in by_date] == [2, 3, 3]
    assert [row["value_in_stock_after"] for row in by_date] == [20, 60, 48]
    assert {row["rank"] for row in rows} == {1}


async def test_movements_are_found_by_what_they_are_of(tenant: Tenant, api: Caller) -> None:
    """2, 4.12."""
    everything = list(tenant.all("inventory_movements"))
    assert (
        len(everything)
        == tenant.count("inventory_movements")
        == int((await api.get("/inventory_movements")).page["total_records"])
    )
    sample = next(row for row in everything if row["resource_type"] == "SalesOrderRow")
    assert tenant.get("inventory_movements", sample["id"]) == sample
    for query in (
        {"ids": [sample["id"], 999999]},
        {"variant_ids": [sample["variant_id"], 999999]},
        {"location_id": sample["location_id"]},
        {"resource_type": "SalesOrderRow"},
        {"resource_type": "SystemGenerated", "location_id": 10000102},
        {"resource_type": "SystemGenerated", "resource_id": sample["variant_id"]},
        {"resource_id": sample["resource_id"]},
        {"resource_type": "SalesOrderRow", "resource_id": sample["resource_id"]},
        {"caused_by_order_no": sample["caused_by_order_no"]},
        {"caused_by_resource_id": sample["caused_by_resource_id"]},
        {"created_at_min": "2026-02-01T00:00:00Z", "updated_at_max": "2026-02-20T00:00:00Z"},
    ):
        expected = [row for row in everything if _fits(row, query)]
        found = await api.get("/inventory_movements", {**query, "limit": 250})
        assert expected
        assert found.page["total_records"] == str(len(expected))
        assert found.rows == expected[::-1][:250]
    assert (await api.get("/inventory_movements", {"resource_type": "Nonsense"})).status == 400


def _fits(row: dict[str, Any], query: dict[str, Any]) -> bool:
    names = {"ids": "id", "variant_ids": "variant_id"}
    for name, value in query.items():
        if name.endswith("_min"):
            fits = row["created_at"] >= value
        elif name.endswith("_max"):
            fits = row["updated_at"] <= value
        else:
            held = row[names.get(name, name)]
            fits = held in value if isinstance(value, list) else held == value
        if not fits:
            return False
    return True


async def test_a_shortage_is_listed_with_its_latest_date_until_stock_comes(
    sandbox: Sandbox, tenant: Tenant, api: Caller
) -> None:
    """4.12."""
    tenant.set_stock(*HERE, -3, 2)
    rows = (await api.get("/negative_stock", {"variant_id": 10000106, "location_id": 10000101})).rows
    variant = tenant.get("variants", 10000106)
    assert [(row["sku"], row["latest_negative_stock_date"]) for row in rows] == [(variant["sku"], NOW)]
    assert "quantity_on_hand" not in rows[0]
    assert (await api.get("/negative_stock", {"sku": variant["sku"]})).rows == rows
    for query in ({"latest_negative_stock_date_min": "2026-03-03T00:00:00Z"}, {"category": "None such"}, {"page": 2}):
        assert (await api.get("/negative_stock", query)).rows == []
    adjustment(tenant, {"variant_id": 10000106, "quantity": 3})
    assert (await api.get("/negative_stock", {"variant_id": 10000106, "location_id": 10000101})).rows == []


async def test_open_rows_wait_for_the_supply_that_covers_them(empty: Sandbox) -> None:
    """4.4."""
    tenant, api = empty.tenant(), empty.caller()
    tenant.create("materials", {"name": "Bolt", "variants": [{"sku": "B"}]})
    variant = next(tenant.all("variants"))["id"]
    supplier = tenant.create("suppliers", {"name": "Nord", "currency": "EUR"})["id"]
    customer = tenant.create("customers", {"name": "Velo"})["id"]
    tenant.set_stock(variant, 10000101, 3, 1)
    rows = [{"variant_id": variant, "quantity": quantity} for quantity in (2, 4, 9, 90)]
    order = tenant.create("sales_orders", {"customer_id": customer, "location_id": 10000101, "sales_order_rows": rows})
    for quantity, date in ((6, "2026-05-01T00:00:00.000Z"), (6, "2026-04-01T00:00:00.000Z")):
        row = {"variant_id": variant, "quantity": quantity, "price_per_unit": 1, "arrival_date": date}
        tenant.create(
            "purchase_orders", {"supplier_id": supplier, "location_id": 10000101, "purchase_order_rows": [row]}
        )
    shown = (await api.get(f"/sales_orders/{order['id']}")).body
    assert [(row["product_availability"], row["product_expected_date"]) for row in shown["sales_order_rows"]] == [
        ("IN_STOCK", None),
        ("EXPECTED", "2026-04-01T00:00:00.000Z"),
        ("EXPECTED", "2026-05-01T00:00:00.000Z"),
        ("NOT_AVAILABLE", None),
    ]
    assert shown["product_availability"] == "NOT_AVAILABLE"
    await api.delete(f"/sales_order_rows/{order['sales_order_rows'][3]['id']}")
    shown = (await api.get(f"/sales_orders/{order['id']}")).body
    assert (shown["product_availability"], shown["product_expected_date"]) == ("EXPECTED", "2026-05-01T00:00:00.000Z")


async def test_goods_sold_bear_the_cost_that_later_documents_give_them(tenant: Tenant, api: Caller) -> None:
    """4.5, 4.12."""
    tenant.set_stock(*HERE, 10, 3)
    row = {"variant_id": 10000106, "quantity": 4, "price_per_unit": 9}
    order = tenant.create("sales_orders", {"customer_id": 10000101, "location_id": 10000101, "sales_order_rows": [row]})
    row_id = order["sales_order_rows"][0]["id"]
    lines = [{"sales_order_row_id": row_id, "quantity": 2}]
    body = {"sales_order_id": order["id"], "status": "PACKED", "picked_date": "2026-03-02T10:00:00Z"}
    first = await api.post("/sales_order_fulfillments", {**body, "sales_order_fulfillment_rows": lines})
    await api.post("/sales_order_fulfillments", {**body, "sales_order_fulfillment_rows": lines})
    assert tenant.get("sales_order_rows", row_id)["cogs_value"] == "12.0000000000"
    late = {"stock_adjustment_date": "2026-03-02T09:30:00Z"}
    made = adjustment(tenant, {"variant_id": 10000106, "quantity": 10, "cost_per_unit": 5}, **late)
    assert tenant.get("sales_order_rows", row_id)["cogs_value"] == "16.0000000000"
    await api.delete(f"/sales_order_fulfillments/{first.body['id']}")
    assert tenant.get("sales_order_rows", row_id)["cogs_value"] == "8.0000000000"
    await api.delete(f"/stock_adjustments/{made['id']}")
    assert tenant.get("inventory", HERE)["value_in_stock"] == "24.0000000000"


def test_the_ledger_counts_to_five_places_and_knows_the_cost_of_each_movement(empty: Sandbox) -> None:
    """1.10, 4.12."""
    tenant = empty.tenant()
    ctx = tenant.context()
    level = ctx.db.levels.get(1, 2)
    assert (level.in_stock, balance(ctx, 1, 2).in_stock) == (0, 0)
    movement = Movement(1, 2, level.in_stock + 1, None, NOW, "Production", 7, "MO-1", 3)
    post(ctx, movement._replace(quantity=movement.quantity / 3, unit_cost=movement.quantity * 6))
    post(ctx, movement._replace(quantity=-movement.quantity / 9, resource_type="ProductionIngredient"))
    assert str(balance(ctx, 1, 2).in_stock) == "0.22222"
    assert [cost for _, cost in moved(ctx, "ProductionIngredient", 7)] == [6]
    assert unpost(ctx, "Production", 7) == {(1, 2)}
    assert float(balance(ctx, 1, 2).in_stock) == -0.11111
    assert unpost(ctx, "Production", 7) == set()


async def test_a_lagging_read_sees_the_ledger_as_it_was(sandbox: Sandbox, tenant: Tenant, api: Caller) -> None:
    """5.2."""
    query = {"variant_ids": 10000106, "limit": 250}
    before = (await api.get("/inventory_movements", query)).rows
    adjustment(tenant, {"variant_id": 10000106, "quantity": 1})
    sandbox.switches.set("replica_lag", 5)
    assert isinstance(sandbox.clock, ManualClock)
    assert (await api.get("/inventory_movements", query)).rows == before
    sandbox.clock.advance(6)
    assert len((await api.get("/inventory_movements", query)).rows) == len(before) + 1


async def test_closed_books_keep_shipments_as_they_are(tenant: Tenant, api: Caller) -> None:
    """4.12."""
    row = {"variant_id": 10000106, "quantity": 1}
    order = tenant.create("sales_orders", {"customer_id": 10000101, "sales_order_rows": [row]})
    lines = [{"sales_order_row_id": order["sales_order_rows"][0]["id"], "quantity": 1}]
    body = {"sales_order_id": order["id"], "status": "DELIVERED", "picked_date": "2026-02-10T00:00:00Z"}
    made = (await api.post("/sales_order_fulfillments", {**body, "sales_order_fulfillment_rows": lines})).body
    date = {"picked_date": "2026-02-20T00:00:00Z"}
    tenant.edit("factory", 1, inventory_closing_date="2026-02-15T00:00:00.000Z")
    refused = [
        await api.patch(f"/sales_order_fulfillments/{made['id']}", date),
        await api.patch(f"/sales_orders/{order['id']}", date),
        await api.delete(f"/sales_order_fulfillments/{made['id']}"),
    ]
    assert {answer.status for answer in refused} == {422}
    tenant.edit("factory", 1, inventory_closing_date=None)
    assert (await api.patch(f"/sales_orders/{order['id']}", date)).status == 200
    moves = await api.get("/inventory_movements", {"caused_by_order_no": order["order_no"]})
    assert [move["movement_date"] for move in moves.rows] == ["2026-02-20T00:00:00.000Z"]
    assert (await api.delete(f"/sales_order_fulfillments/{made['id']}")).status == 204
    assert tenant.get("sales_orders", order["id"])["picked_date"] is None
