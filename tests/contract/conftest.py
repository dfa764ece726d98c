"""Fixtures of the contract suite, and the rule that a skip needs a written reason."""

import tomllib
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from cache_core.protocol import CacheBackend

from .backends import CATALOGUE, KINDS, TOYS, Kind
from .dying import Nursery, nursery

_HERE = Path(__file__).parent
_LAWFUL = "lawful difference: "
_TOLD = tomllib.loads((_HERE / "exceptions.toml").read_text("utf-8"))
_EXCEPTIONS = _TOLD["exception"]
_EVERY = "all"

type OpenCache = Callable[[], Awaitable[CacheBackend]]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let one backend, or a few, be tested alone: `--backend typed`."""
    help_text = f"only these backends and flag states of the contract: {', '.join(kind.name for kind in KINDS)}; or all"
    names = [_EVERY, *(kind.name for kind in KINDS)]
    parser.addoption("--backend", action="append", choices=names, metavar="NAME", help=help_text)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out every test that is not of a chosen backend, or that is left to `make contract`."""
    chosen = config.getoption("--backend", None) or ()
    if _EVERY in chosen:
        return
    left_out = [item for item in items if (_kind_of(item) not in chosen if chosen else _is_left(item))]
    if left_out:
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]
        config.hook.pytest_deselected(items=left_out)


def _is_left(item: pytest.Item) -> bool:
    """Return whether `exceptions.toml` leaves a test to `make contract`; the slow proofs are whole."""
    kind = _kind_of(item)
    if kind is None or _HERE not in item.path.parents or item.get_closest_marker("soak"):
        return False
    return any(fnmatchcase(kind, row["backend"]) and item.path.stem in row["modules"] for row in _TOLD["left"])


def _kind_of(item: pytest.Item) -> str | None:
    callspec = getattr(item, "callspec", None)
    kind = callspec.params.get("kind") if callspec else None
    return kind.name if isinstance(kind, Kind) else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip that `exceptions.toml` does not explain into a failure."""
    report = yield
    if report.skipped and _HERE in item.path.parents and _LAWFUL not in str(report.longrepr):
        report.outcome = "failed"
    return report


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Return the backend under test."""
    return request.param


@pytest.fixture
async def open_cache(kind: Kind, tmp_path: Path) -> AsyncGenerator[OpenCache]:
    """Return what opens another object of the kind over the same directory; all are closed at the end."""
    opened: list[CacheBackend] = []

    async def open_one() -> CacheBackend:
        cache = kind.make(TOYS, tmp_path)
        opened.append(cache)
        await cache.open()
        return cache

    yield open_one
    for cache in opened:
        await cache.close()


@pytest.fixture
async def cache(open_cache: OpenCache) -> CacheBackend:
    """Return an open, empty cache of the kind under test."""
    return await open_cache()


@pytest.fixture
async def world_cache(kind: Kind, tmp_path: Path) -> AsyncGenerator[CacheBackend]:
    """Return an open, empty cache of the kind under test for the real entities."""
    cache = kind.make(CATALOGUE, tmp_path)
    await cache.open()
    yield cache
    await cache.close()


@pytest.fixture
def persistence(kind: Kind) -> None:
    """Ask for a backend that keeps its rows in files."""
    _require(kind, "persistence")


@pytest.fixture
def one_file(kind: Kind) -> None:
    """Ask for a backend that keeps its rows in one file."""
    _require(kind, "one file")


def _require(kind: Kind, feature: str) -> None:
    if feature in kind.features:
        return
    named = (
        entry for entry in _EXCEPTIONS if fnmatchcase(kind.name, entry["backend"]) and feature in entry["features"]
    )
    exception = next(named, None)
    if exception is None:
        pytest.fail(f"{kind.name} lacks {feature}, and exceptions.toml does not say why")
    pytest.skip(_LAWFUL + exception["reason"])


@pytest.fixture(scope="session")
def dying() -> Generator[Nursery]:
    """Return what runs processes that die or find no room."""
    with nursery() as program:
        yield program
