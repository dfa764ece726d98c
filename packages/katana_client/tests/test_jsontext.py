"""Numbers pass in both directions without losing a digit."""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import cast
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katana_client.errors import InvalidRequest
from katana_client.jsontext import UNREADABLE, decode, encode


def test_each_kind_of_value_has_one_exact_form() -> None:
    body: dict[str, object] = {
        "a": Decimal("0.1000000000"),
        "b": Decimal("12345678901234567890.12345678901234567890"),
        "c": Decimal("1E-7"),
        "d": datetime(2026, 1, 2, 3, 4, 5, 6_000, tzinfo=timezone(timedelta(hours=2))),
        "e": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        "f": date(2026, 1, 2),
        "g": UUID(int=1),
        "h": [None, True, False, 0, -7, 'ä\u2028"\\'],
        "i": 0.1,
        "j": {},
    }
    assert encode(body).decode() == (
        '{"a":0.1000000000,"b":12345678901234567890.12345678901234567890,"c":0.0000001,'
        '"d":"2026-01-02T03:04:05.006+02:00","e":"2026-01-02T03:04:05.000Z","f":"2026-01-02",'
        '"g":"00000000-0000-0000-0000-000000000001","h":[null,true,false,0,-7,"\\u00e4\\u2028\\"\\\\"],"i":0.1,"j":{}}'
    )


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_a_decimal_survives_the_round_trip(number: Decimal) -> None:
    back = decode(encode([number]))
    value = Decimal(cast("list[Decimal | int]", back)[0])
    assert value == number
    if number.adjusted() in range(-60, 1):
        assert str(value.as_tuple()) == str(number.as_tuple())


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda children: st.lists(children, max_size=5) | st.dictionaries(st.text(), children, max_size=5),
        max_leaves=20,
    )
)
def test_what_is_encoded_is_what_the_standard_library_reads(value: object) -> None:
    assert json.loads(encode(value)) == value


@pytest.mark.parametrize(
    "value",
    [Decimal("NaN"), Decimal("Infinity"), float("inf"), datetime(2026, 1, 1), {1: 2}, object(), b"x"],  # noqa: DTZ001 - naive on purpose
)
def test_what_has_no_form_is_refused(value: object) -> None:
    with pytest.raises(InvalidRequest):
        encode(value)


def test_deep_nesting_is_refused_in_both_directions() -> None:
    deep: object = 1
    for _ in range(1_000):
        deep = [deep]
    with pytest.raises(InvalidRequest):
        encode(deep)
    assert decode(b"[" * 100_000) is UNREADABLE


def test_numbers_that_python_cannot_hold_cost_a_value_and_not_the_page() -> None:
    body = b'[{"a":1e99999999999999999999},{"a":' + b"9" * 5_000 + b'},{"a":NaN},{"a":1.50}]'
    read = cast("list[dict[str, object]]", decode(body))
    assert read[0]["a"] == "1e99999999999999999999"
    assert read[1]["a"] == "9" * 5_000
    assert read[2]["a"] == "NaN"
    assert read[3]["a"] == Decimal("1.50")


@given(st.binary())
def test_no_body_breaks_decoding(body: bytes) -> None:
    decode(body)
