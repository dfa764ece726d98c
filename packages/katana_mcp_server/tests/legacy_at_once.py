"""The legacy cache in the loop's own thread: what it puts into the queue of its thread is done there and then."""

from asyncio import Future
from collections.abc import Callable
from typing import Any

import pytest

type Job = tuple[Future[Any] | None, Callable[[], object]]


class AtOnce:
    """A queue that does what is put into it, and tells the loop."""

    def put_nowait(self, job: Job) -> None:
        future, function = job
        ended: tuple[object, BaseException | None]
        try:
            ended = function(), None
        except BaseException as error:  # noqa: BLE001 - a thread gives it to who waits, too
            ended = None, error
        if future is not None:
            future.get_loop().call_soon(_end, future, *ended)


def _end(future: Future[Any], result: object, error: BaseException | None) -> None:
    """End a future that nobody has cancelled."""
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


class NoThread:
    """A thread that has nothing to do."""

    def __init__(self, **_: object) -> None:
        pass

    def start(self) -> None:
        pass


def without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let connections that are made from now on have no thread."""
    monkeypatch.setattr("aiosqlite.core.SimpleQueue", AtOnce)
    monkeypatch.setattr("aiosqlite.core.Thread", NoThread)
