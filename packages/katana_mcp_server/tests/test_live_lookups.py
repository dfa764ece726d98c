"""What the cache does not have is asked of Katana before it is denied: once, together, and not without end."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from server_wire import Wire, live

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.references.live_lookups import PER_MINUTE
from katana_mcp.testing import Payload, Setup, Stage, staged, within
from katana_sandbox import Drop, Fault, Hang, ManualClock, Tenant

NOBODY = 2_000_000_000


async def _paths(stage: Stage, call: Callable[[], Awaitable[object]]) -> Counter[str]:
    """Return how often a call asked for each collection."""
    before = stage.requests()
    await call()
    return Counter(entry.path.rpartition("/")[2] for entry in [*stage.own.sandbox.journal][before:])


def _part(tenant: Tenant, nr: str) -> Wire:
    return tenant.create("materials", {"name": f"M{nr}", "uom": "pcs", "variants": [{"sku": f"NEW-{nr}"}]})


async def test_all_that_one_call_names_and_the_cache_lacks_takes_one_request_per_collection(
    stage: Stage, tenant: Tenant
) -> None:
    made = [_part(tenant, nr) for nr in "12"]
    await stage.call("get_variant_details", skus_or_variant_ids=["FSKT-35M"])
    made += [_part(tenant, nr) for nr in "345"]
    ids = [record["variants"][0]["id"] for record in made]
    asked: list[str | int] = ["NEW-3", "FSKT-35M", ids[3], ids[4], "NEW-1", "nothing-1", NOBODY]
    answer: Payload = {}

    async def check() -> None:
        answer.update(await stage.call("get_variant_details", skus_or_variant_ids=asked))

    assert await _paths(stage, check) == {"variants": 1, "services": 1, "materials": 1}
    assert [missing["asked"] for missing in answer["not_found"]] == ["nothing-1", NOBODY]
    assert {variant["name"] for variant in answer["variants"]} >= {"M1", "M3", "M4", "M5"}
    assert await _paths(stage, check) == {}


async def test_an_unknown_party_place_and_good_of_one_plan_take_one_request_each(stage: Stage, tenant: Tenant) -> None:
    order = live(tenant, "purchase_orders")[-1]
    row = {"sku_or_variant_id": order["purchase_order_rows"][0]["variant_id"], "quantity": 1, "price_per_unit": 1}
    usual = {"supplier_id": order["supplier_id"], "location_id": order["location_id"], "rows": [row], "order_no": "X-1"}
    await stage.call("create_purchase_order", **usual)
    supplier = tenant.create("suppliers", {"name": "Newly made"})
    unknown = {**row, "sku_or_variant_id": "nothing-1", "location_id": "nowhere", "tax_rate_id": "none"}
    again = {**row, "sku_or_variant_id": NOBODY, "location_id": NOBODY, "tax_rate_id": "no other"}

    async def plan() -> None:
        asked = {**usual, "supplier_id": "newly made", "rows": [unknown, again]}
        answer = await stage.call("create_purchase_order", **asked)
        denied = [warning["field_path"] for warning in answer["warnings"] if warning["code"] == "not_found"]
        fields = ("sku_or_variant_id", "tax_rate_id", "location_id")
        assert sorted(denied) == sorted(f"rows[{nr}].{name}" for nr in (0, 1) for name in fields)
        assert answer["as_of"]

    first = await _paths(stage, plan)
    # The order's number is asked for each time.
    live_reads = {"purchase_orders": 1}
    assert first - Counter(live_reads) == {"suppliers": 1, "locations": 1, "tax_rates": 1, "variants": 1, "services": 1}
    assert await _paths(stage, plan) == live_reads
    assert supplier["name"] == "Newly made"


async def test_who_waits_for_a_lookup_that_katana_does_not_answer_waits_no_longer_than_that_one(
    stage: Stage, clock: ManualClock
) -> None:
    await stage.refusal("list_purchase_orders", supplier_id="Nobody")
    stage.own.sandbox.faults.add(Fault("*", action=Hang(), times=None))
    calls = [stage.refusal("list_purchase_orders", supplier_id=f"Nobody {nr}") for nr in range(5)]
    refusals = await within(clock, 4, asyncio.gather(*calls))
    assert ["Katana did not answer within 3 s" in str(refused["warnings"]) for refused in refusals] == [True] * 5


@pytest.mark.cold
async def test_a_miss_is_remembered_for_a_minute_and_not_longer(stage: Stage, clock: ManualClock) -> None:
    async def deny() -> None:
        await stage.refusal("list_purchase_orders", supplier_id="Nobody")

    assert (await _paths(stage, deny))["suppliers"] == 2  # listed, then asked for the name
    clock.advance(59)
    assert (await _paths(stage, deny))["suppliers"] == 0
    clock.advance(2)
    assert await _paths(stage, deny) == {"suppliers": 1}


async def test_a_caller_that_has_asked_six_times_within_a_minute_is_told_so_with_the_age_of_the_rows(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    await stage.refusal("list_sales_orders", customer_id=NOBODY)
    for nr in range(1, 6):
        clock.advance(1)
        refusal = await stage.refusal("list_sales_orders", customer_id=NOBODY + nr)
        assert "stale" not in refusal
    new = tenant.create("customers", {"name": "Newly made"})["id"]
    before = stage.requests()
    for tool, argument in (("list_sales_orders", "customer_id"), ("delete_customer", "customer_id")):
        refusal = await stage.refusal(tool, **{argument: new})
        (reason,) = refusal["warnings"]
        assert reason["code"] == refusal["error"] == "not_found"
        assert (
            "Katana was not asked for customers: unknown names are looked up in 6 calls a minute at most, and what was "
            "read last was used; again in 55 s"
        ) in reason["message"]
        assert refusal["as_of"]
        assert refusal["stale"]["age_seconds"] == 5
        assert "was not asked for customers" in refusal["stale"]["reason"]
    answer = await stage.call("list_customers", ids=[new])
    assert answer["not_found"] == [new]
    assert [(warning["code"], warning["severity"]) for warning in answer["warnings"]] == [("not_found", "advisory")]
    assert stage.requests() == before
    clock.advance(56)
    assert (await stage.call("list_sales_orders", customer_id=new))["total"] == 0


async def _ask_too_often(stage: Stage) -> None:
    for nr in range(7):
        await stage.refusal("list_sales_orders", customer_id=f"Nobody {nr}")


async def test_a_name_that_the_cache_understands_is_not_said_to_be_unknown_or_old_however_much_was_asked(
    stage: Stage, tenant: Tenant
) -> None:
    location = live(tenant, "locations")[0]
    part = location["name"].partition(" ")[0].lower()
    calls = [
        ("list_low_stock_items", {"location_id": part}),
        ("list_items", {"name": live(tenant, "products")[0]["name"].upper()}),
    ]
    for tool, arguments in calls:
        await stage.call(tool, **arguments)
    await _ask_too_often(stage)
    for tool, arguments in calls:
        for spelt in (arguments, {name: value.swapcase() for name, value in arguments.items()}):
            before = stage.requests()
            answer = await stage.call(tool, **spelt)
            codes = {warning["code"] for warning in answer["warnings"]}
            assert (codes & {"katana_unavailable", "not_found"}, "stale" in answer) == (set(), False), (tool, spelt)
            assert stage.requests() == before


async def test_a_name_that_nothing_has_is_said_not_to_have_been_looked_up_where_too_much_was_asked(
    stage: Stage,
) -> None:
    await stage.call("list_items", limit=1)
    await _ask_too_often(stage)
    answer = await stage.call("list_items", name="No such thing")
    (warning,) = answer["warnings"]
    assert (answer["total"], warning["code"], warning["severity"]) == (0, "not_found", "advisory")
    assert "Katana was not asked for products and materials and services: unknown names" in warning["message"]
    assert warning["message"].endswith("what is not found may be new")


async def test_where_katana_is_down_a_refusal_says_that_it_could_not_be_asked_and_how_old_the_rows_are(
    stage: Stage, clock: ManualClock
) -> None:
    await stage.call("list_sales_orders", limit=1)
    await stage.refusal("modify_customer", customer_id=NOBODY, comment="x")
    await stage.refusal("get_customer", customer_id=NOBODY)  # what only its answer borrows from is read here
    clock.advance(30)
    stage.own.sandbox.faults.add(Fault("*", action=Drop(), times=None))
    for tool, arguments in (
        ("get_customer", {"customer_id": NOBODY + 1}),
        ("modify_customer", {"customer_id": NOBODY + 2, "comment": "x"}),
        ("list_sales_orders", {"customer_id": "Nobody"}),
    ):
        refusal = await within(clock, 10, stage.refusal(tool, **arguments))
        assert refusal["error"] == "not_found", refusal
        assert "Katana could not be asked for customers" in refusal["warnings"][0]["message"], refusal
        assert refusal["stale"]["age_seconds"] >= 30
        assert refusal["as_of"]


async def test_where_reading_is_switched_off_nothing_is_asked_and_that_is_said(own: OwnSandbox, tmp_path: Path) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        await stage.call("list_purchase_orders", limit=1)
    async with staged(own, Setup(cache_dir=tmp_path, flags={"sync": "off"})) as stage:
        before = stage.requests()
        for number in range(PER_MINUTE + 2):
            refusal = await stage.refusal("list_purchase_orders", supplier_id=NOBODY + number)
            assert "KATANA_SYNC is off, so Katana is not asked" in refusal["warnings"][0]["message"]
        assert stage.requests() == before


async def test_a_name_that_was_denied_in_another_spelling_is_found_as_soon_as_it_is_there(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    await stage.refusal("list_purchase_orders", supplier_id="newly made")
    tenant.create("suppliers", {"name": "Newly made"})
    clock.advance(1)
    assert (await stage.call("list_purchase_orders", supplier_id="NEWLY MADE"))["total"] == 0
    assert (await stage.call("list_purchase_orders", supplier_id="newly made"))["total"] == 0


@pytest.mark.parametrize("query", ["a wheel that nobody makes", "zzqx", "seal 35 mm"])
async def test_a_free_text_that_nothing_has_asks_nothing(stage: Stage, query: str) -> None:
    await stage.call("search_items", query="bike")

    async def search() -> None:
        await stage.call("search_items", query=query)

    assert await _paths(stage, search) == {}
