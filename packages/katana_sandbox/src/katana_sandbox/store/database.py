"""All the state of one tenant."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast
from uuid import UUID

from katana_sandbox.snapshot import by_prefix
from katana_sandbox.store.keys import FIRST_ID
from katana_sandbox.store.levels import Levels
from katana_sandbox.store.movements import Movements
from katana_sandbox.store.records import Store
from katana_sandbox.store.select import Selector
from katana_sandbox.store.undo import UndoLog
from katana_sandbox.wire.encoding import decode, encode


class Database:
    """Stores by collection, the stock ledger with its levels, the id sequences, and the undo log over them."""

    def __init__(
        self, foreign_keys: Mapping[str, Sequence[str]], seed: int, clock: Callable[[], float], keep: float
    ) -> None:
        self.undo = UndoLog(clock, keep)
        self.stores = {name: Store(keys, self.undo) for name, keys in foreign_keys.items()}
        self.selectors = {name: Selector(store) for name, store in self.stores.items()}
        self.movements = Movements(self.undo)
        self.levels = Levels(self.undo, self.movements)
        self._random = random.Random(seed)
        self._last: dict[str, int] = {}

    def saved(self) -> dict[str, bytes]:
        """All the state, in named pieces that `restore` takes back."""
        version, numbers, gauss = self._random.getstate()
        pieces = {
            "levels": self.levels.saved(),
            "counters": encode(self._last),
            "random": encode([version, list(numbers), gauss]),
        }
        pieces |= {f"movements/{name}": piece for name, piece in self.movements.saved().items()}
        for collection, store in self.stores.items():
            pieces |= {f"{collection}/{name}": piece for name, piece in store.saved().items()}
        return pieces

    def restore(self, pieces: Mapping[str, bytes]) -> None:
        """Hold what `saved` gave, and nothing else; what lagging reads could see before is forgotten."""
        self.levels.restore(pieces["levels"])
        self._last = cast("dict[str, int]", decode(pieces["counters"]))
        version, numbers, gauss = cast("tuple[int, list[int], float | None]", decode(pieces["random"]))
        self._random.setstate((version, tuple(numbers), gauss))
        parts = by_prefix(pieces)
        self.movements.restore(parts["movements"])
        for collection, store in self.stores.items():
            store.restore(parts[collection])

    def next_id(self, sequence: str) -> int:
        """The next id of a sequence; sequences start alike, so ids of different collections collide."""
        self._last[sequence] = self._last.get(sequence, FIRST_ID - 1) + 1
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
        self._last[sequence] = max([self._last.get(sequence, FIRST_ID - 1), *taken])
