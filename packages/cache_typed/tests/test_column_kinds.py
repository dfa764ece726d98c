"""Cells: what each kind of column holds of a value, what it refuses, and what comes back."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from sqlalchemy import Boolean, Column, Integer, Text
from sqlalchemy.dialects import sqlite
from sqlmodel.main import FieldInfo

from cache_core.records import Json
from cache_typed.columns import (
    Cell,
    Codec,
    ExactNumber,
    Kind,
    NestedJson,
    WireMoment,
    codec_of,
    fits_whole,
    is_storable,
    json_text,
    moment,
    nested,
    number,
    order_key,
    order_of,
)
from cache_typed.documents import flag, text, whole

TYPES = {
    Kind.MOMENT: WireMoment(),
    Kind.NUMBER: ExactNumber(),
    Kind.NESTED: NestedJson(),
    Kind.FLAG: Boolean(),
    Kind.WHOLE: Integer(),
    Kind.TEXT: Text(),
}
SQLITE = sqlite.dialect()
STAMP = "2021-09-01T07:49:29.813Z"
LONG, TOO_LONG = Decimal("1." + "1" * 998), Decimal("1." + "1" * 999)


def codec(kind: Kind) -> Codec:
    """Return how a column of this kind stores values."""
    return codec_of(Column("any", TYPES[kind]))


@pytest.mark.parametrize("kind", Kind)
def test_the_type_of_a_column_says_its_kind(kind: Kind) -> None:
    assert codec(kind).kind is kind


@pytest.mark.parametrize(
    ("kind", "value", "cell"),
    [
        (Kind.MOMENT, STAMP, STAMP),
        (Kind.MOMENT, "2021-09-01T07:49:29Z", None),
        (Kind.MOMENT, "2021-13-01T07:49:29.813Z", None),
        (Kind.MOMENT, f"{STAMP} ", None),
        (Kind.MOMENT, 5, None),
        (Kind.FLAG, True, 1),
        (Kind.FLAG, False, 0),
        (Kind.FLAG, 1, None),
        (Kind.WHOLE, 0, 0),
        (Kind.WHOLE, True, None),
        (Kind.WHOLE, "5", None),
        (Kind.WHOLE, 2**63 - 1, 2**63 - 1),
        (Kind.WHOLE, 2**63, None),
        (Kind.WHOLE, -(2**63), -(2**63)),
        (Kind.WHOLE, -(2**63) - 1, None),
        (Kind.TEXT, "", ""),
        (Kind.TEXT, "漢", "漢"),
        (Kind.TEXT, "\ud800", None),
        (Kind.TEXT, 5, None),
        (Kind.NESTED, [], "[]"),
        (Kind.NESTED, {}, "{}"),
        (Kind.NESTED, [1, "x"], '[1,"x"]'),
        (Kind.NESTED, {"a": [None]}, '{"a":[null]}'),
        (Kind.NESTED, "x", None),
        (Kind.NUMBER, 0, "0"),
        (Kind.NUMBER, True, None),
        (Kind.NUMBER, [], None),
        (Kind.NUMBER, 10**499 - 1, str(10**499 - 1)),
        (Kind.NUMBER, 10**499, None),
        (Kind.NUMBER, 1 - 10**499, str(1 - 10**499)),
        (Kind.NUMBER, -(10**499), None),
        (Kind.NUMBER, Decimal("1.50"), "1.50"),
        (Kind.NUMBER, Decimal("1E+499"), "1E+499"),
        (Kind.NUMBER, Decimal("1E+500"), None),
        (Kind.NUMBER, Decimal("1E-499"), "1E-499"),
        (Kind.NUMBER, Decimal("1E-500"), None),
        (Kind.NUMBER, Decimal("Infinity"), None),
        (Kind.NUMBER, LONG, str(LONG)),
        (Kind.NUMBER, TOO_LONG, None),
        (Kind.NUMBER, "-10.500", '"-10.500"'),
        (Kind.NUMBER, "1e5", None),
        (Kind.NUMBER, "1" * 200, f'"{"1" * 200}"'),
        (Kind.NUMBER, "1" * 201, None),
    ],
)
def test_a_column_holds_a_value_exactly_or_not_at_all(kind: Kind, value: Json, cell: Cell) -> None:
    stored = codec(kind).store(value)
    assert (type(stored), stored) == (type(cell), cell)


@pytest.mark.parametrize(
    ("kind", "cell", "value"),
    [
        (Kind.FLAG, 1, True),
        (Kind.FLAG, 0, False),
        (Kind.NUMBER, '"10.50"', "10.50"),
        (Kind.NUMBER, '""', ""),
        (Kind.NUMBER, "10", 10),
        (Kind.NUMBER, "-10", -10),
        (Kind.NUMBER, "10.50", Decimal("10.50")),
        (Kind.NUMBER, "1E+3", Decimal("1E+3")),
        (Kind.NESTED, "[]", []),
        (Kind.NESTED, "{}", {}),
        (Kind.NESTED, '[1,"x"]', [1, "x"]),
        (Kind.NESTED, '{"a":[null]}', {"a": [None]}),
    ],
)
def test_a_cell_gives_its_value_back(kind: Kind, cell: Cell, value: Json) -> None:
    load = codec(kind).load
    loaded = load(cell) if load else None
    assert (type(loaded), str(loaded)) == (type(value), str(value))


@pytest.mark.parametrize("kind", [Kind.MOMENT, Kind.WHOLE, Kind.TEXT])
def test_a_cell_that_is_the_value_already_is_not_turned_into_one(kind: Kind) -> None:
    assert codec(kind).load is None


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ("", "s"),
        ("10", "s10"),
        (0, "1"),
        (Decimal("-0.00"), "1"),
        (5, "205005"),
        (10, "205011"),
        (Decimal("10.50"), "20501105"),
        (Decimal("0.05"), "204985"),
        (Decimal("1E-499"), "200011"),
        (10**499 - 1, "20998" + "9" * 499),
        (-5, "094994~"),
        (Decimal("-0.5"), "095004~"),
        (Decimal("-10.5"), "09498894~"),
        (True, None),
        (None, None),
        ([], None),
        (10**499, None),
        (Decimal("NaN"), None),
    ],
)
def test_the_text_that_sorts_a_number_is_its_sign_exponent_and_digits(value: Json, key: str | None) -> None:
    assert order_key(value) == key


@pytest.mark.parametrize(("text", "storable"), [("", True), ("a\0", True), ("漢", True), ("a\ud800", False)])
def test_a_text_with_half_of_a_pair_cannot_be_stored(text: str, *, storable: bool) -> None:
    assert is_storable(text) is storable


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        (0, True),
        (True, False),
        ("0", False),
        (Decimal(0), False),
        (2**63 - 1, True),
        (2**63, False),
        (-(2**63), True),
        (-(2**63) - 1, False),
    ],
)
def test_a_whole_number_of_64_bits_fits(value: object, *, fits: bool) -> None:
    assert fits_whole(value) is fits


@pytest.mark.parametrize(
    ("value", "text"), [([], "[]"), ({}, "{}"), (["é"], '["é"]'), ({"a": Decimal("1.0")}, '{"a":1.0}')]
)
def test_a_list_or_an_object_is_written_without_blanks(value: object, text: str) -> None:
    assert json_text(value) == text


def test_a_moment_goes_into_its_column_in_utc_and_comes_back_aware() -> None:
    column, local = WireMoment(), timezone(timedelta(hours=2))
    assert column.process_bind_param(None, SQLITE) is None
    assert column.process_result_value(None, SQLITE) is None
    assert column.process_bind_param(datetime(2021, 9, 1, 9, 49, 29, 813_000, local), SQLITE) == STAMP
    assert column.process_result_value(STAMP, SQLITE) == datetime(2021, 9, 1, 7, 49, 29, 813_000, UTC)
    with pytest.raises(ValueError, match=r"^a moment must say its time zone$"):
        column.process_bind_param(datetime(2021, 9, 1, 9, 49, 29), SQLITE)  # noqa: DTZ001 - the point of it


def test_a_number_goes_into_its_column_with_every_digit() -> None:
    column = ExactNumber()
    assert column.process_bind_param(None, SQLITE) is None
    assert column.process_result_value(None, SQLITE) is None
    assert column.process_bind_param(Decimal("10.50"), SQLITE) == "10.50"
    assert [str(column.process_result_value(cell, SQLITE)) for cell in ("10.50", '"10.50"')] == ["10.50", "10.50"]


def test_nested_json_goes_into_its_column_as_text() -> None:
    column = NestedJson()
    assert column.process_bind_param(None, SQLITE) is None
    assert column.process_result_value(None, SQLITE) is None
    assert column.process_bind_param([1], SQLITE) == "[1]"
    assert column.process_result_value("[1]", SQLITE) == [1]


def declared(field: object) -> tuple[object, ...]:
    """Return the default, the index, the type and the order of a declared column."""
    assert isinstance(field, FieldInfo)
    keywords: object = field.sa_column_kwargs  # pyright: ignore[reportAttributeAccessIssue] - set by SQLModel
    return (field.default, field.index, field.sa_type, keywords)  # pyright: ignore[reportAttributeAccessIssue] - likewise


def test_a_declared_column_is_null_unless_given_and_indexed_where_asked() -> None:
    unset = declared(number())[3]
    by = {"info": {"order_of": "total"}}
    assert declared(moment()) == (None, False, WireMoment, unset)
    assert declared(moment(index=True)) == (None, True, WireMoment, unset)
    assert (declared(number())[0], declared(number())[2]) == (None, ExactNumber)
    assert (declared(nested())[0], declared(nested())[2]) == (None, NestedJson)
    assert declared(order_of("total")) == (None, False, Text, by)
    assert declared(order_of("total", index=True)) == (None, True, Text, by)
    for make, kind in ((whole, unset), (text, Text), (flag, unset)):
        assert declared(make()) == (None, False, kind, unset)
        assert declared(make(index=True)) == (None, True, kind, unset)
