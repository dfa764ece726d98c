"""The cache backends of one tenant, wired by the flags; the only module that knows which backends there are."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

import structlog

from cache_core.clock import Clock
from cache_core.compared import ComparedBackend, Recorder
from cache_core.errors import CacheUnavailable
from cache_core.files import private_directory
from cache_core.migrate import Migration, needs_filling
from cache_core.protocol import CacheBackend
from cache_core.routed import RoutedBackend
from cache_core.specs import SPECS
from katana_mcp.comparisons import LoggedComparisons
from katana_mcp.flags import DEFAULTS, Flag

_log = structlog.get_logger("katana_mcp.cache")


class Store(CacheBackend, Protocol):
    """A backend that keeps files."""

    @property
    def set_aside(self) -> tuple[Path, ...]:
        """Damaged files that were renamed and replaced by an empty one."""
        ...

    async def faults(self) -> tuple[str, ...]:
        """Return what is wrong with its file, a sentence each, found on a copy; it need not be open."""
        ...

    async def take(self, directory: Path, entities: Iterable[str]) -> None:
        """Replace these entities by those of another directory's file, in one transaction; others stay."""
        ...


class Stores:
    """Makes, opens and fills the backends that the flags name."""

    def __init__(self, flags: Mapping[str, Flag], recorder: Recorder | None, clock: Clock) -> None:
        self._flags = flags
        self._recorder = recorder or LoggedComparisons()
        self._clock = clock

    async def open(self, directory: Path | None) -> tuple[RoutedBackend, tuple[str, ...]]:
        """Return the open cache and what should be known of it; kept in memory where the directory cannot be used.

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
            _log.warning("cache in memory", reason=str(error))
            cache, _ = await self._opened(None)
            return cache, (f"{error}; the cache is kept in memory and is lost at the end",)

    async def _opened(self, directory: Path | None) -> tuple[RoutedBackend, tuple[str, ...]]:
        legacy, typed = backends(directory)
        cache = self._routed(legacy, typed)
        await cache.open()
        await self._flipped(directory, cache, (legacy, typed))
        damaged = [path.name for store in (legacy, typed) for path in store.set_aside]
        told = "a damaged cache file was set aside as {} and is rebuilt from Katana"
        return cache, tuple(told.format(name) for name in damaged)

    def _routed(self, legacy: Store, typed: Store) -> RoutedBackend:
        by_flag: dict[Flag, CacheBackend] = {
            "legacy": legacy,
            "typed": typed,
            "compare:legacy": ComparedBackend(legacy, typed, self._recorder, self._clock),
            "compare:typed": ComparedBackend(typed, legacy, self._recorder, self._clock),
        }
        return RoutedBackend({spec.name: by_flag[self._flags.get(spec.name, "typed")] for spec in SPECS})

    async def _flipped(self, directory: Path | None, cache: RoutedBackend, stores: tuple[Store, Store]) -> None:
        """Fill what a flip left empty; a legacy cache that nothing uses any more is opened only for that."""
        legacy, typed = stores
        unused = all(flag == "typed" for flag in self._flags.values())
        if unused and not _was_used(directory):
            return
        await legacy.open()
        try:
            await self._flip(cache, legacy, typed)
        finally:
            if unused:
                await legacy.close()

    async def _flip(self, cache: RoutedBackend, legacy: Store, typed: Store) -> None:
        """Fill what a flip left empty or behind from the other backend, without asking Katana."""
        for spec in SPECS:
            flag = self._flags.get(spec.name)
            if flag is None:
                continue
            pairs = {"legacy": [(typed, legacy)], "typed": [(legacy, typed)]}
            for source, target in pairs.get(flag, [(legacy, typed), (typed, legacy)]):
                await self._fill(spec.name, cache, source, target)

    async def _fill(self, entity: str, cache: RoutedBackend, source: Store, target: Store) -> None:
        spec = next(spec for spec in SPECS if spec.name == entity)
        if await needs_filling(spec, source, target):
            rows = await Migration(cache, self._clock, _quiet).fill(spec, source, target)
            _log.info("cache filled", entity=entity, source=source.name, target=target.name, rows=rows)


def _was_used(directory: Path | None) -> bool:
    """Return whether a legacy cache was ever kept here."""
    return directory is not None and any(directory.glob("legacy*"))


def backends(directory: Path | None, *, looking: bool = False) -> tuple[Store, Store]:
    """Return the legacy and the typed backend of a directory, not yet open; `looking` makes and changes nothing."""
    # SQLAlchemy takes 0.3 s to import: the first read pays for it, not the start.
    from cache_legacy.backend import LegacyBackend  # noqa: PLC0415
    from cache_typed.backend import TypedBackend  # noqa: PLC0415

    shared = tuple(spec for spec in SPECS if spec.name in DEFAULTS)
    return LegacyBackend(directory, shared, looking=looking), TypedBackend(directory, looking=looking)


def _quiet(entity: str, done: int, total: int) -> None:
    del entity, done, total
