"""The typed backend: the cache protocol over SQLModel tables, one file per tenant."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import cast

from cache_core.clock import Clock, SystemClock
from cache_core.conditions import LIVE, Condition, CustomValue, NoneOf, OneOf, Visibility, Where
from cache_core.errors import WrongCacheUse
from cache_core.leases import Claim, Lease
from cache_core.protocol import (
    Applied,
    Batch,
    ByIds,
    Capability,
    EntityStatus,
    Found,
    KeyMatch,
    Quarantined,
    Read,
    Search,
    SearchResult,
    Selected,
    Selection,
    Standing,
    Stored,
    SyncState,
)
from cache_core.records import RecordId
from cache_core.search_rules import parse
from cache_core.suggest import suggestions
from cache_typed import reading, searching, writing
from cache_typed.dialect import Connection
from cache_typed.mapping import Layout, TableMapping, layout_of
from cache_typed.storage import Storage
from cache_typed.tables import TABLES
from cache_typed.unchanged import Question

MOST_BY_ID = 100
"""Rows by id that a short read has at most: decoding more takes long, and no handler is asked meanwhile."""

_OF_SOME_FIELDS = 0.4
"""What a row counts of which some fields are read."""

LONGEST_OF_WORDS = 0.004
"""Seconds after which a search goes on in a thread that is not for one word which indexes alone can rank.

It takes some three milliseconds, or thirty.
"""


class TypedBackend:
    """Holds each entity of `tables` in typed columns.

    Attributes:
        entities: what it holds.
    """

    name = "typed"

    def __init__(
        self,
        directory: Path | None,
        tables: tuple[TableMapping, ...] = TABLES,
        clock: Clock | None = None,
        *,
        looking: bool = False,
    ) -> None:
        """Remember where the file stands; `None` keeps everything in memory.

        Args:
            directory: the tenant's private directory.
            tables: the entities to hold.
            clock: names the time at which a damaged file was set aside.
            looking: only look: nothing is made, mended or set aside, and a file that is not there is unavailable.
        """
        self._layouts = {mapping.spec.name: layout_of(mapping) for mapping in tables}
        self._storage = Storage(directory, tables, clock or SystemClock(), looking=looking)
        self.entities = frozenset(self._layouts)

    @property
    def set_aside(self) -> tuple[Path, ...]:
        """Damaged files that were renamed and replaced by an empty one since this object was made."""
        return self._storage.set_aside

    @property
    def emptied(self) -> frozenset[str]:
        """Entities that start empty because the tables in the file were not the expected ones."""
        return frozenset(self._storage.emptied)

    def capabilities(self, entity: str) -> frozenset[Capability]:
        """Return what the entity's tables declare: what a search tries after a miss."""
        return self._layout(entity).mapping.guesses

    async def open(self) -> None:
        """Open or make the file; a damaged one is set aside."""
        await self._storage.open()

    async def close(self) -> None:
        """Wait for running work and release the file."""
        await self._storage.close()

    async def apply(self, batch: Batch) -> Applied:
        """Write the batch in one transaction, the full-text index with it."""
        layout = self._layout(batch.entity)
        return await self._storage.write_after(
            lambda db: writing.decide(db, layout, batch),
            lambda db, decided: writing.write_batch(db, layout, batch, decided),
        )

    async def claim(self, claim: Claim) -> Lease:
        """Return the lease of an entity after a claim."""
        self._layout(claim.entity)
        return await self._storage.write(lambda db: writing.take_lease(db, claim))

    async def get_many(self, entity: str, ids: Sequence[RecordId], fields: frozenset[str] | None = None) -> Found:
        """Return rows by id in any soft state, in the order asked."""
        layout, asked = self._layout(entity), ByIds(entity, ids, fields)
        question = reading.by_ids(layout, ids, fields)
        return await self._answer(question, lambda db: reading.get_many(db, layout, ids, fields), asked)

    async def find_by_key(self, entity: str, key: str) -> KeyMatch:
        """Return the row whose business key is exactly this text."""
        return await self._read(entity, lambda db, layout: reading.find_by_key(db, layout, key))

    async def select(self, entity: str, selection: Selection) -> tuple[Stored, ...]:
        """Return the window of rows that meet the conditions, in order."""
        layout, asked = self._layout(entity), Selected(entity, selection)
        question = reading.window(layout, selection)
        return await self._answer(question, lambda db: reading.select(db, layout, selection), asked)

    async def read(self, reads: Sequence[Read]) -> list[tuple[Stored, ...]]:
        """Return the rows of each of these reads, all on one snapshot."""
        asked = [(self._layout(read.entity), read) for read in reads]
        known = self._storage.known([_question(layout, read) for layout, read in asked])
        if known is not None:
            return [answer.rows if isinstance(answer, Found) else cast("_Rows", answer) for answer in known]
        kind = tuple(map(_kind, reads))
        return await self._storage.read(
            lambda db: [_rows(db, layout, read) for layout, read in asked], short=_are_few(reads), kind=kind
        )

    async def count(self, entity: str, where: Where = (), visibility: Visibility = LIVE) -> int:
        """Return how many rows meet the conditions."""
        layout = self._layout(entity)
        question = reading.number(layout, where, visibility)
        return await self._answer(question, lambda db: reading.count(db, layout, where, visibility))

    async def search(self, entity: str, search: Search) -> SearchResult:
        """Return the best rows for a text that a person typed."""
        layout = self._layout(entity)
        by_index = layout.mapping.guesses and len(parse(search.text).words) == 1
        longest = None if by_index else LONGEST_OF_WORDS
        question = searching.sought(layout, search)
        return await self._answer(question, lambda db: searching.search(db, layout, search), longest=longest)

    async def suggest(self, entity: str, text: str, limit: int = 5) -> tuple[str, ...]:
        """Return queries like `text` that would find something live, nearest first."""

        async def terms(token: str) -> Sequence[str]:
            return await self._read(entity, lambda db, layout: searching.terms(db, layout, token))

        async def finds(candidate: str) -> bool:
            return await self._read(entity, lambda db, layout: searching.finds(db, layout, candidate))

        self._layout(entity)
        return await suggestions(parse(text), terms, finds, limit)

    async def state(self, entity: str) -> SyncState:
        """Return what sync stored last."""
        return await self._read(entity, lambda db, _: reading.state(db, entity))

    async def standings(self, entities: Sequence[str]) -> dict[str, Standing]:
        """Return how each of these entities stands, on one snapshot."""
        for entity in entities:
            self._layout(entity)
        question = reading.standing(entities)
        return dict(await self._answer(question, lambda db: reading.standings(db, entities)))

    async def status(self, entity: str) -> EntityStatus:
        """Return how the entity stands."""

        def work(db: Connection, layout: Layout) -> EntityStatus:
            now = reading.figures(db, layout)
            state = reading.state(db, entity)
            return EntityStatus(entity, self.name, now.records, now.newest, state, now.quarantined)

        return await self._read(entity, work)

    async def quarantined(self, entity: str, limit: int = 20) -> tuple[Quarantined, ...]:
        """Return the records that could not be kept, newest first."""
        return await self._read(entity, lambda db, _: reading.quarantined(db, entity, limit))

    async def faults(self) -> tuple[str, ...]:
        """Return what is wrong with the file, a sentence each, found on a copy; it need not be open."""
        return await self._storage.faults()

    async def take(self, directory: Path, entities: Iterable[str]) -> None:
        """Replace these entities by those of another directory's file, in one transaction; others stay."""
        await self._storage.take(directory, entities)

    async def _answer[T](
        self,
        question: Question | None,
        work: Callable[[Connection], T],
        *reads: Read,
        longest: float | None = None,
    ) -> T:
        """Return the answer to a question: as it was read before, or as work reads it, which makes these reads."""
        known = self._storage.known([question])
        if known is not None:
            return cast("T", known[0])
        kind = tuple(map(_kind, reads)) or None
        return await self._storage.read(work, short=_are_few(reads), longest=longest, kind=kind)

    async def _read[T](self, entity: str, work: Callable[[Connection, Layout], T]) -> T:
        layout = self._layout(entity)
        return await self._storage.read(lambda db: work(db, layout))

    def _layout(self, entity: str) -> Layout:
        try:
            return self._layouts[entity]
        except KeyError:
            raise WrongCacheUse(f"the {self.name} backend does not hold {entity!r}") from None


def _are_few(reads: Sequence[Read]) -> bool:
    """Return whether these reads have few enough rows by id for a short one."""
    by_id = (read for read in reads if isinstance(read, ByIds))
    return sum(len(read.ids) * (1 if read.fields is None else _OF_SOME_FIELDS) for read in by_id) <= MOST_BY_ID


def _kind(read: Read) -> Hashable:
    """Return what a read has in common with others that differ in values, of which there are about as many."""
    if isinstance(read, ByIds):
        return read.entity, read.fields, len(read.ids).bit_length()
    asked = read.selection
    sizes = (asked.limit.bit_length(), asked.offset.bit_length())
    return read.entity, asked.fields, tuple(map(_form, asked.where)), asked.order.field, asked.visibility, *sizes


def _form(condition: Condition) -> Hashable:
    values = condition.values if isinstance(condition, OneOf | NoneOf | CustomValue) else ()
    return type(condition), condition.field, len(values).bit_length()


type _Rows = tuple[Stored, ...]


def _question(layout: Layout, read: Read) -> Question | None:
    if isinstance(read, ByIds):
        return reading.by_ids(layout, read.ids, read.fields)
    return reading.window(layout, read.selection)


def _rows(db: Connection, layout: Layout, read: Read) -> tuple[Stored, ...]:
    if isinstance(read, ByIds):
        return reading.get_many(db, layout, read.ids, read.fields).rows
    return reading.select(db, layout, read.selection)
