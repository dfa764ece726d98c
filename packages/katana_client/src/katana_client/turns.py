"""The lines before a budget inside one process, one per priority: first come first served within each."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

    from katana_client.ledger import Priority


@dataclass(eq=False, slots=True)
class Turn:
    """A caller in line; `number` is never given twice."""

    priority: Priority
    number: int
    called: asyncio.Future[None]


class Turns:
    """Who waits, in order. Only the first of a line may ask for a place; whoever leaves a line calls the next."""

    def __init__(self) -> None:
        self._lines: dict[Priority, list[Turn]] = {}
        self._numbers = count(1)

    @property
    def priorities(self) -> tuple[Priority, ...]:
        """The priorities of which somebody waits."""
        return tuple(priority for priority, line in self._lines.items() if line)

    @contextmanager
    def waiting(self, priority: Priority) -> Generator[Turn]:
        """Stand in line for as long as the block lasts."""
        turn = Turn(priority, next(self._numbers), asyncio.get_running_loop().create_future())
        line = self._lines.setdefault(priority, [])
        line.append(turn)
        try:
            yield turn
        finally:
            line.remove(turn)
            self.call()

    async def wait_for_front(self, turn: Turn) -> None:
        """Wait until the turn is the first of its line."""
        while self._lines[turn.priority][0] is not turn:
            await self.called(turn)

    async def called(self, turn: Turn) -> None:
        """Wait until the turn, being first or having become it, is called."""
        turn.called = asyncio.get_running_loop().create_future()
        await turn.called

    def call(self) -> None:
        """Have the first of each line look again."""
        for line in self._lines.values():
            if line and not line[0].called.done():
                line[0].called.set_result(None)
