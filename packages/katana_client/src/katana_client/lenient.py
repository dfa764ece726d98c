"""Reading a record of which some fields have a form that nobody foresaw: they are left out, all others are read.

Refuses nothing: whatever stands in a field, the rest of the record can be used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pydantic import ValidationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from katana_client.wire import ReadModel

    type Steps = tuple[int | str, ...]

_ROUNDS = 3
"""Rounds in which single values are left out; after them, whole fields of the record are."""


def refused(error: ValidationError, record: Mapping[str, object]) -> list[Steps]:
    """Return the path of each value that a model refuses, as far as the record has it."""
    return [_located(detail["loc"], record) for detail in error.errors(include_input=False, include_url=False)]


def field_path(steps: Steps) -> str:
    """Return the path of a field, whichever row it stands in: `variants[].lead_time`."""
    text = ""
    for step in steps:
        text += "[]" if isinstance(step, int) else f".{step}" if text else step
    return text


def read_leniently[M: ReadModel](model: type[M], record: Mapping[str, object]) -> M:
    """Return a model of what can be read of a record; the rest counts as not sent."""
    rest, rounds = dict(record), 0
    while True:
        try:
            return model.model_validate(rest, strict=False)
        except ValidationError as error:
            deep = rounds < _ROUNDS
            places = [place if deep else place[:1] for place in refused(error, rest)]
            rest, rounds = cast("dict[str, object]", _without(rest, places)), rounds + 1


def _located(loc: Iterable[int | str], record: object) -> Steps:
    """Return the part of a location that the record has; what follows names a kind of value, not a place."""
    steps: list[int | str] = []
    value = record
    for step in loc:
        if isinstance(value, dict) and step in value:
            value = cast("dict[object, object]", value)[step]
        elif isinstance(value, list) and isinstance(step, int):
            value = cast("list[object]", value)[step]
        else:
            break
        steps.append(step)
    return tuple(steps)


def _without(value: object, places: Iterable[Steps]) -> object:
    """Return a copy of a value without what stands at these places."""
    inside: dict[int | str, list[Steps]] = {}
    for first, *rest in places:
        inside.setdefault(first, []).append(tuple(rest))
    kept = [step for step, rests in inside.items() if () not in rests]
    if isinstance(value, list):
        rows = enumerate(cast("list[object]", value))
        return [_without(row, inside[at]) if at in kept else row for at, row in rows if at in kept or at not in inside]
    fields = cast("dict[int | str, object]", value).items()
    return {
        name: _without(field_value, inside[name]) if name in kept else field_value
        for name, field_value in fields
        if name in kept or name not in inside
    }
