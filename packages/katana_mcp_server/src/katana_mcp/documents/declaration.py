"""The words of a declaration: fields, parts, key and status of a document, and its own rules as named functions."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from cache_core.protocol import Stored
from cache_core.records import RecordId
from katana_mcp.documents.transition import Facts, PartDiff, State, Transition
from katana_mcp.references.display_names import text, titled
from katana_mcp.references.item_codes import CODES
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.requests import NameOrId, RecordNumber
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.actions import JsonObject
from katana_mcp.writing.preview import PlanLine, Preview
from katana_mcp.writing.stock_moves import StockMove
from katana_mcp.writing.totals import NO_TOTALS, Totals

BOTH: tuple[Verb, ...] = ("create", "modify")
ONLY_NEW: tuple[Verb, ...] = ("create",)
ONLY_LATER: tuple[Verb, ...] = ("modify",)


@dataclass(frozen=True, slots=True)
class Field:
    """A field that a request may set.

    Attributes:
        name: as Katana calls it.
        kind: the type of its argument.
        says: the description of its argument.
        says_new: that of the argument of a new document, where it is another.
        argument: the name of its argument, where it is another.
        verbs: the requests that have the argument.
        required: whether a new document, or part, needs it.
        clears: whether null clears it.
        names: the cache entity that it names, by id or exact name.
        part: the part of which it names one, by its id.
        becomes: what a part becomes that it names, in words.
        filled: whether Katana fills it in where nobody does.
        empty: what is sent where null clears it.
        default: what a new document has where the request does not say; the argument then cannot be null.
        is_late: whether it is sent after the status.
        is_paired: whether it is sent together with the other one of its kind.
        follows: the field of parts, the latest of which Katana makes it.
        inside: the list of the record whose one entry holds it, and in which a new document sends it.
        since: of a flag, the field of the record that holds since when it is so.
        custom: of values of custom fields, the kinds of record whose definitions are meant; the first come first.
        in_words: its value in words, where that is no text, number or flag.
        is_unlined: whether it is shown as a change of a new part too, because lines do not hold it.
        first: what is sent of it before the parts, where they need another value than it has in the end.
    """

    name: str
    kind: Any
    says: str = ""
    _: KW_ONLY
    says_new: str = ""
    argument: str = ""
    verbs: tuple[Verb, ...] = BOTH
    required: bool = False
    clears: bool = True
    names: str = ""
    part: str = ""
    becomes: str = ""
    filled: bool = False
    empty: object = None
    default: str | bool | None = None
    is_late: bool = False
    is_paired: bool = False
    follows: str = ""
    inside: str = ""
    since: str = ""
    custom: tuple[str, ...] = ()
    in_words: Callable[[object], str] | None = None
    is_unlined: bool = False
    first: Callable[[Transition], object] | None = None

    @property
    def arg(self) -> str:
        """The name of its argument."""
        return self.argument or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """Which of several kinds of record that share their tools is meant: an argument that every one of these needs.

    Attributes:
        argument: its name.
        value: what it is for this kind.
        kinds: what it is for each kind.
        says: its description.
        also: a further name of the argument, under which answers show it.
    """

    argument: str
    value: str
    kinds: tuple[str, ...]
    says: str
    also: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """What people call a document by.

    Attributes:
        name: the field.
        words: what it is, in words.
        prefix: of the first number, where a new document gets the next free one; names are given, and not counted.
    """

    name: str
    words: str
    prefix: str = ""


def _requested(asked: Mapping[str, object], _: State) -> str | None:
    status = asked.get("status")
    return None if status is None else str(status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The status of a document, which a new one has not to be told.

    Attributes:
        kind: the type of its argument.
        says: the description of its argument.
        first: what a new document has.
        refused: from which to which it cannot go, and what a refusal adds.
        path: where it is set, below the document; empty where it is one of its fields.
        new_kind: the type of the argument of a new document; None where it has none.
        says_new: the description of that.
        asked: what a request on a document makes it.
        unlocks: whether it is sent first, because it opens what the one before closed.
        is_alone: whether a document takes no other field along with it, not even notes that a PATCH could wipe.
    """

    kind: Any
    says: str
    first: str
    refused: Mapping[tuple[str, str], str]
    path: str
    new_kind: Any = None
    says_new: str = ""
    asked: Callable[[Mapping[str, object], State], str | None] = _requested
    unlocks: Callable[[State, str], bool] = lambda _, __: False
    is_alone: Callable[[State], bool] = lambda _: False


def again_as_they_were(part: "Part", rows: Mapping[RecordId, State], _: State) -> dict[RecordId, dict[str, object]]:
    """Return the arguments that add parts as they were, by their ids."""
    return {
        key: {
            part_field.arg: row[part_field.name]
            for part_field in part.fields
            if "create" in part_field.verbs and row.get(part_field.name) not in (None, "", [])
        }
        for key, row in rows.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a document has several of: `add_<name>`, `update_<name>` and `delete_<one>_ids`.

    Attributes:
        name: in plural, as the argument of a new document.
        one: in singular.
        held: the field of the document that holds them.
        fields: of each.
        says: of the arguments: `new`, `add`, `update`, `delete`; of one, `one` and `change`.
        most: how many a request may name.
        needed: whether a new document needs one.
        collection: where they are changed one by one; empty where they never are.
        parent: the field in which each names its document.
        look: what a listing is narrowed by to find an added one: new, and as `fields` say, or `filled` where not given.
        verbs: the requests that have its arguments: a new document has none of what Katana copies into it.
        kind: what one is called that is added.
        called: what one is called that is deleted or added.
        again: the arguments that add some as they were.
        filled: whether Katana fills them in where a new document names none.
        unsaid: fields that no argument gives: a document with a part that holds one is not made again.
        line: how one is shown as a line; None where its fields are shown.
        written: how one that is written is shown as a line, beside its fields.
        entity: the cache entity, where it is one of its own.
        parent_is: the field of the document that `parent` holds.
        inside: whether one that is new is sent with its new document.
        adds_first: whether new ones are sent before others change or go.
        finish: what one that is new has besides what is asked for, in its document.
        title: what one is in a title, in brackets; None where its name and id say it.
        key_kind: the type of its id.
        also: further names of arguments that change one.
        is_brief: whether what changes one is described only where a new one is.
        leads: whether the document and its stock follow from it, and are read again once it is written.
        text: the field by which a text names one of a document too.
        completes: whether what a new document does not take of the one inside is sent right after it.
        unechoed: fields that the answer to a change shows empty where the change does not name them.
    """

    name: str
    one: str
    held: str
    fields: tuple[Field, ...]
    says: Mapping[str, str]
    most: int
    needed: bool = False
    collection: str = ""
    parent: str = ""
    look: Callable[[JsonObject], JsonObject] = lambda body: body
    verbs: tuple[Verb, ...] = BOTH
    kind: Callable[[State], str] = lambda _: "row"
    called: Callable[[State], str] = lambda _: ""
    again: Callable[["Part", Mapping[RecordId, State], State], dict[RecordId, dict[str, object]]] = again_as_they_were
    filled: bool = False
    unsaid: tuple[str, ...] = ()
    line: Callable[[Transition, State], PlanLine | None] | None = None
    written: Callable[[Transition, State], PlanLine | None] | None = None
    entity: str = ""
    parent_is: str = "id"
    inside: Callable[[State, State], bool] = lambda _, __: True
    adds_first: bool = False
    finish: Callable[[State, State, Facts], State] = lambda row, _, __: row
    title: Callable[[Transition, State], str] | None = None
    key_kind: Any = RecordNumber
    also: Offers = field(default_factory=dict[str, tuple[str, ...]])
    is_brief: bool = False
    leads: bool = False
    text: str = ""
    completes: bool = False
    unechoed: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The argument that names one by its id."""
        return f"{self.one}_id"

    @property
    def words(self) -> str:
        """What one is, in words."""
        return titled(self.one)

    @property
    def deletes(self) -> str:
        """The argument that names those to delete."""
        return f"delete_{self.one}_ids"

    def diff(self, change: Transition) -> PartDiff:
        """Return what becomes of these parts."""
        return change.parts[self.held]


def _nothing(_: Transition) -> tuple[()]:
    return ()


def _as_it_is(_: State | None, after: State) -> State:
    return after


def _as_it_was(record: State, _: Facts) -> State:
    return record


async def _no_more(change: Transition, _: Services) -> Facts:
    return change.facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Writable:
    """A document that is created, changed and deleted.

    Attributes:
        entity: the cache entity.
        noun: what its tools and arguments call it, where it is not that: `item`, for a service.
        words_before: what it is in words, before its name, where that is not the cache entity.
        argument: the argument that names one, where it is not that with `_id`.
        selector: the argument that says which kind is meant, where other kinds have the same tools.
        collection: of the client, which says what can be sent and what a PATCH wipes.
        says_id: the description of the argument that names one.
        id_kind: the type of that.
        find: returns the one that an id or a text names; None where texts are ids and what people call it.
        key: what people call it by.
        head: its fields.
        parts: what it has several of.
        status: None where it has none.
        words: names that people use for arguments of a change, and what to say instead.
        head_title: what a request does that changes its fields; `{}` is the document.
        blank_clears: whether an empty text is the same as null.
        described: what a summary says at the end, of a document that is new or goes.
        reads: cache entities that a verb reads besides.
        answers: what each verb answers.
        what: the end of the first sentence of each description.
        parties: the fields that a document has in common with one that it repeats by mistake; none where any may be.
        gather: reads what its rules need.
        switches: arguments of a change that are no fields, and their defaults.
        is_sendable: whether the client can send it; where not, a rule speaks against it.
        read: a document with all that its plan is about, as it was read.
        follow: what Katana overwrites when it gets from one state to the other, before its parts are sent.
        settle: what follows from what a request sets, from both states.
        derive: what Katana works out by itself in the end, from both states.
        no_way_back: why nothing takes a change back; None where something does.
        back: what the call that takes a change back says besides, or otherwise.
        left: what the way back leaves as it then is, by argument or part, and why.
        totals: what the lines come to, by the field that holds the parts.
        currency: of the prices.
        rules: what speaks against a change.
        moves: what becomes of the stock.
        uses: records, by cache entity and id, that prices and the like are taken from, beside those that it names.
        refreshes: cache entities of which Katana makes or changes records along with its head or its status.
        binds: what else a plan depends on.
        lanes: what else it holds while it is applied, beside the document and what people call that.
        linked: other documents that it touches.
        leaves: whether Katana may leave one behind where it refuses, or fails, to make it.
        embeds: cache entities of what the answer to a new one holds in lists, by the field.
        codes: what its goods may be called by besides SKU and id.
    """

    entity: str
    noun: str = ""
    words_before: str = ""
    argument: str = ""
    selector: Selector | None = None
    collection: str
    says_id: str
    id_kind: Any = NameOrId
    find: Callable[[Services, int | str], Awaitable[Stored]] | None = None
    key: Key
    head: tuple[Field, ...]
    parts: tuple[Part, ...] = ()
    status: Status | None = None
    words: Words = field(default_factory=dict[str, str])
    head_title: str = "change fields of {}"
    blank_clears: bool = False
    described: Callable[[Transition], str]
    reads: Mapping[Verb, tuple[str, ...]] = field(default_factory=dict[Verb, tuple[str, ...]])
    what: Mapping[Verb, str]
    answers: Mapping[Verb, type[Preview]]
    parties: tuple[str, ...] = ()
    gather: Callable[[Transition, Services], Awaitable[Facts]] = _no_more
    switches: tuple[Field, ...] = ()
    is_sendable: Callable[[Transition], bool] = lambda _: True
    read: Callable[[State, Facts], State] = _as_it_was
    follow: Callable[[State, State], State] = _as_it_is
    settle: Callable[[State | None, State], State] = _as_it_is
    derive: Callable[[State | None, State], State] = _as_it_is
    no_way_back: Callable[[Transition], str | None] = lambda _: None
    back: Callable[[Transition, dict[str, object]], dict[str, object]] = lambda _, arguments: arguments
    left: Callable[[Transition], Mapping[str, str]] = lambda _: {}
    totals: Callable[[Mapping[str, Sequence[PlanLine]]], Totals] = lambda _: NO_TOTALS
    currency: Callable[[Transition], str | None] = lambda _: None
    rules: tuple[Callable[[Transition], Iterable[ToolWarning]], ...] = ()
    moves: Callable[[Transition], Sequence[StockMove]] = _nothing
    uses: Callable[[Transition], Iterable[tuple[str, int]]] = _nothing
    refreshes: Callable[[Transition], tuple[str, ...]] = _nothing
    binds: Callable[[Transition], JsonObject] = lambda _: {}
    lanes: Callable[[Transition], tuple[str, ...]] = _nothing
    linked: Callable[[Transition], tuple[str, ...]] = _nothing
    leaves: bool = False
    embeds: Mapping[str, str] = field(default_factory=dict[str, str])
    codes: tuple[str, ...] = CODES

    @property
    def title(self) -> str:
        """What it is, in words."""
        return self.words_before or titled(self.entity)

    @property
    def id(self) -> str:
        """The argument that names one."""
        return self.argument or f"{self.noun or self.entity}_id"

    @property
    def selected(self) -> Mapping[str, object]:
        """The argument that says which kind is meant, where there is one."""
        return {} if self.selector is None else {self.selector.argument: self.selector.value}

    def tool(self, verb: Verb) -> str:
        """Return the name of the tool that plans a verb."""
        return f"{verb}_{self.noun or self.entity}"

    @property
    def is_lined(self) -> bool:
        """Whether its parts are shown as lines."""
        return any(part.line is not None for part in self.parts)

    def name(self, state: State) -> str:
        """Return what people call one: its number or its name."""
        return text(state, self.key.name) or str(state.get("id"))

    def called(self, state: State) -> str:
        """Return the same with what it is: `stock transfer ST-3`."""
        return f"{self.title} {self.name(state)}"
