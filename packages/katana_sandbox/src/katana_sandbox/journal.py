"""Every request the sandbox saw, and what became of it."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from typing import overload

from katana_sandbox.calls import PREFIX


def key_digest(key: str) -> str:
    """A short name for a key that does not give it away."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def below_prefix(path: str) -> str:
    """A path without the version prefix."""
    return path.removeprefix(PREFIX) if path.startswith(PREFIX + "/") else path


@dataclass(slots=True)
class JournalEntry:
    """One request. `status` is None when no answer was given, `seconds` is monotonic time.

    `problem` is what went wrong inside the sandbox when it answered 500 of its own accord.
    """

    method: str
    path: str
    query: list[tuple[str, str]]
    body: bytes
    key: str
    tenant: str | None
    at: datetime
    seconds: float
    status: int | None = None
    fault: str | None = None
    problem: str | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])


class Journal:
    """Entries in the order of arrival."""

    def __init__(self) -> None:
        self._entries: list[JournalEntry] = []

    def append(self, entry: JournalEntry) -> None:
        """Add an entry."""
        self._entries.append(entry)

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[JournalEntry]:
        return iter(self._entries)

    @overload
    def __getitem__(self, index: int) -> JournalEntry: ...
    @overload
    def __getitem__(self, index: slice) -> list[JournalEntry]: ...
    def __getitem__(self, index: int | slice) -> JournalEntry | list[JournalEntry]:
        return self._entries[index]

    def requests(self, method: str | None = None, path: str | None = None) -> list[JournalEntry]:
        """Entries of a method and of a path, which may be a pattern with `*` and need not begin with /v1."""
        pattern = None if path is None else below_prefix(path)
        return [
            entry
            for entry in self._entries
            if (method is None or entry.method == method.upper())
            and (pattern is None or fnmatchcase(below_prefix(entry.path), pattern))
        ]

    def max_in_window(self, key: str | None, seconds: float) -> int:
        """The most requests of one key (its plain text) inside any window of so many seconds.

        Without a key: the largest of all keys' maxima.
        """
        times: dict[str, list[float]] = {}
        for entry in self._entries:
            if key is None or entry.key == key_digest(key):
                times.setdefault(entry.key, []).append(entry.seconds)
        return max((_densest(sorted(moments), seconds) for moments in times.values()), default=0)


def _densest(moments: list[float], seconds: float) -> int:
    best = start = 0
    for stop, moment in enumerate(moments):
        while moment - moments[start] >= seconds:
            start += 1
        best = max(best, stop - start + 1)
    return best
