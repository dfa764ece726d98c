"""Records of one collection: JSON bytes by key, with indexes by creation, by update, and by foreign key."""

from array import array
from bisect import bisect_left
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, cast

from katana_sandbox.snapshot import by_prefix
from katana_sandbox.store.keys import Key, Keys, Links
from katana_sandbox.store.undo import UndoLog
from katana_sandbox.wire.encoding import Record, decode_record
from katana_sandbox.wire.times import ms_of

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
        self.keys = Keys()
        self.created = array("q")
        self.updated = array("q")
        self.flags = bytearray()
        self.orders = {hidden: array("i") for hidden in _VIEWS}
        self.by_updated = array("i")
        self._raws: list[bytes] = []
        self._links = [Links() for _ in self.foreign_keys]
        self._undo = undo
        self._loading = False

    def __len__(self) -> int:
        return len(self.by_created)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, int | str) and self.slot(key) is not None

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
        slot = self.keys.slot(key)
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
        """Slots whose foreign key has this value, in order of arrival, deleted ones included."""
        if not isinstance(value, int | str):
            return ()
        return self._links[self.foreign_keys.index(foreign_key)].of(value)

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
        key, after = cast("Key", key), cast("Entry | None", state)
        before = None if self._loading else self.current(key)
        self.version += 1
        if before is None and after is None:
            return None
        slot = self.keys.slot(key)
        if slot is None:
            slot = self._append(key)
        if before is not None:
            self._unindex(slot, before)
        if after is not None:
            self._install(slot, after)
        self._relink(slot, before, after)
        return before

    def saved(self) -> dict[str, bytes]:
        """Everything held, in pieces that `restore` takes back."""
        arrays = {"created": self.created, "updated": self.updated, "by_updated": self.by_updated}
        arrays |= {f"order{hidden}": order for hidden, order in self.orders.items()}
        return {
            "raws": b"".join(self._raws),
            "sizes": array("q", map(len, self._raws)).tobytes(),
            "flags": bytes(self.flags),
            **{name: held.tobytes() for name, held in arrays.items()},
            **{f"{part}/{name}": piece for part, held in self._parts() for name, piece in held.saved().items()},
        }

    def restore(self, pieces: Mapping[str, bytes]) -> None:
        """Hold what `saved` gave, and nothing else."""
        raws, start = pieces["raws"], 0
        self._raws = []
        for size in array("q", pieces["sizes"]):
            self._raws.append(raws[start : start + size])
            start += size
        self.flags = bytearray(pieces["flags"])
        self.created, self.updated = array("q", pieces["created"]), array("q", pieces["updated"])
        self.by_updated = array("i", pieces["by_updated"])
        self.orders = {hidden: array("i", pieces[f"order{hidden}"]) for hidden in _VIEWS}
        parts = by_prefix(pieces)
        for part, held in self._parts():
            held.restore(parts[part])
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
            ordered = sorted(slots, key=self.created.__getitem__)
            for hidden in _VIEWS:
                self.orders[hidden] = array("i", [slot for slot in ordered if not self.flags[slot] & hidden])
            self.by_updated = array("i", sorted(slots, key=self.updated.__getitem__))
            self.version += 1

    def _parts(self) -> list[tuple[str, Keys | Links]]:
        return [("keys", self.keys), *(zip(self.foreign_keys, self._links, strict=True))]

    def _append(self, key: Key) -> int:
        self._raws.append(b"")
        self.created.append(0)
        self.updated.append(0)
        self.flags.append(GONE)
        return self.keys.append(key)

    def _install(self, slot: int, entry: Entry) -> None:
        self._raws[slot] = entry.raw
        self.created[slot] = entry.created
        self.updated[slot] = entry.updated
        self.flags[slot] = entry.flags
        if not self._loading:
            _insert(self.by_updated, slot, self.updated)
            for hidden, order in self.orders.items():
                if not entry.flags & hidden:
                    _insert(order, slot, self.created)

    def _relink(self, slot: int, before: Entry | None, after: Entry | None) -> None:
        for position, links in enumerate(self._links):
            old = None if before is None else before.links[position]
            new = None if after is None else after.links[position]
            if old == new:
                continue
            if old is not None:
                links.remove(old, slot)
            if new is not None:
                links.add(new, slot)

    def _unindex(self, slot: int, entry: Entry) -> None:
        _discard(self.by_updated, slot, self.updated)
        for hidden, order in self.orders.items():
            if not entry.flags & hidden:
                _discard(order, slot, self.created)
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
