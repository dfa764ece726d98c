"""The cache backends of one tenant, wired by the flags and filled at a flip."""

import hashlib
import secrets
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path

import structlog

from cache_core.clock import Clock
from cache_core.compared import ComparedBackend, Comparison, Recorder, fault
from cache_core.conditions import EVERYTHING
from cache_core.errors import CacheError, CacheReadOnly, CacheUnavailable, LeaseLost
from cache_core.files import private_directory, private_file
from cache_core.migrate import Migration, needs_filling
from cache_core.protocol import CacheBackend, Selection
from cache_core.records import InvalidRecord, Json, decode, encode
from cache_core.routed import RoutedBackend
from cache_core.search_rules import RULES
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from katana_mcp.caches.backends import ALWAYS, BACKENDS, Make, Store
from katana_mcp.caches.comparisons import LoggedComparisons
from katana_mcp.configuration.backend_flags import Flag

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
        names = frozenset(flagged)
        specs = tuple(spec for spec in self.specs if spec.name in names)
        return {name: make(directory, specs, looking=looking) for name, make in self.backends.items()}


PARTS = Parts(SPECS, BACKENDS)

IN_MEMORY = "; the cache is kept in memory and is lost at the end"
"""What a server says of files that cannot be used, after the reason."""

ONLY_READ = "; it shows what it holds, and nothing new is kept: mend the modes of the cache files, then start again"

LEFT_OUT = (
    "; {} was to be tried beside the cache that answers and is left out: that one goes on alone, nothing is compared;"
    " make room or mend its files, then start again"
)
"""What a server says of a backend on trial that cannot be opened, read or filled, after the reason."""

_NOTE = "opened.json"
"""How the cache was opened last: the flags as they could be kept, what was searchable, and who was left out."""


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
            notices = await self._flipped(directory, cache, stores)
        except BaseException:
            await cache.close()
            raise
        self.directory = directory
        damaged = [path.name for store in stores.values() for path in store.set_aside]
        message = "a damaged cache file was set aside as {} and is rebuilt from Katana"
        return cache, (*notices, *(message.format(name) for name in damaged))

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

    async def _flipped(
        self, directory: Path | None, cache: RoutedBackend, stores: Mapping[str, Store]
    ) -> tuple[str, ...]:
        """Fill what a flip left empty or behind; return what should be known of backends that are left out.

        A backend that nothing uses any more is opened only for that.
        """
        used = {ALWAYS, *(name for flag in self._flags.values() for name in holders(flag, stores))}
        unused = [store for name, store in stores.items() if name not in used and _was_used(directory, name)]
        there = {name: store for name, store in stores.items() if name in used or store in unused}
        opening = _Opening(self._flags, cache, there, self._recorder)
        try:
            note = _last_note(directory)
            for name, store in there.items():
                await opening.manages(name, store.open())
            await self._flip(note, opening)
            if directory is not None:
                await self._reindex(note, cache)
            _keep_note(
                directory, {"flags": opening.fed(), "searchable": self._searchable(), "left_out": [*opening.notices]}
            )
        finally:
            for store in unused:
                await store.close()
        return tuple(opening.notices)

    async def _flip(self, note: Mapping[str, Json], opening: "_Opening") -> None:
        """Fill what a flip left empty or behind from the other backend, without asking Katana."""
        before, stores = _part(note, "flags"), opening.stores
        for spec in self._parts.specs:
            flag = self._flags.get(spec.name)
            if flag is None:
                continue
            wrote = holders(str(before.get(spec.name, flag)), stores)
            answering, *trials = holders(flag, stores)
            for other in opening.well(stores):
                if other != answering and await opening.manages(other, stores[other].state(spec.name)):
                    stale = answering not in wrote and other in wrote
                    await self._fill(spec, opening.cache, (stores[other], stores[answering]), stale)
            for trial in opening.well(trials):
                stale = trial not in wrote and answering in wrote
                filling = self._fill(spec, opening.cache, (stores[answering], stores[trial]), stale)
                await opening.manages(trial, filling)

    async def _reindex(self, note: Mapping[str, Json], cache: RoutedBackend) -> None:
        """Compute the text of rows again that were stored when other fields were searchable."""
        before, now = _part(note, "searchable"), self._searchable()
        changed = [spec for spec in self._parts.specs if before.get(spec.name) != now[spec.name]]
        rows = [await Migration(cache, self._clock, _quiet).reindex(spec, cache) for spec in changed]
        if any(rows):
            _log.info("cache reindexed", entities=sum(map(bool, rows)), rows=sum(rows))

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


@dataclass(frozen=True, slots=True)
class _Opening:
    """The backends of a cache that is being opened.

    Attributes:
        flags: the backend of each entity that has a flag.
        cache: what is opened; who answers is open already.
        stores: every backend that is there.
        recorder: told of a trial that is left out.
        failed: those that could not do what they had to; they neither fill nor are filled.
        notices: what should be known of those that are on trial.
    """

    flags: Mapping[str, Flag]
    cache: RoutedBackend
    stores: Mapping[str, Store]
    recorder: Recorder
    failed: set[str] = field(default_factory=set[str])
    notices: list[str] = field(default_factory=list[str])

    def well(self, names: Iterable[str]) -> list[str]:
        """Return those of the backends that have not failed."""
        return [name for name in names if name not in self.failed]

    async def manages(self, name: str, work: Awaitable[object]) -> bool:
        """Return whether a backend that does not answer could do its work; one that could not is left out."""
        try:
            await work
        except (CacheError, InvalidRecord) as error:
            self.failed.add(name)
            self._leave_out(name, error)
            return False
        return True

    def _leave_out(self, name: str, error: Exception) -> None:
        """Let those that it was to be tried beside answer alone; that it failed is kept, as of any trial."""
        _log.warning("a backend is left out", backend=name, reason=str(error))
        beside = {entity: holders(flag, ())[0] for entity, flag in self.flags.items() if name in self._trials(flag)}
        self.cache.reroute({entity: self.stores[answering] for entity, answering in beside.items()})
        for entity, answering in beside.items():
            sides = (answering, name)
            self.recorder.record(Comparison(entity, "apply", "filling", None, fault(error), (0.0, 0.0), sides))
        if beside:
            self.notices.append(f"{error}{LEFT_OUT.format(name)}")

    def _trials(self, flag: Flag) -> list[str]:
        return holders(flag, self.stores)[1:]

    def fed(self) -> dict[str, Json]:
        """Return each entity's flag, without the trial where it is left out: it lacks what is written from now on."""
        left = self.failed
        return {
            entity: flag if not left.intersection(self._trials(flag)) else holders(flag, ())[0]
            for entity, flag in self.flags.items()
        }


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


def left_out(directory: Path) -> list[str]:
    """Return what the last server's start said of backends that it left out."""
    notes = _last_note(directory).get("left_out")
    return [str(note) for note in notes] if isinstance(notes, list) else []


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
