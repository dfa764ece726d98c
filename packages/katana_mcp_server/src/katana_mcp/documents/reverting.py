"""The way back: the same diff the other way round, as the call of a tool; and what it would leave as it is."""

from collections.abc import Sequence

from cache_core.records import canonical
from katana_mcp.documents.declaration import Field, Part, Writable
from katana_mcp.documents.steps import added, deleted, id_of
from katana_mcp.documents.transition import State, Transition
from katana_mcp.values import rows, whole
from katana_mcp.writing.actions import Action, IfApplied, JsonObject, Ref

_EMPTY = (None, "")


def way_back(doc: Writable, change: Transition, sent: Sequence[Action]) -> JsonObject | None:
    """Return the call that takes a change back; None where there is none."""
    if not sent:
        return None
    if change.before is None:
        return {"tool": f"delete_{doc.entity}", "arguments": {doc.id: Ref(0, "id")}}
    if change.after is None:
        return _made_again(doc, change.before)
    if doc.status is not None and (change.status, change.before.get("status")) in doc.status.refused:
        return None
    arguments = {doc.id: id_of(change.before), **_head_back(doc, change, change.before)}
    for part in doc.parts:
        arguments |= _parts_back(part, change, change.before, sent)
    return {"tool": f"modify_{doc.entity}", "arguments": arguments}


def left_behind(doc: Writable, change: Transition) -> list[str]:
    """Return the fields that the way back of a change leaves as they then are, because they were empty."""
    if change.before is None or change.after is None:
        return []
    return [each.arg for each in doc.head if each.name in change.head and _stays(each, change.before)]


def _stays(field: Field, before: State) -> bool:
    return not field.clears and before.get(field.name) in _EMPTY


def _head_back(doc: Writable, change: Transition, before: State) -> dict[str, object]:
    back: dict[str, object] = {}
    for field in doc.head:
        if field.name not in change.head or _stays(field, before):
            continue
        value = before.get(field.name)
        if field.part and value is not None and not _is_kept(doc, field, change, value):
            continue  # what comes back in its place says itself what it becomes
        back[field.arg] = value
    if change.status is not None:
        back["status"] = before.get("status")
    return back


def _is_kept(doc: Writable, field: Field, change: Transition, value: object) -> bool:
    part = next(each for each in doc.parts if each.name == field.part)
    diff = part.diff(change)
    return value in diff.before and value not in diff.deletes


def _parts_back(part: Part, change: Transition, before: State, sent: Sequence[Action]) -> dict[str, object]:
    diff = part.diff(change)
    names = {each.name: each.arg for each in part.fields}
    places = deleted(part, sent)
    again = part.again(part, {key: diff.before[key] for key in diff.deletes}, before)
    slots: dict[str, list[object]] = {
        f"update_{part.name}": [
            {part.key: key, **{names[name]: diff.before[key].get(name) for name in fields}}
            for key, fields in diff.updates.items()
        ],
        part.deletes: [IfApplied(place, Ref(place, "id")) for place in added(part, sent)],
        f"add_{part.name}": [IfApplied(places[key], row) for key, row in again.items()],
    }
    return {name: each for name, each in slots.items() if each}


def _made_again(doc: Writable, record: State) -> JsonObject | None:
    """Return the call that makes a document anew; None where that would not be what was deleted."""
    if doc.status is not None and record.get("status") != doc.status.first:
        return None
    held = [each for each in doc.head if "create" in each.verbs and record.get(each.name) not in _EMPTY]
    arguments: dict[str, object] = {each.arg: record[each.name] for each in held}
    lacking = [each for each in doc.head if each.required and not record.get(each.name)]
    for part in doc.parts:
        found = rows(record, part.held)
        lacking += [each for row in found for each in part.fields if each.required and not row.get(each.name)]
        if part.needed and not found:
            return None
        keyed = {whole(row, "id") or place - len(found): row for place, row in enumerate(found)}
        arguments[part.name] = list(part.again(part, keyed, record).values())
    return None if lacking else {"tool": f"create_{doc.entity}", "arguments": canonical(arguments)}
