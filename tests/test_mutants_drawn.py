"""Bugs are drawn fairly and repeatably, tried with the tests that run them, and counted right."""

import ast
import json
import random
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from mutants import trying
from mutants.drawn.__main__ import Outcome, main, score
from mutants.drawn.choosing import LIKELY, chosen
from mutants.drawn.collected import Found, Job
from mutants.drawn.drawing import PLACES, Drawn, all_drawn, draw, drawn_of, files
from mutants.drawn.equivalents import Equivalent, listed, stale, why_equivalent
from mutants.drawn.lines import Test, TracedTest, write
from mutants.forks import NO_END
from mutants.model import ROOT
from mutants.trying import Kind, Verdict


@cache
def everything() -> list[Drawn]:
    """Return every bug that can be drawn; reading all files takes a second."""
    return all_drawn(ROOT)


FUNCTION = "def f(a, b):\n    "


def changes(code: str) -> list[str]:
    """Return what the lines of a function's body become."""
    return [mutant.after for mutant in drawn_of("f.py", f"{FUNCTION}{code}\n")]


@pytest.mark.parametrize(
    ("code", "becomes"),
    [
        ("yield a < b", ["pass", "yield a <= b"]),
        ("x = a >= b > a", ["x = a > b > a", "x = a >= b >= a"]),
        ("x = a == b", ["x = a != b"]),
        ("x = (a) not in b", ["x = (a) in b"]),
        ("x = a is b", ["x = a is not b"]),
        ("x = a and b and a", ["x = a or b and a", "x = a and b or a"]),
        ("x = a or b", ["x = a and b"]),
        ("x = not (a or b)", ["x = (a or b)", "x = not (a and b)"]),
        ("x = 10", ["x = 11", "x = 9"]),
        ("x = True", ["x = False"]),
        ("x = a(b, c=b)", ["x = a(b)"]),
        ("x = a(c=b)", ["x = a()"]),
        ("x = zip(a, b, strict=True)", []),
        ("x = a(strict=True)", ["x = a()", "x = a(strict=False)"]),
        ("x = a(c=b, d=a, **b)", ["x = a(d=a, **b)", "x = a(c=b, **b)"]),
        ("return a", ["return None"]),
        ("return None", []),
        ("return False", ["return True"]),
        ("return 0", ["return -1", "return 1", "return None"]),
        ("a(b)", ["pass"]),
        ("a.b = b", ["pass"]),
        ("a += b", ["pass", "a -= b"]),
        ("x = a - b", ["x = a + b"]),
        ("x = a + 'b'", []),
        ("for x in a: continue", ["for x in a: break"]),
        ("while a: break", ["while not (a): break", "while a: continue"]),
        ("if a < b: x = a", ["if not (a < b): x = a", "if a <= b: x = a"]),
        ("if a == b: x = a", ["if a != b: x = a"]),
        ("x = [y for y in a if y]", ["x = [y for y in a if not (y)]"]),
        ("x = a[b:2]", ["x = a[(b) + 1:2]", "x = a[(b) - 1:2]", "x = a[b:1]", "x = a[b:3]"]),
        ("x = 'é' and a < b", ["x = 'é' or a < b", "x = 'é' and a <= b"]),
    ],
)
def test_what_a_line_may_become(code: str, becomes: list[str]) -> None:
    assert changes(code) == becomes


@pytest.mark.parametrize(
    "code",
    [
        "'a docstring'",
        "x: Literal[1] = a",
        "_log.warning('1 %s', 1, b=True)",
        "x = f'{1 + a}'",
        "assert a < 1",
        "...",
    ],
)
def test_what_only_people_or_checkers_read_is_left_alone(code: str) -> None:
    assert changes(code) == []


def test_only_what_stands_in_functions_is_changed_and_each_place_is_told_by_its_function() -> None:
    code = "X = 1\n@a(1)\nclass A:\n    y = 2\n    def f(self, z=3) -> L[4]:\n        def g():\n            return 5\n"
    assert [(mutant.function, mutant.after) for mutant in drawn_of("f.py", code)] == [
        ("A.f.g", "return 4"),
        ("A.f.g", "return 6"),
        ("A.f.g", "return None"),
    ]


def test_a_change_over_lines_is_told_in_one_and_leaves_the_rest_of_the_text() -> None:
    code = "def f(a):\n    return a(\n        1,\n        b=2,  # why\n    )\n"
    dropped = next(mutant for mutant in drawn_of("f.py", code) if mutant.old.startswith(",\n"))
    assert (dropped.before, dropped.after) == ("1, b=2, # why", "1, # why")
    assert dropped.applied(code) == "def f(a):\n    return a(\n        1,  # why\n    )\n"
    assert dropped.spans == ((3, 4), (2, 5), (2, 5))


def test_the_lines_of_a_block_are_not_those_of_its_head() -> None:
    code = "def f(a):\n    if a < 1:\n        a()\n        a()\n"
    assert next(mutant for mutant in drawn_of("f.py", code)).spans == ((2, 2), (2, 2), (2, 4))


def test_a_draw_is_the_same_for_a_seed_and_another_for_another() -> None:
    assert draw(everything(), 1, 50) == draw(all_drawn(ROOT), 1, 50)
    assert draw(everything(), 1, 50) != draw(everything(), 2, 50)
    assert len(draw(everything()[:3], 1, 50)) == 3


def test_bugs_are_drawn_from_every_place_and_never_where_a_program_writes() -> None:
    assert {next(place for place in PLACES if bug.file.startswith(f"{place}/")) for bug in everything()} == {*PLACES}
    assert "packages/katana_client/src/katana_client/abilities.py" not in files(ROOT)


def test_each_change_is_python_and_another_program() -> None:
    texts = {file: (ROOT / file).read_text("utf-8") for file in files(ROOT)}
    for mutant in random.sample(everything(), 60):
        changed = mutant.applied(texts[mutant.file])
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(texts[mutant.file])), mutant.as_words()


NAMED = Equivalent("f.py", "f", "x = a < b", "x = a <= b", "they never are alike")


def test_an_equivalent_is_known_by_its_text_wherever_it_stands() -> None:
    (moved,) = drawn_of("f.py", "\n\ndef f(a, b):\n    x = a  <  b\n")
    assert why_equivalent(moved, [NAMED]) == NAMED.why
    assert stale([NAMED], [moved]) == []
    others = [*drawn_of("g.py", f"{FUNCTION}x = a < b\n"), *drawn_of("f.py", f"{FUNCTION}x = a > b\n")]
    assert [why_equivalent(other, [NAMED]) for other in others] == ["", ""]
    assert stale([NAMED], others) == [NAMED]


def test_of_two_that_read_alike_one_is_meant() -> None:
    first, second = drawn_of("f.py", f"{FUNCTION}x = a < b\n    x = a < b\n")
    assert [why_equivalent(mutant, [NAMED]) for mutant in (first, second)] == [NAMED.why, ""]


def test_each_equivalent_that_is_named_is_there_and_has_its_reason() -> None:
    assert stale(listed(), everything()) == []
    assert [named for named in listed() if len(named.why) < 20] == []
    assert len(set(listed())) == len(listed())


def test_an_equivalent_that_is_no_more_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mutants.drawn.__main__.listed", lambda: (NAMED,))
    with pytest.raises(SystemExit) as stopped:
        main(["--count", "0"])
    assert stopped.value.code == 2
    assert "no longer there, so not equivalent to anything: x = a < b" in capsys.readouterr().err


CODE_FILE = "packages/p/src/p/writing/duplicates.py"


def cases(file: str, function: str, count: int, seconds: float, size: int) -> list[Test]:
    """Return the cases of a test, each a line more than the one before."""
    return [Test(f"{file}::{function}[{number:02}]", seconds, size + number) for number in range(count)]


def test_what_runs_little_goes_first_beside_what_is_named_like_the_code_then_the_quickest() -> None:
    wide, narrow = cases("test_w.py", "w", 50, 0.1, 900), cases("test_n.py", "n", 30, 3.0, 10)
    alone, quick = cases("test_n.py", "a", 1, 30.0, 500), cases("test_q.py", "q", 50, 0.2, 950)
    named = cases("tests/test_duplicates_again.py", "d", 1, 9.0, 2_000)
    found = chosen([*wide, *narrow, *quick, *alone, *named], CODE_FILE, most=20, seconds=200)
    assert found[:4] == [narrow[0], *named, narrow[1], *alone]
    assert len(found) == 20
    left = [sum(test in found[LIKELY:] for test in tests) for tests in (wide, quick, narrow)]
    assert sum(left) == 8
    assert max(left) - min(left) <= 2


def test_tests_of_the_codes_own_package_go_before_quicker_ones() -> None:
    own, others = cases("packages/p/tests/test_a.py", "a", 30, 1.0, 1_000), cases("test_b.py", "b", 30, 0.1, 10)
    assert [test in own for test in chosen([*own, *others], CODE_FILE)[LIKELY : LIKELY + 4]] == [True, False] * 2


def test_no_more_is_tried_than_there_is_time_for() -> None:
    many = [Test(f"test_{number:03}.py::t", 1.0, number) for number in range(100)]
    assert len(chosen(many, CODE_FILE, seconds=30)) == 30
    assert chosen(many, CODE_FILE, seconds=0) == many[:LIKELY]
    assert chosen([], CODE_FILE) == []


def outcome(kind: Kind | None) -> Outcome:
    """Return an outcome of any mutant."""
    return Outcome(everything()[0], None if kind is None else Verdict(kind, "", 0))


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ([], 100),
        ([None], 100),
        (["killed"], 100),
        (["killed", "NO END", "NO START", "LIVES", "BROKEN", "LIVES", None], 50),
        (["LIVES"], 0),
    ],
)
def test_the_score_is_the_share_that_is_noticed_of_what_can_be(kinds: list[Any], expected: float) -> None:
    assert score([outcome(kind) for kind in kinds]) == expected


@dataclass
class Noticing:
    """In place of a copy with its tests collected: notices every bug."""

    tree: Path = ROOT
    jobs: list[Job] = field(default_factory=list)

    def run(self, job: Job) -> Found:
        """Notice a bug; nothing fails without any."""
        self.jobs.append(job)
        return Found(int(job.bug is not None), "a", 1.0)


def test_one_file_is_tried_on_given_tests_without_tracing_any(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Noticing()

    def refuse(*_: object) -> None:
        raise AssertionError("the suite is traced")

    monkeypatch.setattr("mutants.drawn.__main__.traced", refuse)
    monkeypatch.setattr("mutants.drawn.__main__.copied", lambda _: [])
    monkeypatch.setattr("mutants.drawn.__main__.collected", lambda *_: nullcontext([place]))
    monkeypatch.setattr("mutants.drawn.__main__.changed", lambda *_: nullcontext())
    file = "packages/katana_client/src/katana_client/ledger.py"
    assert main(["--file", "katana_client/ledger.py", "--count", "3", "--tests", "a_test.py", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["mutants"]
    assert [(row["file"], row["verdict"], row["told"], row["seconds"]) for row in found] == [
        (file, "killed", "a", 1)
    ] * 3
    *tries, last = [(job.bug and job.bug.file, job.tests, job.each, job.seconds) for job in place.jobs]
    assert tries == [(file, ("a_test.py",), 100, 160)] * 3
    assert last == (None, ("a",), 900, 900)


@pytest.mark.soak
def test_survivors_are_told_with_the_share_that_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file, trace = "mutants/model.py", tmp_path / "lines.db"
    before = (ROOT / file).read_text("utf-8")
    places = [mutant for mutant in drawn_of(file, before) if mutant.before == "if found != 1:"]
    test = "tests/test_mutants.py::test_a_text_that_is_gone_is_told"
    write(trace, [TracedTest(test, 0.1, {file: 1 << places[0].line})])
    monkeypatch.setattr("mutants.drawn.__main__.all_drawn", lambda _: places)
    monkeypatch.setattr("mutants.drawn.__main__.listed", tuple)
    asked = ["--trace", str(trace), "--seed", "1"]
    assert main(asked) == 1
    output = capsys.readouterr().out
    assert sorted(row.split("  ")[0].strip() for row in output.splitlines()[:3]) == ["LIVES", "killed", "killed"]
    assert output.count(f"by {test} (") == 2
    named = f"{file} Mutant.applied\n  if found != 1:\n  if found != 2:\n"
    count = "3 mutants of seed 1, 1 survivors, 0 equivalent: 66.7 % noticed, 92 % at least"
    assert output.endswith(f"\n{named}\n{count}\n")
    equal = Equivalent(file, "Mutant.applied", "if found != 1:", "if found != 2:", "nobody has it twice")
    monkeypatch.setattr("mutants.drawn.__main__.listed", lambda: (equal,))
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["seed"], found["score"]) == (1, 100)
    assert {mutant["becomes"]: mutant["verdict"] for mutant in found["mutants"]} == {
        "if found == 1:": "killed",
        "if found != 0:": "killed",
        "if found != 2:": "equal",
    }
    assert (ROOT / file).read_text("utf-8") == before


@pytest.mark.parametrize(
    ("code", "output", "kind", "detail"),
    [
        (0, "12 passed", "LIVES", ""),
        (1, "FAILED tests/test_a.py::test_b[1] - assert 1\n1 failed", "killed", "tests/test_a.py::test_b[1]"),
        (1, "no summary", "BROKEN", "no summary"),
        (2, "ERROR tests/test_a.py - ValueError\n1 error", "NO START", None),
        # Where single tests are asked for, a module that cannot be imported ends so.
        (
            4,
            "ERROR tests/test_a.py - ValueError\n1 error\nERROR: found no collectors for tests/test_a.py::b",
            "NO START",
            None,
        ),
        (4, "ERROR: not found: tests/test_a.py::b", "BROKEN", None),
        (1, "while loading conftest", "NO START", None),
        (NO_END, "no end", "NO END", "no end"),
    ],
)
def test_what_pytest_said_of_a_bug(
    monkeypatch: pytest.MonkeyPatch, code: int, output: str, kind: str, detail: str | None
) -> None:
    monkeypatch.setattr(trying, "ran", lambda *_: (code, output))
    found = trying.verdict(ROOT, [], 1)
    assert found.kind == kind
    assert detail is None or found.detail == detail
