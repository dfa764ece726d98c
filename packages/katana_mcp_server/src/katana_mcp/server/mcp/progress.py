"""Reports of progress to the client that waits for a call: parts that are done, of all that it waits for.

Refuses to tell of what others read: each report is of what this call said that it needs.
"""

import asyncio
from collections.abc import Mapping, Sequence

from fastmcp import Context

from cache_core.spec import EntitySpec
from cache_core.sync import Progress
from katana_mcp.references.display_names import titled

_LITTLE = 0.001
"""By how much a report is greater than the one before that only says what is waited for."""
_DECIMALS = 3


class ProgressReports:
    """Passes on how far the work of one call is; a part is what is read of one entity.

    Args:
        context: of the call.
        specs: of all entities, for their names.
    """

    def __init__(self, context: Context, specs: Mapping[str, EntitySpec]) -> None:
        self._context = context
        self._specs = specs
        self._parts: dict[str, float] = {}
        self._reported = 0.0
        self._sending: set[asyncio.Task[None]] = set()

    def expect(self, due: Sequence[str], first: Sequence[str] = ()) -> None:
        """Count these entities as parts of the work."""
        del first
        for entity in due:
            self._parts.setdefault(entity, 0.0)

    def overhear(self, progress: Progress) -> None:
        """Report how far a listing is that this call may be waiting for."""
        if progress.entity in self._parts:
            self(progress)

    def __call__(self, progress: Progress) -> None:
        """Report how far the work of this call is."""
        done = 0.0 if progress.total is None else min(1.0, progress.done / progress.total) if progress.total else 1.0
        self._parts[progress.entity] = max(done, self._parts.get(progress.entity, 0.0))
        # The numbers are parts; the message names what is read now, with its records.
        of = "" if progress.total is None else f"/{progress.total}"
        collection = titled(self._specs[progress.entity].collection)
        self._report(sum(self._parts.values()), f"syncing {collection}: {progress.done}{of}")

    def note(self, message: str) -> None:
        """Say what is waited for."""
        self._report(self._reported + _LITTLE, message)

    def end(self, *, whole: bool) -> None:
        """Report the end of a work of which was reported, where nothing of it is missing."""
        if whole and self._reported:
            self._report(float(len(self._parts)), "read")

    def _report(self, done: float, message: str) -> None:
        done = round(done, _DECIMALS)
        if done <= self._reported or (self._parts and done > len(self._parts)):
            return  # the protocol wants each report to be greater than the one before
        self._reported = done
        task = asyncio.ensure_future(self._context.report_progress(done, len(self._parts) or None, message))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def close(self) -> None:
        """Wait until what was reported is on its way; a client that is gone is no reason to fail."""
        await asyncio.gather(*self._sending, return_exceptions=True)
