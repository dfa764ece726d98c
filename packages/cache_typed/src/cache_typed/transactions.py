"""Transactions, and short reads that are done where they are asked for: a turn of a thread takes longer than most.

One that takes longer is interrupted and begun again in a thread, and so is each while rows are being written: two that
compute at once take the interpreter from each other at every statement. What took long is not begun here again.
"""

from collections.abc import Callable, Hashable
from contextvars import ContextVar
from functools import partial
from threading import Lock
from time import perf_counter, thread_time

from cache_typed import dialect
from cache_typed.dialect import Connection

LONGEST = 0.008
"""Seconds after which a read is interrupted at its next step, unless its asker gives it less."""
_STEPS = 1_000
"""Of SQLite's machine between two looks at the clock: some 20 µs."""
_MOST_KINDS = 1_000
"""Kinds of reads that are remembered; the server's code has some hundreds."""
_is_short: ContextVar[bool] = ContextVar("is_short", default=False)


def transaction[T](begin: str, work: Callable[[Connection], T], connection: Connection) -> T:
    """Return what a unit of work returns, in one transaction: all of it or nothing stays."""
    connection.execute(begin)
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


class PutOff(Exception):
    """The read was not done here, or not to its end."""


def is_short() -> bool:
    """Return whether the read under way is done where it was asked for."""
    return _is_short.get()


def takes_long() -> None:
    """Leave the read under way to a thread, unless it is in one.

    Raises:
        PutOff: it was begun as a short one.
    """
    if _is_short.get():
        raise PutOff


class LongReads:
    """The kinds of reads that took long when they were last made in a thread: they are begun in one."""

    def __init__(self) -> None:
        self._kinds: dict[Hashable, None] = {}
        self._alone = Lock()

    def holds(self, kind: Hashable | None) -> bool:
        """Return whether a read of this kind took long."""
        return kind in self._kinds

    def timed[T](self, kind: Hashable | None, read: Callable[[Connection], T], connection: Connection) -> T:
        """Return what a read returns, and note what it took of the processor: waiting for others makes none long."""
        began = thread_time()
        found = read(connection)
        if kind is not None:
            self.note(kind, thread_time() - began)
        return found

    def note(self, kind: Hashable, seconds: float) -> None:
        """Note how long a read of a kind took; of too many kinds, those noted longest ago are forgotten."""
        with self._alone:
            self._kinds.pop(kind, None)
            if seconds > LONGEST:
                self._kinds[kind] = None
            if len(self._kinds) > _MOST_KINDS:
                del self._kinds[next(iter(self._kinds))]


class ShortReads:
    """Does reads at once on a connection, as long as nothing else is done on it.

    Attributes:
        alone: held by whoever uses the connection.
    """

    def __init__(self, connection: Connection) -> None:
        """Take a connection."""
        self.alone = Lock()
        self._connection = connection

    def read[T](self, read: Callable[[Connection], T], longest: float | None = None) -> T:
        """Return what a read returns, on one snapshot; it is interrupted after so many seconds.

        Raises:
            PutOff: it takes longer, or somebody else is at the connection or the file.
        """
        limited = partial(self._limited, read, LONGEST if longest is None else longest)
        if not self.alone.acquire(blocking=False):
            raise PutOff
        try:
            # What begins and ends it is not interrupted: it would be left open.
            return transaction("BEGIN", limited, self._connection)
        finally:
            self.alone.release()

    def glance[T](self, look: Callable[[Connection], T | None]) -> T | None:
        """Return what a look without a transaction gives; None where somebody else is at the connection, or it fails.

        What fails is read then, and fails there.
        """
        if not self.alone.acquire(blocking=False):
            return None
        try:
            return look(self._connection)
        except dialect.Error:
            return None
        finally:
            self.alone.release()

    def _limited[T](self, read: Callable[[Connection], T], longest: float, connection: Connection) -> T:
        within, until = _is_short.set(True), perf_counter() + longest
        connection.set_progress_handler(lambda: perf_counter() > until, _STEPS)
        try:
            return read(connection)
        except dialect.Error as error:
            if dialect.is_put_off(error):
                raise PutOff from None
            raise
        finally:
            connection.set_progress_handler(None, 0)
            _is_short.reset(within)
