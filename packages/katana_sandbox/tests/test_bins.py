"""Bins: what lies where inside a location, and moving it (facts of October 6.4)."""

from typing import Any

import pytest

from katana_sandbox import Caller, Tenant

from .stock_room import adjust, batch, in_stock, location, material

type Body = dict[str, Any]


@pytest.fixture
def shelves(tenant: Tenant) -> tuple[int, int]:
    made = [{"bin_name": name, "location_id": location(tenant)} for name in ("A", "B")]
    first, second = (tenant.create("bin_locations", body)["id"] for body in made)
    return first, second


async def lying(api: Caller, variant: int, **query: object) -> dict[object, str]:
    """What is in stock, by bin."""
    rows = (await api.get("/bin_inventory", {"variant_id": variant, **query})).rows
    return {row["bin_location_id"]: row["quantity_in_stock"] for row in rows}


async def moving(api: Caller, tenant: Tenant, **line: object) -> Body:
    answer = await api.post("/bin_transfers", {"location_id": location(tenant), "bin_transfer_rows": [line]})
    assert answer.status == 200, answer.raw
    return answer.body


async def test_bins_are_listed_bare_renamed_and_removed(api: Caller, tenant: Tenant, shelves: tuple[int, int]) -> None:
    listed = await api.get("/bin_locations", {"location_id": location(tenant)})
    assert [(row["id"], row["name"], row["bin_name"]) for row in listed.rows] == [
        (shelves[1], "B", "B"),
        (shelves[0], "A", "A"),
    ]
    assert isinstance(listed.value, list)
    assert (await api.patch(f"/bin_locations/{shelves[0]}", {"bin_name": "C"})).body["bin_name"] == "C"
    assert (await api.delete(f"/bin_locations/{shelves[0]}")).status == 204
    assert (await api.get("/bin_locations")).ids == [shelves[1]]
    assert (await api.post("/bin_locations", {"bin_name": "D", "location_id": 1})).status == 422


async def test_a_transfer_takes_from_one_bin_at_departure_and_fills_another_at_arrival(
    api: Caller, tenant: Tenant, shelves: tuple[int, int]
) -> None:
    one, two = shelves
    resin = material(tenant, 2)
    adjust(tenant, resin, 5, bin_location_id=one)
    line = {"variant_id": resin, "quantity": "3", "source_bin_location_id": one, "target_bin_location_id": two}
    transfer = await moving(api, tenant, **line)
    assert (transfer["status"], transfer["bin_transfer_number"][:3]) == ("CREATED", "BT-")
    seen = [await lying(api, resin)]
    for status in ("IN_TRANSIT", "DONE", "CREATED"):
        moved = await api.patch(f"/bin_transfers/{transfer['id']}/status", {"status": status})
        assert (moved.body["status"], in_stock(tenant, resin)) == (status, 7), "the location's stock stays"
        seen.append(await lying(api, resin))
    whole, done = {None: "2.00000", one: "5.00000"}, {None: "2.00000", one: "2.00000", two: "3.00000"}
    assert seen == [whole, {None: "5.00000", one: "2.00000"}, done, whole], "on its way it is in no bin"


async def test_what_a_status_stamps_and_locks(api: Caller, tenant: Tenant, shelves: tuple[int, int]) -> None:
    resin, one = material(tenant, 2), shelves[0]
    transfer = await moving(api, tenant, variant_id=resin, quantity=1, target_bin_location_id=one)
    path = f"/bin_transfers/{transfer['id']}"
    other = location(tenant, transfer["location_id"])
    changes: list[Body] = [
        {"location_id": other},
        {"departed_at": "2026-03-01T00:00:00.000Z"},
        {"additional_info": "x"},
    ]
    assert [(await api.patch(f"/bin_transfers/{transfer['id']}", change)).status for change in changes] == [
        422,
        422,
        200,
    ]
    await api.patch(f"{path}/status", {"status": "DONE"})
    shown = (await api.get(f"/bin_transfers/{transfer['id']}")).body
    assert None not in (shown["departed_at"], shown["arrived_at"])
    row = shown["bin_transfer_rows"][0]["id"]
    assert (await api.patch(f"/bin_transfer_rows/{row}", {"quantity": 2})).status == 422
    added = {"bin_transfer_id": transfer["id"], "variant_id": resin, "quantity": "1"}
    assert (await api.post("/bin_transfer_rows", added)).status == 422
    assert (await api.get("/bin_transfers", {"status": "DONE"})).ids == [transfer["id"]]
    assert (await api.delete(f"/bin_transfers/{transfer['id']}")).status == 204
    assert await lying(api, resin) == {None: "2.00000"}, "what it moved lies where it was"


async def test_rows_of_a_transfer_come_change_and_go(api: Caller, tenant: Tenant, shelves: tuple[int, int]) -> None:
    resin = material(tenant, 4)
    transfer = await moving(api, tenant, variant_id=resin, quantity=1)
    body = {"bin_transfer_id": transfer["id"], "variant_id": resin, "quantity": "2"}
    made = (await api.post("/bin_transfer_rows", body)).body
    assert made["quantity"] == "2.00000"
    changed = await api.patch(f"/bin_transfer_rows/{made['id']}", {"target_bin_location_id": shelves[1]})
    assert changed.body["target_bin_location_id"] == shelves[1]
    assert (await api.get(f"/bin_transfer_rows/{made['id']}")).body == changed.body
    over = {"traceability": [{"quantity": "3"}]}
    assert (await api.patch(f"/bin_transfer_rows/{made['id']}", over)).status == 422
    assert (await api.get("/bin_transfer_rows", {"target_bin_location_id": shelves[1]})).ids == [made["id"]]
    assert (await api.delete(f"/bin_transfer_rows/{made['id']}")).status == 204
    assert (await api.get("/bin_transfer_rows", {"bin_transfer_id": transfer["id"]})).ids != []


async def test_what_lies_in_a_bin_is_told_by_batch(api: Caller, tenant: Tenant, shelves: tuple[int, int]) -> None:
    glue = material(tenant, batch_tracked=True)
    key = batch(tenant, glue)
    adjust(tenant, glue, 4, batch_id=key, bin_location_id=shelves[0])
    query: Body = {"variant_id": glue, "granularity": "BATCH"}
    rows = (await api.get("/bin_inventory", query)).rows
    assert [(row["batch_id"], row["bin_location_id"], row["quantity_in_stock"]) for row in rows] == [
        (key, shelves[0], "4.00000")
    ]
    assert (await api.get("/bin_inventory", {**query, "bin_location_id": "null"})).rows == []
    statuses = [
        (await api.get("/bin_inventory", {**query, **wrong})).status
        for wrong in ({"granularity": "SHELF"}, {"serial_number_id": "1"}, {"batch_id": "x"})
    ]
    assert statuses == [400, 422, 400]


async def test_a_variant_is_linked_to_a_bin_and_unlinked(api: Caller, tenant: Tenant, shelves: tuple[int, int]) -> None:
    resin, place = material(tenant), location(tenant)
    body = {"variant_id": resin, "location_id": place}
    made = (await api.post("/variant_bin_locations", [{**body, "bin_name": "New"}])).rows[0]
    assert made["storage_bin_id"] not in shelves, "a bin that is not there is made"
    again = (await api.post("/variant_bin_locations", [{**body, "bin_name": "A"}])).rows[0]
    assert (again["id"], again["storage_bin_id"]) == (made["id"], shelves[0])
    (shown,) = (await api.get("/inventory", body)).rows
    assert shown["default_storage_bin"] == again
    assert (await api.post("/variant_bin_locations", {**body, "bin_name": "A"})).status == 422
    unlinked = await api.post("/unlink_variant_bin_locations", [body])
    assert (unlinked.status, [row["deleted_at"] is None for row in tenant.all("variant_bin_locations")]) == (
        204,
        [False],
    )
    assert (await api.get("/inventory", body)).rows[0]["default_storage_bin"] is None
