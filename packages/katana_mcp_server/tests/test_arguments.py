"""What is said of arguments that cannot be taken, and which spellings of a value are."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.at_once import at_once

from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp.argument_names import shape_of
from katana_mcp.server.mcp.arguments import validated
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Stage
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning
from katana_sandbox import Tenant

SCHEMAS = {row["name"]: row["inputSchema"] for row in catalogue()}
SPECS = {spec.name: spec for spec in tools()}


def taken(tool: str, **arguments: object) -> Request:
    """Return the request that these arguments make."""
    return validated(SPECS[tool].request, SCHEMAS[tool], arguments)


def refused(tool: str, **arguments: object) -> list[ToolWarning]:
    """Return why these arguments make none."""
    with pytest.raises(Refused) as refusal:
        taken(tool, **arguments)
    return list(refusal.value.warnings)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ('[{"sku_or_variant_id": "PUMP", "quantity": 2', "rows: the JSON is not closed: it ends within "),
        ('[{"sku_or_variant_id": "PUM', "rows: the JSON is not closed: it ends within "),
        ('[{"sku_or_variant_id": "PUMP" "quantity": 2}]', "rows: this is no JSON: it breaks at character 31, "),
        ("[{'sku_or_variant_id': 'PUMP', 'quantity': 2", "rows: this is no JSON: it breaks at character 3, "),
    ],
)
def test_a_text_that_begins_as_rows_and_is_none_is_told_where_it_breaks(rows: str, said: str) -> None:
    (warning,) = refused("create_sales_order", customer_id=1, rows=rows)
    assert warning.message.startswith(said)
    assert warning.field_path == "rows"
    assert "PUM" in warning.message or "quantity" in warning.message or "sku" in warning.message


def test_rows_in_the_spelling_of_python_are_taken_still() -> None:
    assert taken("create_sales_order", customer_id=1, rows="[{'sku_or_variant_id': 'PUMP', 'quantity': 2}]")
    assert taken("create_sales_order", customer_id=1, rows='[{"sku_or_variant_id": "[PUMP", "quantity": 2}]')


class Unread(list[object]):
    """A list that nobody may look into."""

    def __iter__(self) -> Iterator[object]:
        raise AssertionError

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - as a list has it
        raise AssertionError


SAID: list[tuple[str, dict[str, Any], str]] = [
    ("search_items", {"query": None}, "query is null: must be a text"),
    ("list_sales_orders", {"open": None, "limit": True}, "limit is true: must be a whole number"),
    ("get_bom", {"skus_or_variant_ids": ["A"], "levels": False}, "levels is false: must be a whole number"),
    ("list_sales_orders", {"total_min": True}, "total_min is true: must be a number"),
    ("list_sales_orders", {"total_min": -1}, "total_min is -1: must be 0 or more"),
    ("list_sales_orders", {"total_max": 1e18}, "total_max is 1e+18: must be 1000000000000000 or less"),
    ("list_sales_orders", {"limit": 0}, "limit is 0: must be 1 or more"),
    (
        "create_manufacturing_orders",
        {"sales_order_id": 1, "most_per_order": 0},
        "most_per_order is 0: must be 0.00001 or more",
    ),
    ("list_sales_orders", {"ids": ["SO-7"]}, "ids[0] is 'SO-7': must be a whole number"),
    *(
        ("inventory_at", {"as_of": moment, "skus_or_variant_ids": ["A"]}, f"as_of is {moment!r}: {instant}")
        for instant in (
            "must be a date or a moment with its offset from UTC, such as 2026-03-01 or 2026-03-01T17:00:00+02:00",
        )
        for moment in ("tomorrow", "2026-03-01T17:00:00", "2026-03-01T25:00:00Z")
    ),
    (
        "create_purchase_order",
        {"supplier_id": 1, "location_id": 1, "rows": [{"sku_or_variant_id": "A", "quantity": -3}]},
        "rows[0].quantity is -3: must be more than 0",
    ),
    (
        "modify_sales_order",
        {"sales_order_id": 1, "update_rows": [{"row_id": 1, "quantity": "-0.5"}]},
        "update_rows[0].quantity is '-0.5': must be more than 0",
    ),
    *(
        (tool, {name: moment, **further}, f"{name} is {moment!r}: there is no such day")
        for tool, name, further in (
            ("inventory_at", "as_of", {"skus_or_variant_ids": ["A"]}),
            ("list_sales_orders", "created_from", {}),
            ("list_sales_orders", "created_to", {}),
            ("modify_purchase_order", "expected_arrival_date", {"purchase_order_id": 1}),
        )
        for moment in ("2026-11-31", "2026-13-01", "2027-02-29T17:00:00Z")
    ),
]


@pytest.mark.parametrize(("tool", "arguments", "said"), SAID, ids=[message for _, __, message in SAID])
def test_what_is_wrong_is_said_in_the_words_of_the_wire(tool: str, arguments: dict[str, Any], said: str) -> None:
    (warning,) = [entry for entry in refused(tool, **arguments) if entry.field_path != "open"]
    assert warning.message == said


def test_a_list_where_none_is_taken_is_refused_without_a_look_at_what_it_holds() -> None:
    (warning,) = refused("list_sales_orders", limit=Unread([1, 2]))
    assert warning.message == "limit: must be a whole number"


def test_numbers_sent_as_texts_are_numbers_alone_and_in_lists() -> None:
    for ids in (["2037", 2038], "2037, 2038", "[2037, 2038]", '["2037", "2038"]', " ['2037', 2038,]"):
        assert taken("list_sales_orders", ids=ids, limit="5").model_dump(include={"ids", "limit"}) == {
            "ids": [2037, 2038],
            "limit": 5,
        }
    assert taken("check_inventory", skus_or_variant_ids=["007"]) == taken("check_inventory", skus_or_variant_ids="007")


@pytest.mark.parametrize(
    "rows", ["[{'sku_or_variant_id': 'A', 'quantity': 2}]", '[{"sku_or_variant_id":"A","quantity":2}]']
)
def test_a_list_of_objects_is_read_in_the_spelling_of_json_and_of_python(rows: str) -> None:
    assert taken("promise_date", rows=rows) == taken("promise_date", rows=[{"sku_or_variant_id": "A", "quantity": 2}])


@pytest.mark.parametrize("text", ["[b'A']", "[{'A'}]", "[A]", "['A', ...]", "['\\d']", "[" * 5_000, "['A'"])
def test_a_text_that_is_no_list_is_taken_as_its_parts(text: str) -> None:
    asked = taken("check_inventory", skus_or_variant_ids=text[:100]).model_dump()["skus_or_variant_ids"]
    assert asked == [part.strip() for part in text[:100].split(",")]


RANGES = [
    (tool, first, f"{stem}{last}")
    for tool, schema in SCHEMAS.items()
    for low, last in (("_from", "_to"), ("_min", "_max"))
    for first in schema["properties"]
    for stem in [first.removesuffix(low)]
    if first.endswith(low)
]


@at_once(("tool", "first", "last"), RANGES)
def test_a_range_that_ends_before_it_begins_is_refused_naming_both_ends(tool: str, first: str, last: str) -> None:
    is_amount = first.endswith("_min")
    low, high = (10, 9.5) if is_amount else ("2026-12-02", "2026-12-01")
    said = f"{first} (10) must not be more than {last} (9.5)" if is_amount else f"{first} must not be later than {last}"
    needed = {name: ["A"] for name in SCHEMAS[tool].get("required", ())}
    (warning,) = refused(tool, **needed, **{first: low, last: high})
    assert (warning.message, warning.code) == (said, "invalid_argument")
    assert taken(tool, **needed, **{first: high, last: low})
    assert taken(tool, **needed, **{first: low, last: low})


def test_there_are_ranges() -> None:
    assert len(RANGES) > 25
    assert {first for _, first, _ in RANGES} > {"total_min", "delivery_from", "created_from"}


async def test_an_id_of_several_types_is_named_with_them(stage: Stage, tenant: Tenant) -> None:
    shared = 990_001
    for collection in ("products", "materials"):
        row = next(
            record for record in tenant.all(collection) if not record["deleted_at"] and not record["archived_at"]
        )
        tenant.insert_raw(collection, {**row, "id": shared, "variants": []})
    refusal = await stage.refusal("list_items", ids=[shared])
    assert refusal["warnings"][0]["message"] == f"ids: several types have {shared} (product, material); name one type"


USUAL = {"variant_id", "parent_variant_id"}
"""What rows of most documents take for `sku_or_variant_id`."""


def test_rows_take_the_further_names_of_what_they_have_and_of_nothing_else() -> None:
    further = {
        (tool.name, part): {name: meant for name, meant in shape.names.items() if name != meant and name not in USUAL}
        for tool in tools()
        if tool.name.startswith(("create_", "modify_"))
        for part, shape in shape_of(tool.request).parts.items()
    }
    assert {part: names for part, names in further.items() if names} == {
        ("create_item", "variants"): {"config_attributes": "config"},
        ("modify_item", "add_variants"): {"config_attributes": "config"},
        ("modify_item", "update_variants"): {"config_attributes": "config", "sku_or_variant_id": "variant_id"},
        ("modify_bom", "update_rows"): {"bom_row_id": "row_id"},
        ("modify_bom", "update_operation_rows"): dict.fromkeys(
            ("product_operation_row_id", "row_id"), "operation_row_id"
        ),
        ("modify_sales_order", "update_rows"): {"sales_order_row_id": "row_id"},
        ("modify_sales_return", "update_rows"): {"sales_return_row_id": "row_id"},
        ("modify_purchase_order", "update_rows"): {"purchase_order_row_id": "row_id"},
        ("modify_purchase_order", "update_additional_costs"): {"row_id": "additional_cost_row_id"},
    }


def test_a_long_list_where_a_word_is_asked_for_is_refused_without_a_look_at_what_it_holds() -> None:
    said = {
        warning.field_path: warning.message for warning in refused("verify_order_document", kind=Unread([1] * 1_001))
    }
    assert "kind" in said
