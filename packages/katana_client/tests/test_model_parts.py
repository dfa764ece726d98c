"""Models and their values at the bounds: what may be written, what is copied, normalised, and read of an odd record."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import ClassVar, Literal, cast

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from katana_client.lenient import field_path, read_leniently, refused
from katana_client.normalise import apply, normalise, plan_of
from katana_client.wire import (
    Amount,
    Category,
    Configs,
    Linked,
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
    TextAmount,
    Unit,
    WriteModel,
    is_set,
    models_in,
    parts_of,
)

TINY, HAIR = Decimal("0.00001"), Decimal("0.000001")


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (NonEmpty, ["a"], [""]),
        (Unit, ["a", "a" * 7], ["", "a" * 8]),
        (Category, ["a", "a" * 35], ["", "a" * 36]),
        (Ref, [1, 2_147_483_647], [0, 2_147_483_648]),
        (Price, [0, 10**11], [-HAIR, 10**11 + HAIR]),
        (RowPrice, [0, 10**18], [-HAIR, 10**18 + HAIR]),
        (Quantity, [0, 10**17], [-HAIR, 10**17 + HAIR]),
        (MadeQuantity, [TINY, 10**15], [TINY - HAIR, 10**15 + HAIR]),
        (PurchasePrice, [0, 10**17], [-HAIR, 10**17 + HAIR]),
        (Rate, [0, 10**12], [-HAIR, 10**12 + HAIR]),
        (NonZero, [-TINY, TINY], [0, Decimal("0.00")]),
        (Configs[int], [[1], [1] * 10], [None, [], (), [1] * 11]),
        (Omittable[int], [0, 1], [None]),
        (Moment, [None, "2026-01-02T03:04:05Z"], ["x"]),
    ],
    ids=str,
)
def test_a_value_is_taken_up_to_its_bounds(kind: object, good: list[object], bad: list[object]) -> None:
    adapter: TypeAdapter[object] = TypeAdapter(cast("type[object]", kind))
    for value in good:
        adapter.validate_python(value)
    for value in bad:
        with pytest.raises(ValidationError):
            adapter.validate_python(value)


class Part(ReadModel):
    """A part as read."""

    id: int | None = None
    name: str | None = None


class Thing(ReadModel):
    """A thing as read, with a field of every kind."""

    id: int | None = None
    name: str | None = None
    note: str | None = None
    state: str | None = None
    tags: list[str] | None = None
    home: Part | None = None
    parts: list[Part] | None = None
    amount: Amount = None
    either: int | Decimal | None = None
    flag: bool | None = None
    at: Moment = None
    linked: Linked = None


class PartBody(WriteModel):
    """A part as written."""

    name: str | None = None


class ThingBody(WriteModel):
    """A thing as written."""

    not_copied: ClassVar[frozenset[str]] = frozenset({"note"})

    name: str | None = None
    note: str | None = None
    state: Literal["A", "B"] | None = None
    tags: list[str] | None = None
    home: PartBody | None = None
    parts: Omittable[list[PartBody]] = None
    amount: TextAmount | None = None


class NeedyBody(WriteModel):
    """A thing as written where some fields must be there, though they may be null."""

    name: str | None
    state: str | None = None
    renamed: str | None = Field(default=None, serialization_alias="newName")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"parts": None}, "null is not accepted by Katana: leave the field out instead"),
        ({"configs": None}, "null is not accepted by Katana: leave the field out instead"),
        ({"configs": []}, "Katana refuses an empty configs list: to drop all configs, delete the extra variants first"),
        ({"allocated": 0}, "zero is not accepted by Katana"),
    ],
)
def test_what_katana_does_not_accept_is_refused_with_the_reason(body: dict[str, object], text: str) -> None:
    class Body(WriteModel):
        """Fields that refuse something."""

        parts: Omittable[list[int]] = None
        configs: Configs[int] = None
        allocated: NonZero | None = None

    with pytest.raises(ValidationError, match=text):
        Body.model_validate(body)
    assert Body().wire() == {}


def test_only_what_was_set_is_written_under_its_name_on_the_wire() -> None:
    assert ThingBody().wire() == {}
    assert ThingBody(name=None, amount=Decimal("1.50")).wire() == {"name": None, "amount": "1.50"}
    assert NeedyBody(name=None, renamed="x").wire() == {"name": None, "newName": "x"}


WHOLE = Thing(
    id=1,
    name="n",
    note="no",
    state="A",
    tags=["t"],
    home=Part(id=2, name="h"),
    parts=[Part(id=3, name="p"), Part(id=4)],
)


@pytest.mark.parametrize(
    ("record", "changes", "body"),
    [
        (WHOLE, {}, {"name": "n", "state": "A", "tags": ["t"], "home": {"name": "h"}, "parts": [{"name": "p"}, {}]}),
        (Thing(name="", tags=[], state=None, parts=[]), {}, {}),
        (Thing(name="n", state="SOLD"), {}, {"name": "n"}),
        (Thing(name="n", state="SOLD"), {"state": "B"}, {"name": "n", "state": "B"}),
        (Thing(name="n", note="no"), {"note": "yes", "name": None}, {"note": "yes", "name": None}),
        (Thing(home=Part(id=5)), {}, {}),
        (Thing(), {"amount": Decimal(0)}, {"amount": "0"}),
    ],
)
def test_a_body_is_copied_from_what_a_record_has_and_katana_accepts(
    record: Thing, changes: dict[str, object], body: dict[str, object]
) -> None:
    assert ThingBody.from_read(record, **changes).wire() == body


def test_a_change_that_is_not_accepted_is_refused_though_a_copied_state_is_left_out() -> None:
    with pytest.raises(ValidationError, match="Input should be 'A' or 'B'"):
        ThingBody.from_read(Thing(name="n", state="SOLD"), state="SOLD")
    with pytest.raises(ValidationError, match="null is not accepted"):
        ThingBody.from_read(Thing(state="SOLD"), parts=None)


def test_a_null_is_copied_where_the_field_must_be_there() -> None:
    assert NeedyBody.from_read(Thing(name=None, state=None)).wire() == {"name": None}
    with pytest.raises(ValidationError, match="name"):
        NeedyBody.from_read(Thing(state="A"))


@pytest.mark.parametrize(
    ("changed", "body"),
    [
        ({}, {}),
        ({"name": "m"}, {"name": "m"}),
        ({"id": 9}, {}),
        ({"note": "x", "tags": []}, {"note": "x", "tags": []}),
        ({"home": None}, {"home": None}),
        ({"home": Part(name="i")}, {"home": {"name": "i"}}),
        ({"home": {"name": "j"}}, {"home": {"name": "j"}}),
        ({"parts": [Part(id=3, name="p")]}, {"parts": [{"name": "p"}]}),
        ({"parts": [Part(name="p"), "stray"]}, {"parts": [{"name": "p"}]}),
        ({"parts": "stray"}, {"parts": []}),
    ],
)
def test_the_difference_of_two_records_is_the_smallest_update(changed: dict[str, object], body: object) -> None:
    assert ThingBody.difference(WHOLE, WHOLE.model_copy(update=changed)).wire() == body


def test_what_was_not_read_afterwards_is_no_difference() -> None:
    assert ThingBody.difference(WHOLE, Thing(name="n")).wire() == {}
    assert ThingBody.difference(Thing(), Thing(name="n")).wire() == {"name": "n"}


@pytest.mark.parametrize(
    ("annotation", "models"),
    [
        (Part, [Part]),
        (Part | Thing | None, [Part, Thing]),
        (list[Part] | None, [Part]),
        (Omittable[list[PartBody]], []),
        (Moment, []),
        (int, []),
        (None, []),
    ],
    ids=str,
)
def test_the_models_of_an_annotation_are_found_inside_of_it(annotation: object, models: list[type[BaseModel]]) -> None:
    assert models_in(annotation, ReadModel) == models
    assert models_in(Omittable[list[PartBody]], WriteModel) == [PartBody]


def test_an_annotation_is_made_of_parts() -> None:
    assert parts_of(int) == []
    assert parts_of(int | None) == [int, type(None)]
    assert parts_of(Amount) == [Decimal | None]


def test_a_field_is_set_where_it_is_sent_even_as_null() -> None:
    assert [is_set(Thing(name=None), name) for name in ("name", "note", "nobody")] == [True, False, False]
    assert [is_set({"name": None}, name) for name in ("name", "note")] == [True, False]


def test_a_moment_without_an_offset_is_in_utc_where_reading_is_lenient() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert read_leniently(Thing, {"at": "2026-01-02T03:04:05"}).at == moment
    assert read_leniently(Thing, {"at": "2026-01-02T04:04:05+01:00"}).at == moment
    assert Thing.model_validate({"at": "2026-01-02T03:04:05Z"}).at == moment
    for unforeseen in ("2026-01-02T03:04:05", "2026-01-02", "2026-01-02 03:04:05Z", 1_767_323_045):
        with pytest.raises(ValidationError):
            Thing.model_validate({"at": unforeseen})


EMPTY: dict[str, object] = {}


@pytest.mark.parametrize(
    ("name", "value", "normal"),
    [
        ("amount", Decimal("1.50"), Decimal("1.50")),
        ("amount", 7, Decimal(7)),
        ("amount", "1.50", Decimal("1.50")),
        ("amount", 1.5, Decimal("1.5")),
        ("amount", True, True),
        ("amount", "x", "x"),
        ("amount", "NaN", "NaN"),
        ("amount", "null", None),
        ("amount", "undefined", None),
        ("amount", EMPTY, None),
        ("amount", [], []),
        ("either", "1.50", "1.50"),
        ("either", "null", None),
        ("id", EMPTY, None),
        ("id", "undefined", None),
        ("id", "nil", "nil"),
        ("id", 7, 7),
        ("flag", "null", None),
        ("flag", False, False),
        ("flag", "1", "1"),
        ("at", "null", None),
        ("at", "2026-01-02", "2026-01-02"),
        ("at", "2026", "2026"),
        ("name", "null", "null"),
        ("name", EMPTY, EMPTY),
        ("tags", EMPTY, EMPTY),
        ("linked", EMPTY, None),
        ("linked", {"a": EMPTY}, {"a": EMPTY}),
        ("linked", "null", None),
        ("home", EMPTY, None),
        ("home", {"id": "null", "name": "null", "x": EMPTY}, {"id": None, "name": "null", "x": EMPTY}),
        ("home", "undefined", None),
        ("home", "x", "x"),
        ("parts", [{"id": EMPTY}, EMPTY, 7], [{"id": None}, EMPTY, 7]),
        ("parts", [], []),
        ("parts", EMPTY, None),
        ("nobody", EMPTY, EMPTY),
        ("amount", None, None),
    ],
    ids=str,
)
def test_a_quirk_of_the_wire_is_removed_where_the_field_cannot_mean_it(
    name: str, value: object, normal: object
) -> None:
    record = {"before": 1, name: value, "after": 2}
    normalised = normalise(record, Thing)
    assert normalised == {"before": 1, name: normal, "after": 2}
    assert (type(normalised[name]), str(normalised[name])) == (type(normal), str(normal))
    assert record[name] is value


def test_a_plan_has_rules_for_what_can_be_odd_alone() -> None:
    assert {name for name, _ in plan_of(Thing)} == set(Thing.model_fields) - {"name", "note", "state", "tags"}
    assert apply({"name": EMPTY}, ()) == {"name": EMPTY}


class Deepest(ReadModel):
    """The innermost of four."""

    x: int


class Deeper(ReadModel):
    """It needs the innermost."""

    deepest: Deepest


class Deep(ReadModel):
    """It needs the next one, where it is there at all."""

    deeper: Deeper


class Row(ReadModel):
    """A row that may hold all or some of them."""

    deep: Deep | None = None
    deeper: Deeper | None = None
    n: int | None = None


class Rows(ReadModel):
    """What holds rows."""

    n: int | None = None
    rows: list[Row] | None = None


@pytest.mark.parametrize(
    ("record", "kept"),
    [
        ({"n": 1, "rows": [{"n": 2}]}, {"n": 1, "rows": [{"n": 2}]}),
        ({"n": "x", "rows": [{"n": 2}], "new": 3}, {"rows": [{"n": 2}], "new": 3}),
        ({"n": 1, "rows": 7}, {"n": 1}),
        ({"n": 1, "rows": [5, {"n": "x", "y": 3}, {"n": 4}, 6]}, {"n": 1, "rows": [{"y": 3}, {"n": 4}]}),
        ({"n": "x", "rows": [{"n": "x"}, {"n": 4}]}, {"rows": [{}, {"n": 4}]}),
        # What lacks something after the first round is left out in the next, for three rounds.
        ({"rows": [{"n": 1, "deeper": {"deepest": {"x": "x"}}}]}, {"rows": [{"n": 1}]}),
        ({"n": 1, "rows": [{"n": 1, "deep": {"deeper": {"deepest": {"x": "x"}}}}]}, {"n": 1}),
    ],
)
def test_a_record_is_read_without_what_nobody_foresaw(record: dict[str, object], kept: dict[str, object]) -> None:
    before = repr(record)
    assert read_leniently(Rows, record).model_dump(exclude_unset=True) == kept
    assert repr(record) == before


def paths(record: Mapping[str, object]) -> list[str]:
    """Return the paths of what a model refuses."""
    with pytest.raises(ValidationError) as raised:
        Rows.model_validate(record)
    return [field_path(steps) for steps in refused(raised.value, record)]


def test_what_is_refused_has_a_path_as_far_as_the_record_goes() -> None:
    assert paths({"n": "x", "rows": [{"n": 1}, {"n": "x"}, 7]}) == ["n", "rows[].n", "rows[]"]
    assert paths({"rows": [{"deep": {"deeper": EMPTY}}]}) == ["rows[].deep.deeper"]
    assert [field_path(steps) for steps in ((), ("a",), ("a", 0, "b"), (0, "a"))] == ["", "a", "a[].b", "[].a"]
