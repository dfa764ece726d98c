"""The words of the tool surface: what varies by entity is an `Entity`, what is done with it an operation."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from cache_core.conditions import Where
from cache_core.protocol import Stored
from katana_mcp.references.display_names import Names, titled
from katana_mcp.references.services import Services
from katana_mcp.tools.answers import Answer
from katana_mcp.tools.requests import ListRequest, Request, SearchRequest
from katana_mcp.writing.change import AnyChange

type Verb = Literal["search", "list", "get", "create", "modify", "delete"]
type ComputedFields = Callable[[Stored, Names, Services], Mapping[str, object]]
"""What a row of an answer holds that its record does not say under the same name."""


APPLY = "apply_plan"
"""The one tool that writes to Katana."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool(ABC):
    """A tool as hosts and settings see it: all of it but what it does.

    Attributes:
        name: as listed.
        toolset: the group by which it can be switched on.
        description: what the model reads.
        reads: the cache entities that its answers are made of; they are kept fresh while it is served.
        open_world: whether it may ask Katana.
        read_only: whether it changes nothing in Katana, nor what is cached.
        destructive: whether it writes to Katana.
        plans: whether it returns a plan for `apply_plan`.
        on_request: whether it is served only where it, its toolset or `all` is chosen.
    """

    name: str
    toolset: str
    description: str
    reads: tuple[str, ...] = ()
    open_world: bool = True
    read_only: bool = True
    destructive: bool = False
    plans: bool = False
    on_request: bool = False

    @property
    def groups(self) -> frozenset[str]:
        """The toolsets that it is in: its own, `all`, and `writing` where it plans or `read` where it only reads."""
        names = {self.toolset, _FORMER.get(self.toolset, self.toolset), "all"}
        if self.plans:
            return frozenset({*names, "writing"})
        return frozenset({*names, *(("read",) if self.read_only else ())})

    @abstractmethod
    def spec(self) -> "AnyTool":
        """Return what it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec[R: Request](ListedTool):
    """One tool, as plain data and one plain function; the adapter makes an MCP tool of it.

    Attributes:
        request: the arguments.
        answer: the shape of the result.
        run: does the work.
        shows_dates: whether its answers show dates of what it reads, if that has any.
    """

    request: type[R]
    answer: type[Answer]
    run: Callable[[R, Services], Awaitable[Answer]]
    shows_dates: bool = True

    def spec(self) -> "ToolSpec[R]":
        """Return the tool itself."""
        return self


_FORMER = {"items": "catalog"}
"""Names that toolsets had before, and are still chosen by."""


def not_written(plural: str, *readers: str) -> Mapping[Verb, str]:
    """Return why an entity has no tool that writes, and which of its tools read it."""
    message = f"{titled(plural)} are only read so far; they are written in Katana, and read here with "
    return dict.fromkeys(("create", "modify", "delete"), message + " and ".join(f"`{reader}`" for reader in readers))


type AnyTool = ToolSpec[Any]
"""A tool whose request model does not matter here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How rows of an entity are shown.

    Attributes:
        model: the row's shape; what it shares with the record is read from the record.
        own: returns the row's other fields.
        names: which ids of a record need names: entity → paths.
        parts: cache entities whose records belong to a row, and the field that names it: entity → field.
        reads: paths of a record that `computed_fields` reads; a list then reads these, what the model has under the
            same name and what is named, and nothing else of it. None where it may read any.
    """

    model: type[Answer]
    computed_fields: ComputedFields
    names: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    reads: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleRows:
    """How a list with `rows_only` gives the rows of documents, each by itself with the head of its document.

    Attributes:
        path: where the rows stand; conditions on `path[]` narrow them.
        open: which of them are open, where open documents are asked for.
        view: how one looks; the row stands under `row` in the record of its document.
    """

    path: str
    open: Where
    view: View


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """Everything that varies by entity; the page to read first.

    Attributes:
        name: singular, as in `get_<name>`.
        plural: as in `search_<plural>`.
        toolset: the group of its tools.
        sources: the cache entities that its rows come from.
        reads: further cache entities that its answers read for names.
        searched: where a search looks, in a person's words; nothing where it has no search.
        forgiving: whether its search looks inside words and past typing errors after a miss.
        search_request: what its search takes besides a text and a page; nothing where it says nothing.
        searching: which cache entities a search with such a request looks in, and under which conditions.
        summary: how rows look in searches and lists; None where it has neither.
        expanded: how rows look in a list with `include_rows`.
        single_rows: how rows look in a list with `rows_only`.
        views: other rows per source, where sources differ.
        list_request: filters of the list tool; None without one.
        listing: which cache entities a list with such a request takes its rows from, and how they look; its
            sources and its summary where it says nothing.
        get: the tool that returns one whole document; None without one.
        more: further tools that read a part of its document.
        writes: how it is created, modified and deleted, by verb.
        workflows: further tools that plan a write of it, each with how, and its description.
        absent: verbs without a tool, each with its reason, which whoever calls it is told.
        notes: one or two sentences added to a generated description.
    """

    name: str
    plural: str
    toolset: str
    sources: tuple[str, ...]
    reads: tuple[str, ...] = ()
    searched: tuple[str, ...]
    forgiving: bool = False
    search_request: type[SearchRequest] | None = None
    searching: Callable[[Any], Mapping[str, Where]] | None = None
    summary: View | None = None
    expanded: View | None = None
    single_rows: SingleRows | None = None
    views: Mapping[str, View] = field(default_factory=dict[str, View])
    list_request: type[ListRequest] | None = None
    listing: Callable[[Any], Mapping[str, View]] | None = None
    get: AnyTool | None = None
    more: tuple[AnyTool, ...] = ()
    writes: Mapping[Verb, AnyChange] = field(default_factory=dict[Verb, AnyChange])
    workflows: Mapping[str, tuple[AnyChange, str]] = field(default_factory=dict[str, tuple[AnyChange, str]])
    absent: Mapping[Verb, str] = field(default_factory=dict[Verb, str])
    notes: Mapping[Verb, str] = field(default_factory=dict[Verb, str])

    @property
    def title(self) -> str:
        """The entity in words, singular."""
        return titled(self.name)

    @property
    def titles(self) -> str:
        """The entity in words, plural."""
        return titled(self.plural)

    @property
    def changes_in_steps(self) -> bool:
        """Whether plans of many steps change its records, which are then seen between two of them."""
        return any(change.saga is not None for change, _ in self.workflows.values())

    @property
    def row(self) -> View:
        """How its rows look where sources do not differ.

        Raises:
            LookupError: it has no rows, as it is neither searched nor listed.
        """
        if self.summary is None:
            raise LookupError(f"{self.plural} have no rows")
        return self.summary

    def view(self, source: str) -> View:
        """Return how rows of a source are shown."""
        return self.views.get(source) or self.row
