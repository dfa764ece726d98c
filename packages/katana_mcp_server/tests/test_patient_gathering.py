"""How long the facts of a plan are waited for, what is told meanwhile, and what a refusal says of it."""

import asyncio
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import pytest

from cache_core.protocol import Standing, SyncState
from katana_client import Priority
from katana_mcp.references.services import Services
from katana_mcp.testing import within
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking
from katana_mcp.writing.change import AnyChange, Change, Draft
from katana_mcp.writing.gathering import gathered, in_time
from katana_sandbox import ManualClock

PLACE = "one of Katana's 60 requests a minute"
MISSED = "not all data for the plan could be read from Katana, so nothing was done"


@dataclass
class Reads:
    """All that gathering uses: it notes what it is told, and says in how many seconds a request finds a place.

    Attributes:
        seconds: until a request finds a place.
        cold: entities that were never read.
        waits: how long reads wait, each time that was said.
        told: what was begun and what is over.
    """

    seconds: float = 0.0
    cold: Collection[str] = ()
    waits: list[float] = field(default_factory=list[float])
    told: list[object] = field(default_factory=list[object])

    @property
    def budget(self) -> "Reads":
        """Itself: a client has one."""
        return self

    def expected(self, priority: Priority) -> float:
        """Return in how many seconds a request finds a place."""
        assert priority is Priority.WRITE
        return self.seconds

    def waiting(self, seconds: Callable[[], float]) -> Self:
        """Return reads that wait so long."""
        self.waits.append(seconds())
        return replace(self, told=[*self.told, seconds()])

    async def standings(self, entities: Sequence[str]) -> dict[str, Standing]:
        """Return which of the entities were read."""
        states = {name: SyncState(completed_at=None if name in self.cold else "2026") for name in entities}
        return {name: Standing(state, quarantined=False) for name, state in states.items()}

    @contextmanager
    def awaited(self, entities: Collection[str]) -> Generator[None]:
        """Note which first listings are waited for."""
        self.told.append(("first", entities))
        yield
        self.told.append("over")

    def priority(self, priority: Priority) -> AbstractContextManager[None]:
        """Note on which share requests are made."""
        return self.awaited([priority.name])


def services(reads: Reads, clock: ManualClock, until: float | None = None) -> tuple[Services, list[tuple[float, str]]]:
    """Return services that read like this, and what is noted, each with its time."""
    noted = list[tuple[float, str]]()
    needed = [name for name in Services._fields if name not in Services._field_defaults]
    parts: dict[str, object] = {
        **dict.fromkeys(needed),
        "cache": reads,
        "fresh": reads,
        "client": reads,
        "awaited": reads.awaited,
    }

    def note(text: str) -> None:
        noted.append((clock.monotonic(), text))

    parts |= {"clock": clock, "note": note, "until": until}
    return Services(**cast("dict[str, Any]", parts)), noted


def change(
    clock: ManualClock, seconds: float = 0.0, refusal: Refused | None = None, reads: tuple[str, ...] = ()
) -> AnyChange:
    """Return a change whose facts take so long to read: the services that they are read with."""

    async def gather(request: Request, patient: Services) -> Services:
        assert type(request) is Request
        await clock.sleep(seconds)
        if refusal is not None:
            raise refusal
        return patient

    def plan(request: Request, facts: Services) -> Draft:
        return Draft(summary=f"{request} {facts}")

    def checks(request: Request, facts: Services) -> list[ToolWarning]:
        return [unread(f"{request} {facts}")]

    return Change(request=Request, gather=gather, plan=plan, checks=checks, reads=reads)


async def refused(
    reads: Reads, seconds: float, refusal: Refused | None = None, until: float | None = None
) -> tuple[Refused, float, list[tuple[float, str]]]:
    """Return how a plan is refused whose facts take so long to read, when, and what was noted before."""
    clock = ManualClock(auto=False)
    clock.advance(100)
    asked, noted = services(reads, clock, until)
    with pytest.raises(Refused) as raised:
        await within(clock, 2_000, gathered(change(clock, seconds, refusal), Request(), asked))
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == 1, "nothing goes on"
    return raised.value, round(clock.monotonic() - 100, 3), noted


def test_a_call_waits_for_its_plan_forty_seconds() -> None:
    clock = ManualClock(auto=False)
    clock.advance(7)
    asked, _ = services(Reads(), clock, 3.0)
    assert in_time(asked) == asked._replace(until=47.0)


@pytest.mark.parametrize(
    ("until", "waits"), [(None, 35.0), (140.0, 35.0), (120.0, 15.0), (115.0, 10.0), (112.0, 10.0), (101.0, 10.0)]
)
async def test_single_reads_wait_a_little_shorter_than_the_plan(until: float | None, waits: float) -> None:
    reads, clock = Reads(), ManualClock(auto=False)
    clock.advance(100)
    asked, noted = services(reads, clock, until)
    patient = cast("Services", await within(clock, 9, gathered(change(clock, 1.9), Request(), asked)))
    assert (reads.waits, patient.fresh, noted) == ([waits], replace(reads, told=[waits]), [])
    assert patient._replace(fresh=asked.fresh) == asked


async def test_first_listings_are_waited_for_on_the_share_of_writes() -> None:
    reads, clock = Reads(cold=("b", "c")), ManualClock(auto=False)
    asked, _ = services(reads, clock)
    await within(clock, 9, gathered(change(clock, reads=("a", "b", "c")), Request(), asked))
    assert reads.told == [("first", ["b", "c"]), ("first", ["WRITE"]), "over", "over"]


@pytest.mark.parametrize(
    ("until", "after", "waited"), [(None, 40, 40), (120.0, 20, 40), (110.0, 10, 40), (105.0, 10, 45)]
)
async def test_what_is_not_read_in_time_is_refused_with_how_long_it_was_waited_for(
    until: float | None, after: float, waited: int
) -> None:
    refusal, seconds, _ = await refused(Reads(), 1_000, until=until)
    message = f"{MISSED}; waited {waited} s for its answer: ask again in 10 s"
    assert (refusal.warnings, seconds) == ((blocking(warning_codes.KATANA_UNAVAILABLE, message),), after)


@pytest.mark.parametrize(
    ("expected", "why"),
    [
        (0.0, "its answer: ask again in 10 s"),
        (0.5, f"{PLACE}: ask again in 10 s"),
        (10.4, f"{PLACE}: ask again in 10 s"),
        (30.0, f"{PLACE}: ask again in 30 s"),
        (60.0, f"{PLACE}: ask again in 60 s"),
        (90.0, f"{PLACE}: ask again in 60 s"),
    ],
)
async def test_it_is_said_when_to_ask_again(expected: float, why: str) -> None:
    refusal, _, _ = await refused(Reads(expected), 1_000)
    message = f"{MISSED}; waited 40 s for {why}"
    assert refusal.warnings == (blocking(warning_codes.KATANA_UNAVAILABLE, message),)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (0.0, "waiting for Katana to answer"),
        (0.5, f"waiting for {PLACE}"),
        (1.0, f"waiting for {PLACE}; a place is free in about 1 s"),
        (9.6, f"waiting for {PLACE}; a place is free in about 10 s"),
        (60.0, f"waiting for {PLACE}; a place is free in about 60 s"),
        (60.1, f"waiting for {PLACE}"),
    ],
)
async def test_what_is_waited_for_is_told_again_and_again(expected: float, text: str) -> None:
    _, _, noted = await refused(Reads(expected), 1_000, until=111.0)
    assert noted == [(102.0, text), (107.0, text)]
    clock = ManualClock(auto=False)
    asked, noted = services(Reads(expected), clock)
    await within(clock, 9, gathered(change(clock, 8), Request(), asked))
    assert noted == [(2.0, text), (7.0, text)]


def unread(path: str | None = "rows") -> ToolWarning:
    """Return that something could not be read."""
    return blocking(warning_codes.KATANA_UNAVAILABLE, "suppliers could not be read", path)


@pytest.mark.parametrize(
    ("seconds", "until", "waited"), [(0.9, None, None), (1.0, None, 1), (3.4, None, 3), (0, 139.0, 1), (0, 139.5, None)]
)
async def test_a_refusal_says_how_long_katana_was_waited_for_in_vain(
    seconds: float, until: float | None, waited: int | None
) -> None:
    missing = blocking(warning_codes.NOT_FOUND, "no such supplier", "supplier")
    given = Refused(unread(), missing, envelope={"as_of": "2026"})
    refusal, _, _ = await refused(Reads(), seconds, given, until)
    message = f"suppliers could not be read; waited {waited} s for its answer: ask again in 10 s"
    told = unread() if waited is None else blocking(warning_codes.KATANA_UNAVAILABLE, message, "rows")
    assert (refusal.warnings, refusal.envelope) == ((told, missing), {"as_of": "2026"})


async def test_who_is_cancelled_leaves_nothing_running() -> None:
    clock, ended = ManualClock(auto=False), list[str]()

    async def gather(request: Request, patient: Services) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(5):
                await asyncio.sleep(0)
            ended.append(type(request).__name__ + str(patient.tenant))

    asked, _ = services(Reads(), clock)
    never: Callable[[Any, Any], Any] = gather
    with pytest.raises(TimeoutError):
        await within(clock, 10, gathered(replace(change(clock), gather=never), Request(), asked))
    for _ in range(20):
        await asyncio.sleep(0)
    assert (ended, len(asyncio.all_tasks())) == (["RequestNone"], 1)
    with pytest.raises(Refused):
        await within(clock, 50, gathered(replace(change(clock), gather=never), Request(), asked))
    assert ended == ["RequestNone"] * 2, "what is given up has stopped when that is told"
