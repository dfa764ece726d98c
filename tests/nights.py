"""What one night of `make soak` takes of a loop over many steps: each of every few, and others the night after."""

from datetime import UTC, datetime

import pytest
from _pytest.mark import ParameterSet

NIGHTS = 8
"""In so many nights each step was taken."""


def round_of_nights() -> int:
    """Return the number of the round of `NIGHTS` nights that tonight belongs to: of two ways each round takes one."""
    return datetime.now(UTC).toordinal() // NIGHTS


def first_step(stride: int = NIGHTS) -> int:
    """Return the first step, from 0, of a loop with this stride: another each night where the stride is `NIGHTS`."""
    return datetime.now(UTC).toordinal() % NIGHTS if stride == NIGHTS else 0


def rest_in_turn[Case](*cases: Case) -> list[Case | ParameterSet]:
    """Return the cases of a test of which `make test` runs the first alone; `make soak` takes a share of the others.

    For cases that take the same way through the code: another kind of document, a larger account, a further text.
    """
    first, *rest = cases
    marks = (pytest.mark.soak, pytest.mark.in_turn)
    return [first, *(pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks) for case in rest)]
