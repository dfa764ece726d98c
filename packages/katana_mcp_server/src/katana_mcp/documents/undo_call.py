"""The way back: the same diff the other way round, as the call of a tool; and what it would leave as it is."""

from collections.abc import Sequence

from cache_core.records import RecordId, canonical
from katana_mcp.documents import custom_field_labels
from katana_mcp.documents.declaration import Field, Part, Writable
from katana_mcp.documents.states import part_diff, part_id
from katana_mcp.documents.steps import added, deleted, id_of
from katana_mcp.documents.transition import PartDiff, State, Transition
from katana_mcp.values import rows
from katana_mcp.writing.actions import Action, IfApplied, JsonObject, Ref

_EMPTY = (None, "")
_TOLD = 5
"""So many rows of which something is left behind are named."""


def way_back(doc: Writable, change: Transition, sent: Sequence[Action]) -> JsonObject | None:
    """Return the call that takes a change back; None where there is none."""
    if not sent or one_way(doc, change) is not None:
        return None
    if change.before is None:
        return {"tool": doc.tool("delete"), "arguments": {**doc.selected, doc.id: Ref(0, "id")}}
    if change.after is None:
        return _made_again(doc, change, change.before)
    head = custom_field_labels.taken_back(doc.head, change.before, change.new, _head_back(doc, change, change.before))
    arguments = {doc.id: id_of(change.before), **head}
    for part in doc.parts:
        arguments |= _parts_back(doc, part, change, sent)
    found = doc.back(change, arguments)
    return {"tool": doc.tool("modify"), "arguments": {**doc.selected, **found}} if len(found) > 1 else None


def one_way(doc: Writable, change: Transition) -> str | None:
    """Return why nothing takes a change back."""
    if doc.status is not None and change.before is not None and change.after is not None and change.status is not None:
        was = str(change.before.get("status"))
        if {(change.status, was), (was, change.status)} & doc.status.refused.keys():
            return f"{doc.called(change.before)} cannot go back to {was} once it is {change.status}"
    return doc.no_way_back(change)


def left_behind(doc: Writable, change: Transition) -> dict[str, str]:
    """Return what the way back of a change does not bring back, by the argument or the part, and why."""
    if change.before is None or one_way(doc, change) is not None:
        return {}
    found: dict[str, str] = {}
    for field in doc.head:
        if field.name in change.head and _stays(field, change.before):
            found[field.arg] = f"{field.arg} was empty and cannot be emptied again: the revert keeps the new value"
    for part in doc.parts:
        found |= _left_of(doc, part, change)
    return found | dict(doc.left(change))


def _left_of(doc: Writable, part: Part, change: Transition) -> dict[str, str]:
    found: list[str] = []
    going = _going(part, change)
    once = part.again(part, going, change.old)
    for key in going:
        if key not in once:
            found.append(f"{part.words} {key} is the same as another deleted one: the revert adds only one of them")
        elif any(going[key].get(name) for name in part.unsaid):
            found.append(f"{part.words} {key} has values that no argument sets: the revert adds it without them")
    then = PartDiff() if change.after is None else part_diff(part, _on_the_way(doc, change), change.old)
    for key, fields in then.updates.items():
        stays = [
            field.arg
            for field in part.fields
            if field.name in fields and _stays(field, change.parts[part.held].before[key])
        ]
        if stays:
            message = f"{', '.join(stays)} of {part.words} {key} was empty and cannot be emptied again"
            found.append(f"{message}: the revert keeps the new value")
    told = "; ".join(found[:_TOLD])
    more = f"; and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
    return {part.name: told + more} if found else {}


def _on_the_way(doc: Writable, change: Transition) -> State:
    """Return the document as the way back leaves it before it sets anything of its parts."""
    back = {name: change.old.get(name) for name in (*change.head, *(["status"] if change.status else []))}
    return doc.follow(change.new, {**change.new, **back})


def _going(part: Part, change: Transition) -> dict[RecordId, State]:
    """Return the parts that go, by their ids; those without any by their place."""
    if change.after is not None:
        diff = part.diff(change)
        return {key: diff.before[key] for key in diff.deletes}
    return {part_id(row) or -nr: row for nr, row in enumerate(rows(change.old, part.held), 1)}


def _stays(field: Field, before: State) -> bool:
    return not field.clears and before.get(field.name) in _EMPTY


def _head_back(doc: Writable, change: Transition, before: State) -> dict[str, object]:
    back: dict[str, object] = {}
    for field in doc.head:
        if field.name not in change.head or _stays(field, before):
            continue
        value = before.get(field.name)
        if field.part and value is not None and not _is_unchanged(doc, field, change, value):
            continue  # what comes back in its place says itself what it becomes
        back[field.arg] = value
    if change.status is not None:
        back["status"] = before.get("status")
    return back


def _is_unchanged(doc: Writable, field: Field, change: Transition, value: object) -> bool:
    part = next(candidate for candidate in doc.parts if candidate.name == field.part)
    diff = part.diff(change)
    return value in diff.before and value not in diff.deletes


def _parts_back(doc: Writable, part: Part, change: Transition, sent: Sequence[Action]) -> dict[str, object]:
    diff = part.diff(change)
    names = {field.name: field.arg for field in part.fields}
    places = deleted(part, sent)
    again = part.again(part, _going(part, change), change.old)
    there = {part_id(row): row for row in rows(change.new, part.held)}
    restored = {
        key: {names[name]: diff.before[key].get(name) for name in fields}
        for key, fields in _restored(doc, part, change).items()
        if fields
    }
    slots: dict[str, list[object]] = {
        f"update_{part.name}": [
            {part.key: key, **custom_field_labels.taken_back(part.fields, diff.before[key], there[key], fields)}
            for key, fields in restored.items()
        ],
        part.deletes: [IfApplied(place, Ref(place, "id")) for place in added(part, sent)],
        f"add_{part.name}": [IfApplied(places[key], row) for key, row in again.items() if key in places],
    }
    return {name: entries for name, entries in slots.items() if entries}


def _restored(doc: Writable, part: Part, change: Transition) -> dict[RecordId, list[str]]:
    """Return the fields of each part that stays to be set again: what changed, and what the way back itself moves.

    Part of a change may not have been sent: what its head overwrites is set again as well.
    """
    diff, there = part.diff(change), _on_the_way(doc, change)
    headed = doc.follow(change.old, {**change.old, **change.head})
    stopped = doc.follow(headed, {**headed, **{name: change.old.get(name) for name in change.head}})
    moved = [part_diff(part, there, change.old), part_diff(part, stopped, change.old)]
    moved.append(part_diff(part, change.old, headed))
    found: dict[RecordId, list[str]] = {}
    for key in [record_id for record_id in diff.before if record_id not in diff.deletes]:
        names = [name for delta in (diff, *moved) for name in delta.updates.get(key, {})]
        stays = {field.name for field in part.fields if _stays(field, diff.before[key])}
        found[key] = [name for name in dict.fromkeys(names) if name not in stays]
    return found


def _made_again(doc: Writable, change: Transition, record: State) -> JsonObject | None:
    """Return the call that makes a document anew; None where that would not be what was deleted."""
    if doc.status is not None and doc.status.new_kind is None and record.get("status") != doc.status.first:
        return None
    held = [field for field in doc.head if "create" in field.verbs and record.get(field.name) not in _EMPTY]
    arguments: dict[str, object] = {field.arg: record[field.name] for field in held}
    lacking = [field for field in doc.head if field.required and not record.get(field.name)]
    for part in [candidate for candidate in doc.parts if "create" in candidate.verbs]:
        found = rows(record, part.held)
        lacking += [field for row in found for field in part.fields if field.required and not row.get(field.name)]
        if (part.needed and not found) or any(row.get(name) for row in found for name in part.unsaid):
            return None
        again = list(part.again(part, _going(part, change), record).values())
        arguments |= {part.name: again} if again or not part.filled else {}
    if lacking:
        return None
    return {"tool": doc.tool("create"), "arguments": canonical({**doc.selected, **doc.back(change, arguments)})}
