"""Processes that sync toys into a cache file, or work on a whole cache, and die in the middle of it, or find no room.

Run by the tests of kills.

As a program it imports once and then forks a process for each order that it reads, a line of JSON each.
"""

import asyncio
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

import pytest

from cache_core.errors import CacheUnavailable
from cache_core.spec import Listed
from cache_typed import schema, storage

from .accounts import Account, synced
from .backends import TOYS, plain
from .bulk import WORKS, Bulk
from .fuses import Fuse, filed, wired

ROOT = Path(__file__).parents[2]
PAUSE = 100
"""Virtual seconds between two rounds: the lease of a dead process has run out."""

_NO_ROOM = 3


@dataclass(frozen=True, slots=True)
class Order:
    """What a process is to do, and what happens to it.

    Attributes:
        backend: which one it opens.
        directory: where.
        rounds: how many rounds of work there were in the account before.
        toys: how many there are in the account.
        wait: virtual seconds that passed since.
        seconds: after so long it is killed.
        statement: at this SQL statement, or change of a file in work on a whole cache, it kills itself.
        request: at this request for toys it kills itself.
        room: how many bytes a file may have.
        journal: a file that gets a byte for each request for toys.
        work: `sync`, or the name of work on a whole cache.
        newer: whether its typed files are of the next schema version.
    """

    backend: str
    directory: str
    rounds: int = 0
    toys: int = 501
    wait: float = 0
    seconds: float | None = None
    statement: int = 0
    request: int = 0
    room: int | None = None
    journal: str | None = None
    work: str = "sync"
    newer: bool = False


@dataclass(frozen=True, slots=True)
class End:
    """How a process ended, and after how many seconds."""

    how: str
    seconds: float


def account_after(rounds: int, toys: int) -> Account:
    """Return the account after so many rounds of work: the same one in every process."""
    account = Account(toys=toys)
    for _ in range(rounds):
        account.clock.advance(PAUSE)
        account.work(tombstones=True)
    return account


class Nursery:
    """The program, as its caller sees it."""

    def __init__(self, orders: IO[str], ends: IO[str]) -> None:
        self._orders = orders
        self._ends = ends

    def run(self, order: Order) -> End:
        """Let a process do its order; return how it ended."""
        self._orders.write(json.dumps(asdict(order)) + "\n")
        self._orders.flush()
        return End(**json.loads(self._ends.readline()))


@contextmanager
def nursery() -> Generator[Nursery]:
    """Run the program for a block."""
    command = (sys.executable, "-m", "tests.contract.dying")
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        yield Nursery(program.stdin, program.stdout)


def of_the_next_version(patch: pytest.MonkeyPatch) -> None:
    """Let typed files be of the next schema version from now on."""
    patch.setattr(schema, "SCHEMA_VERSION", schema.SCHEMA_VERSION + 1)
    patch.setattr(storage, "FILE_NAME", f"typed-{schema.SCHEMA_VERSION}.db")


def _dies(error: BaseException) -> None:
    del error
    os.kill(os.getpid(), signal.SIGKILL)


def _meet(order: Order) -> None:
    """Make of this process what the order says: of another version, dying at a statement, or short of room."""
    patch = pytest.MonkeyPatch()
    if order.newer:
        of_the_next_version(patch)
    if order.statement:
        fuse = Fuse(order.statement, _dies, reads_once=order.work != "sync")
        wired(patch, fuse)
        if order.work != "sync":
            filed(patch, fuse)
    if order.room is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (order.room, order.room))


def _obey(order: Order, started: int) -> int:
    """Sync, as ordered; return the exit code."""
    account = account_after(order.rounds, order.toys)
    account.clock.advance(order.wait)
    requests = Fuse(order.request, _dies)

    def asked(listed: Listed, number: int) -> None:
        if listed.name != "toy":
            return
        if order.journal is not None:
            with open(order.journal, "ab") as journal:
                journal.write(b".")
        requests.burn(RuntimeError())

    account.source.before = asked
    _meet(order)
    os.write(started, b".")
    try:
        asyncio.run(_sync(order, account) if order.work == "sync" else _of(order).run())
    except CacheUnavailable:
        return _NO_ROOM
    return 0


def _of(order: Order) -> Bulk:
    return WORKS[order.work](order.backend, Path(order.directory))


async def _sync(order: Order, account: Account) -> None:
    cache = plain(order.backend, TOYS, Path(order.directory))
    try:
        await cache.open()
        await synced(account.syncer(cache))
    finally:
        await cache.close()


def _watched(order: Order) -> End:
    """Fork a process for an order, kill it when that is ordered, and wait for its end."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reading)
            # What it logs would look like an answer.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = _obey(order, writing)
        finally:
            os._exit(code)
    os.close(writing)
    os.read(reading, 1)
    began = time.monotonic()
    # Readable once the process has ended and its end of the pipe is closed.
    select.select([reading], [], [], order.seconds)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(reading)
    code = os.waitstatus_to_exitcode(status)
    how = {0: "complete", _NO_ROOM: "no room", -signal.SIGKILL: "killed"}.get(code, f"exit code {code}")
    return End(how, time.monotonic() - began)


def main() -> None:
    """Obey until there are no more orders."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(asdict(_watched(Order(**json.loads(line))))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
