"""Purchase orders created, changed and deleted through the server: what is sent, read at once, and undone."""

from typing import Any

from server_wire import Wire, live
from transfer_plans import applied, counted, writes

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Fault, ManualClock, ReplicaLag, Status, Tenant

NUMBER = "PO-900"


def _goods(tenant: Tenant) -> list[Wire]:
    """Return variants that are bought, not tracked by batch, and have a SKU of their own."""
    items = {material["id"] for material in live(tenant, "materials") if not material["batch_tracked"]}
    variants = [variant for variant in live(tenant, "variants") if variant["material_id"] in items and variant["sku"]]
    skus = [record["sku"] for record in variants]
    return [record for record in variants if skus.count(record["sku"]) == 1]


def _new(tenant: Tenant, **changed: object) -> dict[str, object]:
    first, second, *_ = _goods(tenant)
    here, there = live(tenant, "locations")[:2]
    costs = live(tenant, "additional_costs")
    usual: dict[str, object] = {
        "supplier_id": live(tenant, "suppliers")[0]["name"],
        "location_id": here["name"],
        "order_no": NUMBER,
        "additional_info": "fragile",
        "rows": [
            {"sku_or_variant_id": first["sku"], "quantity": 2, "price_per_unit": 1.25},
            {"sku_or_variant_id": second["id"], "quantity": 3, "price_per_unit": 0.5, "location_id": there["id"]},
        ],
        "additional_costs": [
            {"additional_cost_id": costs[0]["name"], "price": 12.5},
            {"additional_cost_id": costs[1]["id"], "price": 3, "distribution_method": "NON_DISTRIBUTED"},
        ],
    }
    return usual | changed


def _order(tenant: Tenant) -> Wire:
    (order,) = [
        purchase_order for purchase_order in live(tenant, "purchase_orders") if purchase_order["order_no"] == NUMBER
    ]
    rows = [row for row in live(tenant, "purchase_order_rows") if row["purchase_order_id"] == order["id"]]
    costs = [row for row in live(tenant, "po_additional_cost_rows") if row["group_id"] == order["default_group_id"]]
    return order | {"rows": rows, "costs": costs}


async def _written(stage: Stage, tool: str, **arguments: object) -> Payload:
    """Return the outcome of a plan that is applied at once."""
    preview = await stage.call(tool, **arguments)
    answer = await applied(stage, preview["plan_token"])
    return answer["outcomes"][0]


def _like(order: Wire) -> dict[str, Any]:
    """Return what of an order a change can take back."""
    head = ("order_no", "status", "supplier_id", "location_id", "currency", "additional_info", "expected_arrival_date")
    row = ("variant_id", "quantity", "price_per_unit", "location_id", "arrival_date", "tax_rate_id", "purchase_uom")
    cost = ("additional_cost_id", "price", "tax_rate_id", "distribution_method")
    return {name: order[name] for name in head} | {
        "rows": sorted(str([line[name] for name in row]) for line in order["rows"]),
        "costs": sorted(str([line[name] for name in cost]) for line in order["costs"]),
    }


async def test_an_order_is_written_as_shown_and_read_at_once_though_replicas_lag(stage: Stage, tenant: Tenant) -> None:
    await stage.call("get_purchase_order", purchase_order_id=live(tenant, "purchase_orders")[0]["id"])
    stage.own.sandbox.faults.add(Fault("GET *", action=ReplicaLag(600), times=None))
    arguments = _new(tenant)
    preview = await stage.call("create_purchase_order", **arguments)
    outcome = (await applied(stage, preview["plan_token"]))["outcomes"][0]
    assert counted(outcome) == {"applied": 4}
    assert outcome["warnings"] == []
    bodies = [request.body for request in stage.own.sandbox.journal if request.method == "POST"]
    assert bodies[0] == preview["requests"][0]["body"].encode()
    order = _order(tenant)
    here, there = live(tenant, "locations")[:2]
    assert [(row["quantity"], row["location_id"]) for row in order["rows"]] == [(2, here["id"]), (3, there["id"])]
    assert [(cost["price"], cost["distribution_method"]) for cost in order["costs"]] == [
        (12.5, "BY_VALUE"),
        (3, "NON_DISTRIBUTED"),
    ]
    shown = (await stage.call("get_purchase_order", purchase_order_id=NUMBER))["order"]
    assert [(row["quantity"], row["location_id"]) for row in shown["rows"]] == [(2, here["id"]), (3, there["id"])]
    assert [cost["price"] for cost in shown["additional_costs"]] == [12.5, 3]
    listed = await stage.call("list_purchase_orders", ids=[order["id"]], include_rows=True)
    assert [row["quantity"] for row in listed["rows"][0]["rows"]] == [2, 3]
    sku = _goods(tenant)[1]["sku"]
    assert (await stage.call("search_purchase_orders", query=NUMBER))["rows"][0]["purchase_order_id"] == order["id"]
    assert order["id"] in [
        row["purchase_order_id"] for row in (await stage.call("search_purchase_orders", query=sku))["rows"]
    ]
    changed = await _written(
        stage,
        "modify_purchase_order",
        purchase_order_id=NUMBER,
        expected_arrival_date="2026-05-01",
        update_rows=[{"row_id": order["rows"][0]["id"], "quantity": 7}],
        update_additional_costs=[{"additional_cost_row_id": order["costs"][0]["id"], "price": 20}],
        delete_row_ids=[order["rows"][1]["id"]],
    )
    assert counted(changed) == {"applied": 4}
    shown = (await stage.call("get_purchase_order", purchase_order_id=NUMBER))["order"]
    assert [(row["quantity"], row["arrival_date"]) for row in shown["rows"]] == [(7, "2026-05-01")]
    assert ([cost["price"] for cost in shown["additional_costs"]], shown["additional_info"]) == ([20, 3], "fragile")


async def test_everything_at_once_is_changed_and_taken_back(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    await _written(stage, "create_purchase_order", **_new(tenant))
    before = _order(tenant)
    first, second = [row["id"] for row in before["rows"]]
    third = _goods(tenant)[2]
    changed = await _written(
        stage,
        "modify_purchase_order",
        purchase_order_id=NUMBER,
        supplier_id=live(tenant, "suppliers")[1]["name"],
        expected_arrival_date="2026-05-01",
        status="received",
        add_rows=[{"sku_or_variant_id": third["sku"], "quantity": 5, "price_per_unit": 4}],
        update_rows=[
            {"row_id": first, "quantity": 9, "arrival_date": "2026-06-01", "received_date": "2026-03-01T10:00:00Z"}
        ],
        delete_row_ids=[second],
        add_additional_costs=[{"additional_cost_id": "Other", "price": 1}],
        delete_additional_cost_row_ids=[before["costs"][0]["id"]],
    )
    assert (counted(changed), changed["warnings"]) == ({"applied": 8}, [])
    after = _order(tenant)
    assert (after["status"], after["additional_info"], after["expected_arrival_date"]) == (
        "RECEIVED",
        "fragile",
        "2026-05-31T21:00:00.000Z",
    )
    assert [(row["quantity"], row["received_date"]) for row in after["rows"]] == [
        (9, "2026-03-01T10:00:00.000Z"),
        (5, "2026-03-02T09:00:00.000Z"),
    ]
    assert [cost["price"] for cost in after["costs"]] == [3, 1]
    shown = (await stage.call("get_purchase_order", purchase_order_id=NUMBER))["order"]
    assert ([row["quantity"] for row in shown["rows"]], shown["status"]) == ([9, 5], "RECEIVED")
    clock.advance(61)  # Katana counts requests by the minute
    back = changed["revert"]
    preview = await stage.call(back["tool"], **back["arguments"])
    assert preview["requests"][0]["body"] == '{"additional_info":"fragile","status":"NOT_RECEIVED"}'
    undone = (await applied(stage, preview["plan_token"]))["outcomes"][0]
    assert (undone["message"].partition(":")[0], undone["warnings"]) == ("applied", [])
    assert _like(_order(tenant)) == _like(before)
    again = await _written(stage, undone["revert"]["tool"], **undone["revert"]["arguments"])
    assert again["message"].startswith("applied")
    assert _like(_order(tenant)) == _like(after)


async def test_a_deleted_order_is_made_again_and_a_refused_deletion_is_told(stage: Stage, tenant: Tenant) -> None:
    created = await _written(stage, "create_purchase_order", **_new(tenant))
    before = _order(tenant)
    gone = await _written(stage, created["revert"]["tool"], **created["revert"]["arguments"])
    assert [order for order in live(tenant, "purchase_orders") if order["order_no"] == NUMBER] == []
    assert (await stage.call("search_purchase_orders", query=NUMBER))["rows"] == []
    again = await _written(stage, gone["revert"]["tool"], **gone["revert"]["arguments"])
    assert counted(again) == {"applied": 4}
    assert _like(_order(tenant)) == _like(before)
    received = next(order for order in live(tenant, "purchase_orders") if order["status"] == "RECEIVED")
    stage.own.sandbox.switches.set("received_order_delete", "refuse")
    refused = await _written(stage, "delete_purchase_order", purchase_order_id=received["id"])
    assert counted(refused) == {"failed": 1}
    assert "Cannot delete purchase orders" in refused["actions"][0]["error"]


async def test_a_plan_that_stops_halfway_adds_up_and_is_true(stage: Stage, tenant: Tenant) -> None:
    stage.own.sandbox.faults.add(Fault("POST /po_additional_cost_rows", action=Status(422), times=1))
    preview = await stage.call("create_purchase_order", **_new(tenant))
    outcome = (await applied(stage, preview["plan_token"]))["outcomes"][0]
    assert counted(outcome) == {"applied": 2, "failed": 1, "not_tried": 1}
    order = _order(tenant)
    assert (len(order["rows"]), order["costs"]) == (2, [])
    assert [path for _, path in writes(stage)] == [
        "/v1/purchase_orders",
        "/v1/purchase_order_rows",
        "/v1/po_additional_cost_rows",
    ]
    shown = (await stage.call("get_purchase_order", purchase_order_id=NUMBER))["order"]
    assert ([row["quantity"] for row in shown["rows"]], shown["additional_costs"]) == ([2, 3], [])
    # Two costs that are alike: whether the second was made, a lost answer does not tell.
    alike = [{"additional_cost_id": "Other", "price": 1}] * 2
    stage.own.sandbox.faults.add(Fault("POST /po_additional_cost_rows", action=Status(500, commit=True), times=None))
    lost = await _written(stage, "modify_purchase_order", purchase_order_id=NUMBER, add_additional_costs=alike)
    assert counted(lost) == {"applied": 1, "unknown": 1}
    tenant.edit("purchase_orders", order["id"], additional_info="somebody else was here")
    stage.own.sandbox.faults.clear()
    stale = await stage.call("modify_purchase_order", purchase_order_id=NUMBER, order_no="PO-901")
    tenant.edit("purchase_orders", order["id"], additional_info="and again")
    answer = await applied(stage, stale["plan_token"])
    assert answer["error"] == "stale_plan"


async def test_a_plan_is_made_of_what_katana_holds_now_whatever_is_cached(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    await _written(stage, "create_purchase_order", **_new(tenant))
    cost, _ = _order(tenant)["costs"]
    planned = await stage.call("delete_purchase_order", purchase_order_id=NUMBER)
    assert (planned["total"], planned["additional_costs"]) == (4.88, 15.5)
    clock.advance(61)  # a change has a later time than what was there, and Katana counts requests by the minute
    tenant.edit("po_additional_cost_rows", cost["id"], price="99")
    assert (await applied(stage, planned["plan_token"]))["error"] == "stale_plan"
    more = {name: cost[name] for name in ("additional_cost_id", "tax_rate_id", "group_id")} | {"price": 50}
    tenant.create("po_additional_cost_rows", more)
    tenant.delete("po_additional_cost_rows", cost["id"])
    planned = await stage.call("modify_purchase_order", purchase_order_id=NUMBER, additional_info="new")
    assert (planned["net_total"], planned["additional_costs"]) == (4, 3 + 50)
    supplier, other = live(tenant, "suppliers")[:2]
    unnumbered = {name: value for name, value in _new(tenant).items() if name != "order_no"}
    free = (await stage.call("create_purchase_order", **unnumbered))["number"]
    tenant.edit("purchase_orders", _order(tenant)["id"], order_no=free)
    planned = await stage.call("create_purchase_order", **unnumbered)
    assert int(planned["number"].rpartition("-")[2]) == int(free.rpartition("-")[2]) + 1
    message = f"no order_no was given: the next free number is used when the plan is applied, now {planned['number']}"
    assert message in [warning["message"] for warning in planned["warnings"]]
    tenant.edit("suppliers", supplier["id"], name="Somebody else")
    tenant.edit("suppliers", other["id"], name=supplier["name"])
    assert (await applied(stage, planned["plan_token"]))["error"] == "stale_plan"
    tenant.delete("suppliers", other["id"])
    gone = await stage.call("modify_purchase_order", purchase_order_id=free, supplier_id=other["id"])
    refused = await applied(stage, gone["plan_token"])
    assert [warning["code"] for warning in refused["warnings"]] == ["stale_plan", "not_found"]


async def test_the_price_of_another_supplier_is_told_by_name(stage: Stage, tenant: Tenant) -> None:
    good = _goods(tenant)[0]
    item = tenant.get("materials" if good["material_id"] else "products", good["material_id"] or good["product_id"])
    theirs = tenant.get("suppliers", item["default_supplier_id"])
    other = next(supplier for supplier in live(tenant, "suppliers") if supplier["id"] != theirs["id"])
    tenant.edit("suppliers", other["id"], currency=theirs["currency"])
    rows = [{"sku_or_variant_id": good["id"], "quantity": 1_000}]
    planned = await stage.call("create_purchase_order", **_new(tenant, supplier_id=other["id"], rows=rows))
    (message,) = [warning["message"] for warning in planned["warnings"] if warning["code"] == "other_supplier"]
    assert message.endswith(f"has the price of supplier {theirs['name']}, but the order is for {other['name']}")


async def test_a_plan_without_a_way_back_says_so_before_it_is_written(stage: Stage, tenant: Tenant) -> None:
    order = next(
        purchase_order
        for purchase_order in live(tenant, "purchase_orders")
        if purchase_order["status"] == "PARTIALLY_RECEIVED"
    )
    final = await stage.call("modify_purchase_order", purchase_order_id=order["id"], status="RECEIVED")
    assert [warning["severity"] for warning in final["warnings"] if warning["code"] == "no_way_back"] == ["advisory"]
    usual = await stage.call("modify_purchase_order", purchase_order_id=order["id"], additional_info="new")
    assert [warning for warning in usual["warnings"] if warning["code"] == "no_way_back"] == []
    (outcome,) = (await applied(stage, final["plan_token"]))["outcomes"]
    assert "revert" not in outcome
