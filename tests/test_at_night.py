"""What is left to the night: its list names functions that are there, and every test runs in one of a few nights."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from mutants.drawn.lines import TracedTest, write
from mutants.drawn.redundant import TOO_DEAR, main, redundant
from tests.at_night import as_text, in_turn, left, listed
from tests.nights import NIGHTS

ROOT = Path(__file__).parents[1]
LINES = (1 << 40) - 1


def test_each_name_that_is_left_to_the_night_is_a_test() -> None:
    names = [name.partition("[")[0].split("::") for name in listed()]
    assert names
    texts = {file: (ROOT / file).read_text("utf-8") for file, *_ in names}
    # A machine of Hypothesis is a class whose `runTest` is nowhere written.
    assert [name for name in names if len(name) == 2 and f"def {name[1]}(" not in texts[name[0]]] == []


def test_what_is_left_is_shared_among_the_nights() -> None:
    cases = [f"a.py::many[{nr}]" for nr in range(40)]
    gone = left([*cases, "a.py::other"], frozenset(cases))
    assert list(gone) == cases
    assert set(gone.values()) == set(range(NIGHTS))
    assert left(cases[:1], frozenset(cases)) == {cases[0]: gone[cases[0]]}


@dataclass(frozen=True)
class Case:
    nodeid: str
    markers: tuple[str, ...]

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return getattr(pytest.mark, name).mark if name in self.markers else None


def test_of_the_slow_cases_of_a_proof_a_night_takes_a_share_and_of_others_all() -> None:
    cases = [Case("some", ("in_turn",)), Case("all", ("in_turn", "soak")), Case("proof", ("soak",)), Case("test", ())]
    assert in_turn(cases) == {"all"}


def test_a_list_names_each_file_once_and_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["b.py::of[ a::b#]", "a.py::Class::two", "b.py::#one"]
    text = as_text(names)
    assert text == "a.py\n  Class::two\nb.py\n  #one\n  of[ a::b#]\n"
    into = tmp_path / "list.txt"
    into.write_text(f"# Why.\n{text}", "utf-8")
    monkeypatch.setattr("tests.at_night.LISTED", into)
    assert listed() == sorted(names)


def traced(name: str, seconds: float, lines: int = LINES) -> TracedTest:
    return TracedTest(name, seconds, {"src/a.py": lines})


def costly(*names: str) -> list[TracedTest]:
    """Return a test that costs nothing and runs each line of that file, and these, which cost much."""
    return [traced("a.py::quick", 0.001), *(traced(name, 2.0) for name in names)]


@pytest.mark.parametrize(
    ("tests", "found"),
    [
        (costly("a.py::slow", "a.py::as_slow"), ["a.py::as_slow", "a.py::slow"]),
        (costly("a.py::slow")[1:], []),
        (costly(*(f"a.py::slow[{nr}]" for nr in range(3)))[1:], ["a.py::slow[0]", "a.py::slow[1]"]),
        (costly("a.py::an_answer_is_lost", "a.py::sent_twice", "a.py::killed"), []),
        (costly("a.py::slow[lost]"), ["a.py::slow[lost]"]),
        (costly("tests/acceptance/a.py::slow", "lost/a.py::slow"), ["lost/a.py::slow"]),
        ([*costly(), traced("a.py::elsewhere", 2.0, 1 << 50 | LINES)], []),
        ([*costly(), traced("a.py::of_a_page", 2.0, 0b1111)], []),
        ([*costly(), traced("a.py::as_quick", 0.04)], []),
        ([traced(TOO_DEAR[0], 20.0)], [TOO_DEAR[0]]),
    ],
    ids=[
        "others run it",
        "no other",
        "one stays",
        "promised",
        "a case of what is not",
        "named",
        "its own line",
        "few lines",
        "cheap",
        "too dear",
    ],
)
def test_a_test_can_go_when_another_runs_each_of_its_lines(tests: Sequence[TracedTest], found: list[str]) -> None:
    assert [test.name for test in redundant(tests)] == found


def test_the_list_is_made_of_what_was_traced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, into = tmp_path / "lines.db", tmp_path / "list.txt"
    monkeypatch.setattr("mutants.drawn.redundant.LISTED", into)
    monkeypatch.setattr("tests.at_night.LISTED", into)
    write(trace, [traced("", 0.0), *costly("a.py::slow", "a.py::as_slow")])
    assert main(["--trace", str(trace)]) == 0
    assert capsys.readouterr().out == "2 of 3 tests: 4 of 4 s of work\n"
    assert listed() == ["a.py::as_slow", "a.py::slow"]
    with pytest.raises(SystemExit):
        main(["--trace", str(tmp_path / "none.db")])
    assert "run `make mutants-drawn` first" in capsys.readouterr().err
