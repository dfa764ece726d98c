"""What a batch does: exact records, the version rule, atomicity, removal, quarantine, sync state."""

from dataclasses import replace
from decimal import Decimal
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.conditions import EVERYTHING
from cache_core.errors import WrongCacheUse
from cache_core.protocol import Batch, CacheBackend, Checkpoint, Origin, Quarantined, Row, Selection, SyncState
from cache_core.records import InvalidRecord, Json, canonical
from cache_core.search_rules import SearchText, WeightClass

from .strategies import ANY_TEXT, JSON, relaxed
from .toys import (
    HOSTILE_RECORDS,
    SPECS,
    exact,
    found_ids,
    hold_only,
    listing,
    moment,
    own_write,
    owner,
    record_of,
    removal,
    tag,
    toy,
    toy_of,
)

STATE = SyncState(
    cursor=moment(5),
    completed_at=moment(6),
    deltas=3,
    checkpoint=Checkpoint(page=2, total=500, since=None, first=None, newest=moment(4)),
    incomplete="one page is missing",
    total=501,
)


async def test_hostile_records_come_back_to_the_last_digit_and_unknown_field(cache: CacheBackend) -> None:
    rows = [toy_of(number, record) for number, record in enumerate(HOSTILE_RECORDS)]
    await cache.apply(listing(*rows))
    found = await cache.get_many("toy", [row.id for row in rows])
    assert [exact(row.record) for row in found.rows] == [exact(row.record) for row in rows]


@relaxed
@given(st.dictionaries(ANY_TEXT | st.sampled_from(["sku", "amount", "rows", "flag", "due", "count"]), JSON))
async def test_any_record_comes_back_exactly(cache: CacheBackend, fields: dict[str, object]) -> None:
    row = toy_of(1, fields)
    await hold_only(cache, [row])
    assert exact(await record_of(cache, 1)) == exact(row.record)


async def test_five_thousand_children_come_back_in_order_and_go_when_they_are_taken_out(cache: CacheBackend) -> None:
    rows = [{"id": number, "item_id": number % 7, "note": f"n{number}"} for number in range(5_000)]
    await cache.apply(listing(toy(1, rows=rows)))
    assert (await record_of(cache, 1))["rows"] == rows
    await cache.apply(listing(toy(1, version=1, rows=rows[7:3:-1])))
    assert (await record_of(cache, 1))["rows"] == rows[7:3:-1]


async def test_ids_may_be_texts(cache: CacheBackend) -> None:
    rows = [tag("a", "one"), tag("A", "two"), tag("1", "three"), tag("'\"", "four"), tag("ä", "five")]
    await cache.apply(listing(*rows, entity="toy_tag"))
    found = await cache.get_many("toy_tag", ["ä", "1", "'\"", "A", "a", "b"])
    assert [row.id for row in found.rows] == ["ä", "1", "'\"", "A", "a"]
    assert found.missing == ("b",)


async def test_identity_is_entity_and_id(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(42, name="toy")))
    await cache.apply(listing(owner(42, "owner"), entity="toy_owner"))
    await cache.apply(removal(42))
    assert (await record_of(cache, 42, "toy_owner"))["name"] == "owner"
    assert (await cache.get_many("toy", [42])).missing == (42,)


@pytest.mark.parametrize(
    ("stored", "arriving", "kept"),
    [
        (listing(toy(1, version=1, name="old")), listing(toy(1, version=2, name="new")), "new"),
        (listing(toy(1, version=2, name="old")), listing(toy(1, version=1, name="new")), "old"),
        (listing(toy(1, version=2, name="old")), own_write(toy(1, version=1, name="new")), "old"),
        (listing(toy(1, version=1, name="old")), listing(toy(1, version=1, name="new")), "new"),
        (listing(toy(1, version=1, name="old")), own_write(toy(1, version=1, name="new")), "new"),
        (own_write(toy(1, version=1, name="old")), own_write(toy(1, version=1, name="new"), at=1), "new"),
        (own_write(toy(1, version=1, name="old")), listing(toy(1, version=1, name="new"), at=900), "old"),
        (own_write(toy(1, version=1, name="old")), listing(toy(1, version=1, name="new"), at=901), "new"),
        (own_write(toy(1, version=1, name="old")), listing(toy(1, version=2, name="new"), at=1), "new"),
    ],
)
async def test_a_newer_version_wins_and_an_own_write_stands_for_fifteen_minutes(
    cache: CacheBackend, stored: Batch, arriving: Batch, kept: str
) -> None:
    await cache.apply(stored)
    applied = await cache.apply(arriving)
    assert (await record_of(cache, 1))["name"] == kept
    assert applied.ignored == (kept == "old")
    assert applied.changed == ((1,) if kept == "new" else ())
    assert await found_ids(cache, "old") == ([1] if kept == "old" else [])


async def test_a_listing_ends_the_protection_of_an_own_write(cache: CacheBackend) -> None:
    await cache.apply(own_write(toy(1, version=1, name="own")))
    await cache.apply(listing(toy(1, version=2, name="second"), at=1))
    await cache.apply(listing(toy(1, version=2, name="third"), at=2))
    assert (await record_of(cache, 1))["name"] == "third"


@pytest.mark.parametrize("entity", ["toy", "toy_tag"])
async def test_an_own_write_stands_until_a_matching_read(cache: CacheBackend, entity: str) -> None:
    old, own, edited = (
        toy(1, version=1, name=word, amount=Decimal("1.50")) if entity == "toy" else tag("a", word)
        for word in ("old", "own", "edited")
    )
    written = Batch(entity=entity, at=moment(), upserts=(own,), origin=Origin.OWN_WRITE)
    await cache.apply(written)
    assert (await cache.apply(listing(old, entity=entity, at=10))).ignored == 1
    assert (await cache.apply(listing(own, entity=entity, at=20))).ignored == 0
    assert (await cache.apply(listing(edited, entity=entity, at=30))).changed == (own.id,)
    assert await record_of(cache, own.id, entity) == edited.record
    await cache.apply(replace(written, at=moment(40)))
    assert (await cache.apply(listing(own, old, entity=entity, at=50))).ignored == 0
    assert await record_of(cache, own.id, entity) == old.record


async def test_records_without_a_version_are_always_replaced(cache: CacheBackend) -> None:
    await cache.apply(listing(tag("a", "old"), entity="toy_tag"))
    await cache.apply(listing(tag("a", "new"), entity="toy_tag"))
    assert (await record_of(cache, "a", "toy_tag"))["label"] == "new"


async def test_within_a_batch_the_version_rule_holds_too(cache: CacheBackend) -> None:
    applied = await cache.apply(listing(toy(1, version=2, name="new"), toy(1, version=1, name="old")))
    assert (await record_of(cache, 1))["name"] == "new"
    assert (applied.changed, applied.ignored) == ((1,), 1)


async def test_a_batch_with_one_bad_row_changes_nothing(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, name="old")))
    bad = Row(3, moment(), cast("dict[str, Json]", {"id": 3, "bad": object()}), SearchText())
    rows = (toy(1, version=1, name="new"), toy(2, name="new"), bad)
    with pytest.raises(InvalidRecord):
        await cache.apply(Batch(entity="toy", at=moment(), upserts=rows, removed=(1,), state=STATE))
    assert (await record_of(cache, 1))["name"] == "old"
    assert (await cache.get_many("toy", [2, 3])).missing == (2, 3)
    assert await found_ids(cache, "new") == []
    assert await cache.state("toy") == SyncState()
    await cache.apply(listing(toy(2, name="after")))
    assert await found_ids(cache, "after") == [2]


async def test_an_empty_batch_changes_nothing(cache: CacheBackend) -> None:
    applied = await cache.apply(Batch(entity="toy", at=moment()))
    assert (applied.changed, applied.ignored) == ((), 0)
    assert (await cache.status("toy")).records == 0


async def test_removing_what_is_not_there_is_no_error(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1)))
    applied = await cache.apply(removal(2, 1, 1))
    assert applied.changed == (1,)
    assert await cache.count("toy", visibility=EVERYTHING) == 0


async def test_reindexing_changes_text_and_soft_state_and_leaves_the_record(cache: CacheBackend) -> None:
    before = toy(1, name="thing", sku="K", owned_by="smith")
    await cache.apply(listing(before, toy(2, name="other")))
    after = toy(1, name="thing", sku="K", owned_by="jones", deleted_at=moment())
    absent = toy(3, name="jones")
    await cache.apply(Batch(entity="toy", at=moment(), reindexed=(after, absent)))
    assert await found_ids(cache, "smith") == []
    assert await found_ids(cache, "jones") == []
    row = (await cache.get_many("toy", [1])).rows[0]
    assert (row.record, row.deleted) == (canonical(before.record), True)
    assert (await cache.get_many("toy", [3])).missing == (3,)
    restored = toy(1, name="thing", sku="K", owned_by="jones")
    await cache.apply(Batch(entity="toy", at=moment(), reindexed=(restored,)))
    assert await found_ids(cache, "jones") == [1]
    assert (await cache.find_by_key("toy", "K")).row is not None


async def test_codes_that_are_alike_are_one_in_a_record_that_gets_them_later(cache: CacheBackend) -> None:
    codes = (("a 1", WeightClass.EXTRAS), ("a1", WeightClass.RELATED), ("a1", WeightClass.RELATED))
    await cache.apply(listing(toy(1), toy(2)))
    later = replace(toy(1, version=1, codes=["A-1", "a.1"]), text=SearchText(extras="a 1", codes=codes))
    await cache.apply(listing(later, toy(2, version=1, codes=["B-2", "B/2"], barcode="b_2"), toy(3)))
    assert await found_ids(cache, "A1") == [1]
    assert await found_ids(cache, "b2") == [2]
    assert await record_of(cache, 3)
    await cache.apply(
        replace(listing(), reindexed=(replace(toy(3), text=later.text), replace(later, text=SearchText())))
    )
    assert await found_ids(cache, "a1") == [3]


async def test_state_and_checkpoint_are_stored_with_the_batch(cache: CacheBackend) -> None:
    assert await cache.state("toy") == SyncState()
    await cache.apply(Batch(entity="toy", at=moment(), upserts=(toy(1),), state=STATE))
    await cache.apply(listing(toy(2)))
    assert await cache.state("toy") == STATE
    assert await cache.state("toy_owner") == SyncState()
    both = await cache.standings(["toy_owner", "toy"])
    assert list(both.items()) == [("toy_owner", (SyncState(), False)), ("toy", (STATE, False))]
    assert await cache.standings([]) == {}
    await cache.apply(Batch(entity="toy", at=moment(), state=SyncState(cursor=moment(9))))
    assert await cache.state("toy") == SyncState(cursor=moment(9))


async def test_an_entity_stands_with_what_is_quarantined_of_it(cache: CacheBackend) -> None:
    await cache.apply(listing(owner(1, "x"), entity="toy_owner"))
    await cache.apply(Batch(entity="toy", at=moment(), quarantine=(Quarantined(7, "unread", "{}"),), state=STATE))
    assert await cache.standings(["toy", "toy_owner"]) == {"toy": (STATE, True), "toy_owner": (SyncState(), False)}
    await cache.apply(Batch(entity="toy", at=moment(), removed=(7,)))
    assert await cache.standings(["toy"]) == {"toy": (STATE, False)}
    with pytest.raises(WrongCacheUse):
        await cache.standings(["toy", "unicorn"])


async def test_quarantine_lists_newest_first_and_an_upsert_heals(cache: CacheBackend) -> None:
    poison = [Quarantined(number, f"reason {number}", "{\x00é😀") for number in range(3)]
    nameless = [Quarantined(None, "no id", "[1]"), Quarantined(None, "no id", "[2]")]
    await cache.apply(Batch(entity="toy", at=moment(), quarantine=(*poison, *nameless)))
    await cache.apply(Batch(entity="toy", at=moment(), quarantine=(Quarantined(0, "again", "{}"), nameless[0])))
    assert await cache.quarantined("toy") == (
        nameless[0],
        Quarantined(0, "again", "{}"),
        nameless[1],
        poison[2],
        poison[1],
    )
    assert (await cache.status("toy")).quarantined == 5
    assert len(await cache.quarantined("toy", limit=2)) == 2
    assert await cache.quarantined("toy", limit=0) == ()
    await cache.apply(listing(toy(0), toy(2)))
    assert [bad_record.id for bad_record in await cache.quarantined("toy")] == [None, None, 1]
    assert await cache.quarantined("toy_owner") == ()


async def test_status_counts_every_row_and_names_the_newest_version(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, version=3), toy(2, deleted_at=moment()), toy(3, archived_at=moment())))
    status = await cache.status("toy")
    assert (status.entity, status.records, status.newest) == ("toy", 3, moment(3))
    assert status.state == SyncState()
    assert status.backend
    empty = await cache.status("toy_tag")
    assert (empty.records, empty.newest, empty.quarantined) == (0, None, 0)


async def test_large_batches_are_stored_whole(cache: CacheBackend) -> None:
    rows = [toy(number, name=f"name {number}", codes=[f"c.{number}", "same"]) for number in range(3_000)]
    applied = await cache.apply(listing(*rows))
    assert len(applied.changed) == 3_000
    assert await cache.count("toy") == 3_000
    assert await found_ids(cache, "c-2999") == [2999]


async def test_an_entity_that_is_not_held_is_wrong_use(cache: CacheBackend) -> None:
    assert cache.entities == {spec.name for spec in SPECS}
    with pytest.raises(WrongCacheUse):
        await cache.apply(Batch(entity="sales_order", at=moment()))
    with pytest.raises(WrongCacheUse):
        await cache.get_many("sales_order", [])
    with pytest.raises(WrongCacheUse):
        await cache.select("sales_order", Selection())
    for read in (cache.count, cache.state, cache.status, cache.quarantined):
        with pytest.raises(WrongCacheUse):
            await read("sales_order")
    for ask in (cache.find_by_key, cache.suggest):
        with pytest.raises(WrongCacheUse):
            await ask("sales_order", "x")
    with pytest.raises(WrongCacheUse):
        cache.capabilities("sales_order")
