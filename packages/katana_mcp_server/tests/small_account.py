"""The services of a small account in memory: real cache and codes, and what is asked of Katana is written down."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Self, cast

from cache_core.indexing import prepare
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch, Search, SearchResult, Selection, Stored, SyncState
from cache_core.records import Record, RecordId, iso
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from cache_core.sync.patience import Freshness
from cache_core.testing import START, ManualClock
from katana_mcp.references.code_shapes import Codes
from katana_mcp.references.page_ends import PageEnds
from katana_mcp.references.services import Services

AS_OF = iso(START)
ALL_SPECS: Mapping[str, EntitySpec] = {spec.name: spec for spec in SPECS}


class Cache(MemoryBackend):
    """A cache that writes down which windows of rows are read of it, and what it is searched for."""

    def __init__(self) -> None:
        super().__init__(SPECS)
        self.searched: list[tuple[str, Search]] = []
        self.selected: list[tuple[str, Selection]] = []

    async def select(self, entity: str, selection: Selection) -> tuple[Stored, ...]:
        self.selected.append((entity, selection))
        return await super().select(entity, selection)

    async def search(self, entity: str, search: Search) -> SearchResult:
        self.searched.append((entity, search))
        return await super().search(entity, search)


@dataclass
class Lookups:
    """Katana, asked for what the cache does not have.

    Attributes:
        account: itself, as that of every caller.
        brings: what comes when it is asked, by cache entity.
        asked: what it was asked for.
        first: codes that it was asked for before a first listing ended.
        listing: cache entities whose first listing goes on.
        names: what was found in another way.
        is_silent: whether Katana does not answer.
        takes: seconds that it takes to ask it before a first listing has ended.
    """

    cache: Cache
    clock: ManualClock
    brings: dict[str, list[Record]] = field(default_factory=dict[str, list[Record]])
    asked: list[tuple[list[tuple[str, int | str]], bool]] = field(
        default_factory=list[tuple[list[tuple[str, int | str]], bool]]
    )
    first: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    listing: set[str] = field(default_factory=set[str])
    names: list[tuple[str, int | str]] = field(default_factory=list[tuple[str, int | str]])
    is_silent: bool = False
    takes: float = 0

    @property
    def account(self) -> Self:
        return self

    def turn(self, entity: str) -> asyncio.Lock:
        assert entity in ALL_SPECS
        return asyncio.Lock()

    async def ask(self, asked: Iterable[tuple[str, int | str]], *, newest: bool = False) -> bool:
        self.asked.append((list(asked), newest))
        await self._bring()
        return not self.is_silent

    def remarks(self) -> list[str]:
        return []

    def understood(self, names: Iterable[tuple[str, int | str]]) -> None:
        self.names += names

    async def ask_first(self, entities: Sequence[str], code: str) -> bool:
        listing = [entity for entity in entities if entity in self.listing]
        for entity in entities:
            self.first.append((entity, code))
            self.clock.advance(self.takes)
            if entity in self.listing:
                await self._bring()
        return bool(listing)

    async def _bring(self) -> None:
        for entity, records in self.brings.items():
            await keep(self.cache, entity, *records)
        self.brings.clear()


@dataclass
class Fresh:
    """Reads of which each finds its rows current, unless they are said to be otherwise.

    Attributes:
        states: how current the rows of a cache entity are, where they are not.
        ensured: what was asked for, with how long it is waited for, and what is not waited for.
        waited: seconds that a caller had waited before.
        again: records that were read once more.
    """

    clock: ManualClock
    states: dict[str, Freshness] = field(default_factory=dict[str, Freshness])
    ensured: list[tuple[tuple[str, ...], float | None, tuple[str, ...]]] = field(
        default_factory=list[tuple[tuple[str, ...], float | None, tuple[str, ...]]]
    )
    waited: list[float] = field(default_factory=list[float])
    again: list[tuple[str, tuple[RecordId, ...]]] = field(default_factory=list[tuple[str, tuple[RecordId, ...]]])

    async def ensure(
        self,
        entities: Iterable[str],
        *,
        wait: float | None = None,
        on_due: object = None,
        without: Collection[str] = (),
    ) -> dict[str, Freshness]:
        del on_due
        names = tuple(entities)
        self.ensured.append((names, wait, tuple(without)))
        return {name: self.states.get(name, Freshness(name, AS_OF)) for name in names}

    def after(self, seconds: float) -> Self:
        self.waited.append(seconds)
        return self

    async def read_again(self, entity: str, ids: Sequence[RecordId]) -> bool:
        self.again.append((entity, tuple(ids)))
        return True


async def keep(cache: Cache, entity: str, *records: Mapping[str, object], is_listed: bool = True) -> None:
    """Have the cache hold these records; those of a listed entity are complete."""
    prepared = await prepare(ALL_SPECS[entity], cast("Sequence[Record]", records), cache)
    assert not prepared.quarantine
    state = SyncState(completed_at=AS_OF if is_listed else None)
    await cache.apply(Batch(entity=entity, at=AS_OF, upserts=prepared.rows, state=state))


@dataclass
class Account:
    """A small account.

    Attributes:
        cache: what is cached of it.
        fresh: how current that is.
        lookups: what Katana was asked for.
        pages: where pages ended that were answered.
        parts: services that are otherwise than usual.
    """

    clock: ManualClock = field(default_factory=ManualClock)
    cache: Cache = field(default_factory=Cache)
    fresh: Fresh = field(init=False)
    lookups: Lookups = field(init=False)
    pages: PageEnds = field(default_factory=PageEnds)
    parts: dict[str, object] = field(default_factory=dict[str, object])

    def __post_init__(self) -> None:
        self.fresh = Fresh(self.clock)
        self.lookups = Lookups(self.cache, self.clock)

    async def keep(self, entity: str, *records: Mapping[str, object], is_listed: bool = True) -> None:
        """Have the cache hold these records."""
        await keep(self.cache, entity, *records, is_listed=is_listed)

    def warming(self, entity: str, done: int = 1, total: int = 5) -> None:
        """Let the first listing of an entity go on."""
        self.fresh.states[entity] = Freshness(entity, None, done=done, total=total)

    @property
    def services(self) -> Services:
        """The services of one call."""
        needed = [name for name in Services._fields if name not in Services._field_defaults]
        own = {
            "cache": self.cache,
            "fresh": self.fresh,
            "lookups": self.lookups,
            "clock": self.clock,
            "syncer": SimpleNamespace(specs=ALL_SPECS),
            "codes": Codes(self.cache, ALL_SPECS, self.clock),
            "tenant": "factory",
            "sandbox": False,
            "pages": self.pages,
        }
        return Services(**cast("dict[str, Any]", {**dict.fromkeys(needed), **own, **self.parts}))
