"""Every module of tests is imported first by one of the processes of a run."""

from pathlib import Path

import pytest
from tests.first_imports import share

PATHS = [Path(f"test_{nr}.py") for nr in range(7)]


@pytest.mark.parametrize("workers", [1, 3, 9])
def test_each_module_is_in_the_share_of_one_process(workers: int) -> None:
    shares = [share(PATHS, f"gw{nr}", workers) for nr in range(workers)]
    assert sorted(path for part in shares for path in part) == PATHS


def test_a_process_that_was_started_for_another_has_a_share_too() -> None:
    assert share(PATHS, "gw4", 3) == share(PATHS, "gw1", 3)
