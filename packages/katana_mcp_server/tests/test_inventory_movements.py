"""`get_inventory_movements` against plain Python over the sandbox's ledger."""

from itertools import pairwise
from typing import Any

import pytest
from server_wire import Filtered, Keeps, Wire, amount, live, rows_of_cut_pages

from katana_mcp.testing import Stage
from katana_sandbox import Tenant
from katana_sandbox.store.keys import FIRST_ID

MIDDLE = "2026-02-20T12:00:00.000Z"
GET = "get_inventory_movements"


def ledger(tenant: Tenant, *variant_ids: int) -> list[Wire]:
    """Return the movements of these variants, newest business date first."""
    mine = [movement for movement in tenant.all("inventory_movements") if movement["variant_id"] in variant_ids]
    return sorted(mine, key=lambda movement: (movement["movement_date"], movement["rank"]), reverse=True)


def busiest(tenant: Tenant, count: int) -> list[Wire]:
    """Return the variants that moved most often."""
    moved = [movement["variant_id"] for movement in tenant.all("inventory_movements")]
    return sorted(live(tenant, "variants"), key=lambda variant: -moved.count(variant["id"]))[:count]


async def test_every_movement_is_shown_as_katana_has_it_newest_first(stage: Stage, tenant: Tenant) -> None:
    variants = busiest(tenant, 5)
    expected = ledger(tenant, *(variant["id"] for variant in variants))
    answer = await stage.call(GET, skus_or_variant_ids=[variant["id"] for variant in variants], limit=250)
    rows = answer["rows"]
    assert len(rows) == answer["total"] == len(expected) > 20
    assert [row["movement_date"] for row in rows] == [record["movement_date"] for record in expected]
    sent = {record["id"]: record for record in expected}
    for row in rows:
        movement = sent[row["movement_id"]]
        for key in ("quantity_change", "balance_after", "value_per_unit", "average_cost_after", "value_in_stock_after"):
            assert amount(row[key]) == amount(movement[key]), key
        for key in ("variant_id", "location_id", "resource_type", "resource_id"):
            assert row[key] == movement[key], key
        assert row["location"] == tenant.get("locations", row["location_id"])["name"]
        assert row["sku"] == tenant.get("variants", row["variant_id"])["sku"]
    assert answer["base_currency"] == "EUR"


DOCUMENTS = {
    "SalesOrderRow": ("sales_order_id", "sales_orders", "order_no"),
    "PurchaseOrderRow": ("purchase_order_id", "purchase_orders", "order_no"),
    "Production": ("manufacturing_order_id", "manufacturing_orders", "order_no"),
    "ProductionIngredient": ("manufacturing_order_id", "manufacturing_orders", "order_no"),
    "StockAdjustmentRow": ("stock_adjustment_id", "stock_adjustments", "stock_adjustment_number"),
    "StockTransferRow": ("stock_transfer_id", "stock_transfers", "stock_transfer_number"),
}


@pytest.mark.parametrize("kind", DOCUMENTS)
async def test_a_movement_names_the_document_that_caused_it(stage: Stage, tenant: Tenant, kind: str) -> None:
    name, collection, number = DOCUMENTS[kind]
    movement = next(
        inventory_movement
        for inventory_movement in tenant.all("inventory_movements")
        if inventory_movement["resource_type"] == kind
    )
    answer = await stage.call(GET, skus_or_variant_ids=[movement["variant_id"]], resource_type=[kind], limit=250)
    row = next(entry for entry in answer["rows"] if entry["movement_id"] == movement["id"])
    assert {entry["resource_type"] for entry in answer["rows"]} == {kind}
    assert tenant.get(collection, row[name])[number] == row["caused_by_order_no"]


async def test_a_movement_without_a_document_names_none(stage: Stage, tenant: Tenant) -> None:
    opening = next(
        movement for movement in tenant.all("inventory_movements") if movement["resource_type"] == "SystemGenerated"
    )
    answer = await stage.call(
        GET, skus_or_variant_ids=[opening["variant_id"]], resource_type="system generated", limit=250
    )
    assert answer["total"] > 0
    named = {name for name, *_ in DOCUMENTS.values()} | {"caused_by_order_no"}
    assert [row for row in answer["rows"] if named & set(row)] == []


FILTERS: list[Filtered] = [
    ({"moved_from": MIDDLE}, lambda movement: movement["movement_date"] >= MIDDLE),
    ({"moved_to": MIDDLE}, lambda movement: movement["movement_date"] <= MIDDLE),
    ({"moved_to": MIDDLE[:10]}, lambda movement: movement["movement_date"][:10] <= MIDDLE[:10]),
    ({"resource_type": ["Production"]}, lambda movement: movement["resource_type"] == "Production"),
    ({"location_id": "North warehouse"}, lambda movement: movement["location_id"] == FIRST_ID + 1),
]


@pytest.mark.parametrize(("filters", "keeps"), FILTERS, ids=[next(iter(filters)) for filters, _ in FILTERS])
async def test_each_filter_keeps_exactly_the_movements_that_it_names(
    stage: Stage, tenant: Tenant, filters: dict[str, Any], keeps: Keeps
) -> None:
    ids = [variant["id"] for variant in live(tenant, "variants")[:250]]
    every = ledger(tenant, *ids)
    answer = await stage.call(GET, skus_or_variant_ids=ids, limit=1, **filters)
    assert answer["total"] == sum(map(keeps, every))
    assert 0 < answer["total"] < len(every)


async def test_pages_meet_every_movement_once_also_where_rows_are_cut(stage: Stage, tenant: Tenant) -> None:
    variants = live(tenant, "variants")
    ids = [variant["id"] for variant in variants]
    rows, _ = await rows_of_cut_pages(stage, GET, 200, skus_or_variant_ids=ids)
    assert sorted(row["movement_id"] for row in rows) == sorted(record["id"] for record in ledger(tenant, *ids))


async def test_movements_of_one_moment_stand_in_the_order_of_the_ledger(stage: Stage, tenant: Tenant) -> None:
    variant = busiest(tenant, 1)[0]
    body = {
        "location_id": FIRST_ID,
        "stock_adjustment_date": "2026-03-01T10:00:00.000Z",
        "stock_adjustment_rows": [{"variant_id": variant["id"], "quantity": quantity} for quantity in (5, 7, 11)],
    }
    tenant.create("stock_adjustments", {"stock_adjustment_number": "SA-same", **body})
    answer = await stage.call(GET, skus_or_variant_ids=[variant["sku"]], moved_from="2026-03-01", location_id=FIRST_ID)
    same = [row for row in answer["rows"] if row["caused_by_order_no"] == "SA-same"]
    assert [amount(row["quantity_change"]) for row in same] == [11, 7, 5]
    for later, earlier in pairwise(same):
        assert amount(later["balance_after"]) - amount(later["quantity_change"]) == amount(earlier["balance_after"])


async def test_what_nothing_has_is_not_found_and_the_rest_is_answered(stage: Stage, tenant: Tenant) -> None:
    variant = busiest(tenant, 1)[0]
    answer = await stage.call(GET, skus_or_variant_ids=["nothing-has-this", variant["id"]])
    assert [missing["asked"] for missing in answer["not_found"]] == ["nothing-has-this"]
    assert answer["total"] == len(ledger(tenant, variant["id"]))
    nothing = await stage.call(GET, skus_or_variant_ids=["nothing-has-this"])
    assert (nothing["rows"], nothing["total"]) == ([], 0)


async def test_a_place_that_does_not_exist_is_refused_and_a_kind_that_nothing_has_is_told(stage: Stage) -> None:
    place = await stage.refusal(GET, skus_or_variant_ids=["FSKT-35M"], location_id="Main workshp")
    assert (place["error"], place["warnings"][0]["field_path"]) == ("not_found", "location_id")
    assert "did you mean 'Main workshop'?" in place["warnings"][0]["message"]
    assert place["as_of"]
    answer = await stage.call(GET, skus_or_variant_ids=["FSKT-35M"], resource_type=["theft"])
    (kind,) = [warning for warning in answer["warnings"] if warning["code"] == "unknown_value"]
    assert "there are Production, PurchaseOrderRow, PurchaseOrderRecipeRow" in kind["message"]
    assert (answer["rows"], kind["severity"]) == ([], "advisory")
