"""Any order of edits, deletions, cuts and syncs: the cache holds only what was ever true, and ends equal."""

import asyncio
from collections.abc import Awaitable
from datetime import datetime, timedelta
from typing import cast

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from sync_world import World, settled

from cache_core.conditions import EVERYTHING
from cache_core.protocol import Search, Selection
from cache_core.records import Record, iso
from cache_core.testing import START

IDS = st.integers(1, 6)
MAKERS = st.integers(1, 2)
NAMES = st.sampled_from(["acme", "globex", "initech", "umbrella"])
ENTITIES = ("maker", "gadget", "part")


class Follower(RuleBasedStateMachine):
    """People work on a server; a cache follows it through everything that can go wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.Runner()
        self.world = World()
        self.true: set[tuple[str, object, str]] = set()
        self.versions: dict[tuple[str, object], str] = {}
        self.rows = 0
        for entity in ENTITIES:
            self.world.source.put(entity, {"id": 100}, START - timedelta(days=1))
        for maker in (1, 2):
            self.world.source.put("maker", {"id": maker, "name": "acme"}, START - timedelta(days=1))
            self.world.source.put("gadget", {"id": 100 + maker, "maker_id": maker}, START - timedelta(days=1))
        self.done(self.sync_all())

    def done[T](self, work: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await work

        return self.loop.run(awaited())

    async def sync_all(self) -> None:
        for entity in ENTITIES:
            await self.world.syncer.start(entity)
            await settled()

    def teardown(self) -> None:
        with self.loop:
            self.ends_equal()

    def ends_equal(self) -> None:
        self.world.source.down, self.world.source.lag = None, lambda: 0.0
        self.world.clock.advance(700)
        self.done(self.sync_all())
        for entity in ENTITIES:
            truth, cached = self.world.source.rows(entity), self.cached(entity)
            assert {key: cached.get(key) for key in truth} == truth
        self.done(self.audit_all())
        assert all(self.cached(entity) == self.world.source.rows(entity) for entity in ENTITIES)
        self.text_is_that_of_the_cached_parents()
        self.soft_state_is_that_of_the_cached_parents()

    def now(self) -> datetime:
        """Return the server's time; two changes never have the same."""
        self.world.clock.advance(0.01)
        return self.world.clock.now()

    def cached(self, entity: str) -> dict[object, Record]:
        rows = self.done(self.world.cache.select(entity, Selection(limit=1_000, visibility=EVERYTHING)))
        return {row.id: row.record for row in rows}

    async def audit_all(self) -> None:
        for _ in range(2):
            for entity in ENTITIES:
                await self.world.syncer.audit(entity)
            self.world.clock.advance(20 * 60)

    @invariant()
    def text_is_that_of_the_cached_parents(self) -> None:
        makers = self.cached("maker")
        for name in ("acme", "globex", "initech", "umbrella"):
            lent = {key for key, row in makers.items() if row.get("name") == name}
            expected = {key for key, row in self.cached("gadget").items() if row.get("maker_id") in lent}
            search = Search(name, limit=100, visibility=EVERYTHING)
            assert {hit.row.id for hit in self.done(self.world.cache.search("gadget", search)).hits} == expected

    @invariant()
    def soft_state_is_that_of_the_cached_parents(self) -> None:
        makers = self.cached("maker")
        everything = Selection(limit=1_000, visibility=EVERYTHING)
        for row in self.done(self.world.cache.select("gadget", everything)):
            lent = [row.record, makers.get(row.record.get("maker_id"), {})]
            assert row.deleted == any(row.get("deleted_at") is not None for row in lent)
            assert row.archived == any(row.get("archived_at") is not None for row in lent)

    @rule(row=MAKERS, name=NAMES, deleted=st.booleans(), archived=st.booleans())
    def edit_maker(self, row: int, name: str, deleted: bool, archived: bool) -> None:
        at = self.now()
        soft = {"deleted_at": iso(at) if deleted else None, "archived_at": iso(at) if archived else None}
        self.world.source.put("maker", {"id": row, "name": name, **soft}, at)

    @rule(row=MAKERS, field=st.sampled_from(["deleted_at", "archived_at"]), there=st.booleans())
    def put_maker_away_or_back(self, row: int, field: str, there: bool) -> None:
        if row in self.world.source.rows("maker"):
            at = self.now()
            self.world.source.put("maker", {"id": row, field: None if there else iso(at)}, at)

    @rule(row=IDS, maker=MAKERS, name=NAMES)
    def edit_gadget(self, row: int, maker: int, name: str) -> None:
        self.world.source.put("gadget", {"id": row, "sku": f"S-{row}", "maker_id": maker}, self.now())

    @rule(row=IDS)
    def edit_part(self, row: int) -> None:
        rows = self.world.source.rows("part").get(row, {}).get("rows", [])  # Katana's documents always show theirs
        self.world.source.put("part", {"id": row, "n": self.rows, "rows": rows}, self.now())

    @rule(part=IDS, variant=IDS)
    def add_row_alone(self, part: int, variant: int) -> None:
        stored = self.world.source.rows("part").get(part)
        if stored is not None:
            self.rows += 1
            at = self.now()
            row = {"id": self.rows, "part_id": part, "variant_id": variant}
            self.world.source.put("part_rows", row, at)
            children = [*cast("list[object]", stored.get("rows", [])), self.world.source.rows("part_rows")[self.rows]]
            self.world.source.alter("part", {"id": part, "rows": children})

    @rule(entity=st.sampled_from(ENTITIES), row=IDS)
    def delete_without_a_trace(self, entity: str, row: int) -> None:
        if row in self.world.source.rows(entity):
            self.world.source.drop(entity, row)

    @rule(row=IDS, maker=MAKERS)
    def write(self, row: int, maker: int) -> None:
        self.edit_gadget(row, maker, "")
        self.done(self.world.syncer.write_through("gadget", self.world.source.rows("gadget")[row]))
        self.note()
        assert self.world.cache.rows("gadget")[row] == str(self.world.source.rows("gadget")[row]["updated_at"])

    @rule(entity=st.sampled_from(ENTITIES))
    def sync(self, entity: str) -> None:
        async def one() -> None:
            await self.world.syncer.start(entity)
            await settled()

        self.done(one())

    @rule(entity=st.sampled_from(ENTITIES))
    @precondition(lambda self: self.world.source.down is None)
    def audit(self, entity: str) -> None:
        self.done(self.world.syncer.audit(entity))

    @rule(seconds=st.sampled_from([1, 31, 120, 700, 3700]))
    def wait(self, seconds: int) -> None:
        self.world.clock.advance(seconds)

    @rule(seconds=st.sampled_from([0, 30, 600]))
    def lag(self, seconds: int) -> None:
        self.world.source.lag = lambda: float(seconds)

    @rule(down=st.booleans())
    def cut(self, down: bool) -> None:
        self.world.source.down = "cut" if down else None

    @rule()
    def start_again(self) -> None:
        self.world.start()

    def note(self) -> None:
        for entity in ENTITIES:
            self.true |= {(entity, key, str(row["updated_at"])) for key, row in self.world.source.rows(entity).items()}

    @invariant()
    def holds_only_what_was_true_and_never_goes_back(self) -> None:
        self.note()
        for entity in ENTITIES:
            rows = self.world.cache.rows(entity)
            assert {(entity, key, version) for key, version in rows.items()} <= self.true
            assert all(version >= self.versions.get((entity, key), "") for key, version in rows.items())
            self.versions |= {(entity, key): version for key, version in rows.items()}


FEW = settings(
    max_examples=20,
    stateful_step_count=40,
    phases=(Phase.explicit, Phase.generate),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
Follower.TestCase.settings = FEW
TestFollower = Follower.TestCase


@pytest.mark.soak
def test_many_orders_of_edits_cuts_and_syncs_end_equal() -> None:
    run_state_machine_as_test(Follower, settings=settings(FEW, max_examples=300))
