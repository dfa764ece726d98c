"""A plan's turn: its lanes are kept alive while they are held, and given up where the budget has no room."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from journal_plans import plan_of

from katana_client import Priority
from katana_mcp.journal.entries import ActionState, Entry
from katana_mcp.journal.errors import JournalBusy, LaneLost
from katana_mcp.references.services import Services
from katana_mcp.testing import within
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import blocking
from katana_mcp.writing.plan_locks import Crowded, Turn, kept, no_place, not_its_turn, room_in, turn_of
from katana_sandbox import ManualClock

NAMES = ["factory: order 1", "factory: numbers"]


async def stops_late(stopped: Callable[[], None]) -> None:
    """Wait for ever, take a while to stop, and tell of it."""
    try:
        await asyncio.Event().wait()
    finally:
        for _ in range(5):
            await asyncio.sleep(0)
        stopped()


@dataclass
class Lanes:
    """Lanes of a journal, which notes who does what; another may hold one, and the file may be busy."""

    other: str | None = None
    fails: Collection[str] = ()
    is_stuck: bool = False
    told: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])

    async def take_lanes(self, names: Collection[str], holder: str, plan: int) -> str | None:
        """Take lanes."""
        self.told.append(("take", names, holder, plan))
        if self.is_stuck:
            await asyncio.Event().wait()
        return self.other

    async def renew_lanes(self, names: Collection[str], holder: str) -> None:
        """Renew lanes."""
        self.told.append(("renew", names, holder))
        if "late" in self.fails:
            await stops_late(lambda: self.told.append(("renewed", names, holder)))
        if "renew" in self.fails:
            raise LaneLost("another has it")

    async def leave_lanes(self, holder: str) -> None:
        """Let go of lanes."""
        self.told.append(("leave", holder))
        if "leave" in self.fails:
            raise JournalBusy("held")


@dataclass
class Budget:
    """A budget in which there is room after so many seconds."""

    seconds: Callable[[int], float]
    asked: list[int] = field(default_factory=list[int])

    @property
    def budget(self) -> "Budget":
        """Itself: a client has one."""
        return self

    def room_in(self, count: int, priority: Priority) -> float:
        """Return in how many seconds there is room."""
        assert priority is Priority.WRITE
        self.asked.append(count)
        return self.seconds(len(self.asked))


def services(**parts: object) -> Services:
    """Return services that have these parts only."""
    needed = [name for name in Services._fields if name not in Services._field_defaults]
    return Services(**cast("dict[str, Any]", {**dict.fromkeys(needed), "clock": ManualClock(auto=False), **parts}))


def entry(lanes: Sequence[str] = ("order 1", "numbers"), actions: int = 2) -> Entry:
    """Return the entry of a plan that holds these lanes."""
    plan = replace(plan_of("token", ManualClock(auto=False), actions), summary="order PO-7", lanes=tuple(lanes))
    return Entry(id=3, plan=plan, state="planned", actions=(ActionState(),) * actions)


def holders(lanes: Lanes) -> set[object]:
    """Return who has done something."""
    return {what[2] if what[0] != "leave" else what[1] for what in lanes.told}


async def test_lanes_that_were_taken_are_renewed_every_five_seconds_until_the_turn_is_over() -> None:
    lanes, clock = Lanes(), ManualClock(auto=False)
    turn = turn_of(entry(), services(journal=lanes, clock=clock))
    assert (await turn.begin(), turn.names) == (None, NAMES)
    (holder,) = holders(lanes)
    await within(clock, 30, clock.sleep(14.9))
    await turn.end()
    await turn.end()
    await within(clock, 30, clock.sleep(20))
    assert lanes.told == [
        ("take", NAMES, holder, 3),
        ("renew", NAMES, holder),
        ("renew", NAMES, holder),
        ("leave", holder),
    ]


async def test_lanes_are_left_once_a_renewal_under_way_has_ended() -> None:
    lanes, clock = Lanes(fails=("late",)), ManualClock(auto=False)
    turn = Turn(NAMES, services(journal=lanes, clock=clock))
    await turn.begin()
    await within(clock, 30, clock.sleep(6))
    await turn.end()
    assert [what[0] for what in lanes.told] == ["take", "renew", "renewed", "leave"]


async def test_lanes_that_another_holds_are_neither_renewed_nor_left() -> None:
    lanes, clock = Lanes(other="factory: numbers"), ManualClock(auto=False)
    turn = turn_of(entry(), services(journal=lanes, clock=clock))
    assert await turn.begin() == "factory: numbers"
    await within(clock, 30, clock.sleep(20))
    await turn.end()
    assert [what[0] for what in lanes.told] == ["take"]


async def test_who_is_cancelled_while_it_asks_lets_go_of_what_it_may_have_got() -> None:
    lanes = Lanes(is_stuck=True)
    asking = asyncio.ensure_future(Turn(NAMES, services(journal=lanes)).begin())
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    (holder,) = holders(lanes)
    assert lanes.told == [("take", NAMES, holder, 0), ("leave", holder)]


async def test_each_turn_has_a_holder_of_its_own() -> None:
    lanes = Lanes()
    turns = [Turn(NAMES, services(journal=lanes)) for _ in range(2)]
    for turn in turns:
        await turn.go_on()
    assert (len(holders(lanes)), lanes.told[0]) == (2, ("renew", NAMES, lanes.told[0][2]))


async def test_lanes_that_were_lost_end_the_turn_quietly_but_for_who_goes_on() -> None:
    lanes, clock = Lanes(fails=("renew", "leave")), ManualClock(auto=False)
    turn = Turn(NAMES, services(journal=lanes, clock=clock))
    await turn.begin()
    await within(clock, 30, clock.sleep(20))
    with pytest.raises(LaneLost, match="another has it"):
        await turn.go_on()
    await turn.end()
    assert [what[0] for what in lanes.told] == ["take", "renew", "renew", "leave"]


async def read(seconds: float, room: Callable[[int], float]) -> tuple[object, float, list[str]]:
    """Return what comes of facts that take so long to read, when that was known, and whether they came to an end."""
    clock, ended = ManualClock(auto=False), list[str]()

    async def facts() -> str:
        try:
            await clock.sleep(seconds)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        ended.append("read")
        return "facts"

    budget = Budget(room)
    turn = Turn(NAMES, services(clock=clock, client=budget))
    try:
        found: object = await within(clock, 20, turn.reading(facts()))
    except Crowded:
        found = Crowded
    assert set(budget.asked) <= {1}
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == 1, "nothing goes on"
    return found, clock.monotonic(), ended


def room(*seconds: float) -> Callable[[int], float]:
    """Return in how many seconds there is room, at one look after the other, again and again."""
    return lambda look: seconds[look % len(seconds)]


def room_until(look: int) -> Callable[[int], float]:
    """Return that there is room until a look, and none from then on."""
    return lambda now: 0.0 if now < look else 9.0


@pytest.mark.parametrize(
    ("seconds", "room", "found", "after"),
    [
        (0, room(9.0), "facts", 0),
        (10, room(0.0), "facts", 10),
        (1.25, room(0.1), "facts", 1.25),
        (10, room(0.1), Crowded, 1.5),
        # Only without any room for more than a second it is given up.
        (10, room(0.0, 9.0, 9.0), "facts", 10),
        (10, room_until(4), Crowded, 3.0),
    ],
)
async def test_facts_are_read_as_long_as_the_budget_has_room_now_and_then(
    seconds: float, room: Callable[[int], float], found: object, after: float
) -> None:
    assert await read(seconds, room) == (found, after, ["read" if found == "facts" else "cancelled"])


async def test_facts_that_are_given_up_have_stopped_when_that_is_told() -> None:
    clock, ended = ManualClock(auto=False), list[str]()
    facts = stops_late(lambda: ended.append("stopped"))
    with pytest.raises(Crowded):
        await within(clock, 30, Turn(NAMES, services(clock=clock, client=Budget(room(9.0)))).reading(facts))
    assert ended == ["stopped"]


async def test_what_goes_wrong_while_facts_are_read_is_raised() -> None:
    async def facts() -> None:
        raise ValueError("no such order")

    with pytest.raises(ValueError, match="no such order"):
        await Turn(NAMES, services(client=Budget(lambda _: 0.0))).reading(facts())


def test_a_plan_without_lanes_shares_one_with_all_of_its_tool() -> None:
    assert turn_of(entry(lanes=()), services()).names == ["factory: create_purchase_order"]


@pytest.mark.parametrize("actions", [1, 4])
def test_a_plan_needs_room_for_two_reads_and_all_that_it_sends(actions: int) -> None:
    budget = Budget(lambda _: 2.5)
    assert room_in(entry(actions=actions), services(client=budget)) == 2.5
    assert budget.asked == [2 + actions]


def test_each_reason_to_wait_says_what_to_do() -> None:
    assert not_its_turn(entry(), "factory: order 1: x") == blocking(
        warning_codes.PLAN_RUNNING,
        "order PO-7: not applied yet, because another plan for the same record is being applied (order 1: x); "
        "nothing was written, apply it again with the same token",
        "plan_tokens",
    )
    assert kept(entry(), 5) == blocking(
        warning_codes.PLAN_RUNNING,
        "order PO-7: not applied, because another plan of the same record stopped halfway (journal entry 5): "
        "apply its token again to continue, or with roll_back to put the record back",
        "plan_tokens",
    )
    clock = ManualClock(datetime(2026, 3, 1, 12, tzinfo=UTC), auto=False)
    assert no_place(entry(), 2.5, services(clock=clock)) == blocking(
        warning_codes.KATANA_UNAVAILABLE,
        "order PO-7: not applied yet, because Katana's 60 requests of the minute are used up: nothing was written; "
        "the token stays valid, apply it again at 2026-03-01T12:00:02.500Z or later",
        "plan_tokens",
    )
