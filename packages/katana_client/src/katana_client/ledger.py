"""What was sent on one key, when, and what its answers said: pure arithmetic, without a clock, a file or a wait.

Every stamp is a reading of one monotonic clock, in seconds. A stamp ahead of that clock, as after a restart of the
machine, counts for nothing.
"""

from __future__ import annotations

import bisect
from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, cast

from katana_client.headers import MAX_WAIT

if TYPE_CHECKING:
    from collections.abc import Collection

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
"""Slightly more than the window, so that a window with both ends in it holds no more than the limit."""
_GROWS = 3
"""Places are kept for this many times the writes of the last window, up to their share."""
_PARTS = 12
"""Parts of a window over which writes are spread."""
_SUFFIXES = {-1: ":w", 0: "", 1: ":b"}
"""What is added to an owner's name in the file per priority; versions that know two priorities take it for a name."""


class Priority(IntEnum):
    """Who goes first, once each has had its share; see `Quota`. Writes are previews and applies, reads included."""

    WRITE = -1
    INTERACTIVE = 0
    BULK = 1


_PRIORITIES = tuple(Priority)
"""An enumeration makes its members anew for each look."""


@dataclass(frozen=True, slots=True)
class Quota:
    """How much may be sent, and what of it is kept for whom.

    A share is kept while its work waits or has sent in the last window, and is lent otherwise. For writes five twelfths
    of theirs are kept always, and three times what they have sent in the last window up to all of it. Of a smaller
    limit writes have three fifths at most, bulk work a quarter, reads three twentieths.

    Attributes:
        limit: Requests in any window.
        window: Seconds.
        reserve: Requests of each window that bulk work leaves alone beyond its share; less than `limit`.
        writes: Share of writes.
        reads: Share of interactive reads.
        bulk: Share of bulk work.
    """

    limit: int = 60
    window: float = 60.0
    reserve: int = 25
    writes: int = 36
    reads: int = 9
    bulk: int = 15


@dataclass(frozen=True, slots=True)
class Entry:
    """A request in flight (`at`: when its owner was last heard of) or over (`at`: when its answer came)."""

    at: float
    priority: Priority
    owner: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """The first in an owner's line of one priority.

    Attributes:
        priority: Of the request that waits.
        since: When it came to the front of its owner's line.
        seen: When its owner was last heard of.
    """

    priority: Priority
    since: float
    seen: float


@dataclass(frozen=True, slots=True)
class ServerQuota:
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
        queue: The first in each line, by owner and priority as `_line` names them.
        held: How long nobody sends.
        reported: What the headers left.
    """

    quota: Quota = field(default_factory=Quota)
    limit: int = 0
    flying: dict[str, Entry] = field(default_factory=dict[str, Entry])
    done: list[Entry] = field(default_factory=list[Entry])
    queue: dict[str, Waiting] = field(default_factory=dict[str, Waiting])
    held: ServerQuota = ServerQuota()
    reported: ServerQuota = ServerQuota()

    def __post_init__(self) -> None:
        self.limit = self.limit or self.quota.limit

    def heartbeat(self, owner: str, now: float) -> None:
        """Note that the owner is alive, and forget what no longer counts."""
        self.flying = {
            ticket: Entry(now, entry.priority, owner) if entry.owner == owner else entry
            for ticket, entry in self.flying.items()
            if entry.owner == owner or _recent(entry.at, now, self.quota.window + RENEWED_EVERY)
        }
        self.done = [entry for entry in self.done if _recent(entry.at, now, self.quota.window + 2 * _HAIR)]
        self.queue = {
            name: waiting for name, waiting in self.queue.items() if _recent(waiting.seen, now, _QUEUE_FORGETS)
        }
        self.held, self.reported = _sound(self.held, now), _sound(self.reported, now)

    def line_up(self, owner: str, priorities: Collection[Priority], now: float) -> None:
        """Put the first of each of the owner's lines in line, keeping its place; other lines of it are empty."""
        for priority in _PRIORITIES:
            before = self.queue.pop(_line(owner, priority), None)
            if priority in priorities:
                since = now if before is None else before.since
                self.queue[_line(owner, priority)] = Waiting(priority, since, now)

    def delay(self, owner: str, priority: Priority, now: float) -> float:
        """Return in how many seconds to look again for a place, 0 where a request of the owner may go now.

        It is infinite when only an answer can make room. Room is kept for those who stand before it, so that a free
        place wakes one of them and not all.
        """
        done, used = self._used(now)
        ahead = self._ahead(owner, priority, used)
        delay = max(0.0, self.held.until - now)
        if now < self.held.until + _PROBING and self.flying:
            # After a hold one goes alone: its answer tells how much is left for the others.
            delay = max(delay, _LOOK_AGAIN)
        within = self._is_within(priority, used, ahead[priority])
        spared = min(self.quota.reserve, self.limit - 1) if priority is Priority.BULK and not within else 0
        if self.reported.left - spared <= ahead.total():
            delay = max(delay, self.reported.until - now)
        if self._free(priority, used, ahead) <= 0 or used[priority] + ahead[priority] >= self.limit - spared:
            delay = max(delay, self._counts_for(done[0], now) if done else float("inf"))
        return max(delay, self._spread(used, ahead, now) if priority is Priority.WRITE and self._crowd(owner) else 0.0)

    def room_in(self, places: int, priority: Priority, now: float) -> float:
        """Return in how many seconds so many requests of a priority could go, if nobody else came.

        More than its share count as its share; where only an answer can make room, soon. That writes are spread over
        the window is left out: it slows, and does not stop.
        """
        needed = min(places, self._share(priority))
        done, used = self._used(now)
        ahead = Counter(waiting.priority for waiting in self.queue.values() if waiting.priority is priority)
        missing = needed - max(self._free(priority, used, ahead), 0)
        delay = max(self.held.until - now, 0.0)
        if missing > 0:
            delay = max(delay, self._counts_for(done[missing - 1], now) if missing <= len(done) else _LOOK_AGAIN)
        if self.reported.left < needed:
            delay = max(delay, self.reported.until - now)
        return delay

    def take(self, ticket: str, owner: str, priority: Priority, now: float) -> None:
        """Count a request that is sent now."""
        self.flying[ticket] = Entry(now, priority, owner)
        self.reported = ServerQuota(self.reported.left - 1, self.reported.since, self.reported.until)
        self.queue.pop(_line(owner, priority), None)

    def close(self, ticket: str, facts: RateFacts | None, at: float) -> None:
        """Note that a request is over, and let the quota headers of its answer tighten what may be sent."""
        entry = self.flying.pop(ticket, None)
        if entry is not None:
            bisect.insort(self.done, Entry(at, entry.priority, entry.owner), key=lambda closed: closed.at)
        if facts is not None:
            self._tighten(facts, at)

    def merge(self, owner: str, other: Ledger) -> None:
        """Take over what the owner sent while it kept `other` for itself, which knows best what it has in flight."""
        others = {ticket: entry for ticket, entry in self.flying.items() if entry.owner != owner}
        self.flying = others | {ticket: entry for ticket, entry in other.flying.items() if entry.owner == owner}
        existing = set(self.done)
        own = [entry for entry in other.done if entry.owner == owner and entry not in existing]
        self.done = sorted([*self.done, *own], key=lambda entry: entry.at)

    def as_data(self) -> dict[str, object]:
        """Return the ledger as JSON values, without its quota."""
        return {
            "limit": self.limit,
            "flying": {ticket: _entry_data(entry) for ticket, entry in self.flying.items()},
            "done": [_entry_data(entry) for entry in self.done],
            "queue": {
                line: [max(int(waiting.priority), 0), waiting.since, waiting.seen]
                for line, waiting in self.queue.items()
            },
            "held": _quota_data(self.held),
            "told": _quota_data(self.reported),
        }

    @classmethod
    def from_data(cls, quota: Quota, data: object) -> Ledger:
        """Return the ledger of JSON values; one without entries for anything that `as_data` never made."""
        try:
            values = cast("dict[str, dict[str, list[float]]]", data)
            return cls(
                quota,
                min(max(int(cast("float", values["limit"])), 1), quota.limit),
                {ticket: _entry(stored) for ticket, stored in values["flying"].items()},
                sorted(map(_entry, cast("list[list[float]]", values["done"])), key=lambda entry: entry.at),
                {line: Waiting(_class(line, p), float(a), float(b)) for line, (p, a, b) in values["queue"].items()},
                _quota_from(cast("list[float] | None", values["held"])),
                _quota_from(cast("list[float] | None", values["told"])),
            )
        except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError):
            return cls(quota)

    def _used(self, now: float) -> tuple[list[Entry], Counter[Priority]]:
        """Return the requests that are over and still count, oldest first, and how many places each priority takes."""
        done = [entry for entry in self.done if self._counts_for(entry, now) > 0]
        return done, Counter(entry.priority for entry in (*self.flying.values(), *done))

    def _share(self, priority: Priority) -> int:
        quota, limit = self.quota, self.limit
        if priority is Priority.WRITE:
            return min(quota.writes, limit * 3 // 5)
        return min(quota.bulk, limit // 4) if priority is Priority.BULK else min(quota.reads, limit * 3 // 20)

    def _reserved(self, priority: Priority, used: Counter[Priority]) -> int:
        """Return how many places of a window are kept for work of this priority now."""
        share = self._share(priority)
        if priority is Priority.WRITE:
            return min(share, max(share * 5 // 12, _GROWS * used[priority]))
        in_use = used[priority] > 0 or any(waiting.priority is priority for waiting in self.queue.values())
        return share if in_use else 0

    def _is_within(self, priority: Priority, used: Counter[Priority], ahead: int) -> bool:
        """Return whether a request that has so many of its own before it takes a place of its own share."""
        return used[priority] + ahead < self._reserved(priority, used)

    def _ahead(self, owner: str, priority: Priority, used: Counter[Priority]) -> Counter[Priority]:
        """Return who stands before the owner's request: who has not had its share, then by priority and time."""
        mine = self.queue.get(_line(owner, priority))
        if mine is None:
            return Counter()
        within = {level: self._is_within(level, used, 0) for level in _PRIORITIES}
        place = (not within[priority], priority, mine.since, _line(owner, priority))
        return Counter(
            waiting.priority
            for line, waiting in self.queue.items()
            if (not within[waiting.priority], waiting.priority, waiting.since, line) < place
        )

    def _free(self, priority: Priority, used: Counter[Priority], ahead: Counter[Priority]) -> int:
        """Return how many places work of this priority may take now: those before it and the shares of others stay."""
        within = self._is_within(priority, used, ahead[priority])
        kept = {other: 0 if within else self._reserved(other, used) - used[other] for other in _PRIORITIES}
        left = sum(max(ahead[other], kept[other]) for other in _PRIORITIES if other is not priority)
        return self.limit - used.total() - ahead[priority] - left

    def _counts_for(self, entry: Entry, now: float) -> float:
        """Return for how many seconds more a request that is over counts."""
        return entry.at + self.quota.window + _HAIR - now

    def _crowd(self, owner: str) -> bool:
        """Return whether others than the owner have sent anything in the last window."""
        return any(entry.owner != owner for entry in (*self.flying.values(), *self.done))

    def _spread(self, used: Counter[Priority], ahead: Counter[Priority], now: float) -> float:
        """Return for how long a write leaves its place to later ones, so that a crowd does not use up a minute at once.

        In each part of the window goes that part of their share, or a quarter of what is free where that is more.
        """
        part = self.quota.window / _PARTS
        most = max(self._share(Priority.WRITE) // _PARTS, self._free(Priority.WRITE, used, ahead) // 4, 1)
        recent = [entry.at for entry in self.done if entry.priority is Priority.WRITE and entry.at > now - part]
        flying = sum(entry.priority is Priority.WRITE for entry in self.flying.values())
        excess = len(recent) + flying + ahead[Priority.WRITE] + 1 - most
        if excess <= 0:
            return 0.0
        return max(recent[excess - 1] + part - now, _HAIR) if excess <= len(recent) else _LOOK_AGAIN

    def _tighten(self, facts: RateFacts, at: float) -> None:
        if facts.limit is not None:
            self.limit = min(self.quota.limit, facts.limit)
        if facts.hold > 0 and at + facts.hold > self.held.until:
            self.held = ServerQuota(0, at, at + facts.hold)
        if facts.remaining is None or facts.reset_in is None:
            return
        left, until = max(facts.remaining - len(self.flying), 0), at + facts.reset_in
        if at >= self.reported.until or until > self.reported.until + _SAME_RESET:
            self.reported = ServerQuota(left, at, until)
        elif until >= self.reported.until - _SAME_RESET:
            self.reported = ServerQuota(min(self.reported.left, left), self.reported.since, self.reported.until)


def _recent(at: float, now: float, seconds: float) -> bool:
    return now - seconds <= at <= now + _CLOCK_SLACK


def _sound(quota: ServerQuota, now: float) -> ServerQuota:
    """Return what was told unless it was told in the future, and for no longer than any wait may be."""
    if quota.since > now + _CLOCK_SLACK:
        return ServerQuota()
    return ServerQuota(quota.left, quota.since, min(quota.until, quota.since + MAX_WAIT))


def _line(owner: str, priority: Priority) -> str:
    """Return the name of an owner's line of a priority."""
    return f"{owner}{_SUFFIXES[priority]}"


def _class(name: str, priority: float) -> Priority:
    """Return the priority of what stands in the file: writes are interactive there, under a name that tells them."""
    return Priority.WRITE if name.endswith(_SUFFIXES[Priority.WRITE]) else Priority(priority)


def _entry_data(entry: Entry) -> list[object]:
    """Return an entry as every version reads it: its time, 0 or 1, and a name."""
    is_write = entry.priority is Priority.WRITE
    return [entry.at, max(int(entry.priority), 0), _line(entry.owner, entry.priority) if is_write else entry.owner]


def _entry(data: list[float]) -> Entry:
    at, priority, name = data
    found = _class(str(name), priority)
    suffix = _SUFFIXES[Priority.WRITE] if found is Priority.WRITE else ""
    return Entry(float(at), found, str(name).removesuffix(suffix))


def _quota_data(quota: ServerQuota) -> list[float] | None:
    return None if quota.until == float("-inf") else [quota.left, quota.since, quota.until]


def _quota_from(data: list[float] | None) -> ServerQuota:
    return ServerQuota() if data is None else ServerQuota(int(data[0]), float(data[1]), float(data[2]))
