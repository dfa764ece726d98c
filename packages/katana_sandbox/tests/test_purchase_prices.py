"""A purchase price is of a purchase unit, in the currency of the item's supplier; what it comes to is in euros."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from tests.nights import rest_in_turn

from katana_sandbox import Caller, ManualClock, Sandbox, SandboxConfig, Tenant
from katana_sandbox.factory.names import BOUGHT, MADE, PARTS
from katana_sandbox.rules.manufacturing_costs import unit_cost
from katana_sandbox.rules.sales import conversion_rate

COSTS = {item.name: Decimal(str(item.cost)) for item in (*PARTS, *MADE, *BOUGHT)}


def item_of(tenant: Tenant, variant: dict[str, Any]) -> dict[str, Any]:
    kind = "products" if variant["product_id"] else "materials"
    return tenant.get(kind, variant["product_id"] or variant["material_id"])


def bought(tenant: Tenant) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """The live variants that have a supplier, with their item and that supplier."""
    for variant in tenant.all("variants"):
        item = item_of(tenant, variant)
        if variant["deleted_at"] is None and item["default_supplier_id"] is not None:
            yield variant, item, tenant.get("suppliers", item["default_supplier_id"])


@pytest.mark.parametrize(("variants", "orders"), rest_in_turn((None, None), (700, 300)))
def test_a_variant_has_the_price_of_its_suppliers_last_order(variants: int | None, orders: int | None) -> None:
    tenant = Sandbox(SandboxConfig(variants=variants, orders=orders), clock=ManualClock()).tenant()
    headers = {order["id"]: order for order in tenant.all("purchase_orders")}
    last = {row["variant_id"]: row for row in tenant.all("purchase_order_rows")}
    compared: set[tuple[str, bool]] = set()
    for variant, item, supplier in bought(tenant):
        if (row := last.get(variant["id"])) is None:
            continue
        units = Decimal(item["purchase_uom_conversion_rate"] or 1)
        assert headers[row["purchase_order_id"]]["supplier_id"] == supplier["id"]
        assert (row["currency"], row["purchase_uom"]) == (supplier["currency"], item["purchase_uom"] or item["uom"])
        assert Decimal(str(row["purchase_uom_conversion_rate"])) == units
        assert row["price_per_unit"] == variant["purchase_price"]
        compared.add((supplier["currency"], units > 1))
    assert {currency for currency, _ in compared} == {"EUR", "GBP", "NOK", "SEK", "USD"}
    assert {in_boxes for _, in_boxes in compared} == {False, True}


def test_what_is_bought_costs_in_stock_units_and_euros_what_the_account_was_made_of(tenant: Tenant) -> None:
    seen: set[str] = set()
    for variant, item, supplier in bought(tenant):
        cost, units = COSTS[item["name"]], Decimal(item["purchase_uom_conversion_rate"] or 1)
        rate = conversion_rate(supplier["currency"], "EUR")
        assert abs(Decimal(str(variant["purchase_price"])) - cost * units / rate) <= Decimal("0.005")
        assert abs(unit_cost(tenant.context(), variant["id"], None) - cost) <= Decimal("0.005") * rate / units
        seen.add(supplier["currency"])
    assert seen == {"EUR", "GBP", "NOK", "SEK", "USD"}


def test_what_is_made_has_no_supplier_and_keeps_its_plain_figure(tenant: Tenant) -> None:
    made = [row for row in tenant.all("variants") if item_of(tenant, row)["default_supplier_id"] is None]
    assert len(made) > 50
    for variant in made:
        cost = COSTS[item_of(tenant, variant)["name"]]
        assert variant["purchase_price"] == unit_cost(tenant.context(), variant["id"], None) == cost


@pytest.mark.parametrize(
    ("currency", "unit", "cost"),
    [
        (None, {}, "117"),
        ("EUR", {}, "117"),
        ("GBP", {}, "136.89"),
        ("GBP", {"purchase_uom": "box", "purchase_uom_conversion_rate": 13}, "10.53"),
        (None, {"purchase_uom": "box", "purchase_uom_conversion_rate": 13}, "9"),
    ],
)
async def test_an_ingredient_without_stock_is_expected_to_cost_its_price_in_stock_units_and_euros(
    api: Caller, tenant: Tenant, currency: str | None, unit: dict[str, object], cost: str
) -> None:
    supplier: dict[str, object] = {}
    if currency is not None:
        made = await api.post("/suppliers", {"name": "Sprocket & Sons", "currency": currency})
        supplier = {"default_supplier_id": made.body["id"]}
    material = {"name": "Bolt", "uom": "pcs", "variants": [{"sku": "BOLT-1", "purchase_price": 117}]}
    bolt = (await api.post("/materials", material | supplier | unit)).body["variants"][0]
    assert unit_cost(tenant.context(), bolt["id"], 10000101) == Decimal(cost)
    tenant.set_stock(bolt["id"], 10000101, 4, 3)
    assert unit_cost(tenant.context(), bolt["id"], 10000101) == 3
