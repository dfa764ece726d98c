"""The registry of cache backends: what a flag's name stands for. The only module that imports them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from cache_core.protocol import CacheBackend
from cache_core.spec import EntitySpec
from cache_legacy.backend import LegacyBackend  # goes with cache_legacy


class Store(CacheBackend, Protocol):
    """A backend that keeps files, each named after it."""

    @property
    def set_aside(self) -> tuple[Path, ...]:
        """Damaged files that were renamed and replaced by an empty one."""
        ...


type Make = Callable[[Path | None, tuple[EntitySpec, ...]], Store]
"""Makes a backend of a directory, or in memory, for the specs that have a flag; not yet open."""


def _typed(directory: Path | None, specs: tuple[EntitySpec, ...]) -> Store:
    """Return the typed backend, which holds every entity, those without a flag too."""
    from cache_typed.backend import TypedBackend  # noqa: PLC0415 - SQLAlchemy takes 0.3 s: the first read pays for it

    del specs
    return TypedBackend(directory)


BACKENDS: Mapping[str, Make] = {
    "typed": _typed,
    "legacy": LegacyBackend,  # goes with cache_legacy
}
ALWAYS = "typed"
"""The backend of the entities that have no flag."""
