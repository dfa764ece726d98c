"""Questions about a whole account wait for a cold cache, say how far they are, and go on where they ended."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest

from cache_core.specs.customers import CUSTOMER
from cache_core.specs.variants import VARIANT
from cache_core.sync import Progress
from katana_client import Priority, SlidingWindowBudget
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.server.mcp.progress import ProgressReports
from katana_mcp.testing import Payload, Stage, payload_of, staged, within
from katana_sandbox import Delay, Fault, ManualClock, Sandbox, SandboxConfig

if TYPE_CHECKING:
    from fastmcp import Context

LOW, BLOCKING = "list_low_stock_items", "list_blocking_ingredients"
MOST = 40.5
"""Seconds: clients give a call up after 60."""


@dataclass(slots=True)
class Heard:
    """What was reported of a call."""

    done: list[float] = field(default_factory=list[float])
    totals: list[float | None] = field(default_factory=list[float | None])
    messages: list[str] = field(default_factory=list[str])

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        self.done.append(progress)
        self.totals.append(total)
        self.messages.append(message or "")


async def _asked(stage: Stage, clock: ManualClock, tool: str, arguments: Mapping[str, object]) -> tuple[Payload, Heard]:
    """Return what the tool answers within the time that it may take, and what was reported meanwhile."""
    heard = Heard()
    call = stage.client.call_tool(tool, dict(arguments), raise_on_error=False, progress_handler=heard)
    return payload_of(await within(clock, MOST, call)), heard


def _account(clock: ManualClock, variants: int, seconds: float) -> OwnSandbox:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=variants), clock=clock))
    own.sandbox.faults.add(Fault("*", action=Delay(seconds), times=None))
    return own


@pytest.mark.parametrize("tool", [LOW, pytest.param(BLOCKING, marks=pytest.mark.soak)])
async def test_a_cold_account_is_waited_for_and_answered_whole_in_one_call(tool: str) -> None:
    clock = ManualClock(auto=False)
    own = _account(clock, 2_000, 0.8)
    async with staged(own) as stage:
        began = clock.monotonic()
        cold, heard = await _asked(stage, clock, tool, {"limit": 20})
        assert 5 < clock.monotonic() - began <= MOST
        assert [name for name in ("warming", "stale", "total_is_lower_bound") if name in cold] == []
        assert [warning["code"] for warning in cold["warnings"] if warning["code"] != "truncated_result"] == []
        assert not any("again" in action for action in cold["next_actions"])
        warm = payload_of(await within(clock, MOST, stage.client.call_tool(tool, {"limit": 20})))
        assert (cold["rows"], cold["total"]) == (warm["rows"], warm["total"])
        assert cold["rows"]
    assert own.sandbox.max_requests_in_window() <= 60
    assert len(heard.done) > 5
    assert heard.done == sorted(set(heard.done))
    assert set(heard.totals) == {heard.done[-1]}
    assert any(message.startswith("syncing variants: 250/2") for message in heard.messages)
    assert any(message.startswith("syncing inventory: ") for message in heard.messages)


async def test_an_answer_that_waits_for_nothing_does_not_ask_when_a_request_may_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = list[int]()
    room_in = SlidingWindowBudget.room_in

    def counted(budget: SlidingWindowBudget, places: int, priority: Priority) -> float:
        asked.append(places)
        return room_in(budget, places, priority)

    monkeypatch.setattr(SlidingWindowBudget, "room_in", counted)
    clock = ManualClock(auto=False)
    async with staged(_account(clock, 200, 0.1)) as stage:
        await _asked(stage, clock, LOW, {"limit": 20})
        assert asked
        asked.clear()
        await _asked(stage, clock, LOW, {"limit": 20})
        assert asked == []


async def test_a_trace_waits_for_a_cold_account_too() -> None:
    clock = ManualClock(auto=False)
    own = _account(clock, 500, 0.8)
    made = next(order["order_no"] for order in own.sandbox.tenant().all("manufacturing_orders") if order["done_date"])
    async with staged(own) as stage:
        began = clock.monotonic()
        cold, _ = await _asked(stage, clock, "trace", {"number": made})
        assert 10 < clock.monotonic() - began <= MOST
        warm, _ = await _asked(stage, clock, "trace", {"number": made})
    assert cold["rows"]
    assert {name: cold[name] for name in ("rows", "lots", "warnings")} == {
        name: warm[name] for name in ("rows", "lots", "warnings")
    }


async def test_an_account_that_is_too_large_for_one_call_says_how_far_it_is_and_goes_on_from_there() -> None:
    clock = ManualClock(auto=False)
    own = _account(clock, 3_000, 2)
    answers: list[Payload] = []
    async with staged(own) as stage:
        while not answers or any("again" in action for action in answers[-1]["next_actions"]):
            answer, heard = await _asked(stage, clock, LOW, {"limit": 3})
            assert heard.done == sorted(set(heard.done))
            assert all(
                total is not None and done <= total for done, total in zip(heard.done, heard.totals, strict=True)
            )
            answers.append(answer)
            again = re.search(r"again in (\d+) s", str(answer["next_actions"]))
            clock.advance(int(again[1]) if again else 0)
            assert len(answers) < 12
    assert "warming" in answers[0]
    assert "the first sync is at" in answers[0]["next_actions"][-1]
    assert "it goes on from there" in answers[0]["next_actions"][-1]
    checked = [reply["checked"] for reply in answers]
    assert checked == sorted(checked)
    assert any(0 < reply["checked"] < reply["variants"] and "warming" not in reply for reply in answers)
    assert answers[-1]["checked"] == answers[-1]["variants"] > 2_000
    assert "total_is_lower_bound" not in answers[-1]
    assert own.sandbox.max_requests_in_window() <= 60
    pages = Counter(dict(request.query).get("page") for request in own.sandbox.requests(path="/variants"))
    assert [page for page, count in pages.items() if page not in {None, "1"} and count > 2] == []


class _Context:
    """Stands for the client that a call reports to."""

    def __init__(self) -> None:
        self.reports: list[tuple[float, float | None, str | None]] = []

    async def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        self.reports.append((progress, total, message))


async def test_what_others_read_is_no_progress_of_this_call() -> None:
    context = _Context()
    reports = ProgressReports(cast("Context", context), {CUSTOMER.name: CUSTOMER, VARIANT.name: VARIANT})
    reports.expect(["customer"])
    reports.overhear(Progress("variant", 250, 600))
    reports.overhear(Progress("customer", 20, 40))
    reports.overhear(Progress("variant", 600, 600))
    reports.end(whole=True)
    await reports.close()
    assert context.reports == [(0.5, 1, "syncing customers: 20/40"), (1.0, 1, "read")]


@pytest.mark.parametrize("tool", [LOW, pytest.param(BLOCKING, marks=pytest.mark.soak)])
async def test_without_a_request_left_it_answers_with_what_it_has_and_says_when_to_come_back(tool: str) -> None:
    clock = ManualClock(auto=False)
    own = OwnSandbox(Sandbox(SandboxConfig(variants=600), clock=clock))
    async with staged(own) as stage:
        variants = (variant["id"] for variant in own.sandbox.tenant().all("variants"))
        while clock.monotonic() < 1:  # until one has to wait
            await stage.call("check_inventory", skus_or_variant_ids=[next(variants)])
        began = clock.monotonic()
        answer, _ = await _asked(stage, clock, tool, {"limit": 1})
        assert clock.monotonic() - began < 9
        (action,) = [next_action for next_action in answer["next_actions"] if "again" in next_action]
        again = re.search(r"again in (\d+) s, when Katana takes requests again", action)
        assert again is not None
        assert 40 <= int(again[1]) <= 60
