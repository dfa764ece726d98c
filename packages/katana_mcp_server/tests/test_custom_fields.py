"""Custom fields stand in answers by label, a choice by its label; what the definitions do not say stays as it was."""

from typing import Any

import pytest
from server_wire import live

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Tenant

UNKNOWN = "0c5a9d3e-5d0f-4a57-9a53-6b6d3c2f7f11"


@pytest.fixture
def defined(tenant: Tenant) -> dict[str, str]:
    """Return the definitions of the account by label."""
    return {definition["label"]: definition["id"] for definition in tenant.all("custom_field_definitions")}


def by_label(document: Payload) -> dict[str, Any]:
    return {field["field"]: field["value"] for field in document["custom_fields"]}


async def test_the_definitions_are_reference_data_with_their_choices(stage: Stage, defined: dict[str, str]) -> None:
    answer = await stage.call("list_reference", kind="Custom fields", query="carrier")
    (row,) = answer["rows"]
    assert row == {
        "custom_field_definition_id": defined["Carrier"],
        "name": "Carrier",
        "field_type": "singleSelect",
        "entity_type": "SalesOrder",
        "choices": ["Parcel Nord", "Own van"],
    }
    asked = stage.requests()
    assert (await stage.call("list_reference", kind="custom_field"))["total"] == len(defined)
    assert stage.requests() == asked


async def test_every_document_shows_them_by_label(stage: Stage, tenant: Tenant, defined: dict[str, str]) -> None:
    order, row = live(tenant, "sales_orders")[0], live(tenant, "sales_order_rows")[0]
    variant = next(record for record in live(tenant, "variants") if record["product_id"])
    values = {defined["Carrier"]: 2, defined["Gift note"]: "Well done", UNKNOWN: 7}
    bought, customer, supplier = (live(tenant, name)[0] for name in ("purchase_orders", "customers", "suppliers"))
    tenant.edit("sales_orders", order["id"], custom_fields=values)
    tenant.edit("sales_order_rows", row["id"], custom_fields={defined["Engraving"]: 1})
    tenant.edit("variants", variant["id"], custom_fields=values)
    for collection, record in (("purchase_orders", bought), ("customers", customer), ("suppliers", supplier)):
        tenant.edit(collection, record["id"], custom_fields={defined["Quality grade"]: 2})
    shown = {"Carrier": "Own van", "Gift note": "Well done", UNKNOWN: 7}
    assert by_label((await stage.call("get_sales_order", sales_order_id=order["id"]))["order"]) == shown
    lines = (await stage.call("get_sales_order", sales_order_id=row["sales_order_id"]))["order"]["rows"]
    assert [by_label(line) for line in lines if line["sales_order_row_id"] == row["id"]] == [{"Engraving": 1}]
    item = (await stage.call("get_item", item_id=variant["product_id"], item_type="product"))["item"]
    assert [by_label(entry) for entry in item["rows"] if entry["variant_id"] == variant["id"]] == [shown]
    (details,) = (await stage.call("get_variant_details", skus_or_variant_ids=[variant["id"]]))["variants"]
    assert by_label(details) == shown
    grade = {"Quality grade": "B"}
    assert by_label((await stage.call("get_purchase_order", purchase_order_id=bought["id"]))["order"]) == grade
    assert by_label((await stage.call("get_customer", customer_id=customer["id"]))["customer"]) == grade
    suppliers = (await stage.call("list_reference", kind="supplier", limit=250))["rows"]
    assert [by_label(entry) for entry in suppliers if entry["supplier_id"] == supplier["id"]] == [grade]
    asked = stage.requests()
    assert by_label((await stage.call("get_sales_order", sales_order_id=order["id"]))["order"]) == shown
    assert stage.requests() == asked
