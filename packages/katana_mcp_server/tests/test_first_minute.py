"""The first minute of an account: what is named comes before its listing, in few requests; the rest follows."""

from collections.abc import Mapping

import pytest
from server_wire import Wire, live, unique_sku

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Stage, staged, within
from katana_sandbox import Delay, Fault, ManualClock, Sandbox, SandboxConfig, Status

LATENCY = 0.35
SOON = 2.0
BRIEF = 0.8


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
        assert stage.requests() <= 6


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
