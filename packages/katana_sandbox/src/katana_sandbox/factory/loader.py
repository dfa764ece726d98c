"""Fast ways into the stores: records are encoded once and the indexes built at the end."""

import random
from array import array
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from typing import NamedTuple, cast

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.ledger import rebalance
from katana_sandbox.store.keys import Key
from katana_sandbox.store.movements import Movement, pair_key
from katana_sandbox.store.records import ARCHIVED, DELETED, Entry
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.times import moment_of_ms, ms_of, wire_moment

DAY = 86_400_000
BOOKS_OPENED = 90 * DAY
type Progress = Callable[[str, int, int], None]
_REPORT_EVERY = 5000
_TEXTS = 1000
_PLACES = {"created_at": 0, "updated_at": 1, "archived_at": 2, "deleted_at": 3}


class Life(NamedTuple):
    """When a record was made, last changed, archived and deleted, in epoch milliseconds."""

    created: int
    updated: int
    archived: int | None = None
    deleted: int | None = None


class Loader:
    """Puts generated records into one tenant. `rng` decides everything that varies.

    `costs` are those of the variants: of one stock unit, in base currency.
    """

    def __init__(self, ctx: Context, seed: int, progress: Progress) -> None:
        self.ctx = ctx
        self.rng = random.Random(seed)
        self.now = ms_of(ctx.now) or 0
        self.costs: dict[int, Decimal] = {}
        self._progress = progress
        self._texts: dict[int, str] = {}
        self._moved: list[Movement] = []
        self._moments = array("q")

    @contextmanager
    def open(self) -> Generator[None]:
        """Load inside; the undo log sees nothing and the indexes are built at the end."""
        with ExitStack() as stack:
            stack.enter_context(self.ctx.db.undo.silent())
            for store in self.ctx.db.stores.values():
                stack.enter_context(store.loading())
            yield
            last = self.ctx.db.movements.load(self._moved, self._moments)
            self.ctx.db.reserve("inventory_movements", [last])
            pairs = sorted({movement.pair for movement in self._moved})
            self._moved.clear()
            for pair in pairs:
                rebalance(self.ctx, pair)

    def open_stock(self, pair: tuple[int, int], quantity: Decimal, cost: Decimal, created: int) -> None:
        """Let a pair begin with so much, before any document moved stock."""
        moved = min(created, self.now - BOOKS_OPENED)
        self.ctx.db.movements.openings.add(pair_key(*pair), quantity, cost, created, moved)

    def held(self, pair: tuple[int, int]) -> Decimal:
        """What a pair holds after everything loaded so far."""
        later = (movement.quantity for movement in self._moved if movement.pair == pair)
        return self.ctx.db.levels.get(*pair).in_stock + sum(later, Decimal(0))

    def move(self, movement: Movement, created: int) -> None:
        """Write a movement that happened at some time in the past."""
        self._moved.append(movement)
        self._moments.append(created)

    def ship(self, movement: Movement, cost: Decimal, created: int) -> None:
        """Write an outflow, and let the pair have begun with that much more."""
        if not self.ctx.db.movements.openings.raise_by(pair_key(*movement.pair), -movement.quantity):
            self.open_stock(movement.pair, -movement.quantity, cost, created)
        self.move(movement, created)

    def text(self, milliseconds: int) -> str:
        """Wire text of a moment."""
        cached = self._texts.get(milliseconds)
        if cached is None:
            if len(self._texts) > _TEXTS:
                self._texts.clear()
            cached = self._texts[milliseconds] = wire_moment(moment_of_ms(milliseconds))
        return cached

    def life(self, created: int, *, archived: bool = False, deleted: bool = False) -> Life:
        """A life that began at `created` and was last touched at any time since."""
        since = max(1, self.now - created)
        updated = created + int(since * self.rng.random() ** 2) if self.rng.random() < 0.7 else created
        return Life(created, updated, updated if archived else None, updated if deleted else None)

    def plain_life(self, created: int) -> Life:
        """A life without changes, which draws no chance."""
        return Life(created, created)

    def blank(self, name: str) -> Record:
        """The fields of a collection, all of them null."""
        return {field.name: None for field in self.ctx.collections[name].fields}

    def put(self, name: str, fields: Mapping[str, object], life: Life, key: Key | None = None, flags: int = 0) -> Key:
        """Store a record under the next id (or a given key) and return it."""
        collection = self.ctx.collections[name]
        if key is None:
            uuid = collection.key == "uuid"
            key = self.ctx.db.next_uuid() if uuid else self.ctx.db.next_id(collection.sequence or name)
        record: Record = {"id": key, **fields}
        for stamp in collection.stamps:
            moment = life[_PLACES[stamp]]
            record[stamp] = None if moment is None else self.text(moment)
        flags |= (ARCHIVED if life.archived is not None else 0) | (DELETED if life.deleted is not None else 0)
        store = self.ctx.db.stores[name]
        links = tuple([cast("Key | None", fields.get(foreign_key)) for foreign_key in store.foreign_keys])
        store.swap(key, Entry(encode(record), life.created, life.updated, flags, links))
        return key

    def number(self, name: str, fields: Mapping[str, object], life: Life, flags: int = 0) -> int:
        """As `put`, for collections that count their ids."""
        return int(self.put(name, fields, life, flags=flags))

    def report(self, label: str, done: int, total: int) -> None:
        """Tell how far a long step is, now and then."""
        if done % _REPORT_EVERY == 0 or done == total:
            self._progress(label, done, total)
