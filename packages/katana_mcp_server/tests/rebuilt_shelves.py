"""A cache of backends in memory that stand for files, a made-up Katana, and what a rebuild makes of both."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

from opened_shelves import OTHER, Shelf

from cache_core.conditions import EVERYTHING
from cache_core.errors import CacheCorrupt, CacheMissing
from cache_core.indexing import prepare
from cache_core.protocol import Applied, Batch, CacheBackend, Search, Selection, SyncState
from cache_core.records import Record, RecordId, iso
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from cache_core.testing import START, FakeSource, ManualClock
from katana_mcp.caches.backends import ALWAYS, Make, Store
from katana_mcp.caches.cache_files import CacheConfig, FileCache
from katana_mcp.caches.stores import Parts
from katana_mcp.configuration.backend_flags import DEFAULTS

if TYPE_CHECKING:
    from katana_mcp.configuration.backend_flags import Flag

SPEC: Mapping[str, EntitySpec] = {spec.name: spec for spec in SPECS}
COMPLETE = SyncState(cursor=iso(START - timedelta(days=2)), completed_at=iso(START - timedelta(days=1)))


class FileShelf(Shelf):
    """A backend that may have no file yet, or a damaged one, and takes over what stands in another directory."""

    def __init__(self, name: str, specs: Sequence[EntitySpec], log: list[str], kind: str, beside: Store | None) -> None:
        super().__init__(name, specs, log, kind)
        self.beside = beside
        self.is_looked_at = self.is_missing = self.is_damaged = self.is_forgetful = False
        self.reindexed: list[str] = []
        self._log_of_looks = log

    async def open(self) -> None:
        """Open it; only looked at, it is told apart."""
        if self.is_looked_at:
            self._log_of_looks.append(f"{self.name} look")
            if self.is_missing:
                raise CacheMissing(f"{self.name} has no file")
            if self.is_damaged:
                raise CacheCorrupt(f"{self.name} is damaged")
            return
        await super().open()

    async def apply(self, batch: Batch) -> Applied:
        """Write a batch; a forgetful one keeps no sync state."""
        self.reindexed += [batch.entity] if batch.reindexed else []
        return await super().apply(replace(batch, state=None) if self.is_forgetful else batch)

    async def take(self, directory: Path, entities: Iterable[str]) -> None:
        """Hold what the shelf beside holds of these entities."""
        names = list(entities)
        await super().take(directory, names)
        for name in names:
            assert self.beside is not None
            await copied(SPEC[name], self.beside, self)


async def copied(spec: EntitySpec, source: CacheBackend, target: CacheBackend) -> None:
    """Let one backend hold what another one holds of an entity."""
    every = Selection(limit=1_000, visibility=EVERYTHING)
    records = [row.record for row in await source.select(spec.name, every)]
    gone = [row.id for row in await target.select(spec.name, every)]
    state = await source.state(spec.name)
    await target.apply(Batch(entity=spec.name, at=iso(START), removed=gone))
    await held(target, spec.name, *records, state=state)


async def held(backend: CacheBackend, entity: str, *records: Record, state: SyncState = COMPLETE) -> None:
    """Let a backend hold these records, of a listing that ended."""
    rows = (await prepare(SPEC[entity], records, backend)).rows
    await backend.apply(Batch(entity=entity, at=iso(START), upserts=rows, state=state))


async def ids_of(backend: CacheBackend, entity: str = "location") -> list[RecordId]:
    """Return the ids of what a backend holds."""
    rows = await backend.select(entity, Selection(limit=1_000, visibility=EVERYTHING))
    return sorted((row.id for row in rows), key=str)


async def finds(backend: CacheBackend, entity: str, text: str) -> int:
    """Return how many records are found by a text."""
    return (await backend.search(entity, Search(text))).total


class Account:
    """A cache of two backends, a Katana, and the clock of both.

    Attributes:
        kept: the backends of the account's directory.
        beside: those of the directory in which new files are made.
        memory: those that were made in memory.
        log: what was opened, looked at and closed, in order.
        steps: the progress that was told.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.clock = ManualClock()
        self.source = FakeSource(self.clock)
        self.log: list[str] = []
        self.steps: list[tuple[str, int, int | None]] = []
        self.beside, self.memory = (self._pair(kind, {}) for kind in ("beside", "memory"))
        self.kept = self._pair("", self.beside)
        self.flags: dict[str, Flag] = dict(DEFAULTS)

    def _pair(self, kind: str, beside: Mapping[str, Store]) -> dict[str, FileShelf]:
        specs = {ALWAYS: SPECS, OTHER: tuple(SPEC[name] for name in SPEC if name in DEFAULTS)}
        return {name: FileShelf(name, some, self.log, kind, beside.get(name)) for name, some in specs.items()}

    def flag(self, entity: str, flag: str) -> None:
        """Give an entity this flag."""
        self.flags[entity] = cast("Flag", flag)

    def _maker(self, name: str) -> Make:
        def make(directory: Path | None, specs: tuple[EntitySpec, ...], *, looking: bool = False) -> Store:
            assert {spec.name for spec in specs} == set(DEFAULTS)
            pairs = {None: self.memory, self.directory: self.kept, self.directory / "rebuild": self.beside}
            shelf = pairs[directory][name]
            shelf.is_looked_at = looking
            return shelf

        return make

    def _note(self, what: str, done: int, total: int | None) -> None:
        self.steps.append((what, done, total))

    def parts(self, *names: str) -> Parts:
        """Return what the cache is made of."""
        return Parts(SPECS, {name: self._maker(name) for name in names or (ALWAYS, OTHER)})

    def files(self) -> FileCache:
        """Return the cache as one in files."""
        return FileCache(
            flags=self.flags, clock=self.clock, tell=self._note, parts=self.parts(), directory=self.directory
        )

    def config(self) -> CacheConfig:
        """Return what a cache in memory is made of."""
        return CacheConfig(flags=self.flags, clock=self.clock, tell=self._note, parts=self.parts())

    def put(self, entity: str, *records: Record) -> None:
        """Let Katana hold these records."""
        for record in records:
            self.source.put(entity, record, START - timedelta(hours=1))
