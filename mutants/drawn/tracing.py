"""A plugin of pytest: notes which lines of the places where bugs are drawn each test runs, on any thread.

What a process that a test starts runs is not seen.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Generator, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import cast

import pytest

from mutants.drawn.drawing import files
from mutants.drawn.lines import Lines, TracedTest, write

_TOOL = 4
"""A number that `sys.monitoring` leaves to anybody."""


class Tracer:
    """Collects lines as they run, each once until it is told to begin anew."""

    def __init__(self, root: Path) -> None:
        self._names = {str(root / file): file for file in files(root)}
        self.seen: set[tuple[str, int]] = set()

    def start(self) -> None:
        """Watch what is imported from now on."""
        sys.monitoring.use_tool_id(_TOOL, "mutants")
        sys.monitoring.register_callback(_TOOL, sys.monitoring.events.LINE, self._line)
        sys.meta_path.insert(0, self)

    def begin(self) -> set[tuple[str, int]]:
        """Return what has run, and forget it."""
        seen, self.seen = self.seen, set()
        sys.monitoring.restart_events()
        return seen

    def end(self) -> set[tuple[str, int]]:
        """Return what has run, and watch no longer."""
        sys.meta_path.remove(self)
        sys.monitoring.free_tool_id(_TOOL)
        return self.seen

    def lines(self, seen: set[tuple[str, int]]) -> Lines:
        """Return lines by file, as bits."""
        found = defaultdict[str, int](int)
        for name, line in seen:
            found[self._names[name]] |= 1 << line
        return dict(found)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module as everybody does, and have it watched where it is one of those."""
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin not in self._names:
            return None
        spec.loader = _Watched(fullname, spec.origin)
        return spec

    def _line(self, code: CodeType, line: int) -> object:
        self.seen.add((code.co_filename, line))
        return sys.monitoring.DISABLE


class _Watched(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType | None:
        """Load a module's code, and have its lines told."""
        code = super().get_code(fullname)
        _watch(code)
        return code


def _watch(code: object) -> None:
    if isinstance(code, CodeType):
        sys.monitoring.set_local_events(_TOOL, code, sys.monitoring.events.LINE)
        for constant in code.co_consts:
            _watch(constant)


class ByTest:
    """Tells tests apart: the lines of a fixture that several share are those of each of them."""

    def __init__(self, tracer: Tracer, into: Path) -> None:
        self._tracer, self._into = tracer, into
        self._shared: dict[str, set[tuple[str, int]]] = {}
        self._passed: dict[str, bool] = {}
        self._runs: list[TracedTest] = []

    def pytest_collection_finish(self) -> None:
        """Set what importing ran apart."""
        self._runs.append(TracedTest("", 0.0, self._tracer.lines(self._tracer.begin())))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Note what a test runs, and how long it works: the clock would count what runs beside it."""
        self._tracer.begin()
        began = _worked()
        result = yield
        seconds = _worked() - began
        seen = self._tracer.begin()
        for name in cast("list[str]", getattr(item, "fixturenames", [])):
            seen |= self._shared.get(name, set())
        if self._passed.get(item.nodeid):
            self._runs.append(TracedTest(item.nodeid, seconds, self._tracer.lines(seen)))
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
        """Note what a fixture of more than one test runs."""
        if fixturedef.scope == "function":
            return (yield)
        before = self._tracer.begin()
        try:
            return (yield)
        finally:
            seen = self._tracer.begin()
            self._shared[fixturedef.argname] = seen
            self._tracer.seen |= before | seen

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note which tests pass: others prove nothing."""
        if report.when == "call" or not report.passed:
            self._passed[report.nodeid] = self._passed.get(report.nodeid, True) and report.passed

    def pytest_sessionfinish(self) -> None:
        """Write down what this process ran."""
        write(self._into, self._runs)


def _worked() -> float:
    """Return the processor's time of this process and of those it started and saw the end of."""
    return sum(os.times()[:4])


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the file to write to."""
    parser.addoption("--lines-into", type=Path, required=True, help="a SQLite file for the lines that each test runs")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin before anything of the packages is imported."""
    tracer = Tracer(early_config.rootpath)
    tracer.start()
    into = early_config.known_args_namespace.lines_into
    early_config.pluginmanager.register(ByTest(tracer, into), "lines by test")
