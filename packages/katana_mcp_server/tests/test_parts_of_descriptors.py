"""A descriptor of another server's tool: what is kept of it, its parts and their hashes, and values against schemas."""

import hashlib
from typing import Any

import pytest

from katana_mcp.gateway.schemas import (
    canonical,
    captured,
    digest,
    explained,
    hashes,
    inlined,
    parts,
    problem,
    structure,
)

type Json = dict[str, Any]

EMPTY: Json = {}
NUMBER: Json = {"type": "number"}
OBJECT: Json = {"type": "object"}


def test_equal_values_have_one_text_and_one_hash() -> None:
    assert canonical({"b": [1, "ö"], "a": {"d": None, "c": True}}) == '{"a":{"c":true,"d":null},"b":[1,"ö"]}'
    assert digest({"b": 1, "a": "ö"}) == hashlib.sha256('{"a":"ö","b":1}'.encode()).hexdigest()
    assert digest([1, 2]) != digest([2, 1])


def test_of_what_a_server_lists_the_parts_that_are_pinned_are_kept() -> None:
    listed = {
        "name": "quote",
        "title": "Quote",
        "description": "A\u200bprice.",
        "annotations": {"readOnlyHint": True},
        "inputSchema": {"type": "object", "properties": {"kg": {"type": "number", "title": "K"}, "any": True}},
        "outputSchema": {"type": "object", "description": "D", "properties": {"price": {"title": "P"}, "all": True}},
        "icons": [1],
        "_meta": {"a": 1},
    }
    assert captured(listed) == {
        "name": "quote",
        "title": "Quote",
        "description": "A<U+200B>price.",
        "annotations": {"readOnlyHint": True},
        "inputSchema": {"type": "object", "properties": {"kg": {"type": "number", "title": "K"}, "any": {}}},
        "outputSchema": {"type": "object", "properties": {"price": {}, "all": {}}},
    }


def test_a_part_that_says_nothing_is_left_out() -> None:
    listed = {"name": "q", "title": "", "description": None, "annotations": {}, "inputSchema": OBJECT}
    assert (
        captured(listed) == captured({**listed, "outputSchema": {"title": "T"}}) == {"name": "q", "inputSchema": OBJECT}
    )
    assert captured({"name": "q", "inputSchema": EMPTY}) == {"name": "q", "inputSchema": {}}
    assert captured({"name": "q", "inputSchema": {"properties": {}}})["inputSchema"] == {"properties": {}}


@pytest.mark.parametrize("name", ["a", "A-b_c.9", "n" * 128])
def test_a_name_is_taken_as_the_protocol_allows_it(name: str) -> None:
    assert captured({"name": name, "inputSchema": OBJECT}) == {"name": name, "inputSchema": OBJECT}


@pytest.mark.parametrize("name", ["", "a b", "a\n", "ä", "n" * 129])
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"^its name is none that the protocol allows$"):
        captured({"name": name, "inputSchema": OBJECT})


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": []},
        {"properties": {"a": False}},
        {"properties": {"a": 1}},
        {"properties": {"a": {}, "b": None}},
        {"required": "a"},
        {"required": {"a": 1}},
        {"required": ["a", 1]},
        {"properties": {"a": {}}, "required": [None]},
    ],
    ids=str,
)
def test_a_schema_that_names_its_values_wrongly_is_refused_on_either_side(schema: Json) -> None:
    for listed in ({"inputSchema": schema}, {"inputSchema": OBJECT, "outputSchema": schema}):
        with pytest.raises(ValueError, match=r"^its schema names its values wrongly$"):
            captured({"name": "a", **listed})


def test_what_is_needed_is_named_by_texts() -> None:
    schema: Json = {"properties": {"a": {}, "b": {}}, "required": ["b", "a"]}
    assert captured({"name": "a", "inputSchema": schema}) == {"name": "a", "inputSchema": schema}


@pytest.mark.parametrize("schema", [None, [], "object", True])
def test_a_schema_that_is_no_object_is_refused(schema: object) -> None:
    for listed in ({"inputSchema": schema}, {"inputSchema": OBJECT, "outputSchema": schema}):
        with pytest.raises(ValueError, match=r"^its schema is no object$"):
            captured({"name": "a", **listed})
    with pytest.raises(ValueError, match=r"^its schema is no object$"):
        captured({"name": "a"})


def test_a_name_of_an_argument_that_is_no_text_is_refused() -> None:
    with pytest.raises(ValueError, match="surrogates not allowed"):
        captured({"name": "a", "inputSchema": {"properties": {"\ud800": {}}}})


def test_a_schema_has_so_many_parts_and_no_more() -> None:
    most: Json = {"enum": [0] * 19_998}
    assert inlined(most) == most
    with pytest.raises(ValueError, match=r"^its schema has more than 20000 parts$"):
        inlined({"enum": [0] * 19_999})


def test_parts_behind_references_are_counted_too() -> None:
    half = {"enum": [0] * 6_665}
    # Half of it counts twice: once where it stands, once where it is meant.
    whole = {"a": {"$ref": "#/$defs/half"}, "$defs": {"half": half}, "more": [0] * 6_662}
    assert inlined(whole) == {"a": half, "more": [0] * 6_662}
    with pytest.raises(ValueError, match=r"^its schema has more than 20000 parts$"):
        inlined({**whole, "more": [0] * 6_663})


@pytest.mark.parametrize(
    ("reference", "meant"),
    [
        ("#/$defs/n", NUMBER),
        ("#/definitions/old", OBJECT),
        ("#/$defs/a~1b", {"minimum": 1}),
        ("#/$defs/a~0b", {"minimum": 2}),
        ("#/$defs/a~01b", {"minimum": 3}),
        ("#/properties/b", {"minimum": 4}),
        ("#/$defs/gone", EMPTY),
        ("#/$defs/n/type", EMPTY),
        ("#/$defs/n/type/more", EMPTY),
        ("#/allOf/0", EMPTY),
        ("$defs/n", EMPTY),
        ("#", EMPTY),
        ("other.json#/$defs/n", EMPTY),
        ("#/$defs/same", EMPTY),
        ("#/$defs/one", {"items": {"items": EMPTY}}),
        ("#/$defs/far", NUMBER),
    ],
)
def test_a_reference_means_what_stands_there_or_anything(reference: str, meant: Json) -> None:
    schema: Json = {
        "properties": {"a": {"$ref": reference, "title": "T"}, "b": {"minimum": 4}},
        "allOf": [{"minimum": 5}],
        "$defs": {
            "n": NUMBER,
            "a/b": {"minimum": 1},
            "a~b": {"minimum": 2},
            "a~1b": {"minimum": 3},
            "same": {"$ref": "#/$defs/same"},
            "one": {"items": {"$ref": "#/$defs/two"}},
            "two": {"items": {"$ref": "#/$defs/one"}},
            "far": {"$ref": "#/$defs/n"},
        },
        "definitions": {"old": OBJECT},
    }
    assert inlined(schema) == {
        "properties": {"a": {**meant, "title": "T"}, "b": {"minimum": 4}},
        "allOf": [{"minimum": 5}],
    }


def test_what_stands_beside_a_reference_goes_before_what_it_means() -> None:
    schema: Json = {"a": {"$ref": "#/$defs/n", "type": "string"}, "b": [{"$ref": "#/$defs/n"}], "$defs": {"n": NUMBER}}
    assert inlined(schema) == {"a": {"type": "string"}, "b": [NUMBER]}


def test_a_value_that_is_called_like_a_reference_is_one_of_many() -> None:
    schema: Json = {"properties": {"$ref": NUMBER, "$defs": OBJECT}}
    assert inlined(schema) == schema


SCHEMA: Json = {
    "type": ["string", "null"],
    "title": "T",
    "$comment": "C",
    "examples": [{"title": 1}],
    "properties": {
        "title": {"type": "number", "description": "Of the title."},
        "kg": {"title": "Kg", "default": {"title": "D"}, "enum": ["z", {"title": "E"}], "const": {"title": "F"}},
    },
    "required": ["title", "kg"],
    "items": {"title": "I", "type": "string"},
    "allOf": [{"type": "z", "title": "Z"}, {"type": "a"}, "text"],
    "$defs": [{"title": "no names"}],
}
BARE: Json = {
    "type": ["null", "string"],
    "properties": {
        "title": {"type": "number"},
        "kg": {"default": {"title": "D"}, "enum": ["z", {"title": "E"}], "const": {"title": "F"}},
    },
    "required": ["kg", "title"],
    "items": {"type": "string"},
    "allOf": [{"type": "z"}, {"type": "a"}, "text"],
    "$defs": [{}],
}
TEXTS = [
    ("/$comment", "C"),
    ("/$defs/0/title", "no names"),
    ("/allOf/0/title", "Z"),
    ("/examples", [{"title": 1}]),
    ("/items/title", "I"),
    ("/properties/kg/title", "Kg"),
    ("/properties/title/description", "Of the title."),
    ("/title", "T"),
]


@pytest.mark.parametrize("name", ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"])
def test_a_schema_without_words_keeps_names_values_and_every_order_that_means_something(name: str) -> None:
    assert structure(SCHEMA) == BARE
    assert structure({name: {"title": {"title": "T", "type": "number"}}}) == {name: {"title": NUMBER}}
    assert [structure(value) for value in ("text", 5, None, [{"title": "T"}, 2])] == ["text", 5, None, [{}, 2]]
    assert structure({"required": {"title": "T"}, "type": "object"}) == {"required": {}, "type": "object"}
    assert structure({"type": [{"b": 1}, "b", None, "a"]}) == {"type": ["a", "b", None, {"b": 1}]}


def test_the_parts_of_a_descriptor_are_hashed_one_by_one() -> None:
    output, hints = {"type": "object"}, {"readOnlyHint": True}
    whole: Json = {"name": "n", "description": "D", "title": "U", "inputSchema": SCHEMA}
    whole |= {"outputSchema": output, "annotations": hints}
    found = parts(whole)
    words = [("title", "U"), ("description", "D"), *TEXTS]
    assert found == {"words": words, "input": BARE, "output": output, "annotations": hints}
    assert hashes(whole) == {part: digest(value) for part, value in found.items()}
    assert parts({"inputSchema": OBJECT}) == {"words": [], "input": OBJECT, "output": {}, "annotations": {}}


ROWS: Json = {
    "type": "object",
    "properties": {"rows": {"type": "array", "items": {"type": "object", "properties": {"kg": NUMBER}}}},
    "required": ["rows"],
}


@pytest.mark.parametrize(
    ("value", "schema", "rule", "text"),
    [
        ({"rows": [{"kg": 1}]}, ROWS, None, None),
        ({"rows": [{"kg": 1}, {"kg": "x"}]}, ROWS, "rows.1.kg: type", "rows.1.kg: 'x' is not of type 'number'"),
        ({}, ROWS, "the whole: required", "the whole: 'rows' is a required property"),
        ("y" * 178, NUMBER, "the whole: type", f"the whole: '{'y' * 178}' is not of type 'number'"[:211]),
        ("y" * 199, NUMBER, "the whole: type", f"the whole: '{'y' * 199}"),
        ("y" * 300, NUMBER, "the whole: type", f"the whole: '{'y' * 199}"),
        ({}, {"type": 5}, "no JSON Schema: TypeError", "no JSON Schema: TypeError"),
    ],
    ids=["fits", "a place", "the whole", "short", "just too long", "far too long", "no schema"],
)
def test_a_value_that_does_not_fit_is_told_by_its_place_and_rule(
    value: object, schema: Json, rule: str | None, text: str | None
) -> None:
    assert problem(value, schema) == rule
    assert explained(value, schema) == text
