"""A new batch is used at once: its id is said, its number names it, and a second one of the number is told."""

import json
from typing import Any

import pytest
from test_manufacturing_order_writes import applied, live
from tracked_goods import two_batches

from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import Drop, Fault, ManualClock, Tenant

type Goods = dict[str, Any]


def item(tenant: Tenant, sku: str) -> int:
    """Return a new material that is kept in batches."""
    body = {"name": f"Resin {sku}", "uom": "kg", "batch_tracked": True, "variants": [{"sku": sku}]}
    return tenant.create("materials", body)["variants"][0]["id"]


def ordered(tenant: Tenant, variant: int) -> Goods:
    """Return a new purchase order of 9 of it."""
    row = {"variant_id": variant, "quantity": 9, "price_per_unit": 80}
    place, supplier = (live(tenant, name)[0]["id"] for name in ("locations", "suppliers"))
    body = {"supplier_id": supplier, "location_id": place, "order_no": "PO-LOT", "purchase_order_rows": [row]}
    return tenant.create("purchase_orders", body)


async def planned(stage: Stage, tool: str, **arguments: object) -> Payload:
    """Return the preview, or what refuses it."""
    return payload_of(await stage.result(tool, arguments))


async def new_batch(stage: Stage, clock: ManualClock, sku: str = "RESIN", number: str = "CH-1") -> Payload:
    """Return the outcome of a new batch."""
    preview = await planned(stage, "modify_traceability", sku_or_variant_id=sku, batch_number=number)
    return await applied(stage, clock, preview)


def receipt(order: Goods, batch: object) -> dict[str, object]:
    """Return the arguments that receive it into a batch."""
    row = order["purchase_order_rows"][0]["id"]
    return {
        "purchase_order_id": order["id"],
        "rows": [{"row_id": row, "batches": [{"batch_id": batch, "quantity": 9}]}],
    }


def sent(preview: Payload) -> Payload:
    """Return the body of its first request."""
    return json.loads(preview["requests"][0]["body"])


async def test_the_outcome_of_a_new_batch_names_its_id(stage: Stage, clock: ManualClock, tenant: Tenant) -> None:
    item(tenant, "RESIN")
    outcome = await new_batch(stage, clock)
    (made,) = [batch for batch in tenant.all("batches") if batch["batch_number"] == "CH-1"]
    assert (outcome["id"], outcome["actions"][0]["id"]) == (made["id"], made["id"])


async def test_goods_are_received_into_a_new_batch_by_its_number(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = ordered(tenant, item(tenant, "RESIN"))
    made = (await new_batch(stage, clock))["id"]
    preview = await planned(stage, "receive_purchase_order", **receipt(order, "ch-1"))
    assert sent(preview)["traceability"] == [{"batch_id": made, "quantity": 9}]
    assert (await applied(stage, clock, preview))["applied"] == 1
    row = tenant.get("purchase_orders", order["id"])["purchase_order_rows"][0]
    assert [entry["batch_id"] for entry in row["batch_transactions"]] == [made]


async def test_a_batch_that_has_stock_is_named_by_its_number_in_a_row(stage: Stage, tenant: Tenant) -> None:
    goods = two_batches(tenant)
    row = {
        "sku_or_variant_id": goods.sku,
        "quantity": -2,
        "traceability": [{"batch_id": "L-1", "quantity": 2}],
    }
    preview = await planned(stage, "create_stock_adjustment", location_id=goods.place, rows=[row])
    (line,) = sent(preview)["stock_adjustment_rows"]
    assert [entry["batch_id"] for entry in line["traceability"]] == [goods.ids[0]]


async def test_a_number_that_nothing_has_or_several_batches_have_is_refused_where_it_stands(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = ordered(tenant, item(tenant, "RESIN"))
    nothing = await planned(stage, "receive_purchase_order", **receipt(order, "CH-1"))
    assert nothing["error"] == "not_found"
    assert nothing["warnings"][0]["field_path"] == "rows[0].batches[0].batch_id"
    for unknown in ("99999999999999", "0", "CH-1 "):
        refused = await planned(stage, "receive_purchase_order", **receipt(order, unknown))
        assert refused["error"] == "not_found"
    by_id = await planned(stage, "receive_purchase_order", **receipt(order, "12345"))
    assert sent(by_id)["traceability"] == [{"batch_id": 12345, "quantity": 9}]
    made = [(await new_batch(stage, clock))["id"] for _ in range(2)]
    several = await planned(stage, "receive_purchase_order", **receipt(order, "CH-1"))
    assert several["error"] == "ambiguous_name"
    assert all(str(key) in several["warnings"][0]["message"] for key in made)
    assert "RESIN" in several["warnings"][0]["message"]


async def test_a_number_of_two_items_means_the_batch_of_the_item_of_its_row(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    resin, other = item(tenant, "RESIN"), item(tenant, "OTHER")
    order, place = ordered(tenant, other), live(tenant, "locations")[0]["id"]
    made = [(await new_batch(stage, clock, sku))["id"] for sku in ("RESIN", "OTHER")]
    for goods, expected in (("OTHER", made[1]), (resin, made[0])):
        entry = {"batch_id": "CH-1", "quantity": 2}
        row = {"sku_or_variant_id": goods, "quantity": 2, "cost_per_unit": 1, "traceability": [entry]}
        preview = await planned(stage, "create_stock_adjustment", location_id=place, rows=[row])
        (line,) = sent(preview)["stock_adjustment_rows"]
        assert line["traceability"][0]["batch_id"] == expected
    preview = await planned(stage, "receive_purchase_order", **receipt(order, "CH-1"))
    assert sent(preview)["traceability"][0]["batch_id"] == made[1]


async def test_a_second_batch_of_a_number_is_told_though_katana_lists_the_first_nowhere(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    item(tenant, "RESIN")
    made = (await new_batch(stage, clock))["id"]
    again = await planned(stage, "modify_traceability", sku_or_variant_id="RESIN", batch_number="ch-1")
    (told,) = [warning for warning in again["warnings"] if warning["code"] == "duplicate_name"]
    assert str(made) in told["message"]
    assert told["severity"] == "advisory"
    other = await planned(stage, "modify_traceability", sku_or_variant_id="RESIN", batch_number="CH-2")
    assert not [warning for warning in other["warnings"] if warning["code"] == "duplicate_name"]


@pytest.mark.parametrize("lost", [Drop("before"), Drop("after")], ids=["before", "after"])
async def test_a_second_batch_after_a_lost_answer_is_told_to_be_one_perhaps(
    stage: Stage, clock: ManualClock, tenant: Tenant, lost: Drop
) -> None:
    item(tenant, "RESIN")
    stage.own.sandbox.faults.add(Fault("POST /batches", action=lost))
    assert (await new_batch(stage, clock))["unknown"] == 1
    again = await planned(stage, "modify_traceability", sku_or_variant_id="RESIN", batch_number="CH-1")
    (told,) = [warning for warning in again["warnings"] if warning["code"] == "duplicate_name"]
    assert "may" in told["message"]


async def test_a_new_batch_is_changed_and_listed_by_its_number(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    item(tenant, "RESIN")
    made = (await new_batch(stage, clock))["id"]
    change = await planned(stage, "modify_traceability", sku_or_variant_id="RESIN", batch="CH-1", batch_number="CH-1b")
    assert (await applied(stage, clock, change))["applied"] == 1
    assert tenant.get("batches", made)["batch_number"] == "CH-1b"
    (row,) = (await stage.call("list_traceability", number="CH-1b"))["rows"]
    assert (row["batch_id"], row["sku"], row["quantity_in_stock"]) == (made, "RESIN", 0)
    assert not (await stage.call("list_traceability", number="CH-1"))["rows"]
    assert not (await stage.call("list_traceability", number="CH-1b", location_id=live(tenant, "locations")[0]["id"]))[
        "rows"
    ]


async def test_the_trace_of_a_batch_that_was_made_from_here_and_never_in_stock_says_so(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    item(tenant, "RESIN")
    item(tenant, "OTHER")
    await new_batch(stage, clock)
    said = "batch 'CH-1' was made from here, and Katana lists no stock of it"
    for asked in ({"number": "CH-1"}, {"number": "CH-1", "kind": "batch", "sku_or_variant_id": "RESIN"}):
        refusal = await stage.refusal("trace", **asked)
        assert (refusal["error"], said in refusal["warnings"][0]["message"]) == ("not_found", True)
    for asked in (
        {"number": "CH-2"},
        {"number": "CH-1", "kind": "serial_number"},
        {"number": "CH-1", "sku_or_variant_id": "OTHER"},
    ):
        refusal = await stage.refusal("trace", **asked)
        assert "is known: numbers must match exactly" in refusal["warnings"][0]["message"]
