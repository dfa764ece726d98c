"""Which lines each test runs is traced once, kept, and traced anew where it may be other ones."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from mutants.drawn import keeping
from mutants.drawn.drawing import PLACES
from mutants.drawn.keeping import differing, traced
from mutants.drawn.lines import Test, Trace, TracedTest, concerned, forget, sources, write, write_sources
from mutants.model import ROOT

PLACE = f"{PLACES[0]}/a.py"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Return a trace of two tests and of what was imported."""
    path = tmp_path / "lines.db"
    imported = TracedTest("", 0, {"f.py": 0b110, "g.py": 0b10, "packages/p/src/f.py": 0b10})
    write(path, [TracedTest("test_a.py::a", 0.5, {"f.py": 0b11000}), imported])
    write(path, [TracedTest("test_b.py::b", 0.25, {"f.py": 0b110000, "h.py": 0b10})])
    write(path, [TracedTest(f"packages/{name}/tests/test_c.py::c", 0.25, {}) for name in ("p", "pq")])
    return path


@pytest.mark.parametrize(
    ("file", "spans", "names"),
    [
        ("f.py", ((3, 3), (3, 4), (3, 9)), ["test_a.py::a"]),
        ("f.py", ((4, 4), (3, 4), (3, 9)), ["test_a.py::a", "test_b.py::b"]),
        ("f.py", ((6, 6), (5, 7), (3, 9)), ["test_b.py::b"]),
        ("f.py", ((8, 8), (8, 9), (3, 9)), []),
        ("f.py", ((1, 1), (1, 1), (1, 3)), ["test_a.py::a"]),
        ("f.py", ((1, 1), (1, 1), (1, 2)), ["test_a.py::a", "test_b.py::b"]),
        ("g.py", ((1, 1), (1, 1), (1, 2)), []),
        ("i.py", ((1, 1), (1, 1), (1, 2)), []),
        # Where nothing but an import runs any of a file, its package's tests notice that it cannot be imported.
        ("packages/p/src/f.py", ((1, 1), (1, 1), (1, 2)), ["packages/p/tests/test_c.py::c"]),
    ],
)
def test_a_bug_has_the_tests_that_run_its_line(
    kept: Path, file: str, spans: tuple[tuple[int, int], ...], names: list[str]
) -> None:
    assert [test.name for test in Trace(kept).tests(file, spans)] == names


def test_a_test_has_its_time_and_its_size(kept: Path) -> None:
    assert Trace(kept).tests("h.py", ((1, 1), (1, 1))) == [Test("test_b.py::b", 0.25, 3)]


@pytest.mark.parametrize(
    ("files", "tests", "left", "rows"),
    [
        (["test_a.py"], ["test_a.py"], ["test_b.py::b"], 7),
        ([PLACE], ["test_a.py", "test_d.py"], ["test_b.py::b"], 5),
        (["test_b.py", PLACE], ["test_a.py", "test_b.py", "test_d.py"], [], 3),
        ([f"{PLACES[0]}/new.py"], [], ["test_a.py::a", "test_b.py::b"], 9),
    ],
)
def test_what_is_traced_anew_is_forgotten_first(
    kept: Path, files: list[str], tests: list[str], left: list[str], rows: int
) -> None:
    write(kept, [TracedTest("test_a.py::a2", 0.5, {PLACE: 0b10}), TracedTest("", 0, {PLACE: 0b100})])
    write(kept, [TracedTest("test_d.py::d", 0.5, {PLACE: 0b10})])
    assert concerned(kept, files) == tests
    forget(kept, {*tests, *files})
    assert [test.name for test in Trace(kept).tests("f.py", ((4, 4), (4, 4)))] == left
    with closing(sqlite3.connect(kept)) as db:
        assert db.execute("SELECT count(*) FROM lines").fetchone() == (rows,)


@pytest.mark.parametrize(
    ("traced", "today", "files"),
    [
        ({}, {"a.py": "1"}, None),
        ({"a.py": "1"}, {"a.py": "1"}, []),
        ({"a.py": "1"}, {"a.py": "2"}, None),
        ({"a.py": "1"}, {"a.py": "1", "b.py": "1"}, None),
        ({PLACE: "1", f"{PLACE}.toml": "1"}, {PLACE: "2", f"{PLACE}.toml": "2"}, None),
        (
            {"a.py": "1", "t/test_a.py": "1", "t/test_b.py": "1", PLACE: "1"},
            {"a.py": "1", "t/test_a.py": "2", "t/test_c.py": "1", PLACE: "2"},
            [PLACE, "t/test_a.py", "t/test_b.py", "t/test_c.py"],
        ),
    ],
)
def test_only_what_has_changed_is_traced_anew(
    traced: dict[str, str], today: dict[str, str], files: list[str] | None, tmp_path: Path
) -> None:
    path = tmp_path / "lines.db"
    assert sources(path) == {}
    write_sources(path, traced)
    assert sources(path) == traced
    assert differing(sources(path), today) == files


def test_a_trace_that_breaks_off_is_made_again(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(kept, [TracedTest("test_a.py::a2", 0.5, {PLACE: 0b10})])
    write_sources(kept, {"test_a.py": "1", "test_b.py": "1", PLACE: "1"})
    today = {"test_a.py": "1", "test_b.py": "2", PLACE: "2"}
    asked: list[Sequence[str]] = []

    def trace(_: Path, __: Path, files: Sequence[str]) -> None:
        asked.append(files)
        if len(asked) == 1:
            raise RuntimeError("stopped")

    monkeypatch.setattr(keeping, "_trace", trace)
    monkeypatch.setattr(keeping, "digests", lambda: today)
    with pytest.raises(RuntimeError, match="stopped"):
        traced(ROOT, kept)
    assert traced(ROOT, kept) == kept
    assert asked == [["test_a.py", "test_b.py"]] * 2
    write(kept, [TracedTest("test_a.py::a2", 0.5, {"f.py": 0b10})])
    today |= {PLACE: "3"}
    traced(ROOT, kept)
    assert (len(asked), sources(kept)) == (2, today)  # nothing runs it
    today |= {"a.toml": "1"}
    traced(ROOT, kept)
    assert (asked[2], sources(kept)) == ((), today)


CODE = """import threading

def shared():
    return 1

def single(a):
    if a:
        return 2
    return 3

def thread():
    started = threading.Thread(target=single, args=[0])
    started.start()
    started.join()

SEEN = shared()
"""
TESTS = """import pytest
import traced_place as t

@pytest.fixture(scope="module")
def once():
    return t.shared()

def test_1(once):
    assert t.single(1) == 2

def test_2(once):
    assert t.single(0) == 3

def test_3():
    t.thread()

def test_4():
    t.single(1)
    assert False

def test_5():
    t.single(1)
    pytest.skip("so")
"""


def test_lines_are_those_of_each_test_and_shared_fixtures_those_of_all_who_use_them(tmp_path: Path) -> None:
    place, into = tmp_path / PLACES[0], tmp_path / "lines.db"
    place.mkdir(parents=True)
    (place / "traced_place.py").write_text(CODE)
    (tmp_path / "test_it.py").write_text(TESTS)
    options = (
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:schemathesis",
        "-p",
        "mutants.drawn.tracing",
        "--lines-into",
        str(into),
    )
    found = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{place}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 failed, 3 passed, 1 skipped" in found.stdout
    file, trace = f"{PLACES[0]}/traced_place.py", Trace(into)

    def names(line: int) -> list[str]:
        return [test.name[-1] for test in trace.tests(file, ((line, line), (line, line), (line, line)))]

    assert {line: names(line) for line in (4, 7, 8, 9, 12)} == {
        4: ["1", "2"],
        7: ["1", "2", "3"],
        8: ["1"],
        9: ["2", "3"],
        12: ["3"],
    }
