"""Conditions to SQL: over typed columns and part tables, with every value bound.

What no column can decide is left over for `conditions.hold` on the record; so are rows marked odd.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from cache_core.conditions import (
    Below,
    Condition,
    CustomValue,
    Missing,
    NoneOf,
    OneOf,
    Scalar,
    Visibility,
    Where,
    Within,
    is_no_amount,
)
from cache_typed import dialect
from cache_typed.columns import Cell, Kind, fits_whole, is_storable, json_text, order_key
from cache_typed.mapping import Layout
from cache_typed.shapes import Shape

_NEVER = "0"
_TOP = 2**63 - 1


@dataclass(slots=True)
class Clause:
    """Conditions as SQL.

    Attributes:
        parts: predicates, ANDed.
        values: what their named parameters stand for.
        left: conditions that only the record can answer.
    """

    parts: list[str] = field(default_factory=list[str])
    values: dict[str, Cell] = field(default_factory=dict[str, Cell])
    left: list[Condition] = field(default_factory=list[Condition])

    def bind(self, value: Cell) -> str:
        """Return the placeholder of a new parameter."""
        name = f"v{len(self.values)}"
        self.values[name] = value
        return f":{name}"

    def sql(self, *more: str) -> str:
        """Return the predicates as one expression."""
        return " AND ".join((*more, *self.parts)) or "1"


class _CannotSay(Exception):
    """A condition that the columns cannot decide."""


@dataclass(frozen=True, slots=True)
class _Target:
    """The column that a condition is about."""

    name: str
    kind: Kind

    def cell(self, value: Scalar) -> Cell:
        """Return what a value equal to this one has in the column; None when no value can."""
        return None if is_no_amount(value) else _CELLS[self.kind](value)


def compiled(layout: Layout, where: Where, visibility: Visibility) -> Clause:
    """Return the conditions as SQL over the entity's tables."""
    clause = Clause()
    if not visibility.deleted:
        clause.parts.append(f"{layout.name}.cache_deleted = 0")
    if not visibility.archived:
        clause.parts.append(f"{layout.name}.cache_archived = 0")
    for condition in where:
        kept = dict(clause.values)
        try:
            clause.parts.append(_condition(layout, condition, clause))
        except _CannotSay:
            clause.values = kept
            clause.left.append(condition)
            clause.parts += _holding(layout, condition, clause)
    return clause


def _holding(layout: Layout, condition: Condition, clause: Clause) -> list[str]:
    """Return what a nested column says beforehand of a condition on what is inside: that it holds one of the texts."""
    head = condition.field.partition("[]")[0]
    codec, texts = layout.main.fields.get(head), _texts(condition)
    if codec is None or codec.kind is not Kind.NESTED or not texts:
        return []
    sought = json_text([json_text([text])[1:-1] for text in texts])
    column = f"{layout.name}.{dialect.quoted(head)}"
    return [dialect.HOLDS_ONE.format(column=column, sought=clause.bind(sought))]


def _texts(condition: Condition) -> list[str]:
    """Return the texts of which a condition wants one; none where it wants something else too."""
    values = condition.values if isinstance(condition, OneOf | CustomValue) else ()
    texts = [value for value in values if isinstance(value, str) and is_storable(value)]
    return texts if len(texts) == len(values) else []


def order_column(layout: Layout, name: str) -> str | None:
    """Return the column that sorts by a field, or None where there is none."""
    if name == layout.spec.id_path:
        return f"{layout.name}.{layout.pk if layout.id_is_pk else 'cache_id'}"
    try:
        return f"{layout.name}.{_document_column(layout, name).name}"
    except _CannotSay:
        return None


def _condition(layout: Layout, condition: Condition, clause: Clause) -> str:
    head, bracket, name = condition.field.partition("[].")
    if not bracket:
        if condition.field == layout.pk and layout.id_is_pk:
            return _predicate(layout.name, _Target(layout.pk, Kind.WHOLE), condition, clause)
        return _predicate(layout.name, _document_column(layout, condition.field), condition, clause)
    shape = layout.shapes.get(head)
    if shape is None:
        raise _CannotSay
    target = _target(shape, name)
    absent = isinstance(condition, NoneOf) or (isinstance(condition, Missing) and condition.missing)
    inside = _predicate(shape.name, target, _positive(condition), clause)
    found = f"{layout.name}.{layout.pk} IN (SELECT {shape.name}.cache_parent FROM {shape.name} WHERE {inside})"
    return f"NOT {found}" if absent else found


def _positive(condition: Condition) -> Condition:
    """Return what a row must have for a document to have it; `NoneOf` and `Missing` are negated outside."""
    if isinstance(condition, NoneOf):
        return OneOf(condition.field, condition.values)
    if isinstance(condition, Missing):
        return Missing(condition.field, missing=False)
    return condition


def _document_column(layout: Layout, name: str) -> _Target:
    """Return the column of the document: of two that say the same, the one with the index."""
    target = _target(layout.main, name)
    return _Target(layout.copies.get(name, target.name), target.kind)


def _target(shape: Shape, name: str) -> _Target:
    codec = shape.fields.get(name)
    if codec is None or codec.kind is Kind.NESTED:
        raise _CannotSay
    if codec.kind is Kind.NUMBER:
        if name not in shape.orders:
            raise _CannotSay
        return _Target(shape.orders[name], codec.kind)
    return _Target(dialect.quoted(name), codec.kind)


def _predicate(table: str, target: _Target, condition: Condition, clause: Clause) -> str:
    column = f"{table}.{target.name}"
    match condition:
        case OneOf(_, values):
            return _one_of(column, target, values, clause)
        case NoneOf(_, values):
            return f"({column} IS NULL OR NOT {_one_of(column, target, values, clause)})"
        case Missing(_, missing):
            return f"{column} IS NULL" if missing else f"{column} IS NOT NULL"
        case Within(_, low, high):
            bounds = [_bound(column, target, ">=", low, clause), _bound(column, target, "<=", high, clause)]
            return f"({' AND '.join((f'{column} IS NOT NULL', *filter(None, bounds)))})"
        case Below(_, limit):
            return f"({column} IS NOT NULL AND {_bound(column, target, '<', limit, clause)})"
        case CustomValue():
            raise _CannotSay


def _one_of(column: str, target: _Target, values: tuple[Scalar, ...], clause: Clause) -> str:
    cells = _ids(target, values) or [cell for value in values if isinstance(cell := target.cell(value), str | int)]
    if not cells:
        return _NEVER
    if len(cells) == 1:
        return f"{column} = {clause.bind(cells[0])}"
    listed = dialect.in_list(cells)
    if listed is None:
        raise _CannotSay
    return f"{column} {dialect.IN_LIST.format(clause.bind(listed))}"


def _ids(target: _Target, values: tuple[Scalar, ...]) -> Sequence[int]:
    """Return the values where each is a plain id of a column of such, or none: they need no other look each."""
    if target.kind is not Kind.WHOLE:
        return ()
    ids = [value for value in values if type(value) is int]
    return ids if len(ids) == len(values) and ids and -_TOP <= min(ids) <= max(ids) <= _TOP else ()


def _bound(column: str, target: _Target, sign: str, value: Scalar | None, clause: Clause) -> str:
    """Return the comparison with a bound; nothing for an open side, and never for another kind of value."""
    if value is None:
        return ""
    if is_no_amount(value):
        return _NEVER
    if target.kind is Kind.WHOLE and isinstance(value, int | Decimal) and not isinstance(value, bool):
        return _whole_bound(column, sign, value, clause)
    if target.kind is Kind.FLAG and sign != "<":
        sign = "="
    cell = target.cell(value)
    if cell is None or (target.kind is Kind.FLAG and sign == "<"):
        if isinstance(value, str) and not is_storable(value):
            raise _CannotSay
        return _NEVER
    if target.kind is not Kind.NUMBER:
        return f"{column} {sign} {clause.bind(cell)}"
    same_kind = f"{column} >= 's'" if isinstance(value, str) else f"{column} < 's'"
    return f"{same_kind} AND {column} {sign} {clause.bind(cell)}"


def _whole_bound(column: str, sign: str, value: int | Decimal, clause: Clause) -> str:
    """Compare an integer column with any number: a fraction moves to the next integer on the right side."""
    if not -_TOP - 1 <= value <= _TOP:
        return "1" if (value < 0) is (sign == ">=") else _NEVER
    edge = math.floor(value) if sign == "<=" else math.ceil(value)
    return f"{column} {sign} {clause.bind(edge)}"


def _whole_cell(value: Scalar) -> Cell:
    if isinstance(value, bool | str):
        return None
    exact = abs(value) <= _TOP + 1 and value == int(value)
    return int(value) if exact and fits_whole(int(value)) else None


def _text_cell(value: Scalar) -> Cell:
    return value if isinstance(value, str) and is_storable(value) else None


def _number_cell(value: Scalar) -> Cell:
    if isinstance(value, bool):
        return None
    key = order_key(value)
    if key is None or (isinstance(value, str) and not is_storable(value)):
        raise _CannotSay
    return key


_CELLS: dict[Kind, Callable[[Scalar], Cell]] = {
    Kind.WHOLE: _whole_cell,
    Kind.TEXT: _text_cell,
    Kind.MOMENT: _text_cell,
    Kind.FLAG: lambda value: int(value) if isinstance(value, bool) else None,
    Kind.NUMBER: _number_cell,
}
