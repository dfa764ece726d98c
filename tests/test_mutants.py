"""The mutants of `make soak` still fit the code: a bug that cannot be put back in proves nothing."""

import ast

import pytest
from mutants.model import ROOT, Mutant, known


@pytest.mark.parametrize("mutant", known(), ids=lambda mutant: mutant.bug)
def test_each_bug_can_be_put_back_in(mutant: Mutant) -> None:
    text = (ROOT / mutant.file).read_text("utf-8")
    changed = mutant.applied(text)
    assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(text))
    assert all((ROOT / each.partition("::")[0]).exists() for each in mutant.tests)


def test_a_text_that_is_gone_is_told() -> None:
    with pytest.raises(ValueError, match=r"stands 0 times in mutants/model\.py"):
        Mutant("A bug", "mutants/model.py", "not there", "", ()).applied("")
