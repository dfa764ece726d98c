"""The backends that the suite runs against; a new one is one line in `KINDS`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cache_core.memory import MemoryBackend
from cache_core.protocol import CacheBackend
from cache_core.routed import RoutedBackend
from cache_legacy.backend import LegacyBackend
from cache_typed.backend import TypedBackend

from .toy_tables import TOY_TABLES
from .toys import OWNER, SPECS, TAG, TOY


@dataclass(frozen=True, slots=True)
class Kind:
    """A backend under test.

    Attributes:
        name: its name in test ids and in `exceptions.toml`.
        make: gives a new object over the files of a directory; not opened.
        features: what only some backends have: `persistence`.
    """

    name: str
    make: Callable[[Path], CacheBackend]
    features: frozenset[str] = frozenset()


def routed(
    make_toys: Callable[[Path], CacheBackend], make_others: Callable[[Path], CacheBackend]
) -> Callable[[Path], CacheBackend]:
    """Return a maker of a routed backend: toys in one backend, owners and tags in another."""

    def make(directory: Path) -> CacheBackend:
        toys, others = make_toys(directory), make_others(directory)
        return RoutedBackend({TOY.name: toys, OWNER.name: others, TAG.name: others})

    return make


def memory(directory: Path) -> CacheBackend:
    """Return the reference backend; it keeps nothing in the directory."""
    return MemoryBackend(SPECS)


def legacy(directory: Path) -> CacheBackend:
    """Return the legacy backend over the directory's file."""
    return LegacyBackend(directory / "legacy", SPECS)


def legacy_in_memory(directory: Path) -> CacheBackend:
    """Return the legacy backend as it runs without a writable directory."""
    return LegacyBackend(None, SPECS)


def typed(directory: Path) -> CacheBackend:
    """Return the typed backend over the directory's file."""
    return TypedBackend(directory / "typed", TOY_TABLES)


PERSISTENT = frozenset({"persistence"})
KINDS = (
    Kind("memory", memory),
    Kind("legacy", legacy, PERSISTENT),
    Kind("legacy_in_memory", legacy_in_memory),
    Kind("typed", typed, PERSISTENT),
    Kind("routed", routed(legacy, typed)),
    Kind("routed_reversed", routed(typed, legacy)),
)
