"""A wait that ends: for a task to finish, or for the patience with it to run out."""

import asyncio
from typing import Any

from cache_core.clock import Clock


async def finished(task: "asyncio.Future[Any]", seconds: float, clock: Clock) -> bool:
    """Wait for the task, at most this long; return whether it is done. It goes on either way."""
    timer = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
        return task.done()
    finally:
        timer.cancel()
