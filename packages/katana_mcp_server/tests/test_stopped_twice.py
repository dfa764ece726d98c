"""Ctrl-C that is pressed twice: what each task ended with is no news, and what else failed is told as ever."""

import asyncio
from typing import Any

import pytest

from katana_mcp.commands.calling import told_unless_stopped

STOPPED, BROKEN = KeyboardInterrupt(), ValueError("broken")


class Loop(asyncio.SelectorEventLoop):
    """A loop that notes what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[dict[str, Any]] = []

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        self.told.append(context)


@pytest.mark.parametrize(
    ("context", "is_told"),
    [
        ({"message": "a timer was lost"}, True),
        ({"exception": BROKEN}, True),
        ({"exception": STOPPED}, False),
        ({"exception": BaseExceptionGroup("", [BaseExceptionGroup("", [STOPPED]), STOPPED])}, False),
        ({"exception": BaseExceptionGroup("", [STOPPED, BROKEN])}, True),
    ],
)
def test_only_ctrl_c_is_not_told_of_a_task(context: dict[str, Any], is_told: bool) -> None:
    loop = Loop()
    told_unless_stopped(loop, context)
    loop.close()
    assert loop.told == [context] * is_told
