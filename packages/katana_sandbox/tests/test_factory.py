"""The generated account: believable, coherent, and the same for the same seed."""

from collections import Counter, defaultdict
from datetime import datetime
from decimal import Decimal

import pytest
from tests.nights import rest_in_turn

from katana_sandbox import ManualClock, Sandbox, SandboxConfig, Tenant
from katana_sandbox.factory.build import SMALL_ORDERS
from katana_sandbox.registry import COLLECTIONS
from katana_sandbox.rules.purchases import settle_order as settle_purchase_order
from katana_sandbox.rules.sales import settle_order


def everything(tenant: Tenant) -> dict[str, list[object]]:
    return {name: list(tenant.all(name)) for name in COLLECTIONS}


def test_one_seed_gives_one_account_and_another_seed_another() -> None:
    first, second, third = (
        everything(Sandbox(SandboxConfig(seed=seed, orders=SMALL_ORDERS), clock=ManualClock()).tenant())
        for seed in (7, 7, 8)
    )
    assert first == second
    assert first["sales_orders"] != third["sales_orders"]


def test_the_small_account_has_the_sizes_of_a_workshop(tenant: Tenant) -> None:
    sizes = {name: tenant.count(name) for name in ("customers", "sales_orders", "locations", "suppliers", "services")}
    assert sizes == {"customers": 40, "sales_orders": 120, "locations": 3, "suppliers": 7, "services": 3}
    assert 55 <= tenant.count("products") + tenant.count("materials") <= 65
    assert 150 <= tenant.count("variants") <= 200


def test_orders_are_late_partial_quoted_shipped_and_deleted(tenant: Tenant) -> None:
    orders = list(tenant.all("sales_orders"))
    states = Counter(order["status"] for order in orders)
    assert set(states) == {"PENDING", "NOT_SHIPPED", "PARTIALLY_PACKED", "PARTIALLY_DELIVERED", "PACKED", "DELIVERED"}
    late = [o for o in orders if o["status"] == "NOT_SHIPPED" and o["delivery_date"] < "2026-03-02T09:00:00.000Z"]
    assert len(late) >= 3
    assert sum(order["deleted_at"] is not None for order in orders) == 2
    assert {"IN_STOCK", "NOT_AVAILABLE", "PICKED"} <= {order["product_availability"] for order in orders}


def test_stamps_are_spread_over_the_past(tenant: Tenant) -> None:
    for name in ("variants", "customers", "sales_orders", "products"):
        stamps = {row["updated_at"] for row in tenant.all(name)}
        assert len(stamps) > 0.3 * tenant.count(name)
        assert max(stamps) <= "2026-03-02T09:00:00.000Z"
        assert all(row["created_at"] <= row["updated_at"] for row in tenant.all(name))


def test_there_is_low_stock_and_there_are_archived_and_deleted_items(tenant: Tenant) -> None:
    missing = [row for row in tenant.all("inventory") if Decimal(row["quantity_missing_or_excess"]) < 0]
    assert len(missing) >= 5
    for name in ("products", "materials"):
        assert any(row["archived_at"] for row in tenant.all(name))
        assert any(row["deleted_at"] for row in tenant.all(name))
    assert any(row["deleted_at"] for row in tenant.all("variants"))


def test_the_supplier_code_is_on_one_ordinary_part_with_stock_supplier_and_neighbours(tenant: Tenant) -> None:
    holders = [row for row in tenant.all("variants") if "00.4021.018.003" in row["supplier_item_codes"]]
    assert len(holders) == 1
    part = holders[0]
    material = tenant.get("materials", part["material_id"])
    assert tenant.get("suppliers", material["default_supplier_id"])["name"] == "Nordlager Komponenter AS"
    assert Decimal(tenant.get("inventory", (part["id"], 10000101))["quantity_in_stock"]) > 0
    codes = {code for row in tenant.all("variants") for code in row["supplier_item_codes"]}
    assert {"00.4021.018.001", "00.4021.018.002", "00.4021.018.004"} <= codes
    assert (part["deleted_at"], material["archived_at"]) == (None, None)


@pytest.mark.parametrize(("variants", "orders"), [(1, 3), (0, 10), *rest_in_turn((None, None), (700, 300))])
def test_derived_figures_are_those_the_rules_would_derive(variants: int | None, orders: int | None) -> None:
    sandbox = Sandbox(SandboxConfig(variants=variants, orders=orders), clock=ManualClock())
    tenant = sandbox.tenant()
    before = everything(tenant)
    for order in list(tenant.all("sales_orders")):
        settle_order(tenant.context(), order["id"])
    for order in list(tenant.all("purchase_orders")):
        settle_purchase_order(tenant.context(), order["id"])
    assert everything(tenant) == before
    if variants is not None:
        assert tenant.count("variants") == variants
        assert tenant.count("sales_orders") == (orders if variants else 0)


def still_to_consume(tenant: Tenant) -> defaultdict[tuple[int, int], Decimal]:
    found: defaultdict[tuple[int, int], Decimal] = defaultdict(Decimal)
    orders = {order["id"]: order for order in tenant.all("manufacturing_orders") if order["deleted_at"] is None}
    for row in tenant.all("manufacturing_order_recipe_rows"):
        if row["manufacturing_order_id"] in orders and row["deleted_at"] is None:
            place = orders[row["manufacturing_order_id"]]["location_id"]
            found[row["variant_id"], place] += Decimal(str(row["total_remaining_quantity"]))
    return found


def test_committed_stock_is_what_open_rows_still_need(tenant: Tenant) -> None:
    need: Counter[tuple[int, int]] = Counter()
    taken: Counter[int] = Counter()
    recipes = still_to_consume(tenant)
    for fulfillment in tenant.all("sales_order_fulfillments"):
        for row in fulfillment["sales_order_fulfillment_rows"]:
            taken[row["sales_order_row_id"]] += row["quantity"]
    for order in tenant.all("sales_orders"):
        if order["deleted_at"] is None and order["status"] != "PENDING":
            for row in order["sales_order_rows"]:
                need[row["variant_id"], row["location_id"] or order["location_id"]] += (
                    row["quantity"] - taken[row["id"]]
                )
    for row in tenant.all("inventory"):
        expected = need[row["variant_id"], row["location_id"]] + recipes[row["variant_id"], row["location_id"]]
        assert Decimal(row["quantity_committed"]) == expected


@pytest.mark.parametrize(("variants", "orders"), rest_in_turn((None, None), (900, 400)))
def test_the_account_satisfies_its_ledger_from_the_start(variants: int | None, orders: int | None) -> None:
    tenant = Sandbox(SandboxConfig(variants=variants, orders=orders), clock=ManualClock()).tenant()
    sums: defaultdict[tuple[int, int], Decimal] = defaultdict(Decimal)
    created = ""
    for move in tenant.all("inventory_movements"):
        sums[move["variant_id"], move["location_id"]] += Decimal(str(move["quantity_change"]))
        assert created <= move["created_at"] <= "2026-03-02T09:00:00.000Z"
        created = move["created_at"]
    for row in tenant.all("inventory"):
        assert Decimal(row["quantity_in_stock"]) == sums[row["variant_id"], row["location_id"]]
        if Decimal(row["quantity_in_stock"]):
            average = Decimal(row["value_in_stock"]) / Decimal(row["quantity_in_stock"])
            assert abs(average - Decimal(row["average_cost"])) < Decimal("1e-9")
    waiting = {row["id"] for row in tenant.all("purchase_order_rows") if row["received_date"]}
    brought = {m["resource_id"] for m in tenant.all("inventory_movements") if m["resource_type"] == "PurchaseOrderRow"}
    dead = {o["id"] for o in tenant.all("purchase_orders") if o["deleted_at"]}
    assert brought == {
        key for key in waiting if tenant.get("purchase_order_rows", key)["purchase_order_id"] not in dead
    }


def test_documents_of_every_kind_are_in_every_state(tenant: Tenant) -> None:
    purchases = [order for order in tenant.all("purchase_orders") if not order["deleted_at"]]
    assert {order["status"] for order in purchases} == {"DRAFT", "NOT_RECEIVED", "PARTIALLY_RECEIVED", "RECEIVED"}
    now = "2026-03-02T09:00:00.000Z"
    late = [o for o in purchases if o["status"] == "NOT_RECEIVED" and o["expected_arrival_date"] < now]
    assert len(late) >= 2
    assert {row["status"] for row in tenant.all("stock_transfers")} == {"draft", "inTransit", "received"}
    assert tenant.count("stock_adjustments") >= 6
    assert len(list(tenant.all("negative_stock"))) == 1
    assert any(Decimal(row["quantity_expected"]) for row in tenant.all("inventory"))


def test_every_reference_leads_somewhere(tenant: Tenant) -> None:
    for name, collection in COLLECTIONS.items():
        for record in tenant.all(name) if name != "inventory" else ():
            for field, target in collection.references.items():
                if record.get(field) is not None:
                    found = tenant.context().variant(record[field]) if target == "variants" else None
                    assert found or tenant.get(target, record[field])


def test_all_mail_goes_to_example_com(tenant: Tenant) -> None:
    mails = [row["email"] for name in ("customers", "suppliers") for row in tenant.all(name)]
    assert all(mail.endswith("@example.com") for mail in mails)


def test_dates_are_relative_to_the_clock() -> None:
    clock = ManualClock(datetime.fromisoformat("2031-06-01T00:00:00+00:00"))
    orders = list(Sandbox(clock=clock).tenant().all("sales_orders"))
    assert "2031-05" in max(order["created_at"] for order in orders)[:7]


def test_an_account_that_was_built_before_is_the_same_and_shares_nothing() -> None:
    first = Sandbox(clock=ManualClock()).tenant()
    built = first.db.saved()
    first.create("customers", {"name": "Wheelbarrow Ltd"})
    first.delete("products", next(first.all("products"))["id"], hard=True)
    again = Sandbox(clock=ManualClock()).tenant()
    assert again.db.saved() == built
    other = Sandbox(SandboxConfig(seed=8), clock=ManualClock()).tenant()
    later = ManualClock()
    later.advance(3_599)
    assert other.db.saved() != built == Sandbox(clock=later).tenant().db.saved()
    later.advance(1)
    assert built != Sandbox(clock=later).tenant().db.saved()
