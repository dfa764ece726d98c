"""An account that several servers use at once: readers, writers and syncs on one budget, on virtual time."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from katana_client import ManualClock, Priority
from katana_client.budget import Budget

LATENCY = 0.2
BEGINS = 45.0
"""Seconds after which the writers come, when every place is taken."""
PATIENCE = 40.0
"""Seconds that a preview may take."""
LIVELY, STEADY = 30.0, 120.0
"""For how many seconds orders and the catalogue are fresh."""


@dataclass
class CrowdedKey:
    """Counts what previews took, and how old rows were when they were refreshed.

    Attributes:
        budgets: one per server.
        clock: which all of them share.
        thinks: seconds between two plans of a writer.
        arrivals: when requests were sent.
        previews: seconds that each took.
        oldest: by how much an entity was older than it is to grow, at most; negative where none was.
    """

    budgets: Sequence[Budget]
    clock: ManualClock
    thinks: float = 2.0
    arrivals: list[float] = field(default_factory=list[float])
    previews: list[float] = field(default_factory=list[float])
    oldest: float = float("-inf")
    synced: dict[str, float] = field(default_factory=dict[str, float])
    syncing: set[str] = field(default_factory=set[str])

    @property
    def late(self) -> int:
        """How many previews got no plan in time."""
        return sum(seconds > PATIENCE for seconds in self.previews)

    async def send(self, budget: Budget, priority: Priority) -> None:
        """Send one request."""
        ticket = await budget.acquire(priority)
        self.arrivals.append(self.clock.monotonic())
        await self.clock.sleep(LATENCY)
        budget.observe(ticket, None)

    async def read(self, budget: Budget, until: float) -> None:
        """Ask for stock, again and again."""
        while self.clock.monotonic() < until:
            await self.send(budget, Priority.INTERACTIVE)
            await self.clock.sleep(0.5)

    async def write(self, budget: Budget, until: float, priority: Priority = Priority.WRITE) -> None:
        """Plan with three requests, apply every second plan with five; begin when readers have been busy for long."""
        await self.clock.sleep(BEGINS)
        while self.clock.monotonic() < until:
            began = self.clock.monotonic()
            for _ in range(3):
                await self.send(budget, priority)
            self.previews.append(self.clock.monotonic() - began)
            if len(self.previews) % 2:
                for _ in range(5):
                    await self.send(budget, priority)
            await self.clock.sleep(self.thinks)

    async def sync(self, budget: Budget, until: float) -> None:
        """Refresh twelve entities like orders and six like variants, each once it is not fresh any more."""
        ages = {f"order {nr}": LIVELY for nr in range(12)} | {f"variant {nr}": STEADY for nr in range(6)}
        while self.clock.monotonic() < until:
            for entity, fresh_for in ages.items():
                age = self.clock.monotonic() - self.synced.setdefault(entity, 0.0)
                if age > fresh_for and entity not in self.syncing:
                    self.syncing.add(entity)
                    await self.send(budget, Priority.BULK)
                    age = self.clock.monotonic() - self.synced[entity]
                    self.oldest = max(self.oldest, age - 2 * fresh_for - 60)
                    self.synced[entity] = self.clock.monotonic()
                    self.syncing.discard(entity)
            await self.clock.sleep(1)

    async def live(self, seconds: float, readers: int = 4, writers: int = 2) -> None:
        """Let each server have so many readers and writers, and sync, for so long."""
        await asyncio.gather(
            *(self.read(budget, seconds) for budget in self.budgets for _ in range(readers)),
            *(self.write(budget, seconds) for budget in self.budgets for _ in range(writers)),
            *(self.sync(budget, seconds) for budget in self.budgets),
        )
