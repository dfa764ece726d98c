"""Manufacturing orders: copying, completing, reopening, locking, costs and stock (facts 4.7, 4.12, 4.13)."""

import pytest

from katana_sandbox import Caller, ManualClock, Sandbox, Tenant

from .manufacturing_floor import BOLT, DONE_TEXT, STEEL, WORKSHOP, gadget, header, ordered, produced, rows_of, stock

NOW = "2026-03-02T09:00:00.000Z"


@pytest.fixture
async def variant(api: Caller, tenant: Tenant) -> int:
    return await gadget(api, tenant)


async def test_a_new_order_copies_recipe_and_operations_and_plans_its_cost(api: Caller, variant: int) -> None:
    """4.7: create copies BOM rows and product operations; costs are the plan while open."""
    order = await ordered(api, variant, 4)
    assert str(order["order_no"]).startswith("MO-")
    assert (order["status"], order["is_linked_to_sales_order"], order["ingredient_availability"]) == (
        "NOT_STARTED",
        False,
        "IN_STOCK",
    )
    assert (order["actual_quantity"], order["completed_quantity"], order["remaining_quantity"]) == (None, None, 4)
    assert (order["material_cost"], order["operations_cost"], order["total_cost"]) == (72, 36, 108)
    assert (order["total_planned_time"], order["production_deadline_date"], order["additional_info"]) == (
        2400,
        None,
        "",
    )
    assert "sales_order_id" not in order
    steel, bolt = await rows_of(api, "recipe_rows", order)
    assert (steel["planned_quantity_per_unit"], steel["cost"]) == ("2.0000000000", "64.0000000000")
    assert (bolt["total_remaining_quantity"], bolt["total_actual_quantity"]) == (2, None)
    cut, pack = await rows_of(api, "operation_rows", order)
    assert (cut["operation_name"], cut["resource_name"], cut["status"]) == ("Cut", "Saw", "NOT_STARTED")
    assert (cut["planned_cost_per_unit"], pack["planned_cost_per_unit"]) == ("6.0000000000", "3.0000000000")
    assert cut["rank"] > pack["rank"]
    assert "resource_id" not in pack


async def test_recipe_rows_come_newest_first(api: Caller, variant: int) -> None:
    """1.7, 5.56."""
    order = await ordered(api, variant)
    found = (await api.get("/manufacturing_order_recipe_rows", {"manufacturing_order_id": order["id"]})).rows
    assert [row["variant_id"] for row in found] == [BOLT, STEEL]


async def test_open_orders_commit_ingredients_and_are_expected(api: Caller, tenant: Tenant, variant: int) -> None:
    """4.12: committed are open recipe requirements, expected is what remains."""
    order = await ordered(api, variant, 4)
    assert (stock(tenant, STEEL), stock(tenant, variant)) == ((100, 8, 0), (0, 0, 4))
    await produced(api, order, 1)
    assert (stock(tenant, STEEL), stock(tenant, variant)) == ((98, 6, 0), (1, 0, 3))
    assert (await api.patch(f"/manufacturing_orders/{order['id']}", {"planned_quantity": 10})).status == 200
    assert (stock(tenant, STEEL), stock(tenant, variant)) == ((98, 18, 0), (1, 0, 9))
    assert (await api.delete(f"/manufacturing_orders/{order['id']}")).status == 204
    assert (stock(tenant, STEEL), stock(tenant, variant)) == ((100, 0, 0), (0, 0, 0))
    assert (await api.get(f"/manufacturing_orders/{order['id']}")).status == 404
    assert await rows_of(api, "recipe_rows", order) == []


async def test_what_a_production_used_of_a_tracked_ingredient_is_shown_by_batch(
    api: Caller, tenant: Tenant, variant: int
) -> None:
    """2026-10, 5.2: an ingredient's traceability in read form, with what is of no batch; others have none."""
    plain = await produced(api, await ordered(api, variant, 4), 1)
    assert not any("traceability" in row for row in plain.body["ingredients"])
    tenant.edit("materials", tenant.get("variants", STEEL)["material_id"], batch_tracked=True)
    batch = tenant.create("batches", {"variant_id": STEEL, "batch_number": "S-1"})["id"]
    order = await ordered(api, variant, 4)
    steel, bolt = await rows_of(api, "recipe_rows", order)
    used = [
        {
            "manufacturing_order_recipe_row_id": steel["id"],
            "quantity": 2,
            "traceability": [{"batch_id": batch, "quantity": "1.5"}],
        },
        {"manufacturing_order_recipe_row_id": bolt["id"], "quantity": 1},
    ]
    made = await produced(api, order, 1, ingredients=used)
    shown = {row["variant_id"]: row.get("traceability") for row in made.body["ingredients"]}
    assert shown == {
        STEEL: [{"batch_id": batch, "quantity": "1.5"}, {"batch_id": None, "quantity": "0.5"}],
        BOLT: [{"batch_id": None, "quantity": "1"}],
    }


async def test_a_partial_and_a_final_production(api: Caller, tenant: Tenant, variant: int) -> None:
    """4.7: is_final false and true, consumption in proportion, cost into the average."""
    order = await ordered(api, variant, 4)
    first = await produced(api, order, 1)
    assert (first.status, first.body["quantity"], first.body["production_date"]) == (200, 1, NOW)
    assert [(row["variant_id"], row["quantity"], row["cost"]) for row in first.body["ingredients"]] == [
        (STEEL, 2, 16),
        (BOLT, 0.5, 2),
    ]
    assert [(row["time"], row["cost"]) for row in first.body["operations"]] == [(600, 6), (0, 3)]
    partly = await header(api, order)
    assert (partly["status"], partly["includes_partial_completions"]) == ("PARTIALLY_COMPLETED", True)
    assert (partly["completed_quantity"], partly["remaining_quantity"], partly["done_date"]) == (1, 3, None)
    moment = "2026-03-03T08:00:00.000Z"
    assert (await produced(api, order, 3, is_final=True, completed_date=moment)).status == 200
    done = await header(api, order)
    assert (done["status"], done["actual_quantity"], done["done_date"]) == ("DONE", 4, moment)
    assert (done["material_cost"], done["operations_cost"], done["total_cost"]) == (72, 36, 108)
    assert (done["ingredient_availability"], done["total_actual_time"]) == ("PROCESSED", 2400)
    steel = (await rows_of(api, "recipe_rows", order))[0]
    assert (steel["total_actual_quantity"], steel["total_consumed_quantity"]) == ("8.0000000000", 8)
    assert (steel["total_remaining_quantity"], steel["ingredient_availability"]) == (0, "PROCESSED")
    assert {row["status"] for row in await rows_of(api, "operation_rows", order)} == {"COMPLETED"}
    level = tenant.get("inventory", (variant, WORKSHOP))
    assert (level["quantity_in_stock"], level["average_cost"]) == ("4.00000", "27.0000000000")


async def test_productions_stand_in_the_stock_ledger(api: Caller, tenant: Tenant, variant: int) -> None:
    """4.7, 4.12: + Production and - ProductionIngredient, dated production_date, caused by the order."""
    order = await ordered(api, variant, 2)
    made = (await produced(api, order, 2, is_final=True)).body
    moved = tenant.context().db.movements
    (output,) = moved.of_source(("Production", made["id"]))
    assert (output.movement.quantity, output.movement.unit_cost) == (2, 30)
    assert (output.movement.caused_by_order_no, output.movement.movement_date) == (order["order_no"], NOW)
    (taken,) = moved.of_source(("ProductionIngredient", made["ingredients"][0]["id"]))
    assert (taken.movement.quantity, taken.movement.caused_by_resource_id) == (-4, order["id"])


@pytest.mark.parametrize(("given", "steel"), [([], 100), (None, 92), ("list", 97)])
async def test_ingredients_are_automatic_none_or_exactly_as_listed(
    api: Caller, tenant: Tenant, variant: int, given: list[object] | str | None, steel: float
) -> None:
    """4.7 and 1.10: either form of quantity is accepted."""
    order = await ordered(api, variant, 4)
    row = (await rows_of(api, "recipe_rows", order))[0]
    listed = [{"manufacturing_order_recipe_row_id": row["id"], "quantity": "3"}]
    extra = {} if given is None else {"ingredients": listed if given == "list" else given}
    answer = await produced(api, order, 4, is_final=True, **extra)
    assert answer.status == 200
    assert stock(tenant, STEEL)[0] == steel


async def test_operation_times_are_automatic_none_or_exactly_as_listed(api: Caller, variant: int) -> None:
    """4.7: `time` in seconds; actual cost = rate x time / 3600."""
    order = await ordered(api, variant, 4)
    cut = (await rows_of(api, "operation_rows", order))[0]
    listed = [{"manufacturing_order_operation_id": cut["id"], "time": 100}]
    assert (await produced(api, order, 1, operations=listed)).body["operations"][0]["cost"] == 1
    assert (await produced(api, order, 1, operations=[])).body["operations"] == []
    shown = (await rows_of(api, "operation_rows", order))[0]
    assert (shown["total_consumed_time"], shown["total_actual_cost"]) == (100, "1.0000000000")
    assert (shown["total_actual_time"], shown["total_remaining_time"]) == ("100.0000000000", 2300)


async def test_deleting_a_production_restores_what_was_before(api: Caller, tenant: Tenant, variant: int) -> None:
    """4.7: DELETE (when not DONE) reverses it."""
    order = await ordered(api, variant, 4)
    before = (await header(api, order), stock(tenant, STEEL), stock(tenant, variant))
    made = (await produced(api, order, 1)).body
    assert (await api.delete(f"/manufacturing_order_productions/{made['id']}")).status == 204
    assert (await header(api, order), stock(tenant, STEEL), stock(tenant, variant)) == before
    assert (await api.delete(f"/manufacturing_order_productions/{made['id']}")).status == 404
    gone = await api.get("/manufacturing_order_productions", {"include_deleted": True, "ids": [made["id"]]})
    assert gone.rows[0]["deleted_at"] == NOW


async def test_status_done_completes_the_plan_at_once(api: Caller, tenant: Tenant, variant: int) -> None:
    """4.7: PATCH status DONE consumes the BOM; done_date only afterwards (5.26), and it redates the ledger (5.29)."""
    order = await ordered(api, variant, 4)
    path = f"/manufacturing_orders/{order['id']}"
    early = "2026-02-20T09:00:00.000Z"
    assert (await api.patch(path, {"status": "DONE", "done_date": early})).status == 422
    done = await api.patch(path, {"status": "DONE"})
    assert (done.body["status"], done.body["actual_quantity"], done.body["done_date"]) == ("DONE", 4, NOW)
    assert (stock(tenant, STEEL), stock(tenant, variant)) == ((92, 0, 0), (4, 0, 0))
    assert (await api.patch(path, {"done_date": early})).body["done_date"] == early
    made = (await api.get("/manufacturing_order_productions", {"manufacturing_order_ids": [order["id"]]})).rows
    assert [row["production_date"] for row in made] == [early]
    (output,) = tenant.context().db.movements.of_source(("Production", made[0]["id"]))
    assert output.movement.movement_date == early


async def test_status_done_completes_the_actual_quantity_and_written_amounts(
    api: Caller, tenant: Tenant, variant: int
) -> None:
    """4.7: `actual_quantity` replaces the plan; a written total_actual_quantity is what is consumed."""
    order = await ordered(api, variant, 4)
    row = (await rows_of(api, "recipe_rows", order))[0]
    written = await api.patch(f"/manufacturing_order_recipe_rows/{row['id']}", {"total_actual_quantity": 7})
    assert written.body["total_actual_quantity"] == "7.0000000000"
    done = await api.patch(f"/manufacturing_orders/{order['id']}", {"actual_quantity": 3, "status": "DONE"})
    assert (done.body["actual_quantity"], done.body["completed_quantity"]) == (3, 3)
    assert (stock(tenant, STEEL)[0], stock(tenant, BOLT)[0], stock(tenant, variant)[0]) == (93, 98.5, 3)


async def test_reopening_takes_every_production_back(api: Caller, tenant: Tenant, variant: int) -> None:
    """4.7: PATCH IN_PROGRESS on a DONE order reverses all its productions."""
    order = await ordered(api, variant, 4)
    path = f"/manufacturing_orders/{order['id']}"
    await api.patch(path, {"status": "IN_PROGRESS"})
    before = await header(api, order)
    rows = [await rows_of(api, name, order) for name in ("recipe_rows", "operation_rows")]
    await produced(api, order, 1)
    await produced(api, order, 3, is_final=True)
    reopened = await api.patch(path, {"status": "IN_PROGRESS"})
    assert reopened.body == before
    assert [await rows_of(api, name, order) for name in ("recipe_rows", "operation_rows")] == rows
    assert (stock(tenant, STEEL), stock(tenant, variant)) == ((100, 8, 0), (0, 0, 4))
    assert (await produced(api, order, 4, is_final=True)).status == 200


async def test_a_done_order_locks_rows_productions_and_header(api: Caller, variant: int) -> None:
    """4.7, 4.13: the recorded text."""
    order = await ordered(api, variant, 4)
    made = (await produced(api, order, 4, is_final=True)).body
    steel, cut = [(await rows_of(api, name, order))[0] for name in ("recipe_rows", "operation_rows")]
    line = {"manufacturing_order_id": order["id"]}
    refused = [
        await api.patch(f"/manufacturing_order_recipe_rows/{steel['id']}", {"planned_quantity_per_unit": 1}),
        await api.delete(f"/manufacturing_order_recipe_rows/{steel['id']}"),
        await api.post(
            "/manufacturing_order_recipe_rows", {**line, "variant_id": BOLT, "planned_quantity_per_unit": 1}
        ),
        await api.patch(f"/manufacturing_order_operation_rows/{cut['id']}", {"cost_parameter": 1}),
        await api.delete(f"/manufacturing_order_operation_rows/{cut['id']}"),
        await api.post(
            "/manufacturing_order_operation_rows", {**line, "status": "NOT_STARTED", "operation_name": "Glue"}
        ),
        await produced(api, order, 1),
        await api.delete(f"/manufacturing_order_productions/{made['id']}"),
        await api.patch(f"/manufacturing_order_productions/{made['id']}", {"production_date": NOW}),
        await api.patch(
            f"/manufacturing_order_production_ingredients/{made['ingredients'][0]['id']}", {"batch_transactions": []}
        ),
        await api.delete(f"/manufacturing_orders/{order['id']}"),
    ]
    fields: dict[str, object] = {
        "actual_quantity": 1,
        "batch_transactions": [],
        "location_id": WORKSHOP,
        "order_no": "X",
        "planned_quantity": 9,
        "production_deadline_date": NOW,
        "variant_id": variant,
    }
    for name, value in fields.items():
        refused.append(await api.patch(f"/manufacturing_orders/{order['id']}", {name: value}))
    assert {(answer.status, answer.error["message"]) for answer in refused} == {(422, DONE_TEXT)}
    free = await api.patch(
        f"/manufacturing_orders/{order['id']}", {"additional_info": "kept", "order_created_date": NOW}
    )
    assert (free.status, free.body["additional_info"]) == (200, "kept")


@pytest.mark.parametrize("deleted", [False, True])
async def test_a_done_order_can_not_be_reopened_where_nothing_may_be_made(
    api: Caller, tenant: Tenant, variant: int, deleted: bool
) -> None:
    """4.7: `status` is locked when DONE and the location is deleted, or not manufacturing_allowed."""
    order = await ordered(api, variant, 1)
    await produced(api, order, 1, is_final=True)
    if deleted:
        tenant.delete("locations", WORKSHOP)
    else:
        tenant.edit("locations", WORKSHOP, manufacturing_allowed=False)
    before = stock(tenant, STEEL)
    answer = await api.patch(f"/manufacturing_orders/{order['id']}", {"status": "IN_PROGRESS"})
    assert (answer.status, "manufacturing disabled" in answer.error["message"]) == (422, True)
    assert ((await header(api, order))["status"], stock(tenant, STEEL)) == ("DONE", before)
    noted = await api.patch(f"/manufacturing_orders/{order['id']}", {"additional_info": "kept"})
    assert noted.status == 200, "nothing but the status is locked by the place"


async def test_what_can_not_be_ordered_or_completed_is_refused(api: Caller, tenant: Tenant, variant: int) -> None:
    """4.2, 4.7."""
    body = {"variant_id": variant, "planned_quantity": 1, "location_id": WORKSHOP}
    two = [{"batch_id": 1, "quantity": 1}, {"batch_id": 2, "quantity": 1}]
    for change in ({"variant_id": STEEL}, {"location_id": 10000102}, {"status": "DONE"}, {"batch_transactions": two}):
        assert (await api.post("/manufacturing_orders", {**body, **change})).status == 422, change
    order = await ordered(api, variant, 1)
    missing = await produced(api, {"id": 99}, 1)
    assert (missing.status, missing.error["message"]) == (404, "manufacturing order 99 not found")
    row = [{"manufacturing_order_recipe_row_id": 10000101, "quantity": 1}]
    for change in ({"completed_quantity": 0}, {"ingredients": row}, {"serial_numbers": ["1"]}):
        assert (
            await api.post(
                "/manufacturing_order_productions",
                {"manufacturing_order_id": order["id"], "completed_quantity": 1, **change},
            )
        ).status == 422, change
    assert (await header(api, order))["status"] == "NOT_STARTED"
    assert stock(tenant, STEEL)[0] == 100
    path = f"/manufacturing_orders/{order['id']}"
    assert (await api.patch(path, {"status": "PARTIALLY_COMPLETED"})).status == 422
    assert (await api.patch(path, {})).error["message"] == "At least 1 field is required"


async def test_a_patch_without_additional_info_empties_it(api: Caller, variant: int) -> None:
    """5.1."""
    order = await ordered(api, variant, 1, additional_info="keep dry")
    answer = await api.patch(f"/manufacturing_orders/{order['id']}", {"order_no": "M-1"})
    assert (answer.body["order_no"], answer.body["additional_info"]) == ("M-1", "")


async def test_another_variant_brings_its_own_recipe(api: Caller, tenant: Tenant, variant: int) -> None:
    """4.7."""
    order = await ordered(api, variant, 1)
    other = next(row["product_variant_id"] for row in tenant.all("bom_rows") if row["product_variant_id"] != variant)
    changed = await api.patch(f"/manufacturing_orders/{order['id']}", {"variant_id": other})
    assert changed.status == 200
    assert len(await rows_of(api, "recipe_rows", order)) == 6
    await produced(api, order, 0.5, ingredients=[])
    assert (await api.patch(f"/manufacturing_orders/{order['id']}", {"variant_id": variant})).status == 422


async def test_stock_dates_in_closed_books_are_refused(api: Caller, tenant: Tenant, variant: int) -> None:
    """4.12."""
    tenant.edit("factory", 1, inventory_closing_date="2026-03-01T00:00:00.000Z")
    order = await ordered(api, variant, 2)
    assert (await produced(api, order, 1, completed_date="2026-02-01T00:00:00.000Z")).status == 422
    made = (await produced(api, order, 1)).body
    early = {"production_date": "2026-02-01T00:00:00.000Z"}
    assert (await api.patch(f"/manufacturing_order_productions/{made['id']}", early)).status == 422


async def test_a_production_date_moves_its_ingredients(api: Caller, tenant: Tenant, variant: int) -> None:
    """4.7: PATCH changes production_date only."""
    order = await ordered(api, variant, 2)
    made = (await produced(api, order, 1)).body
    early = "2026-02-27T00:00:00.000Z"
    moved = await api.patch(f"/manufacturing_order_productions/{made['id']}", {"production_date": early})
    assert [row["production_date"] for row in moved.body["ingredients"]] == [early, early]
    (taken,) = tenant.context().db.movements.of_source(("ProductionIngredient", made["ingredients"][0]["id"]))
    assert taken.movement.movement_date == early
    assert (await api.patch(f"/manufacturing_order_productions/{made['id']}", {"quantity": 2})).status == 422


async def test_availability_follows_stock_and_what_is_coming(api: Caller, tenant: Tenant, variant: int) -> None:
    """4.4 meaning of the states; older orders first."""
    first, second = await ordered(api, variant, 30), await ordered(api, variant, 30)
    states = [(await header(api, order))["ingredient_availability"] for order in (first, second)]
    assert states == ["IN_STOCK", "NOT_AVAILABLE"]
    tenant.set_stock(STEEL, WORKSHOP, 120, 8)
    assert (await header(api, second))["ingredient_availability"] == "IN_STOCK"
    found = await api.get(
        "/manufacturing_order_recipe_rows", {"ingredient_availability": "IN_STOCK", "variant_id": STEEL}
    )
    assert len(found.rows) == 2
    bare = await api.post("/products", {"name": "Bare", "variants": [{"sku": "B"}]})
    assert (await ordered(api, bare.body["variants"][0]["id"]))["ingredient_availability"] == "NO_RECIPE"


async def test_a_subassembly_is_expected_from_its_own_order(api: Caller, clock: ManualClock, sandbox: Sandbox) -> None:
    """4.7 costs: ingredients that are made count as subassemblies; expected from open orders."""
    variant = await gadget(api, sandbox.tenant())
    big = (await api.post("/products", {"name": "Big", "variants": [{"sku": "BIG"}]})).body
    line = {"product_variant_id": big["variants"][0]["id"], "product_item_id": big["id"], "quantity": 1}
    await api.post("/bom_rows", {**line, "ingredient_variant_id": variant})
    order = await ordered(api, big["variants"][0]["id"], 1)
    assert order["ingredient_availability"] == "NOT_AVAILABLE"
    deadline = "2026-03-09T00:00:00.000Z"
    part = await ordered(api, variant, 1, production_deadline_date=deadline)
    row = (await rows_of(api, "recipe_rows", order))[0]
    assert (row["ingredient_availability"], row["ingredient_expected_date"]) == ("EXPECTED", deadline)
    await produced(api, part, 1, is_final=True)
    assert (await header(api, order))["ingredient_availability"] == "IN_STOCK"
    assert (await api.patch(f"/manufacturing_orders/{order['id']}", {"status": "DONE"})).body[
        "subassemblies_cost"
    ] == 36
