"""A list that means all where it is left out is not empty; a text that may be a thousand or one is no quantity."""

from collections.abc import Mapping
from typing import Any

import pytest
from server_wire import live

from katana_mcp.testing import Stage
from katana_sandbox import Tenant

EMPTY: list[tuple[str, dict[str, Any], str]] = [
    ("receive_purchase_order", {"purchase_order_id": 1, "rows": []}, "rows"),
    ("fulfill_order", {"sales_order_id": 1, "rows": []}, "rows"),
    ("create_sales_return", {"sales_order_id": 1, "return_location_id": 1, "rows": []}, "rows"),
    ("create_manufacturing_orders", {"sales_order_id": 1, "row_ids": []}, "row_ids"),
    ("complete_manufacturing_order", {"manufacturing_order_id": 1, "ingredients": []}, "ingredients"),
    ("complete_manufacturing_order", {"manufacturing_order_id": 1, "operations": []}, "operations"),
    ("replace_ingredient", {"old": 1, "new": 2, "row_ids": []}, "row_ids"),
    ("count_stock", {"location_id": 1, "counts": []}, "counts"),
    ("plan_bin_transfer", {"bin_transfer": 1, "rows": []}, "rows"),
]
GOODS, PLACE = "FSKT-35M", {"location_id": 1}
_ADJUSTED = {"reason": "found", **PLACE}
TEXTS: list[tuple[str, dict[str, Any], str]] = [
    ("create_purchase_order", {"supplier_id": 1, **PLACE}, "quantity"),
    ("create_purchase_order", {"supplier_id": 1, **PLACE, "quantity": 1}, "price_per_unit"),
    ("create_sales_order", {"customer_id": 1}, "quantity"),
    ("create_stock_adjustment", _ADJUSTED, "quantity"),
    ("create_stock_transfer", {"source_location_id": 1, "destination_location_id": 2}, "quantity"),
]


@pytest.mark.parametrize(("tool", "arguments", "path"), EMPTY)
async def test_a_list_that_means_all_where_it_is_left_out_is_not_empty(
    stage: Stage, tool: str, arguments: Mapping[str, Any], path: str
) -> None:
    refusal = await stage.refusal(tool, **arguments)
    assert f"{path}: must have at least 1 entry, or be left out" in [one["message"] for one in refusal["warnings"]]


@pytest.mark.parametrize(("tool", "head", "name"), TEXTS)
async def test_a_text_that_may_be_a_thousand_or_one_is_refused_wherever_it_is_written(
    stage: Stage, tool: str, head: Mapping[str, Any], name: str
) -> None:
    fixed = {key: head[key] for key in head if key != "quantity"}
    for text, thousands, one in (("1.000", "1000", "1.0"), ("2,500", "2500", "2.5")):
        row = {"sku_or_variant_id": GOODS, "quantity": 1, name: text}
        refusal = await stage.refusal(tool, **fixed, rows=[row])
        message = f"rows[0].{name} is {text!r}: may be {thousands} or {one}: write one of them"
        assert message in [warning["message"] for warning in refusal["warnings"]]


@pytest.mark.parametrize("quantity", [1.125, "1.1250", "0.125", "1000.125"])
async def test_what_can_be_read_in_one_way_alone_is_planned_and_applied(
    stage: Stage, tenant: Tenant, quantity: float | str
) -> None:
    place = live(tenant, "locations")[0]["id"]
    row = {"sku_or_variant_id": GOODS, "quantity": quantity}
    plan = await stage.call("create_stock_adjustment", location_id=place, reason="found", rows=[row])
    applied = await stage.call("apply_plan", plan_tokens=[plan["plan_token"]])
    assert [outcome["applied"] for outcome in applied["outcomes"]] == [1]


async def test_goods_that_several_rows_name_are_told_by_whatever_each_calls_them(stage: Stage, tenant: Tenant) -> None:
    variant = next(one for one in live(tenant, "variants") if one["sku"] == GOODS)
    rows = [{"sku_or_variant_id": one, "quantity": 2, "price_per_unit": 1} for one in (GOODS, "BRKT-35", variant["id"])]
    rows[1]["sku_or_variant_id"] = next(
        one["sku"] for one in live(tenant, "variants") if one["sku"] not in (None, GOODS) and one["product_id"]
    )
    places, customer = live(tenant, "locations"), live(tenant, "customers")[0]["id"]
    transfer = {"source_location_id": places[0]["id"], "destination_location_id": places[1]["id"]}
    unpriced = [{key: row[key] for key in ("sku_or_variant_id", "quantity")} for row in rows]
    for tool, arguments in (
        ("create_purchase_order", {"supplier_id": live(tenant, "suppliers")[0]["id"], "rows": rows}),
        ("create_sales_order", {"customer_id": customer, "rows": rows}),
        ("create_stock_transfer", {**transfer, "rows": unpriced}),
    ):
        place = {"location_id": places[0]["id"]} if tool == "create_purchase_order" else {}
        plan = await stage.call(tool, **arguments, **place)
        told = [(one["severity"], one["message"]) for one in plan["warnings"] if one["code"] == "duplicate_row"]
        why = "is in rows[0], rows[2]: leave out what is named twice by mistake"
        assert told == [("advisory", f"rows[2].sku_or_variant_id: {GOODS} {why}")], tool
        assert "plan_token" in plan
