"""Input that no honest host sends: refused in words, and never anything else on the wire than expected."""

import json
import random
import re
import resource
import time
from collections.abc import Callable, Iterator, Sized
from contextlib import suppress
from itertools import product
from typing import Any, cast

import pytest
from tests.at_once import at_once

from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp.arguments import validated
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Stage, payload_of
from katana_mcp.tools.warnings import Refused
from katana_sandbox import ManualClock

LISTED = {row["name"]: row for row in catalogue()}
SPECS = {tool.name: tool for tool in tools()}
LONG = {
    "additional_info": 5_000,
    "comment": 5_000,
    "table": 60_000,
    "tracking_number_url": 2_048,
    "tracking_url": 2_048,
}
"""Characters of arguments that take more than others."""
PATHS = {
    "/v1/batch_stocks",
    "/v1/bin_inventory",
    "/v1/bom_rows",
    "/v1/custom_field_definitions",
    "/v1/customers",
    "/v1/factory",
    "/v1/inventory",
    "/v1/inventory_movements",
    "/v1/locations",
    "/v1/manufacturing_order_operation_rows",
    "/v1/manufacturing_order_productions",
    "/v1/manufacturing_order_recipe_rows",
    "/v1/manufacturing_orders",
    "/v1/materials",
    "/v1/products",
    "/v1/po_additional_cost_rows",
    "/v1/additional_costs",
    "/v1/operators",
    "/v1/outsourced_purchase_order_recipe_rows",
    "/v1/purchase_order_accounting_metadata",
    "/v1/purchase_order_rows",
    "/v1/purchase_orders",
    "/v1/sales_order_fulfillments",
    "/v1/sales_orders",
    "/v1/sales_orders/{id}/returnable_items",
    "/v1/sales_return_rows",
    "/v1/sales_returns",
    "/v1/serial_numbers_stock",
    "/v1/services",
    "/v1/stock_adjustments",
    "/v1/stocktakes",
    "/v1/stocktake_rows",
    "/v1/stock_transfers",
    "/v1/tax_rates",
    "/v1/suppliers",
    "/v1/customer_addresses",
    "/v1/sales_order_addresses",
    "/v1/sales_order_rows",
    "/v1/sales_order_shipping_fee",
    "/v1/supplier_addresses",
    "/v1/variants",
}
SERVERS = 4
"""Over so many of them the tools are spread, of which each answers hostile calls."""
TOKENS = (
    *("../", "..%2f", "%2e%2e/", "/v1/../admin", "?limit=1", "#x", "&id=1", "\r\nHost: evil.example", "\x00", "\t"),
    *("\u2024\u2024/", "\uff0f", "\u202e", "\u200b", "\ud83d\ude00", "e\u0301", "漢字", "'; DROP TABLE variants; --"),
    *('"', "*", "NEAR(", "col:", "^", "-", "%", "_", "\\", "${jndi:x}", "{{7*7}}", "<script>", "SO-1", "1"),
    *("A" * 300, "B" * 10_000),
)


def _deep(depth: int) -> object:
    value: object = []
    for _ in range(depth):
        value = [value]
    return value


def _bad_values() -> Iterator[tuple[str, object]]:
    yield from {
        "deep list": _deep(1_000),
        "deep text": "[" * 1_000 + "]" * 1_000,
        "deep object text": '{"a":' * 1_000 + "1" + "}" * 1_000,
        "megabyte": "x" * 1_000_000,
        "megabyte of digits": "9" * 1_000_000,
        "nan": float("nan"),
        "infinity": float("inf"),
        "2^63": 2**63,
        "-2^63": -(2**63),
        "2^64 text": str(2**64),
        "huge number": 10**400,
        "minus zero": -0.0,
        "minus zero text": "-0",
        "fraction": 1.5,
        "duplicate keys": '{"a": 1, "a": 2}',
        "million elements": [1] * 1_000_000,
        "object": {"$ref": "#"},
        "null": None,
        "list of nulls": [None],
        "list of objects": [{"id": 1}],
        "lone surrogate": "\ud800",
        "surrogate in json": '["\\ud800"]',
        "nan in json": "[NaN]",
        "true": True,
        "empty": "",
        "blank": " ",
        "nul": "\x00",
    }.items()


def _names(tool: str) -> list[str]:
    return list(LISTED[tool]["inputSchema"]["properties"])


def _needed(tool: str) -> dict[str, Any]:
    fit = {"query": "fork", "skus_or_variant_ids": ["PAD"]}
    return {name: fit.get(name, "SO-1") for name in LISTED[tool]["inputSchema"].get("required", ())}


@pytest.mark.parametrize("tool", [name for name in LISTED if _names(name)])
def test_a_hostile_value_is_accepted_as_a_harmless_one_or_refused_in_short_words(tool: str) -> None:
    for (what, bad), name in product(_bad_values(), _names(tool)):
        given = {**_needed(tool), name: bad}
        try:
            request = validated(SPECS[tool].request, LISTED[tool]["inputSchema"], given)
        except Refused as refusal:
            warnings = [warning.model_dump() for warning in refusal.warnings]
            assert {warning["code"] for warning in warnings} <= {"invalid_argument", "unknown_argument"}, (name, what)
            assert len(json.dumps(warnings)) < 5_000, (name, what)
        else:
            kept = getattr(request, name)
            assert not isinstance(kept, str) or len(kept) <= LONG.get(name, 1_000), (name, what)
            assert not isinstance(kept, list) or len(cast("list[object]", kept)) <= 250, (name, what)
            assert not isinstance(kept, int) or kept < 2**31, (name, what)


def _size(value: object) -> int:
    return max(8, len(value)) if isinstance(value, Sized) else 8


def _drawn(rng: random.Random, values: list[object]) -> object:
    """Return one hostile value, alone or within others, as large as a message of some megabytes can carry."""
    value = rng.choice([*values, rng.randint(-(2**70), 2**70), rng.uniform(-1e300, 1e300), rng.choice(TOKENS)])
    shapes: list[Callable[[object], object]] = [
        lambda inner: inner,
        lambda inner: [inner] * min(rng.randint(1, 300), 1 + 1_000_000 // _size(inner)),
        lambda inner: {rng.choice(TOKENS): inner},
        lambda inner: f"{inner}{rng.choice(TOKENS)}"[:1_000_000],
    ]
    return rng.choice(shapes)(value)


@pytest.mark.soak
@pytest.mark.alone
@pytest.mark.usefixtures("heap_of_its_own")
@pytest.mark.parametrize("tool", [name for name in LISTED if _names(name)])
def test_two_hundred_drawn_values_are_judged_within_a_tenth_of_a_second_and_50_mb(tool: str) -> None:
    rng, values = random.Random(tool), [value for _, value in _bad_values() if value is not None]
    drawn = [(rng.choice(_names(tool)), _drawn(rng, values)) for _ in range(200)]
    before, slowest = _peak(), 0.0
    for name, value in drawn:
        began = time.process_time()
        with suppress(Refused):
            validated(SPECS[tool].request, LISTED[tool]["inputSchema"], {**_needed(tool), name: value})
        slowest = max(slowest, time.process_time() - began)
    assert slowest < 0.1
    assert _peak() - before < 50


def _peak() -> float:
    """Return the most memory that this process had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@at_once("tool", LISTED)
def test_hostile_argument_names_are_refused_in_short_words(tool: str) -> None:
    names = ["x" * 1_000_000, "__class__", "", "\x00", "query\u200b", *map(str, range(100))]
    with pytest.raises(Refused) as refusal:
        validated(SPECS[tool].request, LISTED[tool]["inputSchema"], dict.fromkeys(names, 1))
    assert {warning.code for warning in refusal.value.warnings} <= {"unknown_argument", "invalid_argument"}
    assert len(str(refusal.value)) < 5_000


@pytest.mark.parametrize("first", [0, *(pytest.param(index, marks=pytest.mark.soak) for index in range(1, SERVERS))])
async def test_the_server_answers_hostile_calls_and_is_alive_afterwards(
    stage: Stage, clock: ManualClock, first: int
) -> None:
    for tool in [name for name in LISTED if _names(name)][first::SERVERS]:
        await _answers_hostile_calls(stage, clock, tool)
        assert (await stage.call("search_items", query="fork"))["total"] > 0


async def _answers_hostile_calls(stage: Stage, clock: ManualClock, tool: str) -> None:
    no_json = {"deep list", "million elements", "lone surrogate", "nan", "infinity"}  # no client library sends these
    bad_values, names = [bad_value for bad_value in _bad_values() if bad_value[0] not in no_json], list(_names(tool))
    # Each value once, each argument once: all pairs are tried on the arguments alone, above.
    for number in range(max(len(bad_values), len(names))):
        (label, bad), name = bad_values[number % len(bad_values)], names[number % len(names)]
        if number % 20 == 0:
            clock.advance(61)  # Katana counts requests by the minute
        result = await stage.result(tool, {**_needed(tool), name: bad})
        said = payload_of(result)
        assert said.get("error") != "internal_error", (tool, name, label)
        assert all(len(warning["message"]) < 2_000 for warning in said["warnings"]), (tool, name, label)


@pytest.mark.parametrize("count", [200, pytest.param(1_000, marks=pytest.mark.soak)])
async def test_whatever_is_asked_only_expected_paths_are_requested(
    stage: Stage, clock: ManualClock, count: int
) -> None:
    rng = random.Random(20_260_302)
    texts = ["".join(rng.choice(TOKENS) for _ in range(rng.randint(1, 4))) for _ in range(count)]
    wheres = [(tool, name) for tool in LISTED for name in _names(tool) if _takes_text(tool, name)]
    assert len(wheres) >= 8
    failed: list[tuple[str, str, str]] = []
    for index, text in enumerate(texts):
        if index % 20 == 0:
            clock.advance(61)  # Katana counts requests by the minute
        tool, name = wheres[index % len(wheres)]
        value = [text] if name == "skus_or_variant_ids" else text
        result = await stage.result(tool, {**_needed(tool), name: value})
        if payload_of(result).get("error") == "internal_error":
            failed.append((tool, name, text))
    for record_id in rng.sample(range(1, 2**31), 50):
        await stage.result("check_inventory", {"skus_or_variant_ids": [record_id]})
        await stage.result("get_sales_order", {"sales_order_id": record_id})
    assert failed == []
    journal = list(stage.own.sandbox.journal)
    assert {re.sub(r"/\d+(?=/)", "/{id}", request.path) for request in journal} <= PATHS
    assert {request.method for request in journal} == {"GET"}
    assert {name for request in journal for name, _ in request.query} <= {
        *("limit", "page", "include_deleted", "include_archived", "updated_at_min", "variant_id", "name", "ids", "sku"),
        *("order_no", "stock_transfer_number", "stock_adjustment_number", "stocktake_number", "sales_order_id"),
        *("batch_number", "include_empty", "granularity", "serial_number_id", "sales_return_id"),
        *("product_variant_id", "ingredient_variant_id", "id"),
    }


def _takes_text(tool: str, name: str) -> bool:
    schema = LISTED[tool]["inputSchema"]["properties"][name]
    kinds = [schema, *schema.get("anyOf", ()), *schema.get("items", {}).get("anyOf", ())]
    return any(kind.get("type") == "string" for kind in kinds)
