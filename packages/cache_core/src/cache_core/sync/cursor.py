"""Where the next delta starts: from what the server said, never from the local clock."""

from dataclasses import replace
from datetime import datetime, timedelta

from cache_core.records import iso
from cache_core.states import Checkpoint, SyncState

LOOK_BACK = timedelta(seconds=60)
LONG_LOOK_BACK = timedelta(minutes=20)
LONG_EVERY = 10
IDLE = timedelta(minutes=10)
"""After so long without a delta the next one looks back far: it costs little, and what lagged has arrived."""

FARTHEST_AHEAD = timedelta(days=1)
"""A version further ahead of our clock than any skew is a mistake of the record, not a point in time to go on from."""


def since(state: SyncState, now: datetime) -> str | None:
    """Return the `updated_at_min` of the next listing, or None for a whole one.

    60 seconds back on each delta, for replicas that lag, and further where a row was seen to appear later than that.
    On every tenth, and after a pause, 20 minutes before the last such delta: a row that appeared within 20 minutes of
    its version cannot fall between two of them. `now` only decides what a pause is.
    """
    if state.cursor is None:
        return None
    if (state.deltas + 1) % LONG_EVERY == 0 or _paused(state, now):
        return _far_back(state)
    return iso(_moment(state.cursor) - min(LOOK_BACK + timedelta(seconds=state.lag), LONG_LOOK_BACK))


def advanced(
    state: SyncState, listing: Checkpoint, elapsed: float | None, late: float = 0, reached_at: str | None = None
) -> SyncState:
    """Return the state after a provably complete listing; the cursor never moves back.

    An edit made while the listing ran may have missed it. It is newer than everything on the first page, and
    newer than the newest version seen less the seconds that the listing took: the cursor stays behind the
    greater of the two.

    Args:
        state: the state before.
        listing: the checkpoint after its last page.
        elapsed: seconds that it took; None when it was resumed, because nobody timed the gap.
        late: seconds by which a row of it appeared behind the cursor.
        reached_at: a moment that the server had reached before the listing began.
    """
    safe = [version for version in (state.cursor, listing.first, reached_at) if version is not None]
    if listing.newest is not None and elapsed is not None:
        safe.append(iso(_moment(listing.newest) - timedelta(seconds=elapsed)))
    cursor = max(safe, default=None)
    far = state.cursor is None or listing.since is None or listing.since <= _far_back(state)
    return replace(
        state,
        cursor=cursor,
        deltas=state.deltas + (listing.since is not None),
        checkpoint=None,
        total=listing.total if listing.since is None else state.total,
        sure=cursor if far else state.sure,
        lag=late if far else max(state.lag, late),
    )


def lateness(cursor: str | None, version: str | None) -> float:
    """Return by how many seconds a row that was never seen stands behind the cursor; 0 when it does not."""
    moment = None if version is None else moment_of(version)
    if cursor is None or moment is None:
        return 0
    return max(0.0, (_moment(cursor) - moment).total_seconds())


def moment_of(version: str) -> datetime | None:
    """Return the moment that a version names, or None when it names none."""
    try:
        moment = datetime.fromisoformat(version)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def _far_back(state: SyncState) -> str:
    return iso(_moment(state.sure or state.cursor or "") - LONG_LOOK_BACK)


def _paused(state: SyncState, now: datetime) -> bool:
    if state.completed_at is None:
        return False
    return not timedelta(0) <= now - _moment(state.completed_at) < IDLE


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
