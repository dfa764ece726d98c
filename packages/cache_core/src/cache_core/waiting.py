"""Waiting for work that must not be left half-way when its caller is cancelled.

Some callers are cancelled once, others again at every wait until they are gone (as anyio's cancel scopes do); clean-up
that waits for anything would never get done there.
"""

import asyncio
from collections.abc import Coroutine


async def to_the_end[T](work: Coroutine[object, object, T]) -> T:
    """Return what the work returns; a caller that is cancelled meanwhile learns of it when the work has ended.

    A thread does not stop with the task that waits for it: without this, files would still be made and opened after
    everything was closed and removed.

    Raises:
        asyncio.CancelledError: the caller was cancelled; the work has ended, well or not.
    """
    return await _ended(work, stop=False)


async def stopped_once[T](work: Coroutine[object, object, T]) -> T:
    """Return what the work returns; however often the caller is cancelled, the work is once, and may then clean up.

    Raises:
        asyncio.CancelledError: the caller was cancelled; the work has ended.
    """
    return await _ended(work, stop=True)


async def _ended[T](work: Coroutine[object, object, T], *, stop: bool) -> T:
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            if stop and cancelled is None:
                task.cancel()
            cancelled = error
    if cancelled is None:
        return task.result()
    _ = task.cancelled() or task.exception()  # seen here, or asyncio reports it as never looked at
    raise cancelled
