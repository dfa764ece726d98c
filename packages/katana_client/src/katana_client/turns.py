"""The line before a budget inside one process: interactive before bulk, first come first served within each."""

from __future__ import annotations

import asyncio
import bisect
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

    from katana_client.ledger import Priority


@dataclass(order=True, slots=True)
class Turn:
    """A caller in line; `number` is never given twice."""

    priority: Priority
    number: int
    called: asyncio.Future[None] = field(compare=False)


class Turns:
    """Who waits, in order. Only the first may ask for a place; whoever leaves the line calls the next."""

    def __init__(self) -> None:
        self._line: list[Turn] = []
        self._numbers = count(1)

    @property
    def first(self) -> Priority | None:
        """The priority of the first in line, or None when nobody waits."""
        return self._line[0].priority if self._line else None

    @contextmanager
    def waiting(self, priority: Priority) -> Generator[Turn]:
        """Stand in line for as long as the block lasts."""
        turn = Turn(priority, next(self._numbers), asyncio.get_running_loop().create_future())
        bisect.insort(self._line, turn)
        try:
            yield turn
        finally:
            self._line.remove(turn)
            self.call()

    async def come(self, turn: Turn) -> None:
        """Wait until the turn is the first in line."""
        while self._line[0] is not turn:
            await self.called(turn)

    async def called(self, turn: Turn) -> None:
        """Wait until the turn, being first or having become it, is called."""
        turn.called = asyncio.get_running_loop().create_future()
        await turn.called

    def call(self) -> None:
        """Have the first in line look again."""
        if self._line and not self._line[0].called.done():
            self._line[0].called.set_result(None)
