"""The way of a request to another server's tool and of its answer back: what is shown, taken, sent and answered."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from katana_mcp.gateway.mapping import aggregate_input, answer, checked, mapped, request, sent, shown_input
from katana_mcp.gateway.model import Aggregate, Argument, CatalogError, Rule
from katana_mcp.tools.warnings import Refused, ToolWarning

type Json = dict[str, Any]

NUMBER: Json = {"type": "number"}
TEXT: Json = {"type": "string"}
NONE: Json = {}
WHOLE: list[str] = []
"""Nothing is missing."""
INPUT: Json = {
    "type": "object",
    "title": "Book",
    "properties": {"kg": NUMBER, "to": {"type": "string", "description": "Where to."}, "note": TEXT},
    "required": ["to", "kg"],
    "additionalProperties": True,
}


def of_arguments(arguments: Mapping[str, object]) -> dict[str, Argument]:
    return {name: Argument.model_validate(argument) for name, argument in arguments.items()}


def of_rules(*rules: Mapping[str, object]) -> list[Rule]:
    return [Rule.model_validate(rule) for rule in rules]


def warned(raised: pytest.ExceptionInfo[Refused]) -> Sequence[ToolWarning]:
    return raised.value.warnings


def refusal(message: str, field_path: str | None = None) -> tuple[ToolWarning]:
    return (ToolWarning(severity="blocking", code="invalid_argument", message=message, field_path=field_path),)


def test_a_schema_without_overrides_is_shown_as_it_is() -> None:
    for schema in (INPUT, {"type": "object"}):
        assert shown_input(schema, {}, "a.book") is schema


@pytest.mark.parametrize(
    ("arguments", "properties", "required"),
    [
        ({"kg": {}}, INPUT["properties"], ["to", "kg"]),
        (
            {"kg": {"name": "weight"}},
            {"weight": NUMBER, "to": INPUT["properties"]["to"], "note": TEXT},
            ["to", "weight"],
        ),
        (
            {"kg": {"description": "Kilograms."}, "to": {"description": ""}},
            {
                "kg": {"type": "number", "description": "Kilograms."},
                "to": {"type": "string", "description": ""},
                "note": TEXT,
            },
            ["to", "kg"],
        ),
        (
            {"to": {"default": "home"}},
            {"kg": NUMBER, "to": {"type": "string", "description": "Where to.", "default": "home"}, "note": TEXT},
            ["kg"],
        ),
        (
            {"kg": {"default": None}, "note": {"default": 0}},
            {"kg": {**NUMBER, "default": None}, "to": INPUT["properties"]["to"], "note": {**TEXT, "default": 0}},
            ["to"],
        ),
        ({"to": {"default": "home", "hide": True}, "note": {"hide": True}}, {"kg": NUMBER}, ["kg"]),
        (
            {"note": {"hide": True}, "kg": {"name": "note"}},
            {"note": NUMBER, "to": INPUT["properties"]["to"]},
            ["to", "note"],
        ),
    ],
    ids=["nothing", "a name", "words", "a default", "null as one", "hidden ones", "the name of a hidden one"],
)
def test_a_schema_is_shown_as_overrides_say(arguments: Json, properties: Json, required: list[str]) -> None:
    before = json.dumps(INPUT)
    shown = shown_input(INPUT, of_arguments(arguments), "a.book")
    expected = {"type": "object", "title": "Book", "properties": properties, "required": required}
    assert shown == {**expected, "additionalProperties": False}
    assert json.dumps(INPUT) == before


def test_a_schema_says_nothing_of_what_is_needed_where_nothing_is() -> None:
    arguments = of_arguments({"kg": {"hide": True, "default": 1}, "to": {"default": ""}, "note": {"hide": True}})
    to = {"type": "string", "description": "Where to.", "default": ""}
    shown = {"type": "object", "title": "Book", "properties": {"to": to}, "additionalProperties": False}
    assert shown_input(INPUT, arguments, "a.book") == shown


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"z": {}, "kg": {}, "b": {}}, "tools.a.book.arguments: the tool has no b, z"),
        ({"kg": {"hide": True}}, "tools.a.book.arguments.kg: it is needed, so hiding it takes a default"),
        ({"note": {"name": "to"}}, "tools.a.book.arguments: two arguments are called to"),
        ({"kg": {"name": "x"}, "note": {"name": "x"}}, "tools.a.book.arguments: two arguments are called x"),
        ({"kg": {"name": "note"}}, "tools.a.book.arguments: two arguments are called note"),
    ],
    ids=["unknown", "needed", "a name of another", "one name twice", "a name of a later one"],
)
def test_overrides_that_do_not_go_with_a_schema_are_refused(arguments: Json, text: str) -> None:
    with pytest.raises(CatalogError) as refused:
        shown_input(INPUT, of_arguments(arguments), "a.book")
    assert str(refused.value) == text


def test_overrides_of_a_tool_without_arguments_are_refused() -> None:
    with pytest.raises(CatalogError, match=r"^tools\.a\.b\.arguments: the tool has no x$"):
        shown_input({"type": "object"}, of_arguments({"x": {}}), "a.b")


def test_arguments_are_sent_under_the_names_of_the_tool_with_the_defaults_of_the_operator() -> None:
    overrides = of_arguments(
        {"kg": {"name": "weight"}, "to": {"default": "home"}, "note": {"default": None, "hide": True}}
    )
    assert sent({"weight": 2, "more": 1}, overrides) == {"kg": 2, "more": 1, "to": "home", "note": None}
    assert sent({"to": "away", "note": ""}, overrides) == {"to": "away", "note": ""}
    assert sent({"kg": 2}, {}) == {"kg": 2}
    assert sent({"w": 3}, of_arguments({"kg": {"name": "w", "default": 1}})) == {"kg": 3}


TAKES: Json = {
    "type": "object",
    "properties": {
        "kg": NUMBER,
        "note": {"type": ["string", "null"]},
        "text": TEXT,
        "rows": {"type": "array", "items": NUMBER},
    },
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        (NONE, NONE),
        ({"kg": 1.5, "note": "n"}, {"kg": 1.5, "note": "n"}),
        ({"kg": None, "note": None, "text": None}, {"note": None}),
        ({"kg": "2", "rows": "[1,2]", "text": "3"}, {"kg": 2, "rows": [1, 2], "text": "3"}),
        ({"kg": '"2"'}, {"kg": 2}),
        ({"gone": None}, {"gone": None}),
    ],
    ids=["none", "as they are", "null", "as json", "as json twice", "unknown"],
)
def test_arguments_are_taken_in_the_form_that_was_shown(arguments: Json, given: Json) -> None:
    assert checked(arguments, {**TAKES, "additionalProperties": True}, "book") == given


@pytest.mark.parametrize(
    ("arguments", "schema", "message"),
    [
        ({"kg": "x"}, TAKES, "book: kg: 'x' is not of type 'number'; it takes kg, note, text, rows"),
        ({"kg": "[1]"}, TAKES, "book: kg: '[1]' is not of type 'number'; it takes kg, note, text, rows"),
        ({"kg": "null"}, TAKES, "book: kg: 'null' is not of type 'number'; it takes kg, note, text, rows"),
        ({"text": 5}, TAKES, "book: text: 5 is not of type 'string'; it takes kg, note, text, rows"),
        ({"rows": ["1"]}, TAKES, "book: rows.0: '1' is not of type 'number'; it takes kg, note, text, rows"),
        (
            {"a": 1},
            {"additionalProperties": False},
            "book: the whole: Additional properties are not allowed ('a' was unexpected); it takes no arguments",
        ),
    ],
    ids=["a text", "other json", "null as a text", "a number", "in a list", "unknown"],
)
def test_arguments_that_do_not_fit_are_refused_with_what_is_taken(arguments: Json, schema: Json, message: str) -> None:
    with pytest.raises(Refused) as refused:
        checked(arguments, schema, "book")
    assert warned(refused) == refusal(message)


SHIP = Aggregate.model_validate(
    {
        "description": "Ship.",
        "selector": "what",
        "operations": {
            "price": {
                "tool": "a.quote",
                "arguments": [
                    {"target": "kg", "from": "weight", "required": True},
                    {"target": "unit", "value": "kg"},
                    {"target": "place.city", "from": "city"},
                    {"target": "place.zip", "from": "address.zip", "required": True},
                    {"target": "gone", "from": "rest"},
                    {"target": "mode", "from": "what"},
                ],
            },
            "book": {"tool": "a.book"},
            "find": {"tool": "a.track", "require_any_of": ["number", "order"]},
        },
    }
)
CITY: Json = {"type": "string", "title": "City"}
INPUTS: dict[str, Json] = {
    "a.quote": {
        "properties": {"kg": NUMBER, "unit": TEXT, "place": {"properties": {"city": CITY}}, "mode": TEXT},
        "required": ["kg"],
    },
    "a.book": {"properties": {"weight": NUMBER, "city": TEXT, "what": TEXT}, "required": ["weight", "city", "what"]},
    "a.track": {"properties": {"number": TEXT, "order": TEXT, "weight": TEXT, "city": CITY}, "required": ["weight"]},
}


def test_a_tool_made_of_several_takes_what_each_of_them_takes() -> None:
    assert aggregate_input(SHIP, INPUTS) == {
        "type": "object",
        "properties": {
            "what": {"type": "string", "enum": ["price", "book", "find"]},
            "weight": {"anyOf": [NUMBER, TEXT]},
            "city": {"anyOf": [CITY, TEXT]},
            "address": {"type": "object"},
            "rest": {},
            "number": TEXT,
            "order": TEXT,
        },
        "required": ["what", "weight"],
        "additionalProperties": False,
    }


def test_a_tool_made_of_several_needs_what_all_of_them_need_in_the_order_of_names() -> None:
    both = Aggregate.model_validate({"description": "d", "operations": {"x": {"tool": "a.x"}, "y": {"tool": "a.y"}}})
    of = {"properties": {"b": NUMBER, "a": TEXT, "c": TEXT}, "required": ["b", "a", "c"]}
    shown = aggregate_input(both, {"a.x": of, "a.y": {**of, "required": ["a", "b"]}})
    assert shown["required"] == ["operation", "a", "b"]
    assert aggregate_input(both, {"a.x": of, "a.y": {}})["required"] == ["operation"]


@pytest.mark.parametrize(
    ("arguments", "operation", "made"),
    [
        (
            {"what": "price", "weight": 2, "city": "x", "address": {"zip": "1"}, "number": "n"},
            "price",
            {"kg": 2, "unit": "kg", "place": {"city": "x", "zip": "1"}, "mode": "price"},
        ),
        ({"what": "book", "weight": 2, "city": None, "order": "o"}, "book", {"weight": 2, "city": None}),
        (
            {"what": "find", "number": None, "order": "o", "weight": "w"},
            "find",
            {"number": None, "order": "o", "weight": "w"},
        ),
        ({"what": "find", "number": "n", "weight": "w"}, "find", {"number": "n", "weight": "w"}),
    ],
    ids=["mapped", "passed on", "the second of two", "the first of two"],
)
def test_a_request_is_made_for_the_operation_that_is_meant(arguments: Json, operation: str, made: Json) -> None:
    assert request(SHIP, arguments, INPUTS) == (SHIP.operations[operation], made)


@pytest.mark.parametrize(
    ("arguments", "message", "field_path"),
    [
        ({"what": "find", "weight": "w"}, "what 'find' needs one of number, order", None),
        ({"what": "find", "weight": "w", "order": None}, "what 'find' needs one of number, order", None),
        ({"what": "find", "order": "o"}, "what 'find' needs weight", "weight"),
        ({"what": "book"}, "what 'book' needs weight, city", "weight"),
        ({"what": "book", "weight": 2}, "what 'book' needs city", "city"),
        ({"what": "price", "weight": 2, "address": {}}, "what 'price' needs address.zip", "address.zip"),
        ({"what": "price", "kg": 2}, "what 'price' needs weight, address.zip", "weight"),
    ],
    ids=["none of two", "null as one of two", "one", "two", "the second", "one within another", "two that are mapped"],
)
def test_a_request_without_what_its_operation_needs_is_refused(
    arguments: Json, message: str, field_path: str | None
) -> None:
    with pytest.raises(Refused) as refused:
        request(SHIP, arguments, INPUTS)
    assert warned(refused) == refusal(message, field_path)


@pytest.mark.parametrize(
    ("rule", "values", "made"),
    [
        ({"from": "a"}, {"a": 0}, ({"t": 0}, WHOLE)),
        ({"from": "a"}, {"a": None}, (NONE, WHOLE)),
        ({"from": "a", "strip_null": False}, {"a": None}, ({"t": None}, WHOLE)),
        ({"from": "a", "strip_null": False, "required": True}, {"a": None}, ({"t": None}, WHOLE)),
        ({"from": "a", "required": True}, {"a": None}, (NONE, ["a"])),
        ({"from": "a", "strip_null": False, "required": True}, {"b": 1}, (NONE, ["a"])),
        ({"from": "a", "strip_null": False}, {"b": 1}, (NONE, WHOLE)),
        ({"value": None}, NONE, (NONE, WHOLE)),
        ({"value": None, "strip_null": False}, NONE, ({"t": None}, WHOLE)),
        ({"value": [1]}, {"t": 5}, ({"t": [1]}, WHOLE)),
        ({"from": "0"}, [7], ({"t": 7}, WHOLE)),
        ({"from": "1"}, [7], (NONE, WHOLE)),
        ({"from": "a.1.b"}, {"a": [0, {"b": "x"}]}, ({"t": "x"}, WHOLE)),
        ({"from": "a.-1"}, {"a": [1]}, (NONE, WHOLE)),
        ({"from": "a.b"}, {"a": [1]}, (NONE, WHOLE)),
        ({"from": "a.0"}, {"a": {"0": 1}}, ({"t": 1}, WHOLE)),
        ({"from": "a.0"}, {"a": "text"}, (NONE, WHOLE)),
        ({"from": "a.a"}, {"a": "a"}, (NONE, WHOLE)),
    ],
    ids=str,
)
def test_a_value_goes_from_its_place_to_its_target(rule: Json, values: object, made: tuple[Json, list[str]]) -> None:
    assert mapped(of_rules({"target": "t", **rule}), values) == (*made, [])


def test_values_with_one_beginning_are_put_into_one_object() -> None:
    rules = of_rules(
        {"target": "a.b.c", "value": 1},
        {"target": "a.b.d", "from": "x"},
        {"target": "a.e", "value": 3},
        {"target": "f", "value": 4},
    )
    assert mapped(rules, {"x": 2}) == ({"a": {"b": {"c": 1, "d": 2}, "e": 3}, "f": 4}, [], [])
    assert mapped([], {"x": 2}) == ({}, [], [])


RULES: list[Mapping[str, object]] = [{"target": "total", "from": "0.price"}, {"target": "in", "value": "EUR"}]


@pytest.mark.parametrize(
    ("texts", "structured", "plain", "with_rules"),
    [
        ([], None, {}, {"in": "EUR"}),
        ([""], None, {}, {"in": "EUR"}),
        (["", ""], None, {}, {"in": "EUR"}),
        (["at the door"], None, None, {"in": "EUR"}),
        (["", "at the door"], None, None, {"in": "EUR"}),
        (['{"0":{"price":7}}'], None, {"0": {"price": 7}}, {"total": 7, "in": "EUR"}),
        (['[{"price":7}]'], None, None, {"total": 7, "in": "EUR"}),
        ([json.dumps('{"0":{"price":7}}')], None, {"0": {"price": 7}}, {"total": 7, "in": "EUR"}),
        ([json.dumps(json.dumps('{"0":{"price":7}}'))], None, None, {"in": "EUR"}),
        (["null"], None, None, {"in": "EUR"}),
        (["{}", "{}"], None, None, {"in": "EUR"}),
        (["[" * 100_000], None, None, {"in": "EUR"}),
        (["text"], {"0": {"price": 8}}, {"0": {"price": 8}}, {"total": 8, "in": "EUR"}),
        (['{"0":{"price":7}}'], NONE, {}, {"in": "EUR"}),
    ],
    ids=[
        *("nothing", "an empty text", "empty texts", "a text", "two texts", "an object", "a list", "encoded twice"),
        *("encoded three times", "null", "two objects", "nested too deeply", "structured", "structured and empty"),
    ],
)
def test_an_answer_is_its_object_or_what_mappings_make_of_it(
    texts: list[str], structured: Json | None, plain: Json | None, with_rules: Json
) -> None:
    assert answer(texts, structured, None) == plain
    assert answer(texts, structured, of_rules(*RULES)) == with_rules
    assert answer(texts, structured, []) == {}
