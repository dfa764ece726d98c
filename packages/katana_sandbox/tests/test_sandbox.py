"""The sandbox as an object: tenants, keys, journal, clock, raw records."""

import asyncio

import pytest

from katana_sandbox import Caller, ManualClock, Refused, Sandbox, SandboxConfig, Tenant


async def test_the_journal_holds_every_request_and_never_the_key(sandbox: Sandbox, api: Caller) -> None:
    await api.get("/customers", [("ids", 1), ("ids", 2), ("limit", 5)])
    await api.post("/customers", {"name": "A"})
    await sandbox.caller("stranger").get("/factory")
    first, second, third = sandbox.journal
    assert (first.method, first.path, first.query) == (
        "GET",
        "/v1/customers",
        [("ids", "1"), ("ids", "2"), ("limit", "5")],
    )
    assert (second.body, second.status, second.tenant) == (b'{"name":"A"}', 200, "default")
    assert (third.status, third.tenant) == (401, None)
    assert first.key == second.key != third.key
    assert "sandbox-key" not in repr(list(sandbox.journal))
    assert [entry.method for entry in sandbox.requests(path="/customers")] == ["GET", "POST"]
    assert sandbox.requests("post", "/v1/cust*") == [second]
    sandbox.journal.clear()
    assert len(sandbox.journal) == 0


async def test_the_largest_sliding_window_is_counted_over_fixed_ones(clock: ManualClock) -> None:
    sandbox = Sandbox(clock=clock)
    sandbox.add_key("second")
    clock.advance(5)
    await sandbox.caller().get("/factory")
    clock.advance(50)
    for _ in range(59):
        await sandbox.caller().get("/factory")
    clock.advance(10)
    for _ in range(60):
        await sandbox.caller().get("/factory")
    await sandbox.caller("second").get("/factory")
    assert [entry.status for entry in sandbox.journal].count(429) == 0
    assert sandbox.max_requests_in_window() == 119
    assert sandbox.max_requests_in_window("second") == 1
    assert sandbox.max_requests_in_window(seconds=5) == 60
    assert sandbox.max_requests_in_window("unknown") == 0


async def test_edits_from_elsewhere_are_seen_with_or_without_a_new_stamp(
    api: Caller, tenant: Tenant, clock: ManualClock
) -> None:
    clock.advance(5)
    tenant.edit("products", 10000102, name="Renamed")
    tenant.edit("products", 10000103, bump=False, name="Silently renamed")
    shown = [(await api.get(f"/products/{key}")).body for key in (10000102, 10000103)]
    assert [row["name"] for row in shown] == ["Renamed", "Silently renamed"]
    assert shown[0]["updated_at"] == "2026-03-02T09:00:05.000Z"
    assert shown[1]["updated_at"] < "2026-03-02T09:00:00.000Z"


async def test_a_child_can_be_moved_to_another_parent_from_elsewhere(api: Caller, tenant: Tenant) -> None:
    variant = tenant.get("materials", 10000101)["variants"][0]
    tenant.edit("variants", variant["id"], material_id=10000102)
    homes = [
        [row["id"] for row in (await api.get(f"/materials/{key}")).body["variants"]] for key in (10000101, 10000102)
    ]
    assert variant["id"] not in homes[0]
    assert variant["id"] in homes[1]
    assert variant["id"] in (await api.get("/variants", {"material_id": 10000102})).ids


async def test_archiving_and_deleting_from_elsewhere_follow_the_rules(api: Caller, tenant: Tenant) -> None:
    tenant.edit("materials", 10000101, archived_at="2026-03-01T00:00:00.000Z")
    assert (await api.get("/variants", {"supplier_item_codes": "00.4021.018.003"})).rows == []
    tenant.delete("materials", 10000101)
    hidden = {"include_deleted": True, "include_archived": True, "supplier_item_codes": "00.4021.018.003"}
    assert (await api.get("/variants", hidden)).rows[0]["deleted_at"] is not None


def test_creating_from_elsewhere_obeys_the_rules(tenant: Tenant) -> None:
    made = tenant.create("customers", {"name": "A"})
    assert tenant.get("customers", made["id"]) == made
    level = {"variant_id": 10000106, "location_id": 10000101, "value": 3}
    assert tenant.create("inventory_reorder_points", level)["value"] == "3"
    with pytest.raises(Refused, match="422"):
        tenant.create("customers", {})
    with pytest.raises(Refused, match="customer not found"):
        tenant.create("sales_orders", {"customer_id": 1, "sales_order_rows": [{"variant_id": 10000106, "quantity": 1}]})


def test_what_is_not_there_is_a_lookup_error(sandbox: Sandbox, tenant: Tenant) -> None:
    for action in (
        lambda: tenant.get("customers", 1),
        lambda: tenant.edit("customers", 1, name="x"),
        lambda: tenant.delete("customers", 1),
        lambda: tenant.get("spaceships", 1),
        lambda: sandbox.tenant("nobody"),
    ):
        with pytest.raises(LookupError):
            action()
    with pytest.raises(ValueError, match="already a tenant 'default'"):
        sandbox.add_tenant("default")


async def test_raw_records_of_any_shape_are_served_byte_for_byte(api: Caller, tenant: Tenant) -> None:
    poison = {"id": 20005000, "variants": None, "name": 5, "created_at": "not a date", "updated_at": 7}
    tenant.insert_raw("products", poison)
    tenant.insert_raw("products", {"name": "no id"})
    tenant.insert_raw("products", None)
    tenant.insert_raw("products", [1, 2])
    rows = (await api.get("/products", {"limit": 250})).rows
    for shape in (poison, {"name": "no id"}, None, [1, 2]):
        assert shape in rows
    assert (await api.get("/products", {"is_producible": True})).status == 200
    assert (await api.post("/products", {"name": "next", "variants": [{"sku": "N"}]})).body["id"] == 20005001


async def test_a_raw_record_that_no_rule_can_digest_is_a_500_that_changes_nothing(
    sandbox: Sandbox, api: Caller, tenant: Tenant
) -> None:
    tenant.insert_raw("sales_orders", {"id": 9001, "customer_id": "x"})
    answer = await api.patch("/sales_orders/9001", {"customer_ref": "R"})
    assert (answer.status, answer.error["name"]) == (500, "InternalServerError")
    assert sandbox.journal[-1].problem == "KeyError('status')"
    assert (await api.get("/sales_orders/9001")).body == {"id": 9001, "customer_id": "x"}
    tenant.insert_raw("variants", {"id": 9002, "product_id": 10000101})
    assert (await api.patch("/products/10000101", {"is_archived": True})).status == 200


async def test_sleepers_on_a_manual_clock_wake_in_the_order_of_their_time() -> None:
    clock = ManualClock()
    woken: list[float] = []

    async def sleeper(seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append(clock.monotonic())

    await asyncio.gather(sleeper(30), sleeper(5), sleeper(12))
    assert woken == [5, 12, 30]
    still = ManualClock(auto=False)
    waiting = asyncio.create_task(still.sleep(10))
    for _ in range(100):
        await asyncio.sleep(0)
    assert not waiting.done()
    still.advance(10)
    await waiting
    before = still.now()
    still.shift(-3600)
    assert (before - still.now()).total_seconds() == 3600
    with pytest.raises(ValueError, match="only advances"):
        still.advance(-1)


def test_wrong_switches_are_refused_by_name() -> None:
    for settings, words in (
        ({"warp": 1}, "unknown switch 'warp'"),
        ({"rate_limit": "x"}, "must be a number"),
        ({"rate_limit": -1}, "must not be negative"),
        ({"error_form": "loud"}, "must be one of wrapped, bare"),
        ({"additional_info_wipe": 1}, "must be true or false"),
    ):
        with pytest.raises(ValueError, match=words):
            Sandbox(SandboxConfig(switches=settings))
