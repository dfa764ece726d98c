"""A plan applied at most once: checked on fresh facts, asked for, claimed, sent, told. Writes only what was stored."""

import asyncio
import os
import socket
from contextlib import suppress
from dataclasses import dataclass

import structlog

from cache_core.sync.waiting import finished
from katana_mcp.journal.entries import (
    Broken,
    Claim,
    Claimed,
    Declined,
    Entry,
    Finished,
    Full,
    Plan,
    Resumed,
    Running,
)
from katana_mcp.journal.errors import ClaimLost, JournalError
from katana_mcp.journal.file import BEAT_EVERY
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking
from katana_mcp.writing.change import SAGA, Changes, Saga
from katana_mcp.writing.checking import Checked, check_again, declined, entry_of_token, expired, is_free, refuse_over
from katana_mcp.writing.gathering import WAITS, in_time
from katana_mcp.writing.limits import no_room, room_for
from katana_mcp.writing.outcome import PlanOutcome
from katana_mcp.writing.plan_locks import Crowded, Turn, kept, no_place, not_its_turn, room_in, steps_done, turn_of
from katana_mcp.writing.stepping import check_roll_back, look_back, rolled_back, saga_of, walk
from katana_mcp.writing.twins import twins
from katana_mcp.writing.work import Work
from katana_mcp.writing.written_through import read_back, read_ledger_back, read_stock_back

_ASK_AGAIN, _LONGEST_PAUSE = 0.1, 2.0
"""Seconds between two looks at a plan, a lane or a place that another has."""
_NOTED_EVERY = 5.0
_LEAST = 10.0
"""Seconds that a saga is waited for at least."""
_log = structlog.get_logger("katana_mcp.writing")
OWNER = f"{socket.gethostname()}:{os.getpid()}"


async def applied(token: str, services: Services, changes: Changes, *, roll_back: bool = False) -> PlanOutcome:
    """Apply a plan, or return what became of it when somebody has; waits for its turn, and for who is at it.

    A saga that stopped halfway goes on, or is rolled back.

    Raises:
        Refused: nothing was written by this call: the token is unknown, the plan expired or stale, it is still
            being applied, or so is another plan of the same record, or the budget had no room for it.
    """
    services, noted = in_time(services), float("-inf")
    give_up = services.clock.monotonic() + WAITS
    while True:
        entry = await entry_of_token(token, services)
        saga = saga_of(entry, changes)
        if roll_back:
            check_roll_back(entry, saga, services)
        if saga is not None and entry.is_halfway(services.clock.now()):
            found = await _resumed(token, entry, services, saga, roll_back=roll_back)
        else:
            found = await (_in_turn if is_free(entry, services) else _taken)(token, entry, services, changes)
        if isinstance(found, PlanOutcome):
            return found
        if services.clock.monotonic() >= give_up:
            raise Refused(found.why)
        if services.clock.monotonic() >= noted + _NOTED_EVERY:
            services.note(f"waiting: {found.why.message}")
            noted = services.clock.monotonic()
        await services.clock.sleep(min(found.pause, max(give_up - services.clock.monotonic(), 0)))


@dataclass(frozen=True, slots=True)
class _Later:
    """Why a plan cannot be applied just now, and in how many seconds to try again."""

    why: ToolWarning
    pause: float = _ASK_AGAIN


async def _taken(token: str, entry: Entry, services: Services, changes: Changes) -> PlanOutcome | _Later:
    """Return what became of a plan that somebody has claimed."""
    del changes
    return await services.journal.through(_once(token, services, entry)) or _running(entry)


async def _in_turn(token: str, entry: Entry, services: Services, changes: Changes) -> PlanOutcome | _Later:
    """Apply a plan that nobody has claimed once its lanes are free; checked, claimed and sent while they are held.

    What can take long comes before: a budget without room is waited for without them.
    """
    await refuse_over(entry, services)
    await room_for([entry], services)
    if (seconds := room_in(entry, services)) > 0:
        return _Later(no_place(entry, seconds, services), min(seconds, _LONGEST_PAUSE))
    turn, checked = turn_of(entry, services), None
    if (lane := await turn.begin()) is not None:
        if (other := await services.journal.lanes_kept_by(turn.names, entry.id)) is not None:
            raise Refused(kept(entry, other))
        return _Later(not_its_turn(entry, lane))
    try:
        entry = await entry_of_token(token, services)
        if is_free(entry, services):
            await refuse_over(entry, services)
            checked = await turn.reading(check_again(entry, services, changes))
    except Crowded:
        return _Later(no_place(entry, room_in(entry, services), services))
    finally:
        if checked is None:
            await turn.end()
    if checked is None:
        return _running(entry)
    return await _brought_to_its_end(token, services, entry, _Fit(turn, checked, saga_of(entry, changes)))


async def _resumed(
    token: str, entry: Entry, services: Services, saga: Saga, *, roll_back: bool
) -> PlanOutcome | _Later:
    """Go on with a saga that stopped halfway, or roll it back: whatever the record is like by now, it is looked at."""
    turn = turn_of(entry, services)
    if (lane := await turn.begin()) is not None:
        return _Later(not_its_turn(entry, lane))
    fit = _Fit(turn, Checked(entry.plan), saga, roll_back=roll_back)
    return await _brought_to_its_end(token, services, entry, fit)


async def _brought_to_its_end(token: str, services: Services, entry: Entry, fit: "_Fit") -> PlanOutcome | _Later:
    """Apply a plan that fits: it is brought to its end, whoever stops waiting; a saga may take longer than a call."""
    work = services.journal.through(_once(token, services, entry, fit))
    try:
        until = services.until
        if fit.saga is None or until is None:
            return await work or _running(entry)
        is_over = await finished(work, max(until - services.clock.monotonic(), _LEAST), services.clock)
        return (work.result() if is_over else None) or _running(await entry_of_token(token, services))
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


def _running(entry: Entry) -> _Later:
    message = f"{entry.plan.summary}: it is being applied; ask again with the same token to learn the outcome"
    if SAGA in entry.plan.touches:
        message += f" ({steps_done(entry)})"
    return _Later(blocking(warning_codes.PLAN_RUNNING, message, "plan_tokens"))


@dataclass(frozen=True, slots=True)
class _Fit:
    """A plan that was found to fit, in its turn."""

    turn: Turn
    checked: Checked
    saga: Saga | None = None
    roll_back: bool = False

    @property
    def plan(self) -> Plan:
        """The plan as it is to be sent."""
        return self.checked.plan


async def _once(token: str, services: Services, entry: Entry, fit: _Fit | None = None) -> PlanOutcome | None:
    """Claim once, and let go of the turn; None while another is at it."""
    try:
        assigned = None if fit is None or fit.plan is entry.plan else fit.plan
        resumes = fit is not None and fit.saga is not None
        claim = await services.journal.claim(token, OWNER, services.most_writes, assigned, resumes=resumes)
        return await _answered(claim, services, entry, fit)
    except ClaimLost:
        return None
    finally:
        if fit is not None:
            await fit.turn.end()


async def _answered(claim: Claim, services: Services, entry: Entry, fit: _Fit | None) -> PlanOutcome | None:
    if isinstance(claim, Finished):
        # The journal reads amounts as decimals, which an answer would tell as texts.
        return PlanOutcome.model_validate(plain(claim.outcome, nulls=True))
    if isinstance(claim, Running):
        return None
    if isinstance(claim, Full):
        raise Refused(no_room(claim.until, services))
    if isinstance(claim, Declined):
        raise Refused(declined(entry.plan))
    if not isinstance(claim, Claimed | Broken | Resumed):
        raise Refused(expired(entry.plan))
    work = Work(services, entry.id, claim.run, claim.plan)
    if fit is not None:
        work.turn, work.saga = fit.turn, fit.saga
        work.warnings += fit.checked.warnings
        work.plan = rolled_back(work.plan) if fit.roll_back else work.plan
    return await _ended(work, claim)


async def _ended(work: Work, claim: Claimed | Broken | Resumed) -> PlanOutcome:
    """Bring a claimed plan to its end; where the journal fails on the way, nothing more is sent and that is told.

    What ran out for its owner just now was checked by him alone: without a turn it is ended, and nothing is sent.
    """
    beating = asyncio.create_task(_beat(work), name="heartbeat")
    try:
        if isinstance(claim, Broken):
            await _settle(work, claim)
        elif work.turn is not None:
            if isinstance(claim, Resumed):
                await look_back(work, claim)
            await (_send_all(work) if work.saga is None else walk(work, work.saga))
            if isinstance(claim, Resumed) and not work.is_replanned:
                work.plan = claim.plan  # no step was sent back, so the same token alone goes on forwards still
            await work.turn.end()
        work.warnings += await read_back(work.done, work.services)
        if work.plan.shown.get("stock"):
            work.warnings += await read_stock_back(work.done, work.services)
            work.warnings += await read_ledger_back(work.done, work.services)
        work.warnings += await twins(work.done, work.services)
        outcome = work.outcome()
        await work.services.journal.finish(work.run, outcome.model_dump(mode="json"))
    except ClaimLost:
        raise
    except JournalError as error:
        work.warnings.append(advisory(warning_codes.JOURNAL_UNAVAILABLE, str(error)))
        outcome = work.outcome()
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)
    _audit(work, outcome)
    return outcome


def _audit(work: Work, outcome: PlanOutcome) -> None:
    """Log who wrote what, without anything that a record says."""
    counts = outcome.model_dump(include={"applied", "failed", "unknown", "not_tried"})
    plan, ids = work.plan, [action.id for action in outcome.actions]
    who = {"principal": plan.principal, "tool": plan.tool, "plan": plan.digest[:12], "entry": work.entry}
    _log.info("plan ended", **who, **counts, ids=ids)


async def _send_all(work: Work) -> None:
    """Send action by action; the first that is not applied stops the rest."""
    for place in range(len(work.plan.actions)):
        state = await work.begin(place)
        await work.end(place, state)
        if state.state != "applied":
            return


async def settled(entry: int, claim: Broken, services: Services) -> PlanOutcome:
    """End what an owner who is gone had begun to send, without sending anything.

    Raises:
        ClaimLost: another has taken it meanwhile.
    """
    work = Work(services, entry, claim.run, claim.plan)
    return await services.journal.through(_ended(work, claim))


async def _settle(work: Work, claim: Broken) -> None:
    """End what another had begun to send: what nobody saw the end of is looked up, the rest is not tried."""
    sending = claim.sending
    work.states += [action for action in claim.actions if action.state in {"applied", "failed", "unknown"}]
    if sending is not None:
        await work.end(sending, await work.looked_up(sending))


async def _beat(work: Work) -> None:
    """Say that we are alive until we are told that the claim is over."""
    with suppress(JournalError):
        while True:
            await work.services.clock.sleep(BEAT_EVERY)
            await work.services.journal.heartbeat(work.run)
