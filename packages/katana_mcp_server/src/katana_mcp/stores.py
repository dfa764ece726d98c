"""The cache backends of one tenant, wired by the flags and filled at a flip."""

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import permutations, product
from pathlib import Path

import structlog

from cache_core.clock import Clock
from cache_core.compared import ComparedBackend, Recorder
from cache_core.conditions import EVERYTHING
from cache_core.errors import CacheError, CacheReadOnly, CacheUnavailable, LeaseLost
from cache_core.files import private_directory, private_file
from cache_core.migrate import Migration, needs_filling
from cache_core.protocol import CacheBackend, Selection
from cache_core.records import InvalidRecord, Json, decode, encode
from cache_core.routed import RoutedBackend
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from cache_core.text import RULES
from katana_mcp.backends import ALWAYS, BACKENDS, Make, Store
from katana_mcp.comparisons import LoggedComparisons
from katana_mcp.flags import Flag

_log = structlog.get_logger("katana_mcp.cache")


@dataclass(frozen=True, slots=True)
class Parts:
    """What a cache is made of; tests bring their own.

    Attributes:
        specs: every entity, parents before the entities that borrow from them.
        backends: how each backend is made.
        strict: raise what a backend on trial does differently instead of recording it.
    """

    specs: tuple[EntitySpec, ...]
    backends: Mapping[str, Make]
    strict: bool = False

    def stores(self, directory: Path | None, flagged: Iterable[str], *, looking: bool = False) -> dict[str, Store]:
        """Return a store of each backend, not yet open; `looking` makes and changes nothing."""
        known = frozenset(flagged)
        specs = tuple(spec for spec in self.specs if spec.name in known)
        return {name: make(directory, specs, looking=looking) for name, make in self.backends.items()}


PARTS = Parts(SPECS, BACKENDS)

IN_MEMORY = "; the cache is kept in memory and is lost at the end"
"""What a server says of files that cannot be used, after the reason."""

ONLY_READ = "; it shows what it holds, and nothing new is kept: mend the modes of the cache files, then start again"

_NOTE = "opened.json"
"""How the cache was opened last: the flags, and what was searchable."""


class Stores:
    """Makes, opens and fills the backends that the flags name.

    Attributes:
        directory: where the open cache is kept; None in memory.
    """

    def __init__(
        self, flags: Mapping[str, Flag], recorder: Recorder | None, clock: Clock, parts: Parts = PARTS
    ) -> None:
        self._flags = flags
        self._recorder = recorder or LoggedComparisons()
        self._clock = clock
        self._parts = parts
        self.directory: Path | None = None

    async def open(self, directory: Path | None) -> tuple[RoutedBackend, tuple[str, ...]]:
        """Return the open cache and what should be known of it.

        Where its files may not be written, it shows what they hold and keeps nothing; where the directory cannot be
        used, it is kept in memory.

        Raises:
            CacheUnavailable: not even memory can stand in.
        """
        try:
            if directory is not None:
                private_directory(directory.parent)
            return await self._opened(directory)
        except CacheUnavailable as error:
            if directory is None:
                raise
            if isinstance(error, CacheReadOnly) and (protected := await self._looked(directory)) is not None:
                _log.warning("cache is only read", reason=str(error))
                return protected, (f"{error}{ONLY_READ}",)
            _log.warning("cache in memory", reason=str(error))
            cache, _ = await self._opened(None)
            return cache, (f"{error}{IN_MEMORY}",)

    async def _opened(self, directory: Path | None) -> tuple[RoutedBackend, tuple[str, ...]]:
        stores = self._parts.stores(directory, self._flags)
        cache = self._routed(stores)
        await cache.open()
        try:
            await self._flipped(directory, cache, stores)
        except BaseException:
            await cache.close()
            raise
        self.directory = directory
        damaged = [path.name for store in stores.values() for path in store.set_aside]
        told = "a damaged cache file was set aside as {} and is rebuilt from Katana"
        return cache, tuple(told.format(name) for name in damaged)

    async def _looked(self, directory: Path) -> RoutedBackend | None:
        """Return a cache that shows what the files hold, or None where they do not hold all entities as expected."""
        cache = self._routed(self._parts.stores(directory, self._flags, looking=True))
        try:
            await cache.open()
            for spec in self._parts.specs:
                await cache.select(spec.name, Selection(limit=1, visibility=EVERYTHING))
        except CacheError as error:
            _log.warning("cache cannot be read", reason=str(error))
            await cache.close()
            return None
        self.directory = directory
        return cache

    def _routed(self, stores: Mapping[str, Store]) -> RoutedBackend:
        by_flag = dict[str, CacheBackend](stores)
        for name, other in permutations(stores, 2):
            by_flag[f"compare:{name}"] = ComparedBackend(
                stores[name], stores[other], self._recorder, self._clock, strict=self._parts.strict
            )
        return RoutedBackend({spec.name: by_flag[self._flags.get(spec.name, ALWAYS)] for spec in self._parts.specs})

    async def _flipped(self, directory: Path | None, cache: RoutedBackend, stores: Mapping[str, Store]) -> None:
        """Fill what a flip left empty or behind; a backend that nothing uses any more is opened only for that."""
        used = {ALWAYS, *(name for flag in self._flags.values() for name in holders(flag, stores))}
        unused = [store for name, store in stores.items() if name not in used and _was_used(directory, name)]
        there = {name: store for name, store in stores.items() if name in used or store in unused}
        try:
            note = _last_note(directory)
            await self._flip(note, cache, {name: store for name, store in there.items() if await _opens(store)})
            await self._reindex(note, cache)
            _keep_note(directory, {"flags": dict(self._flags), "searchable": self._searchable()})
        finally:
            for store in unused:
                await store.close()

    async def _flip(self, note: Mapping[str, Json], cache: RoutedBackend, stores: Mapping[str, Store]) -> None:
        """Fill what a flip left empty or behind from the other backend, without asking Katana."""
        before = _part(note, "flags")
        for spec in self._parts.specs:
            flag = self._flags.get(spec.name)
            if flag is None:
                continue
            wrote = holders(str(before.get(spec.name, flag)), stores)
            answering = holders(flag, stores)[0]
            for target, source in product(holders(flag, stores), stores):
                other = stores[source if target == answering else target]
                if source != target and await _tells_state(other, spec):
                    stale = target not in wrote and source in wrote
                    await self._fill(spec, cache, (stores[source], stores[target]), stale)

    async def _reindex(self, note: Mapping[str, Json], cache: RoutedBackend) -> None:
        """Compute the text of rows again that were stored when other fields were searchable."""
        before, now = _part(note, "searchable"), self._searchable()
        for spec in self._parts.specs:
            if before.get(spec.name) != now[spec.name]:
                await Migration(cache, self._clock, _quiet).reindex(spec, cache)
                _log.info("cache reindexed", entity=spec.name)

    def _searchable(self) -> dict[str, Json]:
        """Return a digest per entity of what its search text and soft state are made of."""
        made = {spec.name: repr((RULES, spec.searchable, spec.inherits)) for spec in self._parts.specs}
        return {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in made.items()}

    async def _fill(self, spec: EntitySpec, cache: RoutedBackend, pair: tuple[Store, Store], stale: bool) -> None:
        source, target = pair
        behind = await needs_filling(spec, source, target)
        if behind or (stale and not await needs_filling(spec, target, source)):
            try:
                rows = await Migration(cache, self._clock, _quiet).fill(spec, source, target)
            except LeaseLost:
                _log.info("another process fills the cache", entity=spec.name, target=target.name)
            else:
                _log.info("cache filled", entity=spec.name, source=source.name, target=target.name, rows=rows)


async def _opens(store: Store) -> bool:
    """Open a backend unless it is open; one that cannot be opened neither fills nor is filled.

    The one that answers was opened before: without it there is no cache.
    """
    try:
        await store.open()
    except CacheError as error:
        _log.warning("a backend cannot be opened", backend=store.name, reason=str(error))
        return False
    return True


async def _tells_state(store: Store, spec: EntitySpec) -> bool:
    """Return whether a backend that does not answer can be filled, or be filled from."""
    try:
        await store.state(spec.name)
    except CacheError as error:
        _log.warning("a backend cannot be read", backend=store.name, entity=spec.name, reason=str(error))
        return False
    return True


def holders(flag: str, names: Iterable[str]) -> list[str]:
    """Return the backends that hold an entity with this flag, the answering one first."""
    first = flag.removeprefix("compare:")
    return [first] if flag == first else [first, *(name for name in names if name != first)]


def _was_used(directory: Path | None, name: str) -> bool:
    """Return whether a cache of this backend was ever kept here."""
    return directory is not None and any(directory.glob(f"{name}*"))


def _last_note(directory: Path | None) -> Mapping[str, Json]:
    try:
        return {} if directory is None else decode((directory / _NOTE).read_bytes())
    except (OSError, InvalidRecord):
        return {}


def _part(note: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    part = note.get(name)
    return part if isinstance(part, dict) else {}


def _keep_note(directory: Path | None, note: Mapping[str, Json]) -> None:
    if directory is not None:
        beside = directory / f"{_NOTE}.{secrets.token_hex(4)}.new"
        try:
            private_file(private_directory(directory) / beside.name).write_bytes(encode(note))
            beside.replace(directory / _NOTE)
        except OSError as error:
            _log.warning("how the cache was opened is not kept", reason=str(error))
            beside.unlink(missing_ok=True)


def _quiet(entity: str, done: int, total: int) -> None:
    del entity, done, total
