"""One account: its data as others would see and change it, past the HTTP door."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import datetime

from katana_sandbox.calls import Call
from katana_sandbox.collections.inventory import inventory_row
from katana_sandbox.descriptor import Collection, Context
from katana_sandbox.operations import create as create_operation
from katana_sandbox.registry import COLLECTIONS
from katana_sandbox.render import render
from katana_sandbox.rules.ledger import Movement, post
from katana_sandbox.rules.safety_stock import STORE, level_key
from katana_sandbox.rules.sales import settle_stock
from katana_sandbox.store.database import Database
from katana_sandbox.store.keys import Key
from katana_sandbox.store.movements import OPENING
from katana_sandbox.store.records import VERBATIM
from katana_sandbox.store.undo import Change
from katana_sandbox.switches import Switches
from katana_sandbox.wire.encoding import Record, decode, decode_record, encode
from katana_sandbox.wire.numbers import as_decimal
from katana_sandbox.wire.times import wire_moment

type Now = Callable[[], datetime]
type Note = Callable[[Callable[[], Context], Callable[[], list[Change]]], None]


class Tenant:
    """The data of one account. Records are given and taken in wire form."""

    def __init__(self, name: str, db: Database, switches: Switches, now: Now, note: Note) -> None:
        self.name = name
        self.db = db
        self._switches = switches
        self._now = now
        self._note = note

    @contextmanager
    def changing(self) -> Generator[None]:
        """All the writes inside, or none when an exception leaves the block; webhooks hear of them."""
        with self.db.undo.transaction() as changes:
            yield
            self._note(self.context, changes)

    def context(self) -> Context:
        """What the rules need, at this moment."""
        return Context(self.db, COLLECTIONS, self._switches, wire_moment(self._now()))

    def get(self, collection: str, id: Key | tuple[int, int] = 1) -> Record:
        """A record as the API would show it, deleted and archived ones included; LookupError when there is none.

        For the inventory the id is (variant_id, location_id).
        """
        ctx = self.context()
        if isinstance(id, tuple):
            if collection == "inventory":
                return inventory_row(ctx, *id)
            id = level_key(*id)
        if _find_collection(collection).computed is not None:
            found = next((record for record in self.all(collection) if record.get("id") == id), None)
            if found is not None:
                return found
        store = self.db.stores[_find_collection(collection).name]
        slot = store.slot(id)
        if slot is None:
            raise LookupError(f"{self.name} has no {collection} with id {id}")
        return decode_record(render(ctx, _find_collection(collection), slot, "list"))

    def all(self, collection: str) -> Iterator[Record]:
        """Every record, oldest first, deleted and archived ones included."""
        ctx = self.context()
        if collection == "inventory":
            for location in list(self.all("locations")):
                for variant in list(self.all("variants")):
                    yield inventory_row(ctx, variant["id"], location["id"])
            return
        computed = _find_collection(collection).computed
        if computed is not None:
            yield from computed(ctx)
            return
        store = self.db.stores[_find_collection(collection).name]
        for slot in list(store.by_created):
            value = decode(render(ctx, _find_collection(collection), slot, "list"))
            yield value if isinstance(value, dict) else {"": value}

    def count(self, collection: str) -> int:
        """How many records there are, deleted and archived ones included."""
        if _find_collection(collection).computed is not None:
            return sum(1 for _ in self.all(collection))
        return len(self.db.stores[_find_collection(collection).name])

    def edit(self, collection: str, id: Key, bump: bool = True, **fields: object) -> Record:
        """Change fields in wire form, as another user would but past every check.

        Figures derived from them follow; the fields named keep the given value even where the server derives another.
        With `bump=False` updated_at stays as it is.
        """
        ctx = self.context()
        if ctx.get(collection, id, deleted=True) is None:
            raise LookupError(f"{self.name} has no {collection} with id {id}")
        with self.changing():
            ctx.change(collection, id, fields, bump=bump)
            ctx.set(collection, id, fields)
        return self.get(collection, id)

    def create(self, collection: str, body: Record) -> Record:
        """Create as a POST would; Refused when the API would refuse."""
        ctx = self.context()
        descriptor = _find_collection(collection)
        with self.changing():
            for route in descriptor.routes:
                if (route.method, route.template) == ("POST", descriptor.path):
                    call = Call("POST", route.template, raw_body=encode(body))
                    return decode_record(route.run(ctx, descriptor, call).body or b"{}")
            record = create_operation.create(ctx, descriptor, body)
        return self.get(collection, record["id"])

    def delete(self, collection: str, id: Key, hard: bool = False) -> None:
        """Delete with children; a hard delete leaves no tombstone."""
        ctx = self.context()
        if ctx.get(collection, id) is None:
            raise LookupError(f"{self.name} has no live {collection} with id {id}")
        with self.changing():
            ctx.delete(collection, id, hard=hard)

    def insert_raw(self, collection: str, record: object) -> Key:
        """Put a record of any shape in, unchecked, to be served byte for byte; the key it can be found under."""
        store = self.db.stores[_find_collection(collection).name]
        fields = decode_record(encode(record))
        key = fields.get("id")
        if isinstance(key, bool) or not isinstance(key, int | str):
            key = f"raw-{len(store.keys)}"
        self.db.reserve(_find_collection(collection).sequence or collection, [key])
        now = wire_moment(self._now())
        dated = {"created_at": now, "updated_at": now, **{k: v for k, v in fields.items() if v is not None}}
        store.write(key, store.entry(dated, encode(record), VERBATIM))
        return key

    def set_stock(self, variant_id: int, location_id: int, quantity: float, unit_cost: float = 0) -> None:
        """Let a pair hold so much stock at such a cost; orders' availability follows."""
        ctx = self.context()
        amount = as_decimal(quantity)
        held = self.db.levels.get(variant_id, location_id).in_stock
        opening = Movement(
            variant_id, location_id, amount, as_decimal(unit_cost), ctx.now, OPENING, variant_id, None, None
        )
        with self.changing():
            for movement in (opening._replace(quantity=-held, unit_cost=None), opening):
                if movement.quantity:
                    post(ctx, movement)
            settle_stock(ctx, [(variant_id, location_id)])


def _find_collection(collection: str) -> Collection:
    name = STORE if collection == "inventory_reorder_points" else collection
    if name not in COLLECTIONS:
        raise LookupError(f"no collection {collection!r}; there are {', '.join(sorted(COLLECTIONS))}")
    return COLLECTIONS[name]
