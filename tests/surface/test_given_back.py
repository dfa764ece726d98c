"""One thing, one name, both ways: what an answer calls an id is taken under that name wherever the id is asked for."""

from collections.abc import Iterator
from datetime import UTC, datetime, time
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest
from tests.at_once import at_once

from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp.answer_schemas import answer_schema
from katana_mcp.server.mcp.arguments import validated
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Payload, Stage
from katana_mcp.tools.days import DayReading, days_in
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused
from katana_sandbox import ManualClock, Tenant

from .matrix import let_ask, matrix
from .shapes import Schema, fitting, nodes

pytestmark = pytest.mark.usefixtures("hasty_journal")
LISTED = {row["name"]: row for row in catalogue()}
SPECS = {spec.name: spec for spec in tools()}
ONE = {
    "additional_cost_id": "additional cost",
    "additional_cost_row_id": "additional cost row",
    "address_id": "address",
    "batch_id": "batch",
    "custom_field_definition_id": "custom field",
    "customer_id": "customer",
    "ecommerce_order_id": "order of a shop",
    "fulfillment_row_id": "row of a shipment",
    "item_id": "item",
    "linked_manufacturing_order_id": "manufacturing order",
    "location_id": "location",
    "manufacturing_order_id": "manufacturing order",
    "parent_variant_id": "variant",
    "operation_row_id": "operation row",
    "plan_token": "token",
    "production_id": "production",
    "purchase_order_id": "purchase order",
    "purchase_order_row_id": "purchase order row",
    "sales_order_fulfillment_id": "shipment",
    "sales_order_row_id": "sales order row",
    "serial_number_id": "serial number",
    "serial_number_ids": "serial number",
    "bin_transfer_id": "bin transfer",
    "price_list_id": "price list",
    "shipping_fee_id": "shipping fee",
    "recipe_row_id": "recipe row",
    "reference_id": "reference",
    "reason_id": "return reason",
    "restock_location_id": "location of another role",
    "return_location_id": "location",
    "row_id": "row of a plan",
    "sales_order_id": "sales order",
    "sales_return_id": "sales return",
    "sales_return_row_id": "sales return row",
    "source_location_id": "location",
    "stock_adjustment_id": "stock adjustment",
    "stock_transfer_id": "stock transfer",
    "stocktake_id": "stocktake",
    "supplier_id": "supplier",
    "target_location_id": "location",
    "tax_rate_id": "tax rate",
    "tracking_location_id": "location",
    "variant_id": "variant",
    "default_shipping_id": "address",
    "default_billing_id": "address",
}
"""What each name of an answer is the id of, where a tool asks for such an id."""
NEVER_ASKED = {
    *("bill_id", "billing_address_id", "bin_location_id", "bom_row_id", "default_group_id"),
    *("group_id", "movement_id", "operator_id"),
    *(
        "packer_id",
        "received_items_group_id",
        "resource_id",
    ),
    "shipping_address_id",
    *("stock_adjustment_row_id", "stock_transfer_row_id", "stocktake_row_id"),
}
"""Ids that no tool asks for."""
ASKED = {
    **{
        name: {kind} for name, kind in ONE.items() if name not in {"plan_token", "row_id", "sales_order_fulfillment_id"}
    },
    "destination_location_id": {"location"},
    "sku_or_variant_id": {"variant"},
    "skus_or_variant_ids": {"variant"},
    "ingredient_skus_or_variant_ids": {"variant"},
    "received_with_row_id": {"row that came in the same receipt"},
    "row_id": {"purchase order row", "row of a plan"},
    "delete_row_ids": {"purchase order row", "row of a plan"},
    "delete_shipping_fee_ids": {"shipping fee"},
    "additional_cost_row_id": {"additional cost row", "row of a plan"},
    "delete_additional_cost_row_ids": {"additional cost row", "row of a plan"},
    "delete_address_ids": {"address"},
    "row_ids": {"rows of a sales order, given in one list"},
    "delete_variant_ids": {"variants of the item that are to go"},
    "after_variant_id": {"place in the order of variants"},
    "delete_production_id": {"production that is to go, which no answer names"},
    "delete_recipe_row_ids": {"recipe row"},
    "delete_operation_row_ids": {"operation row"},
    "plan_tokens": {"token"},
    "fulfillment_id": {"shipment"},
    "delete_fulfillment_id": {"shipment that is to go, which no answer names"},
}
"""What each argument asks for."""
_ROLE = "a place, or an address, of another role would be taken for one of this"
_VERB = "a name without the verb must not delete"
NOT_TAKEN: dict[tuple[str, str], str] = {
    **{
        (argument, shown): _ROLE
        for argument in (
            *("location_id", "source_location_id", "target_location_id"),
            *("destination_location_id", "tracking_location_id", "return_location_id"),
        )
        for shown in (
            *("location_id", "source_location_id", "target_location_id"),
            *("tracking_location_id", "return_location_id"),
        )
        if shown != argument and {shown, argument} != {"target_location_id", "destination_location_id"}
    },
    ("address_id", "default_shipping_id"): _ROLE,
    ("address_id", "default_billing_id"): _ROLE,
    ("default_shipping_id", "address_id"): _ROLE,
    ("default_shipping_id", "default_billing_id"): _ROLE,
    ("ingredient_skus_or_variant_ids", "variant_id"): "it is the product in this list",
    ("ingredient_skus_or_variant_ids", "parent_variant_id"): "it is the product in this list",
    ("serial_number_ids", "serial_number_id"): "all serial numbers of a row are given in one list",
    ("serial_number_id", "serial_number_ids"): "each unit has an entry of its own",
    ("delete_row_ids", "purchase_order_row_id"): _VERB,
    ("delete_row_ids", "row_id"): _VERB,
    ("delete_row_ids", "sales_return_row_id"): _VERB,
    ("delete_row_ids", "sales_order_row_id"): _VERB,
    ("delete_shipping_fee_ids", "shipping_fee_id"): _VERB,
    ("delete_additional_cost_row_ids", "additional_cost_row_id"): _VERB,
    ("delete_additional_cost_row_ids", "row_id"): _VERB,
    ("delete_address_ids", "address_id"): _VERB,
    ("delete_recipe_row_ids", "recipe_row_id"): _VERB,
    ("delete_operation_row_ids", "operation_row_id"): _VERB,
    ("delete_address_ids", "default_shipping_id"): _VERB,
    ("delete_address_ids", "default_billing_id"): _VERB,
}
"""An argument and a name of an answer under which it is not taken, with the reason."""


def _ids(schema: Schema) -> Iterator[str]:
    for path, _ in nodes(schema):
        name = path.rpartition(".")[2].removesuffix("[]")
        if name.endswith(("_id", "_ids")) or name in {"id", "plan_token"}:
            yield name


def _owner(tool: str) -> str:
    """Return what the document of a tool is called."""
    _, _, name = tool.partition("_")
    return name.removesuffix("s").removesuffix("_recipe").replace("_", " ")


def _kinds(tool: str, argument: str) -> set[str]:
    if argument in {"row_id", "delete_row_ids"}:
        return {f"{_owner(tool)} row", "row of a plan"}
    return {_owner(tool)} if argument == "ids" else ASKED.get(argument, set())


def _pairs() -> Iterator[tuple[str, str, str]]:
    """Yield each tool, each path of it that asks for an id, and each other name under which answers show such an id."""
    for tool, listed in LISTED.items():
        for path in dict.fromkeys(path.removesuffix("[]") for path, _ in nodes(listed["inputSchema"])):
            argument = path.rpartition(".")[2]
            kinds = _kinds(tool, argument)
            shown = [name for name, kind in ONE.items() if kind in kinds and name != argument]
            is_own = "." not in path and (argument == "ids" or _owner(tool) in kinds)
            yield from ((tool, path, name) for name in (*shown, *(["id"] if is_own else [])))


PAIRS = list(_pairs())
READING = {spec.name for spec in SPECS.values() if spec.read_only and not spec.plans}


def _taken(tool: str, path: str, name: str) -> Request:
    """Return the request in which a required or an optional argument, alone or in a row, has this name."""
    schema = LISTED[tool]["inputSchema"]
    given = {key: fitting(schema["properties"][key]) for key in schema.get("required", ())}
    outer, _, inner = path.partition("[].")
    if inner:
        items = schema["properties"][outer]["items"]
        row = cast("dict[str, object]", fitting(items))
        row.pop(inner, None)
        given[outer] = [row | {name: 7}]
    else:
        given.pop(outer, None)
        given[name] = "token" if name.startswith("plan_token") else 7
    return validated(SPECS[tool].request, schema, given)


def test_every_id_of_an_answer_and_every_argument_that_asks_for_one_is_named_here() -> None:
    shown = {name for spec in SPECS.values() for name in _ids(answer_schema(spec.answer))}
    assert shown == ONE.keys() | NEVER_ASKED | {"id"}
    asked = {name for row in LISTED.values() for name in _ids(row["inputSchema"])}
    assert asked - {"ids"} <= ASKED.keys()
    assert len(PAIRS) > 80


@at_once(("tool", "path", "name"), PAIRS)
def test_an_id_is_taken_under_every_name_that_an_answer_gives_it(tool: str, path: str, name: str) -> None:
    argument = path.rpartition(".")[2]
    if (argument, name) in NOT_TAKEN:
        own = dict(nodes(LISTED[tool]["inputSchema"]))
        beside = f"{path.removesuffix(argument)}{name}"
        if beside not in own and not (argument.startswith("ingredient_")):
            with pytest.raises(Refused):
                _taken(tool, path, name)
        return
    assert _taken(tool, path, name) == _taken_by_its_own(tool, path)


def _taken_by_its_own(tool: str, path: str) -> Request:
    argument = path.rpartition(".")[2]
    schema = dict(nodes(LISTED[tool]["inputSchema"]))[path]
    if schema.get("type") != "array":
        return _taken(tool, path, argument)
    given = {
        name: fitting(LISTED[tool]["inputSchema"]["properties"][name])
        for name in LISTED[tool]["inputSchema"].get("required", ())
    }
    value: list[object] = ["token" if argument == "plan_tokens" else 7]
    return validated(SPECS[tool].request, LISTED[tool]["inputSchema"], {**given, argument: value})


def test_no_reason_is_given_for_what_is_taken() -> None:
    tried = {(path.rpartition(".")[2], name) for _, path, name in PAIRS}
    assert NOT_TAKEN.keys() - tried == set()


@at_once(("tool", "path", "name"), [pair for pair in PAIRS if (pair[1].rpartition(".")[2], pair[2]) not in NOT_TAKEN])
def test_the_same_argument_under_two_names_is_refused_naming_both(tool: str, path: str, name: str) -> None:
    argument = path.rpartition(".")[2]
    schema = LISTED[tool]["inputSchema"]
    given: dict[str, Any] = {key: fitting(schema["properties"][key]) for key in schema.get("required", ())}
    outer, _, inner = path.partition("[].")
    value = fitting(dict(nodes(schema))[path])
    if inner:
        given[outer] = [cast("dict[str, object]", fitting(schema["properties"][outer]["items"])) | {inner: 7, name: 7}]
    else:
        given |= {argument: value, name: value}
    with pytest.raises(Refused) as refusal:
        validated(SPECS[tool].request, schema, given)
    messages = [warning.message for warning in refusal.value.warnings]
    assert any(
        f"{argument!r} and {name!r} are the same argument: give one of them" in message for message in messages
    ), messages


def _blocking(preview: Payload) -> list[str]:
    return [warning["message"] for warning in preview["warnings"] if warning["severity"] == "blocking"]


async def test_what_documents_show_is_fed_back_as_it_is_shown(stage: Stage, tenant: Tenant) -> None:
    costs = {po_additional_cost_row["group_id"] for po_additional_cost_row in tenant.all("po_additional_cost_rows")}
    open_ones = [
        purchase_order for purchase_order in tenant.all("purchase_orders") if purchase_order["status"] == "NOT_RECEIVED"
    ]
    number = next(one["order_no"] for one in open_ones if one["default_group_id"] in costs)
    order = (await stage.call("get_purchase_order", purchase_order_id=number))["order"]
    row, cost = order["rows"][0], order["additional_costs"][0]
    shown = {name: row[name] for name in ("purchase_order_row_id", "variant_id")}
    change = {"additional_cost_row_id": cost["additional_cost_row_id"], "price": 7}
    preview = await stage.call(
        "modify_purchase_order",
        purchase_order_id=order["purchase_order_id"],
        update_rows=[{**shown, "quantity": 77}],
        update_additional_costs=[change],
    )
    assert _blocking(preview) == []
    lines = [line for line in preview["lines"] if line.get("change") == "update"]
    assert [line["row_id"] for line in lines] == [row["purchase_order_row_id"], cost["additional_cost_row_id"]]
    again = await stage.call(
        "modify_purchase_order",
        id=preview["id"],
        update_rows=[{"row_id": lines[0]["row_id"], "quantity": 77}],
        update_additional_costs=[{"row_id": lines[1]["row_id"], "price": 7}],
    )
    assert again["requests"] == preview["requests"]
    stock = await stage.call("check_inventory", variant_id=row["variant_id"])
    assert [entry["variant_id"] for entry in stock["stock"]] == [row["variant_id"]]


async def test_a_transfer_is_planned_again_from_what_it_shows(stage: Stage, tenant: Tenant) -> None:
    number = next(
        transfer["stock_transfer_number"] for transfer in tenant.all("stock_transfers") if not transfer["deleted_at"]
    )
    shown = (await stage.call("get_stock_transfer", stock_transfer_id=number))["transfer"]
    places = {name: shown[name] for name in ("source_location_id", "target_location_id")}
    rows = [{name: row[name] for name in ("variant_id", "quantity")} for row in shown["rows"]]
    preview = await stage.call("create_stock_transfer", **places, rows=rows)
    assert _blocking(preview) == []
    same = await stage.call("list_stock_transfers", stock_transfer_id=shown["stock_transfer_id"])
    assert [row["stock_transfer_id"] for row in same["rows"]] == [shown["stock_transfer_id"]]


DATES = [
    (tool, path)
    for tool, listed in LISTED.items()
    for path, node in nodes(listed["inputSchema"])
    if node.get("format") == "date-time"
]


@at_once(("tool", "path"), DATES)
@at_once("zone", ["Pacific/Auckland", "America/Los_Angeles"])
def test_every_date_argument_takes_a_bare_date_and_a_moment_of_the_factorys_time_zone(
    tool: str, path: str, zone: str
) -> None:
    for text in ("2026-02-28", "2026-02-28T09:30:00"):
        if "T" in text and (tool, path) == ("inventory_at", "as_of"):
            continue  # it wants the offset
        request, dates = _dated(tool, path, text, zone)
        assert dates.used
        at_the_factory = request.astimezone(ZoneInfo(zone))
        assert at_the_factory.date().isoformat() == "2026-02-28"
        assert "T" not in text or at_the_factory.time() == time(9, 30)
    exact, dates = _dated(tool, path, "2026-02-28T09:30:00-03:00", zone)
    assert (exact, dates.used) == (datetime(2026, 2, 28, 12, 30, tzinfo=UTC), False)


def _dated(tool: str, path: str, text: str, zone: str) -> tuple[datetime, DayReading]:
    """Return the moment that a text is taken for at a factory in a zone, and what was noted."""
    schema, dates = LISTED[tool]["inputSchema"], DayReading(days_in(zone))
    given: dict[str, Any] = {name: fitting(schema["properties"][name]) for name in schema.get("required", ())}
    outer, _, inner = path.partition("[].")
    row = {inner: text}
    given[outer] = (
        [cast("dict[str, object]", fitting(schema["properties"][outer]["items"])) | row] if inner else row[""]
    )
    request = validated(SPECS[tool].request, schema, given, dates)
    holder = getattr(request, outer)[0] if inner else request
    return getattr(holder, inner or outer), dates


def test_there_are_dates() -> None:
    assert len(DATES) > 60
    assert ("inventory_at", "as_of") in DATES


def _shown_ids(value: object) -> Iterator[tuple[str, int]]:
    """Yield every id in an answer with its name."""
    if isinstance(value, list):
        for element in cast("list[object]", value):
            yield from _shown_ids(element)
    elif isinstance(value, dict):
        for name, element in cast("dict[str, object]", value).items():
            if name in ONE and isinstance(element, int):
                yield name, element
            yield from _shown_ids(element)


@pytest.mark.parametrize("every", [pytest.param(4, id="some"), pytest.param(1, id="all", marks=pytest.mark.soak)])
async def test_every_id_of_every_answer_finds_something_under_the_name_that_shows_it(
    stage: Stage, tenant: Tenant, clock: ManualClock, every: int
) -> None:
    usual = {tool: call.arguments for tool, call in matrix(tenant).items()}
    shown = dict[str, int]()
    for tool, arguments in usual.items():
        let_ask(tool, clock)
        for name, value in _shown_ids(await stage.call(tool, **arguments)):
            shown[name] = max(value, shown.get(name, 0))  # the highest, as items of several types share the others
    top = [pair for pair in PAIRS if "[]." not in pair[1]]
    asked = {(tool, path, name) for tool, path, name in top if (path, name) not in NOT_TAKEN and tool in READING}
    named = {name for _, _, name in asked} - {"id"}
    assert named <= shown.keys()
    for tool, path, name in sorted(asked)[::every]:
        value = shown.get(f"{_owner(tool).replace(' ', '_')}_id" if name == "id" else name)
        if value is None:
            continue
        given = {argument: sent for argument, sent in usual[tool].items() if argument != path}
        let_ask(tool, clock)
        answer = await stage.call(tool, **given, **{name: value})
        assert answer.get("not_found", []) == [], (tool, path, name, value)
