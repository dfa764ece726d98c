"""Odd values inside of a record: which field they cost, and what a value that may be written is taken for."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal, cast

import pytest
from pydantic import TypeAdapter, ValidationError

from katana_client.lenient import field_path, read_leniently, refused
from katana_client.normalise import normalise
from katana_client.page import InvalidRecord, Reading, Shape, reading
from katana_client.wire import (
    Amount,
    Category,
    Configs,
    MadeQuantity,
    Moment,
    NonEmpty,
    NonZero,
    Omittable,
    Price,
    PurchasePrice,
    Quantity,
    Rate,
    ReadModel,
    Ref,
    RowPrice,
    Unit,
    WriteModel,
)


class Part(ReadModel):
    """A part as read."""

    id: int | None = None
    state: str | None = None
    at: Moment = None


class Thing(ReadModel):
    """A thing as read."""

    id: int | None = None
    state: str | None = None
    note: str | None = None
    home: Part | None = None
    parts: list[Part] | None = None


class PartBody(WriteModel):
    """A part as written."""

    state: Literal["A", "B"] | None = None


class ThingBody(WriteModel):
    """A thing as written."""

    state: str | None = None
    note: str | None = None
    home: PartBody | None = None
    parts: list[PartBody] | None = None


SHAPE = Shape(Thing)


@pytest.mark.parametrize(
    ("record", "unread", "item"),
    [
        (
            {"id": 1, "home": {"id": "x", "state": "A"}},
            ("home.id",),
            Thing(id=1, home=Part(state="A")),
        ),
        (
            {"id": 1, "parts": [{"id": 2}, {"id": "x", "state": "B"}]},
            ("parts[].id",),
            Thing(id=1, parts=[Part(id=2), Part(state="B")]),
        ),
    ],
)
def test_an_odd_id_inside_of_a_record_costs_that_id_and_not_the_record(
    record: dict[str, object], unread: tuple[str, ...], item: Thing
) -> None:
    assert reading(SHAPE, record) == Reading(item, unread)


def test_an_odd_key_costs_the_record_and_each_wrong_field_is_named_with_its_reason() -> None:
    record: dict[str, object] = {"id": "x", "note": [], "home": {"id": "y"}}
    integer = "Input should be a valid integer"
    reason = f"id: {integer}; note: Input should be a valid string; home.id: {integer}"
    assert reading(SHAPE, record) == InvalidRecord("x", reason, record)


def test_a_moment_is_read_from_a_text_or_a_moment_with_its_offset_and_from_nothing_else() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    for good in (moment, "2026-01-02T03:04:05Z", "2026-01-02T04:04:05+01:00"):
        assert Part.model_validate({"at": good}).at == moment
    for odd in (b"2026-01-02T03:04:05Z", moment.replace(tzinfo=None), "2026-01-02T03:04:05", 1_767_323_045, 5, ""):
        with pytest.raises(ValidationError):
            Part.model_validate({"at": odd})


@pytest.mark.parametrize(
    ("record", "body"),
    [
        (
            Thing(state="SOLD", home=Part(state="A"), parts=[Part(state="B")]),
            {"state": "SOLD", "home": {"state": "A"}, "parts": [{"state": "B"}]},
        ),
        (
            Thing(state="SOLD", home=Part(state="SOLD"), parts=[Part(state="B")]),
            {"state": "SOLD", "parts": [{"state": "B"}]},
        ),
        (
            Thing(state="SOLD", note="n", home=Part(state="A"), parts=[Part(state="A"), Part(state="SOLD")]),
            {"state": "SOLD", "note": "n", "home": {"state": "A"}},
        ),
    ],
)
def test_what_holds_a_state_that_cannot_be_written_is_left_out_of_a_copy_as_a_whole(
    record: Thing, body: dict[str, object]
) -> None:
    assert ThingBody.from_read(record).wire() == body


class Either(ReadModel):
    """A record with a field that has two forms, as custom fields have."""

    id: int | None = None
    fields: list[Part] | dict[str, int] | None = None


@pytest.mark.parametrize(
    ("fields", "paths"),
    [
        ([{"id": "x"}], ["fields", "fields"]),
        ([{"id": 1}, 7], ["fields", "fields"]),
        ({"a": "x"}, ["fields", "fields"]),
        ("x", ["fields", "fields"]),
        (7, ["fields", "fields"]),
    ],
    ids=["odd row", "stray row", "odd value", "text", "number"],
)
def test_a_field_of_two_forms_is_named_as_far_as_the_record_has_it(fields: object, paths: list[str]) -> None:
    record: dict[str, object] = {"id": 1, "fields": fields}
    with pytest.raises(ValidationError) as raised:
        Either.model_validate(record)
    assert [field_path(steps) for steps in refused(raised.value, record)] == paths
    assert read_leniently(Either, record) == Either(id=1)


class Priced(ReadModel):
    """Something with a price."""

    price: Amount = None


class Named(ReadModel):
    """Something with a price in words."""

    price: str | None = None


class Both(ReadModel):
    """A record with a field that holds one of two records."""

    first: Priced | Named | None = None
    second: Named | Priced | None = None


def test_a_field_of_two_kinds_of_records_follows_the_rules_of_the_first() -> None:
    record: dict[str, object] = {"first": {"price": "1.50"}, "second": {"price": "1.50"}}
    assert normalise(record, Both) == {"first": {"price": Decimal("1.50")}, "second": {"price": "1.50"}}


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        pytest.param(NonZero, "-0.5", Decimal("-0.5"), id="allocated quantity"),
        pytest.param(NonZero, Decimal(7), Decimal(7), id="whole allocated quantity"),
        pytest.param(Omittable[int], 0, 0, id="zero that may be left out"),
        pytest.param(Omittable[str], "x", "x", id="text that may be left out"),
        pytest.param(Configs[int], [2, 1], [2, 1], id="configs"),
        pytest.param(NonEmpty, "a", "a", id="text"),
        pytest.param(Unit, "pcs", "pcs", id="unit"),
        pytest.param(Category, "Knives", "Knives", id="category"),
        pytest.param(Ref, 7, 7, id="id"),
        pytest.param(Price, "1.50", Decimal("1.50"), id="item price"),
        pytest.param(RowPrice, "1.50", Decimal("1.50"), id="row price"),
        pytest.param(Quantity, "1.50", Decimal("1.50"), id="quantity"),
        pytest.param(MadeQuantity, "1.50", Decimal("1.50"), id="quantity to make"),
        pytest.param(PurchasePrice, "1.50", Decimal("1.50"), id="purchase price"),
        pytest.param(Rate, "1.50", Decimal("1.50"), id="rate"),
        pytest.param(Moment, "2026-01-02T03:04:05", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), id="moment"),
        pytest.param(Moment, None, None, id="no moment"),
    ],
)
def test_a_value_is_taken_as_it_was_given(kind: object, given: object, value: object) -> None:
    adapter: TypeAdapter[object] = TypeAdapter(cast("type[object]", kind))
    assert adapter.validate_python(given) == value
