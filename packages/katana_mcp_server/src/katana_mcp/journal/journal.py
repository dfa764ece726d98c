"""The journal as the server uses it: the file's work, each call in a thread and to its end.

A caller that is cancelled learns of it when its transaction has ended, so nothing is kept by halves or after the close.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping
from datetime import datetime
from typing import Any

from cache_core.records import RecordId
from cache_core.waiting import to_the_end
from katana_mcp.journal.entries import ActionState, Answered, Broken, Claim, Entry, JsonObject, Plan, Run
from katana_mcp.journal.file import JournalFile
from katana_mcp.journal.lanes import Lanes
from katana_mcp.journal.pace import WriteRequested


class Journal:
    """The methods of `JournalFile`, for the event loop; they return and raise the same."""

    def __init__(self, file: JournalFile) -> None:
        self._file = file
        self._lanes = Lanes(file)
        self._running: set[asyncio.Task[Any]] = set()

    async def close(self) -> None:
        """Close the file once nothing is being applied; the next call opens it again."""
        await self.settled()
        await _done(self._file.close)

    def through[T](self, work: Coroutine[object, object, T]) -> asyncio.Future[T]:
        """Begin the applying of a plan, and return what gives its result; it goes on though its caller is cancelled.

        It is begun before this returns: a caller that is cancelled at its next step has handed it over.
        """
        task = asyncio.create_task(work, name="apply plan")
        self._running.add(task)
        task.add_done_callback(self._ended)
        return asyncio.shield(task)

    async def settled(self) -> None:
        """Wait until nothing is being applied."""
        while self._running:
            await asyncio.wait(self._running)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # seen here, or asyncio reports it as never looked at where the caller is gone

    async def add(self, plan: Plan) -> int:
        """Keep a new plan and return the id of its entry."""
        return await _done(self._file.add, plan)

    async def find(self, token: str) -> Entry | None:
        """Return the entry of a token, to check it before it is claimed."""
        return await _done(self._file.find, token)

    async def claim(
        self,
        token: str,
        owner: str,
        most: int | None = None,
        assigned: Plan | None = None,
        *,
        resumes: bool = False,
    ) -> Claim:
        """Ask for the right to apply a plan."""
        return await _done(self._file.claim, token, owner, most, assigned, resumes=resumes)

    async def take_lanes(self, names: Collection[str], holder: str, plan: int = 0) -> str | None:
        """Take all of these lanes, or none; return one that another holds, None when all are taken."""
        return await _done(self._lanes.take, names, holder, plan)

    async def lanes_kept_by(self, names: Collection[str], plan: int) -> int | None:
        """Return another entry that stopped halfway and keeps one of these lanes, if there is one."""
        return await _done(self._lanes.kept_by, names, plan)

    async def kept_lanes(self) -> dict[str, int]:
        """Return the lanes that plans of many steps keep, each with its entry; without a journal no thread is asked."""
        return await _done(self._lanes.kept) if self._file.path.exists() else {}

    async def renew_lanes(self, names: Collection[str], holder: str) -> None:
        """Say that the holder of lanes is alive."""
        await _done(self._lanes.renew, names, holder)

    async def leave_lanes(self, holder: str) -> None:
        """Let go of all lanes that are held."""
        await _done(self._lanes.leave, holder)

    async def numbers_in_doubt(self, entity: str, field: str) -> frozenset[str]:
        """Return the numbers under which records may have been made though Katana did not say so."""
        return await _done(self._lanes.numbers_in_doubt, entity, field)

    async def documents_in_doubt(self, entity: str, tenant: str, since: datetime) -> tuple[JsonObject, ...]:
        """Return the requests by which documents may have been made though Katana did not say so, the newest first."""
        return await _done(self._lanes.documents_in_doubt, entity, tenant, since)

    async def answered(self, entries: Collection[int], answer: Answered) -> None:
        """Note what a person said about these plans."""
        await _done(self._file.answered, entries, answer)

    async def refused(self, entry: int, why: str) -> None:
        """Note that a plan was not applied because it no longer fits."""
        await _done(self._file.refused, entry, why)

    async def expire(self, entry: int) -> None:
        """Note that a plan was refused as expired, for good."""
        await _done(self._file.expire, entry)

    async def heartbeat(self, run: Run) -> None:
        """Say that the owner is alive."""
        await _done(self._file.heartbeat, run)

    async def replan(self, run: Run, start: int, plan: Plan, found: ActionState | None = None) -> None:
        """Write other actions in the place of those from `start` on; the one before it may have been found applied."""
        await _done(self._file.replan, run, start, plan, found)

    async def sending(self, run: Run, place: int, kept: str = "") -> None:
        """Note that an action is about to be sent; only when this has returned may it be."""
        await _done(self._file.sending, run, place, kept)

    async def done(self, run: Run, place: int, ended: ActionState) -> None:
        """Note how an action that was sent has ended."""
        await _done(self._file.done, run, place, ended)

    async def finish(self, run: Run, outcome: JsonObject) -> None:
        """Note the outcome, with which each later claim is answered."""
        await _done(self._file.finish, run, outcome)

    async def room_at(self, writes: WriteRequested) -> datetime | None:
        """Return when there is room for these writes, or None when there is now."""
        return await _done(self._file.room_at, writes)

    async def take_over(self, entry: int, owner: str) -> Broken | None:
        """Take what an owner who is gone had begun to send, to end it."""
        return await _done(self._file.take_over, entry, owner)

    async def amend(self, entry: int, ends: Mapping[int, ActionState], outcome: JsonObject) -> None:
        """Note what was found out later about actions of a finished plan that no answer told of."""
        await _done(self._file.amend, entry, ends, outcome)

    async def unsure(self) -> tuple[Entry, ...]:
        """Return the plans that are claimed, and those of which no answer told how an action ended; oldest first."""
        return await _done(self._file.unsure)

    async def made_by_others(self, entry: int, path: str) -> frozenset[RecordId]:
        """Return the ids of the records that other plans are known to have made by a POST to this path."""
        return await _done(self._file.made_by_others, entry, path)

    async def entries(self, limit: int, before: int | None = None, tenant: str | None = None) -> tuple[Entry, ...]:
        """Return the newest entries first, `before` an id where one is given; without a journal no thread is asked."""
        return await _done(self._file.entries, limit, before, tenant) if self._file.path.exists() else ()

    async def entry(self, entry: int) -> Entry | None:
        """Return an entry by its id."""
        return await _done(self._file.entry, entry)


async def _done[**P, T](work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    return await to_the_end(asyncio.to_thread(work, *args, **kwargs))
