"""What a plan would send, as data that survives JSON: another process can send it, or look up whether it happened."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self, cast

from cache_core.records import Json, RecordId, canonical, encode

type Method = Literal["POST", "PATCH", "DELETE"]
type JsonObject = Mapping[str, object]
type Body = JsonObject | Sequence[JsonObject]
SOME: JsonObject = {"$some": True}
"""What a field is expected to be of which only is known that it is set."""
SAFE_AGAIN = "the same call again is safe: repeating it changes nothing"
"""What is said of a repeatable action whose outcome is unknown."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A value that is known once an earlier action has been answered: a field of its answer.

    The field of an entry of a list is named by its place: `variants.0.id`.
    """

    action: int
    field: str

    def to_json(self) -> dict[str, Json]:
        """Return it as it stands in a body."""
        return {_REF: [self.action, self.field]}


@dataclass(frozen=True, slots=True)
class IfApplied:
    """An entry of a list that is there only if an earlier action was applied."""

    action: int
    value: object

    def to_json(self) -> dict[str, Json]:
        """Return it as it stands in a body."""
        return canonical({_IF_APPLIED: [self.action, as_json(self.value)]})


_REF, _IF_APPLIED = "$ref", "$if_applied"


def resolved(value: object, answers: Mapping[int, JsonObject]) -> object:
    """Return a value of JSON with each reference replaced by what it refers to.

    Raises:
        LookupError: the action it refers to has not answered that field.
    """
    if isinstance(value, Ref):
        return _answered(answers, value.action, value.field)
    if isinstance(value, Mapping):
        named = cast("Mapping[str, object]", value)
        if set(named) == {_REF}:
            action, name = cast("tuple[int, str]", named[_REF])
            return _answered(answers, action, name)
        return {name: resolved(item, answers) for name, item in named.items()}
    if isinstance(value, list):
        return [item for entry in cast("list[object]", value) for item in _entry(entry, answers)]
    return value


def _answered(answers: Mapping[int, JsonObject], action: int, name: str) -> object:
    found: object = answers[action]
    for step in name.split("."):
        found = _inside(found, step)
    if found is None:
        raise LookupError(name)  # nothing can refer to a null
    return found


def _inside(found: object, step: str) -> object:
    if isinstance(found, list):
        return cast("list[object]", found)[int(step)]
    if isinstance(found, Mapping):
        return cast("JsonObject", found)[step]
    raise LookupError(step)


def _entry(value: object, answers: Mapping[int, JsonObject]) -> list[object]:
    """Return an entry of a list, or none where the action that it depends on was not applied."""
    if not isinstance(value, Mapping):
        return [resolved(value, answers)]
    named = cast("Mapping[str, object]", value)
    if set(named) != {_IF_APPLIED}:
        return [resolved(named, answers)]
    action, inner = cast("tuple[int, object]", named[_IF_APPLIED])
    return [resolved(inner, answers)] if action in answers else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognise:
    """How to tell from a listing whether an action happened.

    It did if one row of the listing holds what the action expects; where it deletes, if the row is marked as deleted.
    A number tells a document. What has none (rows, receipts, shipments, productions) is told by all that is expected of
    it, among those that were not there before. Which of two that are alike is ours nothing tells: two are `unknown`,
    and one that somebody else added is taken for ours where ours never came.

    Attributes:
        collection: the listing, an attribute of the client.
        filters: what it is narrowed by.
        besides: ids of rows that do not count, because they were there before.
        since: of a deletion, where one page lists all that is live and no trace of what went: when the record was made.
    """

    collection: str
    filters: JsonObject
    besides: tuple[RecordId, ...] = ()
    since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One request that changes something.

    Attributes:
        title: what it does, for people.
        method: of the request.
        path: of the request.
        body: of the request; may hold a `Ref`. None without one.
        entity: the entity that it changes; one that is not cached is asked for each time.
        record: the id of the record that it changes; None for a new one.
        part: where it changes a part of that record, such as a row, the collection of the feed that tells of it.
        row: the id of the part; None for a new one.
        expects: fields that the record, or its part, has afterwards, each equal by what the field is; where Katana
            answers with many, one list of what each of them has.
        implies: what else the record then holds, though the answer does not say so.
        recognise: how to look up an unknown outcome; None where nothing can.
        is_answered: whether Katana answers with what it wrote, but for a deletion.
        answers_many: how many records Katana answers with in a list, or makes without an answer; 0 where it is one.
        answers_ids: the list of ids that Katana answers with in place of a record: it stands in the body too, and all
            that were sent have to be among those answered. An answer of 204 without a body says the same.
        answers_body: whether Katana answers with what it was sent, and no id.
        is_repeatable: whether the same request once more changes nothing: it is safe where nothing tells its outcome.
        pending: the flag of the record that says that Katana has taken it, and works on it still.
        document: what follows from it, by cache entity and id: it and the stock of its goods are read again.
        answers: the collection of the record that Katana answers with, where the path does not name it.
        refreshes: cache entities of which Katana makes or changes records along with it: what is new is read again.
        target: the id that `path` ends with, or has in place of `{}`, where an earlier action makes what it changes.
        leaves: whether Katana may leave a record behind where it refuses, or fails, to make it.
        embeds: cache entities of what the answer holds in lists, by the field: it is shown at once as well.
    """

    title: str
    method: Method
    path: str
    body: Body | None = None
    entity: str
    record: RecordId | None = None
    part: str | None = None
    row: RecordId | None = None
    expects: JsonObject = field(default_factory=dict[str, object])
    implies: JsonObject = field(default_factory=dict[str, object])
    recognise: Recognise | None = None
    is_answered: bool = True
    answers_many: int = 0
    answers_ids: str = ""
    answers_body: bool = False
    is_repeatable: bool = False
    pending: str = ""
    document: tuple[str, int] | None = None
    answers: str = ""
    refreshes: tuple[str, ...] = ()
    target: Ref | None = None
    leaves: bool = False
    embeds: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def collection(self) -> str:
        """The collection of the record that Katana answers with."""
        return self.answers or self.path.split("/")[1]

    @property
    def shown_path(self) -> str:
        """The path, with what its end refers to as it stands in a body."""
        return self.path if self.target is None else self._path_of(encode(self.target.to_json()).decode())

    @property
    def fields(self) -> JsonObject:
        """The fields of its body; none where that is a list, or there is none."""
        return self.body if isinstance(self.body, Mapping) else {}

    def _path_of(self, key: RecordId) -> str:
        return self.path.replace("{}", str(key)) if "{}" in self.path else f"{self.path}/{key}"

    def resolved(self, answers: Mapping[int, JsonObject]) -> Self:
        """Return it with each reference replaced by what the actions before it were answered.

        Raises:
            LookupError: one of them has not answered that field.
        """
        look = self.recognise
        key = None if self.target is None else cast("RecordId", resolved(self.target, answers))
        return replace(
            self,
            path=self.path if key is None else self._path_of(key),
            record=self.record if key is None else key,
            target=None,
            body=cast("Body | None", resolved(self.body, answers)),
            expects=cast("JsonObject", resolved(self.expects, answers)),
            recognise=look and replace(look, filters=cast("JsonObject", resolved(look.filters, answers))),
        )

    def to_json(self) -> dict[str, Json]:
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
                "part": self.part,
                "row": self.row,
                "expects": as_json(self.expects),
                "implies": as_json(self.implies),
                **({} if self.is_answered else {"is_answered": False}),
                **({"answers_many": self.answers_many} if self.answers_many else {}),
                **({"answers_ids": self.answers_ids} if self.answers_ids else {}),
                **({"answers_body": True} if self.answers_body else {}),
                **({"is_repeatable": True} if self.is_repeatable else {}),
                **({"pending": self.pending} if self.pending else {}),
                **({} if self.document is None else {"document": list(self.document)}),
                **({"answers": self.answers} if self.answers else {}),
                **({"refreshes": list(self.refreshes)} if self.refreshes else {}),
                **({} if self.target is None else {"target": self.target.to_json()}),
                **({"leaves": True} if self.leaves else {}),
                **({"embeds": dict(self.embeds)} if self.embeds else {}),
                "recognise": None
                if look is None
                else {
                    "collection": look.collection,
                    "filters": as_json(look.filters),
                    "besides": list(look.besides),
                    **({"since": look.since} if look.since else {}),
                },
            }
        )

    @classmethod
    def read(cls, kept: JsonObject) -> Self:
        """Return what `to_json` made of an action."""
        look = cast("dict[str, object] | None", kept["recognise"])
        fields = {**kept, "recognise": None}
        if "document" in kept:
            fields["document"] = tuple(cast("list[object]", kept["document"]))
        if "refreshes" in kept:
            fields["refreshes"] = tuple(cast("list[object]", kept["refreshes"]))
        if "target" in kept:
            place, name = cast("tuple[int, str]", cast("JsonObject", kept["target"])[_REF])
            fields["target"] = Ref(place, name)
        if look is not None:
            fields["recognise"] = Recognise(
                collection=cast("str", look["collection"]),
                filters=cast("JsonObject", look["filters"]),
                besides=tuple(cast("list[RecordId]", look["besides"])),
                since=cast("str", look.get("since", "")),
            )
        return cls(**fields)  # pyright: ignore[reportArgumentType] # ty: ignore[invalid-argument-type] - kept by `to_json`


def on_record(title: str, entity: str, collection: str, key: RecordId, body: JsonObject | None = None) -> Action:
    """Return what changes a record, or deletes it where there is no body; a listing by its id tells whether it did."""
    return Action(
        title=title,
        method="DELETE" if body is None else "PATCH",
        path=f"/{collection}/{key}",
        body=body,
        entity=entity,
        record=key,
        expects=body or {},
        recognise=Recognise(collection=collection, filters={"ids": [key]}),
    )


def as_json(value: object) -> object:
    """Return a value with its references as they stand in JSON."""
    if isinstance(value, Ref | IfApplied):
        return value.to_json()
    if isinstance(value, Mapping):
        return {name: as_json(item) for name, item in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in cast("list[object]", value)]
    return value
