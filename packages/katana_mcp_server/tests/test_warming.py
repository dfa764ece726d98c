"""The first sync is under way: what is asked for by id is read from Katana at once, and waits stay short."""

import pytest
from server_wire import live, unique_sku
from transfer_plans import new_transfer

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import paced, payload_of, staged, within
from katana_sandbox import Delay, Fault, ManualClock, Sandbox, SandboxConfig, Status

pytestmark = pytest.mark.cold


@pytest.fixture
def slow(clock: ManualClock) -> OwnSandbox:
    """A factory of many variants whose second page of anything takes half a minute."""
    own = OwnSandbox(Sandbox(SandboxConfig(variants=600), clock=clock))
    own.sandbox.faults.add(Fault("GET /variants", nth=2, action=Delay(30), times=None))
    return own


async def test_an_order_is_read_by_its_id_before_its_listing_has_come_to_it(
    slow: OwnSandbox, clock: ManualClock
) -> None:
    orders = live(slow.sandbox.tenant(), "sales_orders")[:2]
    first, second = (order["id"] for order in orders)
    async with staged(slow) as stage:
        answer = await within(clock, 10, stage.call("get_sales_order", sales_order_id=first))
        assert answer["order"]["order_no"] == orders[0]["order_no"]
        assert len(answer["order"]["rows"]) == len(orders[0]["sales_order_rows"])
        assert answer["warming"]
        listed = await paced(clock, stage.call("list_sales_orders", ids=[first, second, 999_999]))
        assert [row["sales_order_id"] for row in listed["rows"]] == [first, second]
        assert listed["not_found"] == [999_999]
        (orders_status,) = [
            entity for entity in (await stage.call("cache_status"))["entities"] if entity["entity"] == "sales_order"
        ]
        assert orders_status["records"] == 2
        assert "as_of" not in orders_status
        await paced(clock, clock.sleep(120), 2)
        done = await paced(clock, stage.call("list_sales_orders", limit=1))
        assert done["total"] == len(live(slow.sandbox.tenant(), "sales_orders"))


async def test_what_a_first_listing_stored_before_it_broke_off_is_told(clock: ManualClock) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=600), clock=clock))
    own.sandbox.faults.add(Fault("GET /variants", nth=2, action=Status(403), times=None))
    async with staged(own) as stage:
        answer = await paced(clock, stage.call("search_items", query="a"))
        total = own.sandbox.tenant().count("variants")
        assert answer["warming"] == f"250/{total}"
        cached = {entity["entity"]: entity for entity in (await stage.call("cache_status"))["entities"]}
        assert (cached["variant"]["warming"], cached["variant"]["records"]) == (f"250/{total}", 250)
        assert all("warming" not in cached[entity] for entity in ("service", "customer"))


KEYED = {
    "sales_order": ("sales_orders", "order_no"),
    "purchase_order": ("purchase_orders", "order_no"),
    "manufacturing_order": ("manufacturing_orders", "order_no"),
    "stock_transfer": ("stock_transfers", "stock_transfer_number"),
    "stock_adjustment": ("stock_adjustments", "stock_adjustment_number"),
}


@pytest.mark.parametrize("entity", KEYED)
async def test_a_document_is_read_by_its_number_before_its_listing_has_come_to_it(
    slow: OwnSandbox, clock: ManualClock, entity: str
) -> None:
    collection, number = KEYED[entity]
    first, *_ = live(slow.sandbox.tenant(), collection)
    async with staged(slow) as stage:
        answer = await paced(clock, stage.call(f"get_{entity}", **{f"{entity}_id": first[number]}))
        assert first[number] in str(answer)
        assert answer["warming"]
        asked = _asked(slow, collection)
        refusal = await paced(clock, stage.refusal(f"get_{entity}", **{f"{entity}_id": "no such number"}))
        assert refusal["error"] == "cold_cache"
        assert _asked(slow, collection) == asked + 1


async def test_skus_are_read_by_one_request_before_their_listing_has_come_to_them(
    own: OwnSandbox, clock: ManualClock
) -> None:
    own.sandbox.faults.add(Fault("GET /products", nth=1, action=Delay(30)))
    variants = live(own.sandbox.tenant(), "variants")
    skus = [variant["sku"] for variant in variants if variant["sku"] and unique_sku(own.sandbox.tenant(), variant)][:3]
    async with staged(own) as stage:
        for tool, holds in (("get_variant_details", "variants"), ("check_inventory", "stock")):
            answer = await paced(clock, stage.call(tool, skus_or_variant_ids=skus))
            assert [row["sku"] for row in answer[holds]] == skus
            assert not answer["not_found"]
            assert answer["warming"]
    singled = [
        request for request in own.sandbox.journal if request.path == "/v1/variants" and "sku" in str(request.query)
    ]
    assert len(singled) == 1


BY_NAME: dict[str, dict[str, object]] = {
    "check_inventory": {},
    "get_variant_details": {},
    "get_bom": {},
    "get_inventory_movements": {},
    "inventory_at": {"as_of": "2026-03-01T00:00:00Z"},
}


async def test_what_no_first_sync_has_brought_yet_is_unknown_and_never_not_found(
    own: OwnSandbox, clock: ManualClock
) -> None:
    own.sandbox.faults.add(Fault("*", action=Delay(300), times=None))
    async with staged(own) as stage:
        for tool, more in BY_NAME.items():
            answer = await paced(clock, stage.call(tool, skus_or_variant_ids=["PAD", 7], **more))
            assert answer["not_found"] == [], tool
            unknown = [warning for warning in answer["warnings"] if warning["field_path"]]
            assert [row["field_path"] for row in unknown] == ["skus_or_variant_ids[0]", "skus_or_variant_ids[1]"]
            assert {(warning["code"], warning["severity"]) for warning in unknown} == {("cold_cache", "advisory")}, tool
            assert "'PAD' is unknown, not missing" in unknown[0]["message"]
            assert answer.get("unknown") == (["PAD", 7] if tool == "check_inventory" else None), tool


async def test_what_a_plan_names_is_unknown_before_a_first_sync_has_brought_it(
    own: OwnSandbox, clock: ManualClock
) -> None:
    own.sandbox.faults.add(Fault("*", action=Delay(300), times=None))
    transfer = new_transfer(own.sandbox.tenant())
    del transfer["stock_transfer_number"]
    async with staged(own) as stage:
        began = clock.monotonic()
        preview = payload_of(await paced(clock, stage.result("create_stock_transfer", transfer)))
        assert 30 < clock.monotonic() - began <= 40.5, "the factory's days are part of what a plan waits for"
    blocking = [warning for warning in preview["warnings"] if warning["severity"] == "blocking"]
    assert {warning["code"] for warning in blocking} == {"cold_cache"}, blocking
    names = [row for row in blocking if row["field_path"] != "stock_transfer_number"]
    assert len(names) == 3
    assert all("is not known yet" in name["message"] for name in names), names
    assert "plan_token" not in preview


async def test_what_a_whole_first_sync_has_not_brought_is_not_found_while_others_go_on(
    own: OwnSandbox, clock: ManualClock
) -> None:
    own.sandbox.faults.add(Fault("GET /bom_rows", action=Delay(300), times=None))
    async with staged(own) as stage:
        await stage.call("search_items", query="fork")
        answer = await paced(clock, stage.call("get_bom", skus_or_variant_ids=["no such SKU"]))
    assert answer["warming"]
    assert [missing["asked"] for missing in answer["not_found"]] == ["no such SKU"]


def _asked(own: OwnSandbox, collection: str) -> int:
    return sum(request.path == f"/v1/{collection}" for request in own.sandbox.journal)


async def test_an_id_that_katana_does_not_tell_in_time_may_still_come(slow: OwnSandbox, clock: ManualClock) -> None:
    first = live(slow.sandbox.tenant(), "sales_orders")[0]["id"]
    slow.sandbox.faults.add(Fault("GET /sales_orders", action=Status(503), times=None))
    async with staged(slow) as stage:
        refusal = await within(clock, 10, stage.refusal("get_sales_order", sales_order_id=first))
        assert refusal["error"] == "cold_cache"


async def test_progress_of_a_cold_sync_only_grows_over_all_entities(own: OwnSandbox) -> None:
    reports: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert message
        reports.append((progress, total))

    async with staged(own) as stage:
        await stage.client.call_tool("search_items", {"query": "fork"}, progress_handler=note)
    done = [progress for progress, _ in reports]
    assert len(done) > 2
    assert done == sorted(set(done))
    assert all(total is not None and progress <= total for progress, total in reports)
