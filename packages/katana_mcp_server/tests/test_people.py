"""What people type: other case, blanks, a supplier's code for a SKU, a date for a day, an id that nothing has."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from server_wire import live

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import SettingsError, load
from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp.arguments import validated
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Stage
from katana_mcp.tools.warnings import Refused

LISTED = {row["name"]: row for row in catalogue()}
SPECS = {tool.name: tool for tool in tools()}


@pytest.mark.parametrize("asked", ["fskt-35m", "FSKT-35M ", " Fskt-35m"])
async def test_a_sku_in_other_case_or_with_blanks_is_found(stage: Stage, asked: str) -> None:
    answer = await stage.call("get_variant_details", skus_or_variant_ids=[asked])
    assert [variant["sku"] for variant in answer["variants"]] == ["FSKT-35M"]


async def test_a_suppliers_code_in_place_of_a_sku_names_the_sku(stage: Stage) -> None:
    answer = await stage.call("check_inventory", skus_or_variant_ids=["00.4021.018.003"])
    assert answer["not_found"][0]["did_you_mean"][0] == "FSKT-35M"


async def test_a_suggested_sku_is_one_that_the_tool_accepts(stage: Stage) -> None:
    refused = await stage.call("check_inventory", skus_or_variant_ids=["FSKT-35N"])
    (suggested, *_) = refused["not_found"][0]["did_you_mean"]
    accepted = await stage.call("check_inventory", skus_or_variant_ids=[suggested])
    assert accepted["not_found"] == []


async def test_a_customers_name_counts_in_any_case_and_a_near_one_is_spelt_out(stage: Stage, own: OwnSandbox) -> None:
    customer = live(own.sandbox.tenant(), "customers")[0]
    exact = await stage.call("list_sales_orders", customer_id=customer["name"])
    assert (await stage.call("list_sales_orders", customer_id=customer["name"].upper()))["rows"] == exact["rows"]
    misspelt = customer["name"][:-1] + "q"
    refusal = await stage.refusal("list_sales_orders", customer_id=misspelt)
    assert repr(customer["name"]) in refusal["warnings"][0]["message"]


@pytest.mark.parametrize("argument", ["customer_id", "location_id", "skus_or_variant_ids"])
async def test_a_filter_by_an_id_that_nothing_has_is_refused(stage: Stage, argument: str) -> None:
    value: object = [999_999] if argument == "skus_or_variant_ids" else 999_999
    refusal = await stage.refusal("list_sales_orders", **{argument: value})
    assert (refusal["error"], refusal["warnings"][0]["field_path"]) == ("not_found", argument)


async def test_a_date_alone_reaches_to_the_end_of_that_day(stage: Stage, own: OwnSandbox) -> None:
    orders = [order for order in live(own.sandbox.tenant(), "sales_orders") if order["delivery_date"]]
    (factory,) = live(own.sandbox.tenant(), "factory")
    zone = ZoneInfo(factory["timezone"])
    days = {order["id"]: datetime.fromisoformat(order["delivery_date"]).astimezone(zone).date() for order in orders}
    day = str(days[orders[0]["id"]])
    due = sorted(nr for nr, due_day in days.items() if str(due_day) == day)
    answer = await stage.call("list_sales_orders", delivery_from=day, delivery_to=day, limit=250)
    assert sorted(row["sales_order_id"] for row in answer["rows"]) == due


@pytest.mark.parametrize("url", ["https://api.katanamrp.com/v1/", "https://api.katanamrp.com", "https://example.com"])
def test_the_sandbox_never_works_on_another_machine(url: str) -> None:
    with pytest.raises(SettingsError, match="works on invented data of this machine"):
        load(_env_file=None, sandbox=True, api_key="a-real-key", base_url=url)


@pytest.mark.parametrize("spelt", ["eur", " Eur ", "EUR"])
async def test_a_currency_is_understood_in_any_case(stage: Stage, spelt: str) -> None:
    rows = (await stage.call("list_sales_orders", currency=spelt))["rows"]
    assert {row["currency"] for row in rows} == {"EUR"}


@pytest.mark.parametrize("off", [False, "false"])
async def test_overdue_false_is_no_filter(stage: Stage, off: object) -> None:
    assert (await stage.call("list_sales_orders", overdue=off)) == (await stage.call("list_sales_orders"))


async def test_a_number_as_search_text_is_taken_as_typed(stage: Stage) -> None:
    assert (await stage.call("search_items", query=4021)) == (await stage.call("search_items", query="4021"))


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("currency", "euros", "currency is 'euros': must be a currency code of three letters, such as EUR"),
        ("overdue", "maybe", "overdue is 'maybe': must be true or false"),
        ("open", 3, "open is 3: must be true or false"),
        ("limit", "many", "limit is 'many': must be a whole number"),
        ("limit", 251, "limit is 251: must be 250 or less"),
        ("page", 0, "page is 0: must be 1 or more"),
        ("customer_id", [1], "customer_id: must be a whole number or must be a text"),
        ("skus_or_variant_ids", [], "skus_or_variant_ids: must have at least 1 entry"),
        ("ids", "a", "ids[0] is 'a': must be a whole number"),
        ("order_by", "price", "order_by is 'price': must be one of -created_at, created_at, "),
        *(
            (name, value, f"{name} is {value!r}: must be a date or a moment in ISO-8601, such as")
            for name in ("created_from", "created_to")
            for value in ("yesterday", "2027", "20270101", "2027.5", "-1", 2027, 20270101, 253402300800)
        ),
    ],
)
async def test_a_wrong_argument_is_told_in_our_words(stage: Stage, argument: str, value: object, message: str) -> None:
    refusal = await stage.refusal("list_sales_orders", **{argument: value})
    assert refusal["warnings"][0]["message"].startswith(message)


def _message(tool: str, arguments: dict[str, object]) -> str:
    try:
        validated(SPECS[tool].request, LISTED[tool]["inputSchema"], arguments)
    except Refused as refusal:
        return str(refusal)
    return ""


def test_what_pydantic_would_say_never_reaches_people() -> None:
    values: tuple[Any, ...] = (None, True, 1.5, -1, "", "x" * 2_000, [], [None], [[]], {}, {"a": 1}, object())
    foreign = ("Input should", "valid ", "pydantic", "discriminator", "constrained", "has a form that is not allowed")
    for tool, listed in LISTED.items():
        for name in listed["inputSchema"]["properties"]:
            for value in values:
                message = _message(tool, {name: value})
                assert [word for word in foreign if word in message] == [], (tool, name, value)
