"""What a person is shown of a change: one sentence, each field's old and new value, lines."""

from collections.abc import Iterable, Iterator, Sequence

from katana_mcp.documents.declaration import Field, Part, Writable
from katana_mcp.documents.steps import spec_of
from katana_mcp.documents.transition import Facts, New, State, Transition, Unknown
from katana_mcp.values import NOTHING, rows
from katana_mcp.writing.preview import FieldChange, PlanLine, shown_field, shown_value


def summary(doc: Writable, change: Transition) -> str:
    """Return a change in one sentence."""
    if change.before is None:
        numbered = change.facts.numbered
        called = doc.name(change.new) if numbered is None else numbered.called
        return f"new {doc.title} {called}{doc.described(change)}"
    if change.after is None:
        return f"delete {doc.called(change.before)}{doc.described(change)}"
    return f"{doc.called(change.before)}: {'; '.join(_phrases(doc, change))}"


def _phrases(doc: Writable, change: Transition) -> Iterator[str]:
    head = {name: value for name, value in change.head.items() if not isinstance(value, New)}
    status = {} if change.status is None else {"status": change.status}
    if head or status:
        yield _set({**head, **status}, change.facts)
    for part in doc.parts:
        diff = part.diff(change)
        yield from (f"{part.one} {key} {_set(fields, change.facts)}" for key, fields in diff.updates.items())
        yield from (f"delete {part.one} {key} ({part.called(diff.before[key])})" for key in diff.deletes)
        yield from (f"add {part.kind(row)} ({part.called(row)})" for row in diff.adds)
        late = [each for each in doc.head if isinstance(change.head.get(each.name), New) and each.part == part.name]
        yield from (f"the new {part.one} becomes {each.becomes}" for each in late)


def _set(fields: State, facts: Facts) -> str:
    return ", ".join(f"{name} {shown_field(name, value, facts.days) or 'cleared'}" for name, value in fields.items())


def changes(doc: Writable, change: Transition) -> Iterator[FieldChange]:
    """Yield old and new value of each field that would be something else; lines show their own."""
    if change.after is None:
        yield from _gone(doc, change)
        return
    facts, new = change.facts, change.new
    plain = [each for each in doc.head if each.name in change.head and not isinstance(change.head[each.name], New)]
    late = [each for each in doc.head if isinstance(change.head.get(each.name), New)]
    yield from _of_fields("", plain, change.old, new, facts)
    if change.status is not None:
        old = shown_value(change.old.get("status"))
        yield FieldChange(field="status", old=old, new=change.status)
    for part in doc.parts:
        if part.line is None:
            yield from _of_parts(doc, part, change)
    yield from _of_fields("", late, change.old, new, facts)


def _of_parts(doc: Writable, part: Part, change: Transition) -> Iterator[FieldChange]:
    diff, facts = part.diff(change), change.facts
    for key, fields in diff.updates.items():
        own = [each for each in part.fields if each.name in fields]
        yield from _of_fields(f"{part.name}[{key}].", own, diff.before[key], fields, facts)
    for key in diff.deletes:
        yield from _of_gone(f"{part.name}[{key}].", part.fields, diff.before[key], facts)
    is_new = change.before is None
    model = None if is_new else spec_of(part.collection or doc.collection).create
    sent = [each for each in part.fields if model is None or each.name in model.model_fields]
    for place, row in enumerate(diff.adds):
        own = [each for each in sent if each.name in row]
        yield from _of_fields(f"{'' if is_new else 'add_'}{part.name}[{place}].", own, NOTHING, row, facts)


def _gone(doc: Writable, change: Transition) -> Iterator[FieldChange]:
    if doc.is_lined:
        return
    yield from _of_gone("", [each for each in doc.head if "create" in each.verbs], change.old, change.facts)
    for part in doc.parts:
        for row in rows(change.old, part.held):
            yield from _of_gone(f"{part.name}[{row['id']}].", part.fields, row, change.facts)


def _of_gone(prefix: str, fields: Iterable[Field], old: State, facts: Facts) -> Iterator[FieldChange]:
    kept = [each for each in fields if not each.filled or "modify" in each.verbs]
    yield from _of_fields(prefix, [each for each in kept if old.get(each.name) not in (None, "")], old, NOTHING, facts)


def _of_fields(prefix: str, fields: Sequence[Field], old: State, new: State, facts: Facts) -> Iterator[FieldChange]:
    for each in fields:
        before, after = (_words(each, state.get(each.name), facts) for state in (old, new))
        yield FieldChange(field=f"{prefix}{each.name}", old=before, new=after)


def _words(field: Field, value: object, facts: Facts) -> str | None:
    if isinstance(value, Unknown):
        return str(value.asked)
    if isinstance(value, New):
        return f"add_{value.part}[{value.place}]"
    known = facts.with_id(field.names, value) if field.names else None
    return shown_field(field.name, value, facts.days) if known is None else known.called


def lines(doc: Writable, change: Transition) -> Iterator[PlanLine]:
    """Yield the parts that are shown as lines, as they would be, or as they are where the document goes."""
    for part in doc.parts:
        if part.line is not None:
            found = [part.line(change, row) for row in rows(change.subject, part.held)]
            yield from (each for each in found if each is not None)
