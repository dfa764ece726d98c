"""A call that is made again while the first sync goes on, so that what it answers is complete."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

PATIENCE = 60.0
"""Seconds after which an answer is taken as it is."""
AGAIN = 1.0
"""Seconds between two calls."""


def unfinished(answer: Mapping[str, Any]) -> str | None:
    """Return how far the first sync is, `3/7`, where an answer is to be asked for again.

    A plan is not: each further call would make another one.
    """
    return None if "plan_token" in answer else answer.get("warming")


async def complete[R](
    call: Callable[[], Awaitable[R]], progress: Callable[[R], str | None], on_wait: Callable[[str], object]
) -> R:
    """Return the answer of the first call that is complete, or of the last one after `PATIENCE`.

    Args:
        call: asks for the answer.
        progress: returns how far the first sync is where an answer is incomplete.
        on_wait: told how far it is before each further call.
    """
    started = time.monotonic()
    while True:
        result = await call()
        reached = progress(result)
        if reached is None or time.monotonic() - started >= PATIENCE:
            return result
        on_wait(reached)
        await asyncio.sleep(AGAIN)
