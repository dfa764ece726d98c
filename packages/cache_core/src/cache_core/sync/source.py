"""Where records come from, as the sync sees it: one page of a listing at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cache_core.protocol import Quarantined
from cache_core.records import Record
from cache_core.spec import EntitySpec

PAGE_SIZE = 250
"""Records per page: Katana's maximum."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page of a listing, newest created first.

    Attributes:
        records: what could be read, wire quirks already normalised.
        invalid: what could not.
        total: records in the whole listing as reported with this page, or None when nothing was reported.
        bare: the collection is sent whole, without pages, so nothing is reported and nothing is missing.
    """

    records: Sequence[Record]
    total: int | None
    invalid: Sequence[Quarantined] = ()
    bare: bool = False

    @property
    def size(self) -> int:
        """How many records came, readable or not."""
        return len(self.records) + len(self.invalid)


class Source(Protocol):
    """The origin of records; the server implements it over the Katana client.

    Methods raise `SourceUnavailable` after the retries that are lawful for a read.
    """

    async def page(self, spec: EntitySpec, number: int, since: str | None) -> SourcePage:
        """Return page `number` (from 1) of at most 250 records with `updated_at` not before `since`."""
        ...
