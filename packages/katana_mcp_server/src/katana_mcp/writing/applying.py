"""A plan applied at most once: checked on fresh facts, asked for, claimed, sent, told. Writes only what was stored."""

import asyncio
import os
import socket
from contextlib import suppress
from dataclasses import dataclass, field

import structlog

from katana_mcp.journal.entries import (
    ActionState,
    Broken,
    Claim,
    Claimed,
    Declined,
    Entry,
    Finished,
    Full,
    JsonObject,
    Plan,
    Run,
    Running,
)
from katana_mcp.journal.errors import ClaimLost, JournalError
from katana_mcp.journal.file import BEAT_EVERY
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking
from katana_mcp.writing.actions import Action
from katana_mcp.writing.change import Changes
from katana_mcp.writing.checking import Checked, check_again, declined, entry_of_token, expired, is_free, refuse_over
from katana_mcp.writing.gathering import WAITS, in_time
from katana_mcp.writing.limits import no_room, room_for
from katana_mcp.writing.outcome import PlanOutcome
from katana_mcp.writing.sending import lacking, look_up, put_through, read_back, read_stock_back, send, surprises
from katana_mcp.writing.turns import Crowded, Turn, no_place, not_its_turn, room_in, turn_of
from katana_mcp.writing.twins import twins

_ASK_AGAIN, _LONGEST_PAUSE = 0.1, 2.0
"""Seconds between two looks at a plan, a lane or a place that another has."""
_NOTED_EVERY = 5.0
_log = structlog.get_logger("katana_mcp.writing")
OWNER = f"{socket.gethostname()}:{os.getpid()}"


async def applied(token: str, services: Services, changes: Changes) -> PlanOutcome:
    """Apply a plan, or return what became of it when somebody has; waits for its turn, and for who is at it.

    Raises:
        Refused: nothing was written by this call: the token is unknown, the plan expired or stale, it is still
            being applied, or so is another plan of the same record, or the budget had no room for it.
    """
    services, noted = in_time(services), float("-inf")
    give_up = services.clock.monotonic() + WAITS
    while True:
        entry = await entry_of_token(token, services)
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
    refuse_over(entry, services)
    await room_for([entry], services)
    if (seconds := room_in(entry, services)) > 0:
        return _Later(no_place(entry, seconds, services), min(seconds, _LONGEST_PAUSE))
    turn, checked = turn_of(entry, services), None
    if (lane := await turn.begin()) is not None:
        return _Later(not_its_turn(entry, lane))
    try:
        entry = await entry_of_token(token, services)
        if is_free(entry, services):
            refuse_over(entry, services)
            checked = await turn.reading(check_again(entry, services, changes))
    except Crowded:
        return _Later(no_place(entry, room_in(entry, services), services))
    finally:
        if checked is None:
            await turn.end()
    if checked is None:
        return _running(entry)
    # What is claimed is brought to its end, whoever stops waiting for it.
    return await services.journal.through(_once(token, services, entry, _Fit(turn, checked))) or _running(entry)


def _running(entry: Entry) -> _Later:
    told = f"{entry.plan.summary}: it is being applied; ask again with the same token to learn the outcome"
    return _Later(blocking(warning_codes.PLAN_RUNNING, told, "plan_tokens"))


@dataclass(frozen=True, slots=True)
class _Fit:
    """A plan that was found to fit, in its turn."""

    turn: Turn
    checked: Checked

    @property
    def plan(self) -> Plan:
        """The plan as it is to be sent."""
        return self.checked.plan


async def _once(token: str, services: Services, entry: Entry, fit: _Fit | None = None) -> PlanOutcome | None:
    """Claim once, and let go of the turn; None while another is at it."""
    try:
        assigned = None if fit is None or fit.plan is entry.plan else fit.plan
        claim = await services.journal.claim(token, OWNER, services.most_writes, assigned)
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
    if not isinstance(claim, Claimed | Broken):
        raise Refused(expired(entry.plan))
    work = _Work(services, entry.id, claim.run, claim.plan, None if fit is None else fit.turn)
    work.warnings += [] if fit is None else fit.checked.warnings
    return await _ended(work, claim)


@dataclass(slots=True)
class _Work:
    """A claimed plan while it is worked on."""

    services: Services
    entry: int
    run: Run
    plan: Plan
    turn: Turn | None = None
    states: list[ActionState] = field(default_factory=list[ActionState])
    warnings: list[ToolWarning] = field(default_factory=list[ToolWarning])

    @property
    def actions(self) -> list[Action]:
        """What is to be sent."""
        return [Action.read(action) for action in self.plan.actions]

    @property
    def done(self) -> list[tuple[Action, ActionState]]:
        """What was applied."""
        pairs = zip(self.actions, self.states, strict=False)
        return [(action, state) for action, state in pairs if state.state == "applied"]

    async def begin(self, place: int) -> ActionState:
        """Send an action, once the journal has noted that it will be, in the plan's turn."""
        if self.turn is not None:
            await self.turn.go_on()
        await self.services.journal.sending(self.run, place)
        return await send(self.actions[place], self.answers, self.services.client)

    @property
    def answers(self) -> dict[int, JsonObject]:
        """What Katana has answered, by the place of the action."""
        return {nr: each.result for nr, each in enumerate(self.states) if each.result is not None}

    async def end(self, place: int, state: ActionState) -> None:
        """Note how an action ended, and let the cache show it."""
        answers = self.answers
        self.states.append(state)
        await self.services.journal.done(self.run, place, state)
        if state.state == "applied":
            action = self.actions[place].resolved(answers)
            self.warnings += surprises(action, state)
            self.warnings += await put_through(action, state, self.services)

    def outcome(self) -> PlanOutcome:
        """Return what is known by now."""
        rest = [ActionState("not_tried")] * (len(self.plan.actions) - len(self.states))
        return PlanOutcome.of(self.entry, self.plan, [*self.states, *rest], self.warnings)


async def _ended(work: _Work, claim: Claimed | Broken) -> PlanOutcome:
    """Bring a claimed plan to its end; where the journal fails on the way, nothing more is sent and that is told.

    What ran out for its owner just now was checked by him alone: without a turn it is ended, and nothing is sent.
    """
    beating = asyncio.create_task(_beat(work), name="heartbeat")
    try:
        if isinstance(claim, Broken):
            await _settle(work, claim)
        elif work.turn is not None:
            await _send_all(work)
            await work.turn.end()
        work.warnings += await read_back(work.done, work.services)
        if work.plan.shown.get("stock"):
            work.warnings += await read_stock_back(work.done, work.services)
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


def _audit(work: _Work, outcome: PlanOutcome) -> None:
    """Log who wrote what, without anything that a record says."""
    counts = outcome.model_dump(include={"applied", "failed", "unknown", "not_tried"})
    plan, ids = work.plan, [action.id for action in outcome.actions]
    who = {"principal": plan.principal, "tool": plan.tool, "plan": plan.digest[:12], "entry": work.entry}
    _log.info("plan ended", **who, **counts, ids=ids)


async def _send_all(work: _Work) -> None:
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
    work = _Work(services, entry, claim.run, claim.plan)
    return await services.journal.through(_ended(work, claim))


async def _settle(work: _Work, claim: Broken) -> None:
    """End what another had begun to send: what nobody saw the end of is looked up, the rest is not tried."""
    sending = claim.sending
    work.states += [action for action in claim.actions if action.state in {"applied", "failed", "unknown"}]
    if sending is not None:
        await work.end(sending, await _found(work, sending))


async def _found(work: _Work, place: int) -> ActionState:
    try:
        action = work.actions[place].resolved(work.answers)
    except LookupError as error:
        # What it refers to was not known to its owner either.
        return ActionState("failed", error=lacking(error))
    return await look_up(action, work.services.client, _OWNER_GONE)


_OWNER_GONE = "the server that sent it stopped before it got an answer"


async def _beat(work: _Work) -> None:
    """Say that we are alive until we are told that the claim is over."""
    with suppress(JournalError):
        while True:
            await work.services.clock.sleep(BEAT_EVERY)
            await work.services.journal.heartbeat(work.run)
