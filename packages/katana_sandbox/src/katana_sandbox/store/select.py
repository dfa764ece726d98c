"""Which records a list query means, found through the narrowest index and in list order."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal  # noqa: TC003 - evaluated in casts
from typing import Literal, cast

from katana_sandbox.store.keys import Key
from katana_sandbox.store.records import ARCHIVED, DELETED, Store
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.numbers import as_decimal
from katana_sandbox.wire.times import ms_of

type Kind = Literal["int", "num", "str", "bool", "moment"]
_CACHED = 16


@dataclass(frozen=True, slots=True)
class Span:
    """Milliseconds from `low` to `high`, both included; None is open."""

    low: int | None = None
    high: int | None = None

    def holds(self, moment: int) -> bool:
        """Whether the moment lies inside."""
        return (self.low is None or moment >= self.low) and (self.high is None or moment <= self.high)

    @property
    def open(self) -> bool:
        """Whether everything lies inside."""
        return self.low is None and self.high is None


@dataclass(frozen=True, slots=True)
class Condition:
    """A field that must hold one of some values; list fields must contain one."""

    field: str
    kind: Kind
    values: tuple[object, ...] = ()
    span: Span = Span()

    def matches(self, record: Record) -> bool:
        """Whether the record fulfils it."""
        held = record.get(self.field)
        if isinstance(held, list):
            return any(self._one(item) for item in cast("list[object]", held))
        return self._one(held)

    def probe(self, raw: bytes) -> bool:
        """False only when the bytes surely do not fulfil it."""
        if self.kind != "str":
            return True
        return any(encode(value) in raw for value in self.values)

    def _one(self, held: object) -> bool:
        if held is None:
            return False
        if self.kind == "moment":
            moment = ms_of(held)
            return moment is not None and self.span.holds(moment)
        if self.kind in {"int", "num"} and not isinstance(held, bool):
            return as_decimal(held) in cast("tuple[Decimal, ...]", self.values)
        return held in self.values


@dataclass(frozen=True, slots=True)
class Selection:
    """A list query without its page."""

    ids: tuple[Key, ...] | None = None
    conditions: tuple[Condition, ...] = ()
    created: Span = Span()
    updated: Span = Span()
    deleted: bool = False
    archived: bool = False


class Selector:
    """Answers selections over one store; results are reused until the store changes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._cache: dict[Selection, tuple[int, Sequence[int]]] = {}

    def slots(self, selection: Selection) -> Sequence[int]:
        """The selected slots, oldest first (lists are read from the end)."""
        base = self._base(selection)
        if base is not None:
            return base
        cached = self._cache.get(selection)
        if cached is not None and cached[0] == self._store.version:
            return cached[1]
        found = self._find(selection)
        if len(self._cache) >= _CACHED:
            self._cache.pop(next(iter(self._cache)))
        self._cache[selection] = (self._store.version, found)
        return found

    def _base(self, selection: Selection) -> Sequence[int] | None:
        bare = selection.ids is None and not selection.conditions
        if not bare or not selection.created.open or not self._covers_updated(selection.updated):
            return None
        return self._store.orders[_hidden(selection)]

    def _covers_updated(self, span: Span) -> bool:
        index = self._store.by_updated
        if span.open or not index:
            return True
        low, high = self._store.updated[index[0]], self._store.updated[index[-1]]
        return span.holds(low) and span.holds(high)

    def _find(self, selection: Selection) -> Sequence[int]:
        store = self._store
        hidden = _hidden(selection)
        slots: Iterable[int] = self._candidates(selection)
        slots = [slot for slot in slots if not store.flags[slot] & hidden]
        if not selection.updated.open:
            slots = [slot for slot in slots if selection.updated.holds(store.updated[slot])]
        if not selection.created.open:
            slots = [slot for slot in slots if selection.created.holds(store.created[slot])]
        for condition in selection.conditions:
            slots = [slot for slot in slots if condition.probe(store.raw(slot))]
            slots = [slot for slot in slots if condition.matches(store.record(slot))]
        return array("i", sorted(slots, key=lambda slot: (store.created[slot], slot)))

    def _candidates(self, selection: Selection) -> Iterable[int]:
        store = self._store
        if selection.ids is not None:
            return {slot for key in selection.ids if (slot := store.slot(key)) is not None}
        for condition in selection.conditions:
            if condition.field in store.foreign_keys and condition.kind == "int":
                linked_ids = {int(cast("Decimal", value)) for value in condition.values}
                return {slot for value in linked_ids for slot in store.linked(condition.field, value)}
        if not selection.updated.open:
            return _within(store.by_updated, store.updated, selection.updated)
        return _within(store.by_created, store.created, selection.created)


def _hidden(selection: Selection) -> int:
    return (0 if selection.deleted else DELETED) | (0 if selection.archived else ARCHIVED)


def _within(index: Sequence[int], times: Sequence[int], span: Span) -> Sequence[int]:
    key: Callable[[int], int] = times.__getitem__
    start = 0 if span.low is None else bisect_left(index, span.low, key=key)
    stop = len(index) if span.high is None else bisect_right(index, span.high, key=key)
    return index[start:stop]
