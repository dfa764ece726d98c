"""Any history of writes leaves a backend and the reference backend with the same answers."""

import asyncio
import tempfile
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from cache_core.conditions import EVERYTHING, Condition, Order, Visibility
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch, CacheBackend, Origin, Search, Selection
from cache_core.text import Tier

from .backends import KINDS, TOYS, Kind
from .strategies import ORDERS, STATUSES, VISIBILITIES, conditions, phrases
from .toys import SPECS, moment, toy_of

IDS = st.integers(1, 5)
VERSIONS = st.integers(0, 4)
MINUTES = st.sampled_from([0, 10, 14, 16, 40])
OWNERS = st.sampled_from([None, "Smith", "Jones & Co"])
SOFT = st.sampled_from([None, moment()])


@st.composite
def changes(draw: st.DrawFn) -> dict[str, object]:
    """Draw the fields of a toy."""
    return {
        "sku": draw(st.none() | phrases()),
        "name": draw(st.none() | phrases()),
        "codes": draw(st.lists(phrases(), max_size=2)),
        "status": draw(st.none() | STATUSES),
        "rows": draw(st.lists(st.fixed_dictionaries({"note": phrases()}), max_size=2)),
        "deleted_at": draw(SOFT),
        "archived_at": draw(SOFT),
    }


class History(RuleBasedStateMachine):
    """Applies the same batches to a backend and to the reference, and compares every answer."""

    kind: Kind

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.loop = asyncio.Runner()
        self.minute = 0
        self.reference = MemoryBackend(SPECS)
        self.backend = self.opened()

    def opened(self) -> CacheBackend:
        backend = self.kind.make(TOYS, Path(self.directory.name))
        self.given(backend.open())
        return backend

    def given[T](self, answer: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await answer

        return self.loop.run(awaited())

    def apply(self, batch: Batch) -> None:
        assert self.given(self.backend.apply(batch)) == self.given(self.reference.apply(batch))

    def batch(self) -> Batch:
        return Batch(entity="toy", at=moment(60 * self.minute))

    @rule(later=MINUTES)
    def wait_a_while(self, later: int) -> None:
        self.minute += later

    @rule(row_id=IDS, version=VERSIONS, fields=changes(), owner=OWNERS, own=st.booleans())
    def upsert(self, row_id: int, version: int, fields: dict[str, object], owner: str | None, own: bool) -> None:
        row = toy_of(row_id, fields, version, owner)
        origin = Origin.OWN_WRITE if own else Origin.LISTING
        self.apply(replace(self.batch(), upserts=(row,), origin=origin))

    @rule(first=changes(), second=changes(), version=VERSIONS, gone=st.lists(IDS, max_size=2))
    def listing(self, first: dict[str, object], second: dict[str, object], version: int, gone: list[int]) -> None:
        rows = (toy_of(1, first, version), toy_of(2, second, version))
        self.apply(replace(self.batch(), upserts=rows, removed=tuple(gone)))

    @rule(ids=st.lists(IDS, max_size=3))
    def remove(self, ids: list[int]) -> None:
        self.apply(replace(self.batch(), removed=tuple(ids)))

    @rule(row_id=IDS, owner=OWNERS, deleted=SOFT, archived=SOFT)
    def reindex(self, row_id: int, owner: str | None, deleted: str | None, archived: str | None) -> None:
        stored = self.given(self.reference.get_many("toy", [row_id])).rows
        if stored:
            record = stored[0].record | {"deleted_at": deleted, "archived_at": archived}
            row = replace(toy_of(row_id, record, owned_by=owner), record={})
            self.apply(replace(self.batch(), reindexed=(row,)))

    @rule()
    def reopen(self) -> None:
        if "persistence" in self.kind.features:
            self.given(self.backend.close())
            self.backend = self.opened()

    @rule(text=phrases(), limit=st.integers(0, 5), visibility=VISIBILITIES)
    def search(self, text: str, limit: int, visibility: Visibility) -> None:
        search = Search(text, limit, (), visibility)
        found, wanted = (self.given(each.search("toy", search)) for each in (self.backend, self.reference))
        if wanted.total or not self.backend.capabilities("toy"):
            assert found == wanted
        else:
            assert all(hit.tier > Tier.TOKENS for hit in found.hits)

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
        assert self.given(self.backend.select("toy", everything)) == self.given(
            self.reference.select("toy", everything)
        )

    def teardown(self) -> None:
        self.given(self.backend.close())
        self.loop.close()
        self.directory.cleanup()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.name != "memory"], ids=lambda kind: kind.name)
def test_any_history_leaves_the_same_answers_as_the_reference(kind: Kind) -> None:
    machine = type(f"History_{kind.name}", (History,), {"kind": kind})
    quick = settings(
        max_examples=30, stateful_step_count=20, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    run_state_machine_as_test(machine, settings=quick)
