"""The protocol that every cache backend and every wrapper implements, and the values that pass through it.

Refuses partial writes: a batch is applied whole, with its sync state, or not at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Protocol, Self

from cache_core.conditions import LIVE, Order, Visibility, Where
from cache_core.leases import Claim, Lease
from cache_core.records import Json, RecordId, projected
from cache_core.search_rules import SearchText, Tier, WeightClass
from cache_core.states import Checkpoint as Checkpoint
from cache_core.states import SyncState as SyncState
from cache_core.states import decode_state as decode_state
from cache_core.states import encode_state as encode_state


class Capability(StrEnum):
    """What a backend can do beyond the core."""

    SUBSTRING = "substring"
    """Finds a run of characters inside a token after a miss, as `text.guess` says."""
    TYPO = "typo"
    """Finds records for a misspelt query after a miss, as `text.guess` says."""


class Origin(StrEnum):
    """Where the records of a batch come from; it decides who wins at equal version."""

    LISTING = "listing"
    OWN_WRITE = "own_write"


@dataclass(frozen=True, slots=True)
class Row:
    """A record ready to be stored.

    Attributes:
        id: identity within the entity.
        version: `updated_at` as sent, or None where Katana sends none.
        record: the canonical record, see `records.canonical`.
        text: its searchable text.
        key: its business key, or None.
        deleted: whether it, or the record it lives by, is deleted.
        archived: likewise for archived.
    """

    id: RecordId
    version: str | None
    record: dict[str, Json]
    text: SearchText
    key: str | None = None
    deleted: bool = False
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A record that could not be kept: its id where it has one, why, and the start of what was sent."""

    id: RecordId | None
    reason: str
    payload: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Everything that one transaction writes.

    Attributes:
        entity: whose rows these are.
        upserts: a newer version replaces, an older one is ignored; at equal version, or without one, a listing
            replaces, unless the stored row is an own write no older than `OWN_WRITE_STANDS` seconds at `at` that no
            listing has shown yet.
        removed: ids that are gone from Katana without a tombstone; they leave the quarantine too.
        reindexed: new text and soft state of rows whose parents changed; the record stays, and a row that is
            stored with another version by now stays as it is.
        quarantine: records that could not be kept; an upsert of the same id heals them.
        origin: where the upserts come from.
        at: our clock when the batch was made, ISO-8601 UTC.
        state: the sync state to store with it; None leaves it as it is.
        lease: under which it is written; `LeaseLost` when another holder has taken it. None needs none.
    """

    entity: str
    at: str
    upserts: Sequence[Row] = ()
    removed: Sequence[RecordId] = ()
    reindexed: Sequence[Row] = ()
    quarantine: Sequence[Quarantined] = ()
    origin: Origin = Origin.LISTING
    state: SyncState | None = None
    lease: Lease | None = None


OWN_WRITE_STANDS = 15 * 60


@dataclass(frozen=True, slots=True)
class Applied:
    """What a batch did.

    Attributes:
        changed: ids of the rows written or removed, in the order of the batch, each once.
        ignored: upserts that lost to what is stored.
    """

    changed: tuple[RecordId, ...] = ()
    ignored: int = 0


class Stored(NamedTuple):
    """A row as read back."""

    id: RecordId
    version: str | None
    record: dict[str, Json]
    deleted: bool
    archived: bool

    def projected(self, fields: frozenset[str] | None) -> "Stored":
        """Return it with these fields of its record, or all of them."""
        return self if fields is None else self._replace(record=projected(self.record, fields))


class Found(NamedTuple):
    """Rows for the ids asked, in the order asked, each once, and the ids that are not there."""

    rows: tuple[Stored, ...]
    missing: tuple[RecordId, ...]


class KeyMatch(NamedTuple):
    """The row for a business key: live before archived before deleted, ties by highest id.

    Attributes:
        row: the best row, or None.
        ambiguous: ids of all live rows when more than one has the key, ascending; otherwise empty.
    """

    row: Stored | None
    ambiguous: tuple[RecordId, ...] = ()


class Selection(NamedTuple):
    """A list request: conditions ANDed, an order, a window of it, and what of each record is read.

    Attributes:
        fields: paths of one step, or of two into rows (`order_no`, `rows[].variant_id`): a record holds these, as
            `records.projected` says; None for all of it.
    """

    where: Where = ()
    order: Order = Order("id", descending=True)
    limit: int = 50
    offset: int = 0
    visibility: Visibility = LIVE
    fields: frozenset[str] | None = None

    def and_one_more(self) -> Self:
        """Return the selection of one row more: whether there is one tells that there are more."""
        return type(self)(self.where, self.order, self.limit + 1, self.offset, self.visibility, self.fields)


class ByIds(NamedTuple):
    """Rows by id, as `get_many` finds them; one read of several."""

    entity: str
    ids: Sequence[RecordId]
    fields: frozenset[str] | None = None


class Selected(NamedTuple):
    """A window of rows, as `select` finds them; one read of several."""

    entity: str
    selection: Selection


type Read = ByIds | Selected


class Search(NamedTuple):
    """A search request; conditions apply before the limit.

    Attributes:
        near: whether what only comes near the text is looked for after a miss.
        fields: what of a hit's record is read, as in `Selection`, beside its text (`spec.read_of_hits`).
    """

    text: str
    limit: int = 20
    where: Where = ()
    visibility: Visibility = LIVE
    near: bool = True
    fields: frozenset[str] | None = None


class Hit(NamedTuple):
    """A row found, how it was found, and the words of the query that it lacks."""

    row: Stored
    tier: Tier
    place: WeightClass
    missing: tuple[str, ...] = ()


class SearchResult(NamedTuple):
    """Hits, best first, all of one tier but for exact ones: by edits or missing words, weight class, name, id.

    Attributes:
        hits: at most as many as asked for.
        total: how many rows match in all; a lower bound when `cut`.
        cut: whether the query or the matching was cut short by a bound or a deadline.
    """

    hits: tuple[Hit, ...] = ()
    total: int = 0
    cut: bool = False


class Standing(NamedTuple):
    """What sync stored last of an entity, and whether records of it are quarantined."""

    state: SyncState
    quarantined: bool


@dataclass(frozen=True, slots=True)
class EntityStatus:
    """How an entity stands in the cache."""

    entity: str
    backend: str
    records: int
    newest: str | None
    state: SyncState
    quarantined: int


class CacheBackend(Protocol):
    """One cache of one tenant. All reads see the last applied batch whole.

    Every method raises `WrongCacheUse` for an entity the backend does not hold, and `CacheUnavailable` or
    `CacheCorrupt` when the storage fails: a storage fault never looks like "no hit".
    """

    @property
    def name(self) -> str:
        """One word: `memory`, `legacy`, `typed`, `routed`."""
        ...

    @property
    def entities(self) -> frozenset[str]:
        """The entities it holds."""
        ...

    def capabilities(self, entity: str) -> frozenset[Capability]:
        """Return what it can do for this entity beyond the core."""
        ...

    async def open(self) -> None:
        """Make ready for use; safe to call twice."""
        ...

    async def close(self) -> None:
        """Release everything; safe to call twice."""
        ...

    async def apply(self, batch: Batch) -> Applied:
        """Write the batch in one transaction; search sees it in the same transaction.

        Raises:
            LeaseLost: the batch's lease was taken by another holder; nothing of the batch is stored.
        """
        ...

    async def claim(self, claim: Claim) -> Lease:
        """Return the lease of an entity after a claim: the claimed one, or the one of another holder."""
        ...

    async def get_many(self, entity: str, ids: Sequence[RecordId], fields: frozenset[str] | None = None) -> Found:
        """Return rows by id in any soft state, in the order asked; any number of ids, `fields` as in `Selection`."""
        ...

    async def find_by_key(self, entity: str, key: str) -> KeyMatch:
        """Return the row whose business key is exactly this text."""
        ...

    async def select(self, entity: str, selection: Selection) -> tuple[Stored, ...]:
        """Return the window of rows that meet the conditions, in order."""
        ...

    async def read(self, reads: Sequence[Read]) -> list[tuple[Stored, ...]]:
        """Return the rows of each of these reads, what is missing left out; each backend does all of its in one go."""
        ...

    async def count(self, entity: str, where: Where = (), visibility: Visibility = LIVE) -> int:
        """Return how many rows meet the conditions."""
        ...

    async def search(self, entity: str, search: Search) -> SearchResult:
        """Return the best rows for a text that a person typed; never raises for any text."""
        ...

    async def suggest(self, entity: str, text: str, limit: int = 5) -> tuple[str, ...]:
        """Return queries like `text` that would find something visible, nearest first; for "did you mean"."""
        ...

    async def state(self, entity: str) -> SyncState:
        """Return what sync stored last."""
        ...

    async def standings(self, entities: Sequence[str]) -> dict[str, Standing]:
        """Return how each of these entities stands, in the order asked."""
        ...

    async def status(self, entity: str) -> EntityStatus:
        """Return how the entity stands."""
        ...

    async def quarantined(self, entity: str, limit: int = 20) -> tuple[Quarantined, ...]:
        """Return the records that could not be kept, newest first."""
        ...


async def one_by_one(cache: CacheBackend, reads: Sequence[Read]) -> list[tuple[Stored, ...]]:
    """Return the rows of each of these reads, one after the other: `read` where nothing is gained by one go."""
    return [
        (await cache.get_many(read.entity, read.ids, read.fields)).rows
        if isinstance(read, ByIds)
        else await cache.select(read.entity, read.selection)
        for read in reads
    ]


def own_write_stands(written_at: str | None, at: str) -> bool:
    """Return whether an own write stored at `written_at` still outranks a listing made at `at`."""
    if written_at is None:
        return False
    age = (datetime.fromisoformat(at) - datetime.fromisoformat(written_at)).total_seconds()
    return abs(age) <= OWN_WRITE_STANDS


class StoredVersion(NamedTuple):
    """What decides whether a stored row is replaced; the record counts only where the row is an own write."""

    version: str | None
    written_at: str | None = None
    record: dict[str, Json] | None = None


def replaces(batch: Batch, row: Row, stored: StoredVersion | None) -> bool:
    """Return whether an upsert replaces what is stored; one that shows our own write ends its protection."""
    if stored is None:
        return True
    version, written_at, record = stored
    if row.version is not None and version is not None and row.version != version:
        return row.version > version
    return batch.origin is Origin.OWN_WRITE or row.record == record or not own_write_stands(written_at, batch.at)
