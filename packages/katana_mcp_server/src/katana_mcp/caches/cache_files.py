"""The cache of one account as work on all of it sees it: its files, its backends, and how far the work is.

Opens the files beside a running server; refuses entities that there are not.
"""

import tempfile
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cache_core.clock import Clock
from cache_core.errors import CacheCorrupt, CacheMissing
from cache_core.files import checked_directory, private_directory
from cache_core.protocol import CacheBackend, SyncState
from cache_core.routed import RoutedBackend
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from katana_mcp.caches.backends import ALWAYS, Store
from katana_mcp.caches.stores import PARTS, Parts
from katana_mcp.configuration.backend_flags import DEFAULTS, Flag
from katana_mcp.configuration.settings import SettingsError
from katana_mcp.tools.hints import MOST_NAMES, all_meant, quoted

type Tell = Callable[[str, int, int | None], None]
"""Told how far long work is: of what, how many done, of how many."""


class BadInput(SettingsError):
    """What was typed cannot work; one sentence."""


class NotDone(Exception):
    """The work could not be done; one sentence that says what is left as it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheConfig:
    """What a cache is made of, and who is told how far the work on it is.

    Attributes:
        flags: the backend of each entity that has a flag.
        clock: where time comes from.
        tell: shows progress.
        parts: the entities and backends there are.
    """

    flags: Mapping[str, Flag]
    clock: Clock
    tell: Tell
    parts: Parts = PARTS

    def flag(self, entity: str) -> str:
        """Return the entity's flag; what has none stands in one backend always."""
        return self.flags.get(entity, ALWAYS)

    def stores(self, directory: Path | None, *, looking: bool = False) -> dict[str, Store]:
        """Return a store of each backend, not yet open; `looking` makes and changes nothing."""
        return self.parts.stores(directory, DEFAULTS, looking=looking)

    @property
    def alone(self) -> str | None:
        """The only backend there is, or None: then there is a second one to compare with and to move to."""
        name, *others = self.parts.backends
        return None if others else name


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCache(CacheConfig):
    """A cache that is kept in files.

    Attributes:
        directory: where the account's cache stands, or will.
    """

    directory: Path


def chosen(names: Sequence[str], allowed: Collection[str]) -> tuple[EntitySpec, ...]:
    """Return the entities that are named, all allowed ones where none is; parents first.

    Raises:
        BadInput: a name that is none of them.
    """
    by_name = {name: spec for spec in SPECS if spec.name in allowed for name in (spec.name, spec.collection)}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        names_here = [spec.name for spec in SPECS if spec.name in allowed]
        shown = ", ".join(map(quoted, unknown[:MOST_NAMES]))
        raise BadInput(f"no entity is called {shown} here; {all_meant(unknown, names_here)}")
    chosen_names = {by_name[name].name for name in names} or set(allowed)
    return tuple(spec for spec in SPECS if spec.name in chosen_names)


@dataclass(frozen=True, slots=True)
class Stands:
    """The backends of an account that could be opened.

    Attributes:
        stores: by name.
        absent: names of those that have no file yet.
        damaged: what is wrong with the others, a sentence each.
    """

    stores: dict[str, Store] = field(default_factory=dict[str, Store])
    absent: list[str] = field(default_factory=list[str])
    damaged: list[str] = field(default_factory=list[str])

    def holding(self, entity: str) -> dict[str, Store]:
        """Return the backends that can hold an entity."""
        return {name: store for name, store in self.stores.items() if entity in store.entities}


@asynccontextmanager
async def looked_at(kept: FileCache) -> AsyncGenerator[Stands]:
    """Open what there is without a trace."""
    stands = Stands()
    async with AsyncExitStack() as stack:
        for store in kept.stores(kept.directory, looking=True).values():
            try:
                stack.push_async_callback(store.close)
                await store.open()
                stands.stores[store.name] = store
            except CacheMissing:
                stands.absent.append(store.name)
            except CacheCorrupt as error:
                stands.damaged.append(str(error))
        yield stands


@asynccontextmanager
async def opened(kept: FileCache) -> AsyncGenerator[dict[str, Store]]:
    """Open every backend for work; damaged files are set aside, as a server does."""
    private_directory(kept.directory.parent)
    stores = kept.stores(kept.directory)
    async with AsyncExitStack() as stack:
        for store in stores.values():
            stack.push_async_callback(store.close)
            await store.open()
        yield stores


def require_usable(directory: Path) -> None:
    """Refuse an account's directory that a server could not use or make; nothing is left behind.

    Raises:
        CacheUnavailable: it, or the directory that it stands in, is no directory that a server takes.
        NotDone: it could not be made.
    """
    for path in (directory.parent, directory):
        checked_directory(path)
    try:
        if not directory.is_dir():
            Path(tempfile.mkdtemp(dir=next(parent for parent in directory.parents if parent.exists()))).rmdir()
    except OSError as error:
        raise NotDone(f"the cache directory {directory.parent} cannot be used: {error.strerror}") from error


def require_cache(kept: FileCache) -> None:
    """Refuse to work on nothing.

    Raises:
        NotDone: nothing was ever cached for this account.
    """
    if not kept.directory.is_dir():
        raise NotDone(f"nothing is cached for this account in {kept.directory}")


async def newest_of(stores: Iterable[CacheBackend]) -> RoutedBackend:
    """Return a cache in which each entity stands in the backend that completed a listing last."""
    held: dict[str, list[CacheBackend]] = {}
    for store in stores:
        for entity in store.entities:
            held.setdefault(entity, []).append(store)
    routes: dict[str, CacheBackend] = {}
    for entity, holders in held.items():
        states = [(age(await store.state(entity)), nr) for nr, store in enumerate(holders)]
        routes[entity] = holders[max(states)[1]]
    return RoutedBackend(routes)


def age(state: SyncState) -> tuple[str, str]:
    """Return what orders sync states, the newest last."""
    return (state.cursor or "", state.completed_at or "")


SHARED = tuple(DEFAULTS)
"""The entities that every backend holds."""
EVERY = tuple(spec.name for spec in SPECS)
LISTED = tuple(name for name in EVERY if name != "stock")
"""What Katana lists; stock is asked for when somebody needs it."""
