"""The notation says what JSON Schema says, and refuses what it has no form for."""

import pytest

from katana_schema.notation import Fact, JsonSchema, expand, named

FORMS: list[tuple[Fact, JsonSchema]] = [
    ("text", {"type": "string"}),
    ("any", {}),
    ("id", {"type": "integer", "minimum": 1, "maximum": 2_147_483_647}),
    ("moment?", {"type": ["string", "null"], "format": "date-time"}),
    ("text 3..40", {"type": "string", "minLength": 3, "maxLength": 40}),
    ("text ..255", {"type": "string", "maxLength": 255}),
    ("text 0..0", {"type": "string", "minLength": 0, "maxLength": 0}),
    ("number 0.00001..1e+17", {"type": "number", "minimum": 0.00001, "maximum": 1e17}),
    ("number -5..", {"type": "number", "minimum": -5}),
    ("number >0..", {"type": "number", "exclusiveMinimum": 0}),
    ("text in A B", {"type": "string", "enum": ["A", "B"]}),
    ("text? in A", {"type": ["string", "null"], "enum": ["A", None]}),
    ("int in 7 30", {"type": "integer", "enum": [7, 30]}),
    ("text like ^[A-Z]{3}$", {"type": "string", "pattern": "^[A-Z]{3}$"}),
    ("Row", {"$ref": "#/components/schemas/Row"}),
    ("Row?", {"anyOf": [{"$ref": "#/components/schemas/Row"}, {"type": "null"}]}),
    ("[Row] 1..", {"type": "array", "items": {"$ref": "#/components/schemas/Row"}, "minItems": 1}),
    ("[text 1..40]? ..3", {"type": ["array", "null"], "items": expand("text 1..40"), "maxItems": 3}),
    ("[[int]]", {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}),
    (
        "[id] 1..250 unique",
        {"type": "array", "items": expand("id"), "minItems": 1, "maxItems": 250, "uniqueItems": True},
    ),
    ({"fields": {}}, {"type": "object"}),
    (
        {"fields": {"name*": "text", "rank": "int"}, "closed": True},
        {
            "type": "object",
            "properties": {"name": {"type": "string"}, "rank": {"type": "integer"}},
            "required": ["name"],
            "additionalProperties": False,
        },
    ),
    ({"of": ["Stamped"], "fields": {}}, {"allOf": [{"$ref": "#/components/schemas/Stamped"}]}),
    (
        {"of": ["Stamped"], "fields": {"name": "text"}},
        {
            "allOf": [
                {"$ref": "#/components/schemas/Stamped"},
                {"type": "object", "properties": {"name": {"type": "string"}}},
            ]
        },
    ),
    ({"fields": {}, "others": "number"}, {"type": "object", "additionalProperties": {"type": "number"}}),
    ({"anyOf": ["text", "Row"]}, {"anyOf": [{"type": "string"}, {"$ref": "#/components/schemas/Row"}]}),
]


@pytest.mark.parametrize(("fact", "schema"), FORMS, ids=lambda each: str(each)[:40])
def test_each_form_says_what_json_schema_says(fact: Fact, schema: JsonSchema) -> None:
    assert expand(fact) == schema


@pytest.mark.parametrize("fact", ["", "text 3-40", "[text", "text  1..2", "in A", 7, ["text"], {"fields": {"name": 7}}])
def test_what_has_no_form_is_refused(fact: Fact) -> None:
    with pytest.raises(ValueError, match="no form of a fact"):
        expand(fact)


def test_the_schemas_that_a_fact_mentions_are_found_at_any_depth() -> None:
    fact: Fact = {"of": ["A"], "fields": {"rows*": "[B] 1..", "either": {"anyOf": ["C?", {"items": "[[D]]"}]}}}
    assert named(fact) == {"A", "B", "C", "D"}
    assert named("[text] 1..") == set()
