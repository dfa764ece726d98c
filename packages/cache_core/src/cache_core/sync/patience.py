"""How current rows are at the moment of a read, how long it waits for newer ones, what a refresh ahead of it did."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from cache_core.states import SyncState, UnreadField
from cache_core.sync.engine import SyncOutcome


class Freshness(NamedTuple):
    """How current the rows of an entity are, at the moment of a read.

    Attributes:
        entity: whose rows.
        as_of: the moment as of which they are complete: when the oldest page of the last listing was asked for,
            ISO-8601 UTC; None while they never were.
        stale: whether they are older than the entity's `fresh_for`.
        reason: why they could not be refreshed in time, one sentence.
        failed: whether the last try to refresh them failed, or none is made, as against one that is still under way.
        failing_since: when it began to fail, by our clock, ISO-8601 UTC.
        done: records stored by the listing that runs now, or by a first one that was broken off.
        total: records that this listing will store, when reported.
        quarantined: whether records of it could not be kept.
        unread: fields that could not be read of all records.
    """

    entity: str
    as_of: str | None
    stale: bool = False
    reason: str | None = None
    failed: bool = False
    failing_since: str | None = None
    done: int | None = None
    total: int | None = None
    quarantined: bool = False
    unread: tuple[UnreadField, ...] = ()

    @property
    def warming(self) -> bool:
        """Whether no complete listing was ever stored: rows may be missing."""
        return self.as_of is None


@dataclass(frozen=True, slots=True)
class Patience:
    """What a read bears.

    Attributes:
        warm: seconds that it waits for a sync when it has rows to answer from.
        cold: the same without rows.
        by_id: seconds that it waits for single records.
        fresh_for: how old rows and levels may be before Katana is asked; None for what each entity and read says.
    """

    warm: float = 0.8
    cold: float = 4.5
    by_id: float = 3.0
    fresh_for: timedelta | None = None


type OnDue = Callable[[Sequence[str], Sequence[str]], None]
"""Told which entities a read waits for, in the order in which they are read, and which of them for the first time."""


@dataclass(frozen=True, slots=True)
class Round:
    """What a refresh ahead of reads did.

    Attributes:
        outcomes: of the entities that were due.
        rest: in how many seconds to look again.
    """

    outcomes: tuple[SyncOutcome, ...]
    rest: float


def age_of(state: SyncState, now: datetime) -> timedelta:
    """Return how old a complete listing is; one from the future counts as very old."""
    if state.completed_at is None:
        return timedelta.max
    age = now - datetime.fromisoformat(state.completed_at)
    return age if age >= timedelta(0) else timedelta.max
