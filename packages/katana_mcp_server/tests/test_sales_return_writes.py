"""Sales returns through a server: all that can come back, put in stock or not, taken back, and what is refused."""

from typing import Any

import pytest
from journal_plans import hasty
from server_wire import Wire, live
from test_manufacturing_order_writes import applied

from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import Drop, Fault, ManualClock, Tenant

PLACE = "North warehouse"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _shipped(tenant: Tenant) -> tuple[Wire, list[Wire]]:
    """Return a new order of two goods, five of each, and the rows of its shipment, three of each."""
    goods = [variant["id"] for variant in live(tenant, "variants") if variant.get("product_id")][:2]
    rows = [{"variant_id": variant_id, "quantity": 5, "price_per_unit": 9} for variant_id in goods]
    head = {"order_no": "SO-9001", "customer_id": live(tenant, "customers")[0]["id"], "sales_order_rows": rows}
    order = tenant.create("sales_orders", head)
    lines = [{"sales_order_row_id": row["id"], "quantity": 3} for row in order["sales_order_rows"]]
    body = {"sales_order_id": order["id"], "status": "DELIVERED", "sales_order_fulfillment_rows": lines}
    return order, tenant.create("sales_order_fulfillments", body)["sales_order_fulfillment_rows"]


def _codes(preview: Payload, severity: str = "blocking") -> dict[str, str | None]:
    found = [warning for warning in preview["warnings"] if warning["severity"] == severity]
    return {warning["code"]: warning["field_path"] for warning in found}


async def _asked(stage: Stage, clock: ManualClock, tool: str, **asked: object) -> Payload:
    clock.advance(61)
    return payload_of(await stage.result(f"{tool}_sales_return", asked))


def _in_stock(tenant: Tenant, variant: int, place: int) -> float:
    return float(tenant.get("inventory", (variant, place))["quantity_in_stock"])


async def test_all_that_was_shipped_comes_back_and_is_in_stock_where_its_rows_say(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order, _ = _shipped(tenant)
    goods = [row["variant_id"] for row in order["sales_order_rows"]]
    north = next(location["id"] for location in live(tenant, "locations") if location["name"] == PLACE)
    await stage.call("check_inventory", skus_or_variant_ids=goods)
    noted = {"return_location_id": PLACE, "additional_info": "handle with care"}
    preview = await _asked(stage, clock, "create", sales_order_id="SO-9001", **noted)
    assert [(line["variant_id"], line["quantity"], line["price"]) for line in preview["lines"]] == [
        (variant_id, 3, 9) for variant_id in goods
    ]
    assert "of sales order SO-9001; nothing" in preview["message"]
    made = await applied(stage, clock, preview)
    again = await _asked(stage, clock, "create", sales_order_id="SO-9001", return_location_id=PLACE)
    assert _codes(again) == {"empty_order": "sales_order_id"}
    shown = (await stage.call("get_sales_return", sales_return_id=made["id"]))["sales_return"]
    first, second = (row["sales_return_row_id"] for row in shown["rows"])
    moved = [{"row_id": first, "restock_location_id": PLACE}, {"row_id": second, "restock_location_id": PLACE}]
    before = [_in_stock(tenant, variant_id, north) for variant_id in goods]
    preview = await _asked(
        stage, clock, "modify", sales_return_id=made["id"], status="RESTOCKED_ALL", update_rows=moved
    )
    assert [text.rpartition(" at ")[2] for text in preview["stock"]] == [
        f"{PLACE}: {had:g} → {had + 3:g}" for had in before
    ]
    outcome = await applied(stage, clock, preview)
    assert [_in_stock(tenant, variant_id, north) for variant_id in goods] == [had + 3 for had in before]
    stock = (await stage.call("check_inventory", skus_or_variant_ids=goods, location_id=PLACE))["stock"]
    assert [row["in_stock"] for row in stock] == [had + 3 for had in before]
    assert outcome["revert"]["arguments"]["status"] == "NOT_RETURNED"
    back = await _asked(stage, clock, "modify", **outcome["revert"]["arguments"])
    assert _codes(back, "advisory")["status_moves_back"] == "status"
    await applied(stage, clock, back)
    assert [_in_stock(tenant, variant_id, north) for variant_id in goods] == before


async def test_what_came_back_without_stock_moves_none_and_is_dated(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order, lines = _shipped(tenant)
    rows = [{"fulfillment_row_id": lines[0]["id"], "quantity": 1}]
    made = await applied(
        stage,
        clock,
        await _asked(stage, clock, "create", sales_order_id="SO-9001", return_location_id=PLACE, rows=rows),
    )
    assert made["revert"]["tool"] == "delete_sales_return"
    preview = await _asked(stage, clock, "modify", sales_return_id=made["id"], status="RETURNED_ALL")
    assert "stock" not in preview
    assert _codes(preview, "advisory") == {"no_way_back": "return_date"}
    await applied(stage, clock, preview)
    assert tenant.get("sales_returns", made["id"])["return_date"] is not None
    del order
    for asked in ({"add_rows": rows}, {"update_rows": [{"row_id": 1, "quantity": 1}]}):
        refused = await _asked(stage, clock, "modify", sales_return_id=made["id"], **asked)
        assert _codes(refused).keys() & {"locked", "unknown_row_id"}
    assert _codes(await _asked(stage, clock, "delete", sales_return_id=made["id"])) == {"locked": None}
    opened = await _asked(stage, clock, "modify", sales_return_id=made["id"], status="NOT_RETURNED", add_rows=rows)
    assert [request["method"] for request in opened["requests"]] == ["PATCH", "POST"]


async def test_goods_that_go_in_stock_elsewhere_than_they_come_back_to_are_told_at_once(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    _, (first, second) = _shipped(tenant)
    left = next(row["location_id"] for row in live(tenant, "sales_orders") if row["order_no"] == "SO-9001")
    main = tenant.get("locations", left)["name"]
    asked = {"sales_order_id": "SO-9001", "return_location_id": PLACE}
    preview = await _asked(stage, clock, "create", **asked)
    (told,) = [warning for warning in preview["warnings"] if warning["code"] == "restocked_elsewhere"]
    assert (told["severity"], told["field_path"]) == ("advisory", "rows[0].restock_location_id")
    assert f"2 rows would go in stock at {main}" in told["message"]
    assert f"not at {PLACE}" in told["message"]
    assert [line["location"] for line in preview["lines"]] == [main, main]
    rows: list[Wire] = [
        {"fulfillment_row_id": first["id"], "restock_location_id": PLACE},
        {"fulfillment_row_id": second["id"], "restock_location_id": main},
    ]
    for chosen in ({"rows": rows}, {"return_location_id": main}):
        preview = await _asked(stage, clock, "create", **{**asked, **chosen})
        assert "restocked_elsewhere" not in _codes(preview, "advisory")


async def test_what_does_not_fit_is_refused_by_a_code_of_its_own(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    _, (first, second) = _shipped(tenant)
    wrong: list[tuple[dict[str, Any], str, str]] = [
        ({"fulfillment_row_id": first["id"], "quantity": 3.5}, "over_return", "rows[0].quantity"),
        ({"fulfillment_row_id": 7, "quantity": 1}, "unknown_row_id", "rows[0].fulfillment_row_id"),
        ({"fulfillment_row_id": first["id"], "reason_id": 99}, "not_found", "rows[0].reason_id"),
        (
            {"fulfillment_row_id": second["id"], "restock_location_id": "Nowhere"},
            "not_found",
            "rows[0].restock_location_id",
        ),
    ]
    for row, code, path in wrong:
        asked = {"sales_order_id": "SO-9001", "return_location_id": PLACE, "rows": [row]}
        assert _codes(await _asked(stage, clock, "create", **asked)) == {code: path}
    twice = [{"fulfillment_row_id": first["id"], "quantity": 2}] * 2
    refused = await _asked(stage, clock, "create", sales_order_id="SO-9001", return_location_id=PLACE, rows=twice)
    assert _codes(refused) == {"over_return": "rows[1].quantity"}


async def test_a_row_of_which_the_answer_is_lost_is_found_and_one_that_goes_is_not_guessed(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    _shipped(tenant)
    preview = await _asked(stage, clock, "create", sales_order_id="SO-9001", return_location_id=PLACE)
    stage.own.sandbox.faults.add(Fault("POST /sales_return_rows", action=Drop("after")))
    made = await applied(stage, clock, preview)
    assert [action["state"] for action in made["actions"]] == ["applied"] * 3
    row = made["actions"][1]["id"]
    preview = await _asked(stage, clock, "modify", sales_return_id=made["id"], delete_row_ids=[row])
    stage.own.sandbox.faults.add(Fault("DELETE /sales_return_rows/*", action=Drop("after")))
    gone = await applied(stage, clock, preview)
    assert [action["state"] for action in gone["actions"]] == ["unknown"]


async def test_changed_and_new_rows_together_take_back_no_more_than_was_shipped(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    _, (line, _) = _shipped(tenant)
    rows = [{"fulfillment_row_id": line["id"], "quantity": 1}] * 2
    made = await applied(
        stage,
        clock,
        await _asked(stage, clock, "create", sales_order_id="SO-9001", return_location_id=PLACE, rows=rows),
    )
    first, second = (action["id"] for action in made["actions"][1:])
    more = {"row_id": first, "quantity": 2}
    for asked, path in (
        ({"update_rows": [more], "add_rows": rows[:1]}, "add_rows[0].quantity"),
        ({"update_rows": [more, {"row_id": second, "quantity": 2}]}, "update_rows[1].quantity"),
    ):
        preview = await _asked(stage, clock, "modify", sales_return_id=made["id"], **asked)
        assert _codes(preview) == {"over_return": path}
    assert "plan_token" in await _asked(stage, clock, "modify", sales_return_id=made["id"], update_rows=[more])
