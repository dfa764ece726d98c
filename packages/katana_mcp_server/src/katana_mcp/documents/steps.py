"""What is sent so that a document gets from one state to the other, in the order in which Katana takes it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from cache_core.records import Json, canonical
from katana_client import KatanaClient
from katana_client.collection import Spec
from katana_client.wire import WriteModel
from katana_mcp.documents.declaration import Field, Part, Writable
from katana_mcp.documents.transition import New, State, Transition
from katana_mcp.values import rows, whole
from katana_mcp.writing.actions import Action, Recognise, Ref, on_record

if TYPE_CHECKING:
    from katana_client.collection import Bound


def steps(doc: Writable, change: Transition) -> tuple[Action, ...]:
    """Return what is sent; nothing where something that is named is not there."""
    if not change.is_known:
        return ()
    if change.before is None:
        return (_create(doc, change),)
    if change.after is None:
        title = f"delete {doc.called(change.before)}"
        return (on_record(title, doc.entity, doc.collection, id_of(change.before)),)
    return tuple(_changed(doc, change, change.before))


def id_of(state: State) -> int:
    """Return the id of what is there."""
    return whole(state, "id") or 0


def body_of(model: type[WriteModel] | None, state: State) -> dict[str, Json]:
    """Return what of a state is sent in a body of this kind."""
    return {} if model is None else canonical(_written(model, state).wire())


def patch_of(spec: Spec, change: State, document: State) -> dict[str, Json]:
    """Return what a change of a document's own fields sends, with what Katana would wipe."""
    return {} if spec.update is None else canonical(spec.patch(_written(spec.update, change), keep=document))


def _written[M: WriteModel](model: type[M], state: State) -> M:
    values = {name: value for name, value in state.items() if name in model.model_fields and value != []}
    return model.model_validate(values)


def spec_of(collection: str) -> Spec:
    """Return what can be sent to a collection."""
    bound = cast("Bound[Any]", getattr(KatanaClient, collection))
    return bound.kind.spec


def _create(doc: Writable, change: Transition) -> Action:
    body = body_of(spec_of(doc.collection).create, {**change.new, **_nested(doc, change.new)})
    name = doc.name(change.new)
    return Action(
        title=f"create {doc.title} {name}",
        method="POST",
        path=f"/{doc.collection}",
        body=body,
        entity=doc.entity,
        expects=body if doc.key.prefix else _all_of_it(doc, body),
        recognise=Recognise(collection=doc.collection, filters={doc.key.name: name}, besides=change.facts.others),
    )


def _nested(doc: Writable, state: State) -> State:
    names = {part.held: {each.name for each in part.fields} for part in doc.parts}
    return {
        held: [{name: row[name] for name in row if name in own} for row in rows(state, held)]
        for held, own in names.items()
    }


def _all_of_it(doc: Writable, body: Mapping[str, Json]) -> dict[str, Json]:
    """Return all that Katana holds of a new document: one of the same name that holds more is another one."""
    parts = {part.held: [_empty(part.fields) | dict(row) for row in rows(body, part.held)] for part in doc.parts}
    return canonical({**_empty(doc.head), **body, **parts})


def _empty(fields: Iterable[Field]) -> dict[str, object]:
    return {each.name: None for each in fields if "create" in each.verbs and not each.filled}


def _changed(doc: Writable, change: Transition, document: State) -> Iterator[Action]:
    """Yield its own fields, its parts, what refers to new parts, and its status."""
    sent: list[Action] = []
    spec = spec_of(doc.collection)
    head = {name: value for name, value in change.head.items() if not isinstance(value, New)}
    if head:
        title, body = doc.head_title.format(doc.called(document)), patch_of(spec, head, document)
        sent.append(on_record(title, doc.entity, doc.collection, id_of(document), body))
    for part in doc.parts:
        sent += _of_part(doc, part, change, document)
    sent += [_refer(doc, field, change, sent) for field in doc.head if isinstance(change.head.get(field.name), New)]
    yield from sent
    if doc.status is not None and change.status is not None:
        title = f"set {doc.called(document)} to {change.status}"
        action = on_record(title, doc.entity, doc.collection, id_of(document), {"status": change.status})
        yield replace(action, path=f"{action.path}{doc.status.path}")


def _of_part(doc: Writable, part: Part, change: Transition, document: State) -> Iterator[Action]:
    """Yield changes, deletions and additions, in this order: of some there may be one at most."""
    diff, spec = part.diff(change), spec_of(part.collection or doc.collection)

    def on_part(what: str, key: int, fields: State | None) -> Action:
        title = f"{what} {part.one} {key} of {doc.called(document)}"
        body = None if fields is None else body_of(spec.update, fields)
        action = on_record(title, doc.entity, part.collection, key, body)
        return replace(action, record=id_of(document), part=part.collection, row=key)

    yield from (on_part("change", key, fields) for key, fields in diff.updates.items())
    yield from (on_part("delete", key, None) for key in diff.deletes)
    for row in diff.adds:
        body = body_of(spec.create, {**row, part.parent: id_of(document)})
        there = tuple(sorted(diff.before))
        yield Action(
            title=f"add a {part.kind(row)} to {doc.called(document)}",
            method="POST",
            path=f"/{part.collection}",
            body=body,
            entity=doc.entity,
            record=id_of(document),
            part=part.collection,
            expects=_empty(part.fields) | body,
            recognise=Recognise(collection=part.collection, filters=part.look(body), besides=there),
        )


def _refer(doc: Writable, field: Field, change: Transition, sent: Iterable[Action]) -> Action:
    """Return what sets a field to a part that an earlier request adds."""
    new = cast("New", change.head[field.name])
    part = next(each for each in doc.parts if each.name == new.part)
    place = added(part, sent)[new.place]
    title = f"make the new {part.one} {field.becomes} of {doc.called(change.old)}"
    return on_record(title, doc.entity, doc.collection, id_of(change.old), {field.name: Ref(place, "id")})


def added(part: Part, sent: Iterable[Action]) -> list[int]:
    """Return the places of the requests that add parts, in the order of the parts."""
    path = f"/{part.collection}"
    return [place for place, each in enumerate(sent) if (each.method, each.path) == ("POST", path)]


def deleted(part: Part, sent: Iterable[Action]) -> dict[int, int]:
    """Return the places of the requests that delete parts, by the ids of the parts."""
    return {
        each.row: place
        for place, each in enumerate(sent)
        if each.method == "DELETE" and each.part == part.collection and each.row is not None
    }
