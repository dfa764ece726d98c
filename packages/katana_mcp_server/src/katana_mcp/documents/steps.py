"""What is sent so that a document gets from one state to the other, in the order in which Katana takes it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from cache_core.records import Json, RecordId, canonical
from katana_client import KatanaClient
from katana_client.collection import Spec
from katana_client.wire import WriteModel, models_in
from katana_mcp.documents.declaration import Field, Part, Writable
from katana_mcp.documents.forms import as_held, as_set, entries
from katana_mcp.documents.transition import New, State, Transition
from katana_mcp.tools import warning_codes
from katana_mcp.tools.argument_errors import wrong
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking, render_path
from katana_mcp.values import get_int, rows
from katana_mcp.writing.actions import Action, Recognise, Ref, on_record
from katana_mcp.writing.meaning import holds, model_of

if TYPE_CHECKING:
    from katana_client.collection import Bound


def steps(doc: Writable, change: Transition) -> tuple[Action, ...]:
    """Return what is sent; nothing where something that is named is not there, or the client cannot send it."""
    if not change.all_found or not doc.is_sendable(change):
        return ()
    if change.before is None:
        return _refreshing(doc, change, _drop_ambiguous_lookups([*_created(doc, change)]))
    if change.after is None:
        title = f"delete {doc.called(change.before)}"
        return (on_record(title, doc.entity, doc.collection, id_of(change.before)),)
    return _refreshing(doc, change, _drop_ambiguous_lookups([*_changed(doc, change, change.before)]))


def _refreshing(doc: Writable, change: Transition, sent: Sequence[Action]) -> tuple[Action, ...]:
    """Return actions that tell of what Katana writes along with the document itself."""
    own = {"POST": f"/{doc.collection}", "PATCH": f"/{doc.collection}/{id_of(change.old)}"}
    along = doc.refreshes(change)
    return tuple(
        replace(action, refreshes=along) if along and action.path == own.get(action.method) else action
        for action in sent
    )


def _drop_ambiguous_lookups(sent: Sequence[Action]) -> tuple[Action, ...]:
    """Return actions of which none is taken for an earlier one: what is just like it, nothing can tell."""

    def alike(place: int) -> bool:
        mine = sent[place]
        before = [action for action in sent[:place] if (action.method, action.path) == ("POST", mine.path)]
        model = model_of(mine.collection)
        return mine.method == "POST" and any(holds(model, mine.expects, action.expects) for action in before)

    return tuple(replace(action, recognise=None) if alike(place) else action for place, action in enumerate(sent))


def id_of(state: State) -> int:
    """Return the id of what is there."""
    return get_int(state, "id") or 0


def body_of(model: type[WriteModel] | None, state: State) -> dict[str, Json]:
    """Return what of a state is sent in a body of this kind."""
    return {} if model is None else canonical(_written(model, state).wire())


def patch_of(spec: Spec, change: State, document: State) -> dict[str, Json]:
    """Return what a change of a document's own fields sends, with what Katana would wipe."""
    return {} if spec.update is None else canonical(spec.patch(_written(spec.update, change), keep=document))


def _written[M: WriteModel](model: type[M], state: State) -> M:
    """Return what is sent of a state.

    Raises:
        Refused: Katana takes no such record, and no rule has said so.
    """
    values = {name: value for name, value in state.items() if name in model.model_fields}
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise Refused(*_not_taken(error)) from error


def _not_taken(error: ValidationError) -> Iterator[ToolWarning]:
    """Yield why Katana takes no such record, by the field that it has there."""
    for problem in error.errors(include_url=False, include_input=False):
        path, why = render_path(problem["loc"]), wrong(problem["type"], problem.get("ctx", {}), problem["msg"])
        yield blocking(warning_codes.INVALID_ARGUMENT, why if path is None else f"{path}: {why}", path)


def spec_of(collection: str) -> Spec:
    """Return what can be sent to a collection."""
    bound = cast("Bound[Any]", getattr(KatanaClient, collection))
    return bound.kind.spec


def _created(doc: Writable, change: Transition) -> Iterator[Action]:
    """Yield the new document with the parts that go inside it, then the others."""
    target = change.target or {}
    inside = {part.held: [row for row in rows(target, part.held) if part.inside(row, target)] for part in doc.parts}
    model = spec_of(doc.collection).create
    state = {**target, **_nested(model, inside), **entries(doc.head, target)}
    body = body_of(model, {name: value for name, value in state.items() if value != []})
    name = doc.name(target)
    yield Action(
        title=f"create {doc.title} {name}",
        method="POST",
        path=f"/{doc.collection}",
        body=body,
        entity=doc.entity,
        expects=_expected(doc, body, inside) if doc.key.prefix else _all_of_it(doc, body),
        recognise=Recognise(collection=doc.collection, filters={doc.key.name: name}, besides=change.facts.others),
        leaves=doc.leaves,
        embeds=doc.embeds,
    )
    for part in doc.parts:
        if part.completes and len(inside[part.held]) == 1:
            yield from _completed(doc, part, change, model, inside[part.held][0])
        for row in [row for row in rows(target, part.held) if row not in inside[part.held]]:
            yield _add(doc, part, change, row)


def _completed(
    doc: Writable, part: Part, change: Transition, model: type[WriteModel] | None, row: State
) -> Iterator[Action]:
    """Yield what is sent of the one part inside a new document that the document itself does not take."""
    taken = _nested(model, {part.held: [row]})[part.held]
    left = {name: value for name, value in row.items() if name not in cast("list[State]", taken)[0]}
    body = body_of(spec_of(part.collection).update, left)
    if body:
        made = Ref(0, f"{part.held}.0.id")
        fields = ", ".join(body)
        yield Action(
            title=f"set {fields} of the {part.words} of {doc.called(change.target or change.old)}",
            method="PATCH",
            path=f"/{part.collection}",
            body=body,
            entity=part.entity or doc.entity,
            expects=body,
            target=made,
            recognise=Recognise(collection=part.collection, filters={"ids": [made]}),
        )


def _nested(model: type[WriteModel] | None, inside: Mapping[str, Sequence[State]]) -> State:
    """Return what is sent of parts inside of a new document."""
    fields = {} if model is None else model.model_fields
    inner = {held: models_in(fields[held].annotation, WriteModel)[0] for held in inside if held in fields}
    return {
        held: [{name: row[name] for name in row if name in kind.model_fields} for row in inside[held]]
        for held, kind in inner.items()
    }


def _expected(doc: Writable, body: Mapping[str, Json], inside: Mapping[str, Sequence[State]]) -> dict[str, Json]:
    """Return what a new document holds: a field that follows parts is another one where these have their own."""
    own = {name for part_rows in inside.values() for row in part_rows for name in row}
    following = {field.name for field in doc.head if field.follows in own}
    return {name: value for name, value in body.items() if name not in following}


def _all_of_it(doc: Writable, body: Mapping[str, Json]) -> dict[str, Json]:
    """Return all that Katana holds of a new document: one of the same name that holds more is another one."""
    parts = {part.held: [_empty(part.fields) | dict(row) for row in rows(body, part.held)] for part in doc.parts}
    head = as_held(doc.head, {**_empty(doc.head), **as_set(doc.head, body)})
    return canonical({**head, **parts})


def _empty(fields: Iterable[Field]) -> dict[str, object]:
    return {field.name: None for field in fields if "create" in field.verbs and not field.filled}


def _changed(doc: Writable, change: Transition, document: State) -> Iterator[Action]:
    """Yield a status that unlocks, its own fields, parts, what they left of these, its status, and what is late."""
    sent: list[Action] = []
    if change.unlocks:
        sent.append(_set_status(doc, change, document, change.unlocked))
    head = {name: value for name, value in change.head.items() if not isinstance(value, New)}
    first = {field.name: field.first(change) for field in doc.head if field.first is not None and field.name in head}
    if head:
        sent.append(_of_head(doc, change, document, {**head, **first}))
    late: list[Action] = []
    for part in doc.parts:
        sent += _of_part(doc, part, change)
        late += _late(doc, part, change)
    again = {name: head[name] for name in first if first[name] != head[name]}
    sent += [_of_head(doc, change, change.middle, again)] if again else []
    sent += [_refer(doc, field, change, sent) for field in doc.head if isinstance(change.head.get(field.name), New)]
    yield from sent
    if change.status is not None and not change.unlocks:
        yield _set_status(doc, change, change.middle, change.middle)
    yield from late


def _of_head(doc: Writable, change: Transition, document: State, head: State) -> Action:
    """Return what changes fields of a document's own."""
    title, body = doc.head_title.format(doc.called(change.old)), patch_of(spec_of(doc.collection), head, document)
    action = on_record(title, doc.entity, doc.collection, id_of(document), body)
    expects = canonical(as_held(doc.head, body))
    return replace(action, expects=expects, implies=_implied(doc, change.unlocked, change.middle))


def _set_status(doc: Writable, change: Transition, document: State, then: State) -> Action:
    """Return what sets the status of a document as it is, and as it is then."""
    title = f"set {doc.called(change.old)} to {change.status}"
    status = {"status": change.status}
    if doc.status is None or not doc.status.path:
        is_alone = doc.status is not None and doc.status.is_alone(document)
        body = canonical(status) if is_alone else patch_of(spec_of(doc.collection), status, document)
        action = on_record(title, doc.entity, doc.collection, id_of(document), body)
        return replace(action, implies=_implied(doc, document, then))
    action = on_record(title, doc.entity, doc.collection, id_of(document), canonical(status))
    return replace(action, path=f"{action.path}{doc.status.path}")


def _implied(doc: Writable, before: State, then: State) -> dict[str, object]:
    """Return the parts that Katana changes along with the document, though its answer does not show them."""
    held = [part.held for part in doc.parts if not part.entity]
    return {name: rows(then, name) for name in held if rows(then, name) != rows(before, name)}


def _of_part(doc: Writable, part: Part, change: Transition) -> Iterator[Action]:
    """Yield changes, deletions and additions: of some there may be one at most, and of others one has to be there."""
    diff = change.sent[part.held]
    late = {field.name for field in part.fields if field.is_late}
    now = {key: {name: fields[name] for name in fields if name not in late} for key, fields in diff.updates.items()}
    added = [_add(doc, part, change, row) for row in diff.adds]
    yield from added if part.adds_first else ()
    yield from (_on_part(doc, part, change, key, fields) for key, fields in now.items() if fields)
    yield from (_on_part(doc, part, change, key) for key in diff.deletes)
    yield from () if part.adds_first else added


def _late(doc: Writable, part: Part, change: Transition) -> Iterator[Action]:
    for late in (field for field in part.fields if field.is_late):
        for key, fields in change.sent[part.held].updates.items():
            if late.name in fields:
                yield _on_part(doc, part, change, key, {late.name: fields[late.name]})


def _on_part(doc: Writable, part: Part, change: Transition, key: RecordId, fields: State | None = None) -> Action:
    """Return what changes a part of a document, or deletes it where there are no fields."""
    late = [field.becomes for field in part.fields if field.is_late and field.name in (fields or {})]
    what = "delete" if fields is None else f"change {late[0]} of" if late else "change"
    title = f"{what} {part.words} {key}{_in_brackets(part, change, change.sent[part.held].before[key])}"
    body = None if fields is None else body_of(spec_of(part.collection).update, fields)
    if part.entity:
        action = on_record(f"{title} of {doc.called(change.old)}", part.entity, part.collection, key, body)
        held = change.sent[part.held].before[key]
        action = replace(action, implies={name: held.get(name) for name in part.unechoed if name not in (body or {})})
        return _among_others(part, change, replace(action, document=_led(doc, part, change)))
    action = on_record(f"{title} of {doc.called(change.old)}", doc.entity, part.collection, key, body)
    return replace(action, record=id_of(change.old), part=part.collection, row=key)


def _among_others(part: Part, change: Transition, action: Action) -> Action:
    """Return it with how it is found: in the listing of its document, where Katana lists such parts by no id."""
    filters = spec_of(part.collection).filters
    if "ids" in filters:
        return action
    mine = part.look({part.parent: id_of(change.old)})
    look = Recognise(collection=part.collection, filters={"id": action.record} if "id" in filters else mine)
    return replace(action, expects={**action.expects, "id": action.record}, recognise=look)


def _led(doc: Writable, part: Part, change: Transition) -> tuple[str, int] | None:
    """Return the document that follows from a part of it."""
    return (doc.entity, id_of(change.old)) if part.leads and change.before is not None else None


def _in_brackets(part: Part, change: Transition, row: State) -> str:
    called = "" if part.title is None else part.title(change, row)
    return f" ({called})" if called else ""


def _add(doc: Writable, part: Part, change: Transition, row: State) -> Action:
    """Return what adds a part to a document, which may be new itself."""
    is_new = change.before is None
    parent = Ref(0, part.parent_is) if is_new else get_int(change.old, part.parent_is)
    create = spec_of(part.collection).create
    body: dict[str, object] = {**body_of(create, {**row, part.parent: 1}), part.parent: parent}
    kind = part.kind(row)
    article = "" if part.entity else "an " if kind[0] in "aeiou" else "a "
    added = f"add {article}{kind}{_in_brackets(part, change, row)}"
    return Action(
        title=f"{added} to {doc.called(change.target or change.old)}",
        method="POST",
        path=f"/{part.collection}",
        body=body,
        entity=part.entity or doc.entity,
        record=None if is_new or part.entity else id_of(change.old),
        part=None if part.entity else part.collection,
        expects=_empty(part.fields) | body,
        document=_led(doc, part, change),
        recognise=Recognise(
            collection=part.collection,
            filters=part.look(body),
            besides=() if is_new else tuple(sorted(change.sent[part.held].before, key=str)),
        ),
    )


def _refer(doc: Writable, field: Field, change: Transition, sent: Iterable[Action]) -> Action:
    """Return what sets a field to a part that an earlier request adds."""
    new = cast("New", change.head[field.name])
    part = next(candidate for candidate in doc.parts if candidate.name == new.part)
    place = added(part, sent)[new.place]
    title = f"make the new {part.one} {field.becomes} of {doc.called(change.old)}"
    return on_record(title, doc.entity, doc.collection, id_of(change.old), {field.name: Ref(place, "id")})


def added(part: Part, sent: Iterable[Action]) -> list[int]:
    """Return the places of the requests that add parts, in the order of the parts."""
    path = f"/{part.collection}"
    return [place for place, action in enumerate(sent) if (action.method, action.path) == ("POST", path)]


def deleted(part: Part, sent: Iterable[Action]) -> dict[RecordId, int]:
    """Return the places of the requests that delete parts, by the ids of the parts."""
    return {
        key: place
        for place, action in enumerate(sent)
        if action.method == "DELETE" and action.path.startswith(f"/{part.collection}/")
        if (key := action.record if action.part is None else action.row) is not None
    }
