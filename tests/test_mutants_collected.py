"""A bug is put into a fork of the process that has collected the tests, and never stays in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from mutants.drawn.collected import Bug, Collected, Found, Job, collected
from mutants.drawn.drawing import PLACES
from mutants.forks import FORKS, NO_END
from mutants.trying import changed

CODE = """import functools

LATE = "late"

def _doubled(number):
    return number * 2

AT_IMPORT = _doubled(1)

@functools.cache
def cached(number):
    return number + 1

class Thing:
    @property
    def name(self):
        return "a"

    @name.setter
    def name(self, value):
        self.value = value

def outer():
    inner = lambda: 3
    return inner()

def closed(number):
    return lambda: number
"""
LATER = "def later():\n    return 1\n"
TESTS = """import os, subprocess, sys, time
import pytest
from cache_typed import code

@pytest.fixture(scope="session")
def shared():
    yield 1
    if code._doubled(1) == 6:
        raise ValueError("when all is over")

def test_import():
    assert code.AT_IMPORT == 2

@pytest.mark.parametrize("number", [1, 2])
def test_cached(number, tmp_path):
    assert code.cached(number) == number + 1
    (tmp_path / "a").write_text("a")

def test_name():
    thing = code.Thing()
    thing.name = 5
    assert (thing.name, thing.value) == ("a", 5)

def test_outer():
    assert code.outer() == 3

def test_later():
    from cache_typed import later
    assert later.later() == 1

def test_process():
    program = "from cache_typed import code; print(code.outer())"
    assert subprocess.check_output([sys.executable, "-c", program]) == b"3\\n"

def test_shared(shared):
    pass

def test_slow():
    time.sleep(60 if code.outer() == 9 else 0)
"""
FILE, AFTER = f"{PLACES[1]}/code.py", f"{PLACES[1]}/later.py"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collected]:
    """Return a small tree with its tests collected."""
    tree = tmp_path_factory.mktemp("tree")
    (tree / FILE).parent.mkdir(parents=True)
    for name, text in {FILE: CODE, AFTER: LATER, f"{PLACES[1]}/__init__.py": "", "test_it.py": TESTS}.items():
        (tree / name).write_text(text)
    FORKS.set_forkserver_preload([])  # nothing of it is used
    with collected([tree], ["test_it.py"]) as (one,):
        yield one


def tried(place: Collected, old: str, new: str, *tests: str, file: str = FILE, line: int = 99) -> Found:
    """Run tests with a text of a file replaced."""
    before = (place.tree / file).read_text("utf-8")
    assert before.count(old) == 1
    after = before.replace(old, new)
    with changed(place.tree / file, lambda _: after):
        return place.run(Job(Bug(file, before, after, ((line, line),)), tests or ("test_it.py",), 30, 50))


@pytest.mark.parametrize(
    ("old", "new", "test"),
    [
        ("number + 1", "number - 1", "test_cached[1]"),
        ('return "a"', 'return "b"', "test_name"),
        ("self.value = value", "pass", "test_name"),
        ("lambda: 3", "lambda: 4", "test_outer"),
    ],
)
def test_what_was_imported_has_the_bug_and_only_in_its_fork(place: Collected, old: str, new: str, test: str) -> None:
    found = tried(place, old, new)
    assert (found.code, found.detail) == (1, f"test_it.py::{test}")
    again = place.run(Job(None, ("test_it.py",), 30, 50))
    assert (again.code, again.detail) == (0, "")


def test_what_is_imported_later_or_elsewhere_reads_the_bug(place: Collected) -> None:
    assert tried(place, "return 1", "return 2", file=AFTER).detail == "test_it.py::test_later"
    assert tried(place, "lambda: 3", "lambda: 4", "test_it.py::test_process").detail == "test_it.py::test_process"


def test_tests_are_run_in_the_order_asked_for_and_no_others(place: Collected) -> None:
    wrong = ("number + 1", "number - 1")
    assert tried(place, *wrong, "test_it.py::test_cached[2]", "test_it.py").detail == "test_it.py::test_cached[2]"
    assert tried(place, *wrong, "test_it.py::test_outer").code == 0
    assert tried(place, *wrong, "test_it.py::test_cached").detail == "test_it.py::test_cached[1]"
    nothing = tried(place, *wrong, "test_it.py::gone")
    assert (nothing.code, nothing.detail) == (4, "no such test: test_it.py::gone")


def test_what_ends_a_shared_fixture_counts(place: Collected) -> None:
    assert tried(place, "number * 2", "number * 6", "test_it.py::test_shared").detail == "test_it.py::test_shared"


def test_what_does_not_end_is_ended(place: Collected) -> None:
    before = (place.tree / FILE).read_text("utf-8")
    bug = Bug(FILE, before, before.replace("lambda: 3", "lambda: 9"), ())
    assert place.run(Job(bug, ("test_it.py::test_slow",), 30, 0.3)).code == NO_END
    assert place.run(Job(bug, ("test_it.py::test_slow",), 1, 30)).detail == "test_it.py::test_slow"


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ("number * 2", "number * 3", 6, "importing runs it"),
        ("lambda: number", "lambda: 1", 99, ""),
        ("def closed(number):\n    return lambda: number\n", "", 99, "closed is no longer there"),
    ],
)
def test_a_bug_that_a_fork_cannot_have_is_told(place: Collected, old: str, new: str, line: int, why: str) -> None:
    found = tried(place, old, new, line=line)
    assert (found.code, found.detail) == (None if why else 0, why)


def test_tests_that_cannot_be_collected_are_told(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("import nothing_of_the_kind\n")
    with (
        pytest.raises(RuntimeError, match=r"could not be collected(?s:.)*nothing_of_the_kind"),
        collected([tmp_path], ["test_it.py"]),
    ):
        pass
