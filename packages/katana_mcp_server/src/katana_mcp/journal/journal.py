"""The journal as the server uses it: the file's work, each call in a thread and to its end.

A caller that is cancelled learns of it when its transaction has ended, so nothing is kept by halves or after the close.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime

from cache_core.waiting import to_the_end
from katana_mcp.journal.entries import ActionState, Claim, Entry, JsonObject, Plan, Run
from katana_mcp.journal.file import JournalFile


class Journal:
    """The methods of `JournalFile`, for the event loop; they return and raise the same."""

    def __init__(self, file: JournalFile) -> None:
        self._file = file

    async def close(self) -> None:
        """Close the file; the next call opens it again."""
        await _done(self._file.close)

    async def add(self, plan: Plan) -> int:
        """Keep a new plan and return the id of its entry."""
        return await _done(self._file.add, plan)

    async def find(self, token: str) -> Entry | None:
        """Return the entry of a token, to check it before it is claimed."""
        return await _done(self._file.find, token)

    async def claim(self, token: str, owner: str) -> Claim:
        """Ask for the right to apply a plan."""
        return await _done(self._file.claim, token, owner)

    async def heartbeat(self, run: Run) -> None:
        """Say that the owner is alive."""
        await _done(self._file.heartbeat, run)

    async def sending(self, run: Run, place: int) -> None:
        """Note that an action is about to be sent; only when this has returned may it be."""
        await _done(self._file.sending, run, place)

    async def done(self, run: Run, place: int, ended: ActionState) -> None:
        """Note how an action that was sent has ended."""
        await _done(self._file.done, run, place, ended)

    async def finish(self, run: Run, outcome: JsonObject) -> None:
        """Note the outcome, with which each later claim is answered."""
        await _done(self._file.finish, run, outcome)

    async def applied_since(self, principal: str, moment: datetime) -> int:
        """Return how many actions of a principal were applied at or after a moment."""
        return await _done(self._file.applied_since, principal, moment)

    async def entries(self, limit: int, before: int | None = None) -> tuple[Entry, ...]:
        """Return the newest entries first; `before` is the id after which the page before ended."""
        return await _done(self._file.entries, limit, before)

    async def entry(self, entry: int) -> Entry | None:
        """Return an entry by its id."""
        return await _done(self._file.entry, entry)


async def _done[**P, T](work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    return await to_the_end(asyncio.to_thread(work, *args, **kwargs))
