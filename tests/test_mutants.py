"""The mutants of `make soak` still fit the code: a bug that cannot be put back in proves nothing."""

import ast
import json
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml
from mutants.__main__ import main, tonights
from mutants.model import ROOT, Mutant, all_mutants
from tests.at_once import at_once
from tests.nights import NIGHTS

DEFECTS = Path(__file__).parents[2] / "shared" / "reference" / "defects.md"
ENTRIES = {mutant.entry for mutant in all_mutants()} - {""}


@cache
def meaning(file: str, text: str) -> object:
    """Return what a file says, without its layout; it must be able to be read."""
    match Path(file).suffix:
        case ".toml":
            return tomllib.loads(text)
        case ".yml":
            return yaml.safe_load(text)
        case ".py":
            return ast.dump(ast.parse(text))
        case _:
            return text


@at_once("mutant", all_mutants())
def test_each_bug_can_be_put_back_in(mutant: Mutant) -> None:
    text = (ROOT / mutant.file).read_text("utf-8")
    changed = mutant.applied(text)
    assert meaning(mutant.file, changed) != meaning(mutant.file, text)
    assert mutant.tests
    for test in mutant.tests:
        path, _, name = test.partition("::")
        function = name.partition("[")[0]
        assert f"def {function}(" in (ROOT / path).read_text("utf-8") if name else (ROOT / path).exists()


def test_each_bug_has_a_test_that_is_run_for_it() -> None:
    """Slow proofs are left out where a bug is put in: one whose tests are all of them would be noticed by nothing."""
    slow = {
        f"{path.relative_to(ROOT)}::{node.name}"
        for path in [
            ROOT / file for file in {test.partition("::")[0] for mutant in all_mutants() for test in mutant.tests}
        ]
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and "pytest.mark.soak" in map(ast.unparse, node.decorator_list)
    }
    assert slow
    named = {mutant.bug: {test.partition("[")[0] for test in mutant.tests} for mutant in all_mutants()}
    assert [bug for bug, tests in named.items() if tests <= slow] == []


def test_no_bug_is_told_twice() -> None:
    bugs = [mutant.bug for mutant in all_mutants()]
    assert len(bugs) == len(set(bugs))


def test_most_of_what_has_gone_wrong_in_the_field_is_put_back_in() -> None:
    assert len(ENTRIES) >= 60


@pytest.mark.skipif(not DEFECTS.exists(), reason="the list of the field's defects is not part of the repository")
def test_every_entry_is_one_of_the_list() -> None:
    listed = re.findall(r"^\| (\w+) \|", DEFECTS.read_text("utf-8"), re.MULTILINE)
    assert ENTRIES - set(listed) == set()


def test_a_round_of_nights_puts_each_bug_in_once(monkeypatch: pytest.MonkeyPatch) -> None:
    nights: list[Mutant] = []
    for night in range(NIGHTS):
        monkeypatch.setattr("mutants.__main__.first_step", lambda night=night: night)
        nights += tonights(all_mutants())
    assert sorted(mutant.bug for mutant in nights) == sorted(mutant.bug for mutant in all_mutants())


def test_a_text_that_is_gone_is_told() -> None:
    with pytest.raises(ValueError, match=r"stands 0 times in mutants/model\.py"):
        Mutant("A bug", "mutants/model.py", "not there", "", ()).applied("")


@pytest.mark.soak
def test_a_bug_that_no_test_notices_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, tests = "mutants/model.py", ("tests/test_mutants.py::test_a_text_that_is_gone_is_told",)
    noticed = Mutant("Noticed", file, "if found != 1:", "if found > 1:", tests, "B00")
    missed = Mutant("Missed", file, "sorted(HERE.glob", "list(HERE.glob", tests)
    monkeypatch.setattr("mutants.__main__.all_mutants", lambda: (noticed, missed))
    before = (ROOT / file).read_text("utf-8")
    assert main([]) == 1
    first, by, second, count = capsys.readouterr().out.splitlines()
    assert (first[:21], by.strip(), second[:20]) == ("killed  B00   Noticed", f"by {tests[0]}", "LIVES   -     Missed")
    assert count == "2 mutants, 1 entries, 1 survivors"
    assert main(["B00", "--json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)
    assert (result["entry"], result["verdict"], result["told"]) == ("B00", "killed", tests[0])
    assert (ROOT / file).read_text("utf-8") == before
