"""A request against what is known: the document before and after it, and what differs. Never fails."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from cache_core.records import RecordId, as_id, canonical, is_set
from katana_mcp.documents import custom_field_labels
from katana_mcp.documents.declaration import Field, Part, Status, Writable
from katana_mcp.documents.forms import as_set
from katana_mcp.documents.transition import Facts, PartDiff, State, Transition, Unknown
from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools.requests import Request
from katana_mcp.values import EMPTY, get_int, id_in, rows
from katana_mcp.writing.meaning import Model, entry_model, model_of, same


def transition(doc: Writable, verb: Verb, request: Request, facts: Facts) -> Transition:
    """Return what a request comes to."""
    asked, before = named_in(request), _before(doc, facts)
    old = before or {}
    status = None if verb == "delete" or doc.status is None else _status(doc.status, asked, before)
    unlocks = doc.status is not None and status is not None and doc.status.unlocks(old, status)
    unlocked = doc.follow(old, {**old, "status": status}) if unlocks else old
    middle, settled = unlocked, None
    if verb != "delete":
        given = custom_field_labels.merged(doc.head, before, _given(doc.head, asked, doc, facts))
        middle = unlocked if before is None else doc.follow(unlocked, {**unlocked, **given})
        request_of = _Requested(doc, asked, status, facts)
        settled = doc.settle(before, _new(request_of, given) if before is None else _changed(request_of, middle))
    after = None if settled is None else doc.derive(before, settled)
    return Transition(
        asked=asked,
        facts=facts,
        before=before,
        unlocked=unlocked,
        middle=middle,
        target=settled,
        after=after,
        head=_with_pair(doc.head, differing(doc, old, settled or {}), settled or {}),
        parts={part.held: part_diff(part, old, after or {}) for part in doc.parts},
        sent={part.held: part_diff(part, middle, settled or {}) for part in doc.parts},
        status=status if status != old.get("status") else None,
        unlocks=unlocks,
    )


def between(doc: Writable, facts: Facts, before: State, after: State, unlocked: State | None = None) -> Transition:
    """Return what gets a document from one state to another, as a workflow says: its parts alone are sent.

    Args:
        doc: what it is.
        facts: what was read.
        before: as it is.
        after: as it would be.
        unlocked: as it is once a status is sent before its parts, where one is.
    """
    opened = before if unlocked is None else unlocked
    parts = {part.held: part_diff(part, before, after) for part in doc.parts}
    return Transition(
        asked={},
        facts=facts,
        before=before,
        unlocked=opened,
        middle=opened,
        target=after,
        after=after,
        head={},
        parts=parts,
        sent=parts,
        status=None if unlocked is None else str(unlocked["status"]),
        unlocks=unlocked is not None,
    )


def differing(doc: Writable, old: State, new: State) -> dict[str, object]:
    """Return the fields of a document's head that would be something else."""
    return _differing(doc.head, model_of(doc.collection), old, new)


def named_in(request: Request) -> dict[str, object]:
    """Return the arguments that a request names, in the order in which it has them."""
    fields = type(request).model_fields
    return {name: cast("object", getattr(request, name)) for name in fields if name in request.model_fields_set}


def part_id(row: Mapping[str, object], name: str = "id") -> RecordId:
    """Return the id of a part, a number or a text; 0 where it has none."""
    return as_id(row.get(name)) or 0


def meant_part(part: Part, asked: object, found: Sequence[State]) -> RecordId:
    """Return the id of the part that an argument names: an id, or a text that exactly one of these has."""
    if part.text and isinstance(asked, str):
        having = [row for row in found if row.get(part.text) == asked.strip()]
        number = id_in(asked) if not having else get_int(having[0], "id") if len(having) == 1 else None
        return asked if number is None else number
    return as_id(asked) or 0


def requested_rows(asked: Mapping[str, object], argument: str) -> list[dict[str, object]]:
    """Return the arguments that each entry of a list names."""
    return [named_in(entry) for entry in cast("Sequence[Request]", asked.get(argument, ()))]


def added_parts(change: Transition, held: str, name: str = "rows") -> Iterator[tuple[str, State, State]]:
    """Yield path, arguments and state of each part that is added.

    Args:
        change: whose parts they are.
        held: the field that holds them.
        name: the argument of a new document that does; of a change it is `add_<name>`.
    """
    argument = name if change.before is None else f"add_{name}"
    pairs = zip(requested_rows(change.asked, argument), change.sent[held].adds, strict=False)
    yield from ((f"{argument}[{nr}]", asked, part) for nr, (asked, part) in enumerate(pairs))


def changed_rows(change: Transition, held: str) -> Iterator[tuple[str, State, State, State]]:
    """Yield path, arguments, state before and what differs of each row that is to be changed, if it is there."""
    diff = change.sent[held]
    for nr, asked in enumerate(requested_rows(change.asked, "update_rows")):
        key = part_id(asked, "row_id")
        if key in diff.before:
            yield f"update_rows[{nr}]", asked, diff.before[key], diff.updates.get(key, EMPTY)


def fields_in(doc: Writable, asked: Mapping[str, object]) -> Iterator[tuple[str, Field, object]]:
    """Yield the path of each argument that a request names, of its head and of its parts, the field, and its value."""
    given: list[tuple[str, Sequence[Field], Mapping[str, object]]] = [("", doc.head, asked)]
    for part in doc.parts:
        for name in (part.name, f"add_{part.name}", f"update_{part.name}"):
            given += [(f"{name}[{nr}].", part.fields, row) for nr, row in enumerate(requested_rows(asked, name))]
    for prefix, fields, values in given:
        yield from ((f"{prefix}{field.arg}", field, values[field.arg]) for field in fields if field.arg in values)


def names_in(doc: Writable, asked: Mapping[str, object]) -> Iterator[tuple[str, str, int | str]]:
    """Yield the path of each argument that names a record, the cache entity of that, and its id or name."""
    for path, field, value in fields_in(doc, asked):
        if field.names and isinstance(value, int | str):
            yield path, field.names, value


def requested_ids(asked: Mapping[str, object], argument: str) -> Sequence[RecordId]:
    """Return the ids that a list names."""
    return cast("Sequence[RecordId]", asked.get(argument, ()))


def _before(doc: Writable, facts: Facts) -> State | None:
    if facts.record is None:
        return None
    record = custom_field_labels.empty_as_none(doc.head, as_set(doc.head, doc.read(facts.record, facts)))
    return {**record, **{part.held: _live(part, record) for part in doc.parts}}


def _live(part: Part, record: State) -> list[State]:
    found: list[State] = [custom_field_labels.empty_as_none(part.fields, row) for row in rows(record, part.held)]
    return (
        [state for state in found if not is_set(state, "deleted_at") and part_id(state)] if part.collection else found
    )


@dataclass(frozen=True, slots=True)
class _Requested:
    """What a request asks of a document."""

    doc: Writable
    arguments: Mapping[str, object]
    status: str | None
    facts: Facts


def _new(asked: _Requested, given: State) -> State:
    """Return a new document as it is asked for."""
    number = {} if asked.facts.numbered is None else {asked.doc.key.name: asked.facts.numbered.number}
    status = {} if asked.status is None else {"status": asked.status}
    new = {**_filled({**given, **number}), **status}
    return {**new, **{part.held: _added(part, part.name, new, asked) for part in asked.doc.parts}}


def _changed(asked: _Requested, middle: State) -> State:
    """Return a document as its parts and its status are asked for."""
    after: dict[str, object] = {**middle, **({} if asked.status is None else {"status": asked.status})}
    for part in asked.doc.parts:
        if part.collection:
            changed = {
                meant_part(part, row.get(part.key), rows(middle, part.held)): _given(
                    part.fields, row, asked.doc, asked.facts
                )
                for row in reversed(requested_rows(asked.arguments, f"update_{part.name}"))
            }
            gone = [
                meant_part(part, key, rows(middle, part.held)) for key in requested_ids(asked.arguments, part.deletes)
            ]
            kept = [
                {**row, **custom_field_labels.merged(part.fields, row, changed.get(part_id(row), EMPTY))}
                for row in rows(middle, part.held)
            ]
            stays = [row for row in kept if row["id"] not in gone]
            after[part.held] = [*stays, *_added(part, f"add_{part.name}", middle, asked)]
    return after


def _status(status: Status, asked: Mapping[str, object], before: State | None) -> str | None:
    """Return the status that a document is to have, where the request or being new says one."""
    found = status.asked(asked, before or EMPTY)
    return status.first if found is None and before is None else found


def _added(part: Part, argument: str, document: State, asked: _Requested) -> list[State]:
    given = [
        _filled(custom_field_labels.merged(part.fields, None, _given(part.fields, row, asked.doc, asked.facts)))
        for row in requested_rows(asked.arguments, argument)
    ]
    return [part.finish(row, document, asked.facts) for row in given]


def _filled(state: State) -> dict[str, object]:
    """Return what is set: in something new an empty text is nothing, and so are no custom fields."""
    return {name: value for name, value in state.items() if value not in (None, "", {})}


def _given(fields: Sequence[Field], asked: Mapping[str, object], doc: Writable, facts: Facts) -> dict[str, object]:
    """Return what arguments set, under Katana's names."""
    given = {field.name: _value(field, asked[field.arg], facts) for field in fields if field.arg in asked}
    return {name: None if doc.blank_clears and value == "" else value for name, value in given.items()}


def _value(field: Field, asked: object, facts: Facts) -> object:
    if asked is None:
        return field.empty
    if field.custom:
        values = custom_field_labels.by_id(cast("custom_field_labels.Values", asked), field, facts)
        return canonical({field.name: values})[field.name]
    if field.names and isinstance(asked, int | str):
        record = facts.one(field.names, asked)
        return Unknown(asked) if record is None else record.id
    return canonical({field.name: _plain(asked)})[field.name]


def _plain(asked: object) -> object:
    """Return the value of an argument, with what its entries name where it is a list."""
    if not isinstance(asked, list):
        return asked
    return [named_in(entry) if isinstance(entry, Request) else entry for entry in cast("list[object]", asked)]


def _differing(fields: Sequence[Field], model: Model, old: State, new: State) -> dict[str, object]:
    there = [field for field in fields if field.name in new]
    return {field.name: new[field.name] for field in there if not _same(field, model, old, new)}


def _same(field: Field, model: Model, old: State, new: State) -> bool:
    held = entry_model(model, field.inside) if field.inside else model
    return same(held, field.name, new[field.name], old.get(field.name))


def part_diff(part: Part, old: State, new: State) -> PartDiff:
    """Return what becomes of parts; fields that go together come together."""
    if not part.collection:
        return PartDiff() if old else PartDiff(adds=tuple(rows(new, part.held)))
    before = {part_id(row): row for row in rows(old, part.held)}
    after = {row["id"]: row for row in rows(new, part.held) if "id" in row}
    model = model_of(part.collection)
    updates = {key: _differing(part.fields, model, row, after[key]) for key, row in before.items() if key in after}
    paired = {key: _with_pair(part.fields, fields, after[key]) for key, fields in updates.items()}
    return PartDiff(
        before=before,
        updates={key: fields for key, fields in paired.items() if fields},
        deletes=tuple(key for key in before if key not in after),
        adds=tuple(row for row in rows(new, part.held) if "id" not in row),
    )


def _with_pair(fields: Sequence[Field], changed: dict[str, object], after: State) -> dict[str, object]:
    """Return what changes, with the other one of two fields that are sent together."""
    pair = sorted(field.name for field in fields if field.is_paired)
    if not changed.keys() & {*pair}:
        return changed
    others = {name: after[name] for name in pair if after.get(name) is not None}
    return {**others, **changed} if others.keys() - changed.keys() else changed
