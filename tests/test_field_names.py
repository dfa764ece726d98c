"""A field that the server reads of a record by its name is one that Katana sends, in the form in which it is read."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import cast

import pytest

from katana_schema.notation import Fact, JsonSchema, expand, plain_name
from katana_schema.reading import read_facts

SERVER = Path(__file__).parents[1] / "packages" / "katana_mcp_server" / "src" / "katana_mcp"
READERS: Mapping[str, frozenset[str]] = {
    "get_int": frozenset({"integer"}),
    "text": frozenset({"string"}),
    "number": frozenset({"integer", "number", "decimal"}),
    "get_bool": frozenset({"boolean"}),
    "rows": frozenset({"array"}),
    "get_strs": frozenset({"array"}),
    "ids": frozenset({"array"}),
    "child": frozenset({"object"}),
}
"""What can be read of a record, and as which of the facts' types it travels."""
OURS = {
    "levels": "records of stock have those of all places, by the variant",
    "sales_order_count": "counted for `get_customer`",
    "open_sales_order_count": "counted for `get_customer`",
    "sales_orders": "found for `get_customer`",
    "recipe_rows": "rows of a manufacturing order that is written",
    "operation_rows": "rows of a manufacturing order that is written",
    "productions": "of a manufacturing order that is written",
    "costs": "of a purchase order that is corrected",
    "shipments": "of a sales order that is corrected",
    "record": "a stocktake that is counted, as a look found it",
    "row": "one row of an order, where rows are the results",
}
"""Fields that we add to records, with what they hold."""


@cache
def types_by_name() -> Mapping[str, set[str]]:
    """Return the types of each field of any schema, by its name."""
    found: dict[str, set[str]] = {}
    for schema in read_facts().schemas.values():
        for name, kind in _fields(schema):
            found.setdefault(name, set()).update(_types(kind))
    return found


def _fields(fact: Fact) -> Iterator[tuple[str, Fact]]:
    if isinstance(fact, list):
        yield from (field for part in fact for field in _fields(part))
    if isinstance(fact, dict):
        own = fact.get("fields", {})
        yield from ((plain_name(name)[0], kind) for name, kind in cast("dict[str, Fact]", own).items())
        yield from (field for part in fact.values() for field in _fields(part))


def _types(fact: Fact) -> set[str]:
    held = read_facts().schemas.get(fact.removesuffix("?")) if isinstance(fact, str) else None
    if held is not None:
        return _types(held) | ({"object"} if isinstance(held, dict) else set())
    return _of(expand(fact)) if isinstance(fact, str | dict) else set()


def _of(schema: JsonSchema) -> set[str]:
    choices = cast("list[JsonSchema]", schema.get("anyOf", []))
    types = schema.get("type", [])
    named = {types} if isinstance(types, str) else set(cast("list[str]", types))
    if schema.get("format") == "decimal":
        named.add("decimal")
    return named.union(*map(_of, choices), {"object"} if choices else set())


def reads() -> Iterator[tuple[str, str, str]]:
    """Yield where a field is read by its name: the place, the reader and the name."""
    for file in sorted(SERVER.rglob("*.py")):
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in READERS:
                name = call.args[1] if len(call.args) > 1 else None
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    yield f"{file.relative_to(SERVER)}:{call.lineno}", call.func.id, name.value


def wrong(found: Iterable[tuple[str, str, str]]) -> list[str]:
    """Return the reads of what Katana does not send, or not in that form."""
    return [
        f"{place}: {reader}({name!r})"
        for place, reader, name in found
        if name not in OURS and not READERS[reader] & types_by_name().get(name, set())
    ]


def test_every_field_that_is_read_by_its_name_is_one_that_katana_sends_in_that_form() -> None:
    found = list(reads())
    assert len(found) > 250
    assert wrong(found) == []
    assert {name for _, _, name in found} >= OURS.keys()
    assert types_by_name().keys() & OURS.keys() == set()


@pytest.mark.parametrize(("reader", "name"), [("text", "order_nr"), ("text", "customer_id"), ("rows", "status")])
def test_a_misspelt_field_and_one_of_another_form_are_found(reader: str, name: str) -> None:
    assert wrong([("x.py:1", reader, name)]) == [f"x.py:1: {reader}({name!r})"]
