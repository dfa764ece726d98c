"""Batches and serial numbers: what is where, in which order, and what is refused."""

from katana_mcp.testing import Stage, payload_of
from katana_sandbox import Fault, Status, Tenant

TOOL = "list_traceability"


async def test_batches_come_first_to_expire_first_and_those_used_up_when_asked_for(stage: Stage) -> None:
    before = stage.requests()
    rows = (await stage.call(TOOL))["rows"]
    assert stage.requests() == before + 1
    assert [(each["batch_number"], each["quantity_in_stock"], each.get("expired")) for each in rows] == [
        ("B-SOON", 3, True),
        ("B-LATE", 4, None),
    ]
    assert all(each["sku"] and each["name"] and each["location"] for each in rows)
    every = (await stage.call(TOOL, include_empty=True))["rows"]
    assert [each["batch_number"] for each in every] == ["B-GONE", "B-SOON", "B-LATE"]
    assert every[0]["quantity_in_stock"] == 0


async def test_a_serial_number_is_where_it_lies_until_it_has_left(stage: Stage, tenant: Tenant) -> None:
    held = next(each for each in tenant.all("purchase_order_rows") if each.get("traceability"))
    of_variant = await stage.call(TOOL, kind="serial_number", skus_or_variant_ids=[held["variant_id"]])
    (row,) = of_variant["rows"]
    assert (row["serial_number"], row["quantity_in_stock"], bool(row["location"])) == ("SN-1", 1, True)
    assert (await stage.call(TOOL, kind="serial_number", number="SN-1"))["rows"] == [row]
    tenant.edit("purchase_order_rows", held["id"], traceability=[])
    (left,) = (await stage.call(TOOL, kind="serial_number", number="SN-1"))["rows"]
    assert left == {"serial_number_id": row["serial_number_id"], "serial_number": "SN-1", "quantity_in_stock": 0}
    assert (await stage.call(TOOL, kind="serial_number", number="SN-2"))["rows"] == []


async def test_without_katana_or_for_all_serial_numbers_it_is_refused(stage: Stage) -> None:
    every = payload_of(await stage.result(TOOL, {"kind": "serial_number"}))
    assert every["error"] == "invalid_argument"
    stage.own.sandbox.faults.add(Fault("GET /batch_stocks", action=Status(401), times=None))
    refused = payload_of(await stage.result(TOOL, {}))
    assert refused["error"] == "katana_unavailable"
    assert "which are not cached" in refused["warnings"][0]["message"]
