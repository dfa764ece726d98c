"""What sync remembers of an entity between runs, as values, and the text that backends store.

A text that another version wrote is read as far as it is understood; one that nobody wrote is an empty state.
"""

from dataclasses import dataclass, field
from functools import lru_cache

import msgspec

from cache_core.records import RecordId


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far an unfinished listing has come.

    Attributes:
        page: the next page of a whole listing, from 1.
        total: records that the listing reported last.
        since: the `updated_at_min` it was started with, None for a whole listing.
        first: the greatest version on its first page; everything edited later is newer than this.
        newest: the greatest version seen so far in it.
        read: records of a delta that were read without a gap.
        tail: ids of the last of them; one must come again before the delta goes on.
        begun: when its oldest page was asked for, by our clock, ISO-8601 UTC.
        least: the smallest total that a page of it reported: so many different records must come.
    """

    page: int
    total: int
    since: str | None
    first: str | None
    newest: str | None
    read: int = 0
    tail: tuple[RecordId, ...] = ()
    begun: str | None = None
    least: int | None = None


@dataclass(frozen=True, slots=True)
class Awaited:
    """A document that is read again at each sync until it shows the change of a child.

    Attributes:
        id: whose document.
        feed: the collection that told of the child.
        child: the child's id.
        version: the child's version, None when it was deleted.
        until: when to give up, by our clock, ISO-8601 UTC.
    """

    id: RecordId
    feed: str
    child: RecordId
    version: str | None
    until: str


@dataclass(frozen=True, slots=True)
class Doubted:
    """A row that Katana no longer gave by its id; at `after` (our clock, ISO-8601 UTC) it is asked again."""

    id: RecordId
    after: str


@dataclass(frozen=True, slots=True)
class Audit:
    """How far the search for hard deletions and missing records has come; times by our clock, ISO-8601 UTC.

    Attributes:
        completed_at: when the last one ended.
        checked_at: when the totals were last compared.
        running: whether one is under way.
        position: the last id asked for.
        listing: the whole listing that looks for missing records, if one is needed.
        doubted: rows that may be gone.
        gap: records that Katana counts beyond ours after the last one, which it could not mend.
    """

    completed_at: str | None = None
    checked_at: str | None = None
    running: bool = False
    position: RecordId | None = None
    listing: Checkpoint | None = None
    doubted: tuple[Doubted, ...] = ()
    gap: int = 0


@dataclass(frozen=True, slots=True)
class UnreadField:
    """A field that some records hold in a form that nobody foresaw: it is kept as sent, and nothing else can use it.

    Attributes:
        field: its path: `sales_order_rows[].quantity`.
        ids: such records, those seen last at the end; 250 at most.
        more: whether there may be others.
    """

    field: str
    ids: tuple[RecordId, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class SyncState:
    """What sync remembers of an entity, or of one of its child feeds.

    Attributes:
        cursor: every edit up to this version has been seen; the next delta starts before it.
        completed_at: the moment as of which rows and children are complete: when the oldest page of the listing that
            proved it was asked for, by our clock, ISO-8601 UTC; None before.
        deltas: complete deltas so far; every tenth looks back further.
        checkpoint: the unfinished listing, if there is one.
        incomplete: why the last listing could not be completed, if so.
        total: records that Katana reported for the last whole listing.
        sure: the cursor after the last delta that looked back far; the next such delta starts before it.
        lag: seconds by which a row was seen to appear late.
        failures: runs in a row that did not complete.
        failing_since: when the first of them ended, by our clock, ISO-8601 UTC.
        feeds: the states of the child feeds, by collection.
        awaited: documents whose children are not as a feed told.
        audit: how far the audit is.
        unread: fields that could not be read of all records, by path.
    """

    cursor: str | None = None
    completed_at: str | None = None
    deltas: int = 0
    checkpoint: Checkpoint | None = None
    incomplete: str | None = None
    total: int | None = None
    sure: str | None = None
    lag: float = 0
    failures: int = 0
    failing_since: str | None = None
    feeds: "dict[str, SyncState]" = field(default_factory=dict[str, "SyncState"])
    awaited: tuple[Awaited, ...] = ()
    audit: Audit = field(default_factory=Audit)
    unread: tuple[UnreadField, ...] = ()


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(SyncState)


def encode_state(state: SyncState) -> str:
    """Return the sync state as the JSON text that backends store."""
    return _encoder.encode(state).decode()


@lru_cache(maxsize=256)
def decode_state(text: str | None) -> SyncState:
    """Return the sync state that `encode_state` wrote; an empty one for None or for a text it cannot read.

    The same text gives the same object: every call asks how all that it reads stands, and hardly any of it has changed.
    """
    if text is None:
        return SyncState()
    try:
        return _decoder.decode(text)
    except msgspec.MsgspecError:
        return SyncState()
