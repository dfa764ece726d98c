"""What a plan would send, as data that survives JSON: another process can send it, or look up whether it happened."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Self, cast

from cache_core.records import Json, canonical

type Method = Literal["POST", "PATCH", "DELETE"]
type JsonObject = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Ref:
    """A value that is known once an earlier action has been answered: a field of its answer."""

    action: int
    field: str

    def told(self) -> dict[str, Json]:
        """Return it as it stands in a body."""
        return {_REF: [self.action, self.field]}


_REF = "$ref"


def resolved(value: object, answers: Mapping[int, JsonObject]) -> object:
    """Return a value of JSON with each reference replaced by what it refers to.

    Raises:
        LookupError: the action it refers to has not answered that field.
    """
    if isinstance(value, Ref):
        return answers[value.action][value.field]
    if isinstance(value, Mapping):
        named = cast("Mapping[str, object]", value)
        if set(named) == {_REF}:
            action, name = cast("tuple[int, str]", named[_REF])
            return answers[action][name]
        return {name: resolved(each, answers) for name, each in named.items()}
    if isinstance(value, list):
        return [resolved(each, answers) for each in cast("list[object]", value)]
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognise:
    """How to tell from a listing whether an action happened.

    It did if a row of the listing holds what the action expects; where it deletes, if there is no row.

    Attributes:
        collection: the listing, an attribute of the client.
        filters: what it is narrowed by.
        besides: ids of rows that do not count, because they were there before.
    """

    collection: str
    filters: JsonObject
    besides: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One request that changes something.

    Attributes:
        title: what it does, for people.
        method: of the request.
        path: of the request.
        body: of the request; may hold a `Ref`. None without one.
        entity: the cache entity that it changes.
        record: the id of the record that it changes; None for a new one.
        expects: fields that the record has afterwards, each equal by meaning.
        recognise: how to look up an unknown outcome; None where nothing can.
    """

    title: str
    method: Method
    path: str
    body: JsonObject | None = None
    entity: str
    record: int | None = None
    expects: JsonObject = field(default_factory=dict[str, object])
    recognise: Recognise | None = None

    def told(self) -> dict[str, Json]:
        """Return it as the journal keeps it."""
        look = self.recognise
        return canonical(
            {
                "title": self.title,
                "method": self.method,
                "path": self.path,
                "body": as_json(self.body),
                "entity": self.entity,
                "record": self.record,
                "expects": as_json(self.expects),
                "recognise": None
                if look is None
                else {"collection": look.collection, "filters": look.filters, "besides": list(look.besides)},
            }
        )

    @classmethod
    def read(cls, kept: JsonObject) -> Self:
        """Return what `told` made of an action."""
        look = cast("dict[str, object] | None", kept["recognise"])
        fields = {**kept, "recognise": None}
        if look is not None:
            fields["recognise"] = Recognise(
                collection=cast("str", look["collection"]),
                filters=cast("JsonObject", look["filters"]),
                besides=tuple(cast("list[int]", look["besides"])),
            )
        return cls(**fields)  # pyright: ignore[reportArgumentType] # ty: ignore[invalid-argument-type] - kept by `told`


def as_json(value: object) -> object:
    """Return a value with its references as they stand in JSON."""
    if isinstance(value, Ref):
        return value.told()
    if isinstance(value, Mapping):
        return {name: as_json(each) for name, each in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [as_json(each) for each in cast("list[object]", value)]
    return value
