"""Moments: ISO-8601 text with a zone in, UTC with milliseconds out."""

import re
from datetime import UTC, datetime, timedelta

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def parse_moment(text: str) -> datetime | None:
    """The moment in UTC, or None when the text has no zone, no time, or no meaning."""
    match = _MOMENT.fullmatch(text)
    if match is None:
        return None
    try:
        return datetime.fromisoformat(_six_places(text)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def wire_moment(moment: datetime) -> str:
    """Wire text: `2021-09-01T07:49:29.813Z`."""
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def stored_moment(value: object) -> object:
    """The stored form of a date-time that a body gave; anything but a moment passes unchanged."""
    moment = parse_moment(value) if isinstance(value, str) else None
    return value if moment is None else wire_moment(moment)


def epoch_ms(moment: datetime) -> int:
    """Whole milliseconds since 1970."""
    return (moment - _EPOCH) // _MILLISECOND


def moment_of_ms(milliseconds: int) -> datetime:
    """The moment so many milliseconds after 1970."""
    return _EPOCH + milliseconds * _MILLISECOND


def ms_of(value: object) -> int | None:
    """Milliseconds of a wire date-time, or None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return epoch_ms(moment) if moment.tzinfo is not None else None


def _six_places(text: str) -> str:
    return re.sub(r"\.(\d{6})\d+", r".\1", text)
