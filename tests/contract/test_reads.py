"""Reads by id, by key and by conditions, against the meaning written down in `cache_core.conditions`."""

from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.conditions import (
    EVERYTHING,
    LIVE,
    Below,
    Condition,
    CustomValue,
    Missing,
    NoneOf,
    OneOf,
    Order,
    Visibility,
    Where,
    Within,
    hold,
)
from cache_core.errors import WrongCacheUse
from cache_core.protocol import ByIds, CacheBackend, Row, Selected, Selection, one_by_one
from cache_core.records import RecordId

from .strategies import FIELDS, ORDERS, VISIBILITIES, conditions, relaxed
from .toys import hold_only, listing, moment, tag, toy, toy_of


async def ids(cache: CacheBackend, selection: Selection) -> list[RecordId]:
    return [row.id for row in await cache.select("toy", selection)]


async def test_many_ids_come_in_the_order_asked_each_once_and_missing_ones_are_named(
    cache: CacheBackend,
) -> None:
    await cache.apply(listing(toy(1), toy(2), toy(3)))
    found = await cache.get_many("toy", [3, 9, 1, 3, 8, 9])
    assert [row.id for row in found.rows] == [3, 1]
    assert found.missing == (9, 8)
    nothing = await cache.get_many("toy", [])
    assert (nothing.rows, nothing.missing) == ((), ())


async def test_forty_thousand_ids_are_answered(cache: CacheBackend) -> None:
    await cache.apply(listing(*(toy(number) for number in range(0, 40_000, 100))))
    found = await cache.get_many("toy", range(39_999, -1, -1))
    assert [row.id for row in found.rows] == list(range(39_900, -1, -100))
    assert len(found.missing) == 39_600


async def test_ids_that_no_row_can_have_are_missing(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1)))
    await cache.apply(listing(tag("1", "x"), tag("?", "y"), entity="toy_tag"))
    assert (await cache.get_many("toy", [2**70, -(2**70), "1", ""])).rows == ()
    assert (await cache.get_many("toy_tag", [1, "\ud800", "1\x00", ""])).rows == ()


async def test_rows_are_found_by_id_in_any_soft_state(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, deleted_at=moment()), toy(2, archived_at=moment()), toy(3)))
    found = await cache.get_many("toy", [1, 2, 3])
    states = [(row.deleted, row.archived) for row in found.rows]
    assert states == [(True, False), (False, True), (False, False)]


async def test_several_reads_in_one_give_what_each_gives_alone(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1), toy(2, deleted_at=moment()), toy(3)))
    await cache.apply(listing(tag("a", "x"), entity="toy_tag"))
    newest = Selection(order=Order("id", descending=True), limit=2, visibility=EVERYTHING, fields=frozenset(("id",)))
    reads = [
        ByIds("toy", [3, 9, 2, 3]),
        Selected("toy_tag", Selection(limit=5)),
        Selected("toy", newest),
        ByIds("toy", [1], frozenset(("id",))),
        ByIds("toy", []),
        Selected("toy", Selection((OneOf("id", (3,)),))),
    ]
    found = await cache.read(reads)
    assert [[row.id for row in rows] for rows in found] == [[3, 2], ["a"], [3, 2], [1], [], [3]]
    assert found == await one_by_one(cache, reads)
    assert await cache.read([]) == []
    with pytest.raises(WrongCacheUse):
        await cache.read([reads[0], Selected("unicorn", Selection())])


async def test_a_row_read_back_carries_its_version(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, version=7)))
    await cache.apply(listing(tag("a", "x"), entity="toy_tag"))
    assert (await cache.get_many("toy", [1])).rows[0].version == moment(7)
    assert (await cache.get_many("toy_tag", ["a"])).rows[0].version is None


@pytest.mark.parametrize(
    ("rows", "best", "ambiguous"),
    [
        ([], None, ()),
        ([toy(1, sku="K")], 1, ()),
        ([toy(1, sku="K"), toy(9, sku="K", archived_at=moment())], 1, ()),
        ([toy(1, sku="K", archived_at=moment()), toy(9, sku="K", deleted_at=moment())], 1, ()),
        ([toy(1, sku="K", deleted_at=moment()), toy(2, sku="K", deleted_at=moment())], 2, ()),
        (
            [
                toy(1, sku="K", deleted_at=moment()),
                toy(9, sku="K", deleted_at=moment(), archived_at=moment()),
            ],
            1,
            (),
        ),
        ([toy(10, sku="K"), toy(9, sku="K"), toy(11, sku="K", deleted_at=moment())], 10, (9, 10)),
        ([toy(1, sku="k"), toy(2, sku="K "), toy(3, sku=" K"), toy(4, name="K"), toy(5, sku=None)], None, ()),
    ],
)
async def test_a_key_finds_live_before_archived_before_deleted_then_the_highest_id(
    cache: CacheBackend, rows: list[Row], best: int | None, ambiguous: tuple[int, ...]
) -> None:
    await cache.apply(listing(*rows))
    match = await cache.find_by_key("toy", "K")
    assert (match.row.id if match.row else None) == best
    assert match.ambiguous == ambiguous


@pytest.mark.parametrize("key", ["00.4021.018.003", "AB-12/34.5_X", '"', "'", "a\x00b", "é", "e\u0301", "😀", " ", "%"])
async def test_any_key_is_found_exactly(cache: CacheBackend, key: str) -> None:
    await cache.apply(listing(toy(1, sku=key), toy(2, sku=key + "x"), toy(3, sku="other")))
    match = await cache.find_by_key("toy", key)
    assert match.row is not None
    assert match.row.id == 1


@pytest.mark.parametrize("key", ["", "\ud800", "missing", "x" * 100_000])
async def test_a_key_that_no_row_has_finds_nothing(cache: CacheBackend, key: str) -> None:
    await cache.apply(listing(toy(1, sku="?"), toy(2, sku=None), toy(3)))
    assert (await cache.find_by_key("toy", key)).row is None


async def test_a_changed_key_is_no_longer_found(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, sku="OLD")))
    await cache.apply(listing(toy(1, version=1, sku="NEW")))
    assert (await cache.find_by_key("toy", "OLD")).row is None
    assert (await cache.find_by_key("toy", "NEW")).row is not None


def expected(rows: Sequence[Row], selection: Selection) -> list[RecordId]:
    """Say what a selection must give, straight from the protocol's words."""
    seen = [row for row in rows if shown(row, selection.visibility) and hold(selection.where, row.record)]
    down = selection.order.descending
    seen.sort(key=lambda row: row.id, reverse=down)
    field = selection.order.field
    present = [row for row in seen if row.record.get(field) is not None]
    present.sort(key=lambda row: sortable(row, field), reverse=down)
    absent = [row for row in seen if row.record.get(field) is None]
    return [row.id for row in present + absent][selection.offset : selection.offset + selection.limit]


def sortable(row: Row, field: str) -> str | int | Decimal:
    value = row.record[field]
    assert isinstance(value, str | int | Decimal)
    return value


def shown(row: Row, visibility: Visibility) -> bool:
    return (visibility.deleted or not row.deleted) and (visibility.archived or not row.archived)


@relaxed
@given(
    st.lists(FIELDS, max_size=8),
    st.lists(conditions(), max_size=3).map(tuple),
    st.builds(Selection, st.just(()), ORDERS, st.integers(0, 9), st.integers(0, 4), VISIBILITIES),
)
async def test_selection_and_count_mean_what_the_conditions_say(
    cache: CacheBackend, fields: list[dict[str, object]], where: Where, window: Selection
) -> None:
    rows = [toy_of(number, values, number % 3) for number, values in enumerate(fields)]
    await hold_only(cache, rows)
    selection = window._replace(where=where)
    assert await ids(cache, selection) == expected(rows, selection)
    everything = selection._replace(limit=100, offset=0)
    assert await cache.count("toy", where, window.visibility) == len(expected(rows, everything))


_ROWS: list[dict[str, object]] = [{"item_id": 7, "custom_fields": {"a-b": 7}}, {"item_id": 8}]
_LISTED = [{"field_name": "Colour", "field_value": "red"}, {"field_name": "Size", "field_value": "L"}]


@pytest.mark.parametrize(
    ("condition", "record_ids"),
    [
        (OneOf("amount", (10,)), [1]),
        (OneOf("amount", ()), []),
        *[(OneOf(field, (Decimal(odd),)), []) for odd in ("NaN", "sNaN", "Infinity") for field in ("amount", "count")],
        *[(Within(field, high=Decimal("NaN")), []) for field in ("amount", "count")],
        (Below("count", Decimal("Infinity")), []),
        (CustomValue("custom_fields", ("grade",), (Decimal("NaN"), Decimal("sNaN"))), []),
        (NoneOf("amount", (10,)), [2, 3, 4]),
        (Within("amount", 10, 20), [1, 2]),
        (Within("amount"), [1, 2, 3]),
        (Within("amount", low=21), [3]),
        (Below("amount", 20), [1]),
        (Missing("amount"), [4]),
        (Missing("amount", missing=False), [1, 2, 3]),
        (OneOf("status", ("open", 10)), [2]),
        (Below("status", "a"), [1]),
        (OneOf("rows[].item_id", (7,)), [1, 3]),
        (NoneOf("rows[].item_id", (7,)), [2, 4]),
        (Within("rows[].item_id", 8, 9), [1]),
        (Missing("rows[].item_id"), [2, 4]),
        (OneOf("id", (2, 4)), [2, 4]),
        (Below("updated_at", moment(2)), [1]),
        (OneOf("no_such_field", (1,)), []),
        (Missing("no_such_field"), [1, 2, 3, 4]),
        (CustomValue("custom_fields", ("a-b",), ("red",)), [1]),
        (CustomValue("custom_fields", ("a-b", "Colour"), ("red",)), [1, 2]),
        (CustomValue("custom_fields", ("Colour",), ("red", 5)), [2]),
        (CustomValue("custom_fields", ("Size",), ("red",)), []),
        (CustomValue("custom_fields", ("grade",), (5,)), [1]),
        (CustomValue("custom_fields", ("grade",), ("5",)), []),
        (CustomValue("rows[].custom_fields", ("a-b",), (7,)), [1]),
        (CustomValue("custom_fields", ("a-b", "Size"), ()), [1, 2]),
        (CustomValue("custom_fields", ("none",), ()), []),
    ],
)
async def test_each_condition_selects_what_it_says(
    cache: CacheBackend, condition: Condition, record_ids: list[int]
) -> None:
    await cache.apply(
        listing(
            toy(
                1,
                version=1,
                amount=10,
                status="OPEN",
                rows=_ROWS,
                custom_fields={"a-b": "red", "grade": 5, "none": None},
            ),
            toy(2, version=2, amount=20, status="open", rows=[], custom_fields=_LISTED),
            toy(3, version=3, amount=30, status="ä", rows=[{"item_id": None}, {"item_id": 7}]),
            toy(4, version=4, amount=None, rows=None),
        )
    )
    assert await ids(cache, Selection((condition,), Order("id"))) == record_ids
    assert await cache.count("toy", (condition,)) == len(record_ids)


async def test_conditions_take_any_number_of_values(cache: CacheBackend) -> None:
    await cache.apply(listing(*(toy(number, count=number) for number in range(5))))
    many = tuple(range(3, 40_000))
    assert await ids(cache, Selection((OneOf("count", many),), Order("id"))) == [3, 4]
    assert await cache.count("toy", (OneOf("id", many),)) == 2
    assert await cache.count("toy", (NoneOf("count", many),)) == 3


async def test_deleted_and_archived_are_out_unless_asked_for(cache: CacheBackend) -> None:
    await cache.apply(
        listing(
            toy(1),
            toy(2, deleted_at=moment()),
            toy(3, archived_at=moment()),
            toy(4, deleted_at=moment(), archived_at=moment()),
        )
    )
    for visibility, record_ids in (
        (LIVE, [1]),
        (Visibility(deleted=True), [1, 2]),
        (Visibility(archived=True), [1, 3]),
        (EVERYTHING, [1, 2, 3, 4]),
    ):
        assert await ids(cache, Selection((), Order("id"), visibility=visibility)) == record_ids
        assert await cache.count("toy", visibility=visibility) == len(record_ids)


@pytest.mark.parametrize(
    ("field", "values", "rising", "falling"),
    [
        ("amount", [10, None, 9, 9], [3, 4, 1, 2], [1, 4, 3, 2]),
        ("status", ["b", "B", None, "a"], [2, 4, 1, 3], [1, 4, 2, 3]),
        ("no_such_field", [1, 2, 3, 4], [1, 2, 3, 4], [4, 3, 2, 1]),
        ("id", [None, None, None, None], [1, 2, 3, 4], [4, 3, 2, 1]),
    ],
)
async def test_nulls_come_last_either_way_and_ties_go_by_id(
    cache: CacheBackend, field: str, values: list[object], rising: list[int], falling: list[int]
) -> None:
    rows = [
        toy_of(number, ({} if field in {"id", "no_such_field"} else {field: value}))
        for number, value in enumerate(values, 1)
    ]
    await cache.apply(listing(*rows))
    assert await ids(cache, Selection((), Order(field))) == rising
    assert await ids(cache, Selection((), Order(field, descending=True))) == falling


async def test_windows_are_exact_at_their_edges(cache: CacheBackend) -> None:
    await cache.apply(listing(*(toy(number) for number in range(5))))
    order = Order("id")
    assert await ids(cache, Selection((), order, 2, 0)) == [0, 1]
    assert await ids(cache, Selection((), order, 2, 4)) == [4]
    assert await ids(cache, Selection((), order, 2, 5)) == []
    assert await ids(cache, Selection((), order, 0, 0)) == []
    assert await ids(cache, Selection((), order, 10**6, 10**6)) == []
    assert await ids(cache, Selection()) == [4, 3, 2, 1, 0]


async def test_reads_of_an_empty_cache_give_nothing(cache: CacheBackend) -> None:
    assert await cache.select("toy", Selection()) == ()
    assert await cache.count("toy") == 0
    assert (await cache.get_many("toy", [1])).missing == (1,)
