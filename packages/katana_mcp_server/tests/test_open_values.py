"""A value that Katana adds is shown, counted and may be asked for; one that nothing has is said, not refused."""

from typing import Any

import pytest
from server_wire import live

from katana_mcp.testing import Stage
from katana_sandbox import EditBody, Fault, Tenant

FILTERS = [
    ("list_sales_orders", "sales_orders", "status"),
    ("list_sales_orders", "sales_orders", "product_availability"),
    ("list_sales_orders", "sales_orders", "production_status"),
    ("list_sales_orders", "sales_orders", "invoicing_status"),
    ("list_purchase_orders", "purchase_orders", "status"),
    ("list_purchase_orders", "purchase_orders", "billing_status"),
    ("list_purchase_orders", "purchase_orders", "entity_type"),
    ("list_manufacturing_orders", "manufacturing_orders", "status"),
    ("list_manufacturing_orders", "manufacturing_orders", "ingredient_availability"),
    ("list_stock_transfers", "stock_transfers", "status"),
]


def notices(answer: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return severity, field and text of what is said of values that are not known."""
    return [
        (warning["severity"], warning["field_path"], warning["message"])
        for warning in answer.get("warnings", [])
        if warning["code"] == "unknown_value"
    ]


@pytest.mark.parametrize(("tool", "collection", "name"), FILTERS)
async def test_a_value_that_katana_has_added_finds_what_has_it(
    stage: Stage, tenant: Tenant, tool: str, collection: str, name: str
) -> None:
    mine = [record["id"] for record in live(tenant, collection)[:2]]
    for record_id in mine:
        changed: dict[str, Any] = {name: "ON_ICE"}
        tenant.edit(collection, record_id, **changed)
    answer = await stage.call(tool, **{name: "ON_ICE"})
    key = f"{collection.removesuffix('s')}_id"
    assert {row[key] for row in answer["rows"]} == set(mine)
    message = (
        f"{name}: 'ON_ICE' is a value that this server does not know; {collection.replace('_', ' ')} that have it: 2"
    )
    assert notices(answer) == [("info", name, message)]


async def test_a_status_that_katana_has_added_is_shown_and_is_open(stage: Stage, tenant: Tenant) -> None:
    order = live(tenant, "sales_orders")[0]["id"]
    tenant.edit("sales_orders", order, status="ON_ICE")
    (row,) = (await stage.call("list_sales_orders", ids=[order], open=True))["rows"]
    assert row["status"] == "ON_ICE"
    assert (await stage.call("get_sales_order", sales_order_id=order))["order"]["status"] == "ON_ICE"


async def test_a_value_that_nothing_has_is_said_with_what_may_have_been_meant(stage: Stage) -> None:
    answer = await stage.call("list_sales_orders", status=["not shiped", "delivered"])
    assert {row["status"] for row in answer["rows"]} == {"DELIVERED"}
    message = "status: 'not shiped' is not a value that Katana is known to send, and no sales orders have it"
    assert notices(answer) == [("advisory", "status", f"{message}; did you mean 'NOT_SHIPPED'?")]
    assert notices(await stage.call("list_sales_orders", status=["Not-Shipped"])) == []


@pytest.mark.cold
async def test_movements_of_a_kind_that_katana_has_added_are_found(stage: Stage, tenant: Tenant) -> None:
    moved = next(tenant.all("inventory_movements"))

    def of_a_new_kind(body: Any) -> Any:  # noqa: ANN401 - a reply as it is
        return {"data": [movement | {"resource_type": "Melted"} for movement in body["data"]]}

    stage.own.sandbox.faults.add(Fault("GET /inventory_movements", action=EditBody(of_a_new_kind), times=None))
    answer = await stage.call(
        "get_inventory_movements", skus_or_variant_ids=[moved["variant_id"]], resource_type="Melted"
    )
    assert {row["resource_type"] for row in answer["rows"]} == {"Melted"}
    assert [(severity, name) for severity, name, _ in notices(answer)] == [("info", "resource_type")]
