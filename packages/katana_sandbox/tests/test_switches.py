"""Switches that no other test turns: each shown at its default and turned."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from katana_sandbox import SWITCHES, Answer, Caller, ManualClock, Sandbox, SandboxConfig
from katana_sandbox.switch_list import Setting

PART = 10000106
LINE = {"variant_id": PART, "quantity": 1, "price_per_unit": 10, "tax_rate_id": 10000101}
type Make = Callable[..., Sandbox]


@pytest.fixture
def make(clock: ManualClock) -> Make:
    def build(**settings: Setting) -> Sandbox:
        sandbox = Sandbox(SandboxConfig(switches={"rate_limit": 0, **settings}), clock=clock)
        sandbox.tenant().set_stock(PART, 10000101, 10, 8.4)
        return sandbox

    return build


async def order(api: Caller, **extra: object) -> dict[str, Any]:
    return (await api.post("/sales_orders", {"customer_id": 10000101, "sales_order_rows": [LINE], **extra})).body


async def pack(api: Caller, made: dict[str, Any]) -> Answer:
    rows = [{"sales_order_row_id": made["sales_order_rows"][0]["id"], "quantity": 1}]
    body = {"sales_order_id": made["id"], "status": "PACKED", "sales_order_fulfillment_rows": rows}
    return await api.post("/sales_order_fulfillments", body)


def test_every_switch_is_read_by_the_code_and_turned_by_a_test() -> None:
    source = Path(__file__).parents[1] / "src" / "katana_sandbox"
    code = "".join(path.read_text() for path in source.rglob("*.py") if path.name != "switch_list.py")
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("*.py"))
    assert [switch.name for switch in SWITCHES if f'"{switch.name}"' not in code] == []
    assert [s.name for s in SWITCHES if f'"{s.name}"' not in tests and f"{s.name}=" not in tests] == []


async def test_the_window_may_have_another_length(clock: ManualClock) -> None:
    api = Sandbox(SandboxConfig(switches={"rate_limit": 1, "rate_window": 10}), clock=clock).caller()
    statuses: list[int] = []
    for _ in range(3):
        statuses.append((await api.get("/factory")).status)
        clock.advance(5)
    assert statuses == [200, 429, 200]


async def test_history_is_kept_no_longer_than_the_longest_lag(make: Make, clock: ManualClock) -> None:
    sandbox = make(max_lag=10, replica_lag=100)
    api = sandbox.caller()
    await api.patch("/customers/10000101", {"comment": "old"})
    clock.advance(11)
    await api.patch("/customers/10000102", {"comment": "new"})
    comments = {row["id"]: row["comment"] for row in (await api.get("/customers", {"ids": [10000101, 10000102]})).rows}
    assert comments == {10000101: "old", 10000102: None}


async def test_the_wipe_can_be_switched_off(make: Make) -> None:
    for on, left in ((True, ""), (False, "keep")):
        sandbox = make(additional_info_wipe=on)
        sandbox.tenant().edit("products", 10000101, additional_info="keep")
        answer = await sandbox.caller().patch("/products/10000101", {"name": "N"})
        assert answer.body["additional_info"] == left


async def test_undocumented_fields_can_be_left_out(make: Make) -> None:
    shown = [(await order(make(undocumented_fields=on).caller()))["sales_order_rows"][0] for on in (True, False)]
    assert set(shown[0]) - set(shown[1]) == {"sku", "traceability"}
    api = make(undocumented_fields=False).caller()
    row = (await pack(api, await order(api))).body["sales_order_fulfillment_rows"][0]
    assert set(row) == {"sales_order_row_id", "quantity", "batch_transactions", "serial_numbers"}


async def test_a_created_bom_row_may_answer_the_documented_204(make: Make) -> None:
    sandbox = make(bom_create_status=204)
    row = next(sandbox.tenant().all("bom_rows"))
    names = ("product_variant_id", "product_item_id", "ingredient_variant_id")
    answer = await sandbox.caller().post("/bom_rows", {name: row[name] for name in names})
    assert (answer.status, answer.raw) == (204, b"")


async def test_deletes_may_answer_an_empty_200(make: Make) -> None:
    api = make(delete_status=200, fulfillment_delete_status=200).caller()
    packed = (await pack(api, await order(api))).body
    for path in (f"/sales_order_fulfillments/{packed['id']}", "/customers/10000101"):
        answer = await api.delete(path)
        assert (answer.status, answer.raw, answer.headers["content-length"]) == (200, b"", "0")


async def test_a_soft_delete_may_leave_updated_at(make: Make) -> None:
    for bumps in (True, False):
        sandbox = make(delete_bumps_updated_at=bumps)
        before = sandbox.tenant().get("customers", 10000101)
        await sandbox.caller().delete("/customers/10000101")
        after = sandbox.tenant().get("customers", 10000101)
        assert (after["updated_at"] == after["deleted_at"]) is bumps
        assert (after["updated_at"] == before["updated_at"]) is not bumps


async def test_a_patch_to_a_shipped_status_may_be_refused(make: Make) -> None:
    api = make(shipped_status_patch="refuse").caller()
    made = await order(api)
    assert (await api.patch(f"/sales_orders/{made['id']}", {"status": "DELIVERED"})).status == 422


async def test_the_picked_date_may_be_locked_once_packed(make: Make) -> None:
    for locked, status in ((False, 200), (True, 422)):
        api = make(picked_date_locked=locked).caller()
        made = await order(api)
        body = {"picked_date": "2026-03-01T00:00:00.000Z"}
        assert (await api.patch(f"/sales_orders/{made['id']}", body)).status == 200
        await pack(api, made)
        assert (await api.patch(f"/sales_orders/{made['id']}", body)).status == status


async def test_stock_may_leave_at_delivery_only(make: Make) -> None:
    for status, left in (("PACKED", "9.00000"), ("DELIVERED", "10.00000")):
        sandbox = make(stock_leaves=status)
        api, tenant = sandbox.caller(), sandbox.tenant()
        packed = (await pack(api, await order(api))).body
        assert tenant.get("inventory", (PART, 10000101))["quantity_in_stock"] == left
        await api.patch(f"/sales_order_fulfillments/{packed['id']}", {"status": "DELIVERED"})
        assert tenant.get("inventory", (PART, 10000101))["quantity_in_stock"] == "9.00000"


async def test_an_order_without_addresses_may_stay_without(make: Make) -> None:
    for copies, count in ((True, 2), (False, 0)):
        api = make(copy_customer_addresses=copies).caller()
        made = await order(api)
        assert len((await api.get("/sales_order_addresses", {"sales_order_ids": made["id"]})).rows) == count


async def test_a_total_may_leave_shipping_out(make: Make) -> None:
    for included, total in ((True, 24.4), (False, 12.2)):
        api = make(total_includes_shipping=included).caller()
        made = await order(api)
        body = {"sales_order_id": made["id"], "amount": "10", "tax_rate_id": 10000101}
        assert (await api.post("/sales_order_shipping_fee", body)).status == 200
        assert (await api.get(f"/sales_orders/{made['id']}")).body["total"] == total


async def test_the_default_unit_may_be_another(make: Make) -> None:
    api = make(default_uom="each").caller()
    for name in ("products", "materials", "services"):
        assert (await api.post(f"/{name}", {"name": "N", "variants": [{"sku": "N"}]})).body["uom"] == "each"


async def test_embedded_addresses_may_be_always_or_never_there(make: Make) -> None:
    for where, listed, single in (("list", True, False), ("always", True, True), ("never", False, False)):
        api = make(sales_order_addresses=where).caller()
        assert ("addresses" in (await api.get("/sales_orders")).rows[0]) is listed
        assert ("addresses" in (await api.get("/sales_orders/10000101")).body) is single
