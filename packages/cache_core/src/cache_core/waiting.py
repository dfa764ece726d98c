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
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return task.result()
    _ = task.cancelled() or task.exception()  # seen here, or asyncio reports it as never looked at
    raise cancelled
