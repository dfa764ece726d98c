"""The machine: writes, crashes, processes, rebuilds and flips in any order, each answer compared with the reference."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cache_core.conditions import EVERYTHING, Order, Visibility, Where
from cache_core.indexing import dependants, prepare
from cache_core.memory import MemoryBackend
from cache_core.migrate import Migration
from cache_core.protocol import Batch, CacheBackend, Origin, Row, Search, Selection, SyncState
from cache_core.records import Record, RecordId
from cache_core.spec import EntitySpec
from cache_core.testing import ManualClock
from katana_mcp.caches.backends import BACKENDS
from katana_mcp.caches.stores import Parts, Stores
from katana_mcp.configuration.backend_flags import FLAGS, Flag

from .backends import KINDS, Forgetful, Kind, World, in_turn, plain
from .oracle import is_lawful
from .strategies import VISIBILITIES
from .toys import exact, moment

IDS = st.integers(1, 5)
EVERY_ID = range(1, 6)
VERSIONS = st.integers(0, 4)
MINUTES = st.sampled_from([0, 10, 14, 16, 40])
NAMES = st.sampled_from([None, "Smith", "Jones & Co", "Weiß"])
SOFT = st.sampled_from([None, None, moment()])
OWN_WRITES_STAND_NO_MORE = 20

type Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Cast:
    """What the histories are about.

    Attributes:
        world: the entities that are held.
        parts: what the server's wiring makes of them.
        entities: which are written and read; one that is named twice is twice as often.
        fields: how the fields of an entity's record are drawn, but for its id, its version and what it borrows from.
        conditions: how conditions on an entity are drawn.
        orders: how an order of an entity is drawn.
        phrases: how texts are drawn, for searches and for business keys.
        misspelt: how texts are drawn that are near to a word.
    """

    world: World
    parts: Parts
    entities: tuple[str, ...]
    fields: Mapping[str, st.SearchStrategy[Fields]]
    conditions: Mapping[str, st.SearchStrategy[Where]]
    orders: Mapping[str, st.SearchStrategy[Order]]
    phrases: st.SearchStrategy[str]
    misspelt: st.SearchStrategy[str]

    def spec(self, entity: str) -> EntitySpec:
        """Return the spec of an entity."""
        return next(spec for spec in self.world.specs if spec.name == entity)

    def borrowers(self, parent: str) -> list[EntitySpec]:
        """Return the specs that borrow from an entity."""
        return [spec for spec in self.world.specs if parent in spec.parents]

    def parents(self) -> list[str]:
        """Return the entities that others borrow from."""
        return sorted({parent for spec in self.world.specs for parent in spec.parents})

    def change(self, entity: str) -> st.SearchStrategy[Fields]:
        """Return how a record is drawn, with its parents."""
        spec = self.spec(entity)
        borrowed = {lookup.path for lookup in (*spec.searchable.lookups(), *spec.inherits)}
        parents = st.fixed_dictionaries(dict.fromkeys(sorted(borrowed), PARENT_IDS))
        return st.builds(lambda fields, ids: {**fields, **ids}, self.fields[entity], parents)

    def flips(self) -> st.SearchStrategy[dict[str, Flag]]:
        """Return how the flags to flip are drawn: one, a few, or all."""
        flag = st.sampled_from(FLAGS)
        some = st.dictionaries(st.sampled_from(self.entities), flag, min_size=1)
        return some | st.fixed_dictionaries(dict.fromkeys(self.entities, flag))

    def listing(self, entity: str) -> st.SearchStrategy[list[Fields]]:
        """Return how the first two records of an entity are drawn."""
        return st.lists(self.change(entity), min_size=2, max_size=2)

    def listings(self) -> st.SearchStrategy[dict[str, list[Fields]]]:
        """Return how a listing of every entity is drawn."""
        return st.fixed_dictionaries({entity: self.listing(entity) for entity in dict.fromkeys(self.entities)})


PARENT_IDS = st.sampled_from([None, 1, 2])


@st.composite
def about[T](draw: st.DrawFn, what: Callable[[Cast, str], st.SearchStrategy[T]]) -> tuple[str, T]:
    """Draw an entity, and something about it."""
    cast = draw(st.runner()).cast
    entity = draw(st.sampled_from(cast.entities))
    return entity, draw(what(cast, entity))


def of_the_cast[T](what: Callable[[Cast], st.SearchStrategy[T]]) -> st.SearchStrategy[T]:
    """Draw something of the cast."""
    return st.runner().flatmap(lambda machine: what(machine.cast))


ENTITIES = of_the_cast(lambda cast: st.sampled_from(cast.entities))


async def held(spec: EntitySpec, cache: CacheBackend) -> tuple[object, ...]:
    """Return everything that a cache holds of an entity, to the last digit, and what the business keys name."""
    found = await cache.get_many(spec.name, EVERY_ID)
    keys = {str(row.record.get(spec.key_path or "id")): None for row in found.rows}
    return (
        found,
        exact([row.record for row in found.rows]),
        await cache.count(spec.name, (), EVERYTHING),
        [await cache.find_by_key(spec.name, key) for key in keys],
        await cache.state(spec.name),
    )


class History(RuleBasedStateMachine):
    """Applies the same batches to a cache and to the reference, and compares every answer."""

    cast: Cast
    keeps_files: bool
    store: str | None = None
    """The name of the registered backend, where it is one alone over its one file."""

    async def open_one(self, directory: Path) -> CacheBackend:
        """Return another open object over the files of a directory."""
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__()
        self.temporary = tempfile.TemporaryDirectory()
        self.directory = Path(self.temporary.name) / "first"
        self.loop = asyncio.Runner()
        self.minute = 0
        self.step = 0
        self.versions: dict[tuple[str, RecordId], int] = {}
        self.flags: dict[str, Flag] = {
            entity: FLAGS[nr % len(FLAGS)] for nr, entity in enumerate(dict.fromkeys(self.cast.entities))
        }
        self.reference = MemoryBackend(self.cast.world.specs)
        self.other: CacheBackend | None = None
        self.dropped: list[CacheBackend] = []
        self.touched: set[str] = set()
        self.done: set[Way] = set()
        self.backend = self.opened()

    def opened(self) -> CacheBackend:
        self.directory.mkdir(mode=0o700, exist_ok=True)
        return self.given(self.open_one(self.directory))

    def given[T](self, answer: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await answer

        return self.loop.run(awaited())

    def agreed[T](self, ask: Callable[[CacheBackend], Awaitable[T]]) -> T:
        """Ask both sides the same; return the one answer."""
        found, expected = self.both(ask)
        assert found == expected
        return expected

    def both[T](self, ask: Callable[[CacheBackend], Awaitable[T]]) -> tuple[T, T]:
        async def asked() -> tuple[T, T]:
            return await ask(self.backend), await ask(self.reference)

        return self.loop.run(asked())

    def apply(self, batch: Batch) -> None:
        self.touched.add(batch.entity)
        self.done.clear()
        self.agreed(lambda cache: cache.apply(batch))

    def batch(self, entity: str) -> Batch:
        return Batch(entity=entity, at=moment(60 * self.minute))

    def listed(self, entity: str) -> Batch:
        """Return a batch that ends a complete listing: the cursor moves on."""
        self.step += 1
        state = SyncState(cursor=moment(self.step), completed_at=moment(60 * self.minute), deltas=self.step)
        return replace(self.batch(entity), state=state)

    def rows(self, entity: str, records: Sequence[Record]) -> tuple[Row, ...]:
        return self.given(prepare(self.cast.spec(entity), records, self.reference)).rows

    def record(self, entity: str, row_id: RecordId, version: int, fields: Record) -> Record:
        """Return a record; one that was removed comes back with a newer version only."""
        if not self.cast.spec(entity).watermark:
            return {**fields, "id": row_id}
        return {**fields, "id": row_id, "updated_at": moment(max(version, self.versions.get((entity, row_id), 0)))}

    def numbered(self, entity: str, version: int, listed: Sequence[Fields]) -> list[Record]:
        return [self.record(entity, row_id, version, fields) for row_id, fields in enumerate(listed, 1)]

    def keep(self, batch: Batch, *records: Record) -> None:
        """Store records; what borrows from them is reindexed after it, as sync does."""
        self.apply(replace(batch, upserts=self.rows(batch.entity, records)))
        changed = [row_id for record in records if isinstance(row_id := record["id"], int | str)]
        self.reindex(batch.entity, [*changed, *batch.removed])

    def reindex(self, parent: str, ids: Sequence[RecordId]) -> None:
        for spec in self.cast.borrowers(parent) if ids else ():
            theirs, ours = self.both(partial(dependants, spec, parent, ids))
            assert {*theirs} == {*ours}
            stored = self.given(self.reference.get_many(spec.name, ours)).rows
            self.apply(replace(self.batch(spec.name), reindexed=self.rows(spec.name, [row.record for row in stored])))

    @initialize(listings=of_the_cast(Cast.listings))
    def list_everything(self, listings: dict[str, list[Fields]]) -> None:
        for spec in self.cast.world.specs:
            self.keep(self.listed(spec.name), *self.numbered(spec.name, 0, listings.get(spec.name, ())))

    @rule(later=MINUTES)
    def wait_a_while(self, later: int) -> None:
        self.minute += later

    @rule(change=about(Cast.change), row_id=IDS, version=VERSIONS, own=st.booleans())
    def upsert(self, change: tuple[str, Fields], row_id: int, version: int, own: bool) -> None:
        entity, fields = change
        batch = replace(self.batch(entity), origin=Origin.OWN_WRITE if own else Origin.LISTING)
        self.keep(batch, self.record(entity, row_id, version, fields))

    @rule(listing=about(Cast.listing), version=VERSIONS, gone=st.lists(IDS, max_size=2))
    def list_them(self, listing: tuple[str, list[Fields]], version: int, gone: list[int]) -> None:
        entity, listed = listing
        self.keep(self.listed(entity), *self.numbered(entity, version, listed))
        self.remove(entity, gone)

    @rule(entity=ENTITIES, ids=st.lists(IDS, max_size=3))
    def remove(self, entity: str, ids: list[int]) -> None:
        self.keep(replace(self.batch(entity), removed=tuple(ids)))
        self.versions.update(dict.fromkeys(((entity, row_id) for row_id in ids), 5 + self.step))

    @rule(entity=ENTITIES, row_id=IDS, version=VERSIONS, archived=st.booleans())
    def archive_or_delete(self, entity: str, row_id: int, version: int, archived: bool) -> None:
        for stored in self.given(self.reference.get_many(entity, [row_id])).rows:
            fields = stored.record | {"archived_at" if archived else "deleted_at": moment()}
            self.keep(self.listed(entity), self.record(entity, row_id, version, fields))

    @rule(
        parent=of_the_cast(lambda cast: st.sampled_from(cast.parents())),
        row_id=st.sampled_from([1, 2]),
        fields=st.fixed_dictionaries({"name": NAMES, "deleted_at": SOFT, "archived_at": SOFT}),
        lists=st.booleans(),
    )
    def change_parent(self, parent: str, row_id: int, fields: Fields, lists: bool) -> None:
        """Rename, delete or archive what others borrow from."""
        self.step += 1
        batch = self.listed(parent) if lists else self.batch(parent)
        self.keep(batch, self.record(parent, row_id, self.step, fields))
        for spec in self.cast.borrowers(parent):
            self.search((spec.name, str(fields["name"] or "smith")), 5, EVERYTHING)

    @precondition(lambda self: self.keeps_files)
    @rule(way=st.deferred(lambda: st.sampled_from(WAYS)))
    def go_on(self, way: "Way") -> None:
        """Go on in another object, in one of the ways below; one that comes again before a write proves nothing."""
        if way not in self.done:
            self.done.add(way)
            way(self)
            self.touched.update(self.cast.entities)

    def reopen(self) -> None:
        self.given(self.backend.close())
        self.backend = self.opened()

    def crash(self) -> None:
        """Forget the object without closing it."""
        if len(self.dropped) < 3:
            self.dropped.append(self.backend)
            self.backend = self.opened()

    def switch_process(self) -> None:
        """Go on in another object over the same files, and later back in this one."""
        self.backend, self.other = self.other or self.opened(), self.backend

    def rebuild(self) -> None:
        """Fill a cache beside this one and take its place; own writes are older than they need to be."""
        self.minute += OWN_WRITES_STAND_NO_MORE
        before = self.backend
        self.leave()
        self.directory = self.directory.with_name(f"rebuilt {self.step}")
        self.step += 1
        self.given(before.open())
        self.backend = self.opened()
        migration = Migration(before, ManualClock(), lambda entity, done, total: None)
        for spec in self.cast.world.specs:
            self.given(migration.fill(spec, before, self.backend))
            assert self.given(migration.verify(spec, before, self.backend)).differences == 0
        self.given(before.close())

    def take(self) -> None:
        """Bring back what the live file has lost from one beside it, as a rebuild does, under who has it open."""
        if self.store is None:
            return
        self.minute += OWN_WRITES_STAND_NO_MORE
        self.step += 1
        beside = self.directory.with_name(f"beside {self.step}")
        beside.mkdir(mode=0o700)
        source, self.other = self.given(self.open_one(beside)), self.other or self.opened()
        migration = Migration(self.backend, ManualClock(), lambda entity, done, total: None)
        for spec in self.cast.world.specs:
            self.given(migration.fill(spec, self.backend, source))
        self.given(source.close())
        for entity in dict.fromkeys(self.cast.entities):
            self.given(self.backend.apply(replace(self.listed(entity), removed=EVERY_ID)))
        taker = plain(self.store, self.cast.world, self.directory)
        self.given(taker.open())
        self.given(taker.take(beside / self.store, [spec.name for spec in self.cast.world.specs]))
        self.given(taker.close())
        self.backend, self.other = self.other, self.backend

    def leave(self) -> None:
        """Close every object over the files."""
        for backend in (self.backend, self.other, *self.dropped):
            if backend is not None:
                self.given(backend.close())
        self.other, self.dropped = None, []

    @rule(asked=about(lambda cast, _: cast.phrases), limit=st.integers(0, 5), visibility=VISIBILITIES)
    def search(self, asked: tuple[str, str], limit: int, visibility: Visibility) -> None:
        entity, text = asked
        search = Search(text, limit, (), visibility)
        found, expected = self.both(lambda cache: cache.search(entity, search))
        if self.backend.capabilities(entity):
            assert is_lawful(found, expected)
        else:
            assert found == expected

    @rule(name=NAMES, visibility=VISIBILITIES)
    def search_by_parent(self, name: str | None, visibility: Visibility) -> None:
        for parent in self.cast.parents():
            for spec in self.cast.borrowers(parent):
                self.search((spec.name, name or "smith"), 5, visibility)

    @rule(asked=about(lambda cast, _: cast.misspelt))
    def suggest(self, asked: tuple[str, str]) -> None:
        """A backend may also know words of rows that are gone, as long as what it suggests finds a live row."""
        entity, text = asked
        suggested = self.given(self.backend.suggest(entity, text, 20))
        for suggestion in suggested:
            assert self.given(self.backend.search(entity, Search(suggestion, limit=1))).hits
        assert set(self.given(self.reference.suggest(entity, text, 20))) <= set(suggested)

    @rule(
        asked=about(lambda cast, entity: st.tuples(cast.conditions[entity], cast.orders[entity])),
        visibility=VISIBILITIES,
    )
    def select(self, asked: tuple[str, tuple[Where, Order]], visibility: Visibility) -> None:
        entity, (where, order) = asked
        selection = Selection(where, order, 3, 1, visibility)
        self.agreed(lambda cache: cache.select(entity, selection))
        self.agreed(lambda cache: cache.count(entity, where, visibility))

    @rule(asked=about(lambda cast, _: cast.phrases))
    def find_by_key(self, asked: tuple[str, str]) -> None:
        entity, key = asked
        self.agreed(lambda cache: cache.find_by_key(entity, key))

    @invariant()
    def holds_the_same_rows(self) -> None:
        """Compare what was written since, and everything in an object that was not asked yet."""
        for entity in sorted(self.touched):
            self.agreed(partial(held, self.cast.spec(entity)))
            self.find_again(entity)
        self.touched.clear()

    def find_again(self, entity: str) -> None:
        """Search one of the records, each in its turn, by the last word of each class of its text."""
        stored = self.given(self.reference.get_many(entity, EVERY_ID)).rows
        turn = self.step % len(stored) if stored else 0
        for row in self.rows(entity, [row.record for row in stored[turn : turn + 1]]):
            for words in filter(None, map(str.split, row.text.by_class())):
                self.search((entity, words[-1]), 5, EVERYTHING)

    def teardown(self) -> None:
        self.leave()
        self.loop.close()
        self.temporary.cleanup()


type Way = Callable[[History], None]
WAYS: tuple[Way, ...] = (History.reopen, History.crash, History.switch_process, History.rebuild, History.take)


class Flips(History):
    """The same over the server's own wiring, with every flag flipped at any moment."""

    keeps_files = True

    async def open_one(self, directory: Path) -> CacheBackend:
        cache, notices = await Stores(self.flags, Forgetful(), ManualClock(), self.cast.parts).open(directory)
        assert notices == ()
        return cache

    @rule(flags=of_the_cast(Cast.flips))
    def flip(self, flags: dict[str, Flag]) -> None:
        self.minute += OWN_WRITES_STAND_NO_MORE
        self.leave()
        self.flags |= flags
        self.backend = self.opened()
        self.touched.update(self.cast.entities)


def flips_of(cast: Cast) -> type[History]:
    """Return the machine of a cast over the server's wiring."""
    return type("Flips of " + ", ".join(dict.fromkeys(cast.entities)), (Flips,), {"cast": cast})


def machine_of(kind: Kind, cast: Cast) -> type[History]:
    """Return the machine of a kind."""

    async def open_one(self: History, directory: Path) -> CacheBackend:
        backend = kind.make(cast.world, directory)
        await backend.open()
        return backend

    keeps_files = "persistence" in kind.features
    store = kind.name if "one file" in kind.features else None
    fields = {"cast": cast, "open_one": open_one, "keeps_files": keeps_files, "store": store}
    return type(f"History of {kind.name}", (History,), fields)


OF_EVERY_KIND = pytest.mark.parametrize(
    "kind", [pytest.param(kind, id=kind.name, marks=in_turn(kind.name)) for kind in KINDS if kind.name != "memory"]
)
# Without shrinking, a failure is told within the time that a test has.
QUICK = settings(
    phases=(Phase.explicit, Phase.generate),
    max_examples=8,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
WHOLE = settings(QUICK, phases=tuple(Phase), max_examples=200, stateful_step_count=60, derandomize=False)
# Flags and parallel runs only pass on what a backend answers (ADR-0040).
SOME = settings(WHOLE, max_examples=50)


def whole(kind: Kind) -> settings:
    """Return how much of its histories `make soak` runs: all of a backend, some of what stands before one."""
    return WHOLE if kind.name in BACKENDS else SOME
