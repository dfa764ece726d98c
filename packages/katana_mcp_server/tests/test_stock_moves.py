"""A plan that moves stock says so first, from how much to how much, and no refusal leads anybody to take stock out."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from order_plans import MODIFY, ROW, change, knowing, old, planned
from server_wire import Wire, live
from transfer_plans import applied, new_transfer

from katana_mcp.testing import Payload, Stage, within
from katana_mcp.writing.stock_moves import StockMove, described, shortages
from katana_sandbox import ManualClock, Tenant

LEVELS = {7: {1: Decimal(3)}}
STOCK = {7: {1: Decimal(30)}, 8: {2: Decimal(4)}}


def _move(change: str, location: int = 1, place: str = "North") -> StockMove:
    return StockMove(variant=7, called="FORK", location=location, place=place, change=Decimal(change))


def _in_stock(tenant: Tenant, variant: int, location: int) -> float:
    return float(tenant.get("inventory", (variant, location))["quantity_in_stock"])


def _bought(tenant: Tenant) -> Wire:
    """Return a variant of a material without batches and with a SKU of its own."""
    items = {material["id"] for material in live(tenant, "materials") if not material["batch_tracked"]}
    skus = [variant["sku"] for variant in live(tenant, "variants")]
    return next(
        variant
        for variant in live(tenant, "variants")
        if variant["material_id"] in items and variant["sku"] and skus.count(variant["sku"]) == 1
    )


def _receive(tenant: Tenant, order: Wire) -> None:
    for row in order["purchase_order_rows"]:
        tenant.edit("purchase_order_rows", row["id"], received_date="2026-03-01T10:00:00.000Z")


def _order(tenant: Tenant, **changed: object) -> tuple[Wire, str, Wire]:
    """Return a new order of eleven pieces, the SKU, and where they go."""
    good, place = _bought(tenant), live(tenant, "locations")[0]
    row = {"variant_id": good["id"], "quantity": 11, "price_per_unit": 1, "purchase_uom_conversion_rate": 1}
    parties = {"supplier_id": live(tenant, "suppliers")[0]["id"], "location_id": place["id"]}
    order = tenant.create("purchase_orders", {**parties, "purchase_order_rows": [row], **changed})
    return order, good["sku"], place


def test_moves_of_the_same_pair_are_one_and_those_that_come_to_nothing_none() -> None:
    moves = [_move("2"), _move("-5"), _move("1", location=2, place="South"), _move("-1", location=2, place="South")]
    assert described(moves, LEVELS) == ("FORK at North: 3 → 0",)
    assert described([_move("2", location=2, place="South")], LEVELS) == ("FORK at South: 0 → 2",)
    assert described([_move("2.5"), _move("-4", location=2, place="South")], {}) == (
        "FORK at North: +2.5 (current stock could not be read)",
        "FORK at South: -4 (current stock could not be read)",
    )


def test_only_what_is_not_there_is_short() -> None:
    assert shortages([_move("-3")], LEVELS) == []
    assert shortages([_move("-4")], {}) == []
    assert shortages([_move("-4"), _move("1")], LEVELS) == []
    assert [shortage.message for shortage in shortages([_move("-4")], LEVELS)] == [
        "4 FORK would be taken from North, which has only 3 in stock"
    ]
    # What comes into a place that is below nothing is no shortage.
    assert shortages([_move("1")], {7: {1: Decimal(-3)}}) == []


@pytest.mark.parametrize("slot", ["currency", "add_rows", "update_rows", "delete_row_ids", "status"])
def test_no_refusal_of_a_received_order_advises_to_take_stock_out(slot: str) -> None:
    asked: dict[str, Any] = {
        "currency": "CHF",
        "add_rows": [{"sku_or_variant_id": "FORK", "quantity": 1, "price_per_unit": 1}],
        "update_rows": [{"row_id": 17, "quantity": 5}],
        "delete_row_ids": [17],
        "status": "DRAFT",
    }
    warnings = MODIFY.checks(change(**{slot: asked[slot]}), old("RECEIVED"))
    (refusal,) = [warning for warning in warnings if warning.severity == "blocking"]
    assert "NOT_RECEIVED" not in refusal.message
    assert "unreceive" not in refusal.message


def test_taking_receipts_back_without_asking_for_it_is_refused_with_what_it_would_take_out() -> None:
    facts = replace(old("RECEIVED"), levels=STOCK)
    (refusal,) = MODIFY.checks(change(status="NOT_RECEIVED"), facts)
    assert (refusal.severity, refusal.code) == ("blocking", "unreceive_required")
    assert refusal.message == (
        "undoing the receipt of purchase order PO-40 removes the received goods from stock: "
        "stock of FORK at North: 30 → 6, WHEEL at South: 4 → 0; if you want this, pass unreceive=true"
    )
    assert [check.severity for check in MODIFY.checks(change(unreceive=True), facts)] == ["advisory"]
    assert MODIFY.plan(change(unreceive=True), facts).stock == ("FORK at North: 30 → 6", "WHEEL at South: 4 → 0")


def test_unreceive_goes_with_no_other_status_and_does_nothing_where_nothing_has_come() -> None:
    warned = MODIFY.checks(change(unreceive=True, status="RECEIVED"), old("PARTIALLY_RECEIVED", (17,)))
    assert ("blocking", "invalid_argument", "unreceive") in [
        (warning.severity, warning.code, warning.field_path) for warning in warned
    ]
    assert [check.code for check in MODIFY.checks(change(unreceive=True), old())] == ["no_effective_change"]
    assert planned(unreceive=True, order_no="PO-9").stock == ()


def test_receiving_moves_each_open_row_in_stock_units_to_where_it_goes() -> None:
    draft = planned(
        status="RECEIVED",
        location_id="South",
        add_rows=[{"sku_or_variant_id": "FORK", "quantity": 1, "price_per_unit": 1}],
        delete_row_ids=[18],
    )
    # Two boxes of twelve follow the order to South, and so does a new one.
    assert draft.stock == ("FORK at South: +36 (current stock could not be read)",)
    partly = old("PARTIALLY_RECEIVED", (17,))
    assert planned(partly, status="RECEIVED").stock == ("WHEEL at South: +4 (current stock could not be read)",)
    assert planned(order_no="PO-9").stock == ()


def test_an_outsourced_order_uses_its_ingredients_up_where_the_supplier_works() -> None:
    record: dict[str, Any] = {"entity_type": "outsourced", "tracking_location_id": 2, "purchase_order_rows": [ROW]}
    used = {"purchase_order_row_id": 17, "ingredient_variant_id": 8, "planned_quantity_per_unit": Decimal("0.5")}
    facts = knowing(old(**record), ingredients=(used,), levels={8: {2: Decimal(5)}})
    draft = MODIFY.plan(change(status="RECEIVED"), facts)
    assert draft.stock[1] == "WHEEL at South: 5 → -7"
    assert "12 WHEEL would be taken from South, which has only 5 in stock" in [
        check.message for check in MODIFY.checks(change(status="RECEIVED"), facts)
    ]


async def test_what_a_preview_says_of_the_stock_of_receipts_is_what_happens(stage: Stage, tenant: Tenant) -> None:
    order, sku, place = _order(tenant)
    variant = order["purchase_order_rows"][0]["variant_id"]
    began = _in_stock(tenant, variant, place["id"])

    async def done(**arguments: object) -> Payload:
        preview = await stage.call("modify_purchase_order", purchase_order_id=order["id"], **arguments)
        (outcome,) = (await applied(stage, preview["plan_token"]))["outcomes"]
        assert outcome["message"].startswith("applied"), outcome
        return preview

    received = await done(status="RECEIVED")
    assert received["stock"] == [f"{sku} at {place['name']}: {began:g} → {began + 11:g}"]
    assert received["message"].startswith(f"stock of {received['stock'][0]}. purchase order {order['order_no']}")
    assert _in_stock(tenant, variant, place["id"]) == began + 11
    refused = await stage.call("modify_purchase_order", purchase_order_id=order["id"], status="NOT_RECEIVED")
    assert [warning["code"] for warning in refused["warnings"] if warning["severity"] == "blocking"] == [
        "unreceive_required"
    ]
    assert f"{sku} at {place['name']}: {began + 11:g} → {began:g}" in refused["message"]
    assert "plan_token" not in refused
    back = await done(unreceive=True)
    assert back["stock"] == [f"{sku} at {place['name']}: {began + 11:g} → {began:g}"]
    assert _in_stock(tenant, variant, place["id"]) == began


async def test_a_received_order_that_is_deleted_says_what_leaves_the_stock(stage: Stage, tenant: Tenant) -> None:
    stage.own.sandbox.switches.set("received_order_delete", "allow")
    order, sku, place = _order(tenant)
    variant = order["purchase_order_rows"][0]["variant_id"]
    began = _in_stock(tenant, variant, place["id"])
    _receive(tenant, order)
    preview = await stage.call("delete_purchase_order", purchase_order_id=order["id"])
    assert preview["stock"] == [f"{sku} at {place['name']}: {began + 11:g} → {began:g}"]
    await applied(stage, preview["plan_token"])
    assert _in_stock(tenant, variant, place["id"]) == began


@pytest.mark.parametrize("way", [("inTransit", "received", "draft"), ("received", "draft"), ("inTransit", "draft")])
async def test_what_a_preview_says_of_the_stock_of_transfers_is_what_happens(
    stage: Stage, tenant: Tenant, way: tuple[str, ...]
) -> None:
    source, target = live(tenant, "locations")[:2]
    good = _bought(tenant)
    rows = [{"sku_or_variant_id": good["sku"], "quantity": 2}]
    new = await stage.call("create_stock_transfer", **new_transfer(tenant, rows=rows))
    assert "stock" not in new
    (made,) = (await applied(stage, new["plan_token"]))["outcomes"]

    def held() -> dict[str, float]:
        return {record["name"]: _in_stock(tenant, good["id"], record["id"]) for record in (source, target)}

    for status in way:
        before = held()
        preview = await stage.call("modify_stock_transfer", stock_transfer_id=made["id"], status=status)
        await applied(stage, preview["plan_token"])
        after = held()
        lines = [f"{good['sku']} at {name}: {before[name]:g} → {after[name]:g}" for name in before]
        assert preview["stock"] == [
            line for line, name in zip(lines, before, strict=True) if before[name] != after[name]
        ]
        assert f"stock of {', '.join(preview['stock'])}. " in preview["message"]


async def test_a_transfer_that_has_moved_and_is_deleted_says_what_goes_back(stage: Stage, tenant: Tenant) -> None:
    source = live(tenant, "locations")[0]
    good = _bought(tenant)
    rows = [{"sku_or_variant_id": good["sku"], "quantity": 2}]
    new = await stage.call("create_stock_transfer", **new_transfer(tenant, rows=rows))
    (made,) = (await applied(stage, new["plan_token"]))["outcomes"]
    left = await stage.call("modify_stock_transfer", stock_transfer_id=made["id"], status="inTransit")
    await applied(stage, left["plan_token"])
    now = _in_stock(tenant, good["id"], source["id"])
    preview = await stage.call("delete_stock_transfer", stock_transfer_id=made["id"])
    assert preview["stock"] == [f"{good['sku']} at {source['name']}: {now:g} → {now + 2:g}"]
    await applied(stage, preview["plan_token"])
    assert _in_stock(tenant, good["id"], source["id"]) == now + 2


async def test_a_transfer_beyond_what_is_there_says_so_in_its_first_sentence(stage: Stage, tenant: Tenant) -> None:
    source, good = live(tenant, "locations")[0], _bought(tenant)
    there = _in_stock(tenant, good["id"], source["id"])
    much = max(there, 0) + 1_000
    rows = [{"sku_or_variant_id": good["sku"], "quantity": much}]
    new = await stage.call("create_stock_transfer", **new_transfer(tenant, rows=rows))
    first = f"{much:g} {good['sku']} would be taken from {source['name']}, which has only {there:g} in stock. "
    assert new["message"].startswith(first)
    (made,) = (await applied(stage, new["plan_token"]))["outcomes"]
    sent = await stage.call("modify_stock_transfer", stock_transfer_id=made["id"], status="received")
    assert sent["message"].startswith(f"{first}stock of {good['sku']} at {source['name']}: ")


async def test_a_plan_stays_good_when_the_stock_is_another_by_then(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, _, place = _order(tenant)
    other, *_ = _order(tenant)
    variant = order["purchase_order_rows"][0]["variant_id"]
    began = _in_stock(tenant, variant, place["id"])
    preview = await stage.call("modify_purchase_order", purchase_order_id=order["id"], status="RECEIVED")
    _receive(tenant, other)
    clock.advance(61)  # what is known of the stock is old by then
    (outcome,) = (await applied(stage, preview["plan_token"]))["outcomes"]
    assert outcome["message"].startswith("applied")
    assert _in_stock(tenant, variant, place["id"]) == began + 22


async def _crowded(stage: Stage, tenant: Tenant) -> None:
    """Use up what reads may send in this minute."""
    for variant in live(tenant, "variants"):
        answer = await stage.client.call_tool("check_inventory", {"skus_or_variant_ids": [variant["id"]]})
        if "Katana's limit of 60 requests a minute is used up" in str(answer.structured_content):
            return
    raise AssertionError("reads were never short of requests")


async def test_stock_that_a_write_moved_is_read_back_however_busy_reads_are(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, sku, place = _order(tenant)
    variant = order["purchase_order_rows"][0]["variant_id"]
    began = _in_stock(tenant, variant, place["id"])

    async def shown() -> tuple[float, bool]:
        answer = await stage.call("check_inventory", skus_or_variant_ids=[variant])
        (item,) = answer["stock"]
        there = next(location for location in item["locations"] if location["location"] == place["name"])
        return float(there["in_stock"]), "stale" in answer

    assert await shown() == (began, False)
    preview = await stage.call("modify_purchase_order", purchase_order_id=order["id"], status="RECEIVED")
    await within(clock, 30, _crowded(stage, tenant))
    await applied(stage, preview["plan_token"])
    assert await shown() == (began + 11, False)
    back = await stage.call("modify_purchase_order", purchase_order_id=order["id"], unreceive=True)
    assert back["stock"] == [f"{sku} at {place['name']}: {began + 11:g} → {began:g}"]
