"""The seeded workshop's manufacturing orders: every state, consistent with stock, the same for the same seed."""

from collections import Counter
from typing import Any

import pytest
from tests.nights import rest_in_turn

from katana_sandbox import ManualClock, Sandbox, SandboxConfig, Tenant
from katana_sandbox.registry import COLLECTIONS
from katana_sandbox.rules.manufacturing_settle import settle_manufacturing_order

NOW = "2026-03-02T09:00:00.000Z"


def everything(tenant: Tenant) -> dict[str, Any]:
    return {name: list(tenant.all(name)) for name in COLLECTIONS}


def test_orders_are_in_every_state_some_late_some_made_to_order(tenant: Tenant) -> None:
    orders = list(tenant.all("manufacturing_orders"))
    states = Counter(order["status"] for order in orders)
    assert set(states) == {"NOT_STARTED", "BLOCKED", "IN_PROGRESS", "PARTIALLY_COMPLETED", "DONE"}
    assert min(states.values()) >= 3
    late = [row for row in orders if row["status"] != "DONE" and row["production_deadline_date"] < NOW]
    assert len(late) >= 3
    linked = [row for row in orders if row["is_linked_to_sales_order"]]
    assert len(linked) >= 5
    for order in linked:
        row = tenant.get("sales_order_rows", order["sales_order_row_id"])
        assert row["linked_manufacturing_order_id"] == order["id"]
        assert (row["variant_id"], row["quantity"]) == (order["variant_id"], order["planned_quantity"])
        assert tenant.get("sales_orders", order["sales_order_id"])["production_status"] != "NONE"
    assert any(order["includes_partial_completions"] and order["status"] == "DONE" for order in orders)


@pytest.mark.parametrize(("variants", "orders"), [(1, 3), *rest_in_turn((None, None), (700, 300))])
def test_derived_figures_are_those_the_rules_would_derive(variants: int | None, orders: int | None) -> None:
    tenant = Sandbox(SandboxConfig(variants=variants, orders=orders), clock=ManualClock()).tenant()
    before = everything(tenant)
    for order in list(tenant.all("manufacturing_orders")):
        settle_manufacturing_order(tenant.context(), order["id"])
    assert everything(tenant) == before


def test_every_production_stands_in_the_ledger_at_its_cost(tenant: Tenant) -> None:
    moves = {(row["resource_type"], row["resource_id"]): row for row in tenant.all("inventory_movements")}
    for order in tenant.all("manufacturing_orders"):
        cost = quantity = 0.0
        for made in tenant.all("manufacturing_order_productions"):
            if made["manufacturing_order_id"] != order["id"]:
                continue
            move = moves["Production", made["id"]]
            assert (move["quantity_change"], move["movement_date"]) == (made["quantity"], made["production_date"])
            assert move["caused_by_order_no"] == order["order_no"]
            cost += move["value_per_unit"] * made["quantity"]
            quantity += made["quantity"]
            for used in made["ingredients"]:
                assert moves["ProductionIngredient", used["id"]]["quantity_change"] == -used["quantity"]
        if order["status"] == "DONE":
            assert quantity == order["actual_quantity"] == order["planned_quantity"]
            assert cost == pytest.approx(order["total_cost"], abs=1e-5)


def test_the_same_seed_makes_the_same_orders() -> None:
    first, second = (Sandbox(SandboxConfig(seed=11), clock=ManualClock()).tenant() for _ in range(2))
    for name in ("manufacturing_orders", "manufacturing_order_productions", "product_operation_rows"):
        assert list(first.all(name)) == list(second.all(name))
