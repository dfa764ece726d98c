"""Stocktakes: noted when counting begins, adjusted when it ends (facts 4.10; October 6.2)."""

from typing import Any

import pytest

from katana_sandbox import Caller, ManualClock, Sandbox, Tenant

from .stock_room import batch, in_stock, location, material

type Take = dict[str, Any]


@pytest.fixture
def resin(tenant: Tenant) -> int:
    return material(tenant, 10)


async def begun(api: Caller, tenant: Tenant, *lines: dict[str, Any], **header: object) -> Take:
    body = {"stocktake_number": "T-1", "location_id": location(tenant), "stocktake_rows": list(lines), **header}
    answer = await api.post("/stocktakes", body)
    assert answer.status == 200, answer.raw
    return answer.body


async def move(api: Caller, take: Take, status: str) -> int:
    """Ask for a status, and look until it is there."""
    answer = await api.patch(f"/stocktakes/{take['id']}", {"status": status})
    while (await seen(api, take))["status_update_in_progress"]:
        pass
    return answer.status


async def seen(api: Caller, take: Take) -> Take:
    return (await api.get("/stocktakes", {"ids": take["id"]})).rows[0]


async def rows(api: Caller, take: Take) -> list[dict[str, Any]]:
    return (await api.get("/stocktake_rows", {"stocktake_ids": take["id"]})).rows


async def test_a_stocktake_notes_the_stock_and_ends_in_one_adjustment(api: Caller, tenant: Tenant, resin: int) -> None:
    take = await begun(api, tenant, {"variant_id": resin, "notes": "shelf 3"}, reason="Spring")
    assert (take["status"], take["stocktake_rows"][0]["in_stock_quantity"]) == ("NOT_STARTED", None)
    assert await move(api, take, "IN_PROGRESS") == 204
    row = (await rows(api, take))[0]
    assert (row["in_stock_quantity"], row["counted_quantity"], row["notes"]) == (10, None, "shelf 3")
    counted = (await api.patch(f"/stocktake_rows/{row['id']}", {"counted_quantity": 7})).body
    assert counted["discrepancy_quantity"] == -3
    assert in_stock(tenant, resin) == 10
    assert [await move(api, take, status) for status in ("COUNTED", "COMPLETED")] == [204, 204]
    done = (await api.get("/stocktakes", {"status": "COMPLETED"})).rows[0]
    adjustment = tenant.get("stock_adjustments", done["stock_adjustment_id"])
    assert (adjustment["reason"], adjustment["stock_adjustment_rows"][0]["quantity"]) == ("Spring", -3)
    assert (in_stock(tenant, resin), done["completed_date"] is None) == (7, False)
    assert (await api.get("/stocktakes", {"stock_adjustment_id": adjustment["id"]})).ids == [take["id"]]


@pytest.mark.parametrize(("remaining", "left"), [(False, 10), (True, 0)])
async def test_what_nobody_counted_stays_or_is_none(
    api: Caller, tenant: Tenant, resin: int, remaining: bool, left: float
) -> None:
    take = await begun(api, tenant, {"variant_id": resin}, set_remaining_items_as_counted=remaining)
    assert [await move(api, take, status) for status in ("IN_PROGRESS", "COMPLETED")] == [204, 204]
    assert in_stock(tenant, resin) == left
    assert (tenant.get("stocktakes", take["id"])["stock_adjustment_id"] is None) is not remaining


async def test_rows_are_added_and_removed_until_the_end(api: Caller, tenant: Tenant, resin: int) -> None:
    take = await begun(api, tenant)
    body: dict[str, Any] = {"stocktake_id": take["id"], "stocktake_rows": [{"variant_id": resin}]}
    added = await api.post("/stocktake_rows", body)
    assert [row["variant_id"] for row in added.rows] == [resin]
    assert (await api.post("/stocktake_rows", body)).status == 422, "a variant once"
    assert (await api.delete(f"/stocktake_rows/{added.ids[0]}")).status == 204
    assert await rows(api, take) == []
    other = location(tenant, take["location_id"])
    path = f"/stocktakes/{take['id']}"
    assert (await api.patch(path, {"location_id": other})).status == 204
    await move(api, take, "IN_PROGRESS")
    assert (await api.patch(path, {"location_id": take["location_id"]})).status == 422
    await move(api, take, "COMPLETED")
    assert (await api.post("/stocktake_rows", body)).status == 422
    assert (await api.delete(f"/stocktakes/{take['id']}")).status == 204
    assert take["id"] not in (await api.get("/stocktakes")).ids


async def test_goods_with_batches_are_counted_by_batch(api: Caller, tenant: Tenant) -> None:
    glue = material(tenant, batch_tracked=True)
    key = batch(tenant, glue)
    take = await begun(api, tenant, {"variant_id": glue, "batch_id": key, "counted_quantity": 4})
    body = {"stocktake_id": take["id"], "stocktake_rows": [{"variant_id": glue}]}
    assert (await api.post("/stocktake_rows", body)).status == 422
    assert [await move(api, take, status) for status in ("IN_PROGRESS", "COMPLETED")] == [204, 204]
    stock = (await api.get("/batch_stocks", {"batch_id": key})).rows
    assert [row["quantity_in_stock"] for row in stock] == ["4.00000"]


async def test_a_status_is_worked_on_after_the_answer_and_nothing_is_taken_meanwhile(
    api: Caller, tenant: Tenant, resin: int
) -> None:
    take = await begun(api, tenant, {"variant_id": resin})
    path, row = f"/stocktakes/{take['id']}", take["stocktake_rows"][0]["id"]
    assert (await api.patch(path, {"status": "IN_PROGRESS"})).status == 204
    line = {"stocktake_id": take["id"], "stocktake_rows": [{"variant_id": resin}]}
    assert (await api.patch(path, {"status": "COUNTED"})).status == 422
    assert (await api.patch(f"/stocktake_rows/{row}", {"counted_quantity": 3})).status == 422
    assert (await api.post("/stocktake_rows", line)).status == 422
    asked = [await seen(api, take) for _ in range(2)]
    assert [(shown["status"], shown["status_update_in_progress"]) for shown in asked] == [
        ("NOT_STARTED", True),
        ("IN_PROGRESS", False),
    ]
    assert "later" not in asked[0]
    assert (await api.patch(path, {"status": "IN_PROGRESS", "reason": "again"})).status == 204
    assert (await seen(api, take))["status_update_in_progress"] is False, "the same status is none"


async def test_a_status_that_nobody_looks_at_is_there_after_a_while(
    api: Caller, tenant: Tenant, resin: int, clock: ManualClock
) -> None:
    take = await begun(api, tenant, {"variant_id": resin})
    path = f"/stocktakes/{take['id']}"
    await api.patch(path, {"status": "IN_PROGRESS"})
    clock.advance(9)
    assert (await api.patch(path, {"reason": "Spring"})).status == 422
    clock.advance(1)
    assert (await api.patch(path, {"reason": "Spring"})).status == 204
    assert (await seen(api, take))["status"] == "IN_PROGRESS"


async def test_what_was_noted_stays_while_the_stock_moves_and_the_row_is_counted(
    api: Caller, tenant: Tenant, resin: int
) -> None:
    take = await begun(api, tenant, {"variant_id": resin})
    await move(api, take, "IN_PROGRESS")
    tenant.set_stock(resin, take["location_id"], 8)
    row = (await rows(api, take))[0]
    counted = (await api.patch(f"/stocktake_rows/{row['id']}", {"counted_quantity": 7})).body
    assert (counted["in_stock_quantity"], counted["discrepancy_quantity"]) == (10, -3)
    await move(api, take, "COMPLETED")
    assert in_stock(tenant, resin) == 5, "the difference is taken from what is there by then"


async def test_with_the_other_reading_the_stocktake_itself_is_answered_at_once(
    api: Caller, tenant: Tenant, resin: int, sandbox: Sandbox
) -> None:
    sandbox.switches.set("stocktake_patch", 200)
    take = await begun(api, tenant, {"variant_id": resin})
    answer = await api.patch(f"/stocktakes/{take['id']}", {"status": "IN_PROGRESS"})
    assert (answer.status, answer.body["status"], answer.body["status_update_in_progress"]) == (
        200,
        "IN_PROGRESS",
        False,
    )
