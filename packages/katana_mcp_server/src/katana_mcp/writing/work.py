"""A claimed plan while it is worked on: what is sent, how each action ended, and what the journal is told of it."""

from dataclasses import dataclass, field

from cache_core.specs.inventory_movements import INVENTORY_MOVEMENT
from katana_mcp.journal.entries import ActionState, JsonObject, Plan, Run
from katana_mcp.references.services import Services
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.actions import Action
from katana_mcp.writing.change import Saga
from katana_mcp.writing.left_behind import leftovers
from katana_mcp.writing.left_open import left_open
from katana_mcp.writing.lost_answers import look_up_in_katana
from katana_mcp.writing.outcome import PlanOutcome
from katana_mcp.writing.plan_locks import Turn
from katana_mcp.writing.sending import lacking, send, surprises
from katana_mcp.writing.stale_looks import Sending
from katana_mcp.writing.written_through import put_through

_OWNER_GONE = "the server that sent it stopped before it got an answer"


@dataclass(slots=True)
class Work:
    """A claimed plan while it is worked on."""

    services: Services
    entry: int
    run: Run
    plan: Plan
    turn: Turn | None = None
    saga: Saga | None = None
    is_untouched: bool = False
    """Whether it was begun before, and certainly nothing of it was written."""
    is_reached: bool = False
    """Whether the record of a saga was seen to be as it is to be."""
    is_replanned: bool = False
    """Whether the journal holds other steps of a saga by now than those that were claimed."""
    sent: list[Sending] = field(default_factory=list[Sending])
    """What a saga has sent of late."""
    in_doubt: list[ActionState] = field(default_factory=list[ActionState])
    """The end of the step of a saga that nothing has told yet, until others take its place."""
    is_tried: bool = False
    """Whether the step after those that were applied was sent before, and others have not taken its place."""
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
        # A saga keeps its record, not the numbers of others.
        kept = "" if self.turn is None or self.saga is None else self.turn.names[0]
        await self.services.journal.sending(self.run, place, kept)
        return await send(self.actions[place], self.answers, self.services.client)

    @property
    def answers(self) -> dict[int, JsonObject]:
        """What Katana has answered, by the place of the action."""
        return {nr: state.result for nr, state in enumerate(self.states) if state.result is not None}

    async def end(self, place: int, state: ActionState) -> None:
        """Note how an action ended, and let the cache show it."""
        answers = self.answers
        state, left = await leftovers(self.plan, self.actions[place], state, self.services.client)
        self.warnings += left
        self.states.append(state)
        # It may have moved stock, whatever became of it: what moved is no part of an answer to a write.
        self.services.fresh.expire(INVENTORY_MOVEMENT.name)
        await self.services.journal.done(self.run, place, state)
        if state.state == "applied":
            action = self.actions[place].resolved(answers)
            self.warnings += [*surprises(action, state), *left_open(action, state)]
            self.warnings += await put_through(action, state, self.services)

    async def looked_up(self, place: int) -> ActionState:
        """Return how an action ended that an owner sent who is gone."""
        try:
            action = self.actions[place].resolved(self.answers)
        except LookupError as error:
            # What it refers to was not known to its owner either.
            return ActionState("failed", error=lacking(error))
        return await look_up_in_katana(action, self.services.client, _OWNER_GONE)

    def outcome(self) -> PlanOutcome:
        """Return what is known by now."""
        rest = [ActionState("not_tried")] * (len(self.plan.actions) - len(self.states))
        return PlanOutcome.of(self.entry, self.plan, [*self.states, *rest], self.warnings, is_reached=self.is_reached)
