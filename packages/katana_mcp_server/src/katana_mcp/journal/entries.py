"""What the journal holds: plans, how far they are, and what a claim is answered.

Plain values. Refuses a plan without actions and one that lives longer than ten minutes.
"""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

LIFE = timedelta(minutes=10)
"""How long a plan can be applied at most."""
GONE_AFTER = timedelta(seconds=30)
"""An owner that was not heard of for so long is gone."""

type Settled = Literal["applied", "failed", "unknown"]
type Progress = Literal["planned", "sending", "not_tried"] | Settled
type PlanState = Literal["planned", "claimed", "finished", "expired", "declined"]
type Answered = Literal["asked", "accepted", "declined", "cancelled", "stale", "no answer"]
"""What a person said to the question; `asked` as long as there is no answer."""
type JsonObject = Mapping[str, object]


def new_token() -> str:
    """Return a token that nobody can guess; the journal keeps its digest alone."""
    return secrets.token_urlsafe(24)


def digest_of(token: str) -> str:
    """Return the digest under which the journal knows a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Exactly what would be sent, and what it is bound to.

    Attributes:
        digest: of its token.
        tool: that planned it.
        tenant: the name of the account.
        principal: the name of who asked for it.
        created_at: aware.
        expires_at: aware; from then on nobody can claim it.
        summary: one sentence for people.
        content: hash of everything that the plan touches, as it was then.
        actions: JSON objects with method, path, body, title and refs, in the order in which they are sent.
        shown: the JSON of the preview.
        request: the JSON of the request, from which it is planned again before it is applied.
        touches: the JSON of what `content` is the hash of; empty in files of older versions.
        lanes: names of the records and number spaces that it changes: plans that share one are applied in turn.
    """

    digest: str
    tool: str
    tenant: str
    principal: str
    created_at: datetime
    expires_at: datetime
    summary: str
    content: str
    actions: tuple[JsonObject, ...]
    shown: JsonObject
    request: JsonObject = field(default_factory=dict[str, object])
    touches: JsonObject = field(default_factory=dict[str, object])
    lanes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.actions:
            raise ValueError("a plan needs an action")
        if not timedelta(0) < self.expires_at - self.created_at <= LIFE:
            raise ValueError(f"a plan lives between 0 and {LIFE.total_seconds():.0f} seconds")


@dataclass(frozen=True, slots=True)
class ActionState:
    """How far an action is, and how it ended.

    Attributes:
        state: `failed` means certainly not applied, `unknown` that it may have been.
        result: what Katana answered.
        error: why it failed or is unknown.
        look_up: what was looked up to learn whether it happened, and what was found.
        at: when it began to be sent or ended; None for what was never sent.
    """

    state: Progress = "planned"
    result: JsonObject | None = None
    error: str | None = None
    look_up: JsonObject | None = None
    at: datetime | None = None

    @property
    def is_unanswered(self) -> bool:
        """Whether no answer of Katana told how it ended: it is unknown, or was recognised by what Katana lists."""
        return self.state == "unknown" or self.is_recognised

    @property
    def is_recognised(self) -> bool:
        """Whether it counts as applied because Katana lists what was planned, and nobody has looked again."""
        return self.state == "applied" and self.look_up is not None and not self.look_up.get("confirmed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A plan and what became of it.

    Attributes:
        id: grows with each plan.
        plan: what was planned.
        state: where it stands.
        actions: how far each action is, in the plan's order.
        owner: who claimed it last.
        claimed_at: when.
        beat_at: when its owner was heard of last.
        finished_at: when it was finished.
        outcome: what each later claim is answered, unless it was amended.
        amended: what was found out later, which each later claim is answered then.
        amended_at: when that was.
        answer: what a person who was asked about it said last; None where nobody was asked.
        answered_at: when that was.
        refused: why it was not applied when that was tried last, because it no longer fitted; None where it never was.
        refused_at: when that was.
    """

    id: int
    plan: Plan
    state: PlanState
    actions: tuple[ActionState, ...]
    owner: str | None = None
    claimed_at: datetime | None = None
    beat_at: datetime | None = None
    finished_at: datetime | None = None
    outcome: JsonObject | None = None
    amended: JsonObject | None = None
    amended_at: datetime | None = None
    answer: Answered | None = None
    answered_at: datetime | None = None
    refused: str | None = None
    refused_at: datetime | None = None

    @property
    def is_begun(self) -> bool:
        """Whether any of it was sent, or may have been."""
        return any(action.state != "planned" for action in self.actions)

    def is_halfway(self, now: datetime) -> bool:
        """Return whether it was begun, is not fully applied, and nobody is at it."""
        is_over = self.state == "finished" and any(action.state != "applied" for action in self.actions)
        return is_over or (self.state == "claimed" and self.is_begun and self.is_forsaken(now))

    def stands(self, now: datetime) -> PlanState:
        """Return the state as it is now: a plan that nobody claimed in time has expired.

        So has one whose owner is gone before anything of it was sent.
        """
        is_left = self.state == "claimed" and not self.is_begun and self.is_forsaken(now)
        is_over = now >= self.plan.expires_at and (self.state == "planned" or is_left)
        return "expired" if is_over else self.state

    def is_forsaken(self, now: datetime) -> bool:
        """Return whether its owner is gone; one that was heard of in the future is from before a clock was set back."""
        return self.beat_at is not None and abs(now - self.beat_at) >= GONE_AFTER


@dataclass(frozen=True, slots=True)
class Run:
    """The right to work on a claimed plan, until somebody takes over.

    Attributes:
        entry: the id of its entry.
        epoch: grows with each claim.
        digest: of its token: in another file the id may be that of another plan.
    """

    entry: int
    epoch: int
    digest: str


@dataclass(frozen=True, slots=True)
class Claimed:
    """Yours: send the actions."""

    run: Run
    plan: Plan


@dataclass(frozen=True, slots=True)
class Left:
    """What was begun before, and is yours now.

    Attributes:
        run: under which it is ended.
        plan: what was planned, with all that was planned since.
        actions: how far each action came.
    """

    run: Run
    plan: Plan
    actions: tuple[ActionState, ...]

    @property
    def sending(self) -> int | None:
        """The index of the action whose outcome nobody saw: look it up; None when there is none."""
        return next((place for place, action in enumerate(self.actions) if action.state == "sending"), None)


@dataclass(frozen=True, slots=True)
class Broken(Left):
    """Its owner is gone after it began to send. Yours to end, never to send: that is refused, the rest not tried."""


@dataclass(frozen=True, slots=True)
class Resumed(Left):
    """It stopped halfway, and its steps are planned as they come: yours to go on with."""


@dataclass(frozen=True, slots=True)
class Running:
    """Another is at it: ask again later."""

    since: datetime
    owner: str


@dataclass(frozen=True, slots=True)
class Finished:
    """It was applied before: answer with the outcome of then."""

    outcome: JsonObject


@dataclass(frozen=True, slots=True)
class Full:
    """Its caller has sent as many writes in a minute as are allowed: nothing was claimed, ask again then."""

    until: datetime


@dataclass(frozen=True, slots=True)
class Expired:
    """It was not claimed in time; nothing was sent."""


@dataclass(frozen=True, slots=True)
class Declined:
    """A person said no: it is over, and nothing was sent."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """No such token was given out for this account."""


type Claim = Claimed | Broken | Resumed | Running | Finished | Full | Expired | Declined | Unknown
