"""What speaks against a change of whatever document: names, its key, parts and status, and that nothing changes."""

from collections.abc import Iterator

from katana_mcp.documents import custom_fields
from katana_mcp.documents.declaration import Part, Writable
from katana_mcp.documents.states import meant_part, names_in, requested_ids, requested_rows
from katana_mcp.documents.transition import Transition
from katana_mcp.documents.undo_call import left_behind
from katana_mcp.references import wording as naming
from katana_mcp.references.resolve import check_not_deleted
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.writing.duplicates import repeats
from katana_mcp.writing.stock_moves import shortages


def checks(doc: Writable, change: Transition) -> list[ToolWarning]:
    """Return what speaks against a change."""
    facts, before = change.facts, change.before
    if before is not None and facts.deleted:
        return check_not_deleted(doc.called(before), before, doc.id, deleted=True)
    warnings = [*_names(doc, change), *_called(doc, change), *_status(doc, change), *_parts(doc, change)]
    warnings += custom_fields.checks(doc, change)
    for rule in doc.rules:
        warnings += rule(change)
    warnings += shortages(doc.moves(change), facts.levels)
    if before is None:
        warnings += repeats(doc.title, facts.repeated, next((part.name for part in doc.parts), ""))
    elif not any(warning.severity == "blocking" for warning in warnings):
        warnings += _result(doc, change)
    return warnings


def _result(doc: Writable, change: Transition) -> Iterator[ToolWarning]:
    """Yield that nothing would change, or what the way back does not bring back."""
    if change.after is not None and change.is_nothing:
        asked = any(value != [] for name, value in change.asked.items() if name not in {doc.id, *doc.selected})
        message = f"{doc.called(change.old)} already has these values: nothing would change"
        message = message if asked else f"no change was given: name what to change in {doc.called(change.old)}"
        yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, message)
    for name, message in left_behind(doc, change).items():
        yield advisory(warning_codes.NO_WAY_BACK, message, name)


def _names(doc: Writable, change: Transition) -> Iterator[ToolWarning]:
    named = [
        (path, entity, found)
        for path, entity, asked in names_in(doc, change.asked)
        if (found := change.facts.references.get((entity, asked))) is not None
    ]
    for path, entity, found in named:
        yield from naming.unnamed(entity, found, path)
    yield from naming.understood([(path, found) for path, _, found in named])


def _called(doc: Writable, change: Transition) -> list[ToolWarning]:
    """Return that others are called what it is to be called."""
    facts, name = change.facts, doc.key.name
    given = str(change.asked.get(name) or "")
    if facts.numbered is not None:
        return naming.number_checks(doc.entity, name, given or None, facts.numbered)
    if doc.key.prefix or not facts.taken:
        return naming.duplicates(doc.entity, name, given, facts.taken)
    ids = ", ".join(map(str, facts.taken[:5]))
    message = f"the name {given} is not unique (also {doc.title} {ids}): use the id"
    return [advisory(warning_codes.DUPLICATE_NAME, message, name)]


def _status(doc: Writable, change: Transition) -> Iterator[ToolWarning]:
    was = str(change.old.get("status"))
    if doc.status is None or change.status is None or (was, change.status) not in doc.status.refused:
        return
    why = doc.status.refused[was, change.status]
    message = f"{doc.called(change.old)} is {was} and cannot become {change.status}{why}"
    yield blocking(warning_codes.INVALID_STATUS_TRANSITION, message, "status")


def _parts(doc: Writable, change: Transition) -> Iterator[ToolWarning]:
    for part in doc.parts:
        yield from _misnamed(doc, part, change)
        for field in doc.head:
            value = change.asked.get(field.arg)
            if field.part == part.name and value is not None and value not in part.diff(change).before:
                yield _unknown(doc, part, field.arg, value, change)


def _misnamed(doc: Writable, part: Part, change: Transition) -> Iterator[ToolWarning]:
    """Yield what is wrong with the parts that are to be changed or deleted."""
    found = [*part.diff(change).before.values()]
    changed = [
        (f"update_{part.name}[{nr}].{part.key}", meant_part(part, row[part.key], found))
        for nr, row in enumerate(requested_rows(change.asked, f"update_{part.name}"))
    ]
    deleted = [
        (f"{part.deletes}[{nr}]", meant_part(part, key, found))
        for nr, key in enumerate(requested_ids(change.asked, part.deletes))
    ]
    seen: set[object] = set()
    for path, key in (*changed, *deleted):
        if key not in part.diff(change).before:
            yield _unknown(doc, part, path, key, change)
        elif key in seen:
            message = f"{path}: {part.words} {key} is given twice: give it once, to change or to delete it"
            yield blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, message, path)
        seen.add(key)


def _unknown(doc: Writable, part: Part, path: str, key: object, change: Transition) -> ToolWarning:
    has = ", ".join(map(str, part.diff(change).before)) or "none"
    message = f"{path}: {doc.called(change.old)} has no {part.words} {key}; it has {has}"
    return blocking(warning_codes.UNKNOWN_ROW_ID, message, path)
