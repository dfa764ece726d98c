"""A document's two states with what is known of it, and what differs between them: what plans and rules are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from cache_core.records import Record, RecordId
from katana_mcp.references.display_names import Names
from katana_mcp.references.numbers import Numbered
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.tools.days import IN_UTC, Days
from katana_mcp.values import EMPTY
from katana_mcp.writing.stock_moves import Levels

type State = Record
"""A document as it is or would be, under Katana's names; its values are JSON, `New` and `Unknown`."""


@dataclass(frozen=True, slots=True)
class New:
    """The id of a part that is yet to be added, as a value: its place among those."""

    part: str
    place: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """The id of what nothing is called, as a value."""

    asked: int | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """Documents that name this one: what each is, how many, the newest of them, and whether all are known."""

    what: str = "sales order"
    count: int = 0
    newest: tuple[Record, ...] = ()
    is_counted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What was read for a plan.

    Attributes:
        record: the document as it is in Katana now; None for a new one.
        deleted: whether it is deleted.
        numbered: the number of a new document, where it has one.
        taken: ids of others that are called what it is to be called.
        namesakes: the same for a new one, with those that are deleted.
        references: what a request names, and what a document holds the ids of, by cache entity.
        levels: the stock of its goods.
        free: what of that no order has committed, as far as it is known.
        repeated: documents that a new one may repeat.
        linked: documents that name it, of each kind that was looked for.
        days: of the factory, in which dates are shown.
        names: records that its rules read, beside those that a request names.
        beside: records that belong to it and have a collection of their own, by cache entity.
        definitions: the custom fields that the account has, by their ids, where a request sets some; None: not known.
        own: what only its own functions know how to read.
    """

    record: Record | None = None
    deleted: bool = False
    numbered: Numbered | None = None
    taken: tuple[int, ...] = ()
    namesakes: tuple[int, ...] = ()
    references: Mapping[tuple[str, int | str], Named] = field(default_factory=dict[tuple[str, int | str], Named])
    levels: Levels = field(default_factory=dict[int, Mapping[int, Decimal]])
    free: Levels = field(default_factory=dict[int, Mapping[int, Decimal]])
    repeated: tuple[str, ...] = ()
    linked: tuple[Linked, ...] = ()
    days: Days = IN_UTC
    names: Names = field(default_factory=Names)
    beside: Mapping[str, tuple[Record, ...]] = field(default_factory=dict[str, tuple[Record, ...]])
    definitions: Mapping[str, Record] | None = None
    own: object = None

    @property
    def others(self) -> tuple[int, ...]:
        """The ids of other documents that are called what it is to be called."""
        return self.namesakes or (self.taken if self.numbered is None else self.numbered.taken)

    def one(self, entity: str, asked: object) -> NamedRecord | None:
        """Return the record that an id or a name names, if that is certain."""
        found = self.references.get((entity, asked)) if isinstance(asked, int | str) else None
        return None if found is None else found.one

    def with_id(self, entity: str, record_id: object) -> NamedRecord | None:
        """Return the record that has an id, by whatever it was named; None when it was not read."""
        records = [record for (kind, _), named in self.references.items() if kind == entity for record in named.found]
        return next((record for record in records if record.id == record_id), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartDiff:
    """What becomes of parts of one kind.

    Attributes:
        before: those that are there, by their ids.
        updates: fields that would be something else, by the id of the part.
        deletes: the ids of those that go.
        adds: those that come.
    """

    before: Mapping[RecordId, State] = field(default_factory=dict[RecordId, State])
    updates: Mapping[RecordId, State] = field(default_factory=dict[RecordId, State])
    deletes: tuple[RecordId, ...] = ()
    adds: tuple[State, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A request against a document.

    Attributes:
        asked: the arguments that the request names.
        facts: what was read.
        before: the document as it is; None for a new one.
        unlocked: as it is once a status is sent that unlocks it, if one is.
        middle: as it is once its own fields are sent as well, and its parts are not.
        target: as the request leaves it; None where it goes.
        after: the same with what Katana works out by itself.
        head: the fields that are sent; all that a new document has, none where it goes.
        parts: what becomes of its parts, by the field that holds them.
        sent: what of that is sent, because it does not follow from what is sent before.
        status: the status that is sent; None where none is.
        unlocks: whether the status is sent first.
    """

    asked: Mapping[str, object]
    facts: Facts
    before: State | None
    unlocked: State
    middle: State
    target: State | None
    after: State | None
    head: State
    parts: Mapping[str, PartDiff]
    sent: Mapping[str, PartDiff]
    status: str | None
    unlocks: bool

    @property
    def old(self) -> State:
        """The document as it is; nothing for a new one."""
        return EMPTY if self.before is None else self.before

    @property
    def new(self) -> State:
        """The document as it would be; nothing where it goes."""
        return EMPTY if self.after is None else self.after

    @property
    def subject(self) -> State:
        """The document as it would be, or as it is where it goes."""
        return self.new or self.old

    @property
    def is_nothing(self) -> bool:
        """Whether everything would stay as it is."""
        parts: Sequence[PartDiff] = list(self.sent.values())
        return not (self.head or self.status or any(part.updates or part.deletes or part.adds for part in parts))

    @property
    def all_found(self) -> bool:
        """Whether everything that it names is there."""
        added = [row for diff in self.sent.values() for row in (*diff.adds, *diff.updates.values())]
        return not any(isinstance(value, Unknown) for state in (self.head, *added) for value in state.values())
