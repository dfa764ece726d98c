"""Filling one backend from another and comparing the two: what is copied, claimed, told and found to differ."""

from collections.abc import Sequence

import pytest
from sync_world import GADGET, MAKER, SPECS

from cache_core.conditions import EVERYTHING, Order, Within
from cache_core.errors import CacheUnavailable
from cache_core.indexing import row_of
from cache_core.leases import Claim, Lease
from cache_core.memory import MemoryBackend
from cache_core.migrate import STEP, Migration, Verified, needs_filling, windows
from cache_core.protocol import Applied, Batch, Origin, Quarantined, Search, Selection, Stored, SyncState
from cache_core.records import Record, RecordId, canonical
from cache_core.spec import EntitySpec
from cache_core.testing import ManualClock

AT, LATER = "2026-03-02T08:00:00.000Z", "2026-03-02T09:00:00.000Z"


class Noted(MemoryBackend):
    """A backend that notes what is asked of it and what is written, and can refuse that a lease is given back."""

    def __init__(self) -> None:
        super().__init__(SPECS)
        self.claims: list[Claim] = []
        self.batches: list[Batch] = []
        self.selections: list[Selection] = []
        self.keeps = False

    async def claim(self, claim: Claim) -> Lease:
        self.claims.append(claim)
        if self.keeps and not claim.seconds:
            raise CacheUnavailable("the cache is locked")
        return await super().claim(claim)

    async def apply(self, batch: Batch) -> Applied:
        self.batches.append(batch)
        return await super().apply(batch)

    async def select(self, entity: str, selection: Selection) -> tuple[Stored, ...]:
        self.selections.append(selection)
        return await super().select(entity, selection)


def gadget(number: RecordId, **fields: object) -> Record:
    """Return the record of a gadget of the first maker."""
    return {"id": number, "sku": f"G{number}", "maker_id": 1, "updated_at": AT, **fields}


async def put(cache: MemoryBackend, spec: EntitySpec, records: Sequence[Record], *, own: bool = False) -> None:
    """Store records as they are, without what they borrow."""
    rows = [row_of(spec, canonical(record), {}) for record in records]
    origin = Origin.OWN_WRITE if own else Origin.LISTING
    await MemoryBackend.apply(cache, Batch(entity=spec.name, at=AT, upserts=rows, origin=origin))


async def remember(cache: MemoryBackend, state: SyncState, *poison: Quarantined) -> None:
    """Store the sync state and the quarantine of gadgets."""
    await MemoryBackend.apply(cache, Batch(entity="gadget", at=AT, state=state, quarantine=poison))


class Move:
    """Two backends, and what is told while one is filled from the other."""

    def __init__(self) -> None:
        self.source, self.target = Noted(), Noted()
        self.told: list[tuple[str, int, int]] = []
        self.clock = ManualClock()
        self.migration = Migration(self.source, self.clock, self._tell)

    def _tell(self, entity: str, done: int, total: int) -> None:
        self.told.append((entity, done, total))

    async def fill(self) -> int:
        """Fill the target with gadgets."""
        return await self.migration.fill(GADGET, self.source, self.target)

    async def found(self, text: str) -> list[RecordId]:
        """Return the ids of the gadgets that a search finds in the target."""
        return [hit.row.id for hit in (await self.target.search("gadget", Search(text))).hits]


@pytest.mark.parametrize(
    ("theirs", "ours", "needed"),
    [
        (SyncState(), SyncState(), False),
        (SyncState(cursor="b"), SyncState(), False),
        (SyncState(cursor="b", completed_at=AT), SyncState(), True),
        (SyncState(cursor="b", completed_at=AT), SyncState(cursor="c"), True),
        (SyncState(cursor="b", completed_at=AT), SyncState(cursor="a", completed_at=AT), True),
        (SyncState(cursor="b", completed_at=AT), SyncState(cursor="b", completed_at=AT), False),
        (SyncState(cursor="b", completed_at=AT), SyncState(cursor="c", completed_at=AT), False),
        (SyncState(cursor="b", completed_at=AT), SyncState(completed_at=AT), True),
        (SyncState(completed_at=AT), SyncState(completed_at=AT), False),
        (SyncState(completed_at=AT), SyncState(cursor="a", completed_at=AT), False),
    ],
    ids=["nothing", "begun", "whole", "ours begun", "older", "same", "newer", "no cursor", "neither", "theirs none"],
)
async def test_what_listed_more_than_the_other_fills_it(theirs: SyncState, ours: SyncState, *, needed: bool) -> None:
    move = Move()
    await remember(move.source, theirs)
    await remember(move.target, ours)
    assert await needs_filling(GADGET, move.source, move.target) is needed


async def test_a_backend_is_filled_with_rows_quarantine_and_state_and_loses_what_is_gone() -> None:
    move = Move()
    state, poison = SyncState(cursor="c", completed_at=AT), Quarantined(9, "bad", "{}")
    await put(move.source, MAKER, [{"id": 1, "name": "Acme", "updated_at": AT}])
    await put(move.source, GADGET, [gadget(1), gadget(2, deleted_at=AT), gadget(3, archived_at=AT)])
    await remember(move.source, state, poison)
    await put(move.target, GADGET, [gadget(4), gadget(5)])
    assert await move.fill() == 3
    everything = [1, 2, 3, 4, 5]
    assert (await move.target.get_many("gadget", everything)) == (await move.source.get_many("gadget", everything))
    assert await move.found("acme") == [1]
    assert await move.target.quarantined("gadget") == (poison,)
    assert await move.target.state("gadget") == state
    assert move.told == [("gadget", 3, 3)]
    first, last = move.target.batches
    assert first.lease is not None
    assert first == Batch(entity="gadget", at=AT, upserts=first.upserts, lease=first.lease)
    assert last == Batch(entity="gadget", at=AT, removed=[4, 5], quarantine=(poison,), state=state, lease=first.lease)
    assert (await move.source.search("gadget", Search("acme"))).total == 0


async def test_a_row_whose_record_has_no_version_keeps_the_stored_one() -> None:
    move = Move()
    row = row_of(GADGET, canonical(gadget(1)), {})
    unread = row_of(GADGET, canonical(gadget(1, updated_at=None)), {})
    stored = type(row)(1, AT, unread.record, row.text, row.key)
    await MemoryBackend.apply(move.source, Batch(entity="gadget", at=AT, upserts=[stored]))
    await move.fill()
    assert [found.version for found in (await move.target.get_many("gadget", [1])).rows] == [AT]
    await move.migration.reindex(GADGET, move.source)
    assert [found.version for batch in move.source.batches for found in batch.reindexed] == [AT]


async def test_rows_are_copied_and_told_in_steps() -> None:
    move = Move()
    await put(move.source, GADGET, [gadget(number) for number in range(1, STEP + 3)])
    assert await move.fill() == STEP + 2
    assert move.told == [("gadget", STEP, STEP + 2), ("gadget", STEP + 2, STEP + 2)]
    assert [len(batch.upserts) for batch in move.target.batches] == [STEP, 2, 0]
    assert await move.target.count("gadget") == STEP + 2


async def test_what_the_target_holds_otherwise_at_the_same_version_is_written_over() -> None:
    move = Move()
    await put(move.source, GADGET, [gadget(1), gadget(2), gadget(3), gadget(4, updated_at=LATER)])
    await put(move.target, GADGET, [gadget(1, sku="own")], own=True)
    await put(move.target, GADGET, [gadget(2, sku="wrong"), gadget(3), gadget(4)])
    assert await move.fill() == 4
    everything = [1, 2, 3, 4]
    assert (await move.target.get_many("gadget", everything)) == (await move.source.get_many("gadget", everything))
    _, removing, again, _ = move.target.batches
    assert (removing.removed, removing.upserts, [row.id for row in again.upserts]) == ([1], (), [1])


async def test_a_newer_row_of_the_target_stays() -> None:
    move = Move()
    await put(move.source, GADGET, [gadget(1, sku="old")])
    await put(move.target, GADGET, [gadget(1, sku="new", updated_at=LATER)])
    assert await move.fill() == 1
    assert [row.record["sku"] for row in (await move.target.get_many("gadget", [1])).rows] == ["new"]


async def test_the_lease_is_claimed_for_half_a_minute_with_each_step_and_given_back() -> None:
    move = Move()
    await put(move.source, GADGET, [gadget(1)])
    await move.fill()
    holder = move.target.claims[0].holder
    assert len(holder) == 32
    claim = Claim("gadget", holder, AT, 30.0)
    assert move.target.claims == [claim, claim, claim, Claim("gadget", holder, AT, 0)]
    assert (await move.target.claim(Claim("gadget", "next", AT, 30))).holder == "next"


async def test_a_lease_that_another_holds_is_taken_from_it() -> None:
    move = Move()
    theirs = await move.target.claim(Claim("gadget", "theirs", AT, 600))
    move.target.claims.clear()
    await move.fill()
    holder = move.target.claims[0].holder
    assert [(claim.at, claim.seconds) for claim in move.target.claims] == [
        (AT, 30.0),
        (theirs.until, 30.0),
        (AT, 30.0),
        (AT, 30.0),
        (AT, 0),
    ]
    assert {claim.holder for claim in move.target.claims} == {holder}
    (last,) = move.target.batches
    assert last.lease == Lease("gadget", holder, 2, AT, "2026-03-02T08:00:30.000Z")


async def test_a_lease_that_cannot_be_given_back_is_left_to_run_out() -> None:
    move = Move()
    move.target.keeps = True
    await put(move.source, GADGET, [gadget(1)])
    assert await move.fill() == 1


async def test_rows_are_indexed_again_from_their_parents_as_they_are_now() -> None:
    move = Move()
    assert await move.migration.reindex(GADGET, move.target) == 0
    assert (move.told, move.target.batches, move.target.selections) == ([], [], [])
    await put(move.target, GADGET, [gadget(1), gadget(2, deleted_at=AT)])
    await put(move.source, MAKER, [{"id": 1, "name": "Acme", "archived_at": AT, "updated_at": AT}])
    assert await move.migration.reindex(GADGET, move.target) == 2
    rows = (await move.target.get_many("gadget", [1, 2])).rows
    assert [(row.deleted, row.archived, row.version) for row in rows] == [(False, True, AT), (True, True, AT)]
    hits = (await move.target.search("gadget", Search("acme", visibility=EVERYTHING))).hits
    assert [hit.row.id for hit in hits] == [1, 2]
    assert move.told == [("gadget", 2, 2)]
    (batch,) = move.target.batches
    assert batch == Batch(entity="gadget", at=AT, reindexed=batch.reindexed)


async def test_two_backends_are_compared_row_by_row() -> None:
    move = Move()
    same, deleted = gadget(1), gadget(2, deleted_at=AT)
    await put(move.source, GADGET, [same, deleted, gadget(3), gadget(4)])
    await put(move.target, GADGET, [same, gadget(2), gadget(4, sku="other"), gadget(5)])
    assert await move.migration.verify(GADGET, move.source, move.target) == Verified(
        entity="gadget", compared=3, missing=(3,), surplus=(5,), different=(2, 4), differences=4
    )
    assert move.told == [("gadget", 4, 4)]
    assert await move.migration.verify(GADGET, move.source, move.source) == Verified("gadget", 4, (), (), (), 0)


async def test_of_each_kind_of_difference_twenty_are_named_and_all_counted() -> None:
    move = Move()
    await put(move.source, GADGET, [gadget(number) for number in range(1, 43)])
    await put(move.target, GADGET, [gadget(number, sku="other") for number in range(22, 64)])
    assert await move.migration.verify(GADGET, move.source, move.target) == Verified(
        entity="gadget",
        compared=21,
        missing=tuple(range(1, 21)),
        surplus=tuple(range(43, 63)),
        different=tuple(range(22, 42)),
        differences=63,
    )


async def test_windows_go_on_behind_the_last_id_each_row_once() -> None:
    cache = Noted()
    await put(cache, GADGET, [gadget(number) for number in range(1, STEP + 2)])
    found = [[row.id for row in rows] async for rows in windows(GADGET, cache)]
    assert found == [[*range(1, STEP + 1)], [STEP + 1]]
    assert cache.selections == [
        Selection((), Order("id"), STEP, 0, EVERYTHING),
        Selection((Within("id", low=STEP),), Order("id"), STEP + 1, 0, EVERYTHING),
        Selection((Within("id", low=STEP + 1),), Order("id"), STEP + 1, 0, EVERYTHING),
    ]
    assert [rows async for rows in windows(MAKER, cache)] == []
