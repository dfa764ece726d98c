"""Rows of answers made of records: each kind of field, names, parts beside, lines of documents, and what is read."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

import pytest
from small_account import Account

from cache_core.protocol import Stored
from cache_core.records import Json, Record
from katana_mcp.references.display_names import Names
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import Entity, ToolSpec, View, not_written
from katana_mcp.surface.operations.embedded import (
    Attribute,
    BatchTransaction,
    CustomField,
    Traced,
    config,
    custom_fields,
)
from katana_mcp.surface.operations.rows import Sourced, filled, line, read_of, to_answers, with_lines
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.tools.requests import Request

DEFINITION: Record = {
    "id": "d1",
    "label": "Colour",
    "options": {"choices": [{"id": 1, "label": "Red"}, {"id": 2, "label": "Blue"}]},
}
NAMES = Names(
    {
        ("custom_field_definition", "d1"): DEFINITION,
        ("variant", 7): {"sku": "FORK-L", "product_id": 5, "config_attributes": [{"config_value": "L"}]},
        ("product", 5): {"name": "Fork"},
        ("factory", 1): {"base_currency_code": "EUR"},
    }
)


class Row(Answer):
    """A row of each kind of field."""

    id: int | None = None
    note: str | None = None
    is_open: bool | None = None
    amount: Number | None = None
    batches: list[BatchTransaction] | None = None
    traced: list[Traced] | None = None
    attributes: list[Attribute] | None = None
    custom_fields: list[CustomField] | None = None
    sku: str | None = None
    name: str | None = None
    tags: list[str] | None = None


RECORD: Record = {
    "id": 3,
    "note": "x",
    "is_open": False,
    "amount": Decimal("1.5"),
    "batches": [{"batch_id": 1, "quantity": 2}, {"quantity": Decimal("0.5")}],
    "traced": [{"serial_number_id": 4, "bin_location_id": 5}],
    "attributes": [{"key": "k", "value": "v"}],
    "custom_fields": {"d1": 2, "d2": "plain", "d3": None},
    "tags": ["not read"],
    "variant_id": 7,
}


def said(answer: Answer) -> dict[str, object]:
    """Return all that an answer holds."""
    return answer.model_dump(mode="json", exclude_none=True)


KINDS = {
    "id": 3,
    "note": "x",
    "is_open": False,
    "amount": 1.5,
    "batches": [{"batch_id": 1, "quantity": 2}, {"quantity": 0.5}],
    "traced": [{"serial_number_id": 4, "bin_location_id": 5}],
    "attributes": [{"key": "k", "value": "v"}],
}


def test_a_row_has_what_its_record_has_under_the_same_names() -> None:
    named = [{"field": "Colour", "value": "Blue"}, {"field": "d2", "value": "plain"}]
    unnamed = [{"field": "d1", "value": 2}, {"field": "d2", "value": "plain"}]
    assert said(filled(Row, RECORD, NAMES)) == {**KINDS, "custom_fields": named}
    assert said(filled(Row, RECORD)) == {**KINDS, "custom_fields": unnamed}
    assert said(filled(Row, {**RECORD, "batches": [], "custom_fields": {}}, note="own", tags=["t"])) == {
        **{name: value for name, value in KINDS.items() if name != "batches"},
        "note": "own",
        "tags": ["t"],
    }
    assert said(filled(Row, {"id": "3", "note": 5, "is_open": 1, "amount": True})) == {}
    assert said(filled(BatchTransaction, RECORD)) == {}


def test_a_line_of_a_document_has_the_sku_and_the_name_of_its_variant() -> None:
    assert said(line(Row, {"id": 1, "variant_id": 7, "sku": "old"}, NAMES, note="own")) == {
        "id": 1,
        "sku": "FORK-L",
        "name": "Fork / L",
        "note": "own",
    }
    assert said(line(Row, {"id": 1, "variant_id": 8, "sku": "old"}, NAMES)) == {"id": 1}


class OrderRow(Answer):
    """A row of an order."""

    sales_order_row_id: int | None = None
    sku: str | None = None
    currency: str | None = None


def test_documents_are_shown_with_their_rows_in_the_base_currency() -> None:
    services = Account().services

    def header(stored: Stored, names: Names, given: Services) -> Mapping[str, object]:
        assert (names, given) == (NAMES, services)
        return {"total": stored.id, "rows": "of the header"}

    sent: dict[str, Json] = {"sales_order_rows": [{"id": 1, "variant_id": 7}, {"id": 2}]}
    stored = Stored(9, None, sent, deleted=False, archived=False)
    found = with_lines(header, OrderRow, "sales_order")(stored, NAMES, services)
    assert found == {
        "total": 9,
        "rows": [
            OrderRow(sales_order_row_id=1, sku="FORK-L", currency="EUR"),
            OrderRow(sales_order_row_id=2, currency="EUR"),
        ],
    }


class Named(Answer):
    """A row with names of others."""

    id: int | None = None
    customer: str | None = None
    supplier: str | None = None
    places: list[str | None] | None = None


def named(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return the names of what a row names."""
    assert services.tenant == "factory"
    parts = names.parts.get(("sales_order", stored.id), [])
    return {
        "customer": names.name("customer", stored.record.get("customer_id")),
        "supplier": names.name("supplier", stored.record.get("supplier_id")),
        "places": [names.name("location", part.get("location_id")) for part in parts] or None,
    }


async def test_rows_keep_their_order_and_what_they_name_is_looked_up_at_once() -> None:
    account = Account()
    await account.keep("customer", {"id": 1, "name": "Ann"}, {"id": 2, "name": "Bea"})
    await account.keep("supplier", {"id": 1, "name": "Steel"})
    await account.keep("location", {"id": 1, "name": "North"}, {"id": 2, "name": "South"})
    await account.keep(
        "sales_return",
        {"id": 30, "sales_order_id": 8, "location_id": 2},
        {"id": 31, "sales_order_id": 8, "location_id": 1},
        {"id": 32, "sales_order_id": 6, "location_id": 1},
    )
    await account.keep("sales_order", {"id": 7, "customer_id": 2}, {"id": 8, "customer_id": 1})
    await account.keep("purchase_order", {"id": 8, "supplier_id": 1, "customer_id": 1})
    cache = account.cache
    orders = (await cache.get_many("sales_order", [7, 8])).rows
    (bought,) = (await cache.get_many("purchase_order", [8])).rows
    rows: list[Sourced] = [("sales_order", orders[1]), ("purchase_order", bought), ("sales_order", orders[0])]
    sold = View(
        model=Named,
        computed_fields=named,
        names={"customer": ("customer_id",), "location": ("sales_return[].location_id",)},
        parts={"sales_return": "sales_order_id"},
    )
    views = {"sales_order": sold, "purchase_order": replace(sold, names={"supplier": ("supplier_id",)}, parts={})}
    found = await to_answers(views.__getitem__, rows, account.services)
    assert [said(answer) for answer in found] == [
        {"id": 8, "customer": "Ann", "places": ["South", "North"]},
        {"id": 8, "customer": "Ann", "supplier": "Steel", "places": ["South", "North"]},
        {"id": 7, "customer": "Bea"},
    ]
    assert await to_answers(views.__getitem__, [], account.services) == []


def test_of_a_record_is_read_what_its_row_is_made_of() -> None:
    view = View(model=Named, computed_fields=named, names={"customer": ("customer_id",), "location": ("a", "b[].c")})
    assert read_of(view) is None
    assert read_of(replace(view, reads=frozenset({"own[].x"}))) == {
        *("own[].x", "id", "customer", "supplier", "customer_id", "a", "b[].c")
    }


def test_custom_fields_have_a_name_and_a_value() -> None:
    listed: Record = {
        "own": [
            {"field_name": "Size", "field_value": Decimal("2.50")},
            {"field_name": "", "field_value": 1},
            {"field_name": "Empty", "field_value": None},
            {"field_name": "No", "field_value": False},
            "no field",
        ]
    }
    assert custom_fields(listed, "own") == [CustomField(field="Size", value=2.5), CustomField(field="No", value=False)]
    by_id: Record = {"own": {"d1": 1, "d9": {"a": Decimal(3)}, "": 5}}
    unnamed = [CustomField(field="d1", value=1), CustomField(field="d9", value={"a": 3})]
    assert custom_fields(by_id, "own") == unnamed
    assert custom_fields(by_id, "own", NAMES) == [CustomField(field="Colour", value="Red"), unnamed[1]]
    nothing: list[Record] = [{}, {"own": None}, {"own": []}, {"own": {}}, {"own": {"d1": None}}]
    assert [custom_fields(record, "own") for record in nothing] == [None] * 5


def test_the_options_of_a_variant_are_told_in_their_order() -> None:
    sizes = [{"config_name": "Size", "config_value": "L"}, {"config_name": "Colour", "config_value": "Red"}]
    assert config({"config_attributes": sizes}) == "Size: L, Colour: Red"
    assert [config({"config_attributes": []}), config({})] == [None, None]


@pytest.mark.parametrize("missing", [{}, {"config_value": None}, {"config_value": ""}, None], ids=str)
def test_an_option_without_a_value_takes_no_other_options_value(missing: dict[str, Json] | None) -> None:
    first = None if missing is None else {"config_name": "Size", **missing}
    colour: dict[str, Json] = {"config_name": "Colour", "config_value": "Red"}
    assert config({"config_attributes": [first, colour]}) == "Colour: Red"
    assert config({"config_attributes": [{"config_value": "L"}, colour]}) == "L, Colour: Red"


SPEC = ToolSpec(
    name="t", toolset="sales", description="", request=Request, answer=Answer, run=lambda _, __: pytest.fail("not run")
)


@pytest.mark.parametrize(
    ("tool", "groups"),
    [
        (SPEC, {"sales", "all", "read"}),
        (replace(SPEC, read_only=False), {"sales", "all"}),
        (replace(SPEC, plans=True), {"sales", "all", "writing"}),
        (replace(SPEC, plans=True, read_only=False), {"sales", "all", "writing"}),
        (replace(SPEC, toolset="items"), {"items", "catalog", "all", "read"}),
        (replace(SPEC, toolset="items", plans=True), {"items", "catalog", "all", "writing"}),
    ],
    ids=["reads", "changes", "plans", "plans and changes", "items", "plans items"],
)
def test_a_tool_is_chosen_by_its_groups(tool: ToolSpec[Request], groups: set[str]) -> None:
    assert tool.groups == groups


def test_a_tool_only_reads_and_may_ask_katana_unless_it_is_said_otherwise() -> None:
    said = (SPEC.reads, SPEC.open_world, SPEC.read_only, SPEC.destructive, SPEC.plans, SPEC.on_request)
    assert said == ((), True, True, False, False, False)


def test_what_is_not_written_says_where_it_is_read() -> None:
    begins = "price lists are only read so far; they are written in Katana, and read here with "
    verbs = ("create", "modify", "delete")
    assert not_written("price_lists", "list_a") == dict.fromkeys(verbs, f"{begins}`list_a`")
    assert not_written("price_lists", "list_a", "get_a") == dict.fromkeys(verbs, f"{begins}`list_a` and `get_a`")


def test_an_entity_is_called_in_words_and_shows_each_source_its_way() -> None:
    view = View(model=Row, computed_fields=lambda _, __, ___: {})
    other = replace(view, model=Named)
    bare = Entity(name="price_list", plural="price_lists", toolset="t", sources=("a", "b"), searched=())
    assert (bare.title, bare.titles, bare.forgiving) == ("price list", "price lists", False)
    entity = replace(bare, summary=view, views={"b": other})
    assert (entity.row, entity.view("a"), entity.view("b")) == (view, view, other)
    assert bare.views == {}
    assert replace(bare, views={"b": other}).view("b") == other
    with pytest.raises(LookupError, match=r"^price_lists have no rows$"):
        bare.view("a")
