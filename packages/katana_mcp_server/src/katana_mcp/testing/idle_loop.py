"""An event loop that tells when nothing is left to do but to wait, so that virtual time passes then and only then."""

import asyncio
import inspect
import selectors
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import Any, override

_SHORT, _SECOND = 0.05, 1.0
"""A timer that is due within so many seconds counts as work: whoever set it means to go on at once."""

_THREADS = list[object]()
"""Modules that have threads of their own, which end the futures that are made in them."""
_THREADS.append("aiosqlite.core")  # goes with cache_legacy


class _Selector(selectors.DefaultSelector):
    """Asks, before it blocks, whether there is something to do instead."""

    instead: Callable[[float | None], bool] = bool

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout < _SHORT:
            return super().select(timeout)
        return super().select(0) or super().select(0 if self.instead(timeout) else timeout)


class IdleLoop(asyncio.SelectorEventLoop):
    """A loop that knows when it is idle: no callback and no file is ready, none of its threads works, no timer is near.

    How busy the machine is changes how long that takes, and never whether it is so.
    """

    threads = True
    """Whether what is given to a thread has one. Without, it is done where it is asked for, which takes less work."""

    def __init__(self) -> None:
        selector = _Selector()
        selector.instead = self._wake_one
        self._jobs = 0
        self._first: list[asyncio.Future[None]] = []
        self._last: list[asyncio.Future[None]] = []
        super().__init__(selector)

    def idle(self, *, last: bool = False) -> asyncio.Future[None]:
        """Return what is done when the loop is idle; of several one at a time, as each may give the others work.

        Args:
            last: only when nobody waits without it, and a timer within a second counts as work too.
        """
        waiting = self.create_future()
        (self._last if last else self._first).append(waiting)
        return waiting

    @override
    def run_in_executor[T, *Ts](
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        if self.threads:
            return self._job(super().run_in_executor(executor, func, *args))
        ended = self.create_future()
        try:
            result = func(*args)
        except BaseException as error:  # noqa: BLE001 - a thread gives it to who waits, too
            self.call_soon(_end, ended, partial(ended.set_exception, error))
        else:
            self.call_soon(_end, ended, partial(ended.set_result, result))
        return ended

    @override
    def create_future(self) -> asyncio.Future[Any]:
        future, made_here = super().create_future(), inspect.currentframe()
        maker = made_here and made_here.f_back
        return self._job(future) if maker and maker.f_globals.get("__name__") in _THREADS else future

    def _job[T](self, future: asyncio.Future[T]) -> asyncio.Future[T]:
        self._jobs += 1
        future.add_done_callback(lambda _: self._job_ended())
        return future

    def _job_ended(self) -> None:
        self._jobs -= 1

    def _wake_one(self, timeout: float | None) -> bool:
        if self._jobs:
            return False
        self._first, self._last = _open(self._first), _open(self._last)
        waiting = self._first or (self._last if timeout is None or timeout > _SECOND else [])
        if waiting:
            waiting.pop(0).set_result(None)
            return True
        return False


def _end(future: asyncio.Future[Any], end: Callable[[], None]) -> None:
    """End a future that nobody has cancelled."""
    if not future.done():
        end()


def _open(futures: list[asyncio.Future[None]]) -> list[asyncio.Future[None]]:
    return [future for future in futures if not future.done()]
