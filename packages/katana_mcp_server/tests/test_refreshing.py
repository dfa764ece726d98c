"""How the cache is kept in step: ahead of the reads, by the reads, or not at all."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from server_wire import live
from transfer_plans import new_transfer

from cache_core.specs import SPECS
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import SettingsError, load
from katana_mcp.server.made_tools import tools
from katana_mcp.testing import Setup, Stage, ends, paced, staged, within
from katana_sandbox import Fault, ManualClock, Status

_STEP = 5.0

IDLE = 900
pytestmark = pytest.mark.cold
BACKGROUND = Setup(flags={"sync": "background"})
CALLS: dict[str, dict[str, object]] = {
    "search_items": {"query": "fork"},
    "list_sales_orders": {"limit": 3},
    "get_sales_order": {"sales_order_id": "SO-5"},
    "search_customers": {"query": "velo"},
    "get_variant_details": {"skus_or_variant_ids": ["PAD"]},
}


async def _pass(clock: ManualClock, seconds: float) -> None:
    """Let time pass in steps, and let each step's work be done however long it takes."""
    await _settled(clock)
    end = clock.monotonic() + seconds
    while clock.monotonic() < end:
        clock.advance(min(_STEP, end - clock.monotonic()))
        await _settled(clock)


async def _settled(clock: ManualClock) -> None:
    """Return once the refresher rests; in the midst of its work time moves only when nothing is left but to wait."""
    await ends(asyncio.get_running_loop().create_future())
    while not all(_rests(task) for task in asyncio.all_tasks() if task.get_name() == "refresher"):
        clock.advance(1)
        await ends(asyncio.get_running_loop().create_future())


def _rests(refresher: "asyncio.Task[object]") -> bool:
    """Return whether it sleeps until the next look, or is over."""
    awaited = getattr(refresher.get_coro(), "cr_await", None)
    return refresher.done() or getattr(awaited, "cr_code", None) is ManualClock.sleep.__code__


async def _begun(stage: Stage, clock: ManualClock) -> None:
    """List the tools, and wait until the first listing is over."""
    await stage.client.list_tools()
    while not stage.requests():
        await paced(clock, clock.sleep(1), 1)
    await _pass(clock, 2)


async def test_the_cache_is_filled_once_the_tools_were_listed_and_reads_then_ask_nothing(
    own: OwnSandbox, clock: ManualClock
) -> None:
    async with staged(own, Setup(flags={"sync": "background", "tools": tuple(CALLS)})) as stage:
        await _begun(stage, clock)
        for _ in range(8):
            await _pass(clock, 23)
            asked = stage.requests()
            for tool, arguments in CALLS.items():
                answer = await stage.call(tool, **arguments)
                assert not {"stale", "warming"} & set(answer), tool
            assert stage.requests() == asked


async def test_nothing_is_opened_before_the_tools_were_listed(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path / "cache", flags={"sync": "background"})) as stage:
        await _pass(clock, 5)
        await stage.client.list_tools()
        assert (_caches(tmp_path), stage.requests()) == ([], 0)
        for _ in range(60):
            await _pass(clock, 1)
        assert _caches(tmp_path)


def _caches(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.suffix in {".db", ".sqlite"} and "budget" not in path.name]


async def test_keeping_fresh_costs_half_of_the_budget_at_most_and_stops_with_the_server(
    own: OwnSandbox, clock: ManualClock
) -> None:
    async with staged(own, BACKGROUND) as stage:
        await _begun(stage, clock)
        await _pass(clock, 60)
        filled = stage.requests()
        await _pass(clock, 300)
        assert 0 < stage.requests() - filled <= 150
    stopped = len(own.sandbox.journal)
    await _pass(clock, 120)
    assert len(own.sandbox.journal) == stopped


async def test_only_what_the_served_tools_read_is_kept_fresh(own: OwnSandbox, clock: ManualClock) -> None:
    setup = Setup(flags={"sync": "background", "tools": ("search_customers", "cache_status")})
    async with staged(own, setup) as stage:
        await _begun(stage, clock)
        assert {request.path for request in own.sandbox.journal} == {"/v1/customers"}


def _usual(tool: str, stage: Stage) -> dict[str, object]:
    """Return arguments that give an answer of all that the tool reads."""
    kinds = ("suppliers", "locations", "customers", "sales_orders")
    supplier, place, client, order = (live(stage.own.sandbox.tenant(), collection)[0]["id"] for collection in kinds)
    service: dict[str, object] = {"type": "service", "item_id": live(stage.own.sandbox.tenant(), "services")[0]["id"]}
    bom = live(stage.own.sandbox.tenant(), "bom_rows")[0]
    back = live(stage.own.sandbox.tenant(), "sales_returns")[0]
    row = {"sku_or_variant_id": "PAD", "quantity": 1, "price_per_unit": 1}
    calls: dict[str, dict[str, object]] = {
        **CALLS,
        "create_customer": {"name": "Velo Nova"},
        "create_supplier": {"name": "Velo Nova"},
        "modify_supplier": {"supplier_id": supplier, "currency": "SEK"},
        "create_item": {"type": "service", "name": "Wash", "sku": "WASH"},
        "modify_item": {**service, "sku": "WASH"},
        "delete_item": {"type": "product", "item_id": live(stage.own.sandbox.tenant(), "products")[0]["id"]},
        "create_purchase_order": {"supplier_id": supplier, "location_id": place, "rows": [row]},
        "check_inventory": {"skus_or_variant_ids": ["PAD"]},
        "get_inventory_movements": {"skus_or_variant_ids": ["PAD"]},
        "inventory_at": {"skus_or_variant_ids": ["PAD"], "as_of": "2026-03-02T00:00:00Z"},
        "get_bom": {"skus_or_variant_ids": ["PAD"]},
        "get_demand_forecast": {"skus_or_variant_ids": ["PAD"], "location_id": place},
        "order_readiness": {},
        "buildable": {},
        "stock_value": {},
        "trace": {"number": "MO-5", "kind": "manufacturing_order"},
        "promise_date": {"rows": [{"sku_or_variant_id": "FSKT-35M", "quantity": 1}]},
        "search_sales_orders": {"query": "so"},
        "get_item": {"item_id": "FSKT-35M"},
        "get_manufacturing_order_recipe": {"manufacturing_order_id": "MO-1"},
        "create_manufacturing_orders": {"sales_order_id": order},
        "create_manufacturing_order": {"sku_or_variant_id": "PAD", "planned_quantity": 1, "location_id": place},
        "create_stock_transfer": new_transfer(stage.own.sandbox.tenant()),
        "create_stock_adjustment": {"location_id": place, "rows": [{"sku_or_variant_id": "PAD", "quantity": 1}]},
        "fulfill_order": {"sales_order_id": order},
        "modify_bom": {"sku_or_variant_id": bom["product_variant_id"], "delete_row_ids": [bom["id"]]},
        "count_stock": {"location_id": place, "counts": [{"sku_or_variant_id": "PAD", "quantity": 1}]},
        "change_prices": {"which": "sales", "percent": 5, "skus_or_variant_ids": ["PAD"]},
        "modify_traceability": {"sku_or_variant_id": "PAD", "batch_number": "L-1"},
        "modify_safety_stock": {"rows": [{"sku_or_variant_id": "PAD", "location_id": place, "safety_stock": 77}]},
        "plan_bin_transfer": {
            "location_id": place,
            "rows": [{"sku_or_variant_id": "PAD", "quantity": 1, "to_bin": "NEW-1"}],
        },
        "replace_ingredient": {"old": bom["ingredient_variant_id"], "new": "PAD"},
        "define_custom_field": {"field": "Gift note", "label": "Card"},
        "create_sales_return": {name: back[name] for name in ("sales_order_id", "return_location_id")},
        "replenish": {},
        "prioritize_orders": {"type": "sales_order", "orders": [order], "position": "top"},
        "verify_order_document": {"purchase_order_id": "PO-1", "lines": [{"sku": "PAD", "quantity": 1}]},
        "create_sales_order": {"customer_id": client, "rows": [{"sku_or_variant_id": "PAD", "quantity": 1}]},
    }
    kind, _, entity = tool.partition("_")
    if tool in calls or kind == "list":
        return calls.get(tool, {})
    if kind == "search":
        return {"query": "main"}
    return {f"{entity}_id": live(stage.own.sandbox.tenant(), f"{entity}s")[0]["id"]}


# All that these tools read takes more requests than a minute has: in no 40 s all of it is fresh, of a few it is.
@pytest.mark.parametrize(
    ("seconds", "age", "few"),
    [(None, 30, ()), (40, 40, ("check_inventory", "list_low_stock_items")), (70, 70, ()), (7_200, 7_200, ())],
)
async def test_one_age_may_be_told_for_all_that_is_read_stock_and_what_seldom_changes_too(
    own: OwnSandbox, clock: ManualClock, seconds: int | None, age: int, few: tuple[str, ...]
) -> None:
    calls = {**CALLS, "check_inventory": {"skus_or_variant_ids": ["PAD"]}, "list_low_stock_items": {"limit": 1}}
    calls = {name: call for name, call in calls.items() if not few or name in few}
    entities = {entity for tool in tools() if tool.name in calls for entity in tool.reads}
    async with staged(own, Setup(flags={"fresh_for": seconds})) as stage:

        async def asked() -> list[str]:
            before = stage.requests()
            for tool, arguments in calls.items():
                answer = await within(clock, 30, stage.call(tool, **arguments))  # a minute has 60 requests
                assert not {"stale", "warming"} & set(answer), tool
            return [request.path.removeprefix("/v1/") for request in list(own.sandbox.journal)[before:]]

        await asked()
        clock.advance(age - 0.5)
        assert await asked() == []
        clock.advance(1)
        lists = await asked()
        if seconds is None:
            assert lists.count("inventory") == 1
            assert not {"suppliers", "variants"} & set(lists)
        else:
            assert lists.count("inventory") > 1, "the one that was asked for, and all others"
            assert {spec.collection for spec in SPECS if spec.name in entities} <= set(lists)


async def test_the_age_that_was_told_holds_ahead_of_reads_too(own: OwnSandbox, clock: ManualClock) -> None:
    setup = Setup(flags={"sync": "background", "tools": ("search_customers",), "fresh_for": 600})
    async with staged(own, setup) as stage:
        await _begun(stage, clock)
        filled = stage.requests()
        await _pass(clock, 440)
        assert stage.requests() == filled
        await _pass(clock, 110)
        assert stage.requests() > filled


@pytest.mark.parametrize("seconds", ["4", "86401", "soon", "1.5", ""])
def test_an_age_that_cannot_work_is_refused(monkeypatch: pytest.MonkeyPatch, seconds: str) -> None:
    monkeypatch.setenv("KATANA_FRESH_FOR", seconds)
    with pytest.raises(SettingsError, match=r"^KATANA_FRESH_FOR \(--fresh-for\): must be "):
        load(sandbox=True)


async def test_a_failure_is_waited_out_and_then_mended(own: OwnSandbox, clock: ManualClock) -> None:
    own.sandbox.faults.add(Fault("*", action=Status(401), times=None))
    async with staged(own, BACKGROUND) as stage:
        await _begun(stage, clock)
        await _pass(clock, 60)
        assert 2 <= stage.requests() <= 6
        own.sandbox.faults.clear()
        await _pass(clock, 90)
        asked = stage.requests()
        assert not {"stale", "warming"} & set(await stage.call("search_customers", query="velo"))
        assert stage.requests() == asked


async def test_a_server_that_nobody_calls_rests_until_the_next_call(own: OwnSandbox, clock: ManualClock) -> None:
    async with staged(own, BACKGROUND) as stage:
        await _begun(stage, clock)
        await stage.call("cache_status")
        await _pass(clock, IDLE - 120)
        awake = stage.requests()
        await _pass(clock, 240)
        assert stage.requests() > awake
        asleep = stage.requests()
        await _pass(clock, 600)
        assert stage.requests() == asleep
        await stage.call("cache_status")
        await _pass(clock, 60)
        assert stage.requests() > asleep


async def test_a_refused_key_is_tried_again_more_and_more_rarely(own: OwnSandbox, clock: ManualClock) -> None:
    own.sandbox.faults.add(Fault("*", action=Status(401), times=None))
    async with staged(own, BACKGROUND) as stage:
        await _begun(stage, clock)
        asked: list[int] = []
        for _ in range(6):
            before = stage.requests()
            await stage.call("cache_status")
            await _pass(clock, 600)
            asked.append(stage.requests() - before)
        assert asked[0] >= 4
        assert sum(asked[2:]) <= 4
        own.sandbox.faults.clear()
        await stage.call("cache_status")
        await _pass(clock, 600)
        await stage.call("cache_status")
        await _pass(clock, 480)
        before = stage.requests()
        assert "stale" not in await stage.call("search_customers", query="velo")
        assert stage.requests() == before


READING = [tool.name for tool in tools() if tool.reads and not tool.destructive and tool.name != "list_reference"]
"""Tools that read in one call all that they say: not the one that writes, nor the one that reads a kind of several."""


def _reading() -> Iterator[Any]:
    """Yield the tools of which one reads an entity that none before it does; the others as slow proofs."""
    met: set[str] = set()
    for tool in tools():
        if tool.name in READING:
            yield pytest.param(tool.name, marks=[pytest.mark.soak] if met.issuperset(tool.reads) else [])
            met.update(tool.reads)


@pytest.mark.in_turn
@pytest.mark.parametrize("tool", list(_reading()))
async def test_a_tool_says_which_entities_its_answers_are_made_of(stage: Stage, tool: str) -> None:
    await stage.call(tool, **_usual(tool, stage))
    status = await stage.call("cache_status")
    read = {entity["entity"] for entity in status["entities"] if entity.get("as_of")}
    (spec,) = [candidate for candidate in tools() if candidate.name == tool]
    parents = {parent for entity in SPECS if entity.name in read for parent in entity.parents}
    assert set(spec.reads) <= read <= set(spec.reads) | parents


async def test_off_answers_from_the_cache_alone_and_says_how_old_it_is(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        for tool, arguments in CALLS.items():
            await stage.call(tool, **arguments)
        await stage.call("check_inventory", skus_or_variant_ids=["PAD"])
    clock.advance(3_600)
    asked = len(own.sandbox.journal)
    async with staged(own, Setup(cache_dir=tmp_path, flags={"sync": "off"})) as stage:
        await stage.client.list_tools()
        await _pass(clock, 5)
        for tool, arguments in {**CALLS, "check_inventory": {"skus_or_variant_ids": ["PAD"]}}.items():
            stale = (await stage.call(tool, **arguments))["stale"]
            assert stale["age_seconds"] >= 3_600, tool
            assert "KATANA_SYNC is off" in stale["reason"], tool
    assert len(own.sandbox.journal) == asked


async def test_off_without_a_cache_is_a_refusal_that_names_the_setting(own: OwnSandbox) -> None:
    async with staged(own, Setup(flags={"sync": "off"})) as stage:
        refusal = await stage.refusal("search_customers", query="velo")
        assert refusal["error"] == "katana_unavailable"
        assert "KATANA_SYNC is off" in refusal["warnings"][0]["message"]
        assert stage.requests() == 0


def test_another_value_is_refused_and_lazy_is_the_default() -> None:
    assert load(sandbox=True).sync == "lazy"
    with pytest.raises(SettingsError, match=r"KATANA_SYNC \(--sync\)"):
        load(sandbox=True, sync="always")
