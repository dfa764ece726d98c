"""Goods that share an SKU, told apart by their ids: in a line, in what is ambiguous, and in what differs."""

import pytest
from server_wire import Wire, live
from test_shared_skus import SKU, twins

from katana_mcp.testing import Stage
from katana_sandbox import ManualClock, Tenant

TOOL, NUMBER = "verify_order_document", "PO-900"


@pytest.fixture
def order(stage: Stage, tenant: Tenant, clock: ManualClock) -> Wire:
    """Return an open order of the first of two goods that share an SKU and of another good; then of both."""
    (first, _), (second, _) = twins(tenant)
    parties = {"supplier_id": live(tenant, "suppliers")[0]["id"], "location_id": live(tenant, "locations")[0]["id"]}
    rows = [{"variant_id": first, "quantity": 4, "price_per_unit": 2}, {"variant_id": second, "quantity": 6}]
    both = [{**row, "price_per_unit": 2, "purchase_uom_conversion_rate": 1, "purchase_uom": "pcs"} for row in rows]
    tenant.create("purchase_orders", {**parties, "order_no": "PO-901", "purchase_order_rows": both[:1]})
    made = tenant.create("purchase_orders", {**parties, "order_no": NUMBER, "purchase_order_rows": both})
    clock.advance(3_600)
    return made


async def test_a_line_of_a_shared_sku_is_told_the_ids_and_means_the_one_that_it_then_names(
    stage: Stage, tenant: Tenant, order: Wire
) -> None:
    first, second = order["purchase_order_rows"]
    line = {"sku": SKU, "quantity": 6, "unit": "pcs"}
    answer = await stage.call(TOOL, purchase_order_id=NUMBER, lines=[line])
    (ambiguous,) = [difference for difference in answer["differences"] if difference["kind"] == "unmatched"]
    for row in (first, second):
        variant = tenant.get("variants", row["variant_id"])
        name = tenant.get("materials", variant["material_id"])["name"]
        assert f"variant_id {variant['id']} ({name}" in ambiguous["message"]
    assert ambiguous["message"].startswith(f"line 1 ('{SKU}'): several goods have its code: variant_id ")
    assert "did you mean" not in ambiguous["message"]
    assert ambiguous["no_call"] == "give its `variant_id`, and compare again"
    named = await stage.call(TOOL, purchase_order_id=NUMBER, lines=[{**line, "variant_id": second["variant_id"]}])
    assert named["receive"]["rows"] == [{"row_id": second["id"], "quantity": 6}]
    goods = {good["variant_id"]: good for good in named["goods"]}
    assert (goods[second["variant_id"]]["lines"], goods[second["variant_id"]]["matched_by"]) == ([1], "variant_id")
    (absent,) = named["differences"]
    assert absent["message"].startswith(f"{SKU} (variant_id {first['variant_id']}): the order has 4 pcs open")


async def test_a_shared_sku_of_goods_that_the_order_lacks_is_told_the_ids_too(
    stage: Stage, tenant: Tenant, order: Wire
) -> None:
    first, second = order["purchase_order_rows"]
    other = next(
        one
        for one in live(tenant, "purchase_orders")
        if one["status"] == "NOT_RECEIVED" and one["order_no"] not in (NUMBER, "PO-901")
    )
    line = {"sku": SKU, "quantity": 1, "unit": "pcs", "price": 2}
    answer = await stage.call(TOOL, purchase_order_id=other["id"], lines=[line])
    (ambiguous,) = [difference for difference in answer["differences"] if difference["kind"] == "unmatched"]
    ids = sorted([first["variant_id"], second["variant_id"]])
    assert f"several items have its code: variant_id {ids[0]} (" in ambiguous["message"]
    assert f", variant_id {ids[1]} (" in ambiguous["message"]
    assert ambiguous["no_call"] == "give its `variant_id`, and compare again"


async def test_an_id_that_the_order_lacks_is_another_good_though_the_order_has_its_sku(
    stage: Stage, order: Wire
) -> None:
    second = order["purchase_order_rows"][1]
    line = {"sku": SKU, "variant_id": second["variant_id"], "quantity": 1, "unit": "pcs", "price": 2}
    answer = await stage.call(TOOL, purchase_order_id="PO-901", lines=[line])
    (added,) = [difference for difference in answer["differences"] if difference["kind"] == "not_on_order"]
    (row,) = added["settle"]["arguments"]["add_rows"]
    assert (row["sku_or_variant_id"], row["quantity"]) == (second["variant_id"], 1)


@pytest.mark.parametrize("number", [NUMBER, "PO-901"])
async def test_an_id_and_a_code_of_different_goods_mean_neither(
    stage: Stage, tenant: Tenant, order: Wire, number: str
) -> None:
    other = next(
        variant
        for variant in live(tenant, "variants")
        if variant.get("material_id") and variant["sku"] not in (SKU, "")
    )
    tenant.edit("purchase_order_rows", order["purchase_order_rows"][1]["id"], variant_id=other["id"])
    asked = {"sku": SKU, "variant_id": other["id"], "quantity": 1}
    answer = await stage.call(TOOL, purchase_order_id=number, lines=[asked])
    (torn,) = [difference for difference in answer["differences"] if difference["kind"] == "unmatched"]
    assert f"its variant_id names {other['sku']}, its code {SKU}" in torn["message"]


async def test_an_id_of_nothing_and_one_of_a_deleted_item_are_told(
    stage: Stage, tenant: Tenant, clock: ManualClock, order: Wire
) -> None:
    gone = tenant.create("materials", {"name": "Gone", "variants": [{"sku": "GONE"}]})
    await stage.call("search_items", query="GONE")
    tenant.delete("materials", gone["id"])
    clock.advance(3_600)
    for key in (999_999_999, gone["variants"][0]["id"]):
        answer = await stage.call(TOOL, purchase_order_id=order["id"], lines=[{"variant_id": key, "quantity": 1}])
        (lost,) = [difference for difference in answer["differences"] if difference["kind"] == "unmatched"]
        assert lost["message"] == f"line 1 (variant_id {key}): no item with this code or name was found"


@pytest.mark.parametrize("kind", ["delivery_note", "invoice"])
async def test_no_row_is_taken_off_that_an_ambiguous_line_may_mean(
    stage: Stage, tenant: Tenant, order: Wire, kind: str
) -> None:
    first, second = order["purchase_order_rows"]
    lines = [{"variant_id": first["variant_id"], "quantity": 4, "unit": "pcs"}, {"sku": SKU, "quantity": 6}]
    answer = await stage.call(TOOL, purchase_order_id=NUMBER, kind=kind, lines=lines)
    (absent,) = [difference for difference in answer["differences"] if difference["kind"] == "not_on_document"]
    assert absent["message"].startswith(f"{SKU} (variant_id {second['variant_id']}): the order has 6 pcs")
    assert absent["no_call"] == "line 2 of the document may mean it: settle that first, and compare again"
    assert "settle" not in absent


async def test_no_row_is_taken_off_whose_code_a_line_has_with_a_slip(stage: Stage, tenant: Tenant, order: Wire) -> None:
    first, second = order["purchase_order_rows"]
    tenant.edit("variants", second["variant_id"], sku="HUB-REAR-32H")
    named = {"variant_id": first["variant_id"], "quantity": 4, "unit": "pcs"}
    for code, is_near in (("HUB-REAR-32N", True), ("PALLET", False)):
        lines = [named, {"sku": code, "quantity": 6}]
        answer = await stage.call(TOOL, purchase_order_id=NUMBER, lines=lines)
        (absent,) = [difference for difference in answer["differences"] if difference["kind"] == "not_on_document"]
        assert ("no_call" in absent, "settle" in absent) == (is_near, not is_near)
