"""The conditions that values of custom fields are as a filter: whole conditions and sentences, of a small account."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from pydantic import TypeAdapter, ValidationError

from cache_core.conditions import EVERYTHING, Condition, CustomValue, OneOf, Order, Scalar
from cache_core.protocol import Selection
from katana_mcp.references.display_names import CUSTOM_FIELDS
from katana_mcp.surface.operations.custom_filters import (
    MOST_PARTS,
    OF_VARIANTS,
    Carries,
    CustomValues,
    Parts,
    carries,
    custom_values,
    defining,
)
from katana_mcp.tools.warnings import Refused

if TYPE_CHECKING:
    from cache_core.records import Record
    from katana_mcp.references.services import Services

ORDERS = carries("SalesOrder", "rows")


def definition(key: str, label: str, kind: str, field_type: str = "shortText", **more: object) -> "Record":
    """Return a definition."""
    return {"id": key, "label": label, "entity_type": kind, "field_type": field_type, **more}


CHOICES = {
    "choices": [{"id": 1, "label": "Red"}, {"id": 2, "label": "Dark blue"}, {"label": "Lost"}, {"id": 9, "label": "2"}]
}
DEFINED: list["Record"] = [
    definition("d1", "Colour", "SalesOrder", "singleSelect", options=CHOICES),
    definition("d2", "Gift", "SalesOrder", "boolean"),
    definition("d3", "Weight", "SalesOrder", "number"),
    definition("d4", "Note", "SalesOrder"),
    definition("d5", "Note", "OutsourcedSalesOrder"),
    definition("d6", "Note", "SalesOrderRow"),
    definition("d7", "Text", "ProductVariant"),
    definition("d8", "Other", "Customer"),
]


class Account:
    """Definitions and parts that are cached, definitions that Katana adds once it is asked, and what was asked."""

    def __init__(
        self,
        defined: Iterable["Record"] = DEFINED,
        more: Iterable["Record"] = (),
        parts: Mapping[str, Sequence["Record"]] | None = None,
    ) -> None:
        self.defined, self.more, self.parts = list(defined), list(more), parts or {}
        self.asked: list[object] = []
        self.selected: list[tuple[str, Selection]] = []

    async def ask(self, names: object) -> bool:
        """Note what Katana is asked for, and return whether it has some."""
        self.asked.append(names)
        self.defined += self.more
        return bool(self.more)

    async def select(self, entity: str, selection: Selection) -> list[SimpleNamespace]:
        """Return what is cached."""
        self.selected.append((entity, selection))
        found = self.defined if entity in CUSTOM_FIELDS else self.parts.get(entity, ())
        return [SimpleNamespace(record=record) for record in found]

    async def conditions(self, kind: Carries = ORDERS, **given: Scalar) -> tuple[Condition, ...]:
        """Return the conditions of a filter."""
        services = SimpleNamespace(cache=self, lookups=self)
        return await custom_values("custom_fields", given, kind, cast("Services", services))


async def refused(account: Account, kind: Carries = ORDERS, **given: Scalar) -> tuple[str, str | None, str | None, str]:
    """Return severity, code, path and sentence of why a filter is refused."""
    with pytest.raises(Refused) as refusal:
        await account.conditions(kind, **given)
    (one,) = refusal.value.warnings
    return one.severity, one.code, one.field_path, one.message


@pytest.mark.parametrize(
    ("field", "value", "names", "values"),
    [
        ("Colour", "red", ("d1", "Colour"), ("red", 1)),
        ("colour", 1, ("d1", "Colour"), (1,)),
        ("d1", " 1 ", ("d1", "Colour"), (" 1 ", 1)),
        ("Colour", 2, ("d1", "Colour"), (2, 9)),
        ("Colour", "Lost", ("d1", "Colour"), ("Lost",)),
        ("Gift", True, ("d2", "Gift"), (True,)),
        ("Gift", " YES ", ("d2", "Gift"), (True,)),
        ("Gift", "true", ("d2", "Gift"), (True,)),
        ("Gift", 1, ("d2", "Gift"), (True,)),
        ("Gift", "no", ("d2", "Gift"), (False,)),
        ("Gift", "false", ("d2", "Gift"), (False,)),
        ("Gift", 0, ("d2", "Gift"), (False,)),
        ("Weight", "2.50", ("d3", "Weight"), ("2.50", Decimal("2.50"))),
        ("Weight", 2, ("d3", "Weight"), (2, "2")),
        ("Weight", Decimal("2.5"), ("d3", "Weight"), (Decimal("2.5"), "2.5")),
        ("Note", "x", ("d4", "Note", "d5"), ("x",)),
        ("Note", 5, ("d4", "Note", "d5"), (5, "5")),
        ("Note", True, ("d4", "Note", "d5"), (True,)),
    ],
)
async def test_a_value_is_looked_for_as_it_may_stand_in_a_record(
    field: str, value: Scalar, names: tuple[str, ...], values: tuple[Scalar, ...]
) -> None:
    given: dict[str, Any] = {field: value}
    (found,) = await Account().conditions(**given)
    assert isinstance(found, CustomValue)
    assert (found.field, found.names) == ("custom_fields", names)
    assert list(map(repr, found.values)) == list(map(repr, values))


async def test_a_field_that_only_rows_have_stands_in_rows() -> None:
    assert await Account().conditions(Text="x", d6="y") == (
        CustomValue("rows[].custom_fields", ("d7", "Text"), ("x",)),
        CustomValue("rows[].custom_fields", ("d6", "Note"), ("y",)),
    )


PATH = "custom_fields"


@pytest.mark.parametrize(
    ("field", "value", "code", "message"),
    [
        ("Colour", "green", "not_found", "Colour has no choice 'green'; there are: Red, Dark blue, Lost, 2"),
        ("Colour", True, "not_found", "Colour has no choice 'True'; there are: Red, Dark blue, Lost, 2"),
        ("Colour", "g" * 41, "not_found", f"Colour has no choice '{'g' * 40}'; there are: Red, Dark blue, Lost, 2"),
        ("Gift", "maybe", "invalid_argument", "Gift must be true or false"),
        ("Weight", "much", "invalid_argument", "Weight must be a number"),
        ("Weight", "NaN", "invalid_argument", "Weight must be a number"),
        (
            "X" * 41,
            1,
            "not_found",
            f"no custom field is called '{'X' * 40}' here; there are: Colour, Gift, Note, Text, Weight",
        ),
    ],
)
async def test_a_value_that_no_record_can_have_is_refused(field: str, value: Scalar, code: str, message: str) -> None:
    given: dict[str, Any] = {field: value}
    assert await refused(Account(), **given) == ("blocking", code, PATH, f"{PATH}: {message}")


async def test_katana_is_asked_for_fields_that_are_not_cached() -> None:
    entity = CUSTOM_FIELDS[0]
    account = Account([], [definition("d9", "New", "SalesOrder")])
    assert await account.conditions(New="x") == (CustomValue(PATH, ("d9", "New"), ("x",)),)
    assert account.asked == [[(entity, "New")]]
    assert [name for name, _ in account.selected] == [entity, entity]
    assert account.selected[0][1] == Selection(limit=1_000, visibility=EVERYTHING)
    nothing = Account([])
    message = f"{PATH}: no custom field is called 'New' here; there are none"
    assert await refused(nothing, New="x") == ("blocking", "not_found", PATH, message)
    assert len(nothing.selected) == 1
    known = Account()
    assert (await known.conditions(Note="x"), known.asked)[1] == []
    assert (await refused(known, Other="x", Note="y"))[1] == "not_found"
    assert known.asked == [[(entity, "Other")]]


PARTS = OF_VARIANTS.parts or Parts("", {})
VARIANTS = "variants[].custom_fields"


async def test_a_field_of_variants_is_looked_for_where_they_are_newest() -> None:
    parts: dict[str, list[Record]] = {
        "variant": [{"id": 7}, {"id": 8}],
        "service": [{"variants": [{"id": 9}, {"id": "x"}]}],
    }
    account = Account(parts=parts)
    assert await account.conditions(OF_VARIANTS, Text="x") == (OneOf("variants[].id", (7, 8, 9)),)
    asked = {entity: selection for entity, selection in account.selected if entity not in CUSTOM_FIELDS}
    assert asked == {
        entity: Selection(
            (CustomValue(path, ("d7", "Text"), ("x",)),),
            Order("id"),
            MOST_PARTS + 1,
            visibility=EVERYTHING,
            fields=frozenset({ids}),
        )
        for entity, (path, ids) in PARTS.paths.items()
    }


@pytest.mark.parametrize(("count", "is_embedded"), [(MOST_PARTS, False), (MOST_PARTS + 1, True)])
async def test_of_very_many_variants_what_items_embed_of_them_is_asked(count: int, is_embedded: bool) -> None:
    account = Account(parts={"variant": [{"id": nr} for nr in range(count)]})
    (found,) = await account.conditions(OF_VARIANTS, Text="x")
    embedded = CustomValue(VARIANTS, ("d7", "Text"), ("x",))
    assert found == (embedded if is_embedded else OneOf("variants[].id", tuple(range(count))))


async def test_fields_of_the_older_form_have_no_definition() -> None:
    older = Carries(OF_VARIANTS.places, older=True)
    assert await Account([]).conditions(older, Size=5) == (CustomValue(VARIANTS, ("Size",), (5, "5")),)
    message = f"{PATH}: no custom field is called 'Size' here; there are: Text"
    assert (await refused(Account(), older, Size=5))[3] == message


def test_a_definition_is_found_by_its_id_or_its_label() -> None:
    assert [one["id"] for one in defining(" note ", DEFINED)] == ["d4", "d5", "d6"]
    assert [one["id"] for one in defining("d4", DEFINED)] == ["d4"]
    assert defining("x", [{"id": "d1"}]) == []


GIVEN: TypeAdapter[Any] = TypeAdapter(CustomValues)


def test_ten_fields_with_texts_of_some_length_are_taken() -> None:
    given = {"f" * 255: " x ", "a": True, "b": 1, "c": "y" * 1_000}
    assert GIVEN.validate_python(given) == {**given, "f" * 255: "x"}
    assert len(GIVEN.validate_python(dict.fromkeys(map(str, range(10)), 1))) == 10
    assert GIVEN.json_schema() == {"type": "object", "additionalProperties": True}
    for wrong in ({"": 1}, {"f" * 256: 1}, {"a": "y" * 1_001}, {"a": None}, dict.fromkeys(map(str, range(11)), 1)):
        with pytest.raises(ValidationError):
            GIVEN.validate_python(wrong)
