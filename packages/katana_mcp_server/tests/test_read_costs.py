"""What a read costs: a warm one no request to Katana, and any as many statements for many rows as for one."""

from typing import Any

import pytest
from server_wire import live, unique_sku
from sql_count import Statements, counted, warm_cost

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Stage, staged
from katana_sandbox import Tenant

# The rest of a page takes no statement of its own.
PAGED: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("list_low_stock_items", 12, {"include_expected": False}),
    ("list_blocking_ingredients", 12, {}),
    ("order_readiness", 25, {}),
    ("buildable", 25, {}),
    ("stock_value", 8, {"since": "2026-02-01"}),
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


async def test_many_variants_take_as_many_statements_as_one_and_no_request(
    statements: Statements, stage: Stage, subtests: pytest.Subtests
) -> None:
    variants = live(stage.own.sandbox.tenant(), "variants")
    for by in ("id", "sku"):
        products = [variant[by] for variant in variants if variant["product_id"] and variant["sku"]]
        materials = [variant[by] for variant in variants if variant["material_id"] and variant["sku"]]
        for tool, more in BY_VARIANT:
            with subtests.test(f"{tool} by {by}"):
                # A product and a material each: what is read of either takes a statement of its own.
                one = {"skus_or_variant_ids": [products[0], materials[0]], **more}
                few = await warm_cost(stage, statements, tool, **one)
                all_of_them = {"skus_or_variant_ids": products[:40] + materials[:40], **more}
                many = await warm_cost(stage, statements, tool, **all_of_them)
                assert (few[0], many[0]) == (0, 0)
                assert few[1] == many[1] > 0


async def test_a_long_page_takes_as_many_statements_as_a_short_one_and_no_request(
    statements: Statements, stage: Stage, subtests: pytest.Subtests
) -> None:
    for tool, few_rows, more in PAGED:
        with subtests.test(tool):
            await stage.call(tool, **more)  # what its syncs write ends what was kept
            few = await warm_cost(stage, statements, tool, limit=few_rows, **more)
            many = await warm_cost(stage, statements, tool, limit=40, **more)
            assert (few[0], many[0]) == (0, 0)
            assert len(few[2]["rows"]) < len(many[2]["rows"])
            assert few[1] == many[1] > 0


BY_ROWS = ("list_sales_orders", "list_purchase_orders", "list_manufacturing_orders", "list_stock_transfers")


@pytest.mark.parametrize("tool", BY_ROWS)
async def test_a_filter_by_many_variants_takes_as_many_statements_as_one_by_two(
    statements: Statements, stage: Stage, tool: str
) -> None:
    variants = [variant for variant in live(stage.own.sandbox.tenant(), "variants") if variant["sku"]]
    unique = [variant for variant in variants if unique_sku(stage.own.sandbox.tenant(), variant)]
    for by in ("id", "sku"):
        named = [record[by] for record in unique]
        few = await warm_cost(stage, statements, tool, limit=1, skus_or_variant_ids=named[:2])
        many = await warm_cost(stage, statements, tool, limit=1, skus_or_variant_ids=named[:80])
        assert (few[0], many[0]) == (0, 0)
        # Where two variants keep no row at all, no name is looked up for it either.
        assert 0 < many[1] <= few[1] + KINDS, by


async def test_skus_that_nothing_has_take_no_more_statements_from_the_twentieth_on(
    statements: Statements, stage: Stage
) -> None:
    skus = [
        variant["sku"]
        for variant in live(stage.own.sandbox.tenant(), "variants")
        if variant["material_id"] and variant["sku"]
    ]
    unknown = [f"nothing-{number}" for number in range(80)]
    some = await warm_cost(stage, statements, "check_inventory", skus_or_variant_ids=unknown[:21])
    many = await warm_cost(stage, statements, "check_inventory", skus_or_variant_ids=unknown)
    assert some[1] == many[1] > 0
    assert [missing["asked"] for missing in many[2]["not_found"]] == unknown
    (warning,) = many[2]["warnings"]
    assert (warning["severity"], warning["field_path"]) == ("info", "skus_or_variant_ids[20]")
    assert "no like ones are looked for" in warning["message"]
    spelt = await stage.call("check_inventory", skus_or_variant_ids=[*unknown[:20], f" {skus[0].lower()} ", "no"])
    assert [row["sku"] for row in spelt["stock"]] == [skus[0]]
    assert [missing["asked"] for missing in spelt["not_found"]] == [*unknown[:20], "no"]


LISTED = {row["name"]: set(row["inputSchema"]["properties"]) for row in catalogue()}
FEWER = {"list_reference", "list_traceability", "list_inventory_signals", "get_demand_forecast"}
"""The rows of one are no more than a statement for each would show; the others are live, and count their requests."""
LISTS = [name for name in LISTED if name.startswith(("list_", "search_")) and name not in FEWER]
MANY = {name: pytest.mark.soak for name in LISTS if name.startswith("search_") and name != "search_items"}
"""Searches read as `search_items` does: each of them is a slow proof."""
GETS = [name for name in LISTED if name.startswith("get_") and name not in FEWER]
KINDS = 12
"""Rows of more kinds take more statements, never more rows: three each for products, materials, services, variants."""


def _usual(tool: str) -> dict[str, Any]:
    if tool.startswith("search_"):
        words = {"items": "e", "customers": "e", "sales_orders": "so", "purchase_orders": "po"}
        return {"query": words.get(tool.removeprefix("search_"), tool.split("_")[1][0])}
    return {"include_rows": True} if "include_rows" in LISTED[tool] else {}


FEW = {"stock_transfers": "stock_transfer_rows", "stock_adjustments": "stock_adjustment_rows"}
"""Lists that the sandbox begins with fewer rows of than a statement for each would show; where their rows stand."""

COPIED = {"sales_returns", "stocktakes"}
"""The same, of which no two may have the same rows."""


def _more(tenant: Tenant, collection: str) -> None:
    """Add a hundred documents like the last."""
    model = live(tenant, collection)[-1]
    if collection in COPIED:
        for number in range(100):
            tenant.insert_raw(collection, {**model, "id": 900_000 + number})
        return
    places = {name: model[name] for name in model if name.endswith("location_id")}
    one = "1" if collection == "stock_transfers" else 1
    sent = [{"variant_id": row["variant_id"], "quantity": one} for row in model[FEW[collection]]]
    for number in range(100):
        tenant.create(collection, {**places, f"{collection[:-1]}_number": f"S{number}", FEW[collection]: sent})


@pytest.mark.parametrize("tool", [pytest.param(tool, marks=MANY.get(tool, ())) for tool in LISTS])
@pytest.mark.cold
async def test_many_rows_take_as_many_statements_and_requests_as_one(
    statements: Statements, own: OwnSandbox, tool: str
) -> None:
    most = 50 if tool.startswith("search_") else 100
    collection = tool.partition("_")[2]
    if collection in {*FEW, *COPIED}:
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
    assert len(many[2]["rows"]) > KINDS + 1
    assert asked[0] == asked[1] > 0
    assert (few[0], many[0]) == (0, 0)
    assert 0 < many[1] <= few[1] + KINDS


ORDERS = {"sales_order": "NOT_SHIPPED", "purchase_order": "NOT_RECEIVED", "manufacturing_order": "NOT_STARTED"}
"""Orders that take rows, by their status."""
PARTS = {
    "sales_order": "sales_order_rows",
    "purchase_order": "purchase_order_rows",
    "sales_return": "sales_return_rows",
    "manufacturing_order": "manufacturing_order_recipe_rows",
    "customer": "customer_addresses",
    "product": "variants",
}
"""Of what a document gets a hundred more."""


def _longer(tenant: Tenant, name: str, id: int) -> None:
    """Add a hundred parts to a document."""
    variants = [record["id"] for record in live(tenant, "variants") if record["material_id"]]
    model = next(record for record in tenant.all(PARTS[name]) if record[f"{name}_id"])
    for number in range(100):
        variant = variants[number % len(variants)]
        if name in {"manufacturing_order", "product", "sales_return"}:
            own = {"id": 900_000 + number, f"{name}_id": id, "variant_id": variant, "sku": f"LONG-{number}"}
            tenant.insert_raw(PARTS[name], {**model, **own, "deleted_at": None})
        elif name == "customer":
            tenant.create("customer_addresses", {"customer_id": id, "entity_type": "shipping"})
        else:
            tenant.create(PARTS[name], {f"{name}_id": id, "variant_id": variant, "quantity": 1, "price_per_unit": 1})


def _short_and_long(tenant: Tenant, name: str) -> tuple[int, int]:
    """Return the ids of two documents, of which the second has a hundred rows more."""
    if f"{name}s" in FEW:
        model = live(tenant, f"{name}s")[-1]
        rows = FEW[f"{name}s"]
        one = "1" if name == "stock_transfer" else 1
        sent = [{"variant_id": model[rows][0]["variant_id"], "quantity": one}] * 100
        places = {field: model[field] for field in model if field.endswith("location_id")}
        made = tenant.create(f"{name}s", {**places, f"{name}_number": "LONG", rows: sent})
        return model["id"], made["id"]
    records = [record for record in live(tenant, f"{name}s") if name not in ORDERS or record["status"] == ORDERS[name]]
    short, long = [record["id"] for record in records][:2]
    _longer(tenant, name, long)
    return short, long


@pytest.mark.parametrize("name", [*PARTS, "stock_transfer", "stock_adjustment"])
async def test_a_long_document_takes_as_many_statements_as_a_short_one(
    statements: Statements, stage: Stage, name: str
) -> None:
    short, long = _short_and_long(stage.own.sandbox.tenant(), name)
    kind = {"item_type": name} if name == "product" else {}
    shown = "item" if kind else name
    tools = [get for get in GETS if get.startswith(f"get_{shown}")]
    for tool in tools:
        few = await warm_cost(stage, statements, tool, **kind, **{f"{shown}_id": short})
        much = await warm_cost(stage, statements, tool, **kind, **{f"{shown}_id": long})
        assert much[2]["rows_have_more"] is True, tool
        assert few[2]["rows_have_more"] is False, tool
        assert (few[0], much[0]) == (0, 0), tool
        assert 0 < much[1] <= few[1] + KINDS, tool


def test_every_get_tool_is_measured_by_its_rows() -> None:
    shown = {f"get_{'item' if name == 'product' else name}" for name in (*PARTS, *(plural[:-1] for plural in FEW))}
    assert set(GETS) == {*shown, "get_manufacturing_order_recipe", *(tool for tool, _ in BY_VARIANT if tool in GETS)}
