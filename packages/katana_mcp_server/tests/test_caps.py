"""What is too much to read at once is told: a warning, counts as lower bounds, and no conclusion from what was left."""

import pytest
from server_wire import live

from cache_core.conditions import Where
from katana_mcp.references import boms
from katana_mcp.references.services import Services
from katana_mcp.surface.operations import get
from katana_mcp.testing import Payload, Stage
from katana_mcp.workflows import (
    blocking_ingredients,
    incoming,
    inventory_at,
    inventory_movements,
    ledger,
    low_stock,
    stock_value,
)
from katana_mcp.workflows.ledger import Ledger
from katana_mcp.workflows.ledger_levels import LevelCheck, checked_ledger
from katana_sandbox import Tenant

BLOCKING, LOW = "list_blocking_ingredients", "list_low_stock_items"


def cut(answer: Payload) -> list[str]:
    """Return what an answer says of what was left."""
    warnings = [warning for warning in answer["warnings"] if warning["code"] == "truncated_result"]
    assert {row["severity"] for row in warnings} <= {"advisory"}
    return [row["message"] for row in warnings]


async def test_ingredients_of_very_many_orders_are_a_lower_bound(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = await stage.call(BLOCKING, limit=100)
    assert (cut(whole), whole.get("total_is_lower_bound")) == ([], None)
    monkeypatch.setattr(blocking_ingredients, "_MOST", 5)
    less = await stage.call(BLOCKING, limit=100)
    assert less["orders_held_up"] <= 5 < whole["orders_held_up"]
    assert less["total_is_lower_bound"] is True
    assert "of manufacturing orders" in cut(less)[0]
    assert "the first 5 are looked at" in cut(less)[0]
    monkeypatch.setattr(blocking_ingredients, "_MOST", len(live(stage.own.sandbox.tenant(), "manufacturing_orders")))
    monkeypatch.setattr(incoming, "_MOST", 0)
    beside = await stage.call(BLOCKING, limit=100)
    assert (beside["total"], beside["total_is_lower_bound"]) == (whole["total"], True)
    assert "purchase orders" in cut(beside)[0]


async def test_the_ingredients_of_one_order_can_be_too_many(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = [
        row["manufacturing_order_id"]
        for row in live(tenant, "manufacturing_order_recipe_rows")
        if row["ingredient_availability"] == "NOT_AVAILABLE"
    ]
    most = max(waits, key=waits.count)
    for order in live(tenant, "manufacturing_orders"):
        if order["status"] != "DONE" and order["id"] != most:
            tenant.delete("manufacturing_orders", order["id"])
    assert (await stage.call(BLOCKING))["total"] > 1
    monkeypatch.setattr(blocking_ingredients, "_MOST", 1)
    less = await stage.call(BLOCKING)
    assert (less["total"], less["total_is_lower_bound"]) == (1, True)
    assert cut(less)[0].startswith("of manufacturing order recipe rows the first 1 are looked at")


async def test_a_bom_of_very_many_rows_is_a_lower_bound_and_says_of_no_variant_that_it_has_none(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list({row["product_variant_id"] for row in tenant.all("bom_rows")})[:3]
    bought = next(variant["id"] for variant in live(tenant, "variants") if variant["material_id"])
    whole = await stage.call("get_bom", skus_or_variant_ids=[*made, bought])
    assert (cut(whole), whole.get("total_is_lower_bound"), whole["without"]) == ([], None, [bought])
    monkeypatch.setattr(boms, "_MOST_ROWS", whole["total"] - 4)
    every = await stage.call("get_bom", skus_or_variant_ids=[*made, bought])
    assert (cut(every), every["total"]) == ([], whole["total"])
    monkeypatch.setattr(boms, "_MOST_ROWS", 2)
    less = await stage.call("get_bom", skus_or_variant_ids=[*made, bought])
    assert (less["total"], less["total_is_lower_bound"]) == (len(made) + 1 + 2, True)
    assert "without" not in less
    assert cut(less) == [
        f"the first {less['total']} lines could be read, there are more; ask for fewer variants or levels"
    ]


async def test_a_document_of_very_many_rows_beside_it_says_that_there_may_be_more(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = live(tenant, "manufacturing_order_recipe_rows")
    order = next(row["manufacturing_order_id"] for row in rows)
    mine = sum(row["manufacturing_order_id"] == order for row in rows)
    asked = {"manufacturing_order_id": order, "include": ["recipe"]}
    for most, shown in ((mine, mine), (1, 2)):
        monkeypatch.setattr(get, "_MOST", most)
        answer = await stage.call("get_manufacturing_order", **asked)
        assert len(answer["order"]["recipe_rows"]) == shown
        assert len(cut(answer)) == (most == 1)
    assert "of the manufacturing order recipe rows the first 2 are shown" in cut(answer)[0]


async def test_more_variants_than_are_looked_at_are_told(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = await stage.call(LOW, limit=100)
    supplier = next(row["supplier_id"] for row in whole["rows"] if "supplier_id" in row)
    monkeypatch.setattr(low_stock, "_MOST", 20)
    less = await stage.call(LOW, limit=100)
    assert (less["variants"], less["checked"], less["total_is_lower_bound"]) == (whole["variants"], 20, True)
    assert cut(less) == [
        f"20 of {whole['variants']} variants are looked at; narrow them down by supplier_id or item_type"
    ]
    monkeypatch.setattr(low_stock, "_MOST", 1)
    of_one = await stage.call(LOW, supplier_id=supplier)
    assert (of_one["checked"], of_one["total_is_lower_bound"], len(cut(of_one))) == (1, True, 1)


def moved(tenant: Tenant) -> tuple[int, int, int]:
    """Return how many movements there are, and of a variant with some its id and how many are its."""
    variants = [row["variant_id"] for row in live(tenant, "inventory_movements")]
    return len(variants), variants[0], variants.count(variants[0])


async def test_a_ledger_of_too_many_movements_is_refused_with_their_number(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole_ledger, variant, mine = moved(tenant)
    now = stage.own.sandbox.clock.now().isoformat()
    calls = (
        (stock_value, whole_ledger, "stock_value", dict[str, object]()),
        (inventory_at, mine, "inventory_at", {"skus_or_variant_ids": [variant], "as_of": now}),
    )
    for module, count, tool, arguments in calls:
        whole = await stage.call(tool, **arguments)
        monkeypatch.setattr(module, "_MOST", count)
        for at_once in (1, 2, count, count + 1):
            monkeypatch.setattr(ledger, "_AT_ONCE", at_once)
            assert await stage.call(tool, **arguments) == whole, (tool, at_once)
        monkeypatch.setattr(module, "_MOST", count - 1)
        refused = await stage.refusal(tool, **arguments)
        assert refused["error"] == "invalid_argument"
        assert f"{count} movements stand in the" in str(refused), (tool, refused)


async def test_the_balances_of_very_many_movements_are_not_checked(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, variant, mine = moved(tenant)
    ledgers: list[object] = []

    async def noted(services: Services, where: Where, most: int, check: LevelCheck) -> Ledger:
        ledgers.append(where)
        return await checked_ledger(services, where, most, check)

    monkeypatch.setattr(inventory_movements, "checked_ledger", noted)
    for most, checked in ((mine, 1), (mine - 1, 1)):
        monkeypatch.setattr(inventory_movements, "_CHECKED", most)
        answer = await stage.call("get_inventory_movements", skus_or_variant_ids=[variant])
        assert (answer["total"], len(ledgers)) == (mine, checked)

    async def grown(*_: object) -> Ledger:
        raise ledger.TooManyMovements(mine)

    monkeypatch.setattr(inventory_movements, "_CHECKED", mine)
    monkeypatch.setattr(inventory_movements, "checked_ledger", grown)
    assert await stage.call("get_inventory_movements", skus_or_variant_ids=[variant]) == answer
