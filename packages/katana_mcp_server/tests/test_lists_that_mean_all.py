"""Rows that mean all where they are left out: an empty list of them is refused, never taken for all."""

import pytest
from server_wire import live

from katana_mcp.testing import Stage
from katana_sandbox import Tenant


@pytest.mark.parametrize(
    ("tool", "collection", "argument"),
    [
        ("fulfill_order", "sales_orders", "sales_order_id"),
        ("receive_purchase_order", "purchase_orders", "purchase_order_id"),
    ],
)
async def test_no_rows_are_not_all_rows(
    stage: Stage, tenant: Tenant, tool: str, collection: str, argument: str
) -> None:
    wanted = {"sales_orders": "NOT_SHIPPED", "purchase_orders": "NOT_RECEIVED"}[collection]
    order = next(record for record in live(tenant, collection) if record["status"] == wanted)
    refused = await stage.refusal(tool, **{argument: order["id"]}, rows=[])
    assert [(warning["code"], warning["message"]) for warning in refused["warnings"]] == [
        ("invalid_argument", "rows: must have at least 1 entry")
    ]
    assert "plan_token" in await stage.call(tool, **{argument: order["id"]})
