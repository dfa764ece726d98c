"""A log of replaced states: it undoes a refused write, and shows the past to a lagging read."""

from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple, Protocol


class Reversible(Protocol):
    """State by key whose pieces can be exchanged."""

    def swap(self, key: object, state: object) -> object:
        """Install `state` under `key` and return what was there."""
        ...


type Step = tuple[float, Reversible, object, object]


class Change(NamedTuple):
    """What a store held under a key before a transaction."""

    store: Reversible
    key: object
    before: object


class UndoLog:
    """Remembers, for `keep` seconds of `clock`, what each write replaced."""

    def __init__(self, clock: Callable[[], float], keep: float) -> None:
        self._clock = clock
        self._keep = keep
        self._steps: deque[Step] = deque()
        self._silent = 0
        self._shown_ago = 0.0

    @property
    def is_past(self) -> bool:
        """Whether the stores show an earlier state just now, so that nothing may be written."""
        return self._shown_ago > 0

    def note(self, store: Reversible, key: object, before: object) -> None:
        """Remember that `key` held `before` until now."""
        if not self._silent:
            self._steps.append((self._clock(), store, key, before))

    @contextmanager
    def silent(self) -> Generator[None]:
        """Remember nothing, for loading."""
        self._silent += 1
        try:
            yield
        finally:
            self._silent -= 1

    @contextmanager
    def transaction(self) -> Generator[Callable[[], list[Change]]]:
        """All the writes inside, or none when an exception leaves the block; gives a look at what was before them."""
        self._prune()
        size = len(self._steps)
        try:
            yield lambda: self._changes(size)
        except BaseException:
            while len(self._steps) > size:
                _, store, key, before = self._steps.pop()
                store.swap(key, before)
            raise

    @contextmanager
    def as_of(self, age: float) -> Generator[None]:
        """Inside, every store shows what it held `age` seconds ago; nothing may be written."""
        horizon = self._clock() - age
        self._shown_ago = age
        recent: list[Step] = []
        held: list[object] = []
        while age > 0 and self._steps and self._steps[-1][0] > horizon:
            step = self._steps.pop()
            recent.append(step)
            held.append(step[1].swap(step[2], step[3]))
        try:
            yield
        finally:
            self._shown_ago = 0.0
            for step, after in zip(reversed(recent), reversed(held), strict=True):
                step[1].swap(step[2], after)
                self._steps.append(step)

    def _changes(self, size: int) -> list[Change]:
        """The state before each key's first write since the log had this size, in order of writing."""
        first: dict[tuple[int, object], Change] = {}
        for _, store, key, before in islice(self._steps, size, None):
            first.setdefault((id(store), key), Change(store, key, before))
        return list(first.values())

    def _prune(self) -> None:
        oldest = self._clock() - self._keep
        while self._steps and self._steps[0][0] < oldest:
            self._steps.popleft()
