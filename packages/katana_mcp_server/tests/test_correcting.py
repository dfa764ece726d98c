"""Corrections of received purchase orders: the same end whatever happens at whatever step, or all as it was before."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from correcting_steps import CASES, WRITES, brought_to_its_end, planned, tried
from journal_plans import hasty

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.journal.entries import GONE_AFTER
from katana_mcp.journal.errors import JournalUnusable
from katana_mcp.journal.file import JournalFile
from katana_mcp.testing import Setup, Stage, staged
from katana_sandbox import Drop, Fault, ManualClock, Mutate, Status, Tenant
from katana_sandbox.faults.actions import Action

_APART = 13
TROUBLES: Mapping[str, Action] = {"lost": Drop("after"), "never came": Drop("before"), "refused": Status(503)}


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def struck(own: OwnSandbox) -> int:
    """Return how many requests a fault has struck."""
    return sum(request.fault is not None for request in own.sandbox.journal)


def _grid(*troubles: str) -> list[Any]:
    """Return all troubles in turn for an order of each kind, of one size of some; each by itself is slow."""
    slow = [
        pytest.param(size, (trouble,), id=f"{size}-{trouble}", marks=pytest.mark.soak)
        for size in CASES
        for trouble in troubles
    ]
    marks = {size: [pytest.mark.soak] for size in ("large", "small sale", "large make")}
    in_turn = [pytest.param(size, troubles, id=f"{size}-each in turn", marks=marks.get(size, [])) for size in CASES]
    return [*in_turn, *slow]


@pytest.mark.in_turn
@pytest.mark.parametrize(("size", "troubles"), _grid(*TROUBLES))
async def test_trouble_at_any_step_leads_to_the_same_end(
    stage: Stage, tenant: Tenant, clock: ManualClock, size: str, troubles: tuple[str, ...]
) -> None:
    case = CASES[size]
    order, preview = await planned(stage, tenant, case, "PO-900")
    outcome = await brought_to_its_end(stage, clock, preview["plan_token"])
    end, steps = case.shape(tenant, order["id"]), len(preview["requests"])
    assert outcome["applied"] == steps
    for met, step in enumerate(_some(size, steps, troubles), 1):
        order, preview = await planned(stage, tenant, case, f"PO-{900 + step}")
        stage.own.sandbox.faults.add(Fault(WRITES, nth=step, action=_one(size, troubles, step)))
        await tried(stage, clock, preview["plan_token"])
        assert struck(stage.own) == met, "the trouble came"
        stage.own.sandbox.faults.clear()
        last = await brought_to_its_end(stage, clock, preview["plan_token"])
        assert (case.shape(tenant, order["id"]), last["applied"]) == (end, steps), step


def _some(size: str, steps: int, troubles: tuple[str, ...]) -> range:
    """Return every step; of larger orders some where troubles take turns, as each by itself is slow."""
    return range(1, steps + 1, _apart(size) if len(troubles) > 1 else 1)


def _apart(size: str) -> int:
    return 1 if size == "small" else _APART


def _one(size: str, troubles: tuple[str, ...], step: int) -> Action:
    return TROUBLES[troubles[step // _apart(size) % len(troubles)]]


@pytest.mark.in_turn
@pytest.mark.parametrize(("size", "troubles"), _grid("never came", "refused"))
async def test_what_stopped_at_any_step_is_rolled_back_to_what_was_before(
    stage: Stage, tenant: Tenant, clock: ManualClock, size: str, troubles: tuple[str, ...]
) -> None:
    case = CASES[size]
    order, preview = await planned(stage, tenant, case, "PO-900")
    for step in _some(size, len(preview["requests"]), troubles):
        order, preview = await planned(stage, tenant, case, f"PO-{900 + step}")
        before, held = case.shape(tenant, order["id"]), case.stock(tenant, order)
        stage.own.sandbox.faults.add(Fault(WRITES, nth=step, action=_one(size, troubles, step)))
        stopped = await tried(stage, clock, preview["plan_token"])
        assert "roll_back=true" in stopped["message"], stopped["message"]
        stage.own.sandbox.faults.clear()
        last = await brought_to_its_end(stage, clock, preview["plan_token"], roll_back=True)
        assert last["message"].startswith("done: roll back"), last["message"]
        assert (case.shape(tenant, order["id"]), case.stock(tenant, order)) == (before, held), step
        assert tenant.get(f"{case.kind}s", order["id"])["order_no"] == order["order_no"]
        sent = len(stage.own.sandbox.journal)
        assert (await tried(stage, clock, preview["plan_token"]))["message"] == last["message"]
        assert len(stage.own.sandbox.journal) == sent or step == 1


@contextmanager
def killed(own: OwnSandbox, monkeypatch: pytest.MonkeyPatch, step: int, *, is_done: bool) -> Generator[None]:
    """Let a server be gone at a request that changes something: from then on it notes nothing, and sends nothing."""

    def gone(*_: object) -> None:
        raise JournalUnusable("the server was killed")

    def die(_: Tenant) -> None:
        patch.setattr(JournalFile, "_transaction", gone)

    own.sandbox.faults.add(Fault(WRITES, nth=step, action=Mutate(change=die, when="after" if is_done else "before")))
    if not is_done:
        own.sandbox.faults.add(Fault(WRITES, nth=step, action=Drop("before")))
    with monkeypatch.context() as patch:
        yield
    own.sandbox.faults.clear()


@dataclass(frozen=True)
class Kept:
    """What outlives a server: where its journal is; and what a test changes of the code."""

    root: Path
    patch: pytest.MonkeyPatch


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    return Kept(tmp_path, monkeypatch)


@pytest.mark.parametrize(("size", "kills"), _grid("after", "before"))
async def test_a_server_that_is_killed_at_any_step_leaves_the_rest_to_the_next_one(
    own: OwnSandbox, clock: ManualClock, kept: Kept, size: str, kills: tuple[str, ...]
) -> None:
    setup, case, tenant = Setup(cache_dir=kept.root), CASES[size], own.sandbox.tenant()
    async with staged(own, setup) as stage:
        order, preview = await planned(stage, tenant, case, "PO-900")
        await brought_to_its_end(stage, clock, preview["plan_token"])
    end, steps = case.shape(tenant, order["id"]), len(preview["requests"])
    for step in _some(size, steps, kills):
        clock.advance(61)
        async with staged(own, setup) as stage:
            order, preview = await planned(stage, tenant, case, f"PO-{900 + step}")
            with killed(own, kept.patch, step, is_done=kills[step % len(kills)] == "after"):
                await tried(stage, clock, preview["plan_token"])
        clock.advance(GONE_AFTER.total_seconds())
        async with staged(own, setup) as stage:
            last = await brought_to_its_end(stage, clock, preview["plan_token"])
        assert (case.shape(tenant, order["id"]), last["applied"]) == (end, steps), step
