"""Custom fields of a request by label or id: which are meant, what their values become, and what is wrong with them."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from pydantic import TypeAdapter, ValidationError

from cache_core.records import Record
from katana_client.errors import KatanaError
from katana_client.models.custom_field_definitions import CustomFieldDefinition
from katana_mcp.documents.custom_field_labels import (
    by_id,
    choice_of,
    choices,
    empty_as_none,
    labelled,
    meant,
    merged,
    taken_back,
    values_of,
)
from katana_mcp.documents.custom_fields import (
    Attributes,
    CustomFields,
    checks,
    custom_values,
    definitions,
    of_documents,
    of_rows,
)
from katana_mcp.documents.declaration import Field, Key, Writable
from katana_mcp.documents.transition import Facts, State, Transition

if TYPE_CHECKING:
    from katana_mcp.references.services import Services

OWN = custom_values("SalesOrder", "ProductVariant")
NOTE = Field("note", str)
SIZES: list[Record] = [
    {"id": 1, "label": "Small"},
    {"id": 2, "label": "Large", "deleted": False},
    {"id": 3, "label": "Huge", "deleted": True},
]


def defined(key: str, label: str, kind: str, field_type: str = "shortText", **more: object) -> Record:
    """Return a definition."""
    return {"id": key, "label": label, "entity_type": kind, "field_type": field_type, **more}


SIZE = defined("d1", "Size", "SalesOrder", "singleSelect", options={"choices": SIZES})
DEFINED: dict[str, Record] = {
    str(one["id"]): one
    for one in (
        SIZE,
        defined("d2", "Colour", "ProductVariant"),
        defined("d3", "Colour", "SalesOrder"),
        defined("d4", "Twice", "SalesOrder"),
        defined("d5", "Twice", "SalesOrder"),
        defined("d6", "Other", "Customer"),
    )
}
FACTS = Facts(definitions=DEFINED)


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("Size", ["d1"]),
        (" size ", ["d1"]),
        ("d2", ["d2"]),
        ("Colour", ["d3"]),
        ("Twice", ["d4", "d5"]),
        ("Other", []),
        ("None", []),
    ],
)
def test_a_field_is_meant_by_its_label_or_id_in_the_first_kind_that_has_it(name: str, ids: list[str]) -> None:
    assert [one["id"] for one in meant(name, OWN, FACTS)] == ids
    assert meant(name, OWN, Facts()) == []


@pytest.mark.parametrize(
    ("held", "values"), [({"a": 1}, {"a": 1}), ({}, None), (None, None), ("text", None), ([1], None)]
)
def test_values_are_those_of_an_object_that_holds_some(held: object, values: object) -> None:
    assert values_of(held) == values


@pytest.mark.parametrize(
    ("value", "choice"),
    [
        (1, 1),
        ("Large", 2),
        (" large ", 2),
        (3, None),
        ("Huge", None),
        ("1", None),
        (None, None),
        ("", None),
        (True, None),
    ],
)
def test_a_choice_is_named_by_its_number_or_its_label_unless_it_is_deleted(value: object, choice: int | None) -> None:
    found = choice_of(SIZE, value)
    assert (found and found["id"], choices(SIZE), choices({})) == (choice, SIZES[:2], [])


def test_values_are_sent_by_ids_and_what_is_not_known_keeps_its_name() -> None:
    given = {"Size": "large", "d1": 2, "Colour": "red", "Nothing": "x", "Twice": None}
    assert by_id({"Size": "large", "Colour": "red", "Nothing": "x", "Twice": None}, OWN, FACTS) == {
        "d1": 2,
        "d3": "red",
        "Nothing": "x",
        "d4": None,
    }
    assert by_id({"Size": "Huge"}, OWN, FACTS) == {"d1": "Huge"}
    assert by_id({"Size": 5}, OWN, FACTS) == {"d1": 5}
    assert by_id(given, OWN, Facts()) == given


@pytest.mark.parametrize(
    ("before", "given", "expected"),
    [
        (None, {"a": 1, "b": None}, {"a": 1}),
        (None, {"a": None}, None),
        ({}, {"a": 1, "b": None}, {"a": 1, "b": None}),
        ({"custom_fields": {"a": 0, "c": 3}}, {"a": 1}, {"a": 1, "c": 3}),
        ({"custom_fields": None}, {"a": 1}, {"a": 1}),
        ({"custom_fields": {"c": 3}}, None, None),
        ({"custom_fields": {"c": 3}}, {}, {}),
    ],
)
def test_values_that_are_given_are_merged_with_those_that_are_there(
    before: State | None, given: object, expected: object
) -> None:
    found = merged((OWN, NOTE), before, {"custom_fields": given, "note": {"x": None}})
    assert found == {"custom_fields": expected, "note": {"x": None}}
    assert merged((OWN,), before, {}) == {}


def test_no_custom_fields_are_none() -> None:
    assert empty_as_none((OWN, NOTE), {"custom_fields": {}, "note": ""}) == {"custom_fields": None, "note": ""}
    assert empty_as_none((OWN,), {"custom_fields": {"a": 1}}) == {"custom_fields": {"a": 1}}
    assert empty_as_none((OWN,), {"id": 1}) == {"id": 1}


def test_values_are_shown_by_labels() -> None:
    assert labelled({"d1": 2, "d3": "red", "d9": 5}, FACTS) == {"Size": "Large", "Colour": "red", "d9": 5}
    assert labelled({"d1": 2}, Facts()) == {"d1": 2}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1}, {"a": 2, "b": 3}, {"a": 1, "b": None}),
        ({"a": 1}, None, {"a": 1}),
        (None, {"b": 3}, None),
        ({}, {"b": 3}, None),
    ],
)
def test_a_change_is_taken_back_with_null_for_what_was_not_there(old: object, new: object, expected: object) -> None:
    field = replace(OWN, argument="fields")
    before, after = {"custom_fields": old}, {"custom_fields": new}
    assert taken_back((field, NOTE), before, after, {"fields": 1, "note": "x"}) == {"fields": expected, "note": "x"}
    assert taken_back((field, NOTE), before, after, {"note": "x"}) == {"note": "x"}


def test_the_field_of_custom_values_says_which_kinds_it_is_of() -> None:
    assert custom_values("A", "B") == Field("custom_fields", CustomFields, "By label.", custom=("A", "B"))
    assert custom_values("A", filled=True, says=False) == Field(
        "custom_fields", CustomFields, custom=("A",), filled=True
    )
    assert of_documents("SalesOrder") == ("SalesOrder", "OutsourcedSalesOrder")
    variants = ("ProductVariant", "MaterialVariant", "ServiceVariant")
    assert of_rows("SalesOrder") == ("SalesOrderRow", "OutsourcedSalesOrderRow", *variants)


FIELDS: TypeAdapter[Any] = TypeAdapter(CustomFields)
ATTRIBUTES: TypeAdapter[Any] = TypeAdapter(Attributes)
PAIRS = "must be an object of values by field id, or a list of objects with `field` and `value`"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"a": 1, "b": None, "c": True, "d": "x"}, {"a": 1, "b": None, "c": True, "d": "x"}),
        ([], {}),
        ([{"field": "a", "value": 1}, {"field_name": "b", "field_value": None}], {"a": 1, "b": None}),
        ({"a" * 64: 1}, {"a" * 64: 1}),
        ({str(nr): nr for nr in range(50)}, {str(nr): nr for nr in range(50)}),
    ],
)
def test_custom_fields_are_given_by_name_or_as_a_list(given: object, expected: object) -> None:
    assert FIELDS.validate_python(given) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([{"field": "a", "value": 1}, {"field": "a", "value": 2}], "names a field twice"),
        (["a"], PAIRS),
        ([{"field": "a"}], PAIRS),
        ([{"value": 1}], PAIRS),
        ([{"field": 1, "value": 1}], PAIRS),
        ([{"field": "a", "value": 1, "more": 2}], PAIRS),
        ([{"field": "a", "field_name": "a", "value": 1}], PAIRS),
        ({str(nr): nr for nr in range(51)}, "Dictionary should have at most 50 items after validation, not more"),
        ({"": 1}, "String should have at least 1 character"),
        ({"a" * 65: 1}, "String should have at most 64 characters"),
    ],
)
def test_custom_fields_in_another_form_are_refused(given: object, message: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        FIELDS.validate_python(given)
    assert refusal.value.errors()[0]["msg"].removeprefix("Value error, ") == message


def test_attributes_are_given_by_their_keys_or_as_a_list() -> None:
    entry = {"key": "k" * 255, "value": "v" * 1000}
    assert ATTRIBUTES.validate_python({entry["key"]: entry["value"]}) == [entry]
    assert ATTRIBUTES.validate_python([entry] * 50) == [entry] * 50
    assert FIELDS.json_schema() == {"type": "object", "additionalProperties": True}
    assert ATTRIBUTES.json_schema() == {"type": "object", "additionalProperties": {"type": "string"}}
    for wrong in (
        [entry] * 51,
        [{**entry, "key": "k" * 256}],
        {"": "v"},
        {"k": "v" * 1001},
        [{**entry, "more": 1}],
        "x",
    ):
        with pytest.raises(ValidationError):
            ATTRIBUTES.validate_python(wrong)


ORDER = Writable(
    entity="sales_order",
    collection="sales_orders",
    says_id="",
    key=Key(name="order_no", words="number"),
    head=(OWN, NOTE),
    described=lambda _: "",
    what={},
    answers={},
)


def against(facts: Facts = FACTS, **values: object) -> list[tuple[str, str | None, str | None, str]]:
    """Return what is wrong with the custom fields of a request."""
    fields: dict[str, Any] = dict.fromkeys(("before", "target", "after", "status"))
    states: dict[str, Any] = {name: {} for name in ("unlocked", "middle", "head", "parts", "sent")}
    asked = {"custom_fields": values or None, "note": {"x": 1}}
    change = Transition(asked=asked, facts=facts, unlocks=False, **fields, **states)
    return [(one.severity, one.code, one.field_path, one.message) for one in checks(ORDER, change)]


def test_a_field_that_is_not_there_or_is_there_twice_is_refused() -> None:
    path = "custom_fields"
    there = "there are: Size (d1), Colour (d2), Colour (d3), Twice (d4), Twice (d5)"
    assert against(Colour="red", Twice=1, Other=None, Size=None) == [
        ("blocking", "ambiguous_name", path, f"{path}: 2 custom fields are called Twice; name one by its id: d4, d5"),
        ("blocking", "not_found", path, f"{path}: no custom field has the label or id Other here; {there}"),
    ]
    assert against(Facts(definitions={}), Size=1) == [
        ("blocking", "not_found", path, f"{path}: no custom field has the label or id Size here; there are: none")
    ]
    assert (against(Facts(), Size=1), against()) == ([], [])
    many = {str(nr): defined(str(nr), f"L{nr}", "SalesOrder") for nr in range(21)}
    shown = ", ".join(f"L{nr} ({nr})" for nr in range(20))
    assert against(Facts(definitions=many), X=1)[0][3].endswith(f"there are: {shown} and 1 more")


@pytest.mark.parametrize(
    ("field_type", "value", "wrong"),
    [
        ("singleSelect", "large", ""),
        ("singleSelect", 2, ""),
        ("singleSelect", "Huge", "must be one of Small, Large, not 'Huge'"),
        ("number", 1, ""),
        ("number", Decimal("1.5"), ""),
        ("number", True, "must be a number, not True"),
        ("number", "1", "must be a number, not '1'"),
        ("boolean", False, ""),
        ("boolean", 1, "must be true or false, not 1"),
        ("date", "2026-03-01", ""),
        ("date", "2026-03-01T", "must be a day, such as 2026-03-01, not '2026-03-01T'"),
        ("date", 20260301, "must be a day, such as 2026-03-01, not 20260301"),
        ("shortText", "x", ""),
        ("shortText", 1, "must be a text, not 1"),
        ("url", "x", ""),
        ("url", 1, "must be a text, not 1"),
        ("other", 1, ""),
        ("number", None, ""),
    ],
)
def test_a_value_has_to_be_one_of_its_field(field_type: str, value: object, wrong: str) -> None:
    one = defined("d1", "Size", "SalesOrder", field_type, options={"choices": SIZES})
    path = "custom_fields"
    expected = [("blocking", "invalid_argument", path, f"{path}: Size {wrong}")] if wrong else []
    assert against(Facts(definitions={"d1": one}), Size=value) == expected


class Account:
    """The custom fields of an account, as the client lists them; None where Katana does not say."""

    def __init__(self, existing: Sequence[Record] | None) -> None:
        self.existing = existing

    async def list(self) -> AsyncIterator[CustomFieldDefinition]:
        """Yield them all."""
        if self.existing is None:
            raise KatanaError("no answer")
        for one in self.existing:
            yield CustomFieldDefinition.model_validate(one)


async def found(existing: Sequence[Record] | None, asked: Record) -> object:
    """Return what is read of an account for a request."""
    client = SimpleNamespace(custom_field_definitions=Account(existing))
    return await definitions(ORDER, asked, cast("Services", SimpleNamespace(client=client)))


async def test_definitions_are_read_where_a_request_sets_custom_fields() -> None:
    deleted = {"id": "d8", "deleted_at": "2026-03-01T10:00:00.000Z"}
    asked = {"custom_fields": {"Size": 1}}
    read = await found([SIZE, deleted, {"label": "none"}], asked)
    assert isinstance(read, dict)
    assert [(key, one["label"], one["deleted_at"]) for key, one in read.items()] == [("d1", "Size", None)]  # pyright: ignore[reportUnknownVariableType] - definitions
    assert await found(None, asked) is None
    assert await found([], asked) == {}
    nothings: list[Record] = [{}, {"custom_fields": None}, {"custom_fields": {}}, {"note": {"a": 1}}]
    for nothing in nothings:
        assert await found([SIZE], nothing) is None
