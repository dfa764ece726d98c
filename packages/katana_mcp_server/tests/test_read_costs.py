"""What a read costs: a warm one no request to Katana, and any as many statements for many rows as for one."""

from typing import Any

import pytest
from server_wire import live, unique_sku
from sql_count import Statements, counted, warm_cost

from katana_mcp.adapter.catalogue import catalogue
from katana_mcp.sandbox import OwnSandbox
from katana_mcp.testing import Stage, staged
from katana_sandbox import Tenant

# The rest of a page takes no statement of its own.
PAGED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_low_stock_items", {"include_expected": False}),
    ("list_blocking_ingredients", {}),
)
BY_VARIANT: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_variant_details", {}),
    ("check_inventory", {}),
    ("get_inventory_movements", {"limit": 250}),
    ("get_bom", {"limit": 250}),
    ("inventory_at", {"as_of": "2026-03-01T00:00:00Z"}),
)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Statements:
    return counted(monkeypatch)


@pytest.mark.parametrize(("tool", "more"), BY_VARIANT, ids=[tool for tool, _ in BY_VARIANT])
@pytest.mark.parametrize("by", ["id", "sku"])
async def test_many_variants_take_as_many_statements_as_one_and_no_request(
    statements: Statements, stage: Stage, tool: str, more: dict[str, Any], by: str
) -> None:
    variants = live(stage.own.sandbox.tenant(), "variants")
    products = [each[by] for each in variants if each["product_id"] and each["sku"]]
    materials = [each[by] for each in variants if each["material_id"] and each["sku"]]
    # A product and a material each: what is read of either takes a statement of its own.
    few = await warm_cost(stage, statements, tool, skus_or_variant_ids=[products[0], materials[0]], **more)
    many = await warm_cost(stage, statements, tool, skus_or_variant_ids=products[:40] + materials[:40], **more)
    assert (few[0], many[0]) == (0, 0)
    assert few[1] == many[1] > 0


@pytest.mark.parametrize(("tool", "more"), PAGED, ids=[tool for tool, _ in PAGED])
async def test_a_long_page_takes_as_many_statements_as_a_short_one_and_no_request(
    statements: Statements, stage: Stage, tool: str, more: dict[str, Any]
) -> None:
    few = await warm_cost(stage, statements, tool, limit=12, **more)
    many = await warm_cost(stage, statements, tool, limit=40, **more)
    assert (few[0], many[0]) == (0, 0)
    assert len(few[2]["rows"]) < len(many[2]["rows"])
    assert few[1] == many[1] > 0


BY_ROWS = ("list_sales_orders", "list_purchase_orders", "list_manufacturing_orders", "list_stock_transfers")


@pytest.mark.parametrize("tool", BY_ROWS)
async def test_a_filter_by_many_variants_takes_as_many_statements_as_one_by_two(
    statements: Statements, stage: Stage, tool: str
) -> None:
    variants = [each for each in live(stage.own.sandbox.tenant(), "variants") if each["sku"]]
    unique = [each for each in variants if unique_sku(stage.own.sandbox.tenant(), each)]
    for by in ("id", "sku"):
        named = [each[by] for each in unique]
        few = await warm_cost(stage, statements, tool, limit=1, skus_or_variant_ids=named[:2])
        many = await warm_cost(stage, statements, tool, limit=1, skus_or_variant_ids=named[:80])
        assert (few[0], many[0]) == (0, 0)
        # Where two variants keep no row at all, no name is looked up for it either.
        assert 0 < many[1] <= few[1] + KINDS, by


async def test_skus_that_nothing_has_take_no_more_statements_from_the_twentieth_on(
    statements: Statements, stage: Stage
) -> None:
    skus = [each["sku"] for each in live(stage.own.sandbox.tenant(), "variants") if each["material_id"] and each["sku"]]
    unknown = [f"nothing-{number}" for number in range(80)]
    some = await warm_cost(stage, statements, "check_inventory", skus_or_variant_ids=unknown[:21])
    many = await warm_cost(stage, statements, "check_inventory", skus_or_variant_ids=unknown)
    assert some[1] == many[1] > 0
    assert [each["asked"] for each in many[2]["not_found"]] == unknown
    (told,) = many[2]["warnings"]
    assert (told["code"], told["field_path"]) == ("truncated_result", "skus_or_variant_ids[20]")
    spelt = await stage.call("check_inventory", skus_or_variant_ids=[*unknown[:20], f" {skus[0].lower()} ", "no"])
    assert [each["sku"] for each in spelt["stock"]] == [skus[0]]
    assert [each["asked"] for each in spelt["not_found"]] == [*unknown[:20], "no"]


LISTED = {each["name"]: set(each["inputSchema"]["properties"]) for each in catalogue()}
LISTS = [name for name in LISTED if name.startswith(("list_", "search_"))]
KINDS = 12
"""Rows of more kinds take more statements, never more rows: three each for products, materials, services, variants."""


def _usual(tool: str) -> dict[str, Any]:
    if tool.startswith("search_"):
        words = {"items": "e", "customers": "e", "sales_orders": "so", "purchase_orders": "po"}
        return {"query": words.get(tool.removeprefix("search_"), tool.split("_")[1][0])}
    return {"include_rows": True} if "include_rows" in LISTED[tool] else {}


FEW = {"stock_transfers": "stock_transfer_rows", "stock_adjustments": "stock_adjustment_rows"}
"""Lists that the sandbox begins with fewer rows of than a statement for each would show; where their rows stand."""


def _more(tenant: Tenant, collection: str) -> None:
    """Add a hundred documents like the last."""
    model = live(tenant, collection)[-1]
    places = {name: model[name] for name in model if name.endswith("location_id")}
    one = "1" if collection == "stock_transfers" else 1
    sent = [{"variant_id": each["variant_id"], "quantity": one} for each in model[FEW[collection]]]
    for number in range(100):
        tenant.create(collection, {**places, f"{collection[:-1]}_number": f"S{number}", FEW[collection]: sent})


@pytest.mark.parametrize("tool", LISTS)
async def test_many_rows_take_as_many_statements_and_requests_as_one(
    statements: Statements, own: OwnSandbox, tool: str
) -> None:
    most = 50 if tool.startswith("search_") else 100
    collection = tool.partition("_")[2]
    if collection in FEW:
        _more(own.sandbox.tenant(), collection)
    asked: list[int] = []
    costs: list[tuple[int, int, Any]] = []
    for limit in (1, most):
        async with staged(own) as stage:
            before = stage.requests()
            costs.append(await warm_cost(stage, statements, tool, limit=limit, **_usual(tool)))
            asked.append(stage.requests() - before)
    (few, many) = costs
    assert len(few[2]["rows"]) == 1
    assert len(many[2]["rows"]) > (12 if collection in FEW else 4)
    assert asked[0] == asked[1] > 0
    assert (few[0], many[0]) == (0, 0)
    assert 0 < many[1] <= few[1] + KINDS


@pytest.mark.parametrize(("name", "status"), [("sales_order", "NOT_SHIPPED"), ("purchase_order", "NOT_RECEIVED")])
async def test_a_long_document_takes_as_many_statements_as_a_short_one(
    statements: Statements, stage: Stage, name: str, status: str
) -> None:
    tenant = stage.own.sandbox.tenant()
    short, long = [each["id"] for each in live(tenant, f"{name}s") if each["status"] == status][:2]
    variants = [each["id"] for each in live(tenant, "variants")]
    for variant_id in variants[:100]:
        row = {f"{name}_id": long, "variant_id": variant_id, "quantity": 1, "price_per_unit": 1}
        tenant.create(f"{name}_rows", row)
    few = await warm_cost(stage, statements, f"get_{name}", **{f"{name}_id": short})
    much = await warm_cost(stage, statements, f"get_{name}", **{f"{name}_id": long})
    assert len(few[2]["order"]["rows"]) < 20
    assert much[2]["order"]["row_count"] > 100
    assert (few[0], much[0]) == (0, 0)
    assert 0 < much[1] <= few[1] + KINDS
