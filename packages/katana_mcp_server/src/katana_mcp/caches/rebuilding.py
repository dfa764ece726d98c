"""Everything fetched anew beside the cache, then swapped: one transaction per file, one assignment in memory.

Readers go on meanwhile: they read the old data, and the new with their next read. Whatever stops it before the swap
leaves the old data as it was.
"""

import asyncio
import shutil
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from cache_core.clock import Clock
from cache_core.compared import ComparedBackend
from cache_core.errors import CacheError
from cache_core.files import private_directory, private_file
from cache_core.locks import try_lock
from cache_core.migrate import Migration
from cache_core.protocol import CacheBackend
from cache_core.routed import RoutedBackend
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from cache_core.sync import Progress, Source, Syncer, SyncOutcome
from cache_core.sync.progress import OnProgress
from cache_core.waiting import to_the_end
from katana_mcp.caches.backends import Store
from katana_mcp.caches.cache_files import (
    EVERY,
    LISTED,
    BadInput,
    CacheConfig,
    FileCache,
    NotDone,
    chosen,
    looked_at,
    newest_of,
)
from katana_mcp.caches.comparisons import LoggedComparisons
from katana_mcp.caches.stores import holders
from katana_mcp.configuration.backend_flags import Flag
from katana_mcp.references.services import RebuiltEntity
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, blocking

_log = structlog.get_logger("katana_mcp.cache")

BESIDE = "rebuild"
"""The directory beside the live files in which the new ones are made."""

LOCK = "rebuild.lock"
STAYS = "the old data stays as it was"
_PARTLY = "the new data is not in place everywhere: rebuild again"


class RebuildRunning(NotDone):
    """Another rebuild of the same cache is under way."""

    def __init__(self) -> None:
        super().__init__(f"another rebuild of this cache is under way; {STAYS}")


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did.

    Attributes:
        entities: what was fetched anew.
        set_aside: names of damaged files that were replaced by an empty one.
    """

    entities: tuple[RebuiltEntity, ...]
    set_aside: tuple[str, ...] = ()


async def rebuild_files(kept: FileCache, specs: Sequence[EntitySpec], source: Source) -> Rebuilt:
    """Fetch these entities anew, and swap them into the files when all of them are complete.

    Raises:
        NotDone: something could not be fetched or stored whole, or another rebuild is under way.
        CacheError: all is new, but cannot be read.
    """
    with _left_alone():
        await asyncio.to_thread(private_directory, kept.directory.parent)
        directory = await asyncio.to_thread(private_directory, kept.directory)
        before = await _counts(kept, specs)
        with _alone(directory):
            beside = directory / BESIDE
            await asyncio.to_thread(shutil.rmtree, beside, ignore_errors=True)
            try:
                outcomes = await _built(kept, specs, source, beside)
                set_aside = await _swapped(kept, specs, beside)
            finally:
                await to_the_end(asyncio.to_thread(shutil.rmtree, beside, ignore_errors=True))
    return Rebuilt(_to_outcomes(outcomes, before, await _counts(kept, specs)), tuple(path.name for path in set_aside))


async def rebuild_memory(
    making: CacheConfig, specs: Sequence[EntitySpec], source: Source, cache: RoutedBackend
) -> Rebuilt:
    """Fetch these entities of a cache in memory anew, and read them from there when all of them are complete.

    Raises:
        NotDone: something could not be fetched or stored whole.
    """
    before = await _records(cache, specs)
    stores = making.stores(None)
    routes = {spec.name: _target(making, spec, stores) for spec in specs}
    fresh = RoutedBackend(routes)
    await fresh.open()
    try:
        outcomes = await _all_fetched(making, specs, source, _beside(cache, specs, routes))
    except BaseException:
        await fresh.close()
        raise
    cache.reroute(routes)
    await _retold(Migration(cache, making.clock, making.tell), specs, [cache])
    return Rebuilt(_to_outcomes(outcomes, before, await _records(cache, specs)))


@contextmanager
def _left_alone() -> Generator[None]:
    """Say of files that fail within the block that they are as they were."""
    try:
        yield
    except CacheError as error:
        raise NotDone(f"{error}; {STAYS}") from error


async def _counts(kept: FileCache, specs: Iterable[EntitySpec]) -> dict[str, int]:
    """Return how many records the backend that answers holds of each entity."""
    async with looked_at(kept) as stands:
        stores = {spec.name: stands.stores.get(kept.flag(spec.name).removeprefix("compare:")) for spec in specs}
        return {
            entity: 0 if store is None else (await store.status(entity)).records for entity, store in stores.items()
        }


async def _records(cache: CacheBackend, specs: Iterable[EntitySpec]) -> dict[str, int]:
    return {spec.name: (await cache.status(spec.name)).records for spec in specs}


def _to_outcomes(
    outcomes: Iterable[SyncOutcome], before: Mapping[str, int], after: Mapping[str, int]
) -> tuple[RebuiltEntity, ...]:
    return tuple(
        RebuiltEntity(
            outcome.entity, before[outcome.entity], after[outcome.entity], outcome.quarantined, outcome.requests
        )
        for outcome in outcomes
    )


async def _built(kept: FileCache, specs: Sequence[EntitySpec], source: Source, beside: Path) -> list[SyncOutcome]:
    """Fill new files beside the live ones; every entity is complete, or nothing is done."""
    async with AsyncExitStack() as stack:
        live = await stack.enter_async_context(looked_at(kept))
        stores = _used(kept, kept.stores(beside))
        for store in stores.values():
            stack.push_async_callback(store.close)
            await store.open()
        routes = {spec.name: _target(kept, spec, stores) for spec in specs}
        lending = await newest_of(live.stores.values())
        return await _all_fetched(kept, specs, source, _beside(lending, specs, routes))


def _beside(lending: RoutedBackend, specs: Iterable[EntitySpec], routes: Mapping[str, CacheBackend]) -> RoutedBackend:
    """Return the new backends, with what their entities borrow from where it stands now."""
    borrowed = {name: lending.backend_of(name) for spec in specs for name in spec.parents & lending.entities}
    return RoutedBackend(borrowed | dict(routes))


async def _all_fetched(
    making: CacheConfig, specs: Sequence[EntitySpec], source: Source, into: RoutedBackend
) -> list[SyncOutcome]:
    syncer = Syncer(specs, source, into, making.clock)
    syncer.listen(lambda progress: making.tell(progress.entity, progress.done, progress.total))
    try:
        return [await _fetched(syncer, spec, into) for spec in specs]
    finally:
        await syncer.close()


async def _fetched(syncer: Syncer, spec: EntitySpec, into: RoutedBackend) -> SyncOutcome:
    try:
        outcome = await syncer.start(spec.name)
    except CacheError as error:
        raise NotDone(f"{spec.name} cannot be stored: {error}; {STAYS}") from error
    if not outcome.complete:
        raise NotDone(f"{spec.name}: {outcome.reason}; {STAYS}")
    if (await into.status(spec.name)).state.completed_at is None:
        raise NotDone(f"{spec.name} was not stored whole; {STAYS}")
    return outcome


def _target(making: CacheConfig, spec: EntitySpec, stores: dict[str, Store]) -> CacheBackend:
    """Return where an entity is built: in the backend that its flag names, in both for a parallel run."""
    first, *others = (stores[name] for name in holders(making.flag(spec.name), stores))
    return ComparedBackend(first, others[0], LoggedComparisons(), making.clock) if others else first


def _used(kept: FileCache, stores: Mapping[str, Store]) -> dict[str, Store]:
    """Return the backends that a flag names, or that were used before: what is old there must go too."""
    named = {name for entity in EVERY for name in holders(kept.flag(entity), stores)}
    return {name: store for name, store in stores.items() if name in named or any(kept.directory.glob(f"{name}-*"))}


async def _swapped(kept: FileCache, specs: Sequence[EntitySpec], beside: Path) -> tuple[Path, ...]:
    """Put the new data in place of the old; return damaged files that were set aside.

    Raises:
        NotDone: it is in place in part.
        CacheError: all is as it was.
    """
    stores = tuple(_used(kept, kept.stores(kept.directory)).values())
    begun = False
    try:
        async with AsyncExitStack() as stack:
            for nr, store in enumerate(stores):
                kept.tell("swapping", nr, len(stores))
                stack.push_async_callback(store.close)
                await store.open()
                await store.take(beside, [spec.name for spec in specs if spec.name in store.entities])
                begun = True
            await _retold(Migration(await newest_of(stores), kept.clock, kept.tell), specs, stores)
    except CacheError as error:
        if not begun:
            raise
        raise NotDone(f"{error}; {_PARTLY}") from error
    return tuple(path for store in stores for path in store.set_aside)


async def _retold(migration: Migration, specs: Iterable[EntitySpec], stores: Collection[CacheBackend]) -> None:
    """Bring the text of rows up to date that borrow from what was swapped and were not swapped themselves."""
    names = {spec.name for spec in specs}
    for spec in SPECS:
        if spec.name not in names and spec.parents & names:
            for store in stores:
                if spec.name in store.entities:
                    await migration.reindex(spec, store)


@contextmanager
def _alone(directory: Path) -> Generator[None]:
    with private_file(directory / LOCK).open("rb") as alone:
        if not try_lock(alone):
            raise RebuildRunning
        yield


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCache:
    """The cache that a server reads, and what is needed to fetch it anew.

    Attributes:
        cache: what is read.
        directory: where its files stand; None in memory.
        flags: the backend of each entity that has a flag.
        source: where records come from.
        clock: where time comes from.
        closed: why the source is never asked, one sentence; None where it is.
    """

    cache: RoutedBackend
    directory: Path | None
    flags: Mapping[str, Flag]
    source: Source
    clock: Clock
    closed: str | None = None


class OwnRebuilder:
    """Rebuilds the cache of a running server, from within; one at a time."""

    def __init__(self, cache: OpenCache) -> None:
        self._open = cache
        self._running = asyncio.Lock()

    async def rebuild(self, entities: Sequence[str], tell: OnProgress) -> tuple[RebuiltEntity, ...]:
        """Fetch these entities anew, all where none is named, and swap them in.

        Raises:
            Refused: there is no such entity, another rebuild is under way, or it could not be completed.
        """
        if self._open.closed is not None:
            raise _refused(NotDone(f"{self._open.closed}; {STAYS}"))
        try:
            specs = chosen(entities, LISTED)
            if self._running.locked():
                raise RebuildRunning
            async with self._running:
                return await self._rebuilt(specs, tell)
        except BadInput as error:
            raise Refused(blocking(warning_codes.INVALID_ARGUMENT, str(error), "entities")) from None
        except NotDone as error:
            raise _refused(error) from error

    async def _rebuilt(self, specs: Sequence[EntitySpec], tell: OnProgress) -> tuple[RebuiltEntity, ...]:
        names = {spec.name for spec in specs}

        def report(what: str, done: int, total: int | None) -> None:
            if what in names:
                tell(Progress(what, done, total))

        for spec in specs:
            tell(Progress(spec.name, 0, None))  # so that all of the work is known from the beginning
        here = self._open
        making = CacheConfig(flags=here.flags, clock=here.clock, tell=report)
        if here.directory is None:
            return (await rebuild_memory(making, specs, here.source, here.cache)).entities
        kept = FileCache(flags=here.flags, clock=here.clock, tell=report, directory=here.directory)
        rebuilt = await rebuild_files(kept, specs, here.source)
        for name in rebuilt.set_aside:
            _log.warning("a damaged cache file was set aside", file=name)
        return rebuilt.entities


def _refused(error: NotDone) -> Refused:
    running = isinstance(error, RebuildRunning)
    code = warning_codes.REBUILD_RUNNING if running else warning_codes.REBUILD_FAILED
    return Refused(blocking(code, str(error)))
