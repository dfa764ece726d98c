"""What is computed of many rows: where, and that it is the same."""

import threading

import pytest

from katana_mcp.workflows.computing import HERE, computed


def _here(first: int, second: str) -> tuple[bool, int, str]:
    return threading.current_thread() is threading.main_thread(), first, second


@pytest.mark.threads
@pytest.mark.parametrize(("rows", "is_here"), [(0, True), (HERE, True), (HERE + 1, False)])
async def test_a_little_is_computed_where_it_is_asked_for(rows: int, *, is_here: bool) -> None:
    assert await computed(rows, _here, 7, "seven") == (is_here, 7, "seven")
