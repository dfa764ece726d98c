"""Any history of writes, crashes, processes, rebuilds and flips leaves a cache with the answers of the reference."""

import asyncio
import tempfile
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from cache_core.conditions import EVERYTHING, Condition, Order, Visibility
from cache_core.indexing import dependants, prepare
from cache_core.memory import MemoryBackend
from cache_core.migrate import Migration
from cache_core.protocol import Batch, CacheBackend, Origin, Row, Search, Selection, SyncState
from cache_core.records import Record, canonical
from cache_core.testing import ManualClock
from cache_core.text import Tier
from katana_mcp.flags import FLAGS, Flag
from katana_mcp.stores import Stores

from .backends import KINDS, TOY_PARTS, TOYS, Forgetful, Kind, plain
from .strategies import ORDERS, STATUSES, VISIBILITIES, conditions, phrases
from .toys import OWNER, SPECS, TOY, moment

IDS = st.integers(1, 5)
VERSIONS = st.integers(0, 4)
MINUTES = st.sampled_from([0, 10, 14, 16, 40])
NAMES = st.sampled_from([None, "Smith", "Jones & Co", "Weiß"])
SOFT = st.sampled_from([None, None, moment()])
OWN_WRITES_STAND_NO_MORE = 20


@st.composite
def changes(draw: st.DrawFn) -> dict[str, object]:
    """Draw the fields of a toy."""
    return {
        "sku": draw(st.none() | phrases()),
        "name": draw(st.none() | phrases()),
        "codes": draw(st.lists(phrases(), max_size=2)),
        "status": draw(st.none() | STATUSES),
        "rows": draw(st.lists(st.fixed_dictionaries({"note": phrases()}), max_size=2)),
        "owner_id": draw(st.sampled_from([None, 1, 2])),
        "deleted_at": draw(SOFT),
        "archived_at": draw(SOFT),
    }


class History(RuleBasedStateMachine):
    """Applies the same batches to a cache and to the reference, and compares every answer."""

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
        self.versions: dict[object, int] = {}
        self.flags: dict[str, Flag] = dict.fromkeys(("toy", "toy_owner"), FLAGS[0])
        self.reference = MemoryBackend(SPECS)
        self.other: CacheBackend | None = None
        self.dropped: list[CacheBackend] = []
        self.backend = self.opened()
        for spec in SPECS:
            self.apply(self.listed(spec.name))

    def opened(self) -> CacheBackend:
        self.directory.mkdir(mode=0o700, exist_ok=True)
        return self.given(self.open_one(self.directory))

    def given[T](self, answer: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await answer

        return self.loop.run(awaited())

    def apply(self, batch: Batch) -> None:
        assert self.given(self.backend.apply(batch)) == self.given(self.reference.apply(batch))

    def batch(self, entity: str = "toy") -> Batch:
        return Batch(entity=entity, at=moment(60 * self.minute))

    def listed(self, entity: str) -> Batch:
        """Return a batch that ends a complete listing: the cursor moves on."""
        self.step += 1
        state = SyncState(cursor=moment(self.step), completed_at=moment(60 * self.minute), deltas=self.step)
        return replace(self.batch(entity), state=state)

    def rows(self, records: Sequence[Record]) -> tuple[Row, ...]:
        return self.given(prepare(TOY, records, self.reference)).rows

    def record(self, row_id: int, version: int, fields: Record) -> Record:
        """Return a record; one that was removed comes back with a newer version only."""
        return {**fields, "id": row_id, "updated_at": moment(max(version, self.versions.get(row_id, 0)))}

    @rule(later=MINUTES)
    def wait_a_while(self, later: int) -> None:
        self.minute += later

    @rule(row_id=IDS, version=VERSIONS, fields=changes(), own=st.booleans())
    def upsert(self, row_id: int, version: int, fields: dict[str, object], own: bool) -> None:
        rows = self.rows([self.record(row_id, version, fields)])
        self.apply(replace(self.batch(), upserts=rows, origin=Origin.OWN_WRITE if own else Origin.LISTING))

    @rule(first=changes(), second=changes(), version=VERSIONS, gone=st.lists(IDS, max_size=2))
    def list_them(self, first: dict[str, object], second: dict[str, object], version: int, gone: list[int]) -> None:
        records = [self.record(row_id, version, fields) for row_id, fields in ((1, first), (2, second))]
        self.apply(replace(self.listed("toy"), upserts=self.rows(records)))
        self.remove(gone)

    @rule(ids=st.lists(IDS, max_size=3))
    def remove(self, ids: list[int]) -> None:
        self.apply(replace(self.batch(), removed=tuple(ids)))
        self.versions.update(dict.fromkeys(ids, 5 + self.step))

    @rule(row_id=IDS, version=VERSIONS, archived=st.booleans())
    def archive_or_delete(self, row_id: int, version: int, archived: bool) -> None:
        for stored in self.given(self.reference.get_many("toy", [row_id])).rows:
            fields = stored.record | {"archived_at" if archived else "deleted_at": moment()}
            self.apply(replace(self.listed("toy"), upserts=self.rows([self.record(row_id, version, fields)])))

    @rule(owner=st.sampled_from([1, 2]), name=NAMES, deleted=SOFT, archived=SOFT, lists=st.booleans())
    def change_parent(
        self, owner: int, name: str | None, deleted: str | None, archived: str | None, lists: bool
    ) -> None:
        """Rename, delete or archive an owner; its toys are reindexed after it, as sync does."""
        self.step += 1
        fields = {"id": owner, "name": name, "deleted_at": deleted, "archived_at": archived}
        record = canonical({**fields, "updated_at": moment(self.step)})
        rows = self.given(prepare(OWNER, [record], self.reference)).rows
        self.apply(replace(self.listed("toy_owner") if lists else self.batch("toy_owner"), upserts=rows))
        ids = self.given(dependants(TOY, "toy_owner", [owner], self.backend))
        assert sorted(map(str, ids)) == sorted(
            map(str, self.given(dependants(TOY, "toy_owner", [owner], self.reference)))
        )
        stored = self.given(self.reference.get_many("toy", ids)).rows
        self.apply(replace(self.batch(), reindexed=self.rows([row.record for row in stored])))

    @precondition(lambda self: self.keeps_files)
    @rule()
    def reopen(self) -> None:
        self.given(self.backend.close())
        self.backend = self.opened()

    @precondition(lambda self: self.keeps_files and len(self.dropped) < 3)
    @rule()
    def crash(self) -> None:
        """Forget the object without closing it."""
        self.dropped.append(self.backend)
        self.backend = self.opened()

    @precondition(lambda self: self.keeps_files)
    @rule()
    def switch_process(self) -> None:
        """Go on in another object over the same files, and later back in this one."""
        self.backend, self.other = self.other or self.opened(), self.backend

    @precondition(lambda self: self.keeps_files)
    @rule()
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
        for spec in SPECS:
            self.given(migration.fill(spec, before, self.backend))
            assert self.given(migration.verify(spec, before, self.backend)).differences == 0
        self.given(before.close())

    @precondition(lambda self: self.store is not None)
    @rule()
    def take(self) -> None:
        """Bring back what the live file has lost from one beside it, as a rebuild does, under who has it open."""
        self.minute += OWN_WRITES_STAND_NO_MORE
        self.step += 1
        beside = self.directory.with_name(f"beside {self.step}")
        beside.mkdir(mode=0o700)
        source, self.other = self.given(self.open_one(beside)), self.other or self.opened()
        migration = Migration(self.backend, ManualClock(), lambda entity, done, total: None)
        for spec in SPECS:
            self.given(migration.fill(spec, self.backend, source))
        self.given(source.close())
        self.given(self.backend.apply(replace(self.listed("toy"), removed=range(1, 6))))
        taker = plain(str(self.store), TOYS, self.directory)
        self.given(taker.open())
        self.given(taker.take(beside / str(self.store), [spec.name for spec in SPECS]))
        self.given(taker.close())
        self.backend, self.other = self.other, self.backend

    def leave(self) -> None:
        """Close every object over the files."""
        for each in (self.backend, self.other, *self.dropped):
            if each is not None:
                self.given(each.close())
        self.other, self.dropped = None, []

    @rule(text=phrases(), limit=st.integers(0, 5), visibility=VISIBILITIES)
    def search(self, text: str, limit: int, visibility: Visibility) -> None:
        search = Search(text, limit, (), visibility)
        found, wanted = (self.given(each.search("toy", search)) for each in (self.backend, self.reference))
        if wanted.total or not self.backend.capabilities("toy"):
            assert found == wanted
        else:
            assert all(hit.tier > Tier.TOKENS for hit in found.hits)

    @rule(name=NAMES, visibility=VISIBILITIES)
    def search_by_owner(self, name: str | None, visibility: Visibility) -> None:
        self.search(name or "smith", 5, visibility)

    @rule(text=st.sampled_from(["rad", "blur", "redde", "blue rad", "smyth", "strase"]))
    def suggest(self, text: str) -> None:
        """A backend may also know words of rows that are gone, as long as what it suggests finds a live row."""
        suggested = self.given(self.backend.suggest("toy", text, 20))
        for each in suggested:
            assert self.given(self.backend.search("toy", Search(each, limit=1))).hits
        assert set(self.given(self.reference.suggest("toy", text, 20))) <= set(suggested)

    @rule(where=st.lists(conditions(), max_size=2).map(tuple), order=ORDERS, visibility=VISIBILITIES)
    def select(self, where: tuple[Condition, ...], order: Order, visibility: Visibility) -> None:
        selection = Selection(where, order, 3, 1, visibility)
        assert self.given(self.backend.select("toy", selection)) == self.given(self.reference.select("toy", selection))
        count = self.given(self.backend.count("toy", where, visibility))
        assert count == self.given(self.reference.count("toy", where, visibility))

    @rule(key=phrases())
    def find_by_key(self, key: str) -> None:
        assert self.given(self.backend.find_by_key("toy", key)) == self.given(self.reference.find_by_key("toy", key))

    @invariant()
    def holds_the_same_rows(self) -> None:
        everything = Selection(limit=100, visibility=EVERYTHING)
        for entity in ("toy", "toy_owner"):
            found, wanted = (self.given(each.select(entity, everything)) for each in (self.backend, self.reference))
            assert found == wanted
            assert self.given(self.backend.state(entity)) == self.given(self.reference.state(entity))

    def teardown(self) -> None:
        self.leave()
        self.loop.close()
        self.temporary.cleanup()


class Flips(History):
    """The same over the server's own wiring, with every flag flipped at any moment."""

    keeps_files = True

    async def open_one(self, directory: Path) -> CacheBackend:
        cache, notices = await Stores(self.flags, Forgetful(), ManualClock(), TOY_PARTS).open(directory)
        assert notices == ()
        return cache

    @rule(toys=st.sampled_from(FLAGS), owners=st.sampled_from(FLAGS))
    def flip(self, toys: Flag, owners: Flag) -> None:
        self.minute += OWN_WRITES_STAND_NO_MORE
        self.leave()
        self.flags = {"toy": toys, "toy_owner": owners}
        self.backend = self.opened()


def machine_of(kind: Kind) -> type[History]:
    """Return the machine of a kind."""

    async def open_one(self: History, directory: Path) -> CacheBackend:
        backend = kind.make(TOYS, directory)
        await backend.open()
        return backend

    keeps_files = "persistence" in kind.features
    store = kind.name if "one file" in kind.features else None
    fields = {"open_one": open_one, "keeps_files": keeps_files, "store": store}
    return type(f"History of {kind.name}", (History,), fields)


# Without shrinking, a failure is told within the time that a test has.
QUICK = settings(
    phases=(Phase.explicit, Phase.generate),
    max_examples=10,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
# 30,000 steps: sixteen minutes a kind on two busy cores.
WHOLE = settings(QUICK, phases=tuple(Phase), max_examples=500, stateful_step_count=60, derandomize=False)
of_every_kind = pytest.mark.parametrize(
    "kind", [each for each in KINDS if each.name != "memory"], ids=lambda kind: kind.name
)


@pytest.mark.timeout(300)
@of_every_kind
def test_a_history_leaves_the_same_answers_as_the_reference(kind: Kind) -> None:
    run_state_machine_as_test(machine_of(kind), settings=QUICK)


@pytest.mark.timeout(300)
def test_flags_flipped_at_any_moment_change_no_answer() -> None:
    run_state_machine_as_test(Flips, settings=settings(QUICK, max_examples=20))


@pytest.mark.soak
@of_every_kind
def test_any_history_leaves_the_same_answers_as_the_reference(kind: Kind) -> None:
    run_state_machine_as_test(machine_of(kind), settings=WHOLE)


@pytest.mark.soak
def test_flags_flipped_at_any_moment_of_any_history_change_no_answer() -> None:
    run_state_machine_as_test(Flips, settings=WHOLE)
