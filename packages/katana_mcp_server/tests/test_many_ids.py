"""What is read by many ids or SKUs at once is read in as few listings as name them, whatever their length."""

import pytest
from following import following
from server_wire import live

from cache_core.specs.variants import VARIANT
from katana_client import KatanaClient, Priority, RateFacts
from katana_client import ManualClock as ClientClock
from katana_mcp.caches.source import KatanaSource
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, paced, staged
from katana_sandbox import ManualClock, Sandbox, SandboxConfig, Tenant


@pytest.fixture
def shop(clock: ManualClock) -> OwnSandbox:
    config = SandboxConfig(variants=480, orders=5, switches={"rate_limit": 0})
    return OwnSandbox(Sandbox(config, clock=clock))


def _variants(tenant: Tenant) -> list[int]:
    return [variant["id"] for variant in live(tenant, "variants")]


async def test_stock_of_more_than_four_hundred_variants_is_checked_in_full(
    shop: OwnSandbox, clock: ManualClock
) -> None:
    tenant = shop.sandbox.tenant()
    place = next(iter(tenant.all("locations")))["id"]
    variants = _variants(tenant)
    for variant in variants:
        body = {"variant_id": variant, "location_id": place, "value": 100_000}
        tenant.create("inventory_safety_stock_levels", body)
    async with staged(shop) as stage:
        answer: Payload = {}
        while "total" not in answer:
            answer = await paced(clock, stage.call("list_low_stock_items", limit=5, location_id=place))
    assert len(variants) > 400
    assert (answer["total"], answer["checked"], answer["variants"]) == (len(variants),) * 3
    assert answer["warnings"] == []


async def test_records_by_ids_and_by_skus_are_as_few_requests_as_name_them(
    shop: OwnSandbox, clock: ManualClock
) -> None:
    records = live(shop.sandbox.tenant(), "variants")
    ids: list[int] = [record["id"] for record in records]
    skus = [record["sku"] for record in records if record["sku"]] + [f"NOT-MADE-{place:03}" for place in range(150)]
    assert len(skus) >= 500
    async with KatanaClient(shop.api_key, transport=shop.transport(), clock=ClientClock()) as client:
        source = KatanaSource(client)
        found = [await source.records(VARIANT, batch) for batch in source.batches(VARIANT, ids)]
        named = [await source.with_keys(VARIANT, batch) for batch in source.key_batches(VARIANT, skus)]
    assert {record["id"] for page in found for record in page.records} == {*ids}
    assert {record["sku"] for page in named for record in page.records} == {*skus[:-150]}
    assert len(found) == -(-len(ids) // min(250, 4_000 // len(f"ids={ids[0]}&")))
    assert len(named) == -(-len(dict.fromkeys(skus)) // VARIANT.keys_at_once)


async def test_where_no_request_may_go_now_the_limit_is_the_reason(shop: OwnSandbox) -> None:
    async with KatanaClient(shop.api_key, transport=shop.transport(), clock=ClientClock()) as client:
        source = KatanaSource(client)
        assert source.late() is None
        client.budget.observe(await client.budget.acquire(Priority.BULK), RateFacts(hold=20))
        assert source.late() == "Katana's limit of 60 requests a minute is used up"


async def test_every_variant_is_found_by_its_id_and_by_its_sku_before_the_first_listing_brought_it(
    shop: OwnSandbox,
) -> None:
    records = live(shop.sandbox.tenant(), "variants")[:250]
    for by in ("id", "sku"):
        names: list[int | str] = [record[by] for record in records if record[by]]
        async with following(shop) as services:
            if by == "id":
                await services.fresh.read_missing("variant", [name for name in names if isinstance(name, int)])
            else:
                await services.fresh.read_missing_keys("variant", [name for name in names if isinstance(name, str)])
            cached = await services.cache.get_many("variant", [record["id"] for record in records if record[by]])
        assert len(names) > 200
        assert cached.missing == ()
