"""Response headers read into facts: cursor, rate limit, retry-after. Total: any text in, no exception out."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_WAIT = 65.0
"""No header makes anyone wait longer, in seconds."""
_FIRST_MILLISECOND_STAMP = 1e11
_MAX_COUNT = 10**12
_MAX_HEADER = 10_000


@dataclass(frozen=True, slots=True)
class Cursor:
    """The readable part of `X-Pagination` (facts 1.5); None where missing or unreadable.

    Attributes:
        total_records: Rows of the whole listing.
        total_pages: Pages of the whole listing at the page size asked for.
        page: The page answered.
        last: Whether Katana calls it the last.
    """

    total_records: int | None = None
    total_pages: int | None = None
    page: int | None = None
    last: bool | None = None

    @property
    def missing(self) -> bool:
        """Whether the totals are unavailable."""
        return self.total_records is None or self.total_pages is None


@dataclass(frozen=True, slots=True)
class RateFacts:
    """What one answer told about the key's quota (facts 1.4).

    Attributes:
        limit: Requests per window, at least 1.
        remaining: Requests left in the server's window, at least 0.
        reset_in: Seconds until that window ends, 0 < x ≤ 65; None when absent, past or unreadable.
        hold: Seconds during which nobody may send, 0 to 65; 0 unless the answer was a 429.
    """

    limit: int | None = None
    remaining: int | None = None
    reset_in: float | None = None
    hold: float = 0.0


def read_cursor(headers: Mapping[str, str]) -> Cursor:
    """Read `X-Pagination`, whose values are strings on the wire."""
    text = headers.get("x-pagination", "")
    if not text or len(text) > _MAX_HEADER:
        return Cursor()
    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError):
        return Cursor()
    if not isinstance(parsed, dict):
        return Cursor()
    values = cast("dict[str, object]", parsed)
    flag = str(values.get("last_page")).strip().lower()
    return Cursor(
        total_records=_count(values.get("total_records")),
        total_pages=_count(values.get("total_pages")),
        page=_count(values.get("page")),
        last={"true": True, "false": False}.get(flag),
    )


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return `Retry-After` in seconds, 0 to 65, from either of its forms; None when absent or unreadable.

    Args:
        headers: Names in lower case.
        now: The local time, used for the date form when the answer has no `Date` of its own.
    """
    text = headers.get("retry-after", "").strip()
    if not text or len(text) > _MAX_HEADER:
        return None
    seconds = _number(text)
    if seconds is None:
        moment = _http_date(text)
        if moment is None:
            return None
        seconds = (moment - _server_time(headers, now)).total_seconds()
    return min(max(seconds, 0.0), MAX_WAIT)


def read_rate(status: int, headers: Mapping[str, str], now: datetime) -> RateFacts:
    """Read the quota headers. `X-Ratelimit-Reset` is in epoch milliseconds; seconds are understood too.

    Args:
        status: HTTP status; only a 429 makes everyone hold.
        headers: Names in lower case.
        now: The local time, used when the answer has no `Date` of its own.
    """
    reset_in = _reset_in(headers, now)
    hold = 0.0
    if status == 429:
        seconds = retry_after(headers, now)
        hold = seconds if seconds is not None else reset_in or 0.0
    limit = _count(headers.get("x-ratelimit-limit"))
    return RateFacts(limit or None, _count(headers.get("x-ratelimit-remaining")), reset_in, hold)


def _reset_in(headers: Mapping[str, str], now: datetime) -> float | None:
    stamp = _number(headers.get("x-ratelimit-reset", ""))
    if stamp is None or stamp <= 0:
        return None
    seconds = stamp / 1000 if stamp >= _FIRST_MILLISECOND_STAMP else stamp
    ahead = seconds - _server_time(headers, now).timestamp()
    return min(ahead, MAX_WAIT) if ahead > 0 else None


def _server_time(headers: Mapping[str, str], now: datetime) -> datetime:
    return _http_date(headers.get("date", "")) or now


def _http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, TypeError, IndexError, OverflowError, AttributeError):
        return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _count(value: object) -> int | None:
    text = str(value).strip()
    if isinstance(value, bool) or len(text) > 15 or not (text.isascii() and text.isdigit()):
        return None
    number = int(text)
    return number if number <= _MAX_COUNT else None
