"""What is read of the facts: every operation, every schema that one mentions, and what a probe told, on top."""

from typing import cast

import pytest

from katana_schema.notation import Fact, expand, named
from katana_schema.openapi import document
from katana_schema.reading import ApiFacts, laid_over, read_facts

FACTS = ApiFacts(
    schemas={
        "Stamped": {"fields": {"id*": "int", "created_at": "moment"}},
        "Order": {"of": ["Stamped"], "fields": {"rows*": "[Row] 1..", "note": "text?"}},
        "Row": {"fields": {"quantity*": "number"}},
        "Lists": "[Row]",
        "Either": {"oneOf": ["Order", "Row"]},
    }
)


def test_an_object_has_the_fields_of_what_it_builds_on_and_chooses_from() -> None:
    assert FACTS.fields("Order") == {"id": "int", "created_at": "moment", "rows": "[Row] 1..", "note": "text?"}
    assert FACTS.required("Order") == {"id", "rows"}
    assert set(FACTS.fields("Either")) == {"id", "created_at", "rows", "note", "quantity"}
    assert set(FACTS.fields("Row?")) == {"quantity"}
    assert FACTS.fields("text") == FACTS.fields({"fields": {}}) == {}


HOLDERS: list[Fact] = ["[Row] 1..", "[Row]?", "[[Row]]", "Lists", {"type": "array", "items": "Row"}, "Row?", "Row"]


@pytest.mark.parametrize("fact", [*HOLDERS, {"anyOf": ["null", "Row", "text"]}, {"anyOf": ["[Row] 1..", "Row"]}])
def test_what_a_field_holds_is_told_through_lists_and_nulls(fact: Fact) -> None:
    assert FACTS.held(fact) == "Row"


def test_a_place_leads_through_lists_and_objects_without_a_name() -> None:
    nested: Fact = {"fields": {"parts": {"type": "array", "items": {"fields": {"batch_id": "int"}}}}}
    facts = ApiFacts(schemas={"Order": {"fields": {"rows": {"type": "array", "items": nested}}}})
    assert facts.at("Order") == "Order"
    assert facts.at("Order.rows.parts") == {"fields": {"batch_id": "int"}}
    with pytest.raises(KeyError):
        facts.at("Order.lines")


def test_an_overlay_changes_what_it_names_and_may_add_fields() -> None:
    facts: dict[str, Fact] = {"schemas": {"Row": {"fields": {"quantity": "number", "note": "text"}}, "Other": "text"}}
    overlay: dict[str, Fact] = {"schemas": {"Row": {"fields": {"quantity": "text", "sku": "text?"}}}}
    fields: dict[str, Fact] = {"quantity": "text", "note": "text", "sku": "text?"}
    assert laid_over(facts, overlay) == {"schemas": {"Row": {"fields": fields}, "Other": "text"}}
    assert laid_over(facts, {}) == facts


def test_an_overlay_may_add_the_answer_that_another_source_tells_of() -> None:
    facts: dict[str, Fact] = {"operations": {"PATCH /rows/{id}": {"answers": {"200": "Row"}}}}
    overlay: dict[str, Fact] = {"operations": {"PATCH /rows/{id}": {"answers": {"204": "null"}}}}
    answers = {"200": "Row", "204": "null"}
    assert laid_over(facts, overlay) == {"operations": {"PATCH /rows/{id}": {"answers": answers}}}


@pytest.mark.parametrize(
    "overlay", [{"schemas": {"Gone": "text"}}, {"schemas": {"Row": {"closed": True}}}, {"rest": {}}]
)
def test_an_overlay_that_speaks_of_what_is_gone_is_refused(overlay: dict[str, Fact]) -> None:
    with pytest.raises(ValueError, match="the overlay has"):
        laid_over({"schemas": {"Row": {"fields": {}}}}, overlay)


def test_all_operations_are_there_each_with_its_place_and_its_answer() -> None:
    operations = read_facts().operations
    assert len(operations) == 231
    for name, operation in operations.items():
        assert name == f"{operation.verb} {operation.path}"
        assert operation.answers
        assert (operation.body is None) == (operation.verb == "GET" or operation.verb == "DELETE") or name in {
            "DELETE /serial_numbers",
            "DELETE /demand_forecasts",
        }
        assert ("{" in operation.path) == ("path" in operation.parameters)


def test_every_schema_that_is_mentioned_is_there_and_none_besides() -> None:
    facts = read_facts()
    mentioned = {name for schema in facts.schemas.values() for name in named(schema)}
    for operation in facts.operations.values():
        kinds = [kind for place in operation.parameters.values() for kind in place.values()]
        kinds += [*operation.answers.values(), *([] if operation.body is None else [operation.body])]
        mentioned |= {name for kind in kinds for name in named(kind)}
    assert mentioned == set(facts.schemas)


def test_what_a_probe_told_wins_over_the_description() -> None:
    facts = read_facts()
    assert facts.operations["PATCH /recipe_rows/{id}"].parameters["path"]["id"] == "uuid"
    choices = cast("list[object]", expand(facts.fields("Product")["supplier"])["anyOf"])
    assert {"maxProperties": 0, "type": "object"} in choices


def test_the_document_has_no_sentences() -> None:
    def texts(value: object) -> set[str]:
        if isinstance(value, dict):
            return set[str]().union(*map(texts, cast("dict[str, object]", value).values()))
        if isinstance(value, list):
            return set[str]().union(*map(texts, cast("list[object]", value)))
        return {value} if isinstance(value, str) else set()

    found = texts(document(read_facts()))
    assert "moment" not in found
    assert {each for each in found if each.count(" ") > 1} == set()
