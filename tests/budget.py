"""Says at the end of a whole run how many seconds of work each package's tests took, beside what they may take.

It informs and fails nothing. Work is counted, not time: a busy machine changes little, though another machine
does, by a factor of two.
"""

import gc
import os
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

SECONDS = {
    "packages/cache_core": 25,
    "packages/cache_legacy": 2,  # goes with cache_legacy
    "packages/cache_typed": 17,
    "packages/katana_client": 19,
    "packages/katana_mcp_server": 295,
    "packages/katana_sandbox": 97,
    "packages/katana_schema": 1,
    "tests/acceptance": 29,
    "tests/contract": 74,
    "tests/surface": 70,
    "tests": 56,
}
"""Seconds of processor time, of processes that tests start too, on a slow machine: `make test` then takes 7 minutes."""

_WORK = "seconds of work"


def package_of(nodeid: str) -> str:
    """Return the longest name in the budget below which a test stands, or its first folder."""
    within = [name for name in SECONDS if nodeid.startswith(f"{name}/")]
    return max(within, key=len, default=nodeid.split("/")[0])


def lines(spent: Counter[str]) -> list[str]:
    """Return a line for each package that was tested, and one for all of them."""
    budget = {name: SECONDS.get(name, 0) for name in sorted(spent)}
    rows = [(name, spent[name], budget[name]) for name in budget] + [("all", spent.total(), sum(budget.values()))]
    return [
        f"{name:28}{seconds:8.1f} of {allowed:4} s{'  over' if seconds > allowed else ''}"
        for name, seconds, allowed in rows
    ]


class Budget:
    """Counts the work of each phase of a test where it runs, and adds up where the run is reported."""

    def __init__(self) -> None:
        self._spent: Counter[str] = Counter()
        self._seen = _worked()

    def pytest_collection_finish(self) -> None:
        """Count from here on: what was imported is nobody's alone."""
        self._seen = _worked()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note on a report what was worked since the one before."""
        report = yield
        seen, self._seen = self._seen, _worked()
        report.user_properties.append((_WORK, self._seen - seen))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what a report says to its package."""
        properties: dict[str, Any] = dict(report.user_properties)
        self._spent[package_of(report.nodeid)] += properties.get(_WORK, 0.0)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """Print the budget of a run that named no path."""
        if config.args_source is pytest.Config.ArgsSource.TESTPATHS and self._spent:
            terminalreporter.section("seconds of work, and the budget")
            terminalreporter.write("\n".join(lines(self._spent)) + "\n")


def _worked() -> float:
    """Return the processor time of this process and of those it started and saw the end of."""
    return sum(os.times()[:4])


def pytest_configure(config: pytest.Config) -> None:
    """Count."""
    config.pluginmanager.register(Budget(), "budget of the suite")


def pytest_collection_finish() -> None:
    """Keep what importing and collecting made out of every later look for garbage, and look more rarely."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    gc.enable()
