"""What a filter of a list means: conditions, moments and spellings, as pure functions of a request."""

from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import pytest
from pydantic import TypeAdapter, ValidationError

from cache_core.conditions import CustomValue, NoneOf, OneOf, Where, Within
from cache_core.testing import ManualClock
from katana_mcp.references.display_names import CUSTOM_FIELDS
from katana_mcp.surface.operations.custom_filters import OF_VARIANTS, Carries, CustomValues, Parts, carries
from katana_mcp.surface.operations.filters import (
    Currency,
    Instant,
    Means,
    Moment,
    Refers,
    Until,
    at_least,
    at_most,
    equals,
    exactly,
    filters_of,
    needed,
    not_after,
    not_before,
    open_until,
    references_of,
    spelling,
    spellings,
    texts_of,
    used_paths,
    where,
    where_set,
)
from katana_mcp.tools.days import DayReading, Days, days_in
from katana_mcp.tools.requests import Request

if TYPE_CHECKING:
    from katana_mcp.references.services import Services

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RIGA = days_in("Europe/Riga")


@pytest.mark.parametrize(
    ("meaning", "value", "expected"),
    [
        (equals("a"), 5, OneOf("a", (5,))),
        (exactly("a"), "x", OneOf("a", ("x",))),
        (exactly("a"), ["x", "y"], OneOf("a", ("x", "y"))),
        (not_before("a"), NOON, Within("a", low="2026-03-01T12:00:00.000Z")),
        (not_after("a"), NOON, Within("a", high="2026-03-01T12:00:00.000Z")),
        (at_least("a"), 1.5, Within("a", low=Decimal("1.5"))),
        (at_most("a"), 1.5, Within("a", high=Decimal("1.5"))),
        (open_until("a", "DONE"), True, NoneOf("a", ("DONE",))),
        (open_until("a", "DONE"), False, OneOf("a", ("DONE",))),
    ],
)
def test_a_filter_is_a_condition_on_its_field(meaning: Means, value: object, expected: object) -> None:
    assert meaning.conditions(value, NOON) == (expected,)


def test_only_a_text_to_the_letter_is_said_to_be_one_and_a_switch_may_be_off() -> None:
    assert (exactly("a").text, equals("a").text) == ("a", None)
    late = where_set(lambda now: (Within("due", high=now.isoformat()),))
    assert late.conditions(True, NOON) == (Within("due", high=NOON.isoformat()),)
    assert late.conditions(False, NOON) == ()


def read(kind: object, value: object, days: Days = RIGA) -> tuple[object, bool]:
    """Return the moment that a value is read as, and whether the days of the factory were used for that."""
    reading = DayReading(days)
    adapter: TypeAdapter[Any] = TypeAdapter(cast("Any", kind))
    return adapter.validate_python(value, context=reading), reading.used


def at(text: str) -> datetime:
    """Return a moment in UTC."""
    return datetime.fromisoformat(f"{text}+00:00")


@pytest.mark.parametrize(
    ("kind", "value", "moment", "is_used"),
    [
        (Moment, "2026-03-01", "2026-02-28T22:00:00", True),
        (Moment, "2026-03-01T10:00:00", "2026-03-01T08:00:00", True),
        (Moment, "2026-03-01T10:00:00+01:00", "2026-03-01T09:00:00", False),
        (Until, "2026-03-01", "2026-03-01T21:59:59.999", True),
        (Until, "2026-03-01T10:00:00", "2026-03-01T08:00:00", True),
        (Until, "2026-03-01T10:00:00Z", "2026-03-01T10:00:00", False),
        (Instant, "2026-03-01", "2026-03-01T21:59:59.999", True),
        (Instant, "2026-03-01T10:00:00+01:00", "2026-03-01T09:00:00", False),
    ],
)
def test_a_date_is_one_of_the_factory(kind: object, value: str, moment: str, is_used: bool) -> None:
    assert read(kind, value) == (at(moment), is_used)


def test_without_a_factory_days_are_those_of_utc() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(Moment)
    assert adapter.validate_python("2026-03-01") == at("2026-03-01T00:00:00")
    found = adapter.validate_python("2026-03-01T10:00:00+01:00")
    assert (found, found.tzinfo) == (at("2026-03-01T09:00:00"), UTC)


YEARS = "must lie between the years 1 and 9999 in UTC"
INSTANT = "must be a date or a moment with its offset from UTC, such as 2026-03-01 or 2026-03-01T17:00:00+02:00"


def why_not(kind: object, value: object) -> str:
    """Return why a value is not taken."""
    with pytest.raises(ValidationError) as refusal:
        read(kind, value)
    return refusal.value.errors()[0]["msg"].removeprefix("Value error, ")


@pytest.mark.parametrize("kind", [Moment, Until])
def test_a_number_or_another_form_is_no_date(kind: object) -> None:
    message = "must be a date or a moment in ISO-8601, such as 2026-03-01 or 2026-03-01T09:00:00Z"
    assert [why_not(kind, value) for value in (5, "1772323200", "1.3.2026", None)] == [message] * 4
    assert [why_not(kind, value) for value in ("2026-02-30", "2026-13-01T09:00:00Z")] == ["there is no such day"] * 2


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (Moment, "0001-01-01", YEARS),
        (Moment, "0001-01-01T00:00:00+02:00", YEARS),
        (Until, "9999-12-31", YEARS),
        (Instant, "2026-03-01T10:00:00", INSTANT),
        (Instant, "soon", INSTANT),
        (Instant, "2026-02-30", "there is no such day"),
        (Instant, "2026-03-01T25:00:00Z", INSTANT),
    ],
)
def test_a_moment_that_cannot_be_told_is_refused(kind: object, value: str, message: str) -> None:
    assert why_not(kind, value) == message


def test_a_currency_is_three_letters_in_any_case() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(Currency)
    assert adapter.validate_python(" eur ") == "EUR"
    for wrong in ("EURO", "E1R", "EU"):
        assert why_not(Currency, wrong) == "must be a currency code of three letters, such as EUR"
    assert why_not(Currency, 5) == "Input should be a valid string"


type Status = Literal["NOT_SHIPPED", "inTransit"]


def test_a_value_is_taken_in_each_spelling() -> None:
    wires = spellings(("NOT_SHIPPED", "inTransit"))
    assert [
        wires(word) for word in ("not shipped", "Not-Shipped", "NOT_SHIPPED", "intransit", "In Transit", "other", 5)
    ] == [
        *["NOT_SHIPPED"] * 3,
        *["inTransit"] * 2,
        "other",
        5,
    ]
    assert wires(["not shipped", 5, None]) == ["NOT_SHIPPED", 5, None]
    adapter: TypeAdapter[Any] = TypeAdapter(Annotated[Status, spelling(Status)])
    assert adapter.validate_python("in-transit") == "inTransit"


class Asked(Request):
    """Filters of each kind."""

    location_id: Annotated[int | str | None, Refers("location", "location_id", "location")] = None
    goods: Annotated[list[int] | None, Refers("variant", "variant_id", "variant", inside=("row", "order_id"))] = None
    name: Annotated[str | None, exactly("name")] = None
    total: Annotated[int | None, at_least("total")] = None
    late: Annotated[bool | None, where_set(lambda now: (Within("due", high=now.isoformat()),))] = None
    fields: Annotated[CustomValues | None, carries("SalesOrder", "rows")] = None
    items: Annotated[CustomValues | None, OF_VARIANTS] = None
    plain: int | None = None


def test_what_a_request_names_and_asks_is_known_before_it_is_answered() -> None:
    asked = Asked(location_id="North", goods=[7], name="x", total=5, late=True, fields={"a": 1}, plain=3)
    refers = {name: (meaning.entity, value) for name, meaning, value in references_of(asked)}
    assert refers == {"location_id": ("location", "North"), "goods": ("variant", [7])}
    assert needed(asked) == ("location", "variant", "row", *CUSTOM_FIELDS)
    assert needed(Asked(location_id=1)) == ("location",)
    assert needed(Asked(items={"a": 1})) == (*CUSTOM_FIELDS, "variant", "service")
    assert needed(Asked(plain=3)) == ()
    assert list(used_paths(asked, NOON)) == [
        (None, "location_id"),
        ("row", "variant_id"),
        (None, "name"),
        (None, "total"),
        (None, "due"),
        (None, "custom_fields"),
        (None, "rows[].custom_fields"),
    ]
    assert list(used_paths(Asked(items={"a": 1}), NOON)) == [
        (None, "variants[].custom_fields"),
        ("variant", "custom_fields"),
        ("service", "variants[].custom_fields"),
    ]
    assert (texts_of(asked), texts_of(Asked(total=5)), texts_of(Asked(name=""))) == ({"name": ("name", "x")}, {}, {})
    assert filters_of(Asked) == ("location_id", "goods", "name", "total", "late", "fields", "items")


def test_fields_of_documents_and_of_their_rows_stand_at_their_places() -> None:
    own = {"SalesOrder": "custom_fields", "OutsourcedSalesOrder": "custom_fields"}
    rows = ("SalesOrderRow", "OutsourcedSalesOrderRow", "ProductVariant", "MaterialVariant", "ServiceVariant")
    assert carries("OutsourcedSalesOrder") == carries("SalesOrder") == Carries(own)
    assert carries("SalesOrder", "rows", at="own") == Carries(
        {**dict.fromkeys(own, "own"), **dict.fromkeys(rows, "rows[].custom_fields")}
    )
    assert OF_VARIANTS.parts == Parts(
        "variants[].id",
        {"variant": ("custom_fields", "id"), "service": ("variants[].custom_fields", "variants[].id")},
    )


DEFINITION = {"id": "d1", "label": "Gift", "entity_type": "SalesOrder", "field_type": "boolean"}


async def conditions(asked: Asked, spelt: dict[str, list[str]] | None = None) -> Where:
    """Return the conditions of a request, in an account that has one custom field."""

    async def select(_: str, __: object) -> list[SimpleNamespace]:
        return [SimpleNamespace(record=DEFINITION)]

    cache, clock = SimpleNamespace(select=select), ManualClock(NOON)
    services = SimpleNamespace(cache=cache, clock=clock, days=RIGA, today=lambda: RIGA.today(clock.now()))
    return await where(asked, cast("Services", services), spelt)


async def test_a_list_is_narrowed_by_every_filter_that_is_set() -> None:
    assert await conditions(Asked(plain=3)) == ()
    assert await conditions(Asked(name="x", total=5, late=True, fields={"Gift": "yes"})) == (
        OneOf("name", ("x",)),
        Within("total", low=Decimal(5)),
        Within("due", high="2026-02-28T22:00:00+00:00"),
        CustomValue("custom_fields", ("d1", "Gift"), (True,)),
    )
    assert await conditions(Asked(name="x"), {"name": ["X", "x "]}) == (OneOf("name", ("X", "x ")),)
    assert await conditions(Asked(late=False)) == ()
