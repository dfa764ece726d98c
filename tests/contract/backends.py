"""The backends that the suite runs against: the reference, and what the server's registry and its flags can make."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import permutations
from pathlib import Path

import pytest

from cache_core.compared import ComparedBackend, Comparison
from cache_core.memory import MemoryBackend
from cache_core.protocol import CacheBackend
from cache_core.routed import RoutedBackend
from cache_core.spec import EntitySpec
from cache_core.testing import ManualClock
from cache_typed.backend import TypedBackend
from cache_typed.mapping import TableMapping
from cache_typed.tables import TABLES
from katana_mcp.caches.backends import ALWAYS, BACKENDS, Make, Store
from katana_mcp.caches.stores import Parts
from katana_mcp.configuration.backend_flags import FLAGS

from .entities import NINE
from .toy_tables import TOY_TABLES
from .toys import SPECS, TOY

_NIGHTLY = frozenset({ALWAYS, f"{ALWAYS}_in_memory", f"compare:{ALWAYS}", "routed"})


def in_turn(backend: str) -> tuple[pytest.MarkDecorator, ...]:
    """Return how slow cases of a backend are marked: all but those of what is to stay wait for their night."""
    return () if backend in _NIGHTLY else (pytest.mark.in_turn,)


@dataclass(frozen=True, slots=True)
class World:
    """Entities that a cache under test holds.

    Attributes:
        specs: all of them, parents first.
        tables: their tables in the typed backend.
        apart: held by another backend than the rest in the mixed states.
    """

    specs: tuple[EntitySpec, ...]
    tables: tuple[TableMapping, ...]
    apart: frozenset[str]


TOYS = World(SPECS, TOY_TABLES, frozenset({TOY.name}))
CATALOGUE = World(NINE, tuple(table for table in TABLES if table.spec in NINE), frozenset({"variant"}))

type Build = Callable[[World, Path], CacheBackend]


@dataclass(frozen=True, slots=True)
class Kind:
    """A backend under test.

    Attributes:
        name: its name in test ids, in `--backend` and in `exceptions.toml`.
        make: gives a new object over the files of a directory; not opened.
        features: what only some have: `persistence`, rows outlive the object; `one file`, which can be damaged.
    """

    name: str
    make: Build
    features: frozenset[str] = field(default_factory=frozenset[str])


def store_of(name: str, made_of: tuple[TableMapping, ...]) -> Make:
    """Return what makes a registered backend of these tables, as the server's wiring makes one of all entities."""
    if name != TypedBackend.name:
        return BACKENDS[name]

    def make(directory: Path | None, specs: tuple[EntitySpec, ...], *, looking: bool = False) -> Store:
        given = {spec.name: spec for spec in specs}
        tables = tuple(replace(table, spec=given.get(table.spec.name, table.spec)) for table in made_of)
        return TypedBackend(directory, tables, looking=looking)

    return make


TOY_PARTS = Parts(SPECS, {name: store_of(name, TOY_TABLES) for name in BACKENDS}, strict=True)


class Forgetful:
    """Keeps no comparison: under `strict` a difference is raised."""

    def record(self, comparison: Comparison) -> None:
        """Forget it."""


def plain(name: str, world: World, directory: Path | None) -> Store:
    """Return a registered backend; only the typed one brings tables of its own."""
    if name == TypedBackend.name:
        return TypedBackend(directory and directory / name, world.tables)
    return BACKENDS[name](directory and directory / name, world.specs)


def memory(world: World, directory: Path) -> CacheBackend:
    """Return the reference backend; it keeps nothing in the directory."""
    return MemoryBackend(world.specs)


def in_memory(name: str, world: World, directory: Path) -> CacheBackend:
    """Return a registered backend as it runs without a writable directory."""
    return plain(name, world, None)


def compared(answering: str, trial: str, world: World, directory: Path) -> CacheBackend:
    """Return a parallel run of two registered backends that raises what they answer differently."""
    first, second = (plain(name, world, directory) for name in (answering, trial))
    return ComparedBackend(first, second, Forgetful(), ManualClock(), strict=True)


def mixed(apart: str, others: str, world: World, directory: Path) -> CacheBackend:
    """Return a routed backend: what the world holds apart in one registered backend, the rest in another."""
    first, second = (plain(name, world, directory) for name in (apart, others))
    return RoutedBackend({spec.name: first if spec.name in world.apart else second for spec in world.specs})


def routed(world: World, directory: Path) -> CacheBackend:
    """Return a routed backend of the one that every cache has and the reference."""
    first, second = plain(ALWAYS, world, directory), MemoryBackend(world.specs)
    return RoutedBackend({spec.name: first if spec.name in world.apart else second for spec in world.specs})


def kinds() -> Mapping[str, Kind]:
    """Return every kind by its name: the reference, each flag's state, each registered backend in other ways."""
    kept, whole = frozenset({"persistence"}), frozenset({"persistence", "one file"})
    found = [Kind("memory", memory), Kind("routed", routed)]
    for flag in FLAGS:
        name = flag.removeprefix("compare:")
        if flag == name:
            found += [Kind(name, partial(plain, name), whole), Kind(f"{name}_in_memory", partial(in_memory, name))]
        else:
            found += [Kind(flag, partial(compared, name, other), kept) for other in BACKENDS if other != name]
    pairs = permutations(BACKENDS, 2)
    found += [Kind(f"mixed:{first}+{second}", partial(mixed, first, second), kept) for first, second in pairs]
    return {kind.name: kind for kind in found}


KINDS = tuple(kinds().values())
FILED = tuple(kind for kind in KINDS if "one file" in kind.features)
"""The kinds that are one registered backend over one file: what can be killed, filled up and damaged."""
