"""Records of one collection: JSON bytes by key, with indexes by creation, by update, and by foreign key."""

from array import array
from bisect import bisect_left
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, cast

from katana_sandbox.store.undo import UndoLog
from katana_sandbox.wire.encoding import Record, decode, decode_record, encode
from katana_sandbox.wire.times import ms_of

type Key = int | str
DELETED = 1
ARCHIVED = 2
VERBATIM = 4
GONE = 8
# What a list may hide; an order is kept for each, because counting afresh would take too long.
_VIEWS = (0, DELETED, ARCHIVED, DELETED | ARCHIVED)


class Entry(NamedTuple):
    """What a store holds under one key. Times are epoch milliseconds."""

    raw: bytes
    created: int
    updated: int
    flags: int
    links: tuple[Key | None, ...]


class Store:
    """Keeps entries; writes pass through `write` so that the undo log sees them.

    A slot is the position of a record in the order of arrival; indexes are arrays of slots.
    """

    def __init__(self, foreign_keys: Sequence[str], undo: UndoLog) -> None:
        self.foreign_keys = tuple(foreign_keys)
        self.version = 0
        self.keys: list[Key] = []
        self.created = array("q")
        self.updated = array("q")
        self.flags = bytearray()
        self.orders = {hidden: array("i") for hidden in _VIEWS}
        self.by_updated = array("i")
        self._raws: list[bytes] = []
        self._slots: dict[Key, int] = {}
        self._links: list[dict[Key, list[int]]] = [{} for _ in self.foreign_keys]
        self._undo = undo
        self._loading = False

    def __len__(self) -> int:
        return len(self.by_created)

    def __contains__(self, key: object) -> bool:
        slot = self._slots.get(key) if isinstance(key, int | str) else None
        return slot is not None and not self.flags[slot] & GONE

    @property
    def by_created(self) -> array[int]:
        """Every slot in list order, oldest first."""
        return self.orders[0]

    @property
    def visible(self) -> array[int]:
        """As `by_created`, without what is deleted or archived."""
        return self.orders[DELETED | ARCHIVED]

    def slot(self, key: Key) -> int | None:
        """The slot of a key that is held."""
        slot = self._slots.get(key)
        return None if slot is None or self.flags[slot] & GONE else slot

    def raw(self, slot: int) -> bytes:
        """The stored bytes."""
        return self._raws[slot]

    def record(self, slot: int) -> Record:
        """The stored object."""
        return decode_record(self._raws[slot])

    def get(self, key: Key, *, deleted: bool = False) -> Record | None:
        """The object under a key; a soft-deleted one only when asked for."""
        slot = self.slot(key)
        if slot is None or (self.flags[slot] & DELETED and not deleted):
            return None
        return decode_record(self._raws[slot])

    def linked(self, foreign_key: str, value: object) -> Sequence[int]:
        """Slots whose foreign key has this value, deleted ones included."""
        if not isinstance(value, int | str):
            return ()
        return self._links[self.foreign_keys.index(foreign_key)].get(value, ())

    def entry(self, record: Record, raw: bytes, flags: int = 0) -> Entry:
        """The entry of a record: times, flags and links read from its own fields."""
        created = ms_of(record.get("created_at")) or 0
        updated = ms_of(record.get("updated_at"))
        if record.get("deleted_at") is not None:
            flags |= DELETED
        if record.get("archived_at") is not None:
            flags |= ARCHIVED
        links = tuple(_link(record.get(name)) for name in self.foreign_keys)
        return Entry(raw, created, created if updated is None else updated, flags, links)

    def current(self, key: Key) -> Entry | None:
        """The entry under a key."""
        slot = self.slot(key)
        if slot is None:
            return None
        links = self._current_links(slot)
        return Entry(self._raws[slot], self.created[slot], self.updated[slot], self.flags[slot], links)

    def write(self, key: Key, entry: Entry | None) -> None:
        """Put an entry, or take it away for good, and let the undo log know."""
        self._undo.note(self, key, self.swap(key, entry))

    def swap(self, key: object, state: object) -> object:
        """Install an entry (None removes) and return the one that was there."""
        key = cast("Key", key)
        before = None if self._loading else self.current(key)
        self.version += 1
        if before is not None:
            self._unindex(self._slots[key], before)
        if isinstance(state, Entry):
            self._install(key, state)
        return before

    def saved(self) -> dict[str, bytes]:
        """Everything held, in pieces that `restore` takes back."""
        arrays = {"created": self.created, "updated": self.updated, "by_updated": self.by_updated}
        arrays |= {f"order{hidden}": order for hidden, order in self.orders.items()}
        return {
            "raws": b"".join(self._raws),
            "sizes": array("q", map(len, self._raws)).tobytes(),
            "keys": encode(self.keys),
            "flags": bytes(self.flags),
            "links": encode([[[value, *slots] for value, slots in links.items()] for links in self._links]),
            **{name: held.tobytes() for name, held in arrays.items()},
        }

    def restore(self, pieces: Mapping[str, bytes]) -> None:
        """Hold what `saved` gave, and nothing else."""
        raws, start = pieces["raws"], 0
        self._raws = []
        for size in array("q", pieces["sizes"]):
            self._raws.append(raws[start : start + size])
            start += size
        self.keys = cast("list[Key]", decode(pieces["keys"]))
        self._slots = {key: slot for slot, key in enumerate(self.keys)}
        self.flags = bytearray(pieces["flags"])
        self.created, self.updated = array("q", pieces["created"]), array("q", pieces["updated"])
        self.by_updated = array("i", pieces["by_updated"])
        self.orders = {hidden: array("i", pieces[f"order{hidden}"]) for hidden in _VIEWS}
        links = cast("list[list[list[Key]]]", decode(pieces["links"]))
        self._links = [{held[0]: cast("list[int]", held[1:]) for held in entries} for entries in links]
        self.version += 1

    @contextmanager
    def loading(self) -> Generator[None]:
        """Take new records without keeping the orders, which are built when the block ends."""
        self._loading = True
        try:
            yield
        finally:
            self._loading = False
            slots = range(len(self.keys))
            ordered = sorted(slots, key=lambda slot: (self.created[slot], slot))
            for hidden in _VIEWS:
                self.orders[hidden] = array("i", [slot for slot in ordered if not self.flags[slot] & hidden])
            self.by_updated = array("i", sorted(slots, key=lambda slot: (self.updated[slot], slot)))
            self.version += 1

    def _install(self, key: Key, entry: Entry) -> None:
        slot = self._slots.get(key)
        if slot is None:
            slot = len(self.keys)
            self._slots[key] = slot
            self.keys.append(key)
            self._raws.append(entry.raw)
            self.created.append(entry.created)
            self.updated.append(entry.updated)
            self.flags.append(entry.flags)
        else:
            self._raws[slot] = entry.raw
            self.created[slot] = entry.created
            self.updated[slot] = entry.updated
            self.flags[slot] = entry.flags
        for position, value in enumerate(entry.links):
            if value is not None:
                self._links[position].setdefault(value, []).append(slot)
        if not self._loading:
            _insert(self.by_updated, slot, self.updated)
            for hidden, order in self.orders.items():
                if not entry.flags & hidden:
                    _insert(order, slot, self.created)

    def _unindex(self, slot: int, entry: Entry) -> None:
        _discard(self.by_updated, slot, self.updated)
        for hidden, order in self.orders.items():
            if not entry.flags & hidden:
                _discard(order, slot, self.created)
        for position, value in enumerate(entry.links):
            if value is not None:
                self._links[position][value].remove(slot)
        self._raws[slot] = b""
        self.flags[slot] = GONE

    def _current_links(self, slot: int) -> tuple[Key | None, ...]:
        record: Mapping[str, object] = decode_record(self._raws[slot])
        return tuple(_link(record.get(name)) for name in self.foreign_keys)


def _link(value: object) -> Key | None:
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None


def position(index: array[int], slot: int, times: array[int]) -> int:
    """Where a slot stands, or would stand, in an index ordered by time and slot."""
    return bisect_left(index, (times[slot], slot), key=lambda other: (times[other], other))


def _insert(index: array[int], slot: int, times: array[int]) -> None:
    if not index or (times[index[-1]], index[-1]) < (times[slot], slot):
        index.append(slot)
    else:
        index.insert(position(index, slot, times), slot)


def _discard(index: array[int], slot: int, times: array[int]) -> None:
    place = position(index, slot, times)
    if place < len(index) and index[place] == slot:
        index.pop(place)
