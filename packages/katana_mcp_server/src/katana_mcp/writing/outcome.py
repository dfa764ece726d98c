"""What became of a plan: each action's end, how it was before, how to undo it. The journal keeps it as it is told."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self, cast

from pydantic import Field

from cache_core.records import as_id
from katana_mcp.journal.entries import ActionState, Plan
from katana_mcp.tools.answers import Answer, Envelope, Number, plain
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.actions import SAFE_AGAIN, Action, JsonObject, resolved
from katana_mcp.writing.change import SAGA, goes_back
from katana_mcp.writing.totals import totals_in_words

type Ended = Literal["applied", "failed", "unknown", "not_tried"]


class ActionOutcome(Answer):
    """How one action ended; `failed` means certainly not applied, `unknown` that it may have been."""

    title: str
    method: str
    path: str
    state: Ended
    id: int | str | None = None
    error: str | None = None
    look_up: dict[str, object] | None = None
    """What was looked up to learn whether it happened, and what was found."""


class Revert(Answer):
    """The call that plans to undo it."""

    tool: str
    arguments: dict[str, object]


class PlanOutcome(Answer):
    """What became of one plan."""

    entry: int
    """Of the journal."""
    message: str
    id: int | str | None = None
    number: str | None = None
    status: str | None = None
    """Of the document afterwards, if all was applied and it still exists."""
    total: Number | None = None
    """With tax, as Katana shows it."""
    net_total: Number | None = None
    additional_costs: Number | None = None
    currency: str | None = None
    applied: int = 0
    failed: int = 0
    unknown: int = 0
    not_tried: int = 0
    actions: list[ActionOutcome]
    prior_state: dict[str, object] | None = None
    revert: Revert | None = None
    warnings: Annotated[list[ToolWarning], Field(default_factory=list[ToolWarning])]

    @property
    def is_complete(self) -> bool:
        """Whether every action was applied."""
        return self.applied == len(self.actions)

    @classmethod
    def of(
        cls,
        entry: int,
        plan: Plan,
        states: Sequence[ActionState],
        warnings: Sequence[ToolWarning],
        *,
        is_reached: bool = False,
    ) -> Self:
        """Return the outcome of a plan whose actions ended like this; what was never sent is not tried.

        Args:
            entry: of the journal.
            plan: with its actions.
            states: how far each came.
            warnings: what else is to be said.
            is_reached: whether the record of a saga was seen to be as it is to be.
        """
        actions = [Action.read(action) for action in plan.actions]
        ended = [_ended(action, state) for action, state in zip(actions, states, strict=True)]
        count: Counter[Ended] = Counter(action.state for action in ended)
        shown = plan.shown
        answers = {place: state.result or {} for place, state in enumerate(states) if state.state == "applied"}
        prior = shown.get("prior_state")
        return cls.model_validate(
            {
                "entry": entry,
                "message": _message(plan, count, len(ended), is_reached=is_reached),
                "id": shown.get("id") or next(filter(None, map(_document_id, ended)), None),
                "number": shown.get("number"),
                **(_document(shown) if count["applied"] == len(ended) and _stays(plan, actions) else {}),
                **count,
                "actions": ended,
                "prior_state": plain(prior),
                "revert": _revert(shown.get("revert"), answers) if count["applied"] else None,
                "warnings": list(warnings),
            }
        )


class ApplyAnswer(Envelope):
    """The answer of `apply_plan`."""

    is_preview: Literal[False] = False
    message: str
    outcomes: list[PlanOutcome]
    """One per token that was tried, in their order."""
    not_tried: int = 0
    """Tokens after the first that did not end fully applied."""


def _document(shown: Mapping[str, object]) -> dict[str, object]:
    """Return what a document is once its plan is applied."""
    return {name: plain(shown.get(name)) for name in ("status", "total", "net_total", "additional_costs", "currency")}


def _stays(plan: Plan, actions: Sequence[Action]) -> bool:
    """Return whether the document is as it was shown, and not deleted itself or put back."""
    if SAGA in plan.touches:
        return not goes_back(plan)
    return not any(action.method == "DELETE" and action.part is None and action.document is None for action in actions)


def _document_id(ended: ActionOutcome) -> int | str | None:
    """Return the id of what an action made or changed, where it is that of a document: those of rows are texts."""
    return ended.id if isinstance(ended.id, int) or ended.method == "POST" else None


_ENDED: Mapping[str, Ended] = {"applied": "applied", "failed": "failed", "unknown": "unknown"}


def _ended(action: Action, state: ActionState) -> ActionOutcome:
    made = None if state.result is None else state.result.get("id")
    return ActionOutcome(
        title=action.title,
        method=action.method,
        path=action.shown_path,
        state=_ENDED.get(state.state, "not_tried"),
        id=action.row or action.record if made is None else as_id(made),
        error=state.error,
        look_up=cast("dict[str, object] | None", plain(state.look_up)),
    )


def _message(plan: Plan, count: Counter[Ended], actions: int, *, is_reached: bool) -> str:
    summary = plan.summary
    if SAGA in plan.touches and (count["applied"] < actions or goes_back(plan)):
        return _of_saga(plan, count["applied"], actions, is_reached=is_reached)
    if count["applied"] == actions:
        totals = totals_in_words(cast("Mapping[str, object]", plain(plan.shown)))
        return f"applied: {summary}{f'; total {totals}' if totals else ''}"
    counts = ", ".join(f"{count[state]} {state.replace('_', ' ')}" for state in _ENDS if count[state])
    if count["unknown"]:
        is_safe = all(Action.read(action).is_repeatable for action in plan.actions)
        then = SAFE_AGAIN if is_safe else "look at the document in Katana before planning it again"
        return f"unknown whether applied: {summary} ({counts}); {then}"
    return f"not {'fully ' if count['applied'] else ''}applied: {summary} ({counts})"


def _of_saga(plan: Plan, applied: int, steps: int, *, is_reached: bool) -> str:
    """Return how far a saga came that stopped halfway, or goes back, and how it goes on."""
    if goes_back(plan) and (applied == steps or (is_reached and not applied)):
        return f"done: {plan.summary}"
    message = f"stopped after {applied} of {steps} steps: {plan.summary}; apply the same token again to go on"
    return message if goes_back(plan) else f"{message}, or with roll_back=true to put everything back as it was"


_ENDS: tuple[Ended, ...] = ("applied", "failed", "unknown", "not_tried")


def _revert(planned: object, answers: Mapping[int, JsonObject]) -> object:
    if planned is None:
        return None
    try:
        return plain(resolved(planned, answers), nulls=True)
    except LookupError:
        return None
