"""What varies by collection, as data; the operations read it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.schema import Schema

if TYPE_CHECKING:
    from katana_sandbox.context import Context
    from katana_sandbox.routing import Route

type FilterKind = Literal["int", "num", "str", "bool", "moment_min", "moment_max"]
type View = Literal["list", "one", "reply", "patch"]
type Operation = Literal["list", "get", "create", "update", "delete"]
type CreateRule = Callable[["Context", Record], Record]
type UpdateRule = Callable[["Context", Record, Record], Record]
type DeleteRule = Callable[["Context", Record], None]
type SettleRule = Callable[["Context", Record | None, Record | None], None]
type PartsRule = Callable[["Context", Key, View], dict[str, bytes]]
type ComputedRule = Callable[["Context"], Iterator[Record]]
type ExtendRule = Callable[["Context", Record], bytes]


@dataclass(frozen=True, slots=True)
class Field:
    """A stored field: its value when a create leaves it out, and how a body's value is stored."""

    name: str
    default: object = None
    store: Callable[[object], object] | None = None


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


@dataclass(frozen=True, kw_only=True)
class Collection:
    """One collection of the API; `unique` names the switch that lets no two records share a field's value."""

    name: str
    entity: str
    operations: tuple[Operation, ...] = ()
    fields: tuple[Field, ...] = ()
    create: Schema | None = None
    update: Schema | None = None
    filters: tuple[Filter, ...] = ()
    ranges: Ranges = Ranges()
    key: Literal["int", "uuid"] = "int"
    sequence: str = ""
    stamps: tuple[str, ...] = ("created_at", "updated_at", "deleted_at")
    soft_delete: bool = True
    foreign_keys: tuple[str, ...] = ()
    references: Mapping[str, str] = field(default_factory=dict[str, str])
    children: tuple[tuple[str, str], ...] = ()
    embeds: tuple[Embed, ...] = ()
    extends: Mapping[str, ExtendRule] = field(default_factory=dict[str, "ExtendRule"])
    parts: PartsRule | None = None
    hidden: frozenset[str] = frozenset()
    parent: tuple[str, str] | None = None
    guards: tuple[Guard, ...] = ()
    unique: Mapping[str, str] = field(default_factory=dict[str, str])
    wipes: str = ""
    on_create: CreateRule | None = None
    on_update: UpdateRule | None = None
    on_delete: DeleteRule | None = None
    settle: SettleRule | None = None
    routes: tuple["Route", ...] = ()
    computed: ComputedRule | None = None

    @property
    def path(self) -> str:
        """The path below the base URL."""
        return "/" + self.name
