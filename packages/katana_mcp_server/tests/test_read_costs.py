"""What a warm read costs: no request to Katana, and as many statements for many variants as for one."""

from typing import Any

import pytest
from server_wire import live
from sql_count import Statements, counted, warm_cost

from katana_mcp.testing import Stage

BY_VARIANT: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_variant_details", {}),
    ("check_inventory", {}),
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
