"""POST …/search: a filter in the body with comparisons, and/or, order and page."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, cmp_to_key
from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.custom_fields import shaped
from katana_sandbox.descriptor import Collection, Context
from katana_sandbox.operations.create import checked
from katana_sandbox.operations.list import page_reply
from katana_sandbox.operations.query import DEFAULT_LIMIT
from katana_sandbox.render import render
from katana_sandbox.store.select import Selection
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.errors import INVALID_BODY, Refused
from katana_sandbox.wire.numbers import as_decimal, is_decimal_text
from katana_sandbox.wire.pagination import Page
from katana_sandbox.wire.times import ms_of, parse_moment, wire_moment
from katana_schema.reading import read_facts

_LISTED = 100
_TEXT = 256
_DEPTH = 2
_CUSTOM = re.compile(r"custom_fields\.[0-9a-fA-F-]{36}")
_ITEM_TYPES = ("product", "material", "service")
_VARIANT_LINKS = frozenset({"product_id", "material_id", "service_id", "type"})
_JOINED = ("and", "or")
type Test = Callable[[Record], bool]

_COMPARE: dict[str, Callable[[int], bool]] = {
    "neq": lambda order: order != 0,
    "gt": lambda order: order > 0,
    "gte": lambda order: order >= 0,
    "lt": lambda order: order < 0,
    "lte": lambda order: order <= 0,
}


@cache
def _searchable(path: str) -> tuple[str, ...]:
    facts = read_facts()
    where = facts.fields(facts.at(f"{facts.operations[f'POST {path}/search'].body}.filter"))
    return tuple(name for name in where if name not in _JOINED)


def search(ctx: Context, collection: Collection, call: Call) -> Reply:
    """Records of a collection, over the fields that the facts say can be searched."""
    body = checked(f"POST {collection.path}/search", call.body())
    store = ctx.db.stores[collection.name]
    slots = ctx.db.selectors[collection.name].slots(Selection(archived=True))
    candidates = [(store.record(slot), slot) for slot in reversed(slots)]
    found, page = found_page(body, _searchable(collection.path), candidates)
    shown = found[page.offset : page.offset + page.limit]
    return page_reply([render(ctx, collection, slot, "list") for slot in shown], len(found), page)


def search_variants(ctx: Context, _collection: Collection, call: Call) -> Reply:
    """Variants of every kind of item in a shape of their own; archived and deleted ones only when included."""
    body = checked("POST /variants/search", call.body())
    include = cast("list[str]", body.get("include") or [])
    selection = Selection(archived="archived" in include, deleted="deleted" in include)
    shapes = [shape for name in ("variants", "service_variants") for shape in _variants(ctx, name, selection)]
    shapes.sort(key=lambda shape: (str(shape["created_at"]), int(shape["id"])), reverse=True)
    found, page = found_page(body, _searchable("/variants"), [(shape, shape) for shape in shapes])
    shown = found[page.offset : page.offset + page.limit]
    if "item" in include:
        shown = [
            {**shape, "item": ctx.get(f"{shape['item_type']}s", shape["item_id"], deleted=True)} for shape in shown
        ]
    return page_reply([encode(shape) for shape in shown], len(found), page)


def _variants(ctx: Context, name: str, selection: Selection) -> Iterator[Record]:
    store = ctx.db.stores[name]
    for slot in ctx.db.selectors[name].slots(selection):
        variant = store.record(slot)
        kind = next(kind for kind in _ITEM_TYPES if variant.get(f"{kind}_id") is not None)
        archived = ctx.is_archived(f"{kind}s", variant[f"{kind}_id"])
        if archived and not selection.archived:
            continue
        shown = {member: value for member, value in shaped(ctx, variant).items() if member not in _VARIANT_LINKS}
        yield {**shown, "item_id": variant[f"{kind}_id"], "item_type": kind, "abc_classification": None}


def found_page[Shown](
    body: Record, fields: Sequence[str], candidates: Sequence[tuple[Record, Shown]]
) -> tuple[list[Shown], Page]:
    """Those of the candidates that the body's filter finds, in its order, and the page it asks for."""
    test = _where(cast("Record", body.get("filter") or {}), fields, 0)
    found = [pair for pair in candidates if test(pair[0])]
    for field, down in reversed(_order(body.get("order"), fields)):
        key = cmp_to_key(_by_value)
        found.sort(key=lambda pair, field=field: key(_value(pair[0], field)), reverse=down)
    page = Page(int(body.get("limit", DEFAULT_LIMIT)), int(body.get("page", 1)))
    return [shown for _, shown in found], page


def _where(where: Mapping[str, object], fields: Sequence[str], depth: int) -> Test:
    tests = [_clause(name, condition, fields, depth) for name, condition in where.items()]
    return lambda candidate: all(test(candidate) for test in tests)


def _clause(name: str, condition: object, fields: Sequence[str], depth: int) -> Test:
    if name in _JOINED:
        return _combined(name, condition, fields, depth)
    _check_field(name, fields)
    if not isinstance(condition, dict):
        return lambda candidate: _equal(_value(candidate, name), condition)
    tests = [_predicate(operator, operand) for operator, operand in cast("Record", condition).items()]
    return lambda candidate: all(test(_value(candidate, name)) for test in tests)


def _combined(name: str, condition: object, fields: Sequence[str], depth: int) -> Test:
    if depth >= _DEPTH or not isinstance(condition, list):
        raise _bad(name, "and/or take an array and nest twice at most")
    clauses = cast("list[object]", condition)
    if not all(isinstance(clause, dict) for clause in clauses):
        raise _bad(name, "must be object")
    tests = [_where(cast("Record", clause), fields, depth + 1) for clause in clauses]
    joined = all if name == "and" else any
    return lambda candidate: joined(test(candidate) for test in tests)


def _predicate(operator: str, operand: object) -> Callable[[object], bool]:
    if operator in _COMPARE:
        _check_operand(operator, operand)
        holds = _COMPARE[operator]
        if operator == "neq":
            return lambda value: not _equal(value, operand)
        return lambda value: value is not None and operand is not None and holds(_by_value(value, operand))
    if operator in {"inq", "nin", "between"}:
        listed = _listed(operator, operand)
        if operator == "between":
            low, high = listed
            return lambda value: value is not None and _by_value(value, low) >= 0 >= _by_value(value, high)
        return lambda value: any(_equal(value, item) for item in listed) is (operator == "inq")
    if operator in {"like", "ilike"} and isinstance(operand, str):
        _check_operand(operator, operand)
        pattern = "".join({"%": ".*", "_": "."}.get(char, re.escape(char)) for char in operand)
        flags = re.DOTALL | (re.IGNORECASE if operator == "ilike" else 0)
        return lambda value: isinstance(value, str) and re.fullmatch(pattern, value, flags) is not None
    raise _bad(operator, "unknown operator")


def _listed(operator: str, operand: object) -> list[object]:
    items = cast("list[object]", operand) if isinstance(operand, list) else None
    if items is None or len(items) > _LISTED or (operator == "between" and len(items) != 2):
        raise _bad(operator, f"must be an array of {'2' if operator == 'between' else f'at most {_LISTED}'} values")
    for item in items:
        _check_operand(operator, item)
    return items


def _check_operand(operator: str, operand: object) -> None:
    if isinstance(operand, list | dict) or (isinstance(operand, str) and len(operand) > _TEXT):
        raise _bad(operator, f"must be a scalar, text of at most {_TEXT} characters")


def _check_field(name: str, fields: Sequence[str]) -> None:
    if name not in fields and not _CUSTOM.fullmatch(name):
        raise _bad(name, "unknown field")


def _order(given: object, fields: Sequence[str]) -> list[tuple[str, bool]]:
    entries = cast("list[object]", given) if isinstance(given, list) else [] if given is None else [given]
    parsed: list[tuple[str, bool]] = []
    for entry in entries:
        words = entry.split() if isinstance(entry, str) else []
        if not words or len(words) > 2 or words[-1].upper() not in {"ASC", "DESC", words[0].upper()}:
            raise _bad("order", 'must look like "created_at DESC"')
        _check_field(words[0], fields)
        parsed.append((words[0], len(words) == 2 and words[1].upper() == "DESC"))
    return parsed


def _value(candidate: Record, name: str) -> object:
    if name.startswith("custom_fields."):
        return cast("Record", candidate.get("custom_fields") or {}).get(name.removeprefix("custom_fields."))
    return candidate.get(name)


def _equal(value: object, operand: object) -> bool:
    if value is None or operand is None:
        return value is operand
    return _by_value(value, operand) == 0


def _by_value(left: object, right: object) -> int:
    one, other = _sortable(left), _sortable(right)
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        return (one > other) - (one < other)
    first, second = str(one), str(other)
    return (first > second) - (first < second)


def _sortable(value: object) -> Decimal | str:
    if isinstance(value, str):
        if is_decimal_text(value):
            return as_decimal(value)
        moment = parse_moment(value)
        return wire_moment(moment) if moment is not None and ms_of(wire_moment(moment)) is not None else value
    return as_decimal(value) if isinstance(value, int | float) else str(value)


def _bad(name: str, message: str) -> Refused:
    code = "additionalProperties" if message.startswith("unknown") else "type"
    detail = {"path": "/filter", "code": code, "message": message, "info": {"additionalProperty": name}}
    return Refused(422, INVALID_BODY, code="VALIDATION_FAILED", details=[detail])
