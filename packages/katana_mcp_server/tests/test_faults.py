"""Katana down, slow, refusing or sending rubbish: what is cached is served and says how old it is."""

import asyncio
from collections import Counter
from datetime import datetime

import pytest
from server_wire import live
from tests.nights import rest_in_turn

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.references.services import Current
from katana_mcp.testing import Payload, Stage, paced, payload_of, staged, within
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Stale
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking
from katana_sandbox import Action, Delay, Drop, Fault, Hang, ManualClock, Sandbox, SandboxConfig, Status, Truncate

pytestmark = [pytest.mark.cold, pytest.mark.threads]
CALLS: dict[str, dict[str, object]] = {
    "search_items": {"query": "fork"},
    "search_sales_orders": {"query": "so"},
    "list_sales_orders": {"limit": 3},
    "get_sales_order": {"sales_order_id": "SO-5"},
    "search_customers": {"query": "velo"},
    "get_variant_details": {"skus_or_variant_ids": ["PAD"]},
    "check_inventory": {"skus_or_variant_ids": ["PAD"]},
}
SILENT = "Katana could not be read: no answer from api.katanamrp.com: GET /"
TROUBLES = [
    pytest.param(Drop(), SILENT, id="drop"),
    pytest.param(Status(503), "Katana could not be read", id="503"),
    pytest.param(Status(429), "", id="429"),
    pytest.param(Truncate(), "Katana could not be read", id="truncated"),
    pytest.param(Hang(), SILENT, id="hang"),
    pytest.param(Status(401), "KATANA_API_KEY", id="401"),
]


def _break(stage: Stage, action: Action) -> None:
    stage.own.sandbox.faults.add(Fault("*", action=action, times=None))


async def _after_giving_up(stage: Stage, clock: ManualClock) -> None:
    """Let whatever waits for Katana run out of patience."""
    await paced(clock, clock.sleep(40), 1)


@pytest.mark.parametrize(("action", "reason"), [trouble for trouble in TROUBLES if trouble.id != "429"])
@pytest.mark.parametrize("tool", ["search_items", "get_sales_order", "check_inventory"])
async def test_nothing_cached_and_katana_down_is_a_refusal_that_says_why(
    stage: Stage, clock: ManualClock, action: Action, reason: str, tool: str
) -> None:
    _break(stage, action)
    await within(clock, 10, stage.result(tool, CALLS[tool]))
    await _after_giving_up(stage, clock)
    refusal = await paced(clock, stage.refusal(tool, **CALLS[tool]))
    assert refusal["error"] == "katana_unavailable"
    assert reason in refusal["warnings"][0]["message"]
    assert stage.own.api_key not in str(refusal)


@pytest.mark.parametrize(
    ("action", "at_first", "reason"),
    [
        (Drop(), "does not answer", SILENT),
        (Status(503), "answers 503", "503"),
        (Status(200, "<html>no API</html>"), "answers 200, unreadable", "the body is not JSON"),
    ],
)
async def test_whatever_is_asked_next_after_katana_could_not_be_read_is_refused_with_the_reason(
    stage: Stage, clock: ManualClock, action: Action, at_first: str, reason: str
) -> None:
    _break(stage, action)
    early = await paced(clock, stage.call("check_inventory", **CALLS["check_inventory"]))
    assert early["warming"] == "0/?"
    message = early["warnings"][0]["message"]
    assert f"is waiting for Katana, which {at_first} and is asked again: rows may be missing or old" in message
    await _after_giving_up(stage, clock)
    for tool in ("list_sales_orders", "search_items", "get_variant_details", "check_inventory"):
        refusal = await paced(clock, stage.refusal(tool, **CALLS[tool]))
        assert refusal["error"] == "katana_unavailable", tool
        assert reason in refusal["warnings"][0]["message"], tool


async def test_a_first_sync_that_is_answered_again_says_no_more_that_it_waits(stage: Stage, clock: ManualClock) -> None:
    stage.own.sandbox.faults.add(Fault("GET /factory", action=Drop(), times=1))
    stage.own.sandbox.faults.add(Fault("GET /sales_orders", action=Delay(30)))
    answer = await paced(clock, stage.call("list_sales_orders", limit=3))
    (message,) = [warning["message"] for warning in answer["warnings"] if warning["code"] == "cold_cache"]
    assert "is not finished: rows may be missing or old; ask again in a moment" in message


async def test_rows_that_cannot_all_be_read_are_told_to_be_asked_for_once_katana_is_well(
    stage: Stage, clock: ManualClock
) -> None:
    stage.own.sandbox.faults.add(Fault("GET /locations", action=Status(503), times=None))
    await paced(clock, stage.result("list_sales_orders", {"limit": 3}))
    await _after_giving_up(stage, clock)
    answer = await paced(clock, stage.call("list_sales_orders", limit=3))
    (message,) = [warning["message"] for warning in answer["warnings"] if warning["code"] == "cold_cache"]
    assert "the first sync of location cannot go on (location: Katana could not be read" in message
    assert "ask again in a moment" not in message
    assert len(answer["rows"]) == 3


@pytest.mark.parametrize(("action", "reason"), TROUBLES)
async def test_what_is_cached_is_served_in_time_and_says_how_old_it_is(
    stage: Stage, clock: ManualClock, action: Action, reason: str
) -> None:
    fresh = {tool: await stage.call(tool, **arguments) for tool, arguments in CALLS.items()}
    clock.advance(600)
    _break(stage, action)
    for tool, arguments in CALLS.items():
        if tool == "check_inventory":
            continue
        stale = await within(clock, 2, stage.call(tool, **arguments))
        assert stale["stale"]["age_seconds"] >= 600, tool
        assert stale["stale"]["reason"], tool
        assert _without_freshness(stale) == _without_freshness(fresh[tool]), tool
        assert stage.own.api_key not in str(stale), tool
    await _after_giving_up(stage, clock)
    answer = await paced(clock, stage.call("search_customers", query="velo"))
    assert reason in answer["stale"]["reason"]


def _without_freshness(answer: Payload) -> Payload:
    return {key: value for key, value in answer.items() if key not in {"as_of", "stale"}}


async def test_a_failed_refresh_is_not_repeated_at_once(stage: Stage, clock: ManualClock) -> None:
    await stage.call("search_customers", query="velo")
    clock.advance(600)
    _break(stage, Status(401))
    await stage.call("search_customers", query="velo")
    asked = stage.requests()
    for _ in range(10):
        await stage.call("search_customers", query="velo")
    assert stage.requests() == asked
    clock.advance(16)
    stage.own.sandbox.faults.clear()
    healed = await stage.call("search_customers", query="velo")
    assert "stale" not in healed


async def test_a_slow_first_sync_answers_in_time_with_how_far_it_is(clock: ManualClock) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=600), clock=clock))
    total = len(list(own.sandbox.tenant().all("variants")))
    own.sandbox.faults.add(Fault("GET /variants", nth=2, action=Delay(30), times=None))
    async with staged(own) as stage:
        answer = await within(clock, 10, stage.call("search_items", query="00"))
        assert answer["warming"] == f"250/{total}"
        assert answer["rows"]
        assert "total" not in answer
        assert [warning["code"] for warning in answer["warnings"]] == ["cold_cache"]
        status = await stage.call("cache_status")
        (variants,) = [entity for entity in status["entities"] if entity["entity"] == "variant"]
        assert (variants["records"], variants["warming"]) == (250, f"250/{total}")
        await paced(clock, clock.sleep(90), 1)
        done = await paced(clock, stage.call("search_items", query="00"))
        assert "warming" not in done
        assert done["total"] > len(answer["rows"])


async def test_an_order_that_may_still_come_is_not_called_missing(clock: ManualClock) -> None:
    own = OwnSandbox(Sandbox(clock=clock))
    own.sandbox.faults.add(Fault("GET /sales_orders", action=Delay(30), times=None))
    async with staged(own) as stage:
        refusal = await paced(clock, stage.refusal("get_sales_order", sales_order_id="SO-5"))
        assert refusal["error"] == "cold_cache"
        assert "ask again in a moment" in refusal["warnings"][0]["message"]
        assert refusal["warming"].startswith("0/")
        assert refusal["source"] == "sandbox"
        listed = await paced(clock, stage.call("list_sales_orders"))
        assert listed["rows"] == []
        assert not {"total", "has_more"} & set(listed)
        none = await paced(clock, stage.refusal("list_sales_orders", customer_id="Nobody"))
        assert none["error"] == "cold_cache"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_sales_order", {"sales_order_id": "SO-nothing"}),
        ("list_sales_orders", {"customer_id": "Nobody at all"}),
        ("list_sales_orders", {"skus_or_variant_ids": [999_999]}),
    ],
)
async def test_what_is_not_found_among_old_rows_says_how_old_they_are(
    stage: Stage, clock: ManualClock, tool: str, arguments: dict[str, object]
) -> None:
    fresh = await stage.refusal(tool, **arguments)
    assert "stale" not in fresh
    assert fresh["as_of"] == "2026-03-02T09:00:00.000Z"
    clock.advance(600)
    _break(stage, Status(503))
    await paced(clock, stage.result(tool, arguments))
    await _after_giving_up(stage, clock)
    refusal = await paced(clock, stage.refusal(tool, **arguments))
    assert refusal["error"] == "not_found"
    assert refusal["stale"]["age_seconds"] >= 640
    assert "Katana could not be read" in refusal["stale"]["reason"]
    (warning,) = refusal["warnings"]
    assert warning["message"].startswith(fresh["warnings"][0]["message"])
    assert "Katana could not be read" in warning["message"]


@pytest.mark.parametrize(
    ("collection", "entity", "tool"),
    [
        ("variants", "variant", "search_items"),
        ("products", "product", "search_items"),
        ("materials", "material", "search_items"),
        ("services", "service", "search_items"),
        ("customers", "customer", "search_customers"),
        ("sales_orders", "sales_order", "list_sales_orders"),
        ("locations", "location", "list_sales_orders"),
        ("suppliers", "supplier", "get_variant_details"),
    ],
)
async def test_a_poison_record_is_set_aside_and_all_others_are_served(
    stage: Stage, collection: str, entity: str, tool: str
) -> None:
    tenant = stage.own.sandbox.tenant()
    good = sum(1 for _ in tenant.all(collection))
    tenant.insert_raw(collection, {"name": "no id at all", "updated_at": "2026-03-01T00:00:00.000Z"})
    tenant.insert_raw(collection, {"id": {"not": "an id"}, "updated_at": "2026-03-01T00:00:00.000Z"})
    answer = await stage.call(tool, **CALLS[tool])
    assert answer.get("rows") or answer.get("variants")
    (status,) = [entry for entry in (await stage.call("cache_status"))["entities"] if entry["entity"] == entity]
    assert (status["records"], status["quarantined"]) == (good, 2)
    assert all(row["reason"] for row in status["quarantine"])


async def test_what_could_not_be_read_is_told_as_left_out_and_never_as_not_there(stage: Stage) -> None:
    stage.own.sandbox.tenant().insert_raw("sales_orders", {"id": {"not": 990_002}, "order_no": "SO-X"})
    listed = await stage.call("list_sales_orders", limit=1)
    (message,) = [warning["message"] for warning in listed["warnings"] if warning["code"] == "unread_records"]
    assert "sales_order without an id" in message
    refusal = await stage.refusal("get_sales_order", sales_order_id=990_002)
    assert refusal["warnings"][0]["message"] == f"sales order 990002 not found; {message}"
    customer = live(stage.own.sandbox.tenant(), "customers")[0]["id"]
    assert "unread_records" not in str(await stage.call("get_customer", customer_id=customer))


@pytest.mark.parametrize(
    ("stale", "warming", "message"),
    [
        (None, "5/10", "no order among the records cached so far (5/10); ask again in a moment; some were not read"),
        (
            Stale(age_seconds=9, reason="down"),
            None,
            "no order; checked against cached data 9 s old: down; some were not read",
        ),
    ],
)
def test_what_is_not_found_says_first_what_it_was_judged_by_and_then_what_was_left_out(
    stale: Stale | None, warming: str | None, message: str
) -> None:
    unread = ToolWarning(severity="advisory", code=warning_codes.UNREAD_RECORDS, message="some were not read")
    now = Current(None, stale, warming, None, [unread])
    with pytest.raises(Refused) as refused, now.refusals():
        raise Refused(blocking(warning_codes.NOT_FOUND, "no order"))
    assert [warning.message for warning in refused.value.warnings] == [message]


@pytest.mark.parametrize("broken", rest_in_turn("inventory", "customers", "sales_orders", "variants", "locations"))
async def test_the_age_of_what_is_old_is_counted_from_the_moment_that_the_answer_names(
    stage: Stage, clock: ManualClock, broken: str
) -> None:
    # Each is read at another time.
    calls: list[tuple[str, dict[str, object]]] = [
        ("get_sales_order", {"sales_order_id": live(stage.own.sandbox.tenant(), "sales_orders")[0]["id"]}),
        ("list_customers", {}),
        ("order_readiness", {}),
        ("list_blocking_ingredients", {}),
        ("check_inventory", {"skus_or_variant_ids": ["PAD"]}),
    ]
    for _ in range(2):
        for tool, arguments in calls:
            await paced(clock, stage.call(tool, **arguments))
            clock.advance(70)
    stage.own.sandbox.faults.add(Fault(f"GET /{broken}", action=Status(503), times=None))
    clock.advance(500)
    overdue = 0
    for tool, arguments in calls:
        answer = await within(clock, 60, stage.call(tool, **arguments))
        if "stale" in answer:
            age = (clock.now() - datetime.fromisoformat(answer["as_of"])).total_seconds()
            assert abs(age - answer["stale"]["age_seconds"]) <= 1, tool
            overdue += 1
    assert overdue


async def test_two_hundred_calls_at_once_share_one_sync_per_entity(stage: Stage, clock: ManualClock) -> None:
    # What was marked as moved in the very moment in which levels are asked for counts as moved since.
    stage.own.sandbox.faults.add(Fault("*", action=Delay(0.01), times=None))
    for when in ("cold", "warm"):
        before = stage.requests()
        calls = [
            stage.result(tool, arguments)
            for _ in range(29)
            for tool, arguments in CALLS.items()
            if tool != "check_inventory" or when == "cold"
        ]
        results = await paced(clock, asyncio.gather(*calls), 0.001)
        assert len(results) > 170
        assert [payload_of(result) for result in results if result.is_error] == []
        asked = Counter(request.path for request in list(stage.own.sandbox.journal)[before:])
        # Each first listing of documents that move stock makes old what was read before it.
        moving = {"/v1/sales_orders", "/v1/purchase_orders", "/v1/manufacturing_orders"} & set(asked)
        assert asked.pop("/v1/inventory", 0) <= 1 + len(moving), asked
        # What is named is asked for before the listing that has it too.
        named = {"/v1/variants", "/v1/materials"} if when == "cold" else set[str]()
        assert {path for path, times in asked.items() if times > 1} <= named, asked
        assert max(asked.values()) <= 1 + bool(named), asked
        clock.advance(700)


async def test_warm_reads_ask_katana_nothing(stage: Stage) -> None:
    for tool, arguments in CALLS.items():
        await stage.call(tool, **arguments)
    before = stage.requests()
    for tool, arguments in CALLS.items():
        await stage.call(tool, **arguments)
    assert stage.requests() == before


async def test_an_edit_made_elsewhere_shows_once_the_cache_is_no_longer_fresh(stage: Stage, clock: ManualClock) -> None:
    tenant = stage.own.sandbox.tenant()
    order = live(tenant, "sales_orders")[-1]
    await stage.call("get_sales_order", sales_order_id=order["id"])
    clock.advance(10)
    tenant.edit("sales_orders", order["id"], customer_ref="changed elsewhere")
    early = await stage.call("get_sales_order", sales_order_id=order["id"])
    clock.advance(31)
    late = await stage.call("get_sales_order", sales_order_id=order["id"])
    assert early["order"].get("customer_ref") == order["customer_ref"]
    assert late["order"]["customer_ref"] == "changed elsewhere"
    assert late["as_of"] == "2026-03-02T09:00:41.000Z"


async def test_a_new_order_and_a_deleted_one_show_in_every_tool_alike(stage: Stage, clock: ManualClock) -> None:
    tenant = stage.own.sandbox.tenant()
    before = await stage.call("list_sales_orders", limit=1)
    gone = live(tenant, "sales_orders")[-1]
    tenant.delete("sales_orders", gone["id"])
    clock.advance(31)
    after = await stage.call("list_sales_orders", limit=1)
    assert after["total"] == before["total"] - 1
    found = await stage.call("search_sales_orders", query=gone["order_no"])
    assert gone["id"] not in [row["sales_order_id"] for row in found["rows"]]
