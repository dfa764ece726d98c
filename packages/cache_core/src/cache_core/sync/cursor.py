"""Where the next delta starts: from what the server said, never from the local clock."""

from datetime import datetime, timedelta

from cache_core.protocol import Checkpoint, SyncState
from cache_core.records import iso

LOOK_BACK = timedelta(seconds=60)
LONG_LOOK_BACK = timedelta(minutes=20)
LONG_EVERY = 10
FARTHEST_AHEAD = timedelta(days=1)
"""A version further ahead of our clock than any skew is a mistake of the record, not a point in time to go on from."""


def since(state: SyncState) -> str | None:
    """Return the `updated_at_min` of the next listing, or None for a whole one.

    60 seconds back on each delta, for replicas that lag; 20 minutes back on every tenth.
    """
    if state.cursor is None:
        return None
    back = LONG_LOOK_BACK if (state.deltas + 1) % LONG_EVERY == 0 else LOOK_BACK
    return iso(datetime.fromisoformat(state.cursor) - back)


def advanced(state: SyncState, listing: Checkpoint, elapsed: float | None, at: str) -> SyncState:
    """Return the state after a provably complete listing; the cursor never moves back.

    An edit made while the listing ran may have missed it. It is newer than everything on the first page, and
    newer than the newest version seen less the seconds that the listing took: the cursor stays behind the
    greater of the two. `elapsed` is None when the listing was resumed, because nobody timed the gap.
    """
    safe = [version for version in (state.cursor, listing.first) if version is not None]
    if listing.newest is not None and elapsed is not None:
        safe.append(iso(datetime.fromisoformat(listing.newest) - timedelta(seconds=elapsed)))
    return SyncState(
        cursor=max(safe, default=None),
        completed_at=at,
        deltas=state.deltas + (listing.since is not None),
        total=listing.total if listing.since is None else state.total,
    )
