"""Filters by values of Katana: those known are taken in any spelling, others are asked for and said to be unknown."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import TypeAdapter, ValidationError
from small_account import Account

from cache_core.conditions import OneOf
from katana_mcp.surface.operations.filters import equals
from katana_mcp.surface.operations.open_values import OneValue, SomeValues, open_value, unknown_values
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning, advisory, info

type Status = Literal["NOT_SHIPPED", "PACKED"]
STATUS = open_value(Status, "status")


class Asked(Request):
    """Filters of each kind."""

    status: Annotated[OneValue | None, STATUS] = None
    states: Annotated[SomeValues | None, open_value(Status, "product_availability")] = None
    plain: Annotated[str | None, equals("order_no")] = None
    sure: Annotated[OneValue, STATUS] = "PACKED"


def test_a_filter_is_any_of_the_values_given() -> None:
    assert (STATUS.path, STATUS.values, STATUS.text) == ("status", ("NOT_SHIPPED", "PACKED"), None)
    conditions: Any = STATUS.conditions
    assert conditions("PACKED", None) == (OneOf("status", ("PACKED",)),)
    assert conditions(["PACKED", "NEW"], None) == (OneOf("status", ("PACKED", "NEW")),)


def test_known_values_are_taken_in_each_spelling_and_others_as_they_are() -> None:
    asked = Asked.model_validate({"status": "not shipped", "states": ["Packed", "On Ice"], "sure": "packed"})
    assert (asked.status, asked.states, asked.sure) == ("NOT_SHIPPED", ["PACKED", "On Ice"], "PACKED")


def test_known_values_are_offered_to_whoever_asks() -> None:
    told = Asked.model_json_schema()["properties"]
    known = ["NOT_SHIPPED", "PACKED"]
    text = {"type": "string", "minLength": 1, "maxLength": 60}
    assert told["status"]["anyOf"] == [{**text, "examples": known}, {"type": "null"}]
    many = {"type": "array", "minItems": 1, "maxItems": 20, "items": {**text, "examples": known}}
    assert told["states"]["anyOf"] == [many, {"type": "null"}]
    assert {name: told["sure"][name] for name in (*text, "examples")} == {**text, "examples": known}


def test_values_have_so_many_letters_and_are_so_many() -> None:
    one, some = TypeAdapter[str](OneValue), TypeAdapter[list[str]](SomeValues)
    assert [one.validate_python(value) for value in ("a", "a" * 60)] == ["a", "a" * 60]
    assert [len(some.validate_python(["a"] * count)) for count in (1, 20)] == [1, 20]
    for adapter, value in ((one, ""), (one, "a" * 61), (some, []), (some, ["a"] * 21), (some, [""])):
        with pytest.raises(ValidationError):
            adapter.validate_python(value)


async def said(**asked: object) -> list[ToolWarning]:
    """Return what is said of values that are not known."""
    account = Account()
    orders = [{"id": number, "order_no": f"SO-{number}", "status": "ON_ICE"} for number in (1, 2)]
    await account.keep("sales_order", *orders, {"id": 3, "order_no": "SO-3", "status": "PACKED"})
    await account.keep("purchase_order", {"id": 1, "order_no": "PO-1", "status": "ON_ICE"})
    return await unknown_values(Asked.model_validate(asked), ("sales_order", "purchase_order"), account.services)


async def test_a_value_that_is_not_known_is_said_with_how_many_records_have_it() -> None:
    assert await said() == await said(status="PACKED", states=["packed", "NOT_SHIPPED"], plain="x") == []
    message = "status: 'ON_ICE' is a value that this server does not know; sales orders that have it: 3"
    assert await said(status="ON_ICE") == [info("unknown_value", message, "status")]
    begins = "is not a value that Katana is known to send, and no sales orders have it"
    near = f"states: 'PAKED' {begins}; did you mean 'PACKED'?"
    far = f"states: 'xyzzy' {begins}; there are NOT_SHIPPED, PACKED"
    assert await said(states=["PAKED", "PACKED", "xyzzy"]) == [
        advisory("unknown_value", near, "states"),
        advisory("unknown_value", far, "states"),
    ]
