"""Keys and links in a few bytes each: ids that were counted upward lie in arrays, any others in dictionaries."""

from array import array
from collections.abc import Mapping, Sequence
from typing import cast, overload, override

from katana_sandbox.wire.encoding import decode, encode

type Key = int | str
FIRST_ID = 10_000_101
"""The first id of every sequence: eight digits, as long as those of accounts that exist."""
NOWHERE = -1
_UNUSED = array("i", [NOWHERE])
# An id this far beyond those before it is kept apart; the room between would cost four bytes an id.
_FARTHEST = 1 << 20
_UNCOUNTED = -1


class Places:
    """A small whole number by key."""

    def __init__(self) -> None:
        self._counted = array("i")
        self._others: dict[Key, int] = {}

    def get(self, key: Key) -> int:
        """The place of a key, or `NOWHERE`."""
        if isinstance(key, int) and FIRST_ID <= key < FIRST_ID + len(self._counted):
            place = self._counted[key - FIRST_ID]
            if place != NOWHERE:
                return place
        return self._others.get(key, NOWHERE)

    def put(self, key: Key, place: int) -> int:
        """Give a key its place, where `NOWHERE` forgets the key; the place it had."""
        offset = key - FIRST_ID if isinstance(key, int) else NOWHERE
        missing = offset + 1 - len(self._counted)
        if offset < 0 or missing > _FARTHEST or (self._others and key in self._others):
            return self._put_apart(key, place)
        if missing > 0:
            self._counted.extend(_UNUSED * missing)
        before = self._counted[offset]
        self._counted[offset] = place
        return before

    def saved(self) -> dict[str, bytes]:
        """Everything held, in pieces that `restore` takes back."""
        return {"counted": self._counted.tobytes(), "apart": encode(list(self._others.items()))}

    def restore(self, pieces: Mapping[str, bytes]) -> None:
        """Hold what `saved` gave, and nothing else."""
        self._counted = array("i", pieces["counted"])
        self._others = dict(cast("list[tuple[Key, int]]", decode(pieces["apart"])))

    def _put_apart(self, key: Key, place: int) -> int:
        before = self._others.pop(key, NOWHERE)
        if place != NOWHERE:
            self._others[key] = place
        return before


class Keys(Sequence[Key]):
    """The keys of a store in order of arrival; the position of a key is its slot."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._others: dict[int, Key] = {}
        self._slots = Places()

    @override
    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Key: ...
    @overload
    def __getitem__(self, index: slice) -> list[Key]: ...
    @override
    def __getitem__(self, index: int | slice) -> Key | list[Key]:
        if isinstance(index, slice):
            return [self[slot] for slot in range(*index.indices(len(self)))]
        number = self._numbers[index]
        return self._others[index] if number == _UNCOUNTED else number

    def append(self, key: Key) -> int:
        """Take a new key in; its slot."""
        slot = len(self._numbers)
        counted = isinstance(key, int) and FIRST_ID <= key < 1 << 62
        self._numbers.append(int(key) if counted else _UNCOUNTED)
        if not counted:
            self._others[slot] = key
        self._slots.put(key, slot)
        return slot

    def slot(self, key: Key) -> int | None:
        """The slot of a key."""
        slot = self._slots.get(key)
        return None if slot == NOWHERE else slot

    def saved(self) -> dict[str, bytes]:
        """Everything held, in pieces that `restore` takes back."""
        others = encode(list(self._others.items()))
        return {"numbers": self._numbers.tobytes(), "others": others, **self._slots.saved()}

    def restore(self, pieces: Mapping[str, bytes]) -> None:
        """Hold what `saved` gave, and nothing else."""
        self._numbers = array("q", pieces["numbers"])
        self._others = dict(cast("list[tuple[int, Key]]", decode(pieces["others"])))
        self._slots.restore(pieces)


class Links:
    """Slots by the value of a foreign key: for each value the last slot, and for each slot the one linked before it."""

    def __init__(self) -> None:
        self._last = Places()
        self._before = array("i")

    def of(self, value: Key) -> list[int]:
        """The slots of a value, in order of arrival of their records."""
        found: list[int] = []
        slot = self._last.get(value)
        while slot != NOWHERE:
            found.append(slot)
            slot = self._before[slot]
        return sorted(found)

    def add(self, value: Key, slot: int) -> None:
        """Link a slot to a value."""
        missing = slot + 1 - len(self._before)
        if missing > 0:
            self._before.extend(_UNUSED * missing)
        self._before[slot] = self._last.put(value, slot)

    def remove(self, value: Key, slot: int) -> None:
        """Take a link away that is there."""
        after = self._last.get(value)
        if after == slot:
            self._last.put(value, self._before[slot])
            return
        while self._before[after] != slot:
            after = self._before[after]
        self._before[after] = self._before[slot]

    def saved(self) -> dict[str, bytes]:
        """Everything held, in pieces that `restore` takes back."""
        return {"before": self._before.tobytes(), **self._last.saved()}

    def restore(self, pieces: Mapping[str, bytes]) -> None:
        """Hold what `saved` gave, and nothing else."""
        self._before = array("i", pieces["before"])
        self._last.restore(pieces)
