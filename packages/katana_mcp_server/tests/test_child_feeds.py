"""Orders follow their rows, addresses and fee, though Katana leaves the order itself as it was."""

import pytest
from following import FOLLOWED, differences, following
from server_wire import Wire, amount, live

from cache_core.spec import EntitySpec, Feed
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Stage
from katana_sandbox import ManualClock, Sandbox

FEEDS = ["sales_order_rows", "sales_order_addresses", "sales_order_shipping_fee"]


@pytest.fixture
def order(own: OwnSandbox) -> Wire:
    """Return an old open order with at least two rows."""
    tenant = own.sandbox.tenant()
    return next(
        sales_order
        for sales_order in live(tenant, "sales_orders")
        if sales_order["status"] == "NOT_SHIPPED" and len(sales_order["sales_order_rows"]) > 1
    )


async def rows_shown(stage: Stage, order: Wire) -> dict[int, Wire]:
    answer = await stage.call("get_sales_order", sales_order_id=order["id"])
    return {row["sales_order_row_id"]: row for row in answer["order"]["rows"]}


def listed(sandbox: Sandbox, start: int) -> list[str]:
    return [entry.path.rpartition("/")[2] for entry in list(sandbox.journal)[start:]]


async def test_a_quiet_delta_of_orders_costs_one_request_and_one_for_each_feed(
    stage: Stage, own: OwnSandbox, clock: ManualClock
) -> None:
    await stage.call("list_sales_orders")
    clock.advance(31)
    start = stage.requests()
    await stage.call("list_sales_orders")
    assert [path for path in listed(own.sandbox, start) if path.startswith("sales_order")] == ["sales_orders", *FEEDS]
    start = stage.requests()
    await stage.call("list_sales_orders")
    assert stage.requests() == start


async def test_a_row_that_people_change_or_delete_in_katana_is_seen_though_its_order_stays(
    stage: Stage, own: OwnSandbox, clock: ManualClock, order: Wire
) -> None:
    changed, deleted = (row["id"] for row in order["sales_order_rows"][:2])
    assert {changed, deleted} <= (await rows_shown(stage, order)).keys()
    clock.advance(3_000)
    caller, tenant = own.sandbox.caller(), own.sandbox.tenant()
    assert (await caller.patch(f"/sales_order_rows/{changed}", {"quantity": 77})).status == 200
    assert (await caller.delete(f"/sales_order_rows/{deleted}")).status == 204
    assert tenant.get("sales_orders", order["id"])["updated_at"] == order["updated_at"]
    clock.advance(31)
    rows = await rows_shown(stage, order)
    assert amount(rows[changed]["quantity"]) == 77
    assert deleted not in rows


async def test_a_changed_row_is_read_once_and_then_known(
    stage: Stage, own: OwnSandbox, clock: ManualClock, order: Wire
) -> None:
    await rows_shown(stage, order)
    clock.advance(3_000)
    row = order["sales_order_rows"][0]["id"]
    await own.sandbox.caller().patch(f"/sales_order_rows/{row}", {"quantity": 77})
    counts: list[int] = []
    for _ in range(3):
        clock.advance(31)
        start = stage.requests()
        await rows_shown(stage, order)
        counts.append(listed(own.sandbox, start).count("sales_orders"))
    assert counts == [2, 1, 1]


async def test_stock_of_a_variant_whose_order_row_changed_is_asked_for_again(
    stage: Stage, own: OwnSandbox, clock: ManualClock, order: Wire
) -> None:
    row = order["sales_order_rows"][0]
    sku = own.sandbox.tenant().get("variants", row["variant_id"])["sku"]
    await rows_shown(stage, order)
    clock.advance(31)
    await stage.call("check_inventory", skus_or_variant_ids=[sku])
    await own.sandbox.caller().patch(f"/sales_order_rows/{row['id']}", {"quantity": 77})
    clock.advance(5)
    await rows_shown(stage, order)
    start = stage.requests()
    await stage.call("check_inventory", skus_or_variant_ids=[sku])
    assert listed(own.sandbox, start) == ["inventory"]


async def test_an_order_deleted_without_a_trace_leaves_the_cache_within_the_hour(
    stage: Stage, own: OwnSandbox, clock: ManualClock, order: Wire
) -> None:
    total = (await stage.call("list_sales_orders"))["total"]
    own.sandbox.tenant().delete("sales_orders", order["id"], hard=True)
    clock.advance(3_700)
    await stage.call("list_sales_orders")
    totals = [total]
    while totals[-1] == total and len(totals) < 200:
        clock.advance(1)
        totals.append((await stage.call("list_sales_orders"))["total"])
    assert totals[-1] == total - 1
    await stage.refusal("get_sales_order", sales_order_id=order["id"])


@pytest.mark.parametrize(("kind", "link"), [("product", "product_id"), ("material", "material_id")])
async def test_an_item_shows_its_variants_as_they_are_though_it_stays(
    stage: Stage, own: OwnSandbox, clock: ManualClock, kind: str, link: str
) -> None:
    tenant, caller = own.sandbox.tenant(), own.sandbox.caller()
    item = next(record for record in live(tenant, f"{kind}s") if len(record["variants"]) > 1)
    asked = {"item_id": item["id"], "item_type": kind}
    changed, deleted = (variant["id"] for variant in item["variants"][:2])
    assert {changed, deleted} <= _variants(await stage.call("get_item", **asked)).keys()
    clock.advance(600)
    assert (await caller.patch(f"/variants/{changed}", {"sku": "RENAMED-1", "purchase_price": 12345})).status == 200
    assert (await caller.delete(f"/variants/{deleted}")).status == 204
    attributes = tenant.get("variants", changed)["config_attributes"]
    added = await caller.post("/variants", {link: item["id"], "sku": "ADDED-1", "config_attributes": attributes})
    assert added.status == 200
    assert tenant.get(f"{kind}s", item["id"])["updated_at"] == item["updated_at"]
    clock.advance(121)
    answer = await stage.call("get_item", **asked)
    shown = _variants(answer)
    assert (shown[changed]["sku"], amount(shown[changed]["purchase_price"])) == ("RENAMED-1", 12345)
    assert deleted not in shown
    assert shown[added.body["id"]]["sku"] == "ADDED-1"
    assert answer["item"]["variant_count"] == len(shown) == len(item["variants"])
    (listed_item,) = (await stage.call("list_items", ids=[item["id"]], type=kind, include_rows=True))["rows"]
    assert listed_item["rows"] == answer["item"]["rows"]


def _variants(answer: Payload) -> dict[int, Payload]:
    return {row["variant_id"]: row for row in answer["item"]["rows"]}


@pytest.mark.parametrize("gone", [False, True], ids=["edited", "deleted"])
@pytest.mark.parametrize(
    ("spec", "feed"),
    [
        pytest.param(spec, feed, id=feed.collection, marks=[pytest.mark.soak] if nr else [])
        for spec in FOLLOWED
        for nr, feed in enumerate(spec.feeds)
    ],
)
async def test_every_kind_of_child_brings_its_document_along(
    own: OwnSandbox, clock: ManualClock, spec: EntitySpec, feed: Feed, gone: bool
) -> None:
    tenant = own.sandbox.tenant()
    child = live(tenant, feed.collection)[0]
    document = tenant.get(spec.collection, child[feed.parent])
    async with following(own) as services:
        await services.fresh.ensure([spec.name])
        clock.advance(1_000)
        if gone:
            tenant.delete(feed.collection, child["id"])
        else:
            word = next(field for field in ("city", "description", "quantity") if field in child)
            tenant.edit(feed.collection, child["id"], bump=True, **{word: "7"})
        assert tenant.get(spec.collection, document["id"])["updated_at"] == document["updated_at"]
        clock.advance(1_000)
        await services.fresh.ensure([spec.name])
        assert document["id"] not in (await differences(services.cache, own.sandbox))[spec.name].different
