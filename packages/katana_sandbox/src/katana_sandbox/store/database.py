"""All the state of one tenant."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from uuid import UUID

from katana_sandbox.store.levels import Levels
from katana_sandbox.store.records import Store
from katana_sandbox.store.select import Selector
from katana_sandbox.store.undo import UndoLog

_FIRST_ID = 2001


class Database:
    """Stores by collection, stock levels, the id sequences, and the undo log over them."""

    def __init__(
        self, foreign_keys: Mapping[str, Sequence[str]], seed: int, clock: Callable[[], float], keep: float
    ) -> None:
        self.undo = UndoLog(clock, keep)
        self.stores = {name: Store(keys, self.undo) for name, keys in foreign_keys.items()}
        self.selectors = {name: Selector(store) for name, store in self.stores.items()}
        self.levels = Levels(self.undo)
        self.custom_fields: set[str] = set()
        self._random = random.Random(seed)
        self._last: dict[str, int] = {}

    def next_id(self, sequence: str) -> int:
        """The next id of a sequence; sequences start alike, so ids of different collections collide."""
        self._last[sequence] = self._last.get(sequence, _FIRST_ID - 1) + 1
        return self._last[sequence]

    def next_number(self, prefix: str) -> str:
        """The next document number, such as SO-17."""
        self._last[prefix] = self._last.get(prefix, 0) + 1
        return f"{prefix}-{self._last[prefix]}"

    def next_uuid(self) -> str:
        """A random-looking UUID that the seed decides."""
        return str(UUID(int=self._random.getrandbits(128), version=4))

    def reserve(self, sequence: str, keys: Iterable[object]) -> None:
        """Keep ids that were given by hand from being given again."""
        taken = [key for key in keys if isinstance(key, int)]
        self._last[sequence] = max([self._last.get(sequence, _FIRST_ID - 1), *taken])
