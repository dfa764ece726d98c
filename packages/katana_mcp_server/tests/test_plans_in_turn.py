"""Plans that are applied at the same moment, by two servers: one after the other, and the second sees the first."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Sequence
from contextlib import ExitStack, closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from cache_jobs import job_on
from fastmcp.client.elicitation import ElicitResult
from journal_plans import hasty
from server_wire import Wire, live
from transfer_plans import counted, new_transfer, writes

from katana_mcp.commands.journal.reconcile import reconcile
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.journal.entries import GONE_AFTER
from katana_mcp.journal.file import JournalFile
from katana_mcp.journal.lanes import Lanes
from katana_mcp.testing import Payload, Setup, Stage, ends, payload_of, staged, within
from katana_sandbox import Drop, Fault, ManualClock, ReplicaLag, Status, Tenant

MINUTE = 61


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@pytest.fixture
async def servers(own: OwnSandbox, tmp_path: Path) -> AsyncGenerator[tuple[Stage, Stage]]:
    """Two servers of one account."""
    setup = Setup(cache_dir=tmp_path)
    async with staged(own, setup) as one, staged(own, setup) as other:
        yield one, other


type Opens = Callable[[], JournalFile]


@pytest.fixture
def another(tmp_path: Path, clock: ManualClock) -> Generator[Opens]:
    """Return what opens the journal of the account, as another process has it."""
    with ExitStack() as opened:

        def file() -> JournalFile:
            (path,) = tmp_path.glob("journal-*.sqlite")
            return opened.enter_context(closing(JournalFile(path, clock)))

        yield file


def order(tenant: Tenant, **changed: object) -> dict[str, object]:
    """Return the arguments of a usual new order, whose number is left open."""
    sku = next(variant["sku"] for variant in live(tenant, "variants") if variant["sku"])
    usual: dict[str, object] = {
        "supplier_id": live(tenant, "suppliers")[0]["id"],
        "location_id": live(tenant, "locations")[0]["id"],
        "rows": [{"sku_or_variant_id": sku, "quantity": 2, "price_per_unit": 3}],
    }
    return usual | changed


async def planned(stages: Sequence[Stage], tool: str, times: int, **arguments: object) -> list[str]:
    """Return so many tokens of the same request."""
    return [(await stages[nr % len(stages)].call(tool, **arguments))["plan_token"] for nr in range(times)]


def applying(stage: Stage, *tokens: str) -> Coroutine[Any, Any, Payload]:
    """Return the answer of `apply_plan`, to be waited for."""

    async def answer() -> Payload:
        return payload_of(await stage.result("apply_plan", {"plan_tokens": list(tokens)}))

    return answer()


def new_orders(tenant: Tenant, before: Sequence[Wire]) -> list[str]:
    """Return the numbers of the orders that were not there before."""
    return [found["order_no"] for found in live(tenant, "purchase_orders")[len(before) :]]


async def test_four_new_orders_applied_at_once_by_two_servers_get_four_numbers(
    servers: tuple[Stage, Stage], tenant: Tenant, clock: ManualClock
) -> None:
    before = live(tenant, "purchase_orders")
    tokens = await planned(servers, "create_purchase_order", 4, **order(tenant))
    clock.advance(MINUTE)
    calls = [applying(servers[nr % 2], token) for nr, token in enumerate(tokens)]
    answers = await within(clock, 200, asyncio.gather(*calls))
    assert [counted(answer["outcomes"][0]) for answer in answers] == [{"applied": 1}] * 4
    numbers = [answer["outcomes"][0]["number"] for answer in answers]
    assert (len(set(numbers)), sorted(numbers)) == (4, sorted(new_orders(tenant, before)))
    assert all(number in answer["message"] for number, answer in zip(numbers, answers, strict=True))


async def test_one_apply_of_twenty_new_orders_makes_twenty(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    before, tokens = live(tenant, "purchase_orders"), list[str]()
    for _ in range(20):
        tokens += await planned([stage], "create_purchase_order", 1, **order(tenant))
        clock.advance(10)
    answer = await within(clock, 1200, applying(stage, *tokens))
    assert [counted(outcome) for outcome in answer["outcomes"]] == [{"applied": 1}] * 20, answer["message"]
    numbers = [outcome["number"] for outcome in answer["outcomes"]]
    assert (len(set(numbers)), numbers) == (20, new_orders(tenant, before))
    assert stage.own.sandbox.max_requests_in_window() <= 60


async def test_a_number_that_is_left_open_is_told_so_kept_and_looked_up_as_it_was_sent(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path, another: Opens
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        preview = await stage.call("create_purchase_order", **order(tenant))
        shown = preview["number"]
        assert f"{shown} (the next free number as of now)" in preview["message"]
        assert f"when the plan is applied, now {shown}" in str(preview["warnings"])
        before = live(tenant, "purchase_orders")
        body = {name: before[0][name] for name in ("supplier_id", "location_id")}
        rows = [{"variant_id": live(tenant, "variants")[0]["id"], "quantity": 1, "price_per_unit": 1}]
        tenant.create("purchase_orders", {**body, "order_no": shown, "purchase_order_rows": rows})
        stage.own.sandbox.faults.add(Fault("POST /purchase_orders", action=Drop("after")))
        answer = await within(clock, 100, applying(stage, preview["plan_token"]))
        (outcome,) = answer["outcomes"]
        assert (counted(outcome), len(writes(stage))) == ({"applied": 1}, 1)
        assert [shown, outcome["number"]] == new_orders(tenant, before)
        assert outcome["number"] != shown
        assert f"order_no={outcome['number']}" in outcome["actions"][0]["look_up"]["asked"]
        (sent,) = [request.body for request in stage.own.sandbox.journal if request.method == "POST"]
        assert sent == preview["requests"][0]["body"].replace(shown, outcome["number"]).encode()
        entry = another().entries(1)[0]
        assert (entry.plan.shown["number"], entry.plan.shown["assigned"]) == (
            outcome["number"],
            {"order_no": outcome["number"]},
        )
        assert entry.plan.actions[0]["title"] == f"create purchase order {outcome['number']}"
        assert "as of now" not in answer["message"]


async def test_what_is_looked_up_again_is_looked_up_by_the_number_that_was_sent(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        before = live(tenant, "purchase_orders")
        tokens = await planned([stage], "create_purchase_order", 2, **order(tenant))
        await within(clock, 100, applying(stage, tokens[0]))
        stage.own.sandbox.faults.add(Fault("POST /purchase_orders", action=Drop("after")))
        stage.own.sandbox.faults.add(Fault("GET /purchase_orders", action=ReplicaLag(600), times=None))
        (lost,) = (await within(clock, 400, applying(stage, tokens[1])))["outcomes"]
        stage.own.sandbox.faults.clear()
        report = await within(clock, 100, reconcile(job_on(own, tmp_path)))
        (found,) = (await applying(stage, tokens[1]))["outcomes"]
        assert (report.fine, counted(lost), counted(found)) == (True, {"unknown": 1}, {"applied": 1})
        assert [made["order_no"] for made in live(tenant, "purchase_orders") if made["id"] == found["id"]] == [
            found["number"]
        ]
        assert new_orders(tenant, before)[-1] == found["number"] == lost["number"]


async def test_what_two_servers_add_to_an_order_at_once_is_added_once_and_the_other_is_told_what_changed(
    servers: tuple[Stage, Stage], tenant: Tenant, clock: ManualClock
) -> None:
    found = next(bought for bought in live(tenant, "purchase_orders") if bought["status"] == "NOT_RECEIVED")
    rows = order(tenant)["rows"]
    tokens = await planned(servers, "modify_purchase_order", 2, purchase_order_id=found["id"], add_rows=rows)
    clock.advance(MINUTE)
    before = len(live(tenant, "purchase_order_rows"))
    one, other = servers
    answers = await within(clock, 100, asyncio.gather(applying(one, tokens[0]), applying(other, tokens[1])))
    assert len(live(tenant, "purchase_order_rows")) == before + 1
    (refused,) = [answer for answer in answers if "error" in answer]
    assert refused["error"] == "stale_plan"
    added = live(tenant, "purchase_order_rows")[-1]["id"]
    assert f"purchase_order_rows[id {added}] is new" in refused["warnings"][0]["message"]


async def test_a_plan_waits_for_no_other_record_and_for_its_own_only_so_long(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path, another: Opens
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        tokens = await planned([stage], "create_stock_transfer", 2, **new_transfer(tenant))
        file = another()
        lanes = Lanes(file)
        entry = file.entries(1)[0]
        other, mine = "numbers of purchase_order", "numbers of stock_transfer"
        assert lanes.take([f"{entry.plan.tenant}: {other}"], "another") is None
        began = clock.monotonic()
        await applying(stage, tokens[0])
        assert clock.monotonic() - began < 0.05
        name = f"{entry.plan.tenant}: {mine}"
        assert lanes.take([name], "another") is None
        said: list[tuple[float, str]] = []

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            del progress, total
            if message and message.startswith("waiting: "):
                said.append((clock.monotonic(), message))

        asked = {"plan_tokens": [tokens[1]]}
        call = asyncio.ensure_future(
            stage.client.call_tool("apply_plan", asked, raise_on_error=False, progress_handler=hear)
        )
        while not await ends(call):
            clock.advance(1)
            lanes.renew([name], "another")
        refused = payload_of(call.result())
        assert (refused["error"], len(writes(stage))) == ("plan_running", 1)
        assert mine in refused["warnings"][0]["message"]
        assert {message for _, message in said} == {f"waiting: {refused['warnings'][0]['message']}"}
        assert all(5 <= later - earlier < 8 for (earlier, _), (later, _) in pairwise(said))
        assert 6 <= len(said) <= 9
        assert 40 <= clock.monotonic() - began < 45


async def test_of_a_server_that_was_killed_the_next_has_the_lanes_when_it_is_gone(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path, another: Opens
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        (token,) = await planned([stage], "create_stock_transfer", 1, **new_transfer(tenant))
        file = another()
        entry = file.entries(1)[0]
        assert Lanes(file).take([f"{entry.plan.tenant}: {name}" for name in entry.plan.lanes], "killed") is None
        began = clock.monotonic()
        answer = await within(clock, 100, applying(stage, token))
        assert counted(answer["outcomes"][0]) == {"applied": 1}
        waited = clock.monotonic() - began
        assert GONE_AFTER.total_seconds() <= waited < GONE_AFTER.total_seconds() + 5


async def test_no_lane_is_held_while_the_budget_is_waited_for(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path, another: Opens
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        (token,) = await planned([stage], "create_stock_transfer", 1, **new_transfer(tenant))
        file = another()
        entry = file.entries(1)[0]
        names = [f"{entry.plan.tenant}: {name}" for name in entry.plan.lanes]
        own.sandbox.faults.add(Fault("*", action=Status(429, headers={"Retry-After": "30"}), times=1))
        other = asyncio.ensure_future(stage.call("create_stock_transfer", **new_transfer(tenant)))
        assert not await ends(other)  # it got the answer that holds everybody off
        began, call = clock.monotonic(), asyncio.ensure_future(applying(stage, token))
        while not writes(stage) and clock.monotonic() - began < 25:
            await ends(call)
            clock.advance(1)
            assert Lanes(file).take(names, "another") is None
            Lanes(file).leave("another")
        assert (writes(stage), call.done()) == ([], False)
        answer = await within(clock, 30, call)
        assert counted(answer["outcomes"][0]) == {"applied": 1}
        await within(clock, 60, other)


async def test_no_lane_is_held_while_a_person_is_asked(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path, another: Opens
) -> None:
    held: list[str | None] = []

    async def person(*_: object) -> ElicitResult[Any]:
        file = another()
        entry = file.entries(1)[0]
        lanes = Lanes(file)
        held.append(lanes.take([f"{entry.plan.tenant}: {name}" for name in entry.plan.lanes], "another"))
        lanes.leave("another")
        return ElicitResult(action="accept", content={"confirm": True})

    async with staged(own, Setup(cache_dir=tmp_path, person=person)) as stage:
        (token,) = await planned([stage], "create_stock_transfer", 1, **new_transfer(tenant))
        assert counted((await applying(stage, token))["outcomes"][0]) == {"applied": 1}
    assert held == [None]


async def test_whatever_is_planned_names_the_lanes_of_what_it_changes(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path, another: Opens
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        for tool, arguments, names in _plans(tenant):
            assert (await stage.call(tool, **arguments)).get("plan_token"), tool
            entry = another().entries(1)[0]
            assert (tool, set(entry.plan.lanes)) == (tool, names)
            clock.advance(MINUTE)
        assert {tool for tool, *_ in _plans(tenant)} == {
            tool.name for tool in await stage.client.list_tools() if tool.name.startswith(WRITE)
        }


WRITE = ("create_", "modify_", "delete_", "replace_", "change_", "count_", "prioritize_", "define_", "plan_")
"""How the names of tools that plan a write begin."""


def _plans(tenant: Tenant) -> list[tuple[str, dict[str, object], set[str]]]:
    """Return a call of each tool that plans a write, and the lanes that its plan needs."""
    bought = next(bought for bought in live(tenant, "purchase_orders") if bought["status"] == "NOT_RECEIVED")["id"]
    moved, client = live(tenant, "stock_transfers")[0]["id"], live(tenant, "customers")[0]["id"]
    transfer, orders, transfers = new_transfer(tenant), "numbers of purchase_order", "numbers of stock_transfer"
    order_lane, transfer_lane, customer = f"purchase_order {bought}", f"stock_transfer {moved}", f"customer {client}"
    return [
        ("create_purchase_order", order(tenant), {orders}),
        ("modify_purchase_order", {"purchase_order_id": bought, "additional_info": "x"}, {order_lane}),
        ("modify_purchase_order", {"purchase_order_id": bought, "order_no": "PO-X"}, {order_lane, orders}),
        ("delete_purchase_order", {"purchase_order_id": bought}, {order_lane}),
        ("create_stock_transfer", transfer, {transfers}),
        ("modify_stock_transfer", {"stock_transfer_id": moved, "additional_info": "x"}, {transfer_lane}),
        (
            "modify_stock_transfer",
            {"stock_transfer_id": moved, "stock_transfer_number": "X"},
            {transfer_lane, transfers},
        ),
        ("delete_stock_transfer", {"stock_transfer_id": moved}, {transfer_lane}),
        ("create_customer", {"name": "Velo  Nova"}, {"customer called velo nova"}),
        ("modify_customer", {"customer_id": client, "comment": "x"}, {customer}),
        ("modify_customer", {"customer_id": client, "name": "Velo"}, {customer, "customer called velo"}),
        ("delete_customer", {"customer_id": client}, {customer}),
        *_supplied(tenant),
        *_sold(tenant),
        *_adjusted(tenant),
        *_served(tenant),
        *_made(tenant),
        *_returned(tenant),
        *_consisting(tenant),
    ]


def _consisting(tenant: Tenant) -> list[tuple[str, dict[str, object], set[str]]]:
    row, *others = tenant.all("bom_rows")
    other = next(record for record in others if record["ingredient_variant_id"] != row["ingredient_variant_id"])
    product, boms = row["product_variant_id"], "bills of materials"
    change: dict[str, object] = {"sku_or_variant_id": product, "update_rows": [{"row_id": row["id"], "quantity": 77}]}
    named: dict[str, object] = {
        "old": row["ingredient_variant_id"],
        "new": other["ingredient_variant_id"],
        "quantity_factor": 1,
    }
    return [
        ("modify_bom", change, {f"variant {product}", boms}),
        ("replace_ingredient", named, {boms}),
        _dearer(product),
        _counted(product),
        _kept(product),
        _batched(tenant),
        _shelved(product),
        ("define_custom_field", {"field": "Gift note", "label": "Card"}, {"custom fields"}),
    ]


def _dearer(variant: int) -> tuple[str, dict[str, object], set[str]]:
    prices = [{"sku_or_variant_id": variant, "price": 77}]
    return "change_prices", {"which": "sales", "prices": prices}, {f"variant {variant}"}


def _batched(tenant: Tenant) -> tuple[str, dict[str, object], set[str]]:
    body = {"name": "Resin", "uom": "kg", "batch_tracked": True, "variants": [{"sku": "RESIN"}]}
    key = tenant.create("materials", body)["variants"][0]["id"]
    asked: dict[str, object] = {"sku_or_variant_id": key, "batch_number": "L-9"}
    return "modify_traceability", asked, {f"batches of variant {key}"}


def _shelved(variant: int) -> tuple[str, dict[str, object], set[str]]:
    row = {"sku_or_variant_id": variant, "quantity": 1, "to_bin": "NEW-1"}
    asked: dict[str, object] = {"location_id": 10000101, "rows": [row]}
    return "plan_bin_transfer", asked, {"numbers of bin_transfer", "bin of 10000101 called new-1"}


def _kept(variant: int) -> tuple[str, dict[str, object], set[str]]:
    row = {"sku_or_variant_id": variant, "location_id": 10000101, "safety_stock": 77}
    return "modify_safety_stock", {"rows": [row]}, {f"levels of variant {variant}"}


def _counted(variant: int) -> tuple[str, dict[str, object], set[str]]:
    named: dict[str, object] = {"location_id": 10000101, "counts": [{"sku_or_variant_id": variant, "quantity": 7}]}
    return "count_stock", named, {"stocktake called stk-9", "numbers of stocktake"}


def _returned(tenant: Tenant) -> list[tuple[str, dict[str, object], set[str]]]:
    back = next(record for record in live(tenant, "sales_returns") if record["status"] == "NOT_RETURNED")
    named: dict[str, object] = {"sales_return_id": back["id"]}
    lanes = {f"sales_return {back['id']}", f"sales_order {back['sales_order_id']}"}
    new: dict[str, object] = {name: back[name] for name in ("sales_order_id", "return_location_id")}
    return [
        ("create_sales_return", new, {f"sales_order {back['sales_order_id']}", "numbers of sales_return"}),
        ("modify_sales_return", {**named, "additional_info": "x"}, lanes),
        ("delete_sales_return", named, lanes),
    ]


def _made(tenant: Tenant) -> list[tuple[str, dict[str, object], set[str]]]:
    made = next(record for record in live(tenant, "manufacturing_orders") if record["status"] == "NOT_STARTED")
    lane, numbers = f"manufacturing_order {made['id']}", "numbers of manufacturing_order"
    new: dict[str, object] = {
        "sku_or_variant_id": made["variant_id"],
        "planned_quantity": 1,
        "location_id": made["location_id"],
    }
    named: dict[str, object] = {"manufacturing_order_id": made["id"]}
    sold = next(record["id"] for record in live(tenant, "sales_orders") if _has_to_be_made(tenant, record))
    return [
        ("create_manufacturing_order", new, {numbers}),
        ("modify_manufacturing_order", {**named, "planned_quantity": 70}, {lane}),
        ("modify_manufacturing_order", {**named, "order_no": "MO-X"}, {lane, numbers}),
        ("delete_manufacturing_order", named, {lane}),
        ("create_manufacturing_orders", {"sales_order_id": sold}, {f"sales_order {sold}"}),
        *_ranked(sold, made["id"]),
    ]


def _ranked(sold: int, made: int) -> list[tuple[str, dict[str, object], set[str]]]:
    return [
        (tool, {"type": type, "orders": [order], "position": "top"}, {f"rank of {type.replace('_', ' ')}s"})
        for tool, type, order in (
            ("prioritize_orders", "sales_order", sold),
            ("prioritize_orders", "manufacturing_order", made),
        )
    ]


def _has_to_be_made(tenant: Tenant, order: Wire) -> bool:
    """Return whether a row of an open sales order is of a product that is made there, and nothing makes it yet."""
    product_of = {variant["id"]: variant["product_id"] for variant in live(tenant, "variants")}
    rows = [row for row in order["sales_order_rows"] if order["status"] == "NOT_SHIPPED"]
    places = [tenant.get("locations", row["location_id"] or order["location_id"]) for row in rows]
    products = [
        tenant.get("products", product_of[row["variant_id"]])
        for row in rows
        if product_of.get(row["variant_id"]) and not row["linked_manufacturing_order_id"]
    ]
    return all(place["manufacturing_allowed"] for place in places) and any(
        product["is_producible"] for product in products
    )


def _supplied(tenant: Tenant) -> list[tuple[str, dict[str, object], set[str]]]:
    supplier = live(tenant, "suppliers")[0]["id"]
    named, lane = {"supplier_id": supplier}, f"supplier {supplier}"
    return [
        ("create_supplier", {"name": "Velo  Nova"}, {"supplier called velo nova"}),
        ("modify_supplier", {**named, "comment": "x"}, {lane}),
        ("modify_supplier", {**named, "name": "Velo"}, {lane, "supplier called velo"}),
        ("delete_supplier", named, {lane}),
    ]


def _served(tenant: Tenant) -> list[tuple[str, dict[str, object], set[str]]]:
    service = live(tenant, "services")[0]["id"]
    named: dict[str, object] = {"type": "service", "item_id": service}
    lane = f"service {service}"
    return [
        ("create_item", {"type": "service", "name": "Wash"}, {"service called wash"}),
        ("create_item", {"type": "service", "name": "Wash", "sku": "WASH"}, {"service called wash", "SKU wash"}),
        ("modify_item", {**named, "sku": "W 1"}, {lane, "SKU w 1"}),
        ("modify_item", {**named, "sales_price": 7}, {lane}),
        ("modify_item", {**named, "name": "Wash"}, {lane, "service called wash"}),
        ("delete_item", named, {lane}),
        *_made_of_variants(tenant),
    ]


def _made_of_variants(tenant: Tenant) -> list[tuple[str, dict[str, object], set[str]]]:
    item = next(material for material in live(tenant, "materials") if len(material["variants"]) == 1)
    variant, lane = item["variants"][0]["id"], f"material {item['id']}"
    named: dict[str, object] = {"type": "material", "item_id": item["id"]}
    new: dict[str, object] = {"type": "material", "name": "Oak", "variants": [{"sku": "OAK  1"}]}
    change = [{"variant_id": variant, "sku": "OAK 2"}]
    return [
        ("create_item", new, {"material called oak", "SKU oak 1"}),
        ("modify_item", {**named, "update_variants": change}, {lane, f"variant {variant}", "SKU oak 2"}),
        ("modify_item", {**named, "additional_info": "new"}, {lane}),
        ("delete_item", named, {lane, f"variant {variant}"}),
    ]


def _sold(tenant: Tenant) -> list[tuple[str, dict[str, object], set[str]]]:
    sold = next(sold for sold in live(tenant, "sales_orders") if sold["status"] == "NOT_SHIPPED")
    lane, numbers = f"sales_order {sold['id']}", "numbers of sales_order"
    row = {"sku_or_variant_id": sold["sales_order_rows"][0]["variant_id"], "quantity": 1}
    named = {"sales_order_id": sold["id"]}
    return [
        ("create_sales_order", {"customer_id": sold["customer_id"], "rows": [row]}, {numbers}),
        ("modify_sales_order", {**named, "additional_info": "x"}, {lane}),
        ("modify_sales_order", {**named, "order_no": "SO-X"}, {lane, numbers}),
        ("delete_sales_order", named, {lane}),
    ]


def _adjusted(tenant: Tenant) -> list[tuple[str, dict[str, object], set[str]]]:
    adjusted = live(tenant, "stock_adjustments")[0]
    lane, numbers = f"stock_adjustment {adjusted['id']}", "numbers of stock_adjustment"
    row = {"sku_or_variant_id": adjusted["stock_adjustment_rows"][0]["variant_id"], "quantity": 1}
    named = {"stock_adjustment_id": adjusted["id"]}
    return [
        ("create_stock_adjustment", {"location_id": adjusted["location_id"], "rows": [row]}, {numbers}),
        ("modify_stock_adjustment", {**named, "reason": "x"}, {lane}),
        ("delete_stock_adjustment", named, {lane}),
    ]
