"""Sales returns: the rows of their tools that plan a write."""

from typing import Any

from katana_sandbox import Tenant

from .writes import Arguments, Pools, Record, Spoil, Write, done_already, edited, gone, live
from .writes_sales import make_order

RETURN, ROW = "sales_returns", "sales_return_rows"
PARTS = {"rows": ROW, "add_rows": ROW}
DERIVED = frozenset(
    {
        *("customer_id", "currency", "return_date", "refund_status", "net_price_per_unit", "sales_order_row_id"),
        *("restock_location_id", "batch_transactions", "fulfillment_row_id", "sales_return_id", "variant_id"),
    }
)
"""What Katana takes from the sales order and its shipment."""
FOLLOWS = frozenset({"inventory", "inventory_movements", "negative_stock"})
WORDS = {"return_location_id": "locations", "restock_location_id": "locations"}


def shipped_order(tenant: Tenant, text: str) -> tuple[Record, list[Record]]:
    """Return a new order of which all is delivered, and the rows of its shipment."""
    order = make_order(tenant, f"Returned {text}")
    lines = [{"sales_order_row_id": row["id"], "quantity": row["quantity"]} for row in order["sales_order_rows"]]
    body: Arguments = {"sales_order_id": order["id"], "status": "DELIVERED", "sales_order_fulfillment_rows": lines}
    return order, tenant.create("sales_order_fulfillments", body)["sales_order_fulfillment_rows"]


def make_return(tenant: Tenant, number: str) -> Record:
    """Return a new return of two of the three rows that an order has shipped."""
    order, lines = shipped_order(tenant, number)
    place = live(tenant, "locations")[0]["id"]
    head: Arguments = {"order_no": number, "sales_order_id": order["id"], "return_location_id": place}
    made = tenant.create(RETURN, {**head, "additional_info": "handle with care"})
    for line, row in list(zip(lines, order["sales_order_rows"], strict=True))[:2]:
        named: Arguments = {"sales_return_id": made["id"], "variant_id": row["variant_id"]}
        tenant.create(ROW, {**named, "fulfillment_row_id": line["id"], "quantity": "1"})
    return tenant.get(RETURN, made["id"])


def rows_of(tenant: Tenant, document: Record) -> list[int]:
    """Return the ids of the rows of a return, oldest first."""
    return sorted(row["id"] for row in tenant.all(ROW) if row["sales_return_id"] == document.get("id"))


def _lines(tenant: Tenant, order: object) -> list[int]:
    """Return the rows of the shipments of an order, oldest first."""
    found = [
        fulfillment
        for fulfillment in live(tenant, "sales_order_fulfillments")
        if fulfillment["sales_order_id"] == order
    ]
    return sorted(line["id"] for record in found for line in record["sales_order_fulfillment_rows"])


def _new(tenant: Tenant, number: str, _: Record) -> Arguments:
    order, lines = shipped_order(tenant, number)
    head: Arguments = {"sales_order_id": order["id"], "return_location_id": live(tenant, "locations")[0]["id"]}
    rows = [{"fulfillment_row_id": line["id"], "quantity": 0.5} for line in lines[:2]]
    return {**head, "order_no": number, "additional_info": "usual", "rows": rows}


def _changed(tenant: Tenant, _: str, document: Record) -> Arguments:
    first, second = rows_of(tenant, document)
    return {
        "additional_info": "usual",
        "status": "RETURNED_ALL",
        "add_rows": [{"fulfillment_row_id": _lines(tenant, document["sales_order_id"])[2], "quantity": 0.5}],
        "update_rows": [{"row_id": first, "quantity": 2}],
        "delete_row_ids": [second],
    }


def _fields(tenant: Tenant) -> Arguments:
    return {"quantity": 1.5, "reason_id": 3, "restock_location_id": live(tenant, "locations")[1]["id"]}


def _each(argument: str, plain: Arguments, fields: Arguments) -> dict[str, Arguments]:
    return {f"{argument}[].{name}": {argument: [{**plain, name: value}]} for name, value in fields.items()}


def _below_new(tenant: Tenant, _: Record) -> dict[str, Arguments]:
    order, lines = shipped_order(tenant, "BELOW")
    here: Arguments = {"sales_order_id": order["id"]}
    plain: Arguments = {"fulfillment_row_id": lines[0]["id"], "quantity": 0.5}
    found = _each("rows", plain, {**_fields(tenant), "fulfillment_row_id": lines[1]["id"]})
    return {path: {**here, **change} for path, change in found.items()}


def _below_changed(tenant: Tenant, document: Record) -> dict[str, Arguments]:
    first, second = rows_of(tenant, document)
    *_, last = _lines(tenant, document["sales_order_id"])
    batches = [{"batch_id": 1, "quantity": 1}]
    traced: Arguments = {"update_rows": [{"row_id": first, "quantity": 2, "batches": batches}]}
    return {
        **_each("add_rows", {"fulfillment_row_id": last, "quantity": 0.5}, _fields(tenant)),
        "add_rows[].fulfillment_row_id": {"add_rows": [{"fulfillment_row_id": last - 1, "quantity": 0.5}]},
        **_each("update_rows", {"row_id": first}, _fields(tenant)),
        **dict.fromkeys([f"update_rows[].batches{end}" for end in ("", "[]", "[].batch_id", "[].quantity")], traced),
        "update_rows[].row_id": {"update_rows": [{"row_id": second, "quantity": 2}], "delete_row_ids": []},
    }


def _pools(tenant: Tenant, document: Record) -> Pools:
    places = [value for location in live(tenant, "locations")[:2] for value in (location["id"], location["name"])]
    pools: dict[str, list[object]] = {"return_location_id": [*places]}
    order = document.get("sales_order_id")
    if order is None:
        made, _ = shipped_order(tenant, f"POOL-{len(list(tenant.all('sales_orders')))}")
        order = made["id"]
        pools |= {"sales_order_id": [made["id"], made["order_no"]]}
    for rows in ("rows", "add_rows", "update_rows"):
        pools |= {f"{rows}[].restock_location_id": [*places], f"{rows}[].reason_id": [1, 2]}
        pools |= {f"{rows}[].fulfillment_row_id": [*_lines(tenant, order)], f"{rows}[].quantity": [0.25, 1, 2]}
    held: list[Any] = rows_of(tenant, document) or [1]
    return pools | {"update_rows[].row_id": held, "delete_row_ids[]": held, "update_rows[].batches": [[]]}


def _return_elsewhere(tenant: Tenant, order: int) -> None:
    """Let somebody take back all of an order that can still be returned."""
    place = live(tenant, "locations")[0]["id"]
    other = tenant.create(RETURN, {"sales_order_id": order, "return_location_id": place})
    (shipment,) = [
        fulfillment
        for fulfillment in live(tenant, "sales_order_fulfillments")
        if fulfillment["sales_order_id"] == order
    ]
    goods = {row["id"]: row["variant_id"] for row in tenant.get("sales_orders", order)["sales_order_rows"]}
    taken = {row["fulfillment_row_id"]: float(row["quantity"]) for row in tenant.all(ROW)}
    for line in shipment["sales_order_fulfillment_rows"]:
        named: Arguments = {"sales_return_id": other["id"], "variant_id": goods[line["sales_order_row_id"]]}
        left = line["quantity"] - taken.get(line["id"], 0)
        tenant.create(ROW, {**named, "fulfillment_row_id": line["id"], "quantity": left})


RETURNS = {
    "create_sales_return": Write(
        collection=RETURN,
        usual=_new,
        pools=_pools,
        below=_below_new,
        spoils={
            "all comes back elsewhere": Spoil(
                act=lambda tenant, _, arguments: _return_elsewhere(tenant, int(str(arguments["sales_order_id"]))),
                code="over_return",
            ),
        },
        parts=PARTS,
        derived=DERIVED | {"order_created_date", "status"},
        lined={ROW: "net_price_per_unit"},
        words=WORDS,
    ),
    "modify_sales_return": Write(
        collection=RETURN,
        usual=_changed,
        subject="sales_return_id",
        make=make_return,
        pools=_pools,
        below=_below_changed,
        spoils={
            "it is deleted": gone(RETURN),
            "it is restocked": edited(RETURN, "locked", status="RESTOCKED_ALL", return_date="2026-02-20T08:00:00.000Z"),
            "more comes back elsewhere": Spoil(
                act=lambda tenant, document, _: _return_elsewhere(tenant, document["sales_order_id"]),
                code="over_return",
            ),
            "a row to change is deleted": Spoil(
                act=lambda tenant, document, _: tenant.delete(ROW, rows_of(tenant, document)[0]),
                code="unknown_row_id",
            ),
            "somebody did the same": done_already(RETURN, additional_info="usual"),
        },
        follows=FOLLOWS,
        parts=PARTS,
        derived=DERIVED,
        lined={ROW: "net_price_per_unit"},
        words=WORDS,
    ),
    "delete_sales_return": Write(
        collection=RETURN,
        usual=lambda *_: {},
        subject="sales_return_id",
        make=make_return,
        spoils={
            "it is deleted": gone(RETURN),
            "the goods are back": edited(
                RETURN, "locked", status="RETURNED_ALL", return_date="2026-02-20T08:00:00.000Z"
            ),
        },
        parts=PARTS,
        derived=DERIVED,
        lined={ROW: "net_price_per_unit"},
        words=WORDS,
    ),
}
