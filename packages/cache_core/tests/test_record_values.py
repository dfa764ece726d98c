"""What a record may hold, and how moments, ids, paths and parts of it are read."""

import uuid
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from cache_core.records import (
    InvalidRecord,
    Json,
    as_amount,
    as_id,
    canonical,
    decode,
    encode,
    ids_at,
    inner_fields,
    is_set,
    is_text,
    iso,
    moment_in,
    projected,
    values_at,
)

MOMENT = datetime(2026, 3, 2, 10, 0, 0, 123_456, tzinfo=timezone(timedelta(hours=2)))


class Frozen(Mapping[str, object]):
    """An object that is no dictionary."""

    def __getitem__(self, name: str) -> object:
        return {"a": 1, "b": [2]}[name]

    def __iter__(self):  # noqa: ANN204 - an iterator of the two names
        return iter(("a", "b"))

    def __len__(self) -> int:
        return 2


@pytest.mark.parametrize("note", ["plain", "\ud800"], ids=["plain", "surrogate"])
def test_a_record_is_written_alike_whatever_stands_beside_its_values(note: str) -> None:
    record = {
        "at": MOMENT,
        "on": date(2026, 3, 2),
        "key": uuid.UUID(int=7),
        "list": [1, (Decimal("1.50"), None), True],
        "float": 1.5,
        "text": "Tür",
        "note": note,
    }
    read = canonical(record)
    assert datetime.fromisoformat(str(read["at"])) in {MOMENT, MOMENT.replace(microsecond=123_000)}
    assert {name: value for name, value in read.items() if name not in {"at", "note"}} == {
        "on": "2026-03-02",
        "key": "00000000-0000-0000-0000-000000000007",
        "list": [1, [Decimal("1.50"), None], True],
        "float": Decimal("1.5"),
        "text": "Tür",
    }
    assert read["note"] == ("plain" if note == "plain" else "?")


def test_objects_of_any_kind_and_names_of_any_kind_are_written() -> None:
    assert canonical({"inner": Frozen(), "bad\ud800": "x"}) == {"inner": {"a": 1, "b": [2]}, "bad?": "x"}
    assert canonical({"inner": {1: "one"}, "bad": "\ud800"}) == {"inner": {"1": "one"}, "bad": "?"}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"a": object()}, "a: a object has no JSON form"),
        ({"rows": [{}, {"q": Decimal("NaN")}]}, "rows[1].q: NaN is not a number"),
        ({"q": Decimal("Infinity")}, "q: Infinity is not a number"),
        ({"q": (1, {"x": {1j: 2}, "y": 1j})}, "q[1].y: a complex has no JSON form"),
    ],
    ids=["object", "row", "infinity", "complex"],
)
def test_what_cannot_be_written_is_named_by_its_path(record: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidRecord) as caught:
        encode(record)
    assert str(caught.value) == message


def test_the_words_of_no_number_are_texts_beside_a_number() -> None:
    assert canonical({"a": "NaN", "b": Decimal("0.10")}) == {"a": "NaN", "b": Decimal("0.10")}
    assert encode({"a": "x", "b": Decimal("0.10")}) == b'{"a":"x","b":0.10}'


def test_only_an_object_is_a_record() -> None:
    assert decode('{"a": 1.50}') == {"a": Decimal("1.50")}
    with pytest.raises(InvalidRecord, match=r"^a stored record must be a JSON object$"):
        decode("[]")
    with pytest.raises(InvalidRecord, match=r"^a stored record must be JSON: Input data was truncated$"):
        decode("{")


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-03-02T08:00:00.123Z", "2026-03-02T08:00:00.123Z"),
        ("2026-03-02 08:00:00.123Z", "2026-03-02T08:00:00.123Z"),
        ("2026-03-02T08:00:00,123Z", "2026-03-02T08:00:00.123Z"),
        ("2026-03-02T08:00:00.1+02", "2026-03-02T06:00:00.100Z"),
        ("2026-03-02T08:00:00.123456Z", "2026-03-02T08:00:00.123Z"),
        ("2026-03-02T08:00:00.12Z", "2026-03-02T08:00:00.120Z"),
        ("2026-03-02T08:00:00Z", "2026-03-02T08:00:00.000Z"),
        ("2026-03-02T08:00Z", "2026-03-02T08:00:00.000Z"),
        ("2026-03-02T10:00:00+02:00", "2026-03-02T08:00:00.000Z"),
        ("2026-03-02T08:00:00.123", None),
        ("2026-03-02", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("soon", None),
        ("", None),
        (5, None),
        (None, None),
        (MOMENT, None),
    ],
    ids=str,
)
def test_a_moment_is_read_in_one_form_and_only_with_an_offset(value: object, moment: str | None) -> None:
    assert moment_in(value) == moment
    assert is_set({"deleted_at": value}, "deleted_at") is (moment is not None)


def test_a_moment_that_is_not_there_is_not_set() -> None:
    assert is_set({}, "deleted_at") is False
    assert iso(MOMENT) == "2026-03-02T08:00:00.123Z"
    assert iso(datetime(2026, 1, 1, tzinfo=UTC)) == "2026-01-01T00:00:00.000Z"


@pytest.mark.parametrize(
    ("value", "is_writable"), [("", True), ("plain", True), ("Tür", True), ("\ud800", False), ("a\udfffb", False)],
    ids=["empty", "plain", "letter", "surrogate", "inside"],
)  # fmt: skip
def test_a_text_with_half_a_character_is_none(value: str, *, is_writable: bool) -> None:
    assert is_text(value) is is_writable
    assert as_id(value) == (value if is_writable else None)


@pytest.mark.parametrize(
    ("value", "record_id"),
    [
        (0, 0),
        (2**63 - 1, 2**63 - 1),
        (1 - 2**63, 1 - 2**63),
        (2**63, None),
        (-(2**63), None),
        (2**62, 2**62),
        (True, None),
        (False, None),
        (None, None),
        (1.0, None),
        (Decimal(1), None),
    ],
    ids=str,
)
def test_a_whole_number_of_64_bits_is_an_id(value: object, record_id: int | None) -> None:
    assert as_id(value) == record_id
    assert type(as_id(value)) is type(record_id)


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("a", [1]),
        ("zero", [0]),
        ("null", []),
        ("gone", []),
        ("list", [1, 2]),
        ("list[]", [1, 2]),
        ("a[]", [1]),
        ("deep[]", [3, 4]),
        ("rows[].id", [1, 2]),
        ("rows.id", []),
        ("rows[].tags", ["x", "y"]),
        ("rows[].in.k", [7]),
        ("rows[]", [{"id": 1, "tags": ["x", None]}, {"id": None}, {"id": 2, "tags": ["y"], "in": {"k": 7}}, 5]),
        ("object.city", ["Oslo"]),
        ("object[].city", ["Oslo"]),
        ("object", [{"city": "Oslo"}]),
        ("frozen.a", [1]),
        ("a.b", []),
    ],
)
def test_a_path_gives_each_value_that_is_there(path: str, values: list[object]) -> None:
    record = {
        "a": 1,
        "zero": 0,
        "null": None,
        "list": [1, None, 2],
        "deep": [[3, None], None, 4],
        "rows": [{"id": 1, "tags": ["x", None]}, {"id": None}, {"id": 2, "tags": ["y"], "in": {"k": 7}}, None, 5],
        "object": {"city": "Oslo"},
        "frozen": Frozen(),
    }
    assert list(values_at(record, path)) == values
    assert ids_at(record, path) == [value for value in values if isinstance(value, int | str)]


@pytest.mark.parametrize("value", [True, 2**63, "\ud800", [False, 2**63], {"id": 1}, None], ids=repr)
def test_what_identifies_no_record_is_no_id(value: object) -> None:
    assert ids_at({"id": value}, "id") == ids_at({"rows": [{"id": value}]}, "rows[].id") == []


def test_what_is_no_object_has_no_values() -> None:
    assert [list(values_at(record, "a")) for record in (None, 5, "a", ["a"])] == [[], [], [], []]


WHOLE: dict[str, Json] = {
    "id": 1,
    "rows": [{"id": 2, "n": 3, "k": None}, "odd", None, [{"id": 1}]],
    "address": {"city": "Oslo", "zip": "1"},
    "text": "x",
}


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ((), {}),
        (("id", "gone"), {"id": 1}),
        (("rows",), {"rows": WHOLE["rows"]}),
        (("rows[]",), {"rows": WHOLE["rows"]}),
        (("rows[].n",), {"rows": [{"n": 3}, "odd", None, [{"id": 1}]]}),
        (("rows[].n", "rows[].k"), {"rows": [{"n": 3, "k": None}, "odd", None, [{"id": 1}]]}),
        (("rows[].n", "rows"), {"rows": WHOLE["rows"]}),
        (("address.city", "id"), {"id": 1, "address": {"city": "Oslo"}}),
        (("text.x",), {"text": "x"}),
    ],
    ids=["none", "one", "rows", "listed", "field", "fields", "both", "object", "text"],
)
def test_a_part_of_a_record_stands_as_in_the_whole(fields: tuple[str, ...], part: dict[str, Json]) -> None:
    assert projected(WHOLE, frozenset(fields)) == part


def test_paths_are_told_by_their_first_field() -> None:
    fields = frozenset({"id", "rows[].n", "rows[].k", "lines[].x", "lines"})
    assert inner_fields(fields) == {"id": frozenset(), "rows": {"n", "k"}, "lines": frozenset()}


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        (7, Decimal(7)),
        (Decimal("0E-10"), Decimal(0)),
        (Decimal("-999999999999999999.1234567890"), Decimal("-999999999999999999.1234567890")),
        (Decimal("5e-324"), Decimal("5e-324")),
        (10**18, None),
        (Decimal("1e999999"), None),
        (Decimal("-1e9999999"), None),
        (Decimal("1e-999999"), None),
        (Decimal("NaN"), None),
        (True, None),
        ("7", None),
        (None, None),
    ],
    ids=str,
)
def test_an_amount_is_a_number_that_can_be_computed_with(value: object, amount: Decimal | None) -> None:
    assert as_amount(value) == amount
