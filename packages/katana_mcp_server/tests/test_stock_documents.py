"""Stock transfers and stock adjustments against plain Python over what the sandbox holds."""

import pytest
from server_wire import Filtered, Wire, amount, assert_filtered, live

from katana_mcp.testing import Stage
from katana_sandbox import Tenant
from katana_sandbox.store.keys import FIRST_ID

NOW = "2026-03-02T09:00:00.000Z"


def _holds(document: Wire, rows: str, variant: int) -> bool:
    return variant in [row["variant_id"] for row in document[rows]]


async def test_each_filter_keeps_exactly_the_transfers_that_it_names(stage: Stage, tenant: Tenant) -> None:
    for record in live(tenant, "stock_transfers")[:6]:
        tenant.edit("stock_transfers", record["id"], expected_arrival_date="2026-01-05T00:00:00.000Z")
    other = live(tenant, "stock_transfers")[-1]["id"]
    tenant.edit("stock_transfers", other, expected_arrival_date="2026-03-09T00:00:00.000Z")
    tenant.edit("stock_transfers", other, source_location_id=FIRST_ID + 2, target_location_id=FIRST_ID)
    moved = live(tenant, "stock_transfers")
    some = moved[3]
    middle, variant = some["transfer_date"], some["stock_transfer_rows"][0]["variant_id"]
    source = tenant.get("locations", some["source_location_id"])["name"]
    asked: list[Filtered] = [
        ({}, lambda _: True),
        ({"status": ["in transit", "DRAFT"]}, lambda transfer: transfer["status"] in {"inTransit", "draft"}),
        ({"open": True}, lambda transfer: transfer["status"] != "received"),
        ({"open": False}, lambda transfer: transfer["status"] == "received"),
        (
            {"overdue": True},
            lambda transfer: transfer["status"] == "inTransit" and transfer["expected_arrival_date"] < NOW,
        ),
        ({"source_location_id": source}, lambda transfer: transfer["source_location_id"] == some["source_location_id"]),
        (
            {"target_location_id": some["target_location_id"]},
            lambda transfer: transfer["target_location_id"] == some["target_location_id"],
        ),
        ({"skus_or_variant_ids": [variant]}, lambda transfer: _holds(transfer, "stock_transfer_rows", variant)),
        ({"transfer_from": middle}, lambda transfer: transfer["transfer_date"] >= middle),
        ({"transfer_to": middle}, lambda transfer: transfer["transfer_date"] <= middle),
        ({"arrival_to": NOW}, lambda transfer: transfer["expected_arrival_date"] <= NOW),
    ]
    await assert_filtered(stage, "stock_transfers", moved, asked)


async def test_each_filter_keeps_exactly_the_adjustments_that_it_names(stage: Stage, tenant: Tenant) -> None:
    counted = live(tenant, "stock_adjustments")
    some = counted[3]
    middle, variant = some["stock_adjustment_date"], some["stock_adjustment_rows"][0]["variant_id"]
    place = tenant.get("locations", some["location_id"])["name"]
    asked: list[Filtered] = [
        ({}, lambda _: True),
        ({"location_id": place}, lambda adjustment: adjustment["location_id"] == some["location_id"]),
        ({"reason": some["reason"]}, lambda adjustment: adjustment["reason"] == some["reason"]),
        ({"skus_or_variant_ids": [variant]}, lambda adjustment: _holds(adjustment, "stock_adjustment_rows", variant)),
        ({"adjusted_from": middle}, lambda adjustment: adjustment["stock_adjustment_date"] >= middle),
        ({"adjusted_to": middle}, lambda adjustment: adjustment["stock_adjustment_date"] <= middle),
    ]
    await assert_filtered(stage, "stock_adjustments", counted, asked)


@pytest.mark.parametrize(("title", "key"), [("stock_transfer", "transfer"), ("stock_adjustment", "adjustment")])
async def test_a_document_is_shown_with_its_rows_costs_and_names(
    stage: Stage, tenant: Tenant, title: str, key: str
) -> None:
    document = live(tenant, f"{title}s")[0]
    for asked in (document["id"], document[f"{title}_number"]):
        shown = (await stage.call(f"get_{title}", **{f"{title}_id": asked}))[key]
        assert shown[f"{title}_id"] == document["id"]
    for row, sent in zip(shown["rows"], document[f"{title}_rows"], strict=True):
        assert row[f"{title}_row_id"] == sent["id"]
        assert row.get("sku") == tenant.get("variants", sent["variant_id"])["sku"]
        assert amount(row["quantity"]) == amount(sent["quantity"])
        assert (amount(row["cost_per_unit"]), row["currency"]) == (amount(sent["cost_per_unit"]), "EUR")
    for name in ("location", "source_location", "target_location"):
        if f"{name}_id" in document:
            assert shown[name] == tenant.get("locations", document[f"{name}_id"])["name"]
    (listed,) = (await stage.call(f"list_{title}s", ids=[document["id"]], include_rows=True))["rows"]
    assert [row["name"] for row in listed["rows"]] == [row["name"] for row in shown["rows"]]
