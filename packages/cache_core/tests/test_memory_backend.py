"""The backend of plain dictionaries: what a batch changes, and what each read gives of it."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from cache_core.conditions import EVERYTHING, LIVE, OneOf, Order, Visibility
from cache_core.errors import LeaseLost, WrongCacheUse
from cache_core.indexing import prepare, row_of
from cache_core.leases import Claim, Lease
from cache_core.memory import MemoryBackend
from cache_core.protocol import (
    Applied,
    Batch,
    ByIds,
    EntityStatus,
    Found,
    KeyMatch,
    Origin,
    Quarantined,
    Row,
    Selected,
    Selection,
    Standing,
    Stored,
    SyncState,
)
from cache_core.records import InvalidRecord, Record, RecordId, canonical
from cache_core.search_rules import SearchText
from cache_core.spec import EntitySpec, Searchable

TOY = EntitySpec(name="toy", collection="toys", searchable=Searchable(keys=("code",), names=("name",)), key_path="code")
BOX = EntitySpec(name="box", collection="boxes")
EARLY, AT, LATE = "2026-03-02T07:00:00.000Z", "2026-03-02T08:00:00.000Z", "2026-03-02T08:20:00.000Z"


def toy(record_id: RecordId, version: str | None = AT, **fields: object) -> Row:
    """Return a toy's row."""
    return row_of(TOY, canonical({"id": record_id, "updated_at": version, **fields}), {})


async def written(cache: MemoryBackend, *rows: Row, origin: Origin = Origin.LISTING, at: str = AT) -> Applied:
    """Write rows; return what that did."""
    return await cache.apply(Batch(entity="toy", at=at, upserts=rows, origin=origin))


async def holding(*rows: Row) -> MemoryBackend:
    """Return a backend with these rows."""
    cache = MemoryBackend((TOY, BOX))
    await written(cache, *rows)
    return cache


def stored(row: Row) -> Stored:
    """Return a row as it is read back."""
    return Stored(row.id, row.version, row.record, row.deleted, row.archived)


def ids(rows: Sequence[Stored]) -> list[RecordId]:
    """Return the ids of rows."""
    return [row.id for row in rows]


async def names(cache: MemoryBackend) -> dict[RecordId, object]:
    """Return the name of every row by its id."""
    rows = await cache.select("toy", Selection(limit=100, visibility=EVERYTHING))
    return {row.id: row.record.get("name") for row in rows}


async def test_an_entity_that_it_does_not_hold_is_refused_by_name() -> None:
    cache = MemoryBackend((TOY, BOX))
    assert (cache.name, cache.entities) == ("memory", {"toy", "box"})
    assert cache.capabilities("toy") == frozenset()
    with pytest.raises(WrongCacheUse, match=r"^the memory backend does not hold 'cup'$"):
        cache.capabilities("cup")
    with pytest.raises(WrongCacheUse, match=r"^the memory backend does not hold 'cup'$"):
        await cache.state("cup")


async def test_what_is_kept_outlives_closing() -> None:
    cache = await holding(toy(1))
    await cache.open()
    await cache.close()
    assert await cache.count("toy") == 1


async def test_a_batch_says_what_it_changed_each_once_in_order_and_how_many_lost() -> None:
    cache = await holding(toy(1), toy(2), toy(3))
    done = await cache.apply(
        Batch(entity="toy", at=AT, upserts=[toy(3, LATE), toy(1, EARLY), toy(4), toy(4)], removed=[2, 9, 4])
    )
    assert done == Applied((3, 4, 2), 1)
    assert await names(cache) == {3: None, 1: None}
    assert await cache.apply(Batch(entity="toy", at=AT)) == Applied((), 0)


async def test_one_record_that_cannot_be_stored_keeps_the_whole_batch_out() -> None:
    cache = await holding(toy(1, name="kept"))
    bad = Row(3, AT, {"n": Decimal("NaN")}, SearchText())
    with pytest.raises(InvalidRecord, match=r"^n: NaN is not a number$"):
        await written(cache, toy(1, LATE, name="new"), toy(2), bad)
    assert await names(cache) == {1: "kept"}


@pytest.mark.parametrize(
    ("origin", "at", "version", "wins"),
    [
        (Origin.LISTING, AT, AT, False),
        (Origin.LISTING, "2026-03-02T08:15:00.000Z", AT, False),
        (Origin.LISTING, "2026-03-02T08:15:00.001Z", AT, True),
        (Origin.LISTING, AT, None, False),
        (Origin.LISTING, AT, EARLY, False),
        (Origin.LISTING, AT, LATE, True),
        (Origin.OWN_WRITE, AT, AT, True),
        (Origin.OWN_WRITE, AT, EARLY, False),
    ],
    ids=["same", "after 15 minutes", "after more", "no version", "older", "newer", "our own", "our own older"],
)
async def test_an_own_write_stands_for_fifteen_minutes_against_a_listing_of_its_version(
    origin: Origin, at: str, version: str | None, *, wins: bool
) -> None:
    cache = MemoryBackend((TOY,))
    await written(cache, toy(1, name="own"), origin=Origin.OWN_WRITE)
    done = await written(cache, toy(1, version, name="theirs"), origin=origin, at=at)
    assert done == (Applied((1,), 0) if wins else Applied((), 1))
    assert await names(cache) == {1: "theirs" if wins else "own"}


async def test_a_listing_that_shows_our_own_write_ends_its_protection() -> None:
    cache = MemoryBackend((TOY,))
    await written(cache, toy(1, name="own"), origin=Origin.OWN_WRITE)
    assert await written(cache, toy(1, name="own")) == Applied((1,), 0)
    assert await written(cache, toy(1, name="theirs")) == Applied((1,), 0)


async def test_an_own_write_over_a_listed_row_is_protected_and_a_removed_one_no_more() -> None:
    cache = await holding(toy(1, name="listed"))
    await written(cache, toy(1, name="own"), origin=Origin.OWN_WRITE)
    assert await written(cache, toy(1, name="listed")) == Applied((), 1)
    await cache.apply(Batch(entity="toy", at=AT, removed=[1]))
    await written(cache, toy(1, name="again"))
    assert await written(cache, toy(1, name="and again")) == Applied((1,), 0)
    assert await names(cache) == {1: "and again"}


async def test_reindexing_changes_text_and_soft_state_of_a_row_of_the_same_version_alone() -> None:
    cache = await holding(toy(1, name="old", code="A"), toy(2, name="two"))
    new = replace(toy(1, name="new", code="B"), deleted=True, archived=True)
    again = [new, toy(2, LATE, name="late"), toy(3, name="unknown")]
    assert await cache.apply(Batch(entity="toy", at=AT, reindexed=again)) == Applied((), 0)
    rows = (await cache.get_many("toy", [1, 2, 3])).rows
    assert [(row.record["name"], row.deleted, row.archived) for row in rows] == [
        ("old", True, True),
        ("two", False, False),
    ]
    assert (await cache.find_by_key("toy", "A")).row == rows[0]
    assert (await cache.find_by_key("toy", "B")).row is None


async def test_quarantined_records_come_newest_first_each_once_and_leave_when_they_heal_or_go() -> None:
    cache = MemoryBackend((TOY,))
    poison = [
        Quarantined(1, "bad", "1"),
        Quarantined(None, "bad", "x"),
        Quarantined(2, "bad", "2"),
        Quarantined(3, "", "3"),
    ]
    again = [Quarantined(1, "worse", "1"), Quarantined(None, "worse", "x")]
    await cache.apply(Batch(entity="toy", at=AT, quarantine=poison))
    await cache.apply(Batch(entity="toy", at=AT, quarantine=again))
    assert await cache.quarantined("toy") == (again[1], again[0], poison[3], poison[2])
    assert await cache.quarantined("toy", 1) == (again[1],)
    await cache.apply(Batch(entity="toy", at=AT, upserts=[toy(1)], removed=[2]))
    assert await cache.quarantined("toy") == (again[1], poison[3])
    await cache.apply(Batch(entity="toy", at=AT, quarantine=[Quarantined(n, "", "") for n in range(30)]))
    assert [bad.id for bad in await cache.quarantined("toy")] == [*range(29, 9, -1)]


async def test_a_state_stays_until_another_is_written() -> None:
    cache = await holding(toy(1))
    assert await cache.state("toy") == SyncState()
    await cache.apply(Batch(entity="toy", at=AT, state=SyncState(cursor="c")))
    await written(cache, toy(2))
    assert (await cache.state("toy"), await cache.state("box")) == (SyncState(cursor="c"), SyncState())


async def test_a_lease_is_granted_once_and_a_late_write_under_it_changes_nothing() -> None:
    cache = MemoryBackend((TOY, BOX))
    lease = await cache.claim(Claim("toy", "a", AT, 30))
    assert lease == Lease("toy", "a", 1, AT, "2026-03-02T08:00:30.000Z")
    assert await cache.claim(Claim("toy", "b", AT, 30)) == lease
    assert (await cache.claim(Claim("box", "b", AT, 30))).holder == "b"
    await cache.apply(Batch(entity="toy", at=AT, upserts=[toy(1)], lease=lease))
    assert (await cache.claim(Claim("toy", "b", LATE, 30))).epoch == 2
    with pytest.raises(LeaseLost, match=r"^another process syncs 'toy' now$"):
        await cache.apply(Batch(entity="toy", at=AT, upserts=[toy(2)], lease=lease))
    assert await names(cache) == {1: None}


async def test_rows_come_by_id_in_the_order_asked_each_once_in_any_soft_state() -> None:
    rows = [toy(1), toy(2, deleted_at=AT), toy("a", archived_at=AT)]
    cache = await holding(*rows)
    found = await cache.get_many("toy", ["a", 5, 2, 5, "a"])
    assert found == Found((stored(rows[2]), stored(rows[1])), (5,))
    part = await cache.get_many("toy", [1], frozenset({"id"}))
    assert [row.record for row in part.rows] == [{"id": 1}]
    assert await cache.read([ByIds("toy", [2, 7]), Selected("toy", Selection())]) == [
        (stored(rows[1]),),
        (stored(rows[0]),),
    ]


@pytest.mark.parametrize(
    ("rows", "best", "ambiguous"),
    [
        ([], None, ()),
        ([toy(1, code="A")], 1, ()),
        ([toy(1, code="B")], None, ()),
        ([toy(1, code="A"), toy("x", code="A"), toy(2, code="A")], "x", (1, 2, "x")),
        ([toy(1, code="A"), toy(9, code="A", archived_at=AT)], 1, ()),
        ([toy(1, code="A"), toy(9, code="A", deleted_at=AT)], 1, ()),
        ([toy(1, code="A", archived_at=AT), toy(9, code="A", deleted_at=AT)], 1, ()),
        ([toy(1, code="A", archived_at=AT), toy(2, code="A", archived_at=AT)], 2, ()),
        ([toy(1, code="A", deleted_at=AT), toy(9, code="A", deleted_at=AT, archived_at=AT)], 1, ()),
    ],
    ids=["none", "one", "another", "three", "live", "not deleted", "archived", "the last", "deleted"],
)
async def test_a_key_names_its_best_row_and_all_live_ones(
    rows: list[Row], best: RecordId | None, ambiguous: tuple[RecordId, ...]
) -> None:
    cache = await holding(*rows)
    expected = next((stored(row) for row in rows if row.id == best), None)
    assert await cache.find_by_key("toy", "A") == KeyMatch(expected, ambiguous)


async def test_a_selection_is_a_window_of_what_it_sees() -> None:
    cache = await holding(
        toy(1, n=1), toy(2, n=2), toy(3, deleted_at=AT), toy(4, archived_at=AT), toy(5, deleted_at=AT, archived_at=AT)
    )

    async def seen(visibility: Visibility) -> list[RecordId]:
        rows = ids(await cache.select("toy", Selection(visibility=visibility)))
        assert await cache.count("toy", (), visibility) == len(rows)
        return rows

    assert await seen(LIVE) == [2, 1]
    assert await seen(Visibility(deleted=True)) == [3, 2, 1]
    assert await seen(Visibility(archived=True)) == [4, 2, 1]
    assert await seen(EVERYTHING) == [5, 4, 3, 2, 1]
    windows = [(2, 0), (2, 1), (1, 4), (0, 0)]
    found = [await cache.select("toy", Selection((), limit=n, offset=m, visibility=EVERYTHING)) for n, m in windows]
    assert [ids(rows) for rows in found] == [[5, 4], [4, 3], [1], []]
    where = (OneOf("n", (2,)),)
    rows = await cache.select("toy", Selection(where, fields=frozenset({"n"})))
    assert [row.record for row in rows] == [{"n": 2}]
    assert (await cache.count("toy", where), await cache.count("toy")) == (1, 2)


@pytest.mark.parametrize(
    ("field", "ascending", "descending"),
    [
        ("id", [1, 2, 3, 10, "a"], ["a", 10, 3, 2, 1]),
        ("n", [10, 2, 3, 1, "a"], [1, 10, 2, 3, "a"]),
        ("nothing", [1, 2, 3, 10, "a"], ["a", 10, 3, 2, 1]),
    ],
)
async def test_rows_are_ordered_by_value_numbers_before_texts_and_nothing_last(
    field: str, ascending: list[RecordId], descending: list[RecordId]
) -> None:
    cache = await holding(toy(10, n=1), toy(3, n=5), toy("a", n=None), toy(1, n="x"), toy(2, n=3))
    assert ids(await cache.select("toy", Selection(order=Order(field)))) == ascending
    backward = ids(await cache.select("toy", Selection(order=Order(field, descending=True))))
    assert backward == ([1, 3, 2, 10, "a"] if field == "n" else descending)


async def test_rows_of_equal_value_are_ordered_by_id_in_the_same_direction() -> None:
    cache = await holding(toy(2, n=1), toy(1, n=1), toy("b", n=1), toy(10), toy(9))
    assert ids(await cache.select("toy", Selection(order=Order("n")))) == [1, 2, "b", 9, 10]
    assert ids(await cache.select("toy", Selection(order=Order("n", descending=True)))) == ["b", 2, 1, 10, 9]


async def test_how_an_entity_stands_counts_every_row_and_names_the_newest_version() -> None:
    cache = await holding(toy(1, EARLY), toy(2, LATE, deleted_at=AT), toy(3, None))
    state = SyncState(cursor="c")
    await cache.apply(
        Batch(entity="toy", at=AT, state=state, quarantine=[Quarantined(7, "", ""), Quarantined(8, "", "")])
    )
    assert await cache.status("toy") == EntityStatus("toy", "memory", 3, LATE, state, 2)
    assert await cache.status("box") == EntityStatus("box", "memory", 0, None, SyncState(), 0)
    assert list((await cache.standings(["box", "toy"])).items()) == [
        ("box", Standing(SyncState(), quarantined=False)),
        ("toy", Standing(state, quarantined=True)),
    ]


async def test_rows_prepared_from_records_are_read_back_whole() -> None:
    cache = MemoryBackend((TOY,))
    record: Record = {"id": 1, "name": "Ball", "updated_at": AT}
    prepared = await prepare(TOY, [record], cache)
    assert await written(cache, *prepared.rows) == Applied((1,), 0)
    assert (await cache.get_many("toy", [1])).rows == (Stored(1, AT, dict(canonical(record)), False, False),)
