"""What is true of every tool once it runs; each test covers a tool the day it is added."""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastmcp.exceptions import McpError
from mcp.types import INVALID_PARAMS

from cache_core.records import iso
from katana_mcp.commands.cli import app
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import load
from katana_mcp.resources.help import EXAMPLES
from katana_mcp.server.catalogue import promised
from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Payload, Setup, Stage, payload_of, staged, text_of
from katana_sandbox import ManualClock, Tenant

from .matrix import PLANS, PLANS_SEVERAL, WRITES, let_ask, matrix
from .usual import lasting

LISTED = {row["name"]: row for row in catalogue()}
COLLECTIONS = ("variants", "products", "materials", "services", "customers", "sales_orders", "suppliers", "inventory")


def _state(tenant: Tenant) -> dict[str, list[object]]:
    return {name: list(tenant.all(name)) for name in COLLECTIONS}


def _ids(value: object) -> Iterator[tuple[str, int]]:
    """Yield every `…_id` in an answer with its name."""
    if isinstance(value, dict):
        for name, element in value.items():
            if name.endswith("_id") and isinstance(element, int):
                yield name, element
            yield from _ids(element)
    elif isinstance(value, list):
        for element in value:
            yield from _ids(element)


def test_the_matrix_names_every_tool_and_every_parameter(tenant: Tenant) -> None:
    covered = {tool: set(usual.changes) for tool, usual in matrix(tenant).items()}
    properties = {tool: definition["inputSchema"]["properties"] for tool, definition in LISTED.items()}
    listed = {
        tool: {name for name in names if len(names[name].get("enum", "several")) > 1}
        for tool, names in properties.items()
    }
    assert covered == {tool: names for tool, names in listed.items() if tool != WRITES}


@pytest.mark.cold
@pytest.mark.parametrize("every", [pytest.param(4, id="some"), pytest.param(1, id="all", marks=pytest.mark.soak)])
async def test_every_tool_called_twice_only_reads_and_answers_alike_in_one_envelope(
    stage: Stage, tenant: Tenant, clock: ManualClock, every: int
) -> None:
    calls = matrix(tenant)
    before = _state(tenant)
    for tool, usual in [*calls.items()][::every]:
        clock.advance(901)  # nothing is fresh for longer
        result = await stage.result(tool, usual.arguments)
        payload: Payload = payload_of(result)
        assert json.loads(text_of(result)) == payload, tool
        assert payload["source"] == "sandbox", tool
        assert isinstance(payload["warnings"], list), tool
        assert isinstance(payload["next_actions"], list), tool
        # A plan of several documents waits for one of the minute's requests after the other.
        assert tool in {"cache_status", *PLANS_SEVERAL} or payload["as_of"] == iso(clock.now()), tool
        assert "stale" not in payload, tool
        assert "warming" not in payload, tool
        assert lasting(await stage.call(tool, **usual.arguments)) == lasting(payload), tool
    assert {request.method for request in stage.own.sandbox.journal} == {"GET"}
    assert _state(tenant) == before


@pytest.mark.cold
async def test_a_tool_that_is_not_open_to_the_world_asks_katana_nothing(stage: Stage) -> None:
    for tool, definition in LISTED.items():
        if not definition["annotations"]["openWorldHint"]:
            await stage.call(tool)
    assert stage.requests() == 0


@pytest.mark.parametrize("every", [pytest.param(8, id="some"), pytest.param(1, id="all", marks=pytest.mark.soak)])
async def test_every_parameter_makes_a_difference(stage: Stage, tenant: Tenant, clock: ManualClock, every: int) -> None:
    same: list[str] = []
    for place, (tool, usual) in enumerate(matrix(tenant).items()):
        let_ask(tool, clock)
        plain = await stage.call(tool, **usual.arguments)
        for name, change in list(usual.changes.items())[place % every :: every]:
            let_ask(tool, clock)
            if lasting(await stage.call(tool, **{**usual.arguments, **change})) == lasting(plain):
                same.append(f"{tool}.{name}")
    assert same == []


def _some(ids: set[int]) -> list[int]:
    """Return the lowest and the highest, as far as there are any."""
    return sorted({min(ids), max(ids)}) if ids else []


def _asked_with(tool: str, name: str, given: dict[str, set[int]]) -> list[dict[str, object]]:
    """Return the arguments in which a parameter takes ids that answers have given out."""
    if name == "ids":
        ids = given.get(f"{tool.removeprefix('list_').removesuffix('s')}_id")
        return [{name: sorted(ids)[:100]}] if ids and tool != "list_items" else []
    if name.endswith("skus_or_variant_ids"):
        most = LISTED[tool]["inputSchema"]["properties"][name].get("maxItems", 50)
        return [{name: sorted(given["variant_id"])[: min(most, 100)]}]
    # Each plan asks Katana anew.
    several = _some(given.get(name, set()))[: 1 if tool in PLANS else 2]
    return [{name: number} for number in several]


NEEDED = {"promise_date": ("rows",), "create_item": ("variants",)}
"""Arguments that tools need besides those that they say: one of several, or what a kind of item has."""


@pytest.mark.parametrize("every", [pytest.param(8, id="some"), pytest.param(1, id="all", marks=pytest.mark.soak)])
async def test_an_id_from_any_answer_is_accepted_by_every_tool_that_takes_it(
    stage: Stage, tenant: Tenant, clock: ManualClock, every: int
) -> None:
    given: dict[str, set[int]] = {}
    usual = matrix(tenant)
    for tool, call in usual.items():
        let_ask(tool, clock)
        for name, id in _ids(await stage.call(tool, **call.arguments)):
            given.setdefault(name, set()).add(id)
    # Ids of items are unique per type: their type stands beside them in every answer.
    del given["item_id"]
    accepted: set[str] = set()
    lists = {f"list_{kind}s" for kind in ("sales_order", "purchase_order", "stock_transfer", "customer")}
    for tool in {*[*LISTED][::every], *lists}:
        definition = LISTED[tool]
        required = (*definition["inputSchema"].get("required", ()), *NEEDED.get(tool, ()))
        for name in definition["inputSchema"]["properties"]:
            for asked in _asked_with(tool, name, given):
                let_ask(tool, clock)
                needed = {other: usual[tool].arguments[other] for other in required}
                answer = await stage.call(tool, **(needed | asked))
                assert not answer.get("not_found"), (tool, asked)
                accepted.add(f"{tool}.{name}")
    assert {f"{listing}.ids" for listing in lists} <= accepted


async def test_an_item_from_any_answer_is_accepted_with_its_type(stage: Stage) -> None:
    rows = [row for word in ("e", "a") for row in (await stage.call("search_items", query=word, limit=50))["rows"]]
    rows += (await stage.call("list_items", limit=100))["rows"]
    by_type = {
        kind: {row["item_id"] for row in rows if row["item_type"] == kind}
        for kind in ("product", "material", "service")
    }
    for kind, ids in by_type.items():
        listed = await stage.call("list_items", ids=sorted(ids), type=[kind], limit=100)
        assert (listed.get("not_found"), listed["total"]) == (None, len(ids))
        for id in _some(ids):
            assert (await stage.call("get_item", item_id=id, item_type=kind))["item"]["item_id"] == id


async def test_nothing_and_zero_are_values(stage: Stage, tenant: Tenant) -> None:
    free, owed, empty = [
        sales_order["id"] for sales_order in tenant.all("sales_orders") if not sales_order["deleted_at"]
    ][:3]
    tenant.edit("sales_order_rows", tenant.get("sales_orders", free)["sales_order_rows"][0]["id"], price_per_unit=0)
    for row in tenant.get("sales_orders", empty)["sales_order_rows"]:
        tenant.delete("sales_order_rows", row["id"])
    for order, total in ((free, 0), (owed, -5), (empty, 7)):
        tenant.edit("sales_orders", order, total=total)
    variant = next(
        record["id"] for record in tenant.all("variants") if record["product_id"] and not record["deleted_at"]
    )
    tenant.edit("variants", variant, lead_time=0, sales_price=0, purchase_price=0)
    most = await stage.call("list_sales_orders", total_max=0, include_rows=True)
    assert {row["sales_order_id"]: row["total"] for row in most["rows"]} == {free: 0, owed: -5}
    least = await stage.call("list_sales_orders", total_min=0, ids=[free, owed, empty], include_rows=True)
    assert {row["sales_order_id"]: row["total"] for row in least["rows"]} == {free: 0, empty: 7}
    rows = {row["sales_order_id"]: row["rows"] for row in least["rows"]}
    assert (rows[free][0]["price_per_unit"], rows[empty]) == (0, [])
    (shown,) = (await stage.call("get_variant_details", skus_or_variant_ids=[variant]))["variants"]
    assert [shown[name] for name in ("lead_time", "sales_price", "purchase_price")] == [0, 0, 0]


async def test_every_refusal_has_the_shape_of_a_warning_and_is_text_alone(stage: Stage) -> None:
    for tool in LISTED:
        result = await stage.result(tool, {"no_such_argument": 1})
        payload = json.loads(text_of(result))
        assert result.is_error, tool
        assert result.structured_content is None, tool
        assert (result.meta or {})["katana-mcp/error"] == "unknown_argument", tool
        assert payload["error"] == payload["warnings"][0]["code"] == "unknown_argument", tool
        for warning in payload["warnings"]:
            assert list(warning) == ["severity", "message", "field_path", "code"], tool
            assert warning["severity"] == "blocking", tool


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_clients_of_both_eras_are_told_what_the_catalogue_says(own: OwnSandbox, era: str) -> None:
    async with staged(own, Setup(era="legacy" if era == "legacy" else "auto")) as stage:
        offered = {tool.name: tool for tool in await stage.client.list_tools()}
    listed = {row["name"]: row for row in catalogue(promised(tools(), load(sandbox=True).flags()))}
    assert list(offered) == list(listed)
    for name, offer in offered.items():
        shown = offer.model_dump(mode="json", by_alias=True, exclude_none=True)
        shown.pop("_meta", None)
        assert shown == listed[name], name


@pytest.mark.parametrize("spelt", ["not shipped", "Not-Shipped", "NOT_SHIPPED", "notshipped", ["not shipped"]])
async def test_a_status_is_understood_however_a_person_spells_it(stage: Stage, spelt: object) -> None:
    rows = (await stage.call("list_sales_orders", status=spelt))["rows"]
    assert {row["status"] for row in rows} == {"NOT_SHIPPED"}


async def test_a_status_that_nothing_has_is_said_naming_those_that_katana_sends(stage: Stage) -> None:
    answer = await stage.call("list_sales_orders", status=["shipped soon"])
    (warning,) = [candidate for candidate in answer["warnings"] if candidate["code"] == "unknown_value"]
    assert "there are NOT_SHIPPED, PENDING, READY_FOR_FULFILLMENT" in warning["message"]
    assert (warning["severity"], warning["field_path"], answer["total"]) == ("advisory", "status", 0)


async def test_every_resource_is_listed_and_can_be_read(stage: Stage) -> None:
    listed = [resource.uri for resource in await stage.client.list_resources()]
    assert [str(uri) for uri in listed] == [
        "katana://suppliers",
        "katana://locations",
        "katana://tax-rates",
        "katana://operators",
        "katana://additional-costs",
        "katana://custom-fields",
        "katana://factory",
        "katana://journal",
        "katana://help",
        "katana://help/tools",
        "katana://help/workflows",
    ]
    rows = {str(uri): json.loads(await stage.read(str(uri)))["total"] for uri in listed[:7]}
    tenant = stage.own.sandbox.tenant()
    named = {name: name for name in ("suppliers", "locations", "tax_rates", "operators", "additional_costs", "factory")}
    live = {
        f"katana://{name.replace('_', '-')}": sum(1 for record in tenant.all(held) if not record.get("deleted_at"))
        for name, held in (named | {"custom_fields": "custom_field_definitions"}).items()
    }
    assert rows == live


async def test_a_resource_that_does_not_exist_is_refused(stage: Stage) -> None:
    with pytest.raises(McpError, match=r"no resource is called 'katana://nowhere'; there are katana://suppliers, "):
        await stage.client.read_resource("katana://nowhere")
    with pytest.raises(McpError, match=r"did you mean 'katana://suppliers'\?"):
        await stage.client.read_resource("katana://supplier")
    for uri in ("katana://supplier/", "katana://supplier/1/2"):
        with pytest.raises(McpError, match=rf"^no resource is called '{uri}'; did you mean 'katana://suppliers'\?$"):
            await stage.client.read_resource(uri)
    for uri, one in (("katana://suppliers/7", "supplier/7"), ("katana://tax-rates/7", "tax-rate/7")):
        with pytest.raises(McpError, match=rf"^no resource is called '{uri}'; did you mean 'katana://{one}'\?$"):
            await stage.client.read_resource(uri)
    with pytest.raises(McpError, match=r"^no tool is called 'serch_items'; did you mean 'search_items'\?$"):
        await stage.client.read_resource("katana://help/tools/serch_items")
    for uri in ("katana://supplier/999999", "katana://journal/999999"):
        with pytest.raises(McpError, match=r"(has the id|no entry) '999999'") as refusal:
            await stage.client.read_resource(uri)
        assert refusal.value.error.code == INVALID_PARAMS


async def test_a_prompt_that_does_not_exist_or_cannot_be_filled_in_is_refused(stage: Stage) -> None:
    for name, given, pattern in (
        ("promise_dates", {}, r"^no prompt is called 'promise_dates'; did you mean 'promise_date'\?$"),
        ("lunch", {}, "^no prompt is called 'lunch'; there are morning_shortage_check, goods_in, promise_date, "),
        (
            "promise_date",
            {"sales_order": "SO-1", "lotion": "x"},
            "^no argument of promise_date is called 'lotion'; there are sales_order$",
        ),
        ("promise_date", {}, "^promise_date needs sales_order: "),
        ("promise_date", {"sales_order": " "}, "^promise_date needs sales_order: "),
    ):
        with pytest.raises(McpError, match=pattern):
            await stage.client.get_prompt(name, given)


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_tool_that_does_not_exist_is_refused_with_the_nearest_that_does(own: OwnSandbox, era: str) -> None:
    async with staged(own, Setup(era="legacy" if era == "legacy" else "auto")) as stage:
        near = await stage.refusal("search_item")
        assert (near["error"], near["warnings"][0]["code"]) == ("unknown_tool", "unknown_tool")
        assert near["warnings"][0]["message"] == "no tool is called 'search_item'; did you mean 'search_items'?"
        far = await stage.refusal("x" * 10_000)
        assert far["warnings"][0]["message"].endswith(f"there are {', '.join(LISTED)}")
        assert len(far["warnings"][0]["message"]) < 200 + len(", ".join(LISTED))


async def test_help_names_every_tool_and_its_examples_run(stage: Stage) -> None:
    page = await stage.read("katana://help")
    assert [name for name in LISTED if f"`{name}`" not in page] == []
    calls = re.findall(r"`(\w+)\((.*)\)`", page.partition("## Examples")[2].partition("##")[0])
    assert len(calls) == len(EXAMPLES)
    for tool, text in calls:
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call)
        answer = await stage.call(
            tool, **{str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        )
        assert [key for key in ("rows", "stock", "order", "item", "requests") if answer.get(key)], tool
        assert not answer.get("not_found"), tool


async def test_the_tool_reference_tells_every_argument(stage: Stage) -> None:
    pages = re.findall(
        r"^- `(katana://help/tools/(\w+))`: \w.*\.$", await stage.read("katana://help/tools"), re.MULTILINE
    )
    assert [tool for _, tool in pages] == list(LISTED)
    parts = {tool: await stage.read(uri) for uri, tool in pages}
    for tool, definition in LISTED.items():
        assert parts[tool].startswith(f"## {tool}\n\n{definition['description']}\n")
        schema = definition["inputSchema"]
        documented = re.findall(r"^- `(\w+)` \((required; )?(.+?)\)(?:: \w|$)", parts[tool], re.MULTILINE)
        assert [name for name, *_ in documented] == list(schema["properties"]), tool
        for name, needed, limits in documented:
            assert bool(needed) is (name in schema.get("required", ())), (tool, name)
            for key, value in _stated(schema["properties"][name]):
                assert str(value) in limits, (tool, name, key)


def _stated(schema: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield every limit and default of a parameter as it is told in words."""
    if "default" in schema:
        yield "default", json.dumps(schema["default"])
    for key in ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"):
        if key in schema:
            yield key, schema[key]
    yield from ((key, value) for key in ("enum", "examples") for value in schema.get(key, ()))
    for inner in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else [])):
        yield from _stated(inner)


def test_the_tools_are_told_as_json_without_any_key(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KATANA_API_KEY", raising=False)
    app(["tools", "--json", "--toolsets", "all"], exit_on_error=False, result_action="return_value")
    assert json.loads(capsys.readouterr().out) == list(LISTED.values())


def test_only_the_tools_that_would_be_served_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KATANA_MCP_TOOLSETS", "sales")
    app(["tools", "--json", "--exclude-tools", "search_customers"], exit_on_error=False, result_action="return_value")
    names = [row["name"] for row in json.loads(capsys.readouterr().out)]
    assert names == [
        *("search_sales_orders", "list_sales_orders", "get_sales_order"),
        *("create_sales_order", "modify_sales_order", "delete_sales_order", "fulfill_order"),
        "correct_sales_order",
        *("search_sales_returns", "list_sales_returns", "get_sales_return"),
        *("create_sales_return", "modify_sales_return", "delete_sales_return"),
        *("list_customers", "get_customer", "create_customer", "modify_customer", "delete_customer"),
        *("order_readiness", "promise_date", "prioritize_orders"),
        "apply_plan",
    ]
