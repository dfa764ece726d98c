"""A saga walked step by step: the record is looked at, what is left is planned anew, and the first of that is sent.

Whatever was sent before, by whatever process, shows in the record; so a step whose answer was lost, or whose sender is
gone, needs only another look. Where Katana does not show a step that was sent, that is waited for, not repeated, in
later calls too; but for one that got no answer and makes nothing: it is sent again.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from cache_core.protocol import OWN_WRITE_STANDS
from katana_mcp.journal.entries import ActionState, Entry, Plan, Resumed
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking
from katana_mcp.writing.actions import JsonObject
from katana_mcp.writing.change import BACK, BEGUN, SAGA, SENT, Astray, Changes, Saga, goes_back
from katana_mcp.writing.stale_looks import Look, from_json, hash_of_step, recent, to_json, with_ends
from katana_mcp.writing.work import Work

_PAUSES = (0.0, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each look at a record that does not show yet what was sent."""
_NOT_SHOWN = "Katana has answered a step that it does not show yet; apply the same token again in a minute"
_IN_DOUBT = (
    "Katana may have done a step that it does not show yet: sent again, it could be done twice; "
    f"apply the same token again until it shows, or in {OWN_WRITE_STANDS // 60} minutes"
)

_FOUND = ActionState("applied", look_up={"found": "the record shows it", "confirmed": True})
"""How a step ended that is seen to be done though no answer said so."""


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
    work.sent = with_ends(from_json(goal.get(SENT)), claim.actions)
    for state in claim.actions:
        if state.state != "applied":
            work.states += [state] if state.state == "unknown" else []
            break
        work.states.append(state)
    if claim.sending is not None:
        await work.end(claim.sending, await work.looked_up(claim.sending))
    # What is not known to be done is planned again, if the record still lacks it.
    work.in_doubt = [state for state in work.states if state.state == "unknown"]
    work.states = [state for state in work.states if state.state == "applied"]
    next_one = claim.actions[len(work.states) :][:1]
    work.is_tried = any(state.state not in {"planned", "not_tried"} for state in next_one)


async def walk(work: Work, saga: Saga) -> None:
    """Send step after step until nothing is left to do; the first that is not applied stops it."""
    while (look := await _left_to_do(work, saga)) is not None:
        await _replan(work, look)
        if not look.rest:
            work.is_reached = True
            work.warnings += await _ended(work, saga)
            return
        place = len(work.states)
        work.services.note(f"step {place + 1} of {place + len(look.rest)}: {look.rest[0].title}")
        state = await work.begin(place)
        await work.end(place, state)
        if state.state != "applied":
            return
        work.sent = with_ends(work.sent, work.states)
    work.states += work.in_doubt


async def _ended(work: Work, saga: Saga) -> Sequence[ToolWarning]:
    """Return what is to be said of a saga that reached its goal."""
    if saga.ended is None or goes_back(work.plan):
        return ()
    return await saga.ended(cast("JsonObject", work.plan.touches[SAGA]), work.services)


async def _left_to_do(work: Work, saga: Saga) -> Look | None:
    """Return what is left to do once Katana shows what was sent; None where that cannot be told."""
    try:
        if (look := await _shown(work, saga)) is not None:
            return look
        work.warnings.append(_stopped(_IN_DOUBT if work.in_doubt else _NOT_SHOWN))
    except Astray as error:
        work.warnings.append(_stopped(str(error)))
    except Refused as refusal:
        work.warnings.append(_stopped(refusal.warnings[0].message))
    return None


async def _shown(work: Work, saga: Saga) -> Look | None:
    """Return a look that shows what was sent, or one that nothing is left by once all was answered; None without one.

    Raises:
        Refused: Katana does not say.
        Astray: somebody else changed the record.
    """
    goal, clock, back = cast("JsonObject", work.plan.touches[SAGA]), work.services.clock, goes_back(work.plan)
    sent, look = recent(work.sent, clock), Look("", ())
    for pause in _PAUSES:
        await clock.sleep(pause)
        record = await saga.look(goal, work.services)
        _check_untouched(work, saga, record)
        look = Look.at(record, saga.rest(goal, record))
        if look.is_shown(sent, back=back):
            return look
    if look.is_new(sent, back=back):
        return look
    is_last = len(work.done) == len(work.plan.actions) and not work.actions[-1].pending
    return Look(look.record, ()) if is_last and look.is_before_last(sent, back=back) else None


def _check_untouched(work: Work, saga: Saga, record: JsonObject) -> None:
    goal = cast("JsonObject", work.plan.touches[SAGA])
    if work.is_untouched and not work.states and saga.rest({**goal, BACK: True}, record):
        raise Astray("nothing of it was written, and the record was changed since; plan it again")


def _stopped(why: str) -> ToolWarning:
    return advisory(warning_codes.UNEXPECTED_RESULT, f"stopped: {why}", "plan_tokens")


async def _replan(work: Work, look: Look) -> None:
    """Let the journal hold what is left to do, after what was done; where neither is anything, what was foreseen.

    With it goes from which look the next step is sent, which is right after.
    """
    found = _FOUND if _is_done(work, look) else None
    work.states += [] if found is None else [found]
    start, clock = len(work.states), work.services.clock
    foreseen = work.plan.actions if not look.rest and not start else work.plan.actions[:start]
    work.sent = recent(work.sent, clock)
    if look.rest:
        work.sent.append(look.next_step(start, clock, back=goes_back(work.plan)))
    saga = {**cast("JsonObject", work.plan.touches[SAGA]), SENT: to_json(work.sent)}
    actions = (*foreseen, *(action.to_json() for action in look.rest))
    plan = replace(work.plan, actions=actions, touches={**work.plan.touches, SAGA: saga})
    await work.services.journal.replan(work.run, start, plan, found)
    work.plan, work.in_doubt, work.is_tried, work.is_replanned = plan, [], False, True


def _is_done(work: Work, look: Look) -> bool:
    """Return whether a look shows the step that no answer said was applied: it is not left, and less is left by one."""
    if not work.is_tried or goes_back(work.plan):
        return False
    planned = work.actions[len(work.states) :]
    return len(look.rest) < len(planned) and hash_of_step(planned[0]) not in map(hash_of_step, look.rest)
