"""Where records come from, as the sync sees it: one page of a listing at a time, or records by id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cache_core.protocol import Quarantined
from cache_core.records import Record, RecordId
from cache_core.spec import EntitySpec, Listed

PAGE_SIZE = 250
"""Records per page: Katana's maximum."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page of a listing, newest created first.

    Attributes:
        records: what could be read, wire quirks already normalised.
        invalid: what could not.
        total: records in the whole listing as reported with this page, or None when nothing was reported.
        unread: fields of records whose form nobody foresaw, by id of the record; they are kept as sent.
        bare: the collection is sent whole, without pages, so nothing is reported and nothing is missing.
    """

    records: Sequence[Record]
    total: int | None
    invalid: Sequence[Quarantined] = ()
    bare: bool = False
    unread: Mapping[RecordId, tuple[str, ...]] = field(default_factory=dict[RecordId, tuple[str, ...]])

    @property
    def size(self) -> int:
        """How many records came, readable or not."""
        return len(self.records) + len(self.invalid)


@dataclass(frozen=True, slots=True)
class Window:
    """Which page to ask for: its number, from 1, and how many records a page has."""

    number: int
    size: int = PAGE_SIZE

    @property
    def start(self) -> int:
        """How many records come before it."""
        return (self.number - 1) * self.size

    @property
    def end(self) -> int:
        """How many records there are up to its end."""
        return self.number * self.size


class Source(Protocol):
    """The origin of records; the server implements it over the Katana client.

    Methods raise `SourceUnavailable` after the retries that are lawful for a read.
    """

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        """Return one page of records with `updated_at` not before `since`, soft-deleted and archived ones included."""
        ...

    def batches(self, spec: EntitySpec, ids: Sequence[RecordId]) -> Sequence[Sequence[RecordId]]:
        """Cut ids into what `records` takes at once, in order, each batch as long as one request allows.

        How many fit depends on how long they are, not on their number alone.
        """
        ...

    def key_batches(self, spec: EntitySpec, keys: Sequence[str]) -> Sequence[Sequence[str]]:
        """Cut business keys into what `with_keys` takes at once, `spec.keys_at_once` of them at most."""
        ...

    async def records(self, spec: EntitySpec, ids: Sequence[RecordId]) -> SourcePage:
        """Return the records with these ids, one of `batches`, in any soft state, as `spec.fetch_by` says.

        The total is that of the answer; where it is there and everything came, an id without a record has none.
        """
        ...

    async def with_keys(self, spec: EntitySpec, keys: Sequence[str], field: str | None = None) -> SourcePage:
        """Return the records with these business keys, one of `key_batches`, in any soft state.

        Args:
            spec: of the entity.
            keys: what is looked for.
            field: where it is looked for instead of the business key, one of `spec.codes`.
        """
        ...
