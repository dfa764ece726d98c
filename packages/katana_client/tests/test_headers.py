"""Headers in any state are read without harm."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katana_client.headers import MAX_WAIT, Cursor, read_cursor, read_rate, retry_after

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MS = int(NOW.timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("15", 15.0),
        (" 15 ", 15.0),
        ("0", 0.0),
        ("-5", 0.0),
        ("3600", MAX_WAIT),
        ("1e400", None),
        ("NaN", None),
        ("inf", None),
        ("soon", None),
        ("", None),
        (f"{'0' * 9_998}15", 15.0),
        (f"{'0' * 9_999}15", None),
        (format_datetime(NOW + timedelta(seconds=20), usegmt=True), 20.0),
        (format_datetime(NOW - timedelta(hours=1), usegmt=True), 0.0),
        (format_datetime(NOW + timedelta(hours=1), usegmt=True), MAX_WAIT),
    ],
)
def test_retry_after_is_understood_in_both_forms_and_capped(text: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": text}, NOW) == seconds


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [
        (str(MS + 40_000), 40.0),
        (str(MS // 1000 + 40), 40.0),
        (str(MS + 3_600_000), MAX_WAIT),
        (str(MS - 1), None),
        ("-1", None),
        ("NaN", None),
        ("", None),
        ("9" * 400, None),
    ],
)
def test_the_reset_time_is_understood_in_milliseconds_and_seconds_and_capped(reset: str, seconds: float | None) -> None:
    assert read_rate(200, {"x-ratelimit-reset": reset}, NOW).reset_in == seconds


def test_the_servers_own_date_beats_a_wrong_local_clock() -> None:
    headers = {
        "date": format_datetime(NOW + timedelta(minutes=5), usegmt=True),
        "x-ratelimit-reset": str(MS + 300_000 + 30_000),
        "retry-after": format_datetime(NOW + timedelta(minutes=5, seconds=10), usegmt=True),
    }
    assert read_rate(200, headers, NOW).reset_in == 30.0
    assert retry_after(headers, NOW) == 10.0


def test_only_a_429_makes_everyone_hold() -> None:
    headers = {"retry-after": "7", "x-ratelimit-reset": str(MS + 40_000)}
    assert read_rate(200, headers, NOW).hold == 0.0
    assert read_rate(429, headers, NOW).hold == 7.0
    assert read_rate(429, {"x-ratelimit-reset": str(MS + 40_000)}, NOW).hold == 40.0
    assert read_rate(429, {}, NOW).hold == 0.0


HEADER_TEXT = st.one_of(
    st.text(),
    st.integers().map(str),
    st.floats().map(str),
    st.datetimes().map(str),
    st.sampled_from(["9" * 500]),
)


@given(HEADER_TEXT, HEADER_TEXT, HEADER_TEXT, st.sampled_from([200, 429, 500]))
def test_no_header_raises_or_makes_anyone_wait_longer_than_65_seconds(
    after: str, reset: str, date: str, status: int
) -> None:
    headers = {"retry-after": after, "x-ratelimit-reset": reset, "date": date, "x-ratelimit-remaining": after}
    facts = read_rate(status, headers, NOW)
    assert 0 <= facts.hold <= MAX_WAIT
    assert facts.reset_in is None or 0 < facts.reset_in <= MAX_WAIT
    assert facts.remaining is None or facts.remaining >= 0


def test_the_cursor_reads_the_strings_katana_sends() -> None:
    text = '{"total_records":"2319","total_pages":"10","offset":"0","page":"1","last_page":"false"}'
    assert read_cursor({"x-pagination": text}) == Cursor(2319, 10, 1, last=False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        "{",
        '{"total_records":"-1","total_pages":"x"}',
        '{"total_records":1.5}',
        "[" * 9_000,
    ],
)
def test_an_unreadable_cursor_is_a_missing_one(text: str) -> None:
    assert read_cursor({"x-pagination": text}).missing


@given(
    st.recursive(
        st.none() | st.floats() | st.text(max_size=9),
        lambda children: st.dictionaries(st.text(), children),
        max_leaves=5,
    )
)
def test_no_cursor_raises(value: object) -> None:
    assert read_cursor({"x-pagination": json.dumps(value)}).missing
