"""Open orders moved within Katana's ranking through a server: where they then stand, what is refused, what is lost."""

from dataclasses import replace
from typing import Any, cast

import pytest
from journal_plans import hasty
from test_manufacturing_order_writes import applied, codes, live, new_order

from katana_mcp.testing import Payload, Stage, payload_of, within
from katana_mcp.writing.actions import Action
from katana_sandbox import Action as FaultAction
from katana_sandbox import Drop, EditBody, Fault, ManualClock, Status, Tenant
from katana_sandbox.collections.order_reranks import ranked_orders

TOOL = "prioritize_orders"
SOLD, MADE = "sales_orders", "manufacturing_orders"
TYPES = {"sales_order": SOLD, "manufacturing_order": MADE}
type Order = dict[str, Any]


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _home(tenant: Tenant) -> int:
    return next(place["id"] for place in live(tenant, "locations") if place["manufacturing_allowed"])


def _sell(tenant: Tenant, number: str, variant: int | None = None, quantity: float = 2) -> Order:
    """Return a new sales order of one row, by default of what is made."""
    goods = new_order(tenant, f"MO of {number}")["variant_id"] if variant is None else variant
    rows = [{"variant_id": goods, "quantity": quantity, "price_per_unit": 9}]
    head = {"order_no": number, "customer_id": live(tenant, "customers")[0]["id"], "location_id": _home(tenant)}
    return tenant.create(SOLD, {**head, "sales_order_rows": rows})


def _make_to_order(tenant: Tenant, number: str, count: int = 2) -> tuple[Order, list[Order]]:
    """Return a new sales order, and the manufacturing orders that are made for it."""
    order = _sell(tenant, number)
    key = order["sales_order_rows"][0]["id"]
    made = [new_order(tenant, f"{number}-{nr}")["id"] for nr in range(1, count + 1)]
    return order, [tenant.edit(MADE, order_id, sales_order_id=order["id"], sales_order_row_id=key) for order_id in made]


def _orders(tenant: Tenant, type: str, count: int = 4) -> list[Order]:
    new = _sell if type == "sales_order" else new_order
    return [new(tenant, f"RANK-{nr}") for nr in range(1, count + 1)]


def _rank(tenant: Tenant, type: str) -> list[int]:
    return ranked_orders(tenant.context(), TYPES[type])


async def _planned(stage: Stage, type: str, *orders: int | str, **place: object) -> Payload:
    return payload_of(await stage.result(TOOL, {"type": type, "orders": list(orders), **place}))


def _against(preview: Payload) -> list[tuple[str, str | None]]:
    """Return codes and paths of what speaks against a plan."""
    assert "plan_token" not in preview
    return [
        (warning["code"], warning["field_path"]) for warning in preview["warnings"] if warning["severity"] == "blocking"
    ]


@pytest.mark.parametrize("type", TYPES)
async def test_orders_become_one_block_where_they_were_asked_for_in_the_order_given(
    stage: Stage, clock: ManualClock, tenant: Tenant, type: str
) -> None:
    before = _rank(tenant, type)
    first, second, third, fourth = (order["id"] for order in _orders(tenant, type))
    rest = [number for number in _rank(tenant, type) if number not in {first, second, third, fourth}]
    assert set(before) <= set(rest)
    steps: list[tuple[list[int | str], dict[str, object], list[int]]] = [
        (["RANK-3", second], {"position": "top"}, [third, second, *rest, first, fourth]),
        ([fourth, "RANK-1"], {"before": "RANK-2"}, [third, fourth, first, second, *rest]),
        ([third], {"after": first}, [fourth, first, third, second, *rest]),
        ([first, fourth], {"position": "bottom"}, [third, second, *rest, first, fourth]),
    ]
    for orders, place, expected in steps:
        clock.advance(61)
        preview = await _planned(stage, type, *orders, **place)
        outcome = await applied(stage, clock, preview)
        assert [action["state"] for action in outcome["actions"]] == ["applied"], outcome
        assert _rank(tenant, type) == expected, place


async def test_a_preview_says_plainly_what_goes_where_and_why_nothing_takes_it_back(
    stage: Stage, tenant: Tenant
) -> None:
    first, second, third = _orders(tenant, "sales_order", 3)
    ranked = _rank(tenant, "sales_order")
    preview = await _planned(stage, "sales_order", "RANK-2", third["id"], before="RANK-1")
    said = "move sales orders RANK-2, RANK-3 just above RANK-1: "
    assert preview["message"].startswith(said)
    assert "by rank, highest first" in preview["message"]
    assert "made to order" in preview["message"]
    assert preview["lines"] == [{"name": "RANK-2"}, {"name": "RANK-3"}]
    (request,) = preview["requests"]
    body = f'{{"order_ids":[{second["id"]},{third["id"]}],"place":{{"before_id":{first["id"]}}}}}'
    assert (request["path"], request["body"]) == ("/sales_order_rerank", body)
    (message,) = [warning["message"] for warning in preview["warnings"] if warning["code"] == "no_way_back"]
    assert "Katana shows no rank" in message
    assert _rank(tenant, "sales_order") == ranked


@pytest.mark.parametrize("type", TYPES)
async def test_an_order_that_is_unknown_deleted_or_named_twice_is_refused_where_it_stands(
    stage: Stage, clock: ManualClock, tenant: Tenant, type: str
) -> None:
    first, second, *_ = _orders(tenant, type)
    await _planned(stage, type, first["id"], position="top")
    tenant.delete(TYPES[type], second["id"])
    found = await _planned(stage, type, first["id"], second["id"], "NOBODY", "RANK-1", position="top")
    assert _against(found) == [
        ("not_found", "orders[1]"),
        ("not_found", "orders[2]"),
        ("duplicate_row_overrides", "orders[3]"),
    ]
    clock.advance(61)
    new = _sell if type == "sales_order" else new_order
    new(tenant, "RANK-1")
    clock.advance(61)
    assert _against(await _planned(stage, type, "RANK-1", position="top")) == [("ambiguous_name", "orders[0]")]
    assert _against(await _planned(stage, type, "RANK-3", after="NOBODY")) == [("not_found", "after")]


@pytest.mark.parametrize(
    ("type", "status"), [("sales_order", "PACKED"), ("sales_order", "DELIVERED"), ("manufacturing_order", "DONE")]
)
async def test_an_order_that_is_not_open_has_no_rank_neither_to_move_nor_to_move_to(
    stage: Stage, clock: ManualClock, tenant: Tenant, type: str, status: str
) -> None:
    first, second, *_ = _orders(tenant, type)
    tenant.edit(TYPES[type], first["id"], status=status)
    preview = await _planned(stage, type, first["id"], second["id"], position="top")
    assert _against(preview) == [("already_completed", "orders[0]")]
    (message,) = [warning["message"] for warning in preview["warnings"] if warning["code"] == "already_completed"]
    assert f"RANK-1 is {status}" in message
    clock.advance(61)
    assert _against(await _planned(stage, type, second["id"], before="RANK-1")) == [("already_completed", "before")]


@pytest.mark.parametrize("status", ["PARTIALLY_DELIVERED", "PENDING"])
async def test_an_order_of_which_something_is_left_to_ship_is_open(stage: Stage, tenant: Tenant, status: str) -> None:
    first, *_ = _orders(tenant, "sales_order", 1)
    tenant.edit(SOLD, first["id"], status=status)
    assert "plan_token" in await _planned(stage, "sales_order", first["id"], position="top")


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ({}, "position"),
        ({"position": "top", "before": "RANK-2"}, "before"),
        ({"position": "bottom", "before": "RANK-2", "after": "RANK-3"}, "before"),
        ({"before": "RANK-2", "after": "RANK-3"}, "after"),
        ({"after": "RANK-1"}, "after"),
    ],
)
async def test_exactly_one_place_is_given_and_it_is_none_of_the_orders(
    stage: Stage, tenant: Tenant, place: dict[str, object], path: str
) -> None:
    first, *_ = _orders(tenant, "sales_order", 3)
    assert _against(await _planned(stage, "sales_order", first["id"], **place)) == [("invalid_argument", path)]


async def test_orders_that_are_made_for_one_sales_order_move_together_and_are_no_place_for_each_other(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    _, (first, second, third) = _make_to_order(tenant, "SO-9001", 3)
    alone = new_order(tenant, "MO-9001")
    tenant.edit(MADE, third["id"], status="DONE")
    found = await _planned(stage, "manufacturing_order", first["id"], alone["id"], after="SO-9001-2")
    assert _against(found) == [("invalid_argument", "after")]
    preview = await _planned(stage, "manufacturing_order", alone["id"], first["id"], position="top")
    assert preview["linked"] == ["manufacturing order SO-9001-2 moves along: made for sales order SO-9001"]
    assert (await applied(stage, clock, preview))["applied"] == 1
    assert _rank(tenant, "manufacturing_order")[:3] == [alone["id"], first["id"], second["id"]]
    clock.advance(61)
    both = await _planned(stage, "manufacturing_order", second["id"], first["id"], position="bottom")
    assert "linked" not in both
    clock.advance(61)
    outer = await _planned(stage, "manufacturing_order", alone["id"], after=first["id"])
    await applied(stage, clock, outer)


async def test_a_sales_order_takes_its_manufacturing_orders_along(stage: Stage, tenant: Tenant) -> None:
    sold, (_, second) = _make_to_order(tenant, "SO-9001")
    other, _ = _make_to_order(tenant, "SO-9002", 1)
    tenant.edit(MADE, second["id"], status="DONE")
    preview = await _planned(stage, "sales_order", sold["id"], other["id"], position="top")
    assert preview["linked"] == [
        "manufacturing order SO-9001-1 moves along: made for sales order SO-9001",
        "manufacturing order SO-9002-1 moves along: made for sales order SO-9002",
    ]


async def test_the_order_that_is_put_on_top_gets_the_stock_and_the_cache_shows_it_at_once(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    tenant.create("materials", {"name": "Resin", "uom": "kg", "variants": [{"sku": "RESIN"}]})
    resin = next(variant["id"] for variant in live(tenant, "variants") if variant["sku"] == "RESIN")
    rows = [{"variant_id": resin, "quantity": 3, "cost_per_unit": 1}]
    tenant.create("stock_adjustments", {"location_id": _home(tenant), "stock_adjustment_rows": rows})
    for number in ("FIRST", "SECOND"):
        _sell(tenant, number, resin, 3)

    async def states() -> list[object]:
        found = [await stage.call("get_sales_order", sales_order_id=number) for number in ("FIRST", "SECOND")]
        return [payload["order"]["rows"][0]["product_availability"] for payload in found]

    async def ready() -> set[str]:
        rows = (await stage.call("order_readiness", state=["ready"], limit=250))["rows"]
        return {row["order_no"] for row in rows} & {"FIRST", "SECOND"}

    assert await states() == ["IN_STOCK", "NOT_AVAILABLE"]
    assert await ready() == {"FIRST"}
    await applied(stage, clock, await _planned(stage, "sales_order", "SECOND", position="top"))
    before = stage.requests()
    assert await states() == ["NOT_AVAILABLE", "IN_STOCK"]
    assert stage.requests() == before
    assert await ready() == {"SECOND"}


@pytest.mark.parametrize("lost", [Drop("before"), Drop("after")], ids=["before", "after"])
@pytest.mark.parametrize("type", TYPES)
async def test_an_answer_that_is_lost_is_unknown_and_the_same_call_again_is_said_to_be_safe(
    stage: Stage, clock: ManualClock, tenant: Tenant, type: str, lost: Drop
) -> None:
    first, second, *_ = _orders(tenant, type)
    preview = await _planned(stage, type, second["id"], before=first["id"])
    stage.own.sandbox.faults.add(Fault(f"POST /{type}_rerank", action=lost))
    outcome = await applied(stage, clock, preview)
    (action,) = outcome["actions"]
    assert action["state"] == "unknown"
    for text in (outcome["message"], action["look_up"]["found"]):
        assert "the same call again is safe" in text
        assert "repeating it changes nothing" in text
    clock.advance(61)
    again = await applied(stage, clock, await _planned(stage, type, second["id"], before=first["id"]))
    assert again["applied"] == 1
    ranked = _rank(tenant, type)
    assert ranked.index(second["id"]) + 1 == ranked.index(first["id"])


def _listed(body: object) -> list[int]:
    """Return the ids of an answer."""
    return cast("dict[str, list[int]]", body)["order_ids"]


@pytest.mark.parametrize(
    ("says", "ends"),
    [
        (Status(204, "", commit=True), "applied"),
        (EditBody(lambda body: {"order_ids": [7, *_listed(body)[::-1]]}), "applied"),
        (EditBody(lambda body: {"order_ids": _listed(body)[1:]}), "unknown"),
        (EditBody(lambda _: {"order_ids": None}), "unknown"),
        (EditBody(_listed), "unknown"),
        (EditBody(text=""), "unknown"),
        (Status(200, "<html>", commit=True), "unknown"),
        (Status(201, '{"order_ids": [1]}', commit=True), "unknown"),
        (Status(503), "unknown"),
        (Status(422), "failed"),
    ],
)
async def test_an_answer_counts_as_applied_where_it_holds_all_that_were_sent_or_is_the_older_empty_one(
    stage: Stage, clock: ManualClock, tenant: Tenant, says: FaultAction, ends: str
) -> None:
    first, second, *_ = _orders(tenant, "sales_order")
    preview = await _planned(stage, "sales_order", first["id"], second["id"], position="top")
    stage.own.sandbox.faults.add(Fault("POST /sales_order_rerank", action=says))
    (action,) = (await applied(stage, clock, preview))["actions"]
    assert action["state"] == ends, action


@pytest.mark.parametrize("type", TYPES)
async def test_a_plan_is_stale_once_an_order_of_it_is_closed(
    stage: Stage, clock: ManualClock, tenant: Tenant, type: str
) -> None:
    first, second, third, _ = _orders(tenant, type)
    ranked = _rank(tenant, type)
    for spoilt, place in ((second, {"position": "top"}), (third, {"after": third["id"]})):
        clock.advance(61)
        preview = await _planned(stage, type, first["id"], *([second["id"]] if spoilt is second else []), **place)
        tenant.edit(TYPES[type], spoilt["id"], status="DELIVERED" if type == "sales_order" else "DONE")
        asked = stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]})
        answer = payload_of(await within(clock, 300, asked))
        assert answer["error"] == "stale_plan"
        assert codes(answer) == {"stale_plan", "already_completed"}
    assert _rank(tenant, type) == [number for number in ranked if number not in {second["id"], third["id"]}]


async def test_a_plan_is_stale_once_an_order_is_made_for_another_sales_order_or_has_another_status(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    first, second, *_ = _orders(tenant, "manufacturing_order")
    sold = _sell(tenant, "SO-9001")
    for changed, name, value in ((second, "sales_order_id", sold["id"]), (first, "status", "IN_PROGRESS")):
        clock.advance(61)
        preview = await _planned(stage, "manufacturing_order", first["id"], before=second["id"])
        tenant.edit(MADE, changed["id"], True, **{name: value})
        asked = stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]})
        answer = payload_of(await within(clock, 300, asked))
        assert answer["error"] == "stale_plan"
        assert name in answer["warnings"][0]["message"]


async def test_two_plans_that_are_applied_at_once_come_one_after_the_other(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    first, second, third, fourth = (order["id"] for order in _orders(tenant, "sales_order"))
    one = await _planned(stage, "sales_order", second, first, position="top")
    other = await _planned(stage, "sales_order", fourth, third, before=first)
    tokens = [one["plan_token"], other["plan_token"]]
    answer = payload_of(await within(clock, 300, stage.result("apply_plan", {"plan_tokens": tokens})))
    assert [outcome["applied"] for outcome in answer["outcomes"]] == [1, 1]
    assert _rank(tenant, "sales_order")[:4] == [second, fourth, third, first]


async def test_more_orders_than_one_request_takes_are_refused_by_the_schema(stage: Stage) -> None:
    refusal = await stage.refusal(TOOL, type="sales_order", orders=list(range(1, 252)), position="top")
    assert [warning["field_path"] for warning in refusal["warnings"]] == ["orders"]
    refusal = await stage.refusal(TOOL, type="sales_order", orders=[], position="top")
    assert [warning["field_path"] for warning in refusal["warnings"]] == ["orders"]


def test_what_an_answer_lists_and_whether_it_may_be_sent_again_is_kept_in_the_journal() -> None:
    action = Action(title="x", method="POST", path="/sales_order_rerank", entity="sales_order")
    assert not {"answers_ids", "is_repeatable"} & action.to_json().keys()
    kept = replace(action, answers_ids="order_ids", is_repeatable=True)
    assert Action.read(kept.to_json()) == kept
