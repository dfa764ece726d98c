"""What a person is shown of a change: one sentence, each field's old and new value, lines."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import cast

from katana_mcp.documents.custom_field_labels import Values, labelled
from katana_mcp.documents.declaration import Field, Part, Writable
from katana_mcp.documents.states import differing, meant_part, requested_rows
from katana_mcp.documents.steps import spec_of
from katana_mcp.documents.transition import Facts, New, PartDiff, State, Transition, Unknown
from katana_mcp.tools.answers import plain_number, so_many
from katana_mcp.values import EMPTY, rows
from katana_mcp.writing.preview import FieldChange, NearVariant, PlanLine, field_in_words, value_in_words


def summary(doc: Writable, change: Transition, besides: Sequence[FieldChange] = ()) -> str:
    """Return a change in one sentence; of one that only changes what is beside its fields, that."""
    if change.before is None:
        numbered = change.facts.numbered
        called = doc.name(change.new) if numbered is None else numbered.called
        return f"new {doc.title} {called}{doc.described(change)}"
    if change.after is None:
        return f"delete {doc.called(change.before)}{doc.described(change)}"
    phrases = [*_phrases(doc, change)] or [_new_value(field_change) for field_change in besides]
    return f"{doc.called(change.before)}: {'; '.join(phrases)}" if phrases else doc.called(change.before)


def _new_value(change: FieldChange) -> str:
    return f"{change.field} {change.new or 'cleared'}"


def _phrases(doc: Writable, change: Transition) -> Iterator[str]:
    head_changes = [
        field_change
        for field_change in changes(doc, change)
        if field_change.field in {"status", *(field.name for field in doc.head)}
    ]
    late = {field.name for field in doc.head if isinstance(change.head.get(field.name), New)}
    own = [_new_value(field_change) for field_change in head_changes if field_change.field not in late]
    if own:
        yield ", ".join(own)
    for part in doc.parts:
        diff = part.diff(change)
        if part.line is not None:
            yield from _counted(part, diff)
            continue
        called = {key: _in_brackets(part, change, diff.before[key]) for key in (*diff.updates, *diff.deletes)}
        named = {key: f"{part.one} {key}{words}" for key, words in called.items()}
        yield from (f"{named[key]} {_set(part, fields, change.facts)}" for key, fields in diff.updates.items())
        yield from (f"delete {named[key]}" for key in diff.deletes)
        yield from (f"add {part.kind(row)}{_in_brackets(part, change, row)}" for row in diff.adds)
        late = [field for field in doc.head if isinstance(change.head.get(field.name), New) and field.part == part.name]
        yield from (f"the new {part.one} becomes {field.becomes}" for field in late)


def _in_brackets(part: Part, change: Transition, row: State) -> str:
    called = part.called(row) if part.title is None else part.title(change, row)
    return f" ({called})" if called else ""


def _counted(part: Part, diff: PartDiff) -> Iterator[str]:
    """Yield how many parts change: each is a line."""
    for what, parts in (("add", diff.adds), ("change", diff.updates), ("delete", diff.deletes)):
        if parts:
            yield f"{what} {so_many(len(parts), part.words)}"


def _set(part: Part, fields: State, facts: Facts) -> str:
    by_name = {field.name: field for field in part.fields if field.in_words is not None or field.custom or field.names}

    def words(name: str, value: object) -> str | None:
        return _words(by_name[name], value, facts) if name in by_name else field_in_words(name, value, facts.days)

    return ", ".join(f"{name} {words(name, value) or 'cleared'}" for name, value in fields.items())


def changes(doc: Writable, change: Transition) -> Iterator[FieldChange]:
    """Yield old and new value of each field that would be something else; lines show their own."""
    if change.after is None:
        yield from _removed_parts(doc, change)
        return
    facts, new = change.facts, change.new
    head = differing(doc, change.old, new)
    plain = [field for field in doc.head if field.name in head and not isinstance(head[field.name], New)]
    late = [field for field in doc.head if isinstance(change.head.get(field.name), New)]
    yield from _of_fields("", plain, change.old, new, facts)
    shows_status = doc.status is not None and (change.before is not None or doc.status.new_kind is not None)
    if shows_status and new.get("status") != change.old.get("status"):
        old = value_in_words(change.old.get("status"))
        yield FieldChange(field="status", old=old, new=value_in_words(new.get("status")))
    for part in doc.parts:
        yield from _of_parts(doc, part, change) if part.line is None else _beside_lines(part, change)
    yield from _of_fields("", late, change.old, new, facts)


def _of_parts(doc: Writable, part: Part, change: Transition) -> Iterator[FieldChange]:
    diff, facts = part.diff(change), change.facts
    yield from _of_updates(part, change)
    for key in diff.deletes:
        yield from _removed_fields(f"{part.name}[id={key}].", part.fields, diff.before[key], facts)
    model = None if change.before is None else spec_of(part.collection or doc.collection).create
    sent = [field for field in part.fields if model is None or field.name in model.model_fields]
    yield from _of_adds(part, change, sent)


def _beside_lines(part: Part, change: Transition) -> Iterator[FieldChange]:
    """Yield what changes of parts that are shown as lines, and what of new ones no line holds."""
    yield from _of_updates(part, change)
    yield from _of_adds(part, change, [field for field in part.fields if field.is_unlined])


def _of_adds(part: Part, change: Transition, fields: Sequence[Field]) -> Iterator[FieldChange]:
    """Yield what these fields of new parts hold."""
    for place, row in enumerate(part.diff(change).adds):
        own = [field for field in fields if field.name in row]
        prefix = f"{'' if change.before is None else 'add_'}{part.name}[{place}]."
        yield from _of_fields(prefix, own, EMPTY, row, change.facts)


def _of_updates(part: Part, change: Transition) -> Iterator[FieldChange]:
    diff = part.diff(change)
    for key, fields in diff.updates.items():
        own = [field for field in part.fields if field.name in fields]
        found = _of_fields(f"{part.name}[id={key}].", own, diff.before[key], fields, change.facts)
        yield from (field_change for field_change in found if field_change.old != field_change.new)


def _removed_parts(doc: Writable, change: Transition) -> Iterator[FieldChange]:
    if doc.is_lined:
        return
    yield from _removed_fields("", [field for field in doc.head if "create" in field.verbs], change.old, change.facts)
    for part in doc.parts:
        for row in rows(change.old, part.held):
            yield from _removed_fields(f"{part.name}[id={row['id']}].", part.fields, row, change.facts)


def _removed_fields(prefix: str, fields: Iterable[Field], old: State, facts: Facts) -> Iterator[FieldChange]:
    kept = [field for field in fields if not field.filled or "modify" in field.verbs]
    yield from _of_fields(prefix, [field for field in kept if old.get(field.name) not in _EMPTY], old, EMPTY, facts)


_EMPTY: tuple[object, ...] = (None, "", [])


def _of_fields(prefix: str, fields: Sequence[Field], old: State, new: State, facts: Facts) -> Iterator[FieldChange]:
    for field in fields:
        before, after = (_words(field, state.get(field.name), facts) for state in (old, new))
        yield FieldChange(field=f"{prefix}{field.name}", old=before, new=after)


def _words(field: Field, value: object, facts: Facts) -> str | None:
    if isinstance(value, Unknown):
        return str(value.asked)
    if isinstance(value, New):
        return f"add_{value.part}[{value.place}]"
    if field.custom and isinstance(value, Mapping):
        value = labelled(cast("Values", value), facts)
    if field.in_words is not None:
        return field.in_words(value) or None
    record = facts.with_id(field.names, value) if field.names else None
    return field_in_words(field.name, value, facts.days) if record is None else record.called


def in_words(line: Callable[[Transition, State], PlanLine | None], found: Sequence[State], change: Transition) -> str:
    """Return rows in words, as many as a sentence holds: `2 box (12 pcs) of FORK, 4 pcs of WHEEL`."""
    plan_lines = [planned for row in found[:_NAMED] if (planned := line(change, row)) is not None]
    words = [
        f"{'?' if item.quantity is None else plain_number(item.quantity)} {f'{item.unit} ' if item.unit else ''}of "
        f"{item.sku or item.name or item.variant_id}"
        for item in plan_lines
    ]
    more = len(found) - len(words)
    return ", ".join([*words, *([f"and {more} more"] if more else [])])


_NAMED = 10


def lines(doc: Writable, change: Transition) -> dict[str, list[PlanLine]]:
    """Return the parts that are shown as lines, by the field that holds them: as they would be, and those that go."""
    return {part.held: [*_lines(part, change)] for part in doc.parts if part.line or part.written}


def _lines(part: Part, change: Transition) -> Iterator[PlanLine]:
    diff, is_marked = part.diff(change), bool(change.before and change.after and part.collection)
    said, new, line = _goods_said(part, change), count(), part.line or part.written
    changed = {*diff.updates, *change.sent[part.held].updates}
    stays, going = rows(change.subject, part.held), [diff.before[key] for key in diff.deletes] if is_marked else []
    for place, row in enumerate([*stays, *going]):
        key = row.get("id")
        mark = "delete" if place >= len(stays) else "add" if "id" not in row else "update" if key in changed else None
        asked = said.get(("new", next(new)) if "id" not in row else ("old", key))
        is_shown = part.line is not None or (is_marked and mark is not None)
        found = line(change, row) if line is not None and is_shown else None
        if found is not None:
            marks = {"row_id": key if part.collection else None, "match": _match(asked, change.facts)}
            yield found.model_copy(update=marks | ({"change": mark} if is_marked else {}))


def _goods_said(part: Part, change: Transition) -> dict[tuple[str, object], object]:
    """Return what a request calls the goods of parts: of new ones by their place, of others by their id."""
    name = next((field.arg for field in part.fields if field.names == "variant"), "")
    new = [row for argument in (part.name, f"add_{part.name}") for row in requested_rows(change.asked, argument)]
    old = {
        meant_part(part, row.get(part.key), rows(change.middle, part.held)): row.get(name)
        for row in requested_rows(change.asked, f"update_{part.name}")
    }
    return {
        **{("new", place): row.get(name) for place, row in enumerate(new)},
        **{("old", key): asked for key, asked in old.items()},
    }


def _match(asked: object, facts: Facts) -> str | list[NearVariant] | None:
    """Return by what of a variant a row names it; where that is not certain, what it may mean."""
    named = facts.references.get(("variant", asked)) if isinstance(asked, int | str) else None
    if named is None:
        return None
    if named.one is not None:
        return next(iter(named.by), None)
    likely = (
        [(record, None) for record in named.like]
        if len(named.found) < _SEVERAL
        else zip(named.found, named.by, strict=False)
    )
    near = [NearVariant(variant_id=record.id, sku=record.sku, name=record.name, by=by) for record, by in likely]
    return near[:_NAMED] or None


_SEVERAL = 2
