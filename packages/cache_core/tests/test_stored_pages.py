"""Storing a page: what the batch holds, what is counted, and which rows that borrow from it are made anew."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import timedelta

import pytest
from sync_world import COLOUR, GADGET, MAKER, PART, SPECS

from cache_core.errors import LeaseLost
from cache_core.indexing import REINDEX_STEP, row_of
from cache_core.leases import Claim
from cache_core.memory import MemoryBackend
from cache_core.protocol import Applied, Batch, Origin, Quarantined, Search, SyncState
from cache_core.records import Record, RecordId, canonical, iso
from cache_core.spec import EntitySpec, Lookup, Searchable
from cache_core.specs.stock import STOCK
from cache_core.states import UnreadField
from cache_core.sync.source import SourcePage
from cache_core.sync.storing import Extra, Store, WriteCounts
from cache_core.testing import START, ManualClock


def at(seconds: float) -> str:
    """Return the moment so many seconds after the start."""
    return iso(START + timedelta(seconds=seconds))


class Noted(MemoryBackend):
    """A cache that notes each batch, and lets a test do something before one is written."""

    def __init__(self) -> None:
        super().__init__(SPECS)
        self.batches: list[Batch] = []
        self.before: Callable[[Batch], Awaitable[None]] | None = None

    async def apply(self, batch: Batch) -> Applied:
        self.batches.append(batch)
        if self.before is not None:
            await self.before(batch)
        return await super().apply(batch)

    def reindexed(self) -> list[tuple[str, int]]:
        """Return the entity and the number of rows of each batch that made rows anew, and forget the batches."""
        made = [(batch.entity, len(batch.reindexed)) for batch in self.batches if batch.reindexed]
        self.batches.clear()
        return made


class Shelf:
    """A cache and its store, on a clock moved by hand."""

    def __init__(self, specs: Mapping[str, EntitySpec] | None = None) -> None:
        self.clock = ManualClock()
        self.cache = Noted()
        self.store = Store(specs or {spec.name: spec for spec in SPECS}, self.cache, self.clock)

    async def keep(self, spec: EntitySpec, *records: Record, extra: Extra | None = None) -> WriteCounts:
        """Store records."""
        return await self.store.keep(spec, SourcePage(records, None), extra)

    async def remove(self, spec: EntitySpec, *gone: RecordId) -> WriteCounts:
        """Store that records are gone."""
        return await self.keep(spec, extra=Extra(removed=gone))

    async def found(self, text: str) -> list[RecordId]:
        """Return the ids of the gadgets that a search finds."""
        return sorted((hit.row.id for hit in (await self.cache.search("gadget", Search(text))).hits), key=str)


def maker(number: int, name: str, seconds: float | None = 0, **fields: object) -> Record:
    """Return a maker's record, with the version of a moment or without any."""
    return {"id": number, "name": name, "updated_at": None if seconds is None else at(seconds), **fields}


def gadget(number: int, seconds: float | None = 0, maker_id: int = 1, **fields: object) -> Record:
    """Return the record of a gadget of the first maker."""
    version = None if seconds is None else at(seconds)
    return {"id": number, "sku": f"G{number}", "maker_id": maker_id, "updated_at": version, **fields}


async def test_a_page_is_one_batch_with_all_that_it_brings() -> None:
    shelf = Shelf()
    shelf.clock.advance(5)
    page = SourcePage([gadget(1), {"sku": "no id"}], 9, [Quarantined(7, "bad", "{}")])
    seen: list[SyncState] = []

    def change(state: SyncState) -> SyncState:
        seen.append(state)
        return SyncState(cursor="c")

    async with shelf.store.leases.held("gadget"):
        counts = await shelf.store.keep(GADGET, page, Extra(change, [3, 4]))
        lease = shelf.store.leases.of("gadget")
    assert lease is not None
    assert shelf.cache.batches == [
        Batch(
            entity="gadget",
            at=at(5),
            upserts=(row_of(GADGET, canonical(gadget(1)), {}),),
            quarantine=(Quarantined(None, "id: an integer or a text is required", '{"sku":"no id"}'), *page.invalid),
            removed=[3, 4],
            origin=Origin.LISTING,
            state=SyncState(cursor="c"),
            lease=lease,
        )
    ]
    assert seen == [SyncState()]
    assert counts == WriteCounts(Applied((1,), 0), 1, 2)


async def test_an_own_write_needs_no_lease_and_a_page_without_one_has_none() -> None:
    shelf = Shelf()
    await shelf.keep(COLOUR, {"id": 1})
    async with shelf.store.leases.held("colour"):
        await shelf.keep(COLOUR, {"id": 1}, extra=Extra(origin=Origin.OWN_WRITE))
    assert [(batch.origin, batch.lease, batch.state) for batch in shelf.cache.batches] == [
        (Origin.LISTING, None, None),
        (Origin.OWN_WRITE, None, None),
    ]


async def test_only_rows_that_are_new_differ_or_are_gone_count_as_changed() -> None:
    shelf = Shelf()
    assert await shelf.keep(COLOUR, *({"id": n, "name": "red"} for n in (1, 2, 3))) == WriteCounts(
        Applied((1, 2, 3), 0), 3, 0
    )
    counts = await shelf.keep(
        COLOUR,
        {"id": 1, "name": "red"},
        {"id": 2, "name": "blue"},
        {"id": 4, "name": "new"},
        extra=Extra(removed=[3, 9]),
    )
    assert counts == WriteCounts(Applied((1, 2, 4, 3), 0), 3, 0)
    older = await shelf.keep(MAKER, maker(1, "new", 5)), await shelf.keep(MAKER, maker(1, "old", 4))
    assert older == (WriteCounts(Applied((1,), 0), 1, 0), WriteCounts(Applied((), 1), 0, 0))


async def test_the_state_is_changed_from_what_is_stored_and_notes_what_could_not_be_read() -> None:
    shelf = Shelf()
    await shelf.store.remember(COLOUR, lambda state: replace(state, cursor="a"))
    assert [(batch.upserts, batch.removed, batch.state) for batch in shelf.cache.batches] == [
        ((), (), SyncState(cursor="a"))
    ]
    page = SourcePage([{"id": 1}, {"id": 2}], None, unread={1: ("size",), 2: ("size", "note")})
    await shelf.store.keep(COLOUR, page, Extra(lambda state: replace(state, total=2)))
    noted = SyncState("a", total=2, unread=(UnreadField("note", (2,)), UnreadField("size", (1, 2))))
    assert await shelf.cache.state("colour") == noted
    await shelf.store.remember(COLOUR, lambda state: state)
    await shelf.keep(COLOUR, {"id": 1})
    assert await shelf.cache.state("colour") == noted
    await shelf.keep(COLOUR, extra=Extra(lambda state: state, [2]))
    assert (await shelf.cache.state("colour")).unread == (UnreadField("size", (1,)),)
    await shelf.keep(COLOUR, {"id": 1}, extra=Extra(lambda state: state))
    assert (await shelf.cache.state("colour")).unread == ()


async def test_a_row_whose_version_cannot_be_read_keeps_the_stored_one() -> None:
    shelf = Shelf()
    await shelf.keep(MAKER, maker(1, "Acme", 3))
    await shelf.keep(MAKER, maker(1, "Globex", None), maker(2, "Initech", None))
    rows = (await shelf.cache.get_many("maker", [1, 2])).rows
    assert [(row.version, row.record["name"]) for row in rows] == [(at(3), "Globex"), (None, "Initech")]
    await shelf.keep(MAKER, maker(1, "Hooli", 4))
    assert (await shelf.cache.get_many("maker", [1])).rows[0].version == at(4)


@pytest.mark.parametrize(
    ("stored", "listed", "follows"),
    [(5, 5, True), (5, 6, True), (5, 4, False), (5, None, True), (None, 1, True), (None, None, True)],
    ids=["same", "newer", "older", "unread", "stored unread", "both unread"],
)
async def test_what_borrows_from_a_row_follows_it_unless_it_is_older(
    stored: float | None, listed: float | None, *, follows: bool
) -> None:
    shelf = Shelf()
    await shelf.keep(MAKER, maker(1, "Acme", stored))
    await shelf.keep(GADGET, gadget(1))
    shelf.cache.batches.clear()
    await shelf.keep(MAKER, maker(1, "Globex", listed))
    entities = [batch.entity for batch in shelf.cache.batches]
    assert entities == (["gadget", "maker", "gadget"] if follows else ["maker"])
    assert (await shelf.found("globex"), await shelf.found("acme")) == (([1], []) if follows else ([], [1]))


async def test_only_what_it_lends_makes_others_anew() -> None:
    shelf = Shelf()
    await shelf.keep(MAKER, maker(1, "Acme"), maker(2, "Other"))
    await shelf.keep(GADGET, gadget(1), gadget(2, maker_id=2))
    assert await shelf.keep(COLOUR, {"id": 1, "name": "red"}) == WriteCounts(Applied((1,), 0), 1, 0)
    await shelf.keep(GADGET, gadget(1, 1))
    assert shelf.cache.reindexed() == []
    await shelf.keep(MAKER, maker(1, "Acme", 1, city="Oslo"), maker(2, "Other", 1))
    assert shelf.cache.reindexed() == []
    await shelf.keep(MAKER, maker(1, "Acme", 2, deleted_at=at(2)), maker(2, "Other", 2))
    assert shelf.cache.reindexed() == [("gadget", 1), ("gadget", 1)]
    assert [row.deleted for row in (await shelf.cache.get_many("gadget", [1, 2])).rows] == [True, False]


async def test_rows_are_made_anew_at_the_moment_with_the_version_that_is_stored() -> None:
    shelf = Shelf()
    await shelf.keep(GADGET, gadget(1, 3))
    await shelf.keep(GADGET, gadget(1, None))
    shelf.cache.batches.clear()
    shelf.clock.advance(7)
    await shelf.keep(MAKER, maker(1, "Acme"))
    before, _, after = shelf.cache.batches
    record = canonical(gadget(1, None))
    made = replace(row_of(GADGET, record, {("maker", 1): canonical(maker(1, "Acme"))}), version=at(3))
    assert before == after == Batch(entity="gadget", at=at(7), reindexed=[made])
    assert await shelf.found("acme") == [1]


async def test_what_borrowed_from_a_row_that_is_gone_has_its_text_no_more() -> None:
    shelf = Shelf()
    await shelf.keep(MAKER, maker(1, "Acme"), maker(2, "Acme two"))
    await shelf.keep(GADGET, gadget(1), gadget(2, maker_id=2))
    await shelf.remove(MAKER, 1, 9)
    assert await shelf.found("acme") == [2]
    shelf.cache.batches.clear()
    await shelf.keep(MAKER, maker(2, "Globex", 1), extra=Extra(removed=[1]))
    assert await shelf.found("globex") == [2]
    await shelf.remove(MAKER, 8)
    assert shelf.cache.reindexed() == [("gadget", 1), ("gadget", 1)]


async def test_of_rows_that_change_and_go_in_one_page_all_borrowers_follow() -> None:
    shelf = Shelf()
    await shelf.keep(MAKER, maker(1, "Acme"), maker(2, "Acme two"))
    await shelf.keep(GADGET, gadget(1), gadget(2, maker_id=2))
    await shelf.keep(MAKER, maker(2, "Globex", 1), extra=Extra(removed=[1]))
    assert (await shelf.found("acme"), await shelf.found("globex")) == ([], [2])


async def test_more_borrowers_than_a_step_follow_in_steps() -> None:
    shelf = Shelf()
    rows = [row_of(GADGET, canonical(gadget(number)), {}) for number in range(1, REINDEX_STEP + 2)]
    await shelf.cache.apply(Batch(entity="gadget", at=at(0), upserts=rows))
    await shelf.keep(MAKER, maker(1, "Acme"))
    assert shelf.cache.reindexed() == [("gadget", REINDEX_STEP), ("gadget", 1)] * 2
    assert await shelf.cache.count("gadget") == (await shelf.cache.search("gadget", Search("acme"))).total


async def test_borrowers_that_the_cache_does_not_hold_are_left_out() -> None:
    elsewhere = EntitySpec(
        name="elsewhere", collection="x", searchable=Searchable(names=(Lookup("maker_id", "maker", ("name",)),))
    )
    shelf = Shelf({spec.name: spec for spec in (MAKER, elsewhere, COLOUR)})
    assert (await shelf.keep(MAKER, maker(1, "Acme"))).changed == 1
    assert [batch.entity for batch in shelf.cache.batches] == ["maker"]


async def test_a_page_that_lost_its_lease_leaves_borrowers_as_what_is_stored_says() -> None:
    shelf = Shelf()
    await shelf.keep(MAKER, maker(1, "Acme"))
    await shelf.keep(GADGET, gadget(1))
    async with shelf.store.leases.held("maker"):
        shelf.clock.jump(60)
        await shelf.cache.claim(Claim("maker", "another", iso(shelf.clock.now()), 30))
        with pytest.raises(LeaseLost, match=r"^another process syncs 'maker' now$"):
            await shelf.keep(MAKER, maker(1, "Globex", 1))
    assert (await shelf.found("acme"), await shelf.found("globex")) == ([1], [])


async def test_a_parent_that_comes_while_its_borrower_is_stored_lends_its_text() -> None:
    shelf = Shelf()
    theirs = row_of(MAKER, canonical(maker(1, "Acme")), {})

    async def meanwhile(batch: Batch) -> None:
        if batch.upserts and batch.entity == "gadget":
            await MemoryBackend.apply(shelf.cache, Batch(entity="maker", at=at(0), upserts=[theirs]))

    shelf.cache.before = meanwhile
    await shelf.keep(GADGET, gadget(1), gadget(2))
    assert await shelf.found("acme") == [1, 2]
    assert shelf.cache.reindexed() == [("gadget", 2)]


async def test_a_parent_that_stays_the_same_makes_nothing_anew() -> None:
    shelf = Shelf()
    await shelf.keep(MAKER, maker(1, "Acme"))
    await shelf.keep(GADGET, gadget(1))
    assert shelf.cache.reindexed() == []


async def test_a_parent_that_changes_each_time_is_followed_five_times() -> None:
    shelf, names = Shelf(), [f"Name{number}" for number in range(20)]

    async def meanwhile(batch: Batch) -> None:
        if batch.entity == "gadget":
            renamed = row_of(MAKER, canonical(maker(1, names.pop(0))), {})
            await MemoryBackend.apply(shelf.cache, Batch(entity="maker", at=at(0), upserts=[renamed]))

    shelf.cache.before = meanwhile
    await shelf.keep(GADGET, gadget(1))
    assert shelf.cache.reindexed() == [("gadget", 1)] * 5


async def test_a_borrower_that_came_while_its_parent_was_stored_has_the_new_text() -> None:
    shelf = Shelf()
    await shelf.keep(MAKER, maker(1, "Acme"))
    late = row_of(GADGET, canonical(gadget(1)), {("maker", 1): canonical(maker(1, "Acme"))})

    async def meanwhile(batch: Batch) -> None:
        if batch.entity == "maker":
            await MemoryBackend.apply(shelf.cache, Batch(entity="gadget", at=at(0), upserts=[late]))

    shelf.cache.before = meanwhile
    await shelf.keep(MAKER, maker(1, "Globex", 1))
    assert (await shelf.found("acme"), await shelf.found("globex")) == ([], [1])


async def test_stock_is_marked_of_the_variants_that_changed_records_name_or_named() -> None:
    shelf = Shelf()
    levels = [
        row_of(STOCK, canonical({"variant_id": number, "fetched_at": at(0), "levels": []}), {})
        for number in range(1, 7)
    ]

    def part(number: int, *variants: object) -> Record:
        return {"id": number, "updated_at": at(0), "rows": [{"variant_id": variant} for variant in variants]}

    async def marked(*records: Record, removed: tuple[RecordId, ...] = ()) -> list[RecordId]:
        await shelf.cache.apply(Batch(entity="stock", at=at(0), upserts=levels))
        shelf.clock.advance(1)
        await shelf.keep(PART, *records, extra=Extra(removed=removed))
        rows = (await shelf.cache.get_many("stock", range(1, 7))).rows
        return [row.id for row in rows if row.record.get("dirty_at") == iso(shelf.clock.now())]

    assert await marked(part(1, 1, 2), part(2, 3), part(3, 6, "6")) == [1, 2, 3, 6]
    assert await marked(part(1, 1, 2), part(2, 4)) == [3, 4]
    assert await marked(part(1, 1, 2), removed=(2, 8)) == [4]
    shelf.cache.batches.clear()
    await shelf.keep(COLOUR, {"id": 1, "rows": [{"variant_id": 5}]})
    assert [batch.entity for batch in shelf.cache.batches] == ["colour"]
