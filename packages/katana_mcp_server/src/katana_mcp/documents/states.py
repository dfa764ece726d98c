"""A request against what is known: the document before and after it, and what differs. Never fails."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from cache_core.records import canonical, is_set
from katana_mcp.descriptor import Verb
from katana_mcp.documents.declaration import Field, Part, Status, Writable
from katana_mcp.documents.transition import Facts, PartDiff, State, Transition, Unknown
from katana_mcp.tools.requests import Request
from katana_mcp.values import rows, whole
from katana_mcp.writing.meaning import Model, model_of, same


def transition(doc: Writable, verb: Verb, request: Request, facts: Facts) -> Transition:
    """Return what a request comes to."""
    asked, before = named_in(request), _before(doc, facts)
    after = None
    if verb != "delete":
        after = doc.settle(before, _after(doc, verb, asked, before, facts))
    return between(doc, before, after, asked, facts)


def between(
    doc: Writable, before: State | None, after: State | None, asked: Mapping[str, object], facts: Facts
) -> Transition:
    """Return two states of a document with what differs between them."""
    old, new = before or {}, after or {}
    model = model_of(doc.collection)
    status = new.get("status") if doc.status is not None and new.get("status") != old.get("status") else None
    return Transition(
        asked=asked,
        facts=facts,
        before=before,
        after=after,
        head=_differing(doc.head, model, old, new),
        parts={each.held: _part_diff(each, old, new) for each in doc.parts},
        status=None if status is None else str(status),
    )


def named_in(request: Request) -> dict[str, object]:
    """Return the arguments that a request names, in the order in which it has them."""
    fields = type(request).model_fields
    return {name: cast("object", getattr(request, name)) for name in fields if name in request.model_fields_set}


def rows_asked(asked: Mapping[str, object], argument: str) -> list[dict[str, object]]:
    """Return the arguments that each entry of a list names."""
    return [named_in(each) for each in cast("Sequence[Request]", asked.get(argument, ()))]


def names_in(doc: Writable, asked: Mapping[str, object]) -> Iterator[tuple[str, str, int | str]]:
    """Yield the path of each argument that names a record, the cache entity of that, and its id or name."""
    given: list[tuple[str, Sequence[Field], Mapping[str, object]]] = [("", doc.head, asked)]
    for part in doc.parts:
        for name in (part.name, f"add_{part.name}", f"update_{part.name}"):
            given += [(f"{name}[{nr}].", part.fields, row) for nr, row in enumerate(rows_asked(asked, name))]
    for prefix, fields, values in given:
        for field in fields:
            value = values.get(field.arg)
            if field.names and isinstance(value, int | str):
                yield f"{prefix}{field.arg}", field.names, value


def ids_asked(asked: Mapping[str, object], argument: str) -> Sequence[int]:
    """Return the ids that a list names."""
    return cast("Sequence[int]", asked.get(argument, ()))


def _before(doc: Writable, facts: Facts) -> State | None:
    if facts.record is None:
        return None
    live = {each.held: _live(each, facts.record) for each in doc.parts}
    return {**facts.record, **live}


def _live(part: Part, record: State) -> list[State]:
    found = rows(record, part.held)
    return (
        [each for each in found if not is_set(each, "deleted_at") and whole(each, "id")] if part.collection else found
    )


def _after(doc: Writable, verb: Verb, asked: Mapping[str, object], before: State | None, facts: Facts) -> State:
    head = _given(doc.head, asked, doc, facts)
    if before is None:
        if facts.numbered is not None:
            head |= {doc.key.name: facts.numbered.number}
        status = {} if doc.status is None else {"status": doc.status.first}
        return {
            **_filled(head),
            **status,
            **{each.held: _added(each, each.name, asked, doc, facts) for each in doc.parts},
        }
    after = {**before, **head, **(_status(doc.status, asked) if verb == "modify" else {})}
    for part in doc.parts:
        if part.collection:
            changed = {
                cast("int", row[part.key]): _given(part.fields, row, doc, facts)
                for row in reversed(rows_asked(asked, f"update_{part.name}"))
            }
            gone = ids_asked(asked, part.deletes)
            kept = [{**row, **changed.get(whole(row, "id") or 0, {})} for row in rows(before, part.held)]
            stays = [row for row in kept if row["id"] not in gone]
            after[part.held] = [*stays, *_added(part, f"add_{part.name}", asked, doc, facts)]
    return after


def _status(status: Status | None, asked: Mapping[str, object]) -> State:
    return {"status": asked["status"]} if status is not None and asked.get("status") is not None else {}


def _added(part: Part, argument: str, asked: Mapping[str, object], doc: Writable, facts: Facts) -> list[State]:
    return [_filled(_given(part.fields, row, doc, facts)) for row in rows_asked(asked, argument)]


def _filled(state: State) -> dict[str, object]:
    """Return what is set: in something new an empty text is nothing."""
    return {name: value for name, value in state.items() if value not in (None, "")}


def _given(fields: Sequence[Field], asked: Mapping[str, object], doc: Writable, facts: Facts) -> dict[str, object]:
    """Return what arguments set, under Katana's names."""
    given = {each.name: _value(each, asked[each.arg], facts) for each in fields if each.arg in asked}
    return {name: None if doc.blank_clears and value == "" else value for name, value in given.items()}


def _value(field: Field, asked: object, facts: Facts) -> object:
    if field.names and isinstance(asked, int | str):
        known = facts.one(field.names, asked)
        return Unknown(asked) if known is None else known.id
    return canonical({field.name: asked})[field.name]


def _differing(fields: Sequence[Field], model: Model, old: State, new: State) -> dict[str, object]:
    names = [each.name for each in fields if each.name in new]
    return {name: new[name] for name in names if not same(model, name, new[name], old.get(name))}


def _part_diff(part: Part, old: State, new: State) -> PartDiff:
    if not part.collection:
        return PartDiff() if old else PartDiff(adds=tuple(rows(new, part.held)))
    before = {whole(row, "id") or 0: row for row in rows(old, part.held)}
    after = {row["id"]: row for row in rows(new, part.held) if "id" in row}
    model = model_of(part.collection)
    updates = {key: _differing(part.fields, model, row, after[key]) for key, row in before.items() if key in after}
    return PartDiff(
        before=before,
        updates={key: fields for key, fields in updates.items() if fields},
        deletes=tuple(key for key in before if key not in after),
        adds=tuple(row for row in rows(new, part.held) if "id" not in row),
    )
