"""How many writes one caller may send in a minute, counted in the journal, so over all processes of an account."""

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from cache_core.records import iso

MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class WriteRequested:
    """Writes that somebody wants to send.

    Attributes:
        principal: who.
        actions: how many; more than the most allowed count as the most.
        most: allowed in a minute.
        entries: of the plans that they belong to; what these hold does not stand in their own way.
    """

    principal: str
    actions: int
    most: int
    entries: Collection[int]


def room_at(db: sqlite3.Connection, writes: WriteRequested, now: datetime, gone: datetime) -> datetime | None:
    """Return when there is room for these writes, or None when there is now.

    What Katana refused leaves room. What a plan that is being applied has not sent yet takes its room already.

    Args:
        db: inside a transaction.
        writes: what is to be sent.
        now: the wall time; what was sent after the next minute is from before the clock was set back, and not counted.
        gone: who was not heard of since then sends nothing any more.
    """
    marks = ", ".join("?" * len(writes.entries))
    others = f"principal = ? AND plan.id NOT IN ({marks})"
    whose = (writes.principal, *writes.entries)
    sent = db.execute(
        "SELECT at FROM action JOIN plan ON plan.id = action.plan"
        f" WHERE action.state IN ('sending', 'applied', 'unknown') AND at > ? AND at <= ? AND {others} ORDER BY at",
        (iso(now - MINUTE), iso(now + MINUTE), *whose),
    ).fetchall()
    (waiting,) = db.execute(
        "SELECT count(*) FROM plan JOIN action ON plan.id = action.plan"
        f" WHERE plan.state = 'claimed' AND action.state = 'planned' AND beat_at > ? AND {others}",
        (iso(gone), *whose),
    ).fetchone()
    taken = [datetime.fromisoformat(at) for (at,) in sent] + [now] * waiting
    over = len(taken) + min(writes.actions, writes.most) - writes.most
    return None if over <= 0 else taken[over - 1] + MINUTE
