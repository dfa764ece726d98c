"""Wire quirks removed at the boundary, once, for live reads and sync alike. Pure and total.

Per declared field (facts 1.10, 5.4-5.6, 5.19, 7.5):
    amounts                     number or text → `Decimal`, exact
    nested and linked objects   `{}` → None
    ids, flags, moments         `{}`, `"null"`, `"undefined"` → None, because such a field cannot mean them
    texts                       untouched
Fields that no model declares are untouched.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from functools import cache
from typing import TYPE_CHECKING, cast

from katana_client.wire import ReadModel, models_in, parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    type Rule = Callable[[object], object]
    type Plan = tuple[tuple[str, Rule], ...]

_ABSENT = frozenset({"null", "undefined"})


def normalise(record: Mapping[str, object], model: type[ReadModel]) -> dict[str, object]:
    """Return a copy of `record` without wire quirks.

    Args:
        record: A JSON object as `jsontext.decode` gives it.
        model: The read model that says what each field is.
    """
    return apply(record, plan_of(model))


def apply(record: Mapping[str, object], plan: Plan) -> dict[str, object]:
    """Return a copy of `record` with each rule of `plan` applied to its field."""
    out = dict(record)
    for name, rule in plan:
        value = out.get(name)
        if value is not None:
            out[name] = rule(value)
    return out


@cache
def plan_of(model: type[ReadModel]) -> Plan:
    """Return the rules for a model's fields; worked out once per model."""
    rules = ((name, _rule(field.annotation)) for name, field in model.model_fields.items())
    return tuple((name, rule) for name, rule in rules if rule is not None)


def _rule(annotation: object) -> Rule | None:
    nested = models_in(annotation, ReadModel)
    if nested:
        return _nested_rule(plan_of(nested[0]))
    kinds = _kinds(annotation)
    if str in kinds or list in kinds:
        return None
    return _exact if Decimal in kinds and int not in kinds else _scalar


def _nested_rule(plan: Plan) -> Rule:
    def rule(value: object) -> object:
        if isinstance(value, dict):
            return apply(cast("dict[str, object]", value), plan) if value else None
        if isinstance(value, list):
            rows = cast("list[object]", value)
            return [apply(cast("dict[str, object]", row), plan) if isinstance(row, dict) else row for row in rows]
        return _scalar(value)

    return rule


def _exact(value: object) -> object:
    kind = type(value)
    if kind is Decimal:
        return value
    if kind is int:
        return Decimal(cast("int", value))
    if kind is str or kind is float:
        try:
            number = Decimal(str(value))
        except InvalidOperation:
            return _scalar(value)
        return number if number.is_finite() else value
    return _scalar(value)


def _scalar(value: object) -> object:
    if value == {} or (isinstance(value, str) and value in _ABSENT):
        return None
    return value


def _kinds(annotation: object) -> set[object]:
    """Return the plain types an annotation is made of; a list or dict counts as itself."""
    origin: object = getattr(annotation, "__origin__", None)
    if isinstance(origin, type):
        return {origin}
    parts = parts_of(annotation)
    return {kind for part in parts for kind in _kinds(part)} if parts else {annotation}
