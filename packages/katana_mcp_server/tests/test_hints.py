"""Hints: what a name may have meant, never what does more than the name says, and few looks whatever is sent."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from fastmcp.exceptions import McpError

from katana_mcp.resources.prompts import PROMPTS
from katana_mcp.server.catalogue import absent_tools, chosen
from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp.argument_names import Shape, shape_of
from katana_mcp.server.mcp.arguments import validated
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Stage
from katana_mcp.tools import hints
from katana_mcp.tools.hints import CHANGING, SAME, nearest, quoted, unknown_tool
from katana_mcp.tools.warnings import Refused, ToolWarning

SCHEMAS = {row["name"]: row["inputSchema"] for row in catalogue()}
SPECS = {tool.name: tool for tool in tools()}
ABSENT = absent_tools(served=SPECS)
PLANNED = [
    "search_items",
    "list_items",
    "get_item",
    "create_item",
    "modify_item",
    "delete_item",
    "search_purchase_orders",
    "list_purchase_orders",
    "get_purchase_order",
    "create_purchase_order",
    "modify_purchase_order",
    "delete_purchase_order",
    "search_sales_orders",
    "list_sales_orders",
    "get_sales_order",
    "create_sales_order",
    "modify_sales_order",
    "delete_sales_order",
    "search_manufacturing_orders",
    "list_manufacturing_orders",
    "get_manufacturing_order",
    "create_manufacturing_order",
    "modify_manufacturing_order",
    "delete_manufacturing_order",
    "search_stock_transfers",
    "list_stock_transfers",
    "get_stock_transfer",
    "create_stock_transfer",
    "modify_stock_transfer",
    "delete_stock_transfer",
    "search_stock_adjustments",
    "list_stock_adjustments",
    "get_stock_adjustment",
    "create_stock_adjustment",
    "modify_stock_adjustment",
    "delete_stock_adjustment",
    "search_customers",
    "list_customers",
    "get_customer",
    "create_customer",
    "modify_customer",
    "delete_customer",
    "get_variant_details",
    "check_inventory",
    "list_low_stock_items",
    "list_inventory_signals",
    "get_demand_forecast",
    "get_inventory_movements",
    "inventory_at",
    "stock_value",
    "get_bom",
    "modify_bom",
    "change_prices",
    "modify_safety_stock",
    "list_traceability",
    "modify_traceability",
    "trace",
    "list_stocktakes",
    "count_stock",
    "list_bin_transfers",
    "plan_bin_transfer",
    "fulfill_order",
    "promise_date",
    "order_readiness",
    "list_sales_returns",
    "get_sales_return",
    "create_sales_return",
    "delete_sales_return",
    "correct_sales_order",
    "get_manufacturing_order_recipe",
    "list_blocking_ingredients",
    "complete_manufacturing_order",
    "create_manufacturing_orders",
    "prioritize_orders",
    "buildable",
    "correct_manufacturing_order",
    "receive_purchase_order",
    "verify_order_document",
    "replenish",
    "create_supplier",
    "modify_supplier",
    "delete_supplier",
    "correct_purchase_order",
    "list_reference",
    "define_custom_field",
    "cache_status",
    "rebuild_cache",
    "search_tools",
    "call_tool",
    "apply_plan",
]
"""The tools that there are to be."""


def refused(tool: str, arguments: Mapping[str, object]) -> list[ToolWarning]:
    """Return why these arguments are not taken."""
    with pytest.raises(Refused) as refusal:
        validated(SPECS[tool].request, SCHEMAS[tool], arguments)
    return [warning for warning in refusal.value.warnings if "is required" not in warning.message]


def shapes(shape: Shape) -> list[Shape]:
    """Return the shape and those of the objects in it."""
    return [shape, *(inner for part in shape.parts.values() for inner in shapes(part))]


SHAPES = {name: shapes(shape_of(spec.request)) for name, spec in SPECS.items()}


def test_every_planned_tool_is_there_or_says_why_not_and_what_is_there_instead() -> None:
    assert set(PLANNED) <= SPECS.keys() | ABSENT.keys()
    assert ABSENT.keys() & SPECS.keys() == set()
    named = {name: set(re.findall(r"`([a-z_]+)`", reason)) for name, reason in ABSENT.items()}
    available = SPECS.keys() | {prompt.name for prompt in PROMPTS}
    assert {name: names for name, names in named.items() if not names <= available} == {}
    silent = {name for name, names in named.items() if not names and "katana://" not in ABSENT[name]}
    assert silent <= {"search_tools", "call_tool"}


@pytest.mark.parametrize("name", sorted(ABSENT))
def test_the_call_of_an_absent_tool_is_told_its_reason(name: str) -> None:
    assert unknown_tool(name, SPECS, ABSENT) == f"{name!r} is not there: {ABSENT[name]}"
    assert ABSENT[name] in unknown_tool(f"{name}_", SPECS, ABSENT)


def test_a_tool_that_was_left_out_at_the_start_says_so() -> None:
    served = [tool.name for tool in chosen((), ("read",), ())]
    hint = unknown_tool("apply_plan", served, absent_tools(served=served))
    assert hint == (
        "'apply_plan' is not there: it was left out when this server was started, by its toolsets, its tools, "
        "its catalogue or --read-only"
    )


TOOL_HINTS = {
    "serch_items": "search_items",
    "update_purchase_order": "modify_purchase_order",
    "edit_customer": "modify_customer",
    "remove_customer": "delete_customer",
    "delte_customer": "delete_customer",
    "aply_plan": "apply_plan",
    "get_po": "get_purchase_order",
    "find_products": "search_items",
    "find_product": "search_items",
    "check_stock": "check_inventory",
    "get-item": "get_item",
    "Search_Items": "search_items",
    "mcp__katana__search_items": "search_items",
    "functions.get_item": "get_item",
    "katana:apply_plan": "apply_plan",
    "purchase_orders": "list_purchase_orders",
    "gte_purchase_order": "get_purchase_order",
}


@pytest.mark.parametrize(("name", "near"), TOOL_HINTS.items())
def test_a_misspelt_tool_or_one_in_other_words_is_answered_with_ours(name: str, near: str) -> None:
    assert unknown_tool(name, SPECS, ABSENT) == f"no tool is called {name!r}; did you mean {near!r}?"


@pytest.mark.parametrize("verb", ["verify", "close", "reject", "cancel", "check", "complete", "send", "reopen", "pick"])
def test_another_verb_leads_to_what_there_is_of_the_same_thing_and_to_no_other_verb(verb: str) -> None:
    assert unknown_tool(f"{verb}_purchase_order", SPECS, ABSENT) == (
        f"no tool is called '{verb}_purchase_order'; similar ones: search_purchase_orders, "
        "list_purchase_orders, get_purchase_order, create_purchase_order, modify_purchase_order, "
        "receive_purchase_order, correct_purchase_order"
    )


HARMLESS = ("receive", "get", "list", "cancel", "archive", "close", "update", "create", "check", "select", "relate")
OBJECTS = ("purchase_order", "stock_transfer", "customer", "plan", "cache", "sales_return", "supplier")


def test_a_harmless_verb_never_leads_to_one_that_writes_or_deletes() -> None:
    bold = {tool for tool in (*SPECS, *ABSENT) if tool.split("_")[0] in CHANGING}
    assert bold >= {"apply_plan", "rebuild_cache", "delete_customer", "delete_purchase_order"}
    assert {name for name, spec in SPECS.items() if not spec.read_only} <= bold
    every = [*SPECS, *ABSENT]
    for name in (f"{verb}_{noun}{end}" for verb in HARMLESS for noun in OBJECTS for end in ("", "s", "x")):
        assert nearest(name, every) not in bold, name
        for tool in bold:
            assert f"{tool!r}" not in unknown_tool(name, SPECS, ABSENT), (name, tool)
    assert {word for word, ours in SAME.items() if ours in CHANGING} <= CHANGING


def test_a_tool_of_another_server_that_changes_something_is_no_hint_for_a_harmless_name() -> None:
    assert nearest("book_parcels", ["book_parcel"], ["book_parcel"]) == "book_parcel"
    assert nearest("look_parcel", ["book_parcel"]) == "book_parcel"
    assert nearest("look_parcel", ["book_parcel"], ["book_parcel"]) is None


def test_no_word_for_an_argument_leads_to_a_deletion_that_it_does_not_name() -> None:
    for tool, every in SHAPES.items():
        for shape in every:
            for word in (*shape.words, "rows", "row_id", "row_ids", "add_row_ids", "addresses_ids", "rows_ids"):
                bold = [argument for argument in shape.arguments if argument.startswith("delete_")]
                if word.split("_")[0] not in {"delete", "remove", "deleted"} and word not in shape.names:
                    hint = shape.hint(word)
                    assert hint.startswith("known: ") or not any(name in hint for name in bold), (tool, word)


def test_words_are_offered_where_the_request_has_what_they_stand_for() -> None:
    for tool, every in SHAPES.items():
        for shape in every:
            for word, said in shape.words.items():
                assert word not in shape.names, (tool, word)
                named = re.findall(r"`([a-z_]+)`", said) if isinstance(said, str) else said
                assert named, (tool, word)
                assert set(named) <= {*shape.arguments, *SPECS}, (tool, word)


FIXED = "locations and rows of a transfer never change: `create_stock_transfer` plans another one"
CASES: list[tuple[str, dict[str, Any], str | None, str]] = [
    (
        "modify_purchase_order",
        {"rows": []},
        "rows",
        "unknown argument 'rows'; say `update_rows` to change rows, `add_rows` to add some",
    ),
    (
        "create_stock_transfer",
        {"to_location": 1},
        "to_location",
        "unknown argument 'to_location'; did you mean 'destination_location_id'?",
    ),
    (
        "create_purchase_order",
        {"rows": [{"qty": 1, "sku": "A"}]},
        "rows[0].sku",
        "rows[0]: unknown argument 'sku'; did you mean 'sku_or_variant_id'?",
    ),
    (
        "create_purchase_order",
        {"due_date": "2026-03-01"},
        "due_date",
        "unknown argument 'due_date'; did you mean 'expected_arrival_date'?",
    ),
    (
        "create_purchase_order",
        {"quantity": 1},
        "quantity",
        "unknown argument 'quantity'; it stands in `rows`",
    ),
    ("create_purchase_order", {"notes": ""}, "notes", "unknown argument 'notes'; did you mean 'additional_info'?"),
    ("create_customer", {"notes": ""}, "notes", "unknown argument 'notes'; did you mean 'comment'?"),
    (
        "modify_customer",
        {"address": {}},
        "address",
        "unknown argument 'address'; say `update_addresses` to change addresses, `add_addresses` to add some",
    ),
    (
        "modify_customer",
        {"update_addresses": [{}, {"street": "x"}]},
        "update_addresses[1].street",
        "update_addresses[1]: unknown argument 'street'; did you mean 'line_1'?",
    ),
    ("list_sales_orders", {"customer": "x"}, "customer", "unknown argument 'customer'; did you mean 'customer_id'?"),
    (
        "list_purchase_orders",
        {"sku": "x"},
        "sku",
        "unknown argument 'sku'; did you mean 'skus_or_variant_ids'?",
    ),
    (
        "modify_stock_transfer",
        {"to_location": 1},
        "to_location",
        f"unknown argument 'to_location'; {FIXED}",
    ),
    ("search_items", {"pgae": 2}, "pgae", "unknown argument 'pgae'; did you mean 'page'?"),
]


@pytest.mark.parametrize(("tool", "arguments", "path", "said"), CASES, ids=[f"{case[0]} {case[2]}" for case in CASES])
def test_a_word_that_people_use_is_answered_with_the_argument(
    tool: str, arguments: dict[str, object], path: str | None, said: str
) -> None:
    assert (said, path, "unknown_argument") in [
        (warning.message, warning.field_path, warning.code) for warning in refused(tool, arguments)
    ]


async def test_no_hidden_character_of_a_name_goes_out_whatever_it_names(stage: Stage) -> None:
    refusal = await stage.refusal("search\u061c\u00a0_items")
    assert refusal["warnings"][0]["message"] == (
        "no tool is called 'search<U+061C><U+00A0>_items'; did you mean 'search_items'?"
    )
    with pytest.raises(McpError, match=r"no resource is called 'katana://supplier<U\+E000>s'; did you mean"):
        await stage.read("katana://supplier\ue000s")
    with pytest.raises(McpError, match=r"no prompt is called 'promise_date<U\+3000>'; did you mean 'promise_date'"):
        await stage.client.get_prompt("promise_date\u3000")
    with pytest.raises(McpError, match=r"no argument of promise_date is called 'sales<U\+061C>_order'; did you mean"):
        await stage.client.get_prompt("promise_date", {"sales\u061c_order": "1"})


def test_a_name_that_many_rows_hold_is_told_once() -> None:
    rows = [{"qty": 1, "prize": 2}] * 50
    warnings = refused("create_purchase_order", {"rows": rows})
    assert [warning.field_path for warning in warnings] == ["rows[0].qty", "rows[0].prize"]


def _crowds() -> dict[str, tuple[str, dict[str, object]]]:
    names: dict[str, object] = {f"location_idd_{number}": 1 for number in range(300_000)}
    long: dict[str, object] = {f"{'source_location_id' * 20}{number}": 1 for number in range(1_000)}
    return {
        "of the request": ("list_sales_orders", names),
        "long ones": ("modify_purchase_order", long),
        "of one row": ("create_purchase_order", {"rows": [names]}),
        "of every row": ("modify_purchase_order", {"update_rows": [{"row_id": 1, **long}] * 250}),
        "one in each row": (
            "modify_purchase_order",
            {"update_rows": [{f"quantitee_{number}": 1} for number in range(250)]},
        ),
        "one in each of very many rows": ("create_purchase_order", {"rows": [{"qty": 1}] * 300_000}),
    }


@pytest.mark.parametrize("crowd", _crowds())
def test_ten_unknown_names_are_looked_at_however_many_are_sent(crowd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[str, str]] = []
    likeness = hints.likeness

    def counted(name: str, other: str) -> float:
        compared.append((name, other))
        return likeness(name, other)

    monkeypatch.setattr(hints, "likeness", counted)
    tool, arguments = _crowds()[crowd]
    warnings = refused(tool, arguments)
    assert 1 <= len(warnings) <= 10
    most = max(len(shape.arguments) for shape in SHAPES[tool])
    assert len({name for name, _ in compared}) <= 2 * 10  # each name, and its first word
    assert len(compared) <= 10 * (most + len(CHANGING))
    assert all(len(name) <= 60 for name, _ in compared)
    assert len(str([warning.message for warning in warnings])) < 20_000


SHOWN = {
    "a\u061cb": "'a<U+061C>b'",
    "a\u00a0b": "'a<U+00A0>b'",
    "a\u3000b": "'a<U+3000>b'",
    "a\u2028b": "'a<U+2028>b'",
    "a\ue000b": "'a<U+E000>b'",
    "a\U000f0000b": "'a<U+F0000>b'",
    "a\tb\n": "'a<U+0009>b<U+000A>'",
    "a\u3164b": "'a<U+3164>b'",
    "größe 漢": "'größe 漢'",
    "x" * 100: f"'{'x' * 60}'",
}


@pytest.mark.parametrize(("name", "shown"), SHOWN.items(), ids=[hint.split("'")[1] for hint in SHOWN.values()])
def test_a_name_shows_each_character_that_a_reader_could_miss(name: str, shown: str) -> None:
    assert quoted(name) == shown
    assert unknown_tool(name, SPECS, ABSENT).startswith(f"no tool is called {shown}; ")
    (warning,) = refused("search_items", {"query": "x", name: 1})
    assert warning.message.startswith(f"unknown argument {shown}; ")
    assert f"'{warning.field_path}'" == shown
