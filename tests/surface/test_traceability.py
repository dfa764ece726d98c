"""Batches and serial numbers: what is where, in which order, and what is refused."""

from katana_mcp.testing import Stage, payload_of
from katana_sandbox import Fault, Status, Tenant

TOOL = "list_traceability"


async def test_batches_come_first_to_expire_first_and_those_used_up_when_asked_for(stage: Stage) -> None:
    before = stage.requests()
    rows = (await stage.call(TOOL))["rows"]
    assert stage.requests() == before + 1
    assert [(row["batch_number"], row["quantity_in_stock"], row.get("expired")) for row in rows] == [
        ("B-SOON", 3, True),
        ("B-LATE", 4, None),
        ("LOT-1", 5, None),
    ]
    assert all(row["sku"] and row["name"] and row["location"] for row in rows)
    every = (await stage.call(TOOL, include_empty=True))["rows"]
    assert [row["batch_number"] for row in every] == ["B-GONE", "B-SOON", "B-LATE", "LOT-1"]
    assert every[0]["quantity_in_stock"] == 0


async def test_a_serial_number_is_where_it_lies_until_it_has_left(stage: Stage, tenant: Tenant) -> None:
    held = next(
        purchase_order_row
        for purchase_order_row in tenant.all("purchase_order_rows")
        if purchase_order_row.get("traceability")
    )
    of_variant = await stage.call(TOOL, kind="serial_number", skus_or_variant_ids=[held["variant_id"]])
    (row,) = of_variant["rows"]
    assert (row["serial_number"], row["quantity_in_stock"], bool(row["location"])) == ("SN-1", 1, True)
    assert (await stage.call(TOOL, kind="serial_number", number="SN-1"))["rows"] == [row]
    tenant.edit("purchase_order_rows", held["id"], traceability=[])
    (left,) = (await stage.call(TOOL, kind="serial_number", number="SN-1"))["rows"]
    assert left == {"serial_number_id": row["serial_number_id"], "serial_number": "SN-1", "quantity_in_stock": 0}
    assert (await stage.call(TOOL, kind="serial_number", number="SN-2"))["rows"] == []


async def test_all_serial_numbers_are_listed_by_place(stage: Stage, tenant: Tenant) -> None:
    (row,) = (await stage.call(TOOL, kind="serial_number"))["rows"]
    assert (row["serial_number"], row["quantity_in_stock"]) == ("SN-1", 1)
    assert (await stage.call(TOOL, kind="serial_number", location_id=row["location_id"]))["rows"] == [row]
    other = next(location["id"] for location in tenant.all("locations") if location["id"] != row["location_id"])
    assert (await stage.call(TOOL, kind="serial_number", location_id=other))["rows"] == []
    asked = stage.own.sandbox.journal[-1].query
    assert (dict(asked)["granularity"], dict(asked)["location_id"]) == ("SERIAL_NUMBER", str(other))


async def test_what_lies_in_each_bin_is_listed_by_its_name(stage: Stage, tenant: Tenant) -> None:
    (held,) = (await stage.call(TOOL, kind="Bin"))["rows"]
    assert (held["bin"], held["quantity_in_stock"]) == ("A-12", 4)
    assert all(held[name] for name in ("sku", "name", "location", "bin_location_id"))
    place = tenant.get("bin_locations", held["bin_location_id"])
    assert (place["bin_name"], place["location_id"]) == ("A-12", held["location_id"])
    for asked in ({"number": "A-12"}, {"location_id": held["location_id"]}, {"skus_or_variant_ids": [held["sku"]]}):
        assert (await stage.call(TOOL, kind="bin", **asked))["rows"] == [held]
    other = next(location["id"] for location in tenant.all("locations") if location["id"] != held["location_id"])
    for asked in ({"number": "B-07"}, {"number": "a-1%"}, {"location_id": other}, {"skus_or_variant_ids": ["nix"]}):
        assert (await stage.call(TOOL, kind="bin", **asked))["rows"] == []


async def test_a_bin_of_the_same_name_at_two_locations_and_one_that_is_deleted_are_told_apart(
    stage: Stage, tenant: Tenant
) -> None:
    (held,) = (await stage.call(TOOL, kind="bin"))["rows"]
    other = next(location["id"] for location in tenant.all("locations") if location["id"] != held["location_id"])
    there = tenant.create("bin_locations", {"bin_name": "A-12", "location_id": other})["id"]
    row = {"variant_id": held["variant_id"], "quantity": 2, "traceability": [{"bin_location_id": there, "quantity": 2}]}
    tenant.create("stock_adjustments", {"location_id": other, "stock_adjustment_rows": [row]})
    rows = (await stage.call(TOOL, kind="bin", number="A-12"))["rows"]
    assert {(entry["location_id"], entry["quantity_in_stock"]) for entry in rows} == {
        (held["location_id"], 4),
        (other, 2),
    }
    assert (await stage.call(TOOL, kind="bin", number="A-12", location_id=other))["rows"] == [
        entry for entry in rows if entry["location_id"] == other
    ]
    pages = [await stage.call(TOOL, kind="bin", limit=1, page=page) for page in (1, 2)]
    assert [page["rows"][0] for page in pages] == rows
    tenant.delete("bin_locations", there)
    unnamed = [entry for entry in (await stage.call(TOOL, kind="bin"))["rows"] if entry["location_id"] == other]
    assert [("bin" in entry, entry["bin_location_id"]) for entry in unnamed] == [(False, there)]


async def test_a_serial_number_in_a_bin_names_it(stage: Stage, tenant: Tenant) -> None:
    held = next(
        purchase_order_row
        for purchase_order_row in tenant.all("purchase_order_rows")
        if purchase_order_row.get("traceability")
    )
    bin_id = next(tenant.all("bin_locations"))["id"]
    tenant.edit(
        "purchase_order_rows", held["id"], traceability=[{**held["traceability"][0], "bin_location_id": bin_id}]
    )
    (row,) = (await stage.call(TOOL, kind="serial_number"))["rows"]
    assert (row["serial_number"], row["bin"], row["bin_location_id"]) == ("SN-1", "A-12", bin_id)


async def test_without_katana_it_is_refused(stage: Stage) -> None:
    stage.own.sandbox.faults.add(Fault("GET /batch_stocks", action=Status(401), times=None))
    refused = payload_of(await stage.result(TOOL, {}))
    assert refused["error"] == "katana_unavailable"
    assert "which are not cached" in refused["warnings"][0]["message"]
