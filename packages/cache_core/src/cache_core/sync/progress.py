"""How far the listings under way are, for who waits for them."""

from collections.abc import Callable
from dataclasses import dataclass

from cache_core.states import SyncState
from cache_core.sync.source import PAGE_SIZE


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a listing is: records stored of records reported (None before the first page)."""

    entity: str
    done: int
    total: int | None


def reached(entity: str, state: SyncState) -> Progress | None:
    """Return how far an unfinished listing came, by what is stored of it, or None without one."""
    checkpoint = state.checkpoint
    if checkpoint is None:
        return None
    done = checkpoint.read if checkpoint.since is not None else (checkpoint.page - 1) * PAGE_SIZE
    return Progress(entity, done, checkpoint.total)


type OnProgress = Callable[[Progress], None]


class Progresses:
    """The last progress of each entity, and who is told of it."""

    def __init__(self) -> None:
        self._last: dict[str, Progress] = {}
        self._listeners: set[OnProgress] = set()

    def __bool__(self) -> bool:
        """Return whether a listing of any entity runs."""
        return bool(self._last)

    def of(self, entity: str) -> Progress | None:
        """Return how far the entity is, or None when nothing runs."""
        return self._last.get(entity)

    def listen(self, listener: OnProgress) -> Callable[[], None]:
        """Call `listener` with each progress, until the returned function is called."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def tell(self, progress: Progress) -> None:
        """Note a progress and tell it."""
        self._last[progress.entity] = progress
        for listener in tuple(self._listeners):
            listener(progress)

    def end(self, entity: str) -> None:
        """Forget an entity that no listing runs for."""
        self._last.pop(entity, None)
