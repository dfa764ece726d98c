"""What a saga has sent, and from which look at the record: so an old look is told from one that shows what was sent.

Katana's reads lag behind its writes, by minutes at times, and a read says nothing of its age. A record that is just as
it was when a step was sent does not show that step; nor does one after which no less is left to do. How long ago it was
sent is told by the machine's monotonic clock: a wall clock that is set meanwhile lets nothing be sent again.
"""

import hashlib
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

from cache_core.clock import Clock
from cache_core.protocol import OWN_WRITE_STANDS
from cache_core.records import encode, iso
from katana_mcp.journal.entries import ActionState, JsonObject
from katana_mcp.writing.actions import Action

_MAY_BE_DONE = {"unknown", "sending"}


def _start_of_machine() -> str:
    """Return what tells one start of the machine from another; where the system does not say, the machine's name."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return socket.gethostname()


BOOT = _start_of_machine()
"""Since when the monotonic clock counts, for all processes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """A step that was sent, or is about to be.

    Attributes:
        place: the index of its action, where the journal tells there how it ended; None where that is taken over.
        at: when, by the wall clock.
        tick: when, in seconds of the monotonic clock.
        boot: since which start of a machine that counts; empty in files of older versions.
        look: hash of the record that it was planned from.
        step: hash of what was sent.
        left: how many steps were left then, this one included.
        back: whether the saga went back.
        is_repeatable: whether Katana gave no answer to it, and the same once more changes nothing: it makes nothing.
    """

    place: int | None
    at: str
    look: str
    step: str
    left: int
    back: bool
    is_repeatable: bool
    tick: int = 0
    boot: str = ""

    def age(self, clock: Clock) -> float:
        """Return how many seconds ago it was sent at least, whatever the wall clock was set to meanwhile.

        Before another start of the machine means: longer ago than that start. But then the journal may have come from
        another machine just now, so wall time has to say so as well.
        """
        uptime = clock.monotonic()
        if self.boot == BOOT and uptime >= self.tick:
            return uptime - self.tick
        return min(uptime, (clock.now() - datetime.fromisoformat(self.at)).total_seconds())

    def ended(self, state: ActionState) -> "Sending | None":
        """Return what is known of it once its action came so far; None where it was certainly not applied."""
        at = self.at if state.at is None else iso(state.at)
        if state.state == "applied":
            return replace(self, place=None, at=at, is_repeatable=False)
        return replace(self, place=None, at=at) if state.state in _MAY_BE_DONE else None


class Look(NamedTuple):
    """How a record was seen, as a hash, and what is left to do by that."""

    record: str
    rest: Sequence[Action]

    @classmethod
    def at(cls, record: JsonObject, rest: Sequence[Action]) -> "Look":
        """Return a look at a record."""
        return cls(_hash(record), rest)

    def next_step(self, place: int, clock: Clock, *, back: bool) -> Sending:
        """Return that the first of what is left is about to be sent."""
        step = self.rest[0]
        return Sending(
            place=place,
            at=iso(clock.now()),
            tick=int(clock.monotonic()),
            boot=BOOT,
            look=self.record,
            step=hash_of_step(step),
            left=len(self.rest),
            back=back,
            is_repeatable=step.method != "POST",
        )

    def is_shown(self, sent: Iterable[Sending], *, back: bool) -> bool:
        """Return whether it shows what was sent: the record is another, and less is left than when the last was."""
        known = self._known(sent)
        same_way = _same_way(known, back=back)
        return not self._is_old(known) and (not same_way or not self.rest or len(self.rest) < same_way[-1].left)

    def is_new(self, sent: Iterable[Sending], *, back: bool) -> bool:
        """Return whether what is left begins with a step that was not sent: what one does may be foreseen in part.

        Where more is left than ever before, nothing comes of it.
        """
        known = self._known(sent)
        if self._is_old(known):
            return False
        same_way = _same_way(known, back=back)
        done = {sending.step for sending in same_way}
        most = max(sending.left for sending in same_way)
        return hash_of_step(self.rest[0]) not in done and (len(done) == 1 or len(self.rest) <= most)

    def is_before_last(self, sent: Sequence[Sending], *, back: bool) -> bool:
        """Return whether it is too old to show the last step that was sent that way, or leaves just that one."""
        is_left = [*map(hash_of_step, self.rest)] == [sent[-1].step]
        return sent[-1].back == back and (is_left or self._is_old(sent))

    def _is_old(self, sent: Iterable[Sending]) -> bool:
        return any(sending.look == self.record for sending in sent)

    def _known(self, sent: Iterable[Sending]) -> list[Sending]:
        """Return what it has to show before its next step is sent: not what may be repeated, where that one may be."""
        may_repeat = bool(self.rest) and self.rest[0].method != "POST"
        return [sending for sending in sent if not (may_repeat and sending.is_repeatable)]


def _same_way(sent: Sequence[Sending], *, back: bool) -> list[Sending]:
    return [sending for sending in sent if sending.back == back]


def hash_of_step(action: Action) -> str:
    """Return what tells a step from others."""
    sent = action.to_json()
    return _hash({name: sent[name] for name in ("method", "path", "body")})


def _hash(value: Mapping[str, object]) -> str:
    return hashlib.sha256(encode(value)).hexdigest()


def to_json(sent: Iterable[Sending]) -> list[JsonObject]:
    """Return sendings as the journal keeps them."""
    return [asdict(sending) for sending in sent]


def from_json(kept: object) -> list[Sending]:
    """Return what `to_json` made."""
    return [Sending(**cast("dict[str, Any]", one)) for one in cast("list[object]", kept or [])]


def with_ends(sent: Iterable[Sending], states: Sequence[ActionState]) -> list[Sending]:
    """Return sendings without what was certainly not applied; `states` is how far each action came."""
    ends = [sending if sending.place is None else sending.ended(states[sending.place]) for sending in sent]
    return [sending for sending in ends if sending is not None]


def recent(sent: Iterable[Sending], clock: Clock) -> list[Sending]:
    """Return what was sent so short ago that a read may not show it yet."""
    return [sending for sending in sent if sending.age(clock) <= OWN_WRITE_STANDS]
