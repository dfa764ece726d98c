"""All the state of one tenant."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import cast, override
from uuid import UUID

from katana_sandbox.snapshot import by_prefix
from katana_sandbox.store.keys import FIRST_ID
from katana_sandbox.store.levels import Levels
from katana_sandbox.store.movements import Movements
from katana_sandbox.store.records import Store
from katana_sandbox.store.select import Selector
from katana_sandbox.store.undo import UndoLog
from katana_sandbox.wire.encoding import decode, encode

type Pieces = Mapping[str, bytes]


class Part[T: (Store, Stock)]:
    """A part of the state; one that was saved is taken back when it is first asked for."""

    def __init__(self, make: Callable[[], T], pieces: Pieces | None) -> None:
        self._make = make
        self._pieces = pieces
        self._held: T | None = None

    def get(self) -> T:
        """The part itself."""
        if self._held is None:
            self._held = self._make()
            if self._pieces is not None:
                self._held.restore(self._pieces)
        return self._held

    def saved(self) -> Pieces:
        """Its pieces; where nobody asked for it, those that it was given."""
        return self._pieces if self._held is None and self._pieces is not None else self.get().saved()


class Stock:
    """The stock ledger, and the levels that follow it."""

    def __init__(self, undo: UndoLog) -> None:
        self.movements = Movements(undo)
        self.levels = Levels(undo, self.movements)

    def saved(self) -> Pieces:
        """Everything held, in pieces that `restore` takes back."""
        return {"levels": self.levels.saved(), **_below("movements", self.movements.saved())}

    def restore(self, pieces: Pieces) -> None:
        """Hold what `saved` gave, and nothing else."""
        self.levels.restore(pieces["levels"])
        self.movements.restore(by_prefix(pieces)["movements"])


class Stores(Mapping[str, Store]):
    """The stores by collection."""

    def __init__(self, parts: Mapping[str, Part[Store]]) -> None:
        self.parts = parts

    @override
    def __getitem__(self, name: str) -> Store:
        return self.parts[name].get()

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    @override
    def __len__(self) -> int:
        return len(self.parts)


class Selectors(dict[str, Selector]):
    """What answers selections over each store."""

    def __init__(self, stores: Stores) -> None:
        super().__init__()
        self._stores = stores

    def __missing__(self, name: str) -> Selector:
        self[name] = Selector(self._stores[name])
        return self[name]


class Database:
    """Stores by collection, the stock ledger with its levels, the id sequences, and the undo log over them."""

    def __init__(
        self, foreign_keys: Mapping[str, Sequence[str]], seed: int, clock: Callable[[], float], keep: float
    ) -> None:
        self.undo = UndoLog(clock, keep)
        self._foreign_keys = foreign_keys
        self._random = random.Random(seed)
        self._last: dict[str, int] = {}
        self._hold({}, None)

    @property
    def movements(self) -> Movements:
        """The stock ledger."""
        return self._stock.get().movements

    @property
    def levels(self) -> Levels:
        """Stock by variant and location."""
        return self._stock.get().levels

    def saved(self) -> dict[str, bytes]:
        """All the state, in named pieces that `restore` takes back."""
        version, numbers, gauss = self._random.getstate()
        pieces = {
            "counters": encode(self._last),
            "random": encode([version, list(numbers), gauss]),
            **self._stock.saved(),
        }
        for collection, part in self.stores.parts.items():
            pieces |= _below(collection, part.saved())
        return pieces

    def restore(self, pieces: Pieces) -> None:
        """Hold what `saved` gave, and nothing else; what lagging reads could see before is forgotten."""
        self._last = cast("dict[str, int]", decode(pieces["counters"]))
        version, numbers, gauss = cast("tuple[int, list[int], float | None]", decode(pieces["random"]))
        self._random.setstate((version, tuple(numbers), gauss))
        parts = by_prefix(pieces)
        self._hold(parts, {"levels": pieces["levels"], **_below("movements", parts["movements"])})

    def _hold(self, stores: Mapping[str, Pieces], stock: Pieces | None) -> None:
        self.stores = Stores(
            {name: Part(partial(Store, keys, self.undo), stores.get(name)) for name, keys in self._foreign_keys.items()}
        )
        self.selectors = Selectors(self.stores)
        self._stock = Part(partial(Stock, self.undo), stock)

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


def _below(name: str, pieces: Pieces) -> Pieces:
    return {f"{name}/{piece}": raw for piece, raw in pieces.items()}
