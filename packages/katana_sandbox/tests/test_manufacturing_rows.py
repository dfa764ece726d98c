"""Operation rows, product operations and recipe rows of manufacturing orders (facts 3.2, 3.6, 4.7)."""

import pytest

from katana_sandbox import Caller, Sandbox, Tenant

from .manufacturing_floor import BOLT, DONE_TEXT, STEEL, gadget, header, ordered, produced, rows_of, stock

NOW = "2026-03-02T09:00:00.000Z"
ROW = "/manufacturing_order_operation_rows"


@pytest.fixture
async def variant(api: Caller, tenant: Tenant) -> int:
    return await gadget(api, tenant)


async def test_starting_an_operation_starts_the_order(api: Caller, variant: int) -> None:
    """4.7 [I]."""
    order = await ordered(api, variant)
    cut = (await rows_of(api, "operation_rows", order))[0]
    body = {"status": "IN_PROGRESS", "assigned_operators": [{"name": "Ada Lindqvist"}]}
    started = (await api.patch(f"{ROW}/{cut['id']}", body)).body
    assert (started["status"], started["active_operator_id"]) == ("IN_PROGRESS", 10000101)
    assert started["assigned_operators"] == [{"operator_id": 10000101, "name": "Ada Lindqvist", "deleted_at": None}]
    assert (await header(api, order))["status"] == "IN_PROGRESS"
    done = (await api.patch(f"{ROW}/{cut['id']}", {"status": "COMPLETED", "total_actual_time": 1800})).body
    assert (done["completed_at"], done["total_remaining_time"]) == (NOW, 0)
    assert done["total_actual_cost"] == "18.0000000000"
    paused = (await api.patch(f"{ROW}/{cut['id']}", {"status": "PAUSED"})).body
    assert (paused["completed_at"], "active_operator_id" in paused) == (None, False)


async def test_operations_in_sequence_wait_for_earlier_ones(api: Caller, tenant: Tenant) -> None:
    """4.7: is_status_actionable=false blocks status changes."""
    variant = await gadget(api, tenant, operations_in_sequence=True)
    order = await ordered(api, variant)
    cut, pack = await rows_of(api, "operation_rows", order)
    assert (cut["is_status_actionable"], pack["is_status_actionable"]) == (True, False)
    assert (await api.patch(f"{ROW}/{pack['id']}", {"status": "IN_PROGRESS"})).status == 422
    assert (await api.patch(f"{ROW}/{pack['id']}", {"planned_time_parameter": 5})).status == 200
    await api.patch(f"{ROW}/{cut['id']}", {"status": "COMPLETED"})
    assert (await api.patch(f"{ROW}/{pack['id']}", {"status": "IN_PROGRESS"})).status == 200


async def test_a_done_order_takes_operators_and_time_of_operations_only(api: Caller, variant: int) -> None:
    """4.7: when DONE only completed_by_operators and total_actual_time may change."""
    order = await ordered(api, variant)
    await produced(api, order, 4, is_final=True)
    cut = (await rows_of(api, "operation_rows", order))[0]
    assert (cut["status"], cut["is_status_actionable"]) == ("COMPLETED", False)
    body = {"completed_by_operators": [{"operator_id": 10000102}], "total_actual_time": 60}
    changed = await api.patch(f"{ROW}/{cut['id']}", body)
    assert (changed.status, changed.body["completed_by_operators"][0]["name"]) == (200, "Bram Vos")
    assert changed.body["total_actual_cost"] == "0.6000000000"
    assert (await header(api, order))["operations_cost"] == 36
    for name, value in (("status", "PAUSED"), ("operation_name", "X"), ("planned_time_parameter", 1)):
        refused = await api.patch(f"{ROW}/{cut['id']}", {name: value})
        assert (refused.status, refused.error["message"]) == (422, DONE_TEXT)


@pytest.mark.parametrize(
    ("kind", "cost", "unit"), [("process", 40, 10), ("setup", 10, 2.5), ("perUnit", 80, 20), ("fixed", 20, 5)]
)
async def test_planned_cost_by_type(api: Caller, variant: int, kind: str, cost: float, unit: float) -> None:
    """4.7: rate 20, half an hour, 4 units."""
    order = await ordered(api, variant)
    before = order["operations_cost"]
    body = {"manufacturing_order_id": order["id"], "status": "NOT_STARTED", "operation_name": "Glue", "type": kind}
    row = await api.post(ROW, {**body, "cost_parameter": 20, "planned_time_parameter": 1800})
    assert float(row.body["planned_cost_per_unit"]) == unit
    assert (await header(api, order))["operations_cost"] - before == cost


async def test_rows_may_be_added_changed_and_removed_while_open(api: Caller, tenant: Tenant, variant: int) -> None:
    order = await ordered(api, variant)
    body = {"manufacturing_order_id": order["id"], "variant_id": STEEL, "planned_quantity_per_unit": 1, "notes": "n"}
    row = (await api.post("/manufacturing_order_recipe_rows", body)).body
    assert (row["notes"], row["cost"], stock(tenant, STEEL)[1]) == ("n", "32.0000000000", 12)
    path = f"/manufacturing_order_recipe_rows/{row['id']}"
    changed = (await api.patch(path, {"variant_id": BOLT, "planned_quantity_per_unit": 3})).body
    assert (changed["variant_id"], changed["planned_quantity_per_unit"]) == (BOLT, "3.0000000000")
    assert (stock(tenant, STEEL)[1], stock(tenant, BOLT)[1]) == (8, 14)
    assert (await api.delete(path)).status == 204
    assert (stock(tenant, BOLT)[1], (await api.delete(path)).status) == (2, 404)
    hidden = await api.get("/manufacturing_order_recipe_rows", {"include_deleted": True, "ids": [row["id"]]})
    assert hidden.rows[0]["deleted_at"] == NOW


async def test_names_make_operations_and_resources_and_ids_win(api: Caller, variant: int) -> None:
    """4.7: by id (name ignored) or by name (created when unknown); operators must exist."""
    order = await ordered(api, variant)
    cut = (await rows_of(api, "operation_rows", order))[0]
    glue = (await api.patch(f"{ROW}/{cut['id']}", {"operation_name": "Glue", "resource_name": "Press"})).body
    again = (await api.patch(f"{ROW}/{cut['id']}", {"operation_id": cut["operation_id"], "operation_name": "X"})).body
    assert (again["operation_name"], again["resource_name"]) == ("Cut", "Press")
    back = (await api.patch(f"{ROW}/{cut['id']}", {"operation_name": "Glue"})).body
    assert back["operation_id"] == glue["operation_id"]
    none = (await api.patch(f"{ROW}/{cut['id']}", {"resource_id": None})).body
    assert "resource_id" not in none
    for body in ({"operation_id": 9}, {"resource_id": 9}, {"assigned_operators": [{"name": "Nobody"}]}):
        assert (await api.patch(f"{ROW}/{cut['id']}", body)).status == 422


async def test_product_operations_in_bulk(api: Caller, tenant: Tenant, variant: int) -> None:
    """3.2: POST 204, append or replace, deprecated names in step, hard delete, moves."""
    path = "/product_operation_rows"
    rows = (await api.get(path, {"product_variant_id": variant})).rows
    assert [row["operation_name"] for row in rows] == ["Pack", "Cut"]
    assert "id" not in rows[0]
    cut, pack = rows[1]["product_operation_row_id"], rows[0]["product_operation_row_id"]
    changed = (await api.patch(f"{path}/{cut}", {"cost_per_hour": 72})).body
    assert (changed["cost_parameter"], changed["planned_cost_per_unit"]) == (72, 12)
    assert (await api.post("/product_operation_rerank", {"rank_product_operation_id": pack})).status == 200
    body = {"rank_product_operation_id": cut, "preceding_product_operation_id": pack, "should_group": True}
    assert (await api.post("/product_operation_rerank", body)).body["success"] is True
    assert [row["operation_name"] for row in await rows_of(api, "operation_rows", await ordered(api, variant))] == [
        "Pack",
        "Cut",
    ]
    more = {"rows": [{"product_variant_id": variant, "operation_name": "Oil"}], "keep_current_rows": False}
    assert (await api.post(path, more)).status == 204
    left = (await api.get(path, {"product_variant_id": variant})).rows
    assert [row["operation_name"] for row in left] == ["Oil"]
    key = left[0]["product_operation_row_id"]
    assert [(await api.delete(f"{path}/{key}")).status for _ in range(2)] == [204, 404]
    bad_bodies: list[dict[str, list[dict[str, object]]]] = [
        {"rows": []},
        {"rows": [{"product_variant_id": STEEL, "operation_name": "X"}]},
        {"rows": [{"product_variant_id": variant}]},
        {"rows": [{}]},
    ]
    for bad in bad_bodies:
        assert (await api.post(path, bad)).status == 422
    for missing in (
        {"rank_product_operation_id": 9},
        {"rank_product_operation_id": 10000101, "preceding_product_operation_id": 9},
    ):
        assert (await api.post("/product_operation_rerank", missing)).status == 422


async def test_partial_completion_may_lock_rows(api: Caller, sandbox: Sandbox, variant: int) -> None:
    """6.18: unverified, so a switch."""
    order = await ordered(api, variant)
    await produced(api, order, 1)
    row = (await rows_of(api, "recipe_rows", order))[0]
    path = f"/manufacturing_order_recipe_rows/{row['id']}"
    assert (await api.patch(path, {"planned_quantity_per_unit": 3})).status == 200
    sandbox.switches.set("partially_completed_locks", True)
    refused = await api.patch(path, {"planned_quantity_per_unit": 2})
    assert (refused.status, refused.error["message"]) == (422, DONE_TEXT)
    assert (await produced(api, order, 3, is_final=True)).status == 200


async def test_switches_of_productions(api: Caller, sandbox: Sandbox, variant: int) -> None:
    """5.28, 6.19, 6.26: completed_date after a reopen, the lock of production_date, factory_id."""
    order = await ordered(api, variant)
    late = "2026-03-05T00:00:00.000Z"
    for word, shown in (("honour", late), ("ignore", NOW)):
        sandbox.switches.set("completed_date_after_reopen", word)
        made = (await produced(api, order, 4, is_final=True, completed_date=late)).body
        assert (made["production_date"], made["factory_id"]) == (late if word == "honour" else shown, 1)
        await api.patch(f"/manufacturing_orders/{order['id']}", {"status": "IN_PROGRESS"})
    made = (await produced(api, order, 4, is_final=True)).body
    path = f"/manufacturing_order_productions/{made['id']}"
    assert (await api.patch(path, {"production_date": late})).status == 422


async def test_unknown_serial_numbers_of_a_production_are_dropped(api: Caller, tenant: Tenant) -> None:
    """4.7, 6.1."""
    variant = await gadget(api, tenant, serial_tracked=True)
    made = await produced(api, await ordered(api, variant, 2), 1, serial_numbers=[77])
    assert (made.status, made.body["serial_numbers"]) == (200, [])
    order = await ordered(api, variant, 2)
    assert (await api.patch(f"/manufacturing_orders/{order['id']}", {"status": "DONE"})).status == 200
    assert len((await header(api, order))["serial_numbers"]) == 2


async def test_a_done_order_is_not_deleted_and_a_rerank_answers_with_a_body(api: Caller, variant: int) -> None:
    """1.2, 4.7, 6.11."""
    order = await ordered(api, variant)
    path, deadline = f"/manufacturing_orders/{order['id']}", {"production_deadline_date": NOW}
    assert (await api.patch(path, deadline)).body["production_deadline_date"] == NOW
    await produced(api, order, 4, is_final=True)
    assert (await api.delete(path)).status == 422
    row = (await api.get("/product_operation_rows", {"product_variant_id": variant})).rows[0]
    moved = await api.post("/product_operation_rerank", {"rank_product_operation_id": row["product_operation_row_id"]})
    assert (moved.status, moved.body) == (200, {"message": "OK", "success": True})
