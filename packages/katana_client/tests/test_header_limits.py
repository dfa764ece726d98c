"""Headers at the edges of what is believed: lengths, counts, stamps, and dates without a zone."""

from datetime import UTC, datetime

import pytest

from katana_client import RateFacts
from katana_client.headers import Cursor, read_cursor, read_rate, retry_after

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECONDS = int(NOW.timestamp())


@pytest.mark.parametrize(
    ("cursor", "missing"),
    [
        (Cursor(), True),
        (Cursor(1), True),
        (Cursor(None, 1), True),
        (Cursor(0, 0), False),
    ],
)
def test_a_cursor_is_missing_unless_it_has_both_totals(cursor: Cursor, *, missing: bool) -> None:
    assert cursor.missing is missing


@pytest.mark.parametrize(("flag", "last"), [('" True "', True), ("true", True), ("false", False), ('"yes"', None)])
def test_the_last_page_is_said_by_true_or_false(flag: str, *, last: bool | None) -> None:
    assert read_cursor({"x-pagination": f'{{"last_page":{flag}}}'}) == Cursor(last=last)


@pytest.mark.parametrize(("length", "page"), [(9_999, 3), (10_000, 3), (10_001, None)])
def test_a_cursor_of_more_than_ten_thousand_characters_is_not_read(length: int, page: int | None) -> None:
    text = '{"page":3}'
    assert read_cursor({"x-pagination": text + " " * (length - len(text))}) == Cursor(page=page)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("0", 0),
        (" 7 ", 7),
        ("-1", None),
        ("٣", None),
        ("true", None),
        ('"true"', None),
        ("1.0", None),
        ("999999999999", 999_999_999_999),
        ("1000000000000", 10**12),
        ("1000000000001", None),
        ('"00000000000007"', 7),
        ('"000000000000007"', 7),
        ('"0000000000000007"', None),
    ],
)
def test_a_count_is_a_whole_number_of_fifteen_digits_at_most(text: str, count: int | None) -> None:
    cursor = read_cursor({"x-pagination": f'{{"total_records":{text if text != "٣" else chr(34) + text + chr(34)}}}'})
    assert cursor == Cursor(total_records=count)


def test_a_limit_of_nothing_is_no_limit() -> None:
    headers = {"x-ratelimit-limit": "0", "x-ratelimit-remaining": "0"}
    assert read_rate(200, headers, NOW) == RateFacts(None, 0, None, 0.0)
    assert read_rate(200, headers | {"x-ratelimit-limit": "60"}, NOW) == RateFacts(60, 0, None, 0.0)


@pytest.mark.parametrize(
    ("now", "reset", "ahead"),
    [
        (0, "0", None),
        (0, "1", 1.0),
        (0, "0.5", 0.5),
        (-1, "0", None),
        (-5, "-1", None),
        (SECONDS, str(SECONDS), None),
        (SECONDS, str(SECONDS + 0.5), 0.5),
        (99_999_950, "100000000000", 50.0),
        (99_999_950, "100000000001", 50.001),
    ],
)
def test_a_window_ends_after_now(now: int, reset: str, ahead: float | None) -> None:
    facts = read_rate(200, {"x-ratelimit-reset": reset}, datetime.fromtimestamp(now, UTC))
    assert facts.reset_in == (None if ahead is None else pytest.approx(ahead))


@pytest.mark.parametrize(
    ("date", "seconds"),
    [
        ("Thu, 01 Jan 2026 00:00:20 GMT", 20.0),
        ("Thu, 01 Jan 2026 00:00:20 -0000", 20.0),
        ("Thu, 01 Jan 2026 02:00:20 +0200", 20.0),
        ("Thu, 32 Jan 2026 00:00:20 GMT", None),
    ],
)
def test_a_date_without_a_zone_is_in_utc(date: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": date}, NOW) == seconds


def test_without_a_retry_after_a_429_holds_until_the_window_ends() -> None:
    facts = read_rate(429, {"retry-after": "0", "x-ratelimit-reset": str(SECONDS + 9)}, NOW)
    assert facts == RateFacts(None, None, 9.0, 0.0)
    assert read_rate(429, {"x-ratelimit-reset": str(SECONDS + 9)}, NOW) == RateFacts(None, None, 9.0, 9.0)
