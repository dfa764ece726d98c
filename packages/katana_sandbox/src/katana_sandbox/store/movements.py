"""Every movement of stock: opening balances in packed columns, later ones by variant and location, all undoable."""

from array import array
from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from decimal import Context, Decimal
from typing import Any, NamedTuple, cast

from katana_sandbox.store.keys import FIRST_ID, NOWHERE, Key, Places
from katana_sandbox.store.undo import UndoLog
from katana_sandbox.wire.encoding import decode, encode
from katana_sandbox.wire.times import moment_of_ms, wire_moment

type Source = tuple[str, Key]
OPENING = "SystemGenerated"
QUANTITY = Decimal(10) ** 5
VALUE = Decimal(10) ** 10
_EXACT = Context(prec=90)
_MASK = (1 << 32) - 1


class Movement(NamedTuple):
    """A signed quantity of a variant at a location, and the document row that moved it.

    `unit_cost` None takes the average cost of that moment. `movement_date` is the business date in wire form. `part`
    tells several events of one row apart, such as its shipments.
    """

    variant_id: int
    location_id: int
    quantity: Decimal
    unit_cost: Decimal | None
    movement_date: str
    resource_type: str
    resource_id: Key
    caused_by_order_no: str | None
    caused_by_resource_id: Key | None
    part: Key | None = None

    @property
    def pair(self) -> tuple[int, int]:
        """Variant and location."""
        return self.variant_id, self.location_id

    @property
    def source(self) -> Source:
        """The document row."""
        return self.resource_type, self.resource_id


class Posted(NamedTuple):
    """A movement as the ledger holds it."""

    id: int
    movement: Movement
    created_at: str
    updated_at: str


class Balance(NamedTuple):
    """What a pair holds. `average_cost` outlives the stock it was the average of; 0 when there never was any."""

    in_stock: Decimal = Decimal(0)
    value: Decimal = Decimal(0)
    average_cost: Decimal = Decimal(0)


def replay(entries: Sequence[Posted]) -> list[Balance]:
    """The balance after each of a pair's movements, which are in ledger order."""
    held = Balance()
    after: list[Balance] = []
    for entry in entries:
        held = _applied(held, entry.movement)
        after.append(held)
    return after


def _applied(held: Balance, movement: Movement) -> Balance:
    cost = held.average_cost if movement.unit_cost is None else movement.unit_cost
    in_stock = _EXACT.add(held.in_stock, movement.quantity)
    if not in_stock:
        return Balance(in_stock, Decimal(0), held.average_cost or cost)
    value = _EXACT.add(held.value, _EXACT.multiply(movement.quantity, cost))
    value = value.quantize(1 / VALUE, context=_EXACT)
    return Balance(in_stock, value, _EXACT.divide(value, in_stock))


def pair_key(variant_id: int, location_id: int) -> int:
    """Variant and location in one number."""
    return variant_id << 32 | location_id


def unpair(key: int) -> tuple[int, int]:
    """Variant and location of one number."""
    return key >> 32, key & _MASK


class Movements:
    """The ledger of one tenant. `remembered` holds answers to list queries by the version they are true of."""

    REMEMBER = 16

    def __init__(self, undo: UndoLog) -> None:
        self.version = 0
        self.remembered: dict[object, tuple[int, Sequence[int]]] = {}
        self.openings = Openings()
        self._undo = undo
        self._live = array("q")
        self._held: dict[int, tuple[Posted, ...]] = {}
        self._pairs: dict[int, int] = {}
        self._sources: dict[str, dict[Key, int | tuple[int, ...]]] = {}

    @property
    def ids(self) -> Sequence[int]:
        """Every movement's id, oldest first."""
        return self._live

    def of_pair(self, variant_id: int, location_id: int) -> list[Posted]:
        """A pair's movements in ledger order: by business date, then by id."""
        key = pair_key(variant_id, location_id)
        later = self._held.get(key, ())
        opening = self.openings.of_pair(key)
        if opening is None:
            return list(later)
        return sorted([opening, *later], key=_order) if later else [opening]

    def of_source(self, source: Source, part: Key | None = None) -> list[Posted]:
        """The movements of one document row, or of one part of it."""
        return [entry for key in self._pairs_of(source) for entry in self._held[key] if _is_of(entry, source, part)]

    def get(self, movement_id: int) -> Posted | None:
        """A movement by id."""
        key = self._pairs.get(movement_id)
        if key is None:
            return self.openings.get(movement_id)
        return next(entry for entry in self._held[key] if entry.id == movement_id)

    def later(self) -> Iterator[Posted]:
        """Every movement that is no opening balance, in no order."""
        for entries in self._held.values():
            yield from entries

    def add(self, posted: Posted) -> None:
        """Take a movement in."""
        key = pair_key(*posted.movement.pair)
        self._write(key, (*self._held.get(key, ()), posted))

    def remove(self, source: Source, part: Key | None = None) -> list[Posted]:
        """Take away the movements of a document row, or of one part of it; what they were."""
        gone = self.of_source(source, part)
        for key in {pair_key(*entry.movement.pair) for entry in gone}:
            self._write(key, tuple(entry for entry in self._held[key] if not _is_of(entry, source, part)))
        return gone

    def load(self, movements: Sequence[Movement], created: array[int]) -> int:
        """Number generated movements, each with its moment of creation, and openings together; the last id."""
        opened = len(self.openings.created)
        ids = _numbered(self.openings.created + created)
        self._live = array("q", range(FIRST_ID, FIRST_ID + len(ids)))
        self.openings.number(ids[:opened])
        grouped: dict[int, list[Posted]] = {}
        for number, moment, movement in zip(ids[opened:], created, movements, strict=True):
            stamp = wire_moment(moment_of_ms(moment))
            stamp = movement.movement_date if movement.movement_date == stamp else stamp
            grouped.setdefault(pair_key(*movement.pair), []).append(Posted(number, movement, stamp, stamp))
        for key, posted in grouped.items():
            self._install(key, tuple(sorted(posted, key=_order)))
        self.version += 1
        return FIRST_ID + len(ids) - 1

    def saved(self) -> dict[str, bytes]:
        """The ledger, in pieces that `restore` takes back."""
        entries = [_plain(entry) for held in self._held.values() for entry in held]
        return {"later": encode(entries), "live": self._live.tobytes(), **self.openings.saved()}

    def restore(self, pieces: Mapping[str, bytes]) -> None:
        """Hold what `saved` gave, and nothing else."""
        self.openings.restore(pieces)
        self._live = array("q", pieces["live"])
        self._held, self._pairs, self._sources = {}, {}, {}
        grouped: dict[int, list[Posted]] = {}
        for fields in cast("list[list[Any]]", decode(pieces["later"])):
            posted = _posted(fields)
            grouped.setdefault(pair_key(*posted.movement.pair), []).append(posted)
        for key, entries in grouped.items():
            self._install(key, tuple(entries))
        self.version += 1

    def swap(self, key: object, state: object) -> object:
        """Install a pair's later movements (None: there are none) and return those that were there."""
        pair = cast("int", key)
        before = self._held.pop(pair, None)
        for entry in before or ():
            del self._pairs[entry.id]
            self._live.pop(bisect_left(self._live, entry.id))
            self._forget(entry.movement.source, pair)
        if state is not None:
            self._install(pair, cast("tuple[Posted, ...]", state))
            for entry in self._held[pair]:
                insort(self._live, entry.id)
        self.version += 1
        return before

    def _write(self, key: int, entries: tuple[Posted, ...]) -> None:
        state = tuple(sorted(entries, key=_order)) or None
        self._undo.note(self, key, self.swap(key, state))

    def _install(self, key: int, entries: tuple[Posted, ...]) -> None:
        self._held[key] = entries
        for entry in entries:
            self._pairs[entry.id] = key
            source = entry.movement.source
            pairs = self._pairs_of(source)
            if key not in pairs:
                self._keep_pairs(source, (*pairs, key))

    def _forget(self, source: Source, key: int) -> None:
        self._keep_pairs(source, tuple(other for other in self._pairs_of(source) if other != key))

    def _pairs_of(self, source: Source) -> tuple[int, ...]:
        pairs = self._sources.get(source[0], {}).get(source[1], ())
        return (pairs,) if isinstance(pairs, int) else pairs

    def _keep_pairs(self, source: Source, pairs: tuple[int, ...]) -> None:
        rows = self._sources.setdefault(source[0], {})
        if pairs:
            # Nearly every row moves one pair, and there are very many rows.
            rows[source[1]] = pairs[0] if len(pairs) == 1 else pairs
        else:
            rows.pop(source[1], None)


class Openings:
    """What pairs held when the account was set up: generated, never changed, a few bytes each."""

    def __init__(self) -> None:
        self.created = array("q")
        self._moved = array("q")
        self._pairs = array("q")
        self._quantities = array("q")
        self._costs = array("q")
        self._ids = array("q")
        self._by_id = array("q")
        self._places: dict[int, Places] = {}

    def add(self, key: int, quantity: Decimal, cost: Decimal, created: int, moved: int) -> None:
        """Let a pair begin with so much."""
        self._put(key, len(self._pairs))
        self._pairs.append(key)
        self._quantities.append(round(quantity * QUANTITY))
        self._costs.append(round(cost * VALUE))
        self.created.append(created)
        self._moved.append(moved)

    def raise_by(self, key: int, quantity: Decimal) -> bool:
        """Let a pair begin with more; False when it has no opening."""
        place = self._place(key)
        if place is None:
            return False
        self._quantities[place] += round(quantity * QUANTITY)
        return True

    def saved(self) -> dict[str, bytes]:
        """The openings, in pieces that `restore` takes back."""
        columns = (self.created, self._moved, self._pairs, self._quantities, self._costs, self._ids)
        return {f"opening{place}": column.tobytes() for place, column in enumerate(columns)}

    def restore(self, pieces: Mapping[str, bytes]) -> None:
        """Hold what `saved` gave, and nothing else."""
        columns = [array("q", pieces[f"opening{place}"]) for place in range(6)]
        self.created, self._moved, self._pairs, self._quantities, self._costs, ids = columns
        self._places = {}
        for place, key in enumerate(self._pairs):
            self._put(key, place)
        self.number(ids)

    def number(self, ids: Sequence[int]) -> None:
        """Give the openings their ids, in the order they were added."""
        self._ids = array("q", ids)
        self._by_id = array("q", sorted(range(len(ids)), key=ids.__getitem__))

    def get(self, movement_id: int) -> Posted | None:
        """An opening by id."""
        place = bisect_left(self._by_id, movement_id, key=self._ids.__getitem__)
        if place == len(self._by_id) or self._ids[self._by_id[place]] != movement_id:
            return None
        return self._posted(self._by_id[place])

    def of_pair(self, key: int) -> Posted | None:
        """The opening of a pair."""
        place = self._place(key)
        return None if place is None else self._posted(place)

    def amount(self, key: int) -> tuple[int, int] | None:
        """Quantity and value of a pair's opening, in steps of the last place."""
        place = self._place(key)
        if place is None:
            return None
        return self._quantities[place], self._quantities[place] * self._costs[place] // int(QUANTITY)

    def at(self, location_id: int | None) -> Iterator[tuple[int, int]]:
        """Id and moment of creation of the openings of a location, or of all."""
        for movement_id, key, created in zip(self._ids, self._pairs, self.created, strict=True):
            if location_id is None or key & _MASK == location_id:
                yield movement_id, created

    def _place(self, key: int) -> int | None:
        variant_id, location_id = unpair(key)
        places = self._places.get(location_id)
        place = NOWHERE if places is None else places.get(variant_id)
        return None if place == NOWHERE else place

    def _put(self, key: int, place: int) -> None:
        variant_id, location_id = unpair(key)
        self._places.setdefault(location_id, Places()).put(variant_id, place)

    def _posted(self, place: int) -> Posted:
        key = self._pairs[place]
        movement = Movement(
            variant_id=key >> 32,
            location_id=key & _MASK,
            quantity=self._quantities[place] / QUANTITY,
            unit_cost=self._costs[place] / VALUE,
            movement_date=wire_moment(moment_of_ms(self._moved[place])),
            resource_type=OPENING,
            resource_id=key >> 32,
            caused_by_order_no=None,
            caused_by_resource_id=None,
        )
        stamp = wire_moment(moment_of_ms(self.created[place]))
        return Posted(self._ids[place] if self._ids else 0, movement, stamp, stamp)


def _numbered(moments: array[int]) -> array[int]:
    """An id for each moment, counted in order of time."""
    ids = array("q", bytes(8 * len(moments)))
    for number, place in enumerate(sorted(range(len(moments)), key=moments.__getitem__), FIRST_ID):
        ids[place] = number
    return ids


def _order(entry: Posted) -> tuple[str, int]:
    return entry.movement.movement_date, entry.id


def _is_of(entry: Posted, source: Source, part: Key | None) -> bool:
    return entry.movement.source == source and (part is None or entry.movement.part == part)


def _plain(entry: Posted) -> list[object]:
    movement = entry.movement
    cost = movement.unit_cost
    amounts = [str(movement.quantity), None if cost is None else str(cost)]
    return [entry.id, entry.created_at, entry.updated_at, *movement[:2], *amounts, *movement[4:]]


def _posted(fields: list[Any]) -> Posted:
    number, created, updated, *values = fields
    values[2], values[3] = Decimal(values[2]), None if values[3] is None else Decimal(values[3])
    return Posted(number, Movement(*values), created, updated)
