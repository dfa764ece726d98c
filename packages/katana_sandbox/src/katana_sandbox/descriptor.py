"""What varies by collection, as data that the operations read, and the context that its rules run in."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from katana_sandbox.calls import Call, Reply
from katana_sandbox.store.database import Database
from katana_sandbox.store.keys import Key
from katana_sandbox.store.records import ARCHIVED, DELETED, VERBATIM
from katana_sandbox.switches import Switches
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.errors import Refused

type FilterKind = Literal["int", "num", "str", "bool", "moment_min", "moment_max", "ignored"]
type View = Literal["list", "one", "reply", "patch"]
type CreateRule = Callable[[Context, Record], Record]
type UpdateRule = Callable[[Context, Record, Record], Record]
type MissingRule = Callable[[Context, Record], Refused]
type DeleteRule = Callable[[Context, Record], None]
type SettleRule = Callable[[Context, Record | None, Record | None], None]
type PartsRule = Callable[[Context, Key, View], dict[str, bytes]]
type ComputedRule = Callable[[Context], Iterator[Record]]
type ExtendRule = Callable[[Context, Record], bytes]
type Run = Callable[[Context, Collection, Call], Reply]


@dataclass(frozen=True, slots=True)
class Field:
    """A stored field: its value when a create leaves it out, and how a body's value is stored."""

    name: str
    default: object = None
    store: Callable[[object], object] | None = None


_DEFAULTS: dict[str, object] = {"[]": (), "0": 0, "1": 1, "true": True, "false": False}


def plain_fields(text: str) -> tuple[Field, ...]:
    """Fields that are stored as they come; their names with spaces between, with `=` and what stands for one left out.

    A name alone is null when it is left out; `name=` is an empty text.
    """
    pairs = (entry.partition("=") for entry in text.split())
    return tuple(Field(name, _DEFAULTS.get(value, value) if equals else None) for name, equals, value in pairs)


@dataclass(frozen=True, slots=True)
class Filter:
    """A query parameter that compares a field; `values` closes it to an enum.

    `upper` is for an enum whose query words are lowerCamel and whose stored words are UPPER_SNAKE.
    """

    name: str
    kind: FilterKind = "str"
    field: str = ""
    many: bool = False
    values: tuple[str, ...] = ()
    upper: bool = False

    @property
    def column(self) -> str:
        """The field compared."""
        return self.field or self.name


@dataclass(frozen=True, slots=True)
class Embed:
    """Children shown inside their parent; deleted ones never are."""

    member: str
    collection: str
    foreign_key: str


@dataclass(frozen=True, slots=True)
class Guard:
    """Records elsewhere that forbid a delete (412)."""

    collection: str
    foreign_key: str
    message: str


@dataclass(frozen=True, slots=True)
class Ranges:
    """Which of the shared list parameters a collection knows."""

    dates: bool = True
    ids: bool = True
    deleted: bool = True
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Route:
    """One operation: a template such as `/products/{id}`."""

    method: str
    template: str
    run: Run


@dataclass(frozen=True, kw_only=True)
class Collection:
    """One collection of the API; `unique` fields are shared by no two records, where switched.

    `listing` and `update` are the operations whose query and body are taken, where they are not those of the path;
    `filters` and `ranges` stand in place of what the facts say of the query.

    `on_missing` says how a change of a record that is not there is refused, where that is not a plain 404.

    `unechoed` are lists that the answer to a PATCH shows empty where the body did not name them.

    `custom_fields` are the entity types of definitions that records may have values of, merged on PATCH or replaced;
    `item_fields` marks what has them in two forms.
    """

    name: str
    entity: str = ""
    fields: tuple[Field, ...] = ()
    listing: str = ""
    update: str = ""
    filters: tuple[Filter, ...] = ()
    ranges: Ranges | None = None
    key: Literal["int", "uuid"] = "int"
    sequence: str = ""
    stamps: tuple[str, ...] = ("created_at", "updated_at", "deleted_at")
    soft_delete: bool = True
    foreign_keys: tuple[str, ...] = ()
    references: Mapping[str, str] = field(default_factory=dict[str, str])
    children: tuple[tuple[str, str], ...] = ()
    embeds: tuple[Embed, ...] = ()
    extends: Mapping[str, ExtendRule] = field(default_factory=dict[str, ExtendRule])
    parts: PartsRule | None = None
    hidden: frozenset[str] = frozenset()
    custom_fields: tuple[str, ...] = ()
    custom_fields_replaced: bool = False
    item_fields: bool = False
    parent: tuple[str, str] | None = None
    guards: tuple[Guard, ...] = ()
    unique: tuple[str, ...] = ()
    wipes: str = ""
    unechoed: tuple[str, ...] = ()
    on_create: CreateRule | None = None
    on_update: UpdateRule | None = None
    on_missing: MissingRule | None = None
    on_delete: DeleteRule | None = None
    settle: SettleRule | None = None
    routes: tuple[Route, ...] = ()
    computed: ComputedRule | None = None

    @property
    def noun(self) -> str:
        """What a message calls one of its records: `entity`, or the name in the singular."""
        return self.entity or self.name.removesuffix("s").replace("_", " ")

    @property
    def path(self) -> str:
        """The path below the base URL."""
        return "/" + self.name


@dataclass(frozen=True, slots=True)
class Context:
    """What a rule may do: read and write one tenant's records at one moment. `now` is wire text."""

    db: Database
    collections: Mapping[str, Collection]
    switches: Switches
    now: str
    fields_format: str = ""

    def get(self, name: str, key: object, *, deleted: bool = False) -> Record | None:
        """A record; soft-deleted ones only when asked for."""
        return self.db.stores[name].get(key, deleted=deleted) if isinstance(key, int | str) else None

    def children(self, name: str, foreign_key: str, value: object) -> list[Record]:
        """Live records that refer to `value`, oldest first; rules never see what was put in raw."""
        store = self.db.stores[name]
        slots = store.linked(foreign_key, value)
        return [store.record(slot) for slot in slots if not store.flags[slot] & (DELETED | VERBATIM)]

    def insert(self, name: str, fields: Mapping[str, object]) -> Record:
        """Give a new record its id and stamps, store it and settle what depends on it."""
        collection = self.collections[name]
        key: Key = self.db.next_uuid() if collection.key == "uuid" else self.db.next_id(collection.sequence or name)
        stamps = {stamp: self.now if stamp in {"created_at", "updated_at"} else None for stamp in collection.stamps}
        record: Record = {"id": key, **fields, **stamps}
        self._write(name, key, record)
        self._touch_parent(collection, record)
        if collection.settle is not None:
            collection.settle(self, None, record)
        return self.get(name, key) or record

    def change(self, name: str, key: Key, changes: Mapping[str, object], *, bump: bool = True) -> Record:
        """Change fields, move updated_at unless told otherwise, and settle what depends on the record."""
        before = self.get(name, key, deleted=True) or {}
        after: Record = {**before, **changes}
        collection = self.collections[name]
        if bump and "updated_at" in collection.stamps:
            after["updated_at"] = self.now
        self._write(name, key, after)
        if bump:
            self._touch_parent(collection, after)
        if collection.settle is not None:
            collection.settle(self, before, after)
        return self.get(name, key, deleted=True) or after

    def set(self, name: str, key: Key, changes: Mapping[str, object]) -> None:
        """Change derived fields only: nothing is bumped and nothing settles; equal values write nothing."""
        before = self.get(name, key, deleted=True)
        if before is not None and any(before.get(field) != value for field, value in changes.items()):
            self._write(name, key, {**before, **changes})

    def delete(self, name: str, key: Key, *, hard: bool = False) -> None:
        """Delete a record and its children, without asking any rule."""
        collection = self.collections[name]
        before = self.get(name, key)
        if before is None:
            return
        for child, foreign_key in collection.children:
            for record in self.children(child, foreign_key, key):
                self.delete(child, record["id"], hard=hard)
        if hard or not collection.soft_delete:
            self.db.stores[name].write(key, None)
        else:
            self._write(name, key, {**before, "deleted_at": self.now, "updated_at": self.now})
        self._touch_parent(collection, before)
        if collection.settle is not None:
            collection.settle(self, before, None)

    def mark_archived(self, name: str, key: Key, *, archived: bool) -> None:
        """Hide or show a record that has no archive flag of its own; the record itself does not change."""
        store = self.db.stores[name]
        entry = store.current(key)
        if entry is not None:
            flags = entry.flags | ARCHIVED if archived else entry.flags & ~ARCHIVED
            if flags != entry.flags:
                store.write(key, entry._replace(flags=flags))

    def is_archived(self, name: str, key: object) -> bool:
        """Whether a record is archived, by a flag of its own or by its item's."""
        entry = self.db.stores[name].current(key) if isinstance(key, int | str) else None
        service = self.get("service_variants", key) if entry is None and name == "variants" else None
        if service is not None:
            return self.is_archived("services", service["service_id"])
        return entry is not None and bool(entry.flags & ARCHIVED)

    def factory(self) -> Record:
        """The account's settings."""
        return self.get("factory", 1) or {}

    def variant(self, key: object) -> Record | None:
        """A variant of any kind of item: they share one id sequence."""
        return self.get("variants", key) or self.get("service_variants", key)

    def at(self, now: str) -> "Context":
        """The same tenant at another moment."""
        return replace(self, now=now)

    def _touch_parent(self, collection: Collection, record: Record) -> None:
        if collection.parent is not None and self.switches.on("child_edit_bumps_parent"):
            foreign_key, name = collection.parent
            key = record.get(foreign_key)
            if isinstance(key, int | str):
                self.set(name, key, {"updated_at": self.now})

    def _write(self, name: str, key: Key, record: Record) -> None:
        store = self.db.stores[name]
        held = store.current(key)
        kept = 0
        if held is not None and "archived_at" not in record:
            kept = held.flags & ARCHIVED
        store.write(key, store.entry(record, encode(record), kept))
