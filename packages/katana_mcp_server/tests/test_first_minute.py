"""The first minute of an account: what is named comes before its listing, in few requests; the rest follows."""

from collections.abc import Mapping

import pytest
from server_wire import Wire, live, unique_sku

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Stage, staged, within
from katana_sandbox import Delay, Fault, ManualClock, Sandbox, SandboxConfig, Status
from katana_sandbox.faults.script import Match

LATENCY = 0.35
SOON = 2.0
BRIEF = 0.8
PLANNED = 6.0


@pytest.fixture
def own(clock: ManualClock) -> OwnSandbox:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=1_000), clock=clock))
    own.sandbox.faults.add(Fault("*", action=Delay(LATENCY), times=None))
    return own


def material(own: OwnSandbox) -> Wire:
    """Return a material's variant from the middle of the listing, with a SKU and a supplier's code of its own."""
    tenant = own.sandbox.tenant()
    codes = [code for variant in live(tenant, "variants") for code in variant["supplier_item_codes"]]
    parts = [
        variant
        for variant in live(tenant, "variants")
        if variant["material_id"] and variant["sku"] and unique_sku(tenant, variant) and variant["supplier_item_codes"]
        if codes.count(variant["supplier_item_codes"][0]) == 1
    ]
    return parts[len(parts) // 2]


def named(own: OwnSandbox) -> list[str]:
    """Return the paths of what Katana was asked for what a call names, and nothing of what is listed meanwhile."""
    filters = ("sku", "supplier_item_codes", "ids")
    return [request.path for request in own.sandbox.journal if any(name in str(request.query) for name in filters)]


def answered(own: OwnSandbox) -> list[str]:
    """Return the paths of what Katana has answered: the listing that begins as an answer is given is not part of it."""
    return [request.path for request in own.sandbox.journal if request.status is not None]


async def soon(stage: Stage, clock: ManualClock, tool: str, arguments: Mapping[str, object]) -> Payload:
    """Return the answer of a call that may take two seconds of the account's first minute."""
    return await within(clock, SOON, stage.call(tool, **arguments))


@pytest.mark.parametrize("field", ["sku", "supplier_item_codes"])
async def test_a_code_is_found_within_three_requests_before_the_catalogue_is_there(
    own: OwnSandbox, clock: ManualClock, field: str
) -> None:
    part = material(own)
    code = part[field] if field == "sku" else part[field][0]
    item = own.sandbox.tenant().get("materials", part["material_id"])
    async with staged(own) as stage:
        answer = await soon(stage, clock, "search_items", {"query": f" {code} "})
        (row,) = answer["rows"]
        assert row["variant_id"] == part["id"]
        assert row["name"].startswith(item["name"])
        assert answer["warming"]
        assert [warning["code"] for warning in answer["warnings"]] == ["cold_cache"]
        assert len(named(own)) == 3
        assert stage.requests() <= 4, "and one of the listings that begin meanwhile"
        again = await within(clock, BRIEF, stage.call("search_items", query=code))
        assert [row["variant_id"] for row in again["rows"]] == [part["id"]]
        assert len(named(own)) == 3


async def test_named_stock_is_there_within_two_seconds_of_the_first_call(own: OwnSandbox, clock: ManualClock) -> None:
    part = material(own)
    async with staged(own) as stage:
        answer = await soon(stage, clock, "check_inventory", {"skus_or_variant_ids": [part["sku"], part["id"]]})
        assert [row["variant_id"] for row in answer["stock"]] == [part["id"]]
        assert all(level["location"] for level in answer["stock"][0]["locations"])
        assert answer["stock"][0]["name"]
        assert answer["warming"]
        assert len(answered(own)) <= 6


async def test_named_variants_are_there_within_two_seconds_of_the_first_call(
    own: OwnSandbox, clock: ManualClock
) -> None:
    part = material(own)
    async with staged(own) as stage:
        answer = await soon(stage, clock, "get_variant_details", {"skus_or_variant_ids": [part["sku"]]})
        (shown,) = answer["variants"]
        assert (shown["variant_id"], bool(shown["name"]), bool(shown["uom"])) == (part["id"], True, True)
        assert shown["supplier"]
        assert answer["warming"]


def listed(own: OwnSandbox, collection: str) -> int:
    """Return for how many pages of a whole listing Katana was asked."""
    filters = {"sku", "supplier_item_codes", "ids"}
    asked = [request for request in own.sandbox.journal if request.path == f"/v1/{collection}"]
    return sum(not filters & {*map(str, dict(request.query))} for request in asked)


def goods(own: OwnSandbox, *, by: str) -> Mapping[str, Mapping[str, object]]:
    """Return the arguments of new documents of one part that is bought, by their tools."""
    tenant, part = own.sandbox.tenant(), material(own)
    place, other = [location["id"] for location in live(tenant, "locations")][:2]
    row = {"sku_or_variant_id": part[by], "quantity": 3}
    party = {"supplier_id": live(tenant, "suppliers")[0]["id"], "location_id": place}
    places = {"source_location_id": place, "destination_location_id": other}
    return {
        "create_purchase_order": party | {"rows": [row | {"price_per_unit": 2}]},
        "create_sales_order": {
            "customer_id": live(tenant, "customers")[0]["id"],
            "rows": [row | {"price_per_unit": 2}],
        },
        "create_stock_transfer": places | {"rows": [row]},
        "create_stock_adjustment": {"location_id": place, "rows": [row | {"cost_per_unit": 2}]},
    }


@pytest.mark.parametrize(
    ("tool", "by"),
    [
        ("create_purchase_order", "sku"),
        ("create_purchase_order", "id"),
        ("create_sales_order", "sku"),
        ("create_stock_transfer", "sku"),
        ("create_stock_adjustment", "id"),
    ],
)
async def test_a_new_document_does_not_wait_for_the_listing_of_goods_that_it_names(
    own: OwnSandbox, clock: ManualClock, tool: str, by: str
) -> None:
    part = material(own)
    async with staged(own) as stage:
        plan = await within(clock, PLANNED, stage.call(tool, **goods(own, by=by)[tool]))
        assert plan["plan_token"]
        (line,) = plan["lines"]
        assert (line["variant_id"], bool(line["name"]), line["match"]) == (part["id"], True, {"sku": "SKU"}.get(by, by))
        assert (listed(own, "variants"), listed(own, "materials")) == (0, 0)
        assert "cold_cache" in [warning["code"] for warning in plan["warnings"]]
        done = await within(clock, PLANNED, stage.call("apply_plan", plan_tokens=[plan["plan_token"]]))
        assert done["outcomes"][0]["id"]


async def test_orders_that_came_before_their_goods_are_found_by_the_sku_of_these(
    own: OwnSandbox, clock: ManualClock
) -> None:
    tenant = own.sandbox.tenant()
    order = live(tenant, "purchase_orders")[0]
    bought = tenant.get("variants", order["purchase_order_rows"][0]["variant_id"])
    async with staged(own) as stage:
        await within(
            clock, PLANNED, stage.call("create_purchase_order", **goods(own, by="id")["create_purchase_order"])
        )
        assert not listed(own, "variants")
        await within(clock, 60, stage.call("list_low_stock_items"))
        clock.advance(60)
        found = await within(clock, 60, stage.call("search_purchase_orders", query=bought["sku"], limit=50))
        assert order["order_no"] in [row["order_no"] for row in found["rows"]]


async def test_a_new_document_waits_for_the_listing_where_a_text_is_no_sku(own: OwnSandbox, clock: ManualClock) -> None:
    arguments = goods(own, by="id")["create_purchase_order"]
    row = {"sku_or_variant_id": material(own)["supplier_item_codes"][0], "quantity": 3, "price_per_unit": 2}
    async with staged(own) as stage:
        plan = await within(clock, 60, stage.call("create_purchase_order", **{**arguments, "rows": [row]}))
        assert plan["lines"][0]["match"] == "supplier item code"
        assert listed(own, "variants")


async def test_a_new_document_waits_for_the_listing_where_its_goods_have_no_item_yet(
    own: OwnSandbox, clock: ManualClock
) -> None:
    part = material(own)
    by_id = Match("GET", "/materials", {"ids": str(part["material_id"])})
    own.sandbox.faults.add(Fault(by_id, action=Status(422), times=None))
    async with staged(own) as stage:
        arguments = goods(own, by="sku")["create_purchase_order"]
        plan = await within(clock, 60, stage.call("create_purchase_order", **arguments))
        assert plan["lines"][0]["name"]
        assert listed(own, "materials")


@pytest.mark.parametrize("query", ["seal kit", "gasket", "12", "1" * 101, "nothing-has-1"])
async def test_what_is_no_code_that_katana_has_waits_for_the_listing_as_before(
    own: OwnSandbox, clock: ManualClock, query: str
) -> None:
    async with staged(own) as stage:
        await within(clock, 10, stage.call("search_items", query=query))
        asked = [str(request.query) for request in own.sandbox.journal if "sku" in str(request.query)]
        assert len(asked) == (query == "nothing-has-1")
        await within(clock, 10, stage.call("search_items", query=query))
        assert len([request for request in own.sandbox.journal if "sku" in str(request.query)]) == len(asked)


async def test_where_katana_does_not_take_codes_of_suppliers_the_sku_is_found_all_the_same(
    own: OwnSandbox, clock: ManualClock
) -> None:
    own.sandbox.faults.add(Fault("GET /variants", nth=2, action=Status(422)))
    part = material(own)
    async with staged(own) as stage:
        answer = await soon(stage, clock, "search_items", {"query": part["sku"]})
        assert [row["variant_id"] for row in answer["rows"]] == [part["id"]]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_items", {"query": "00.4021.018.003"}),
        ("check_inventory", {"skus_or_variant_ids": ["00.4021.018.003"]}),
        ("get_variant_details", {"skus_or_variant_ids": ["00.4021.018.003"]}),
    ],
)
async def test_where_katana_is_silent_nobody_waits_longer_than_for_a_listing(
    clock: ManualClock, tool: str, arguments: dict[str, object]
) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=200), clock=clock))
    own.sandbox.faults.add(Fault("*", action=Delay(300), times=None))
    async with staged(own) as stage:
        answer = await within(clock, 4.6, stage.call(tool, **arguments))
        assert "cold_cache" in [warning["code"] for warning in answer["warnings"]]
