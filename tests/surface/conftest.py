"""A sandbox whose time stands still until it is moved, and a connected client."""

from collections.abc import AsyncGenerator, Callable, Generator, Hashable, Sequence
from math import inf

import pytest
from legacy_at_once import without_threads  # goes with cache_legacy
from warm_cache import start_warm

from cache_core.protocol import Stored
from cache_typed.dialect import Connection
from cache_typed.mapping import Layout
from cache_typed.reading import load, load_kept
from cache_typed.remembered import Head
from cache_typed.unchanged import Question, unchanged
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.journal import schema
from katana_mcp.testing import Stage, staged
from katana_mcp.testing.idle_loop import IdleLoop
from katana_mcp.workflows.computing import Result, Results
from katana_sandbox import ManualClock, Tenant

from .prepared import prepared


def untouched() -> OwnSandbox:
    return prepared(ManualClock(auto=False))


@pytest.fixture(autouse=True)
def warmth(request: pytest.FixtureRequest) -> None:
    """Let the servers of a test that is not marked `cold` begin with a full cache."""
    if not request.node.get_closest_marker("cold"):
        start_warm(request, untouched)


@pytest.fixture(autouse=True)
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let caches and journals work in the loop's own thread, unless a test is marked `threads`, or a slow proof."""
    if not any(request.node.get_closest_marker(name) for name in ("threads", "soak")):
        monkeypatch.setattr(IdleLoop, "threads", False)
        monkeypatch.setattr("cache_typed.transactions.LONGEST", inf)  # how long a read takes is no matter of the test
        without_threads(monkeypatch)  # goes with cache_legacy


@pytest.fixture(autouse=True)
def rows_as_they_were(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Let no tool change a row that it got: a cache gives those that it keeps to others too."""
    changed: list[object] = []

    def checked(
        db: Connection, layout: Layout, nrs: Sequence[int], heads: Sequence[Head] | None = None
    ) -> dict[int, Stored]:
        found = load_kept(db, layout, nrs, heads)
        changed.extend(stored for nr, stored in load(db, layout, list(found)).items() if stored != found[nr])
        return found

    def compared[T](db: Connection, asked: Question | None, read: Callable[[], T], *more: Callable[[T], int]) -> T:
        found = unchanged(db, asked, read, *more)
        changed.extend([] if found == read() else [found])
        return found

    for user in ("reading", "searching", "fuzzy"):
        monkeypatch.setattr(f"cache_typed.{user}.load_kept", checked)
    monkeypatch.setattr("cache_typed.reading.unchanged", compared)
    yield
    assert changed == []


class Compared(Results):
    """Computes everything anew, and holds it against what would have been returned instead."""

    def __init__(self) -> None:
        super().__init__()
        self.different: list[object] = []

    def get(self, key: Hashable, objects: tuple[object, ...]) -> None:
        """Return nothing, as if it were not kept."""

    def keep(self, key: Hashable, result: Result) -> None:
        before = super().get(key, result.of)
        self.different += [] if before is None or before.value == result.value else [(before.value, result.value)]
        super().keep(key, result)


@pytest.fixture(autouse=True)
def results_as_they_were(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Let no tool change what was computed before, nor compute it of what it does not say."""
    compared = Compared()
    monkeypatch.setattr("katana_mcp.workflows.computing._KEPT", compared)
    yield
    assert compared.different == []


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(auto=False)


@pytest.fixture
def own(clock: ManualClock) -> OwnSandbox:
    return prepared(clock)


@pytest.fixture
def tenant(own: OwnSandbox) -> Tenant:
    return own.sandbox.tenant()


@pytest.fixture
async def stage(own: OwnSandbox) -> AsyncGenerator[Stage]:
    async with staged(own) as connected:
        yield connected


@pytest.fixture
def hasty_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let journals not wait for the disk: what is tried is the order of states."""
    monkeypatch.setattr(schema, "DURABLE", "PRAGMA synchronous = OFF")
