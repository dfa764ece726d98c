"""One cache file: opened, guarded, read and written; every storage fault gets its own name.

Whole units of work, each inside one transaction: a short read where it is asked for, all else in threads.
"""

import asyncio
import errno
import os
import re
import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from datetime import timedelta
from functools import partial
from itertools import product
from pathlib import Path
from time import perf_counter

from cache_core.clock import Clock
from cache_core.errors import CacheCorrupt, CacheMissing, CacheUnavailable
from cache_core.files import private_directory, private_file
from cache_core.locks import lock, try_lock
from cache_core.waiting import to_the_end
from cache_typed import dialect, file_swap, schema, upgrade
from cache_typed.dialect import Connection
from cache_typed.mapping import TableMapping
from cache_typed.transactions import LongReads, PutOff, ShortReads, transaction
from cache_typed.unchanged import Question, known

_READERS = 2
CHECKED_WHOLE = 4 * 2**20
"""Bytes up to which a file is checked whole at open: about 10 ms. A larger one is checked as it is read."""

A_TURN = 0.001
"""Seconds after which a read that was done at once gives others their turn of the loop."""

UNUSED = timedelta(days=30)
"""After this long without use the file of an older schema version is removed."""

FILE_NAME = f"typed-{schema.SCHEMA_VERSION}.db"
_NAME = re.compile(r"typed-([0-9]+)\.db")
_SUFFIXES = ("", "-wal", "-shm", "-journal")


class Storage:
    """The file of one tenant, or a database in memory.

    Attributes:
        set_aside: damaged files that were renamed and replaced by an empty one since this object was made.
        emptied: entities that start empty, because their tables in this file, or in the older one that it was
            filled from, were not the expected ones.
    """

    def __init__(
        self, directory: Path | None, mappings: tuple[TableMapping, ...], clock: Clock, *, looking: bool = False
    ) -> None:
        """Remember where; nothing is opened yet. `looking` makes and changes nothing."""
        self.set_aside: tuple[Path, ...] = ()
        self.emptied: tuple[str, ...] = ()
        self._left: tuple[str, ...] = ()
        self._directory = directory
        self._mappings = mappings
        self._clock = clock
        self._looking = looking
        self._path: Path | None = None
        self._inode = 0
        self._made = False
        self._threads: tuple[Executor, Executor] | None = None
        self._short: ShortReads | None = None
        self._long = LongReads()
        self._alone: AbstractContextManager[object] = nullcontext()
        self._writes = 0
        self._connections: list[Connection] = []
        self._unused: list[Connection] = []
        self._local = threading.local()
        self._opening = asyncio.Lock()

    async def open(self) -> None:
        """Open or make the file; who is cancelled meanwhile leaves nothing open and no thread at work.

        Raises:
            CacheUnavailable: the directory or file cannot be used.
        """
        async with self._opening:
            if self._threads is not None:
                return
            try:
                await to_the_end(asyncio.to_thread(self._guarded, self._open))
            except BaseException:
                await self._end()
                raise

    async def close(self) -> None:
        """Wait for what runs, then close every connection."""
        async with self._opening:
            await self._end()

    async def _end(self) -> None:
        threads, self._threads, self._short = self._threads or (), None, None
        await to_the_end(asyncio.to_thread(self._shut, threads))

    async def read[T](
        self,
        work: Callable[[Connection], T],
        *,
        short: bool = True,
        longest: float | None = None,
        kind: Hashable | None = None,
    ) -> T:
        """Run a unit of work on one snapshot; one that takes long, or waits for others, is begun again in a thread.

        Args:
            work: reads, and changes nothing.
            short: whether it may be begun where it is asked for.
            longest: seconds after which it is begun again in a thread; as long as any short read without it.
            kind: what reads like it have in common: after one that took long the next is begun in a thread.
        """
        if short and self._short is not None and not self._writes and not self._long.holds(kind):
            began = perf_counter()
            with suppress(PutOff):
                found = self._decoding(self._short.read, work, longest)
                if perf_counter() - began > A_TURN:
                    # Reads that follow each other would keep everybody else waiting for the last of them.
                    await asyncio.sleep(0)
                return found
        return await self._run(0, self._decoding, partial(transaction, "BEGIN", partial(self._long.timed, kind, work)))

    def known(self, asked: Sequence[Question | None]) -> list[object] | None:
        """Return what was read before for each of these questions, as long as nothing is written; None otherwise."""
        return None if self._short is None else self._short.glance(lambda db: known(db, asked))

    async def write[T](self, work: Callable[[Connection], T]) -> T:
        """Run a unit of work in one transaction that holds the write lock; all of it or nothing stays."""
        return await self._write(partial(transaction, "BEGIN IMMEDIATE", work))

    async def write_after[A, T](self, before: Callable[[Connection], A], work: Callable[[Connection, A], T]) -> T:
        """Run a unit of work as `write` does, with what was made on a snapshot before others had to wait for it.

        Args:
            before: reads, and changes nothing; others may write before `work` begins.
            work: gets what `before` returned.
        """
        return await self._write(partial(_written_after, before, work))

    async def _write[T](self, work: Callable[[Connection], T]) -> T:
        self._writes += 1
        try:
            return await self._run(1, self._guarded, work)
        finally:
            self._writes -= 1

    async def _run[T](self, which: int, guard: Callable[..., T], work: Callable[[Connection], T]) -> T:
        if self._threads is None:
            raise CacheUnavailable("the typed cache is not open")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads[which], guard, self._in_thread, work)

    def _in_thread[T](self, work: Callable[[Connection], T]) -> T:
        connection = self._connection_here()
        with self._alone:
            return work(connection)

    def _guarded[*A, T](self, work: Callable[[*A], T], *arguments: *A) -> T:
        try:
            return work(*arguments)
        except (dialect.Error, UnicodeDecodeError) as error:
            if dialect.is_damage(error):
                raise self._corrupt(error) from error
            raise CacheUnavailable(f"the typed cache cannot be used: {error}") from error
        except OSError as error:
            raise CacheUnavailable(f"the typed cache cannot be used: {error.strerror}") from error

    def _decoding[*A, T](self, work: Callable[[*A], T], *arguments: *A) -> T:
        """Run a read: what was stored whole and does not decode is damage."""
        try:
            return self._guarded(work, *arguments)
        except (ValueError, ArithmeticError, LookupError) as error:
            raise self._corrupt(error) from error

    def _corrupt(self, error: Exception) -> CacheCorrupt:
        if self._path is not None and not self._looking:
            private_file(_mark(self._path)).write_text(str(self._inode))
        return CacheCorrupt(f"the typed cache is damaged: {error}")

    async def faults(self) -> tuple[str, ...]:
        """Return what is wrong with the file, found on a copy; it need not be open."""
        path = file_in(self._directory)
        if path is None:
            return ()
        return await to_the_end(asyncio.to_thread(lambda: self._guarded(file_swap.faults, path, self._mappings)))

    async def take(self, directory: Path, entities: Iterable[str]) -> None:
        """Replace these entities by those that another directory's file holds, in one transaction."""
        path, other = file_in(self._directory), file_in(directory)
        if path is None or other is None:
            raise CacheUnavailable("a cache in memory cannot be replaced by a file")
        mappings = [mapping for mapping in self._mappings if mapping.spec.name in entities]
        await to_the_end(asyncio.to_thread(self._guarded, file_swap.take, path, other, mappings))

    def _look(self) -> None:
        path = file_in(self._directory)
        if path is None or not path.is_file():
            raise CacheMissing("there is no typed cache yet")
        self._path = path
        self._serve(self._connection())

    def _open(self) -> None:
        if self._looking:
            self._look()
            return
        if self._directory is not None:
            self._path = private_directory(self._directory) / FILE_NAME
            if self._path.exists() and (_is_marked(self._path) or _is_empty(self._path)):
                self._move_aside(self._path)
            self._made = not self._path.exists() and self._begin(self._path)
            private_file(self._path)
        try:
            self._connect()
        except (dialect.DatabaseError, UnicodeDecodeError) as error:
            self._disconnect()
            if self._path is None or not dialect.is_damage_at_open(error):
                raise
            self._move_aside(self._path)
            self._connect()
        if self._path is not None:
            self._forget_older(self._path)

    def _forget_older(self, path: Path) -> None:
        """Note that this file was used now, and remove those of older versions that nobody used for long."""
        now = self._clock.now().timestamp()
        os.utime(path, (now, now))
        for older in _older(path):
            parts = [sibling for suffix in _SUFFIXES if (sibling := older.with_name(f"{older.name}{suffix}")).exists()]
            if now - max((part.stat().st_mtime for part in parts), default=now) > UNUSED.total_seconds():
                for file in (*parts, older.with_suffix(".lock")):
                    file.unlink(missing_ok=True)

    def _begin(self, path: Path) -> bool:
        """Make the file whole while other processes wait, filled from its newest older version if there is one.

        Returns:
            Whether it was made here, and no other process was faster.
        """
        older = next(reversed(_older(path)), None)
        with private_file(path.with_suffix(".lock")).open("rb") as alone:
            lock(alone)
            if path.exists():
                return False
            partial = path.with_name(f"{path.name}.growing")
            for name, suffix in product((path.name, partial.name), _SUFFIXES):
                # What a removed file left, or one that was half made, would be taken up by the new one.
                path.with_name(f"{name}{suffix}").unlink(missing_ok=True)
            self._make(private_file(partial), older)
            partial.rename(path)
        return True

    def _make(self, path: Path, older: Path | None) -> None:
        image = schema.empty_image(self._mappings)
        path.write_bytes(image if older else dialect.with_wal_header(image))
        try:
            if older:
                self._fill(path, older)
        except (dialect.DatabaseError, UnicodeDecodeError) as error:
            if not dialect.is_damage(error):
                raise

    def _fill(self, path: Path, older: Path) -> None:
        with closing(dialect.connect(str(path))) as connection:
            self._left = upgrade.fill(connection, str(older), self._mappings)
        # While nobody else has it: of several that change it at once, SQLite lets all but one fail.
        with closing(dialect.connect(str(path))) as alone:
            dialect.use_write_ahead_log(alone)

    def _connect(self) -> None:
        # Another process may replace the file later; then the mark must not meet the new one.
        self._inode = self._path.stat().st_ino if self._path is not None else 0
        first = self._connection()
        if self._path is None:
            dialect.load_image(schema.empty_image(self._mappings), first)
            self._serve(first)
            return
        dialect.use_write_ahead_log(first)
        if not self._made:
            dialect.check(first, whole=self._path.stat().st_size <= CHECKED_WHOLE)
            if _ends_within_a_page(self._path, dialect.page_size(first)):
                raise dialect.Damage("it ends within a page")
        self.emptied = (*self._left, *schema.ensure(first, self._mappings))
        self._serve(first)

    def _serve(self, first: Connection) -> None:
        if self._path is None:
            # A database in memory belongs to its connection: one thread serves reads and writes.
            only = ThreadPoolExecutor(1, "cache-typed")
            self._threads, self._short = (only, only), ShortReads(first)
            self._alone = self._short.alone
            return
        writer = ThreadPoolExecutor(1, "cache-typed-write", self._adopt, (first,))
        # One that was opened later would read the file that another process may have put in this one's place.
        self._unused = [self._connection() for _ in range(_READERS)]
        readers = ThreadPoolExecutor(_READERS, "cache-typed-read")
        self._threads, self._short = (readers, writer), ShortReads(self._connection(patience=0))

    def _connection(self, patience: int = dialect.BUSY_MILLISECONDS) -> Connection:
        connection = dialect.connect(":memory:" if self._path is None else str(self._path), patience)
        self._connections.append(connection)
        if self._looking:
            dialect.only_read(connection)
        return connection

    def _adopt(self, connection: Connection) -> None:
        self._local.connection = connection

    def _connection_here(self) -> Connection:
        """Return this thread's connection."""
        if self._path is None:
            return self._connections[0]
        if not hasattr(self._local, "connection"):
            self._adopt(self._unused.pop())
        connection: Connection = self._local.connection
        return connection

    def _disconnect(self) -> None:
        while self._connections:
            self._connections.pop().close()

    def _shut(self, threads: tuple[Executor, ...]) -> None:
        for thread in threads:
            thread.shutdown(wait=True)
        self._disconnect()

    def _move_aside(self, path: Path) -> None:
        """Rename the file with its log, so that a new one cannot take up a stray log."""
        seen = path.stat().st_ino
        with private_file(path.with_suffix(".lock")).open("rb") as alone:
            if not try_lock(alone):
                raise BlockingIOError(errno.EWOULDBLOCK, "another process replaces it")
            if path.stat().st_ino != seen:
                return
            aside = path.with_name(f"{path.name}.damaged-{self._clock.now():%Y%m%dT%H%M%S%f}")
            for suffix in _SUFFIXES:
                part = path.with_name(f"{path.name}{suffix}")
                if part.exists():
                    part.rename(aside.with_name(f"{aside.name}{suffix}"))
            _mark(path).unlink(missing_ok=True)
            private_file(path)
        self.set_aside += (aside,)


def _written_after[A, T](
    before: Callable[[Connection], A], work: Callable[[Connection, A], T], connection: Connection
) -> T:
    made = transaction("BEGIN", before, connection)
    return transaction("BEGIN IMMEDIATE", lambda db: work(db, made), connection)


def file_in(directory: Path | None) -> Path | None:
    """Return where the file of this version stands in a directory."""
    return None if directory is None else directory / FILE_NAME


def _older(path: Path) -> list[Path]:
    """Return the files of older schema versions beside a file, the newest last."""
    numbered = [(int(found[1]), file) for file in path.parent.iterdir() if (found := _NAME.fullmatch(file.name))]
    return [file for number, file in sorted(numbered) if number < schema.SCHEMA_VERSION]


def _mark(path: Path) -> Path:
    """Return the note beside a file that says: found damaged while in use."""
    return path.with_name(f"{path.name}.is-damaged")


def _is_marked(path: Path) -> bool:
    try:
        return _mark(path).read_text() == str(path.stat().st_ino)
    except OSError:
        return False


def _is_empty(path: Path) -> bool:
    """Return whether the file lost all that it held; one that another process is just making is not."""
    return not path.stat().st_size and not path.with_name(f"{path.name}-wal").exists()


def _ends_within_a_page(path: Path, page: int) -> bool:
    """Return whether the file was cut; not where the log holds the rest: what moves it was killed, or the disk full.

    SQLite itself notices where whole pages are missing. Only the size is looked at: to open the file and close it
    again would drop the locks that other connections of this process hold.
    """
    log = path.with_name(f"{path.name}-wal")
    return bool(path.stat().st_size % page) and not (log.exists() and log.stat().st_size)
