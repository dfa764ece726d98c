"""Backends in memory that stand for files: they keep what they hold between openings, and fail where asked."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tests.contract.toys import OWNER, TAG, TOY, listing, moment

from cache_core.compared import Comparison
from cache_core.conditions import EVERYTHING
from cache_core.memory import MemoryBackend
from cache_core.protocol import Applied, Batch, CacheBackend, Row, Selection, Stored, SyncState
from cache_core.records import RecordId
from cache_core.routed import RoutedBackend
from cache_core.spec import EntitySpec
from cache_core.testing import ManualClock
from katana_mcp.caches.backends import ALWAYS, Make, Store
from katana_mcp.caches.stores import Parts, Stores

if TYPE_CHECKING:
    from katana_mcp.configuration.backend_flags import Flag

OTHER = "other"
FLAGGED = (OWNER, TOY)


class Shelf(MemoryBackend):
    """One backend; it notes that it is opened, closed and selected from."""

    def __init__(self, name: str, specs: Sequence[EntitySpec], log: list[str], kind: str = "") -> None:
        super().__init__(specs)
        self.name = name
        self.trouble: dict[str, BaseException] = {}
        self.set_aside: tuple[Path, ...] = ()
        self.selected: list[tuple[str, Selection]] = []
        self.taken: list[tuple[Path, list[str]]] = []
        self._log = log
        self._called = f"{kind} {name}".strip()

    def _fails(self, what: str) -> None:
        if (error := self.trouble.get(what)) is not None:
            raise error

    async def open(self) -> None:
        """Note it."""
        self._log.append(f"{self._called} open")
        self._fails("open")

    async def close(self) -> None:
        """Note it."""
        self._log.append(f"{self._called} close")

    async def state(self, entity: str) -> SyncState:
        """Return how far an entity is."""
        self._fails("state")
        return await super().state(entity)

    async def apply(self, batch: Batch) -> Applied:
        """Write a batch."""
        self._fails("apply")
        return await super().apply(batch)

    async def select(self, entity: str, selection: Selection) -> tuple[Stored, ...]:
        """Note what is selected, and return it."""
        self.selected.append((entity, selection))
        self._fails("select")
        return await super().select(entity, selection)

    async def faults(self) -> tuple[str, ...]:
        """Return nothing: a shelf has no file."""
        return ()

    async def take(self, directory: Path, entities: Iterable[str]) -> None:
        """Note what is taken from where."""
        self.taken.append((directory, list(entities)))
        self._fails("take")


class Shelves:
    """Two backends of a directory, as they are looked at, and in memory.

    Attributes:
        log: what was opened and closed, in order.
        made: of what each backend was made.
        kept_comparisons: what a parallel run told.
        is_strict: whether a difference is raised.
        is_recorded: whether comparisons are kept here.
    """

    def __init__(self, *, is_strict: bool = False, is_recorded: bool = True) -> None:
        self.is_strict = is_strict
        self.is_recorded = is_recorded
        self.log: list[str] = []
        self.made: list[tuple[str, Path | None, tuple[str, ...], bool]] = []
        self.kept_comparisons: list[Comparison] = []
        self.kept, self.looking, self.memory = (self._pair(kind) for kind in ("", "looking", "memory"))

    def _pair(self, kind: str) -> dict[str, Shelf]:
        specs = {ALWAYS: (OWNER, TOY, TAG), OTHER: FLAGGED}
        return {name: Shelf(name, some, self.log, kind) for name, some in specs.items()}

    def _maker(self, name: str) -> Make:
        def make(directory: Path | None, specs: tuple[EntitySpec, ...], *, looking: bool = False) -> Store:
            self.made.append((name, directory, tuple(spec.name for spec in specs), looking))
            shelves = self.memory if directory is None else self.looking if looking else self.kept
            return shelves[name]

        return make

    def parts(self) -> Parts:
        """Return what a cache is made of: one entity has no flag, and comes first."""
        return Parts((TAG, *FLAGGED), {name: self._maker(name) for name in (ALWAYS, OTHER)}, strict=self.is_strict)

    def record(self, comparison: Comparison) -> None:
        """Keep a comparison."""
        self.kept_comparisons.append(comparison)

    def recorded(self) -> list[Comparison]:
        """Return the errors of trials, without the lines at which they were raised."""
        return [replace(found, error=(found.error or "").partition(" at ")[0]) for found in self.kept_comparisons]

    async def open(
        self, directory: Path | None, toys: str = ALWAYS, owners: str = ALWAYS
    ) -> tuple[Stores, RoutedBackend, tuple[str, ...]]:
        """Open a cache with these flags of toys and of their owners."""
        flags = cast("Mapping[str, Flag]", {"toy_owner": owners, "toy": toys})
        stores = Stores(flags, self if self.is_recorded else None, ManualClock(), self.parts())
        cache, notices = await stores.open(directory)
        return stores, cache, notices


async def complete(backend: CacheBackend, *rows: Row, entity: str = "toy", cursor: str | None) -> None:
    """Let a backend hold rows of a listing that ended at this cursor; of one that goes on where there is none."""
    state = SyncState() if cursor is None else SyncState(cursor=cursor, completed_at=moment())
    await backend.apply(replace(listing(*rows, entity=entity), state=state))


async def ids_in(backend: CacheBackend, entity: str = "toy") -> list[RecordId]:
    """Return the ids of all rows that a backend holds of an entity."""
    return [row.id for row in await backend.select(entity, Selection(visibility=EVERYTHING))]


async def rows_of(cache: CacheBackend) -> list[RecordId]:
    """Return the ids of those toys that a cache reads, of the first nine."""
    return [row.id for row in (await cache.get_many("toy", list(range(1, 10)))).rows]


def note_of(directory: Path, flags: Mapping[str, str]) -> None:
    """Write how the cache was opened last."""
    directory.mkdir(parents=True, exist_ok=True)
    for path in (directory, directory.parent):
        path.chmod(0o700)
    (directory / "opened.json").write_text(json.dumps({"flags": flags}), "utf-8")


def noted(directory: Path) -> dict[str, object]:
    """Return what is noted of the last opening."""
    return json.loads((directory / "opened.json").read_text("utf-8"))


def files_in(directory: Path) -> list[tuple[str, int]]:
    """Return the names of what is in a directory, and the modes of all."""
    return sorted((path.name, path.stat().st_mode & 0o777) for path in directory.iterdir())
