"""The registry of cache backends: what a flag's name stands for. The only module that imports them."""

import gc
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cache_core.protocol import CacheBackend
from cache_core.spec import EntitySpec

if TYPE_CHECKING:
    from cache_typed.backend import TypedBackend

type Specs = tuple[EntitySpec, ...]


class Store(CacheBackend, Protocol):
    """A backend that keeps files, each named after it."""

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


class Make(Protocol):
    """Makes a backend."""

    def __call__(self, directory: Path | None, specs: Specs, *, looking: bool = False) -> Store:
        """Return a backend of a directory, or in memory, for the specs that have a flag; not yet open.

        `looking` makes and changes nothing.
        """
        ...


def _typed(directory: Path | None, specs: Specs, *, looking: bool = False) -> Store:
    """Return the typed backend, which holds every entity, those without a flag too."""
    del specs
    return _typed_backend()(directory, looking=looking)


@cache
def _typed_backend() -> "type[TypedBackend]":
    from cache_typed.backend import TypedBackend  # noqa: PLC0415 - SQLAlchemy takes 0.3 s: the first read pays for it

    # The tables stay: to look through them for garbage stops the event loop for 0.05 s each time, and a writer too.
    gc.freeze()
    return TypedBackend


def _legacy(directory: Path | None, specs: Specs, *, looking: bool = False) -> Store:  # goes with cache_legacy
    from cache_legacy.backend import LegacyBackend  # noqa: PLC0415 - aiosqlite, 0.03 s  # goes with cache_legacy

    return LegacyBackend(directory, specs, looking=looking)  # goes with cache_legacy


BACKENDS: Mapping[str, Make] = {
    "legacy": _legacy,  # goes with cache_legacy
    "typed": _typed,
}
ALWAYS = "typed"
"""The backend of the entities that have no flag."""
