"""Switches that no other test turns, each at its default and turned, and decisions about orders."""

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
    assert len(SWITCHES) <= 25
    assert [switch.name for switch in SWITCHES if f'"{switch.name}"' not in code] == []
    assert [s.name for s in SWITCHES if f'"{s.name}"' not in tests and f"{s.name}=" not in tests] == []


async def test_history_is_kept_no_longer_than_the_longest_lag(make: Make, clock: ManualClock) -> None:
    sandbox = make(replica_lag=10000)
    api = sandbox.caller()
    await api.patch("/customers/10000101", {"comment": "old"})
    clock.advance(3601)
    await api.patch("/customers/10000102", {"comment": "new"})
    comments = {row["id"]: row["comment"] for row in (await api.get("/customers", {"ids": [10000101, 10000102]})).rows}
    assert comments == {10000101: "old", 10000102: None}


async def test_the_wipe_can_be_switched_off(make: Make) -> None:
    for on, left in ((True, ""), (False, "keep")):
        sandbox = make(additional_info_wipe=on)
        sandbox.tenant().edit("products", 10000101, additional_info="keep")
        answer = await sandbox.caller().patch("/products/10000101", {"name": "N"})
        assert answer.body["additional_info"] == left


async def test_a_soft_delete_moves_updated_at(make: Make) -> None:
    sandbox = make()
    before = sandbox.tenant().get("customers", 10000101)
    await sandbox.caller().delete("/customers/10000101")
    after = sandbox.tenant().get("customers", 10000101)
    assert after["updated_at"] == after["deleted_at"] != before["updated_at"]


async def test_a_patch_to_a_shipped_status_does_nothing(make: Make) -> None:
    api = make().caller()
    made = await order(api)
    answer = await api.patch(f"/sales_orders/{made['id']}", {"status": "DELIVERED"})
    assert (answer.status, answer.body["status"]) == (200, "NOT_SHIPPED")


async def test_stock_may_leave_at_delivery_only(make: Make) -> None:
    for status, left in (("PACKED", "9.00000"), ("DELIVERED", "10.00000")):
        sandbox = make(stock_leaves=status)
        api, tenant = sandbox.caller(), sandbox.tenant()
        packed = (await pack(api, await order(api))).body
        assert tenant.get("inventory", (PART, 10000101))["quantity_in_stock"] == left
        await api.patch(f"/sales_order_fulfillments/{packed['id']}", {"status": "DELIVERED"})
        assert tenant.get("inventory", (PART, 10000101))["quantity_in_stock"] == "9.00000"


async def test_an_order_without_addresses_copies_those_of_its_customer(make: Make) -> None:
    api = make().caller()
    made = await order(api)
    assert len((await api.get("/sales_order_addresses", {"sales_order_ids": made["id"]})).rows) == 2


async def test_a_total_includes_shipping(make: Make) -> None:
    api = make().caller()
    made = await order(api)
    body = {"sales_order_id": made["id"], "amount": "10", "tax_rate_id": 10000101}
    assert (await api.post("/sales_order_shipping_fee", body)).status == 200
    assert (await api.get(f"/sales_orders/{made['id']}")).body["total"] == 24.4


async def test_addresses_are_embedded_in_lists_only(make: Make) -> None:
    api = make().caller()
    assert "addresses" in (await api.get("/sales_orders")).rows[0]
    assert "addresses" not in (await api.get("/sales_orders/10000101")).body
