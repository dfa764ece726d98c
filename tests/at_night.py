"""Leaves the tests that are named in `at_night.txt` to the night: they run no line that others do not run too.

So are cases of slow proofs that are marked `in_turn`: those that prove each night what they proved before.

A run that names a path, or a word with `-k`, runs them like all others; `make soak` takes one of every few, and others
the night after. `--every` leaves nothing out.
"""

from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Protocol

import pytest
from tests.nights import NIGHTS, first_step

LISTED = Path(__file__).with_suffix(".txt")
_BELOW = "  "
_IS_WHOLE = "is_whole"


class Marked(Protocol):
    """What is asked of a test: its name, and how it is marked."""

    @property
    def nodeid(self) -> str:
        """Return its name, as pytest tells it."""
        ...

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        """Return the marker of that name, or None."""
        ...


def listed() -> list[str]:
    """Return the tests that are left to the night, as pytest names them."""
    file, names = "", list[str]()
    for line in LISTED.read_text("utf-8").splitlines():
        if line.startswith(_BELOW):
            names.append(f"{file}::{line.removeprefix(_BELOW)}")
        elif not line.startswith("#"):
            file = line
    return names


def as_text(names: Iterable[str]) -> str:
    """Return the lines that list these tests: each file, and below it what it holds."""
    parted = sorted(name.split("::", 1) for name in names)
    files = groupby(parted, key=lambda pair: pair[0])
    return "".join(f"{file}\n" + "".join(f"{_BELOW}{name}\n" for _, name in pairs) for file, pairs in files)


def left(names: Sequence[str], gone: Collection[str]) -> dict[str, int]:
    """Return which of the tests are left to the night, and to which of `NIGHTS`."""
    return {name: _number(name) % NIGHTS for name in names if name in gone}


def _number(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:4])


def is_whole(config: pytest.Config) -> bool:
    """Return whether a run is of all tests, none of which was asked for; processes of a run are told by their first."""
    told: object = getattr(config, "workerinput", {}).get(_IS_WHOLE)
    if isinstance(told, bool):
        return told
    is_asked = config.args_source is not pytest.Config.ArgsSource.TESTPATHS or config.option.keyword
    return not is_asked and not config.getoption("--every")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the way to run all of them."""
    parser.addoption("--every", action="store_true", help="run what is left to the night (tests/at_night.txt) too")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Tell a process of a run whether it is of all tests."""
    config: pytest.Config = vars(node)["config"]
    vars(node)["workerinput"][_IS_WHOLE] = is_whole(config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as slow proofs what this night takes, and leave out the rest."""
    if not is_whole(config):
        return
    nights = left([item.nodeid for item in items], frozenset(listed()) - _named(items, "soak") | in_turn(items))
    stays, others = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        night = nights.get(item.nodeid)
        if night == first_step():
            item.add_marker(pytest.mark.soak)
        (stays if night in {None, first_step()} else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = stays


def in_turn(items: Sequence[Marked]) -> frozenset[str]:
    """Return the cases of slow proofs of which a night takes a share."""
    return _named(items, "soak") & _named(items, "in_turn")


def _named(items: Sequence[Marked], marker: str) -> frozenset[str]:
    return frozenset(item.nodeid for item in items if item.get_closest_marker(marker))
