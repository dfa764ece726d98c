"""The usual calls of the tools that plan to write sales returns, and what makes a difference."""

from katana_sandbox import Tenant

from .usual import Usual, changed_each, live_records
from .writes_returns import RETURN, rows_of


def return_writes(tenant: Tenant) -> dict[str, Usual]:
    """Return them, by tool."""
    place = live_records(tenant, "locations")[-1]["id"]
    mine, other, *_ = [record for record in live_records(tenant, RETURN) if record["status"] == "NOT_RETURNED"]
    shipped = {fulfillment["sales_order_id"]: fulfillment for fulfillment in tenant.all("sales_order_fulfillments")}
    *_, line = shipped[mine["sales_order_id"]]["sales_order_fulfillment_rows"]
    orders = [record["sales_order_id"] for record in live_records(tenant, RETURN)]
    many = [key for key in orders if len(shipped[key]["sales_order_fulfillment_rows"]) > 1]
    row = rows_of(tenant, mine)[0]
    fields: dict[str, object] = {
        "order_no": "RO-900",
        "return_location_id": place,
        "order_created_date": "2026-03-04",
        "additional_info": "by rail",
        "tracking_number": "1Z 7",
        "tracking_number_url": "https://example.com/1Z7",
        "tracking_carrier": "Post",
        "tracking_method": "Express",
    }
    return {
        "create_sales_return": Usual(
            {
                "sales_order_id": mine["sales_order_id"],
                "return_location_id": live_records(tenant, "locations")[0]["id"],
            },
            changed_each(
                **fields,
                sales_order_id=next(key for key in many if key != mine["sales_order_id"]),
                rows=[{"fulfillment_row_id": line["id"], "quantity": 0.5}],
            ),
        ),
        "modify_sales_return": Usual(
            {"sales_return_id": mine["id"], "additional_info": "usual"},
            changed_each(
                **fields,
                sales_return_id=other["order_no"],
                return_date="2026-03-05",
                status="RESTOCKED_ALL",
                add_rows=[{"fulfillment_row_id": line["id"], "quantity": 0.5}],
                update_rows=[{"row_id": row, "reason_id": 2}],
                delete_row_ids=[row],
            ),
        ),
        "delete_sales_return": Usual({"sales_return_id": mine["id"]}, changed_each(sales_return_id=other["order_no"])),
    }
