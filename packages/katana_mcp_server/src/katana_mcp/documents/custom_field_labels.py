"""Custom fields by the label of their definition: what a request means by one, and what its values are called.

A value is kept by the id of its definition, a choice by its own; Katana merges what is sent with what is there.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from cache_core.records import Record
from katana_mcp.documents.declaration import Field
from katana_mcp.documents.transition import Facts, State
from katana_mcp.references.display_names import CUSTOM_FIELDS, Names, text
from katana_mcp.references.suggestions import same
from katana_mcp.surface.operations.custom_filters import defining
from katana_mcp.values import EMPTY, child, rows

type Definitions = Mapping[str, Record]
"""The custom fields that an account has, by their ids."""
type Values = Mapping[str, object]
"""Values of custom fields, by the ids of their definitions."""


def values_of(held: object) -> Values | None:
    """Return the values that a field of a record or a request holds; None where it holds none."""
    return cast("Values", held) if isinstance(held, Mapping) and held else None


def meant(name: str, field: Field, facts: Facts) -> list[Record]:
    """Return the definitions that an id, or the label of one of the kinds of a field, means: one, if that is certain.

    Those of the kinds that come first are meant first.
    """
    called = defining(name, [*(facts.definitions or {}).values()])
    for kind in field.custom:
        if found := [record for record in called if record.get("entity_type") == kind]:
            return found
    return []


def choices(definition: Record) -> list[Record]:
    """Return the choices of a field that can be chosen."""
    every = rows(child(definition, "options") or EMPTY, "choices")
    return [record for record in every if not record.get("deleted")]


def choice_of(definition: Record, value: object) -> Record | None:
    """Return the choice that a value is the number or the label of."""

    def is_it(choice: Record) -> bool:
        if isinstance(value, str):
            return value == choice.get("id") or same(value, text(choice, "label") or "")
        return not isinstance(value, bool) and value == choice.get("id")

    return next(filter(is_it, choices(definition)), None)


def by_id(asked: Values, field: Field, facts: Facts) -> dict[str, object]:
    """Return values by ids, choices by theirs; a field that is not known keeps its name."""
    found: dict[str, object] = {}
    for name, value in asked.items():
        one = next(iter(meant(name, field, facts)), EMPTY)
        chosen = choice_of(one, value) if isinstance(value, str) else None
        found[text(one, "id") or name] = value if chosen is None else chosen.get("id")
    return found


def merged(fields: Sequence[Field], before: State | None, given: State) -> dict[str, object]:
    """Return what arguments set, with the values that a document, or a part, had besides."""
    found = {**given}
    for field in fields:
        values = values_of(given.get(field.name)) if field.custom else None
        if values is not None and before is None:
            found[field.name] = {name: value for name, value in values.items() if value is not None} or None
        elif values is not None:
            found[field.name] = {**(values_of((before or EMPTY).get(field.name)) or EMPTY), **values}
    return found


def empty_as_none(fields: Sequence[Field], record: State) -> dict[str, object]:
    """Return a record in which no custom fields are None, whichever way Katana says it."""
    names = (field.name for field in fields if field.custom)
    return {**record, **{name: None for name in names if name in record and not record[name]}}


def labelled(values: Values, facts: Facts) -> dict[str, object]:
    """Return values by labels, choices by theirs, as a person is shown them."""
    definitions = facts.definitions or {}
    names = Names({(CUSTOM_FIELDS[0], key): record for key, record in definitions.items()})
    return dict(names.custom_field(key, value) for key, value in values.items())


def taken_back(fields: Sequence[Field], before: State, after: State, back: Mapping[str, object]) -> dict[str, object]:
    """Return arguments that take a change back, with null for each value that was not there."""
    found = {**back}
    for field in fields:
        if field.custom and field.arg in back:
            old, new = values_of(before.get(field.name)), values_of(after.get(field.name))
            found[field.arg] = {**dict.fromkeys(new or ()), **old} if old else None
    return found
