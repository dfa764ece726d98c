"""The days of an account: midnight to midnight in its factory's time zone, 23 or 25 hours where clocks change.

A date without a time, or a moment without an offset, is one of that zone; UTC where the zone is not known. People are
shown days and hours of that zone too.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_SECOND = timedelta(seconds=1)
_LAST = timedelta(milliseconds=1)
"""Katana keeps milliseconds, so this long before the next day the last moment of a day is."""


@dataclass(frozen=True, slots=True)
class Days:
    """The days of one time zone.

    Attributes:
        zone: the time zone.
        name: of it.
        unknown: what the factory calls its zone, where no such zone is known here; empty where it says none.
    """

    zone: tzinfo = UTC
    name: str = "UTC"
    unknown: str | None = None

    def moment(self, naive: datetime) -> datetime:
        """Return the moment that a clock on the wall of the factory shows, with its offset.

        Where clocks show it twice, the first one; where they skip it, the moment at which they do.

        Raises:
            OverflowError: it lies outside of the years 1 to 9999 in UTC.
        """
        first = naive.replace(tzinfo=self.zone, fold=0).astimezone(UTC)
        if first.astimezone(self.zone).replace(tzinfo=None) == naive:
            return first
        return self._jump(naive.replace(tzinfo=self.zone, fold=1).astimezone(UTC), first)

    def _jump(self, low: datetime, high: datetime) -> datetime:
        """Return the second, after `low` and up to `high`, at which clocks are set forward."""
        before = low.astimezone(self.zone).utcoffset()
        while high - low > _SECOND:
            middle = low + (high - low) / 2
            if middle.astimezone(self.zone).utcoffset() == before:
                low = middle
            else:
                high = middle
        return high.replace(microsecond=0)

    def start(self, day: date) -> datetime:
        """Return the first moment of a day.

        Raises:
            OverflowError: it lies outside of the years 1 to 9999 in UTC.
        """
        return self.moment(datetime.combine(day, time()))

    def end(self, day: date) -> datetime:
        """Return the last millisecond of a day.

        Raises:
            OverflowError: it lies outside of the years 1 to 9999 in UTC.
        """
        return self.start(day + timedelta(days=1)) - _LAST

    def today(self, now: datetime) -> datetime:
        """Return the first moment of the day that it is now."""
        return _today(self, now.replace(second=0, microsecond=0))

    def tonight(self, now: datetime) -> datetime:
        """Return the last millisecond of the day that it is now."""
        return self.end(now.astimezone(self.zone).date())

    def wall(self, moment: datetime) -> str:
        """Return a moment as a clock on the wall of the factory shows it, with its offset."""
        try:
            return moment.astimezone(self.zone).isoformat()
        except OverflowError:
            return moment.isoformat()

    def day(self, text: str) -> str:
        """Return the day of a moment of Katana's, as its pages show it; a text that is none as it stands."""
        return _day(self, text)

    def day_in(self, text: str) -> str:
        """Return a text with the day of each moment in it in place of the moment."""
        return _MOMENT.sub(lambda found: self._wall(found[0])[:_DAY], text)

    def in_words(self, text: str) -> str:
        """Return a text with each moment in it as people say it: `2026-03-08`, which begins then, or the hour there.

        Both mean the same as what they replace wherever a date is taken.
        """
        return _MOMENT.sub(self._said, text)

    def _said(self, found: re.Match[str]) -> str:
        wall = self._wall(found[0])
        try:
            begins = self.start(date.fromisoformat(wall[:_DAY])) == datetime.fromisoformat(found[0])
        except (ValueError, OverflowError):
            return wall
        return wall[:_DAY] if begins else wall

    def _wall(self, text: str) -> str:
        try:
            return self.wall(datetime.fromisoformat(text).replace(microsecond=0))
        except ValueError:
            return text


_MOMENT = re.compile(r"\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})(?!\w)")
_DAY = len("2026-03-08")


@lru_cache(maxsize=64)
def _today(days: Days, minute: datetime) -> datetime:
    return days.start(minute.astimezone(days.zone).date())


@lru_cache(maxsize=8_192)
def _day(days: Days, text: str) -> str:
    """Return the day of a moment; a list shows the same few moments again and again."""
    return days.day_in(text)


def is_moment(field: str) -> bool:
    """Return whether a field of Katana's holds a moment, as all do that are called so."""
    return field.endswith(("_date", "_at", "_deadline"))


IN_UTC = Days()


@lru_cache(maxsize=64)
def days_in(name: str | None) -> Days:
    """Return the days of a zone by its name, those of UTC where no such zone is known."""
    if not name:
        return Days(unknown="")
    try:
        return Days(ZoneInfo(name), name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return Days(unknown=name)


@dataclass(slots=True)
class DayReading:
    """How the dates of one request are read, and whether any of them meant a day or an hour of the factory."""

    days: Days = IN_UTC
    used: bool = False
