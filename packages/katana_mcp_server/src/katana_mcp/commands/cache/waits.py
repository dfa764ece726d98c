"""A command that waits for its turn with Katana says so on stderr: how far it is, what it waits for, how long."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from cache_core.clock import Clock
from katana_client import Priority
from katana_client.budget import Budget
from katana_mcp.commands.cache.job import Job

_FIRST, _EVERY = 2.0, 15.0
"""Seconds of silence after which a wait is told, and between two such lines."""
_LEAST = 12.0
"""Seconds from which on a wait is worth a line."""


@asynccontextmanager
async def report_waits(job: Job, budget: Budget) -> AsyncGenerator[Job]:
    """Have what a job waits for be told while the block works on it; the budget is that of its listings."""
    at = ""

    def tell(what: str, done: int, total: int | None) -> None:
        nonlocal at
        at = f"{what} {done:,}{'' if total is None else f'/{total:,}'}, "
        job.tell(what, done, total)

    def where() -> str:
        return at

    telling = asyncio.create_task(_tell(where, budget, job.clock), name="waits")
    try:
        yield replace(job, tell=tell)
    finally:
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)


async def _tell(where: Callable[[], str], budget: Budget, clock: Clock) -> None:
    await clock.sleep(_FIRST)
    while True:
        seconds = budget.expected(Priority.BULK)
        if seconds >= _LEAST:
            waiting = f"waiting about {seconds:.0f} s for one of Katana's 60 requests a minute"
            sys.stderr.write(f"katana-mcp: {where()}{waiting}\n")
        await clock.sleep(_EVERY if seconds >= _LEAST else _FIRST)
