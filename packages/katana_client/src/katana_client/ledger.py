"""What was sent on one key, when, and what its answers said: pure arithmetic, without a clock, a file or a wait.

Every stamp is a reading of one monotonic clock, in seconds. A stamp ahead of that clock, as after a restart of the
machine, counts for nothing.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, cast

from katana_client.headers import MAX_WAIT

if TYPE_CHECKING:
    from katana_client.headers import RateFacts

RENEWED_EVERY = 5.0
"""Seconds within which an owner with requests in flight is heard of; one that is not has crashed."""
QUEUE_RENEWED_EVERY = 0.5
"""The same for an owner that waits for a place."""
_QUEUE_FORGETS = 2.0
_PROBING = 5.0
_LOOK_AGAIN = 0.25
_SAME_RESET = 2.0
"""Two resets this close, in seconds, are the same one; `Date` has a resolution of one second."""
_CLOCK_SLACK = 1.0
_HAIR = 0.001
"""A hair more than the window, so that a window with both ends in it holds no more than the limit."""


class Priority(IntEnum):
    """Who goes first. Bulk work leaves a reserve to the interactive."""

    INTERACTIVE = 0
    BULK = 1


@dataclass(frozen=True, slots=True)
class Quota:
    """How much may be sent.

    Attributes:
        limit: Requests in any window.
        window: Seconds.
        reserve: Requests of each window that bulk work leaves alone; less than `limit`.
    """

    limit: int = 60
    window: float = 60.0
    reserve: int = 15


@dataclass(frozen=True, slots=True)
class Entry:
    """A request in flight (`at`: when its owner was last heard of) or over (`at`: when its answer came)."""

    at: float
    priority: Priority
    owner: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """The first in line of an owner.

    Attributes:
        priority: Of the request that waits.
        since: When it came to the front of its owner's line.
        seen: When its owner was last heard of.
    """

    priority: Priority
    since: float
    seen: float


@dataclass(frozen=True, slots=True)
class Told:
    """What an answer made of the quota: `left` requests from `since` to `until`."""

    left: int = 0
    since: float = float("-inf")
    until: float = float("-inf")


@dataclass(slots=True)
class Ledger:
    """One key's requests of the last window, its owners in line, and what Katana told.

    A request occupies its place from the moment it may be sent until one window after its answer came, because it
    may have reached the server at any time in between. One whose owner crashed is forgotten 65 seconds later.

    Attributes:
        quota: How much may be sent at most.
        limit: How much Katana allows, when that is less.
        flying: Requests in flight by ticket.
        done: Requests that are over, by the time of their answers.
        queue: Owners in line, each with its first.
        held: How long nobody sends.
        told: What the headers left.
    """

    quota: Quota = field(default_factory=Quota)
    limit: int = 0
    flying: dict[str, Entry] = field(default_factory=dict[str, Entry])
    done: list[Entry] = field(default_factory=list[Entry])
    queue: dict[str, Waiting] = field(default_factory=dict[str, Waiting])
    held: Told = Told()
    told: Told = Told()

    def __post_init__(self) -> None:
        self.limit = self.limit or self.quota.limit

    def hear(self, owner: str, now: float) -> None:
        """Note that the owner is alive, and forget what no longer counts."""
        self.flying = {
            ticket: Entry(now, each.priority, owner) if each.owner == owner else each
            for ticket, each in self.flying.items()
            if each.owner == owner or _recent(each.at, now, self.quota.window + RENEWED_EVERY)
        }
        self.done = [each for each in self.done if _recent(each.at, now, self.quota.window + 2 * _HAIR)]
        self.queue = {name: each for name, each in self.queue.items() if _recent(each.seen, now, _QUEUE_FORGETS)}
        self.held, self.told = _sound(self.held, now), _sound(self.told, now)

    def line_up(self, owner: str, priority: Priority | None, now: float) -> None:
        """Put the owner in line with its first request, keeping its place; None takes it out."""
        before = self.queue.pop(owner, None)
        if priority is not None:
            same = before is not None and before.priority == priority
            self.queue[owner] = Waiting(priority, before.since if same and before is not None else now, now)

    def delay(self, owner: str, priority: Priority, now: float) -> float:
        """Return in how many seconds a request of the owner may go; infinite when only an answer can make room.

        Room is kept for those who stand before it, so that a free place wakes one of them and not all.
        """
        ahead = self._ahead(owner, priority)
        delay = max(self.held.until - now, self._room_in(now, self.limit, (self.done, len(self.flying) + len(ahead))))
        if now < self.held.until + _PROBING and self.flying:
            # After a hold one goes alone: its answer tells how much is left for the others.
            delay = max(delay, _LOOK_AGAIN)
        bulk = priority is Priority.BULK
        spared = min(self.quota.reserve, self.limit - 1) if bulk else 0
        if now < self.told.until and self.told.left - spared <= len(ahead):
            delay = max(delay, self.told.until - now)
        if bulk:
            done = [each for each in self.done if each.priority is Priority.BULK]
            before = sum(each.priority is Priority.BULK for each in (*self.flying.values(), *ahead))
            delay = max(delay, self._room_in(now, self.limit - spared, (done, before)))
        return delay

    def room_in(self, places: int, now: float) -> float:
        """Return in how many seconds so many interactive requests could go one after the other, if nobody else came.

        More than the limit count as the limit; where only an answer can make room, soon.
        """
        wanted = min(places, self.limit)
        delay = max(self.held.until - now, 0.0)
        delay = max(delay, self._room_in(now, self.limit, (self.done, len(self.flying) + len(self.queue) + wanted - 1)))
        if now < self.told.until and self.told.left < wanted:
            delay = max(delay, self.told.until - now)
        return delay if delay != float("inf") else _LOOK_AGAIN

    def take(self, ticket: str, owner: str, priority: Priority, now: float) -> None:
        """Count a request that is sent now."""
        self.flying[ticket] = Entry(now, priority, owner)
        self.told = Told(self.told.left - 1, self.told.since, self.told.until)
        self.queue.pop(owner, None)

    def close(self, ticket: str, facts: RateFacts | None, at: float) -> None:
        """Note that a request is over, and let the quota headers of its answer tighten what may be sent."""
        entry = self.flying.pop(ticket, None)
        if entry is not None:
            bisect.insort(self.done, Entry(at, entry.priority, entry.owner), key=lambda each: each.at)
        if facts is not None:
            self._tighten(facts, at)

    def adopt(self, owner: str, other: Ledger) -> None:
        """Take over what the owner sent while it kept `other` for itself."""
        self.flying |= {ticket: each for ticket, each in other.flying.items() if each.owner == owner}
        known = set(self.done)
        own = [each for each in other.done if each.owner == owner and each not in known]
        self.done = sorted([*self.done, *own], key=lambda each: each.at)

    def as_data(self) -> dict[str, object]:
        """Return the ledger as JSON values, without its quota."""
        return {
            "limit": self.limit,
            "flying": {ticket: _entry_data(each) for ticket, each in self.flying.items()},
            "done": [_entry_data(each) for each in self.done],
            "queue": {owner: [int(each.priority), each.since, each.seen] for owner, each in self.queue.items()},
            "held": _told_data(self.held),
            "told": _told_data(self.told),
        }

    @classmethod
    def from_data(cls, quota: Quota, data: object) -> Ledger:
        """Return the ledger of JSON values; one without entries for anything that `as_data` never made."""
        try:
            values = cast("dict[str, dict[str, list[float]]]", data)
            return cls(
                quota,
                min(max(int(cast("float", values["limit"])), 1), quota.limit),
                {ticket: _entry(each) for ticket, each in values["flying"].items()},
                sorted(map(_entry, cast("list[list[float]]", values["done"])), key=lambda each: each.at),
                {owner: Waiting(Priority(p), float(a), float(b)) for owner, (p, a, b) in values["queue"].items()},
                _told(cast("list[float] | None", values["held"])),
                _told(cast("list[float] | None", values["told"])),
            )
        except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError):
            return cls(quota)

    def _ahead(self, owner: str, priority: Priority) -> list[Waiting]:
        mine = self.queue.get(owner)
        if mine is None:
            return []
        place = (priority, mine.since, owner)
        return [each for name, each in self.queue.items() if (each.priority, each.since, name) < place]

    def _room_in(self, now: float, limit: int, used: tuple[list[Entry], int]) -> float:
        done, before = used
        excess = len(done) + before + 1 - limit
        if excess <= 0:
            return 0.0
        if excess > len(done):
            return float("inf")
        return done[excess - 1].at + self.quota.window + _HAIR - now

    def _tighten(self, facts: RateFacts, at: float) -> None:
        if facts.limit is not None:
            self.limit = min(self.quota.limit, facts.limit)
        if facts.hold > 0 and at + facts.hold > self.held.until:
            self.held = Told(0, at, at + facts.hold)
        if facts.remaining is None or facts.reset_in is None:
            return
        left, until = max(facts.remaining - len(self.flying), 0), at + facts.reset_in
        if at >= self.told.until or until > self.told.until + _SAME_RESET:
            self.told = Told(left, at, until)
        elif until >= self.told.until - _SAME_RESET:
            self.told = Told(min(self.told.left, left), self.told.since, self.told.until)


def _recent(at: float, now: float, seconds: float) -> bool:
    return now - seconds <= at <= now + _CLOCK_SLACK


def _sound(told: Told, now: float) -> Told:
    """Return what was told unless it was told in the future, and for no longer than any wait may be."""
    if told.since > now + _CLOCK_SLACK:
        return Told()
    return Told(told.left, told.since, min(told.until, told.since + MAX_WAIT))


def _entry_data(entry: Entry) -> list[object]:
    return [entry.at, int(entry.priority), entry.owner]


def _entry(data: list[float]) -> Entry:
    at, priority, owner = data
    return Entry(float(at), Priority(priority), str(owner))


def _told_data(told: Told) -> list[float] | None:
    return None if told.until == float("-inf") else [told.left, told.since, told.until]


def _told(data: list[float] | None) -> Told:
    return Told() if data is None else Told(int(data[0]), float(data[1]), float(data[2]))
