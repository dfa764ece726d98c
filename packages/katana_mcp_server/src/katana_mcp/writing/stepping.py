"""A saga walked step by step: the record is looked at, what is left is planned anew, and the first of that is sent.

Whatever was sent before, by whatever process, shows in the record; so a step whose answer was lost, or whose sender is
gone, needs only another look. Where Katana does not show a step that it has answered, that is waited for, not repeated:
its listings may lag for minutes, so it is waited for in later calls too.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import cast

from cache_core.protocol import OWN_WRITE_STANDS
from cache_core.records import encode
from katana_mcp.journal.entries import ActionState, Entry, Plan, Resumed
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking
from katana_mcp.writing.actions import Action, JsonObject
from katana_mcp.writing.change import BACK, BEGUN, SAGA, Astray, Changes, Saga, goes_back
from katana_mcp.writing.work import Work

_UNSEEN = ("unknown", "sending")
_PAUSES = (0.0, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each look at a record that does not show yet what Katana has answered."""


@dataclass(frozen=True, slots=True)
class Lately:
    """What a saga sent before this call, and not so long ago that every listing of Katana shows it.

    Attributes:
        answered: steps that Katana has answered.
        made: steps that make something, of which no answer came.
        unknown: how the step ended of which that is not known; nothing where it is known of all.
        goes_back: whether it was going back.
    """

    answered: frozenset[bytes] = frozenset()
    made: frozenset[bytes] = frozenset()
    unknown: tuple[ActionState, ...] = ()
    goes_back: bool = False


NOTHING = Lately()


def saga_of(entry: Entry, changes: Changes) -> Saga | None:
    """Return the saga of a plan; None where its actions are sent as they were planned."""
    change = changes.get(entry.plan.tool)
    return None if change is None or SAGA not in entry.plan.touches else change.saga


def check_roll_back(entry: Entry, saga: Saga | None, services: Services) -> None:
    """Refuse to roll back what has not stopped halfway.

    Raises:
        Refused: it is no saga, nothing of it was sent, or it is fully applied.
    """
    if saga is not None and (goes_back(entry.plan) or entry.is_halfway(services.clock.now())):
        return
    if saga is not None and entry.state == "claimed" and entry.is_begun:
        return  # it is being applied: that is told
    why = "roll_back is for a correction that stopped halfway"
    raise Refused(
        blocking(
            warning_codes.INVALID_ARGUMENT, f"{entry.plan.summary}: {why}; this is not one, leave it out", "roll_back"
        )
    )


def rolled_back(plan: Plan) -> Plan:
    """Return a plan whose goal is what was before."""
    if goes_back(plan):
        return plan
    saga = cast("JsonObject", plan.touches[SAGA])
    return replace(plan, summary=f"roll back: {plan.summary}", touches={**plan.touches, SAGA: {**saga, BACK: True}})


async def look_back(work: Work, claim: Resumed) -> None:
    """Take over what was applied before; a step that nobody saw the end of is looked up."""
    goal = cast("JsonObject", work.plan.touches[SAGA])
    if goal.get(BEGUN) or {state.state for state in claim.actions} & {"applied", "unknown", "sending"}:
        # Other steps take the place of one whose end is unknown: that it was sent must not be forgotten with it.
        work.plan = replace(work.plan, touches={**work.plan.touches, SAGA: {**goal, BEGUN: True}})
    else:
        work.is_untouched = True
    for state in claim.actions:
        if state.state != "applied":
            break
        work.states.append(state)
    if claim.sending is not None:
        await work.end(claim.sending, await work.looked_up(claim.sending))
        # What is not known to be done is planned again, if the record still lacks it.
        work.states = [state for state in work.states if state.state == "applied"]


def sent_lately(claim: Resumed, now: datetime) -> Lately:
    """Return what was sent before, of which a listing of Katana may not know yet."""
    steps = [
        (Action.read(step), state)
        for step, state in zip(claim.plan.actions, claim.actions, strict=False)
        if state.at is not None and abs((now - state.at).total_seconds()) <= OWN_WRITE_STANDS
    ]
    return Lately(
        answered=frozenset(_content(step) for step, state in steps if state.state == "applied"),
        made=frozenset(_content(step) for step, state in steps if state.state in _UNSEEN and step.method == "POST"),
        unknown=tuple(state for state in claim.actions if state.state == "unknown"),
        goes_back=goes_back(claim.plan),
    )


async def walk(work: Work, saga: Saga, lately: Lately = NOTHING) -> None:
    """Send step after step until nothing is left to do; the first that is not applied stops it."""
    done: set[bytes] = set()
    left = None
    while (rest := await _left_to_do(work, saga, _Walked(done, left, lately))) is not None:
        await _replan(work, rest)
        if not rest:
            work.is_reached = True
            work.warnings += await _ended(work, saga)
            return
        place = len(work.states)
        work.services.note(f"step {place + 1} of {place + len(rest)}: {rest[0].title}")
        state = await work.begin(place)
        await work.end(place, state)
        if state.state != "applied":
            return
        done.add(_content(rest[0]))
        left = len(rest)
    if left is None:
        work.states += lately.unknown


async def _ended(work: Work, saga: Saga) -> Sequence[ToolWarning]:
    """Return what is to be said of a saga that reached its goal."""
    if saga.ended is None or goes_back(work.plan):
        return ()
    return await saga.ended(cast("JsonObject", work.plan.touches[SAGA]), work.services)


@dataclass(frozen=True, slots=True)
class _Walked:
    """What was sent in this call, and what was left to do before the last step of it; None where nothing was sent."""

    done: Collection[bytes]
    left: int | None
    lately: Lately

    def is_shown(self, rest: Sequence[Action], is_as_before: Callable[[], bool]) -> bool:
        """Return whether a look, after which so much is left to do, is younger than the last step."""
        if self.left is not None:
            return not rest or len(rest) < self.left
        if not self.lately.answered:
            return not rest or _content(rest[0]) not in self.lately.made
        is_repeated = self.lately.answered & {*map(_content, rest)}
        return not is_repeated and (self.lately.goes_back or not is_as_before())

    @property
    def why(self) -> str:
        """What is said where a look is too old."""
        if self.left is None and not self.lately.answered:
            what = "Katana may have made what it gave no answer to, and made again it would be there twice"
            return f"{what}; apply the same token again until it shows, or in {OWN_WRITE_STANDS // 60} minutes"
        return "Katana has answered a step that it does not show yet; apply the same token again in a minute"

    def is_other(self, rest: Sequence[Action]) -> bool:
        """Return whether something else is to be done than was: what a step does may be foreseen only in part."""
        if self.left is None or _content(rest[0]) in self.done:
            return False
        return len(self.done) == 1 or len(rest) <= self.left  # where ever more is left, nothing comes of it

    def is_over(self, rest: Sequence[Action]) -> bool:
        """Return whether Katana has answered all there was to do, though it does not show the last of it."""
        return self.left == 1 and len(rest) == 1 and rest[0].is_answered and _content(rest[0]) in self.done


async def _left_to_do(work: Work, saga: Saga, walked: _Walked) -> Sequence[Action] | None:
    """Return what is left to do once Katana shows what was done; None where that cannot be told."""
    goal, services = cast("JsonObject", work.plan.touches[SAGA]), work.services
    rest: Sequence[Action] = list[Action]()
    try:
        for pause in _PAUSES:
            await services.clock.sleep(pause)
            record = await saga.look(goal, services)
            _check_untouched(work, saga, record)
            rest = saga.rest(goal, record)
            if walked.is_shown(rest, partial(_is_as_before, saga, goal, record)):
                return rest
        if walked.is_other(rest):
            return rest
        if walked.is_over(rest):
            return []
    except Astray as error:
        work.warnings.append(_stopped(str(error)))
    except Refused as refusal:
        work.warnings.append(_stopped(refusal.warnings[0].message))
    else:
        work.warnings.append(_stopped(walked.why))
    return None


def _is_as_before(saga: Saga, goal: JsonObject, record: JsonObject) -> bool:
    """Return whether a record is as it was before the saga."""
    try:
        return not saga.rest({**goal, BACK: True}, record)
    except Astray:
        return False


def _check_untouched(work: Work, saga: Saga, record: JsonObject) -> None:
    goal = cast("JsonObject", work.plan.touches[SAGA])
    if work.is_untouched and not work.states and saga.rest({**goal, BACK: True}, record):
        raise Astray("nothing of it was written, and the record was changed since; plan it again")


def _stopped(why: str) -> ToolWarning:
    return advisory(warning_codes.UNEXPECTED_RESULT, f"stopped: {why}", "plan_tokens")


def _content(action: Action) -> bytes:
    sent = action.to_json()
    return encode({name: sent[name] for name in ("method", "path", "body")})


async def _replan(work: Work, rest: Sequence[Action]) -> None:
    """Let the journal hold what is left to do, after what was done; where neither is anything, what was foreseen."""
    start = len(work.states)
    foreseen = work.plan.actions if not rest and not start else work.plan.actions[:start]
    plan = replace(work.plan, actions=(*foreseen, *(action.to_json() for action in rest)))
    await work.services.journal.replan(work.run, start, plan)
    work.plan = plan
