"""Conditions mean what `conditions.hold` says, over typed columns, odd values and fields without a column."""

from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typed_orders import NOON, WEIRD

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
    Scalar,
    Within,
    hold,
)
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch, Row, Search, Selection
from cache_core.records import RecordId, canonical
from cache_core.search_rules import SearchText
from cache_core.specs.sales_orders import SALES_ORDER
from cache_typed.backend import TypedBackend
from cache_typed.compiling import compiled
from cache_typed.keys import is_primary_key
from cache_typed.mapping import layout_of
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE

RELAXED = settings(deadline=None, max_examples=120)

VALUES: dict[str, st.SearchStrategy[Scalar]] = {
    "id": st.integers(-1, 8),
    "customer_id": st.integers(0, 3) | st.sampled_from([2**63, -(2**70), Decimal("1.5"), Decimal("2.0")]),
    "status": st.sampled_from(["PACKED", "packed", "", "a\x00b", "漢", "\ud800", "PACK"]),
    "total": st.sampled_from([Decimal("10.10"), Decimal("10.1"), 10, Decimal("-1E-20"), 10**25, "10.10", "9"]),
    "conversion_rate": st.sampled_from([Decimal("1.0"), 1, "1.0"]),
    "delivery_date": st.sampled_from(["2025-01-01T00:00:00.000Z", "2025-01-02", "2026-01-01T00:00:00.000Z"]),
    "sales_order_rows[].variant_id": st.integers(0, 3),
    "sales_order_rows[].quantity": st.sampled_from([1, Decimal("1.0"), "1.00"]),
    "sales_order_rows[].odd": st.integers(0, 2),
    "shipping_fee[].amount": st.sampled_from(["6.75", Decimal(6)]),
    "custom_fields": st.sampled_from(["x", 1]),
    "unknown": st.integers(0, 2) | st.booleans(),
}
TYPICAL = st.fixed_dictionaries(
    {},
    optional={
        "customer_id": st.none() | st.integers(0, 3),
        "status": st.none() | VALUES["status"],
        "total": st.none() | VALUES["total"],
        "conversion_rate": st.none() | VALUES["conversion_rate"],
        "delivery_date": st.none() | VALUES["delivery_date"],
        "sales_order_rows": st.none()
        | st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "variant_id": st.none() | st.integers(0, 3),
                    "quantity": VALUES["sales_order_rows[].quantity"],
                    "odd": st.integers(0, 2),
                },
            ),
            max_size=3,
        ),
        "shipping_fee": st.none() | st.builds(dict[str, int]) | st.just({"amount": "6.75"}),
        "custom_fields": st.none() | st.builds(dict[str, int]) | st.just([1, "x", None]),
        "unknown": st.integers(0, 2) | st.booleans(),
    },
)
STRANGE = st.dictionaries(st.sampled_from([name for name in VALUES if "[" not in name]), WEIRD, max_size=3)


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    """Draw a condition, its values now and then of another field's kind."""
    name = draw(st.sampled_from(sorted(VALUES)))
    value = VALUES[draw(st.sampled_from([name, name, name, *sorted(VALUES)]))]
    side = st.none() | value
    values = st.lists(value, max_size=4).map(tuple)
    return draw(
        st.one_of(
            st.builds(OneOf, st.just(name), values),
            st.builds(NoneOf, st.just(name), values),
            st.builds(Within, st.just(name), side, side),
            st.builds(Below, st.just(name), value),
            st.builds(Missing, st.just(name), st.booleans()),
        )
    )


def rows_of(records: list[dict[str, object]]) -> tuple[Row, ...]:
    """Return rows that a search for `x` finds, every third archived."""
    text = SearchText(names="x")
    return tuple(
        Row(nr, NOON, canonical({"id": nr, **record}), text, archived=nr % 3 == 2) for nr, record in enumerate(records)
    )


@given(
    st.lists(TYPICAL | STRANGE, max_size=6),
    st.lists(conditions(), max_size=3).map(tuple),
    st.builds(Order, st.sampled_from(["id", "status", "total", "delivery_date", "unknown"]), st.booleans()),
    st.sampled_from([LIVE, EVERYTHING]),
)
@example(
    [{"id": 0}, {}, {"delivery_date": "2025-01-02"}], (Missing("delivery_date", missing=False),), Order("id"), LIVE
)
@example([{"customer_id": 1}], (Within("customer_id", -(2**63), 2**63), Below("customer_id", 2**63)), Order("id"), LIVE)
@example([{"customer_id": 1}], (OneOf("customer_id", (2**63, -(2**64))),), Order("id"), LIVE)
@RELAXED
async def test_every_read_agrees_with_the_reference(
    records: list[dict[str, object]], where: tuple[Condition, ...], order: Order, visibility: object
) -> None:
    assert visibility in {LIVE, EVERYTHING}
    seen = EVERYTHING if visibility == EVERYTHING else LIVE
    for record in records:
        if isinstance(record.get(order.field), dict):
            del record[order.field]
    batch = Batch(entity="sales_order", at=NOON, upserts=rows_of(records))
    typed, memory = TypedBackend(None, (SALES_ORDER_TABLE,)), MemoryBackend([SALES_ORDER])
    await typed.open()
    answers: list[object] = []
    for cache in (typed, memory):
        await cache.apply(batch)
        selection = Selection(where, order, limit=3, offset=1, visibility=seen)
        hits = (await cache.search("sales_order", Search("x", limit=2, where=where, visibility=seen))).hits
        answers.append(
            (
                [row.id for row in await cache.select("sales_order", selection)],
                await cache.count("sales_order", where, seen),
                [hit.row.id for hit in hits],
            )
        )
    await typed.close()
    assert answers[0] == answers[1]


async def test_ten_thousand_values_fit_one_statement() -> None:
    cache = TypedBackend(None, (SALES_ORDER_TABLE,))
    await cache.open()
    await cache.apply(Batch(entity="sales_order", at=NOON, upserts=rows_of([{}, {"customer_id": 9_999}])))
    many = tuple(range(10_000))
    where = (OneOf("customer_id", many), OneOf("id", many), NoneOf("status", tuple(map(str, many))))
    assert [row.id for row in await cache.select("sales_order", Selection(where))] == [1]
    await cache.close()


TEXTS = ("red", 'a"b', "back\\slash", "漢", "line\nfeed", "é", "", "{}", "[]")


async def test_texts_inside_of_nested_columns_are_found_as_the_reference_finds_them() -> None:
    objects: list[object] = [{"g": value, "other": 1} for value in (*TEXTS, 5, None)]
    lists: list[object] = [[{"field_name": "g", "field_value": text}] for text in TEXTS]
    held: list[object] = [*objects, *lists, dict[str, object](), list[object](), None]
    rows = [
        Row(nr, NOON, canonical({"id": nr, "custom_fields": value}), SearchText()) for nr, value in enumerate(held, 1)
    ]
    typed, reference = TypedBackend(None, (SALES_ORDER_TABLE,)), MemoryBackend((SALES_ORDER,))
    conditions = [
        *(CustomValue("custom_fields", ("g",), (text,)) for text in TEXTS),
        *(OneOf("custom_fields[].field_value", (text,)) for text in TEXTS),
        CustomValue("custom_fields", ("g",), ("red", 5)),
        CustomValue("custom_fields", ("g",), ("nobody", 'a"b')),
        CustomValue("custom_fields", ("g",), ()),
    ]
    for cache in (typed, reference):
        await cache.open()
        await cache.apply(Batch(entity="sales_order", at=NOON, upserts=rows))
    for condition in conditions:
        found, expected = [
            [row.id for row in await cache.select("sales_order", Selection((condition,), Order("id"), 100))]
            for cache in (typed, reference)
        ]
        assert found == expected, condition
        assert expected, condition
    await typed.close()


@pytest.mark.parametrize(
    ("values", "is_narrowed"), [(("red",), True), (("red", "blue"), True), (("red", 5), False), ((5,), False)]
)
def test_only_texts_inside_of_a_nested_column_are_looked_for_beforehand(
    values: tuple[str | int, ...], is_narrowed: bool
) -> None:
    clause = compiled(layout_of(SALES_ORDER_TABLE), (CustomValue("custom_fields", ("g",), values),), EVERYTHING)
    assert (len(clause.parts), len(clause.left)) == (1 if is_narrowed else 0, 1)


@pytest.mark.parametrize("edge", [2**63 - 1, -(2**63)])
async def test_the_greatest_and_the_least_number_of_a_column_are_found(edge: int) -> None:
    cache = TypedBackend(None)
    await cache.open()
    rows = [Row(nr, NOON, canonical({"id": nr, "customer_id": key}), SearchText()) for nr, key in ((1, edge), (2, 7))]
    await cache.apply(Batch(entity="sales_order", at=NOON, upserts=rows))
    for value, expected in ((edge, [1]), (Decimal(edge), [1]), (edge + 1, []), (edge - 1, [])):
        found = await cache.select("sales_order", Selection((OneOf("customer_id", (value,)),)))
        assert [row.id for row in found] == expected
    for bound in (edge - 1, edge, edge + 1):
        for condition in (
            Within("customer_id", low=bound),
            Within("customer_id", high=bound),
            Below("customer_id", bound),
        ):
            found = await cache.select("sales_order", Selection((condition,)))
            assert {row.id for row in found} == {row.id for row in rows if hold((condition,), row.record)}, condition
    await cache.close()


@pytest.mark.parametrize(
    ("value", "expected"), [(0, True), (7, True), (2**63 - 1, True), (2**63, False), (-1, False), ("7", False)]
)
def test_an_id_is_its_own_key_where_the_column_holds_it(value: RecordId, *, expected: bool) -> None:
    assert is_primary_key(layout_of(SALES_ORDER_TABLE), value) is expected
