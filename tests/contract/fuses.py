"""A fault loop: the k-th operation fails, for k = 1, 2, …, until a run meets no fault."""

import asyncio
import errno
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from cache_core.errors import SourceUnavailable
from cache_core.testing import FakeSource

_CONNECT = cast("Callable[..., sqlite3.Connection]", sqlite3.connect)

type Blow = Callable[[BaseException], None]
"""What happens at the k-th operation, given the error that would be its own."""


def fails(error: BaseException) -> None:
    """Let the operation fail."""
    raise error


class Fuse:
    """Blows at the k-th operation.

    Attributes:
        step: which operation that is.
        blow: what happens then.
        left: how many operations are left until then; more than 0 at the end: it met no fault.
        read: statements that read alone and were counted; where it is None, each is counted each time.
        connections: those on this fuse that are open.
    """

    def __init__(self, step: int, blow: Blow = fails, *, reads_once: bool = False) -> None:
        self.step = step
        self.left = step
        self.blow = blow
        self.read: set[str] | None = set() if reads_once else None
        self.connections: set[sqlite3.Connection] = set()

    def burn(self, error: BaseException) -> None:
        """Count an operation; `error` is how it fails."""
        self.left -= 1
        if self.left == 0:
            self.blow(error)


def fuses(stride: int = 1, blow: Blow = fails, *, first: int = 1, reads_once: bool = False) -> Iterator[Fuse]:
    """Give a fuse for each step, or for each of every `stride` from the first, until one is left unblown."""
    step = first
    while True:
        fuse = Fuse(step, blow, reads_once=reads_once)
        yield fuse
        if fuse.left > 0:
            return
        step += stride


class Cancelling:
    """Cancels the task that the operations are done for, from whatever thread; the operation itself goes on."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.task: asyncio.Task[None] | None = None

    def __call__(self, error: BaseException) -> None:
        """Cancel."""
        del error
        assert self.task is not None
        self._loop.call_soon_threadsafe(self.task.cancel)


def full() -> sqlite3.OperationalError:
    """Return the error of a statement that finds no room."""
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


class Wired(sqlite3.Connection):
    """A connection whose statements burn a fuse; a rollback cannot fail."""

    fuse: Fuse

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - as sqlite3 declares it
        super().__init__(*arguments, **named)
        self._stored = 0
        self.fuse.connections.add(self)

    def close(self) -> None:
        super().close()
        self.fuse.connections.discard(self)

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401 - as sqlite3 declares it
        if sql != "ROLLBACK" and not self._was_read(sql):
            self.fuse.burn(full())
        return super().execute(sql, parameters)

    def _was_read(self, sql: str) -> bool:
        """Return whether a statement changes nothing and need not be counted again."""
        ends, read = sql == "COMMIT", self.fuse.read
        changes = self._stored != self.total_changes if ends else not sql.startswith(("SELECT", "PRAGMA"))
        self._stored = self.total_changes if ends else self._stored
        if read is None or (changes and sql != "BEGIN"):
            return False
        was_there = sql in read
        read.add(sql)
        return was_there

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        self.fuse.burn(full())
        return super().executemany(sql, parameters)

    def executescript(self, sql_script: str, /) -> sqlite3.Cursor:
        self.fuse.burn(full())
        return super().executescript(sql_script)

    def commit(self) -> None:
        if not self._was_read("COMMIT"):
            self.fuse.burn(full())
        super().commit()


def wired(patch: pytest.MonkeyPatch, fuse: Fuse) -> None:
    """Put every connection that is opened from now on on a fuse."""
    factory = cast("type[Wired]", type("Wired", (Wired,), {"fuse": fuse}))
    connected_by(patch, factory)


def connected_by(patch: pytest.MonkeyPatch, factory: type[sqlite3.Connection]) -> None:
    """Let every connection that is opened from now on be of this class, whatever class its opener asks for."""

    def connect(*arguments: Any, **named: Any) -> sqlite3.Connection:  # noqa: ANN401 - as sqlite3 declares it
        return _CONNECT(*arguments, **{**named, "factory": factory})

    patch.setattr(sqlite3, "connect", connect)


def filed(patch: pytest.MonkeyPatch, fuse: Fuse) -> None:
    """Put every change of a directory or a file that Python itself makes from now on on a fuse."""

    def burning(change: Callable[..., object]) -> Callable[..., object]:
        def changed(*given: object, **named: object) -> object:
            fuse.burn(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
            return change(*given, **named)

        return changed

    for name in ("mkdir", "open", "rename", "replace", "rmdir", "unlink", "utime"):
        patch.setattr(os, name, burning(getattr(os, name)))
    patch.setattr(Path, "write_bytes", burning(Path.write_bytes))


def asked_on(source: FakeSource, fuse: Fuse) -> None:
    """Put every request to the source on a fuse."""
    source.before = lambda listed, number: fuse.burn(SourceUnavailable("cut"))
