import uuid
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cache_core.records import InvalidRecord, as_id, canonical, decode, encode, iso, values_at

SCALARS = st.none() | st.booleans() | st.integers() | st.text() | st.decimals(allow_nan=False, allow_infinity=False)
RECORDS = st.dictionaries(
    st.text(), st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
)


@settings(max_examples=50)
@given(RECORDS)
def test_a_record_survives_to_the_last_digit(record: dict[str, object]) -> None:
    assert decode(encode(record)) == record


@pytest.mark.parametrize("digits", ["0.1000000000", "1E-7", "12345678901234567890.123", "-0.5"])
def test_decimals_keep_their_digits(digits: str) -> None:
    assert str(canonical({"x": Decimal(digits)})["x"]) == digits


@pytest.mark.parametrize("note", ["plain", "\ud800"])
def test_moments_dates_and_uuids_are_kept_whatever_stands_beside_them(note: str) -> None:
    moment, key = datetime(2026, 3, 2, 10, 0, tzinfo=UTC), uuid.UUID(int=7)
    stored = canonical({"note": note, "rows": [{"at": moment, "on": moment.date(), "key": key}]})
    (row,) = cast("list[dict[str, str]]", stored["rows"])
    assert datetime.fromisoformat(row["at"]) == moment
    assert (row["on"], row["key"]) == ("2026-03-02", str(key))


def test_moments_dates_and_uuids_have_one_form() -> None:
    moment = datetime(2026, 3, 2, 10, 0, 0, 123_456, tzinfo=timezone(timedelta(hours=2)))
    key = uuid.UUID(int=7)
    stored = canonical({"at": moment, "key": key})
    assert str(stored["at"]).startswith("2026-03-02T")
    assert stored["key"] == str(key)
    assert iso(moment) == "2026-03-02T08:00:00.123Z"
    assert iso(datetime(2026, 1, 1, tzinfo=UTC)) == "2026-01-01T00:00:00.000Z"


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), Decimal("-Infinity"), open, object()])
def test_a_value_without_a_json_form_is_named(value: object) -> None:
    with pytest.raises(InvalidRecord, match=r"rows\[1\]\.quantity"):
        encode({"rows": [{}, {"quantity": value}]})


def test_a_float_that_is_not_finite_is_nothing() -> None:
    assert canonical({"a": float("nan"), "b": float("inf")}) == {"a": None, "b": None}


def test_the_word_nan_in_a_text_is_a_text() -> None:
    assert canonical({"note": "NaN Infinity"}) == {"note": "NaN Infinity"}


def test_a_lone_surrogate_costs_one_character_and_not_the_record() -> None:
    assert canonical({"note": "a\ud800b", "id": 1}) == {"note": "a?b", "id": 1}


@pytest.mark.parametrize("data", ["", "[]", "{", "nonsense"])
def test_what_is_no_object_is_no_record(data: str) -> None:
    with pytest.raises(InvalidRecord):
        decode(data)


def test_a_path_steps_into_lists_and_leaves_nulls_out() -> None:
    record = {"rows": [{"id": 1}, {"id": None}, {}, 5, {"id": 2}], "codes": ["a", None], "address": {"city": "Oslo"}}
    assert list(values_at(record, "rows[].id")) == [1, 2]
    assert list(values_at(record, "codes[]")) == ["a"]
    assert list(values_at(record, "address.city")) == ["Oslo"]
    assert list(values_at(record, "nothing[].id")) == []


@pytest.mark.parametrize("value", [True, False, None, 2**63, Decimal(1), 1.0, "\ud800", [1], {}])
def test_what_cannot_identify_a_record_is_no_id(value: object) -> None:
    assert as_id(value) is None


@pytest.mark.parametrize("value", [0, -1, 2**63 - 1, "a", "", "1"])
def test_whole_numbers_and_texts_are_ids(value: int | str) -> None:
    assert as_id(value) == value
