"""Whether a plan may be claimed, and how a claim is written; each in a transaction that the caller holds."""

import sqlite3
from datetime import datetime

from cache_core.records import iso
from katana_mcp.journal.entries import (
    GONE_AFTER,
    Broken,
    Declined,
    Entry,
    Expired,
    Finished,
    Full,
    Plan,
    Resumed,
    Run,
    Running,
)
from katana_mcp.journal.pace import WriteRequested, room_at


def _is_over(plan: Plan, now: datetime) -> bool:
    """Return whether a plan cannot be claimed any more; a clock set back gives it no second life."""
    return now >= plan.expires_at or plan.created_at - now >= GONE_AFTER


def refused(db: sqlite3.Connection, entry: Entry, now: datetime, most: int | None) -> Expired | Declined | Full | None:
    """Return why nobody may begin to send a plan now."""
    if entry.state == "declined":
        return Declined()
    if entry.state == "expired" or _is_over(entry.plan, now):
        db.execute("UPDATE plan SET state = 'expired' WHERE id = ?", (entry.id,))
        return Expired()
    return _full(db, entry, len(entry.actions), now, most)


def _full(db: sqlite3.Connection, entry: Entry, actions: int, now: datetime, most: int | None) -> Full | None:
    """Return until when so many actions of a plan find no room; None where they do."""
    if most is None:
        return None
    until = room_at(db, WriteRequested(entry.plan.principal, actions, most, (entry.id,)), now, now - GONE_AFTER)
    return None if until is None else Full(until)


def held(entry: Entry, now: datetime) -> Finished | Running | None:
    """Return why a plan is nobody's to take: it is finished, or its owner is alive."""
    outcome = entry.outcome if entry.amended is None else entry.amended
    if outcome is not None:
        return Finished(outcome)
    since = entry.claimed_at
    if entry.state == "claimed" and since and entry.beat_at and not entry.is_forsaken(now):
        return Running(since, entry.owner or "")
    return None


def taken_over(db: sqlite3.Connection, entry: Entry, owner: str, now: datetime) -> Broken:
    """Take what an owner who is gone had begun to send: to be ended, never to be sent."""
    return Broken(taken(db, entry, owner, now, is_broken=True), entry.plan, entry.actions)


def resumed(db: sqlite3.Connection, entry: Entry, owner: str, now: datetime, most: int | None) -> Resumed | Full:
    """Take what stopped halfway, to go on with it; what it ended with then is over."""
    left = sum(action.state != "applied" for action in entry.actions)
    if (full := _full(db, entry, left, now, most)) is not None:
        return full
    db.execute(
        "UPDATE plan SET state = 'claimed', outcome = NULL, finished_at = NULL, amended = NULL, amended_at = NULL"
        " WHERE id = ?",
        (entry.id,),
    )
    db.execute("UPDATE action SET state = 'planned' WHERE plan = ? AND state = 'not_tried'", (entry.id,))
    return Resumed(taken(db, entry, owner, now), entry.plan, entry.actions)


def taken(db: sqlite3.Connection, entry: Entry, owner: str, now: datetime, *, is_broken: bool = False) -> Run:
    """Write that a plan is claimed; the right of whoever had it before is over."""
    (epoch,) = db.execute(
        "UPDATE plan SET state = 'claimed', epoch = epoch + 1, owner = ?, claimed_at = ?, beat_at = ?, broken = ?"
        " WHERE id = ? RETURNING epoch",
        (owner, iso(now), iso(now), is_broken, entry.id),
    ).fetchone()
    return Run(entry.id, epoch, entry.plan.digest)
