"""Plans whose end nobody knows, looked up again: what Katana shows is noted. Reads from Katana, never writes to it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from cache_core.records import RecordId
from katana_mcp.journal.entries import GONE_AFTER, ActionState, Entry
from katana_mcp.journal.errors import ClaimLost, WrongOrder
from katana_mcp.references.services import Services
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.actions import Action
from katana_mcp.writing.applying import OWNER, settled
from katana_mcp.writing.left_open import left_open
from katana_mcp.writing.lost_answers import is_as_planned, look_up_in_katana
from katana_mcp.writing.outcome import PlanOutcome

type Was = Literal["unknown", "recognised", "owner gone", "being applied", "not sent"]


@dataclass(frozen=True, slots=True)
class Reconciled:
    """A plan whose end was not known.

    Attributes:
        entry: as it was.
        was: `unknown` for a finished plan with an unknown action, `recognised` for one of which an action counts as
            applied by what Katana listed alone, `owner gone` for one that was begun and left,
            `being applied` and `not sent` for claimed ones of which there is nothing to look up.
        outcome: as it is noted now; None where nothing was looked up.
    """

    entry: Entry
    was: Was
    outcome: PlanOutcome | None = None

    @property
    def is_sure(self) -> bool:
        """Whether it is known by now what was written."""
        return self.was == "not sent" or (self.outcome is not None and not self.outcome.unknown)


async def reconciled(services: Services) -> list[Reconciled]:
    """Look up everything whose end is not known, the oldest first, and note what was found.

    Raises:
        JournalError: the journal cannot be used.
    """
    return [await _one(entry, services) for entry in await services.journal.unsure()]


async def _one(entry: Entry, services: Services) -> Reconciled:
    try:
        if entry.state == "finished":
            is_unknown = any(state.state == "unknown" for state in entry.actions)
            return Reconciled(entry, "unknown" if is_unknown else "recognised", await _looked_up_again(entry, services))
        claim = await services.journal.take_over(entry.id, OWNER)
        if claim is not None:
            return Reconciled(entry, "owner gone", await settled(entry.id, claim, services))
    except (ClaimLost, WrongOrder):
        return Reconciled(entry, "being applied")  # another is at it, and notes what it finds
    now = await services.journal.entry(entry.id)
    is_over = now is not None and not now.is_begun and (now.state in {"expired", "declined"} or _is_gone(now, services))
    return Reconciled(entry, "not sent" if is_over else "being applied")


def _is_gone(entry: Entry, services: Services) -> bool:
    beat = entry.beat_at
    return beat is not None and abs(services.clock.now() - beat) >= GONE_AFTER


async def _looked_up_again(entry: Entry, services: Services) -> PlanOutcome:
    states, ends, warnings = list(entry.actions), dict[int, ActionState](), list(_warnings(entry))
    answers = {
        place: action_state.result for place, action_state in enumerate(states) if action_state.result is not None
    }
    for place, state in enumerate(states):
        if state.is_unanswered:
            # What it refers to was answered, or it would not have been sent.
            action = Action.read(entry.plan.actions[place]).resolved(answers)
            ends[place] = await _found(action, state, entry, services)
            states[place] = ends[place]
            warnings += [told for told in left_open(action, ends[place]) if told not in warnings]
    outcome = PlanOutcome.of(entry.id, entry.plan, states, warnings)
    await services.journal.amend(entry.id, ends, outcome.model_dump(mode="json"))
    return outcome


async def _found(action: Action, state: ActionState, entry: Entry, services: Services) -> ActionState:
    """Return how an action ended; a record that another plan is known to have made was not made by this one."""
    look, others = action.recognise, frozenset[RecordId]()
    if look is not None and action.method == "POST":
        others = await services.journal.made_by_others(entry.id, action.path)
        action = replace(action, recognise=replace(look, besides=(*look.besides, *others)))
    found = replace(await look_up_in_katana(action, services.client, state.error or ""), at=state.at)
    if found.state == "applied":
        return replace(found, look_up={**(found.look_up or {}), "confirmed": True})
    return _still(action, state, found, others) if state.is_recognised else found


def _still(action: Action, state: ActionState, found: ActionState, others: Collection[RecordId]) -> ActionState:
    """Return what holds of a recognised action that Katana does not list as planned any more.

    It was changed since where what was found then is what was planned; else something else was taken for it.
    """
    looked, then = found.look_up or {}, state.result
    if "error" in looked:
        return state
    if then is not None and then.get("id") not in others and is_as_planned(action, then):
        return replace(state, look_up={**(state.look_up or {}), "confirmed": True, "now": looked})
    why = "it counted as applied because Katana listed a matching record, but Katana lists none now"
    return replace(found, error=why)


def _warnings(entry: Entry) -> Sequence[ToolWarning]:
    """Return what was told when the plan ended."""
    return PlanOutcome.model_validate(entry.outcome).warnings
