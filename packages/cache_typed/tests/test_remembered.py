"""A row that was read is not made anew while it stays the same, whoever writes; a changed one is never given."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from typed_empty import opened
from typed_orders import batch, only_file, order, row

from cache_core.conditions import EVERYTHING, Order
from cache_core.protocol import Batch, Selection, Stored
from cache_core.records import canonical
from cache_typed import remembered as module
from cache_typed.backend import TypedBackend
from cache_typed.dialect import Connection, connect
from cache_typed.mapping import Layout
from cache_typed.reading import load, load_kept, select
from cache_typed.remembered import heads_of, remembered, still_same
from cache_typed.writing import write_batch

SOME = frozenset(("order_no", "sales_order_rows[].quantity"))
CHANGES: tuple[dict[str, object], ...] = (
    {"order_no": "SO-9"},
    {"sales_order_rows": [{"id": 10, "quantity": 7}]},
    {"sales_order_rows": []},
    {"deleted_at": "2026-01-01T00:00:00.000Z"},
    {"unheard_of": {"a": 1}},
    {"updated_at": "2027-01-01T00:00:00.000Z"},
)


async def one(backend: TypedBackend, fields: frozenset[str] | None = None) -> Stored:
    """Return the first order."""
    (found,) = (await backend.get_many("sales_order", [1], fields)).rows
    return found


def kept(db: Connection, layout: Layout, *nrs: int) -> list[int]:
    """Return which of these rows are kept."""
    return list(still_same(remembered(db), layout, heads_of(db, layout, nrs)))


@pytest.mark.parametrize("fields", [None, SOME])
async def test_a_row_is_made_once_though_others_are_written(tmp_path: Path, fields: frozenset[str] | None) -> None:
    async with opened(tmp_path) as backend, opened(tmp_path) as other:
        await backend.apply(batch(order(1), order(2)))
        first = await one(backend, fields)
        await backend.apply(batch(order(2, order_no="SO-9")))
        await other.apply(batch(order(3)))
        assert await one(backend, fields) is first
        selected = await backend.select("sales_order", Selection(fields=fields))
        assert [found.id for found in selected] == [3, 2, 1]
        assert selected[-1] is first
        assert selected[1].record["order_no"] == "SO-9"


@pytest.mark.parametrize("writes", ["the same", "another"])
async def test_a_row_that_was_changed_is_made_anew(tmp_path: Path, writes: str) -> None:
    async with opened(tmp_path) as backend, opened(tmp_path) as other:
        writer = backend if writes == "the same" else other
        await writer.apply(batch(order(1)))
        for changed in CHANGES:
            for fields in (None, SOME):
                await one(backend, fields)
            record = order(1, **changed)
            await writer.apply(batch(record))
            expected = row(record)
            found = await one(backend)
            assert (found.record, found.deleted, found.version) == (record, expected.deleted, expected.version)
            assert (await one(backend, SOME)) == found.projected(SOME)


async def test_what_stands_beside_the_record_is_never_old(tmp_path: Path) -> None:
    async with opened(tmp_path) as backend:
        stored = row(order(1))
        for archived, version in ((False, "a"), (True, "a"), (True, "b"), (False, "b")):
            now = replace(stored, archived=archived, version=version)
            await backend.apply(Batch(entity="sales_order", at=version, upserts=(now,)))
            found = await one(backend)
            assert (found.archived, found.version) == (archived, version)
        await backend.apply(
            Batch(entity="sales_order", at="c", reindexed=(replace(stored, archived=True, version="b"),))
        )
        assert (await one(backend)).archived


async def test_a_row_that_is_gone_is_not_given_and_comes_back_as_it_is_then(tmp_path: Path) -> None:
    async with opened(tmp_path) as backend:
        await backend.apply(batch(order(1), order(2)))
        await one(backend)
        await backend.apply(Batch(entity="sales_order", at="x", removed=(1,)))
        assert (await backend.get_many("sales_order", [1, 2])).missing == (1,)
        await backend.apply(batch(order(1, order_no="SO-9")))
        assert (await one(backend)).record["order_no"] == "SO-9"


def test_rows_come_in_the_order_asked_kept_or_not(db: Connection, orders: Layout) -> None:
    write_batch(db, orders, batch(*map(order, range(1, 9))))
    load_kept(db, orders, [3, 5])
    for asked in ([5, 1, 3, 8], [8, 5, 99, 3], [3, 5], [5, 3], [5], [], [99]):
        assert list(load_kept(db, orders, asked).items()) == list(load(db, orders, asked).items())


def test_of_too_many_rows_none_is_kept(db: Connection, orders: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    write_batch(db, orders, batch(*map(order, range(1, 9))))
    monkeypatch.setattr("cache_typed.reading.MOST_AT_ONCE", 3)
    assert len(load_kept(db, orders, [1, 2, 3, 4])) == 4
    assert kept(db, orders, 1, 2, 3, 4) == []
    load_kept(db, orders, [1, 2, 3])
    assert kept(db, orders, 1, 2, 3, 4) == [1, 2, 3]
    objects, several = divmod(remembered(db).size, 3)
    assert (objects > 3, several) == (True, 0)  # an order has three rows
    monkeypatch.setattr(module, "MOST", 5 * objects - 1)
    load_kept(db, orders, [4])
    assert kept(db, orders, 1, 2, 3, 4) == [1, 2, 3, 4]
    load_kept(db, orders, [5])
    assert kept(db, orders, 1, 2, 3, 4, 5) == []
    load_kept(db, orders, [6])
    assert kept(db, orders, 6) == [6]


def test_long_texts_count_as_more_objects(db: Connection, orders: Layout) -> None:
    sizes: list[int] = []
    for nr, note in ((1, ""), (2, "x" * 999), (3, "x" * 25_000)):
        write_batch(db, orders, batch(order(nr, additional_info=note, sales_order_rows=[])))
        before = remembered(db).size
        load_kept(db, orders, [nr])
        sizes.append(remembered(db).size - before)
    assert sizes[0] <= sizes[1] <= sizes[0] + 1
    assert sizes[2] - sizes[0] == 25
    write_batch(db, orders, batch(order(4, sales_order_rows=[{"id": 1, "product_expected_date": "x" * 25_000}])))
    before = remembered(db).size
    load_kept(db, orders, [4])
    assert remembered(db).size - before > 25


def test_what_is_not_there_takes_no_room(db: Connection, orders: Layout) -> None:
    load_kept(db, orders.only(SOME), [1, 2])
    assert remembered(db).by_layout == {}


async def test_what_tables_held_before_they_were_made_anew_is_forgotten(tmp_path: Path) -> None:
    async with opened(tmp_path / "live") as backend, opened(tmp_path / "live") as other:
        await backend.apply(batch(order(1)))
        with closing(connect(str(only_file(tmp_path / "live")))) as damaging:
            # As a bit that flipped under the digest.
            damaging.execute("UPDATE sales_order SET order_no = 'WRONG'")
        assert [(await one(cache)).record["order_no"] for cache in (backend, other)] == ["WRONG", "WRONG"]
        async with opened(tmp_path / "beside") as beside:
            await beside.apply(batch(order(1)))
        await backend.take(tmp_path / "beside", ["sales_order"])
        assert [(await one(cache)).record["order_no"] for cache in (backend, other)] == ["SO-1", "SO-1"]


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("field", ["id", "order_no"])
def test_a_window_is_the_same_whatever_is_kept(
    db: Connection, orders: Layout, monkeypatch: pytest.MonkeyPatch, field: str, *, descending: bool
) -> None:
    write_batch(db, orders, batch(*map(order, range(1, 9))))
    for at_once in (1_000, 3, 2):
        monkeypatch.setattr("cache_typed.reading.MOST_AT_ONCE", at_once)
        for limit, offset in ((3, 0), (2, 2), (50, 0), (50, 6), (0, 0)):
            asked = Selection(order=Order(field, descending), limit=limit, offset=offset)
            nrs = sorted(range(1, 9), reverse=descending)[offset : offset + limit]
            for _ in range(2):
                assert list(select(db, orders, asked)) == list(load(db, orders, nrs).values())


def test_what_is_kept_is_of_one_layout(db: Connection, orders: Layout) -> None:
    write_batch(db, orders, batch(order(1)))
    some = orders.only(SOME)
    assert load_kept(db, some, [1])[1].record != load_kept(db, orders, [1])[1].record
    assert load_kept(db, some, [1]) == load(db, some, [1])
    other = Stored(1, None, canonical({"id": 7}), deleted=False, archived=False)
    remembered(db).add(orders, 1, (1,), other, 1)
    assert load_kept(db, orders, [1]) == load(db, orders, [1])  # its head is another


def test_rows_that_a_write_goes_through_are_not_kept(db: Connection, orders: Layout) -> None:
    write_batch(db, orders, batch(order(1)))
    load(db, orders, [1])
    assert kept(db, orders, 1) == []


async def test_a_hidden_row_is_kept_like_others(tmp_path: Path) -> None:
    async with opened(tmp_path) as backend:
        await backend.apply(batch(order(1, deleted_at="2026-01-01T00:00:00.000Z")))
        first = await one(backend)
        assert first.deleted
        assert (await backend.select("sales_order", Selection(visibility=EVERYTHING)))[0] is first
        assert await backend.select("sales_order", Selection()) == ()
