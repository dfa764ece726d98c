"""What an operator means to be served: other servers, changes of single tools, and tools made of several.

Refuses what contradicts itself, in one sentence that names the place in `catalog.toml`.
"""

from collections.abc import Mapping
from itertools import permutations
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, model_validator

OWN = "katana"
"""The server whose tools are ours, in `[tools.katana.…]`."""
_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")

type Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
type Header = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,64}$")]


class CatalogError(Exception):
    """A catalogue that cannot be served, in one sentence."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Upstream(_Part):
    """Another MCP server: a program that is started here, or an address.

    Attributes:
        command: the program and its arguments.
        url: the address, https, or http on this machine.
        env: names of variables that the program is given; their values stand in no file.
        headers: headers of each request, each with the name of the variable that holds its value.
        namespace: put before the names of its tools, with an underscore.
        required: whether this server is not ready while that one is down.
        timeout: seconds for a listing, and for a call.
        budget: tokens that its listed tools may cost; past it, those that only read are found by a search, dearest
            first, and what may change something stays listed.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    env: tuple[Name, ...] = ()
    headers: Mapping[Header, Name] = Field(default_factory=dict[str, str])
    namespace: Name | None = None
    required: bool = False
    timeout: float = Field(default=30, gt=0, le=600, allow_inf_nan=False)
    budget: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _one_way_to_it(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("give either command or url")
        if (self.url and self.env) or (self.command and self.headers):
            raise ValueError("env goes with command, headers go with url")
        parts = urlsplit(self.url)
        if self.url and parts.scheme != "https" and parts.hostname not in _THIS_MACHINE:
            raise ValueError("url must be https, or http on this machine")
        if parts.username or parts.password:
            raise ValueError("url must hold no user and no password: name a variable in headers")
        return self

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that hold what it is given in secret."""
        return (*self.env, *self.headers.values())


class Argument(_Part):
    """How an argument of a tool is shown: under another name, described anew, with a default, or not at all."""

    name: Name | None = None
    description: str | None = None
    hide: bool = False
    default: JsonValue = None

    @property
    def has_default(self) -> bool:
        """Whether a default is given, null included."""
        return "default" in self.model_fields_set


class Override(_Part):
    """How one tool is shown.

    Attributes:
        enabled: whether it is there at all.
        listed: whether it is listed; one that is not is found by `search_tools`, and has to be read-only.
        name: instead of its own.
        description: instead of its own.
        read_only: whether the operator vouches that it changes nothing.
        arguments: how its arguments are shown, by their own names.
        lock_schema: whether its output schema stays as it was adopted, whatever the server says.
    """

    enabled: bool = True
    listed: bool = True
    name: Name | None = None
    description: str | None = None
    read_only: bool = False
    arguments: Mapping[str, Argument] = Field(default_factory=dict[str, Argument])
    lock_schema: bool = False


class Rule(_Part):
    """One value of a request or an answer: where it goes, and where it comes from.

    Attributes:
        target: the name it is given, `parcel.weight` for one within another.
        source: where it is taken from, in the same form; `from` in the file.
        value: a constant instead.
        required: whether nothing is sent without it.
        strip_null: whether null is left out.
    """

    target: str = Field(min_length=1)
    source: str | None = Field(default=None, alias="from", min_length=1)
    value: JsonValue = None
    required: bool = False
    strip_null: bool = True

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if (self.source is not None) == ("value" in self.model_fields_set):
            raise ValueError("give either from or value")
        return self


class Operation(_Part):
    """One thing that a tool made of several does.

    Attributes:
        tool: what is called, as `server.tool`.
        arguments: how its arguments are made; without any they are passed on under their own names.
        require_any_of: arguments of which one has to be given.
        response: how the answer is made; without it the answer is passed on.
    """

    tool: str = Field(pattern=r"^[A-Za-z0-9_-]+\..+$")
    arguments: tuple[Rule, ...] = ()
    require_any_of: tuple[str, ...] = ()
    response: tuple[Rule, ...] | None = None

    @model_validator(mode="after")
    def _each_target_has_a_place(self) -> Self:
        for rules in (self.arguments, self.response or ()):
            for outer, inner in permutations(rules, 2):
                _check_place(outer, inner)
        return self


class Aggregate(_Part):
    """A tool made of several.

    Attributes:
        description: what the model reads.
        selector: the argument that says which operation is meant.
        operations: by the value of the selector.
        hides: tools that are not there by themselves then, as `server.tool`.
        read_only: whether the operator vouches that it changes nothing.
        lock_schema: whether its output schema follows what was adopted by hand alone.
    """

    description: str = Field(min_length=1)
    selector: Name = "operation"
    operations: Mapping[str, Operation] = Field(min_length=1)
    hides: tuple[str, ...] = ()
    read_only: bool = False
    lock_schema: bool = False


class Catalog(_Part):
    """All that `catalog.toml` and its overlay say.

    Attributes:
        check_every: seconds between two looks at each server.
        upstreams: other servers, by name.
        tools: changes of single tools, by server and name; `katana` is ours.
        aggregates: tools made of several, by name.
    """

    check_every: float = Field(default=30, ge=0.1, le=3_600, allow_inf_nan=False)
    upstreams: Mapping[Name, Upstream] = Field(default_factory=dict[str, Upstream])
    tools: Mapping[str, Mapping[str, Override]] = Field(default_factory=dict[str, Mapping[str, Override]])
    aggregates: Mapping[Name, Aggregate] = Field(default_factory=dict[str, Aggregate])

    @model_validator(mode="after")
    def _names_are_there(self) -> Self:
        if OWN in self.upstreams:
            raise ValueError(f"upstreams.{OWN}: this name stands for our own tools")
        named = {target.partition(".")[0] for aggregate in self.aggregates.values() for target in _targets(aggregate)}
        unknown = sorted((named | set(self.tools) - {OWN}) - set(self.upstreams))
        if unknown:
            raise ValueError(f"no upstream is called {', '.join(unknown)}")
        for tool, override in self.tools.get(OWN, {}).items():
            wrong = sorted({"read_only", "arguments", "lock_schema", "listed"} & override.model_fields_set)
            if wrong:
                raise ValueError(f"tools.{OWN}.{tool}: our own tools have no {', '.join(wrong)}")
        return self

    def override(self, target: str) -> Override:
        """Return how a tool, named as `server.tool`, is shown."""
        server, _, tool = target.partition(".")
        return self.tools.get(server, {}).get(tool, _AS_IT_IS)

    def is_hidden(self, target: str) -> bool:
        """Return whether a tool is not there by itself."""
        hidden = any(target in aggregate.hides for aggregate in self.aggregates.values())
        return hidden or not self.override(target).enabled

    @property
    def has_unlisted(self) -> bool:
        """Whether a tool of another server is found by a search only."""
        return any(not tool.listed for server in self.tools.values() for tool in server.values())


def _check_place(outer: Rule, inner: Rule) -> None:
    """Refuse a target within a constant that is no object."""
    if outer.source is not None or not inner.target.startswith(f"{outer.target}."):
        return
    place: JsonValue = outer.value
    for step in inner.target.removeprefix(f"{outer.target}.").split("."):
        if not isinstance(place, dict):
            raise ValueError(f"{inner.target} cannot be within {outer.target}, whose value is no object there")
        if step not in place:
            return
        place = place[step]


_AS_IT_IS = Override()


def _targets(aggregate: Aggregate) -> tuple[str, ...]:
    return (*(operation.tool for operation in aggregate.operations.values()), *aggregate.hides)
