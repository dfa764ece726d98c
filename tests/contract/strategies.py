"""Hypothesis strategies: JSON values, toy records, conditions and queries, hostile ones among them."""

from collections.abc import Sequence
from decimal import Decimal

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from cache_core.conditions import Below, Condition, Missing, NoneOf, OneOf, Order, Visibility, Within

from .toys import HOSTILE_TEXTS, moment

ANY_TEXT = st.text(st.characters(), max_size=30) | st.sampled_from(HOSTILE_TEXTS)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20) | st.sampled_from(
    [
        Decimal("0.1"),
        Decimal("0.10"),
        Decimal("9007199254740993.0"),
        Decimal(12345678901234567890),
        Decimal(12345678901234567891),
        Decimal("-0.5"),
        Decimal("1E+3"),
    ]
)
WHOLE = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**25), 10**25) | DECIMALS | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)
MOMENTS = st.sampled_from([moment(seconds) for seconds in (0, 0.001, 59.999, 3600, 86400)])
STATUSES = st.sampled_from(["OPEN", "DONE", "open", "", "ÄRA", "DONE ", "a\x00b", "a"])
AMOUNTS = st.sampled_from([Decimal("0.1"), Decimal("0.10"), Decimal(-2), Decimal(3), 3, 0]) | DECIMALS
SMALL = st.integers(-2, 4)

ROWS = st.lists(
    st.fixed_dictionaries({}, optional={"item_id": st.none() | SMALL, "note": st.none() | STATUSES}),
    max_size=3,
)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "status": st.none() | STATUSES,
        "amount": st.none() | AMOUNTS,
        "count": st.none() | SMALL,
        "flag": st.none() | st.booleans(),
        "due": st.none() | MOMENTS,
        "rows": st.none() | ROWS,
        "deleted_at": st.none() | MOMENTS,
        "archived_at": st.none() | MOMENTS,
    },
)

SCALARS = {
    "status": STATUSES,
    "amount": AMOUNTS,
    "count": SMALL,
    "flag": st.booleans(),
    "due": MOMENTS,
    "rows[].item_id": SMALL,
    "rows[].note": STATUSES,
}
SORTABLE = ("id", "status", "amount", "count", "due", "updated_at")
VISIBILITIES = st.builds(Visibility, deleted=st.booleans(), archived=st.booleans())
ORDERS = st.builds(Order, st.sampled_from(SORTABLE), descending=st.booleans())


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    """Draw any condition, now and then with a value of another kind than the field's."""
    field = draw(st.sampled_from(sorted(SCALARS)))
    other = draw(st.sampled_from(sorted(SCALARS)))
    value = SCALARS[draw(st.sampled_from([field, field, field, other]))]
    values = st.lists(value, max_size=4).map(tuple)
    side = st.none() | value
    return draw(
        st.one_of(
            st.builds(OneOf, st.just(field), values),
            st.builds(NoneOf, st.just(field), values),
            st.builds(Within, st.just(field), side, side),
            st.builds(Below, st.just(field), value),
            st.builds(Missing, st.just(field), st.booleans()),
        )
    )


WORDS = (
    "red",
    "redder",
    "blue",
    "tür",
    "TUR",
    "été",
    "e\u0301te\u0301",
    "00.4021",
    "018.003",
    "x_1",
    "straße",
    "漢字",
    "1",
)
_SEPARATORS = ("", " ", "-", ".", "_", "/", " \x00 ", "😀")


@st.composite
def phrases(draw: st.DrawFn, words: Sequence[str] = WORDS) -> str:
    """Draw a few words from a small vocabulary, joined by any separators, in any case."""
    text = ""
    for word in draw(st.lists(st.sampled_from(words), max_size=4)):
        text += draw(st.sampled_from(_SEPARATORS)) + draw(st.sampled_from([word, word.upper(), word[:2]]))
    return text


TEXT_FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "sku": st.none() | phrases(),
        "name": st.none() | phrases(),
        "second_name": st.none() | phrases(),
        "codes": st.none() | st.lists(phrases(), max_size=3),
        "barcode": st.none() | phrases(),
        "rows": st.none() | st.lists(st.fixed_dictionaries({"note": st.none() | phrases()}), max_size=2),
        "deleted_at": st.none() | MOMENTS,
        "archived_at": st.none() | MOMENTS,
        "status": STATUSES,
    },
)
QUERIES = phrases() | ANY_TEXT

relaxed = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=40,
)
"""Examples share one cache, which each of them empties first: that is what makes them affordable."""
