"""Received purchase orders to correct, and what the sandbox holds of one but for the ids that a correction changes."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from server_wire import Wire, amount, live

from katana_sandbox import Tenant

FIRST, SECOND, THIRD = "2026-02-20T08:00:00.000Z", "2026-02-25T09:00:00.000Z", "2026-02-26T10:00:00.000Z"
type Edit = dict[str, Any]


def goods(tenant: Tenant, *, batched: bool) -> list[Wire]:
    """Return variants of materials, those that are tracked by batch or the others."""
    items = {material["id"] for material in live(tenant, "materials") if material["batch_tracked"] is batched}
    return [variant for variant in live(tenant, "variants") if variant["material_id"] in items]


def receive(tenant: Tenant, *entries: Mapping[str, object]) -> None:
    """Receive rows in one call."""
    body: Any = [*entries]
    tenant.create("purchase_order_receive", body)


def _created(tenant: Tenant, number: str, rows: Sequence[Wire]) -> Wire:
    parties = {"supplier_id": live(tenant, "suppliers")[0]["id"], "location_id": live(tenant, "locations")[0]["id"]}
    dates = {"order_created_date": "2026-02-01T08:00:00.000Z", "expected_arrival_date": "2026-02-18T08:00:00.000Z"}
    own = {"order_no": number, "purchase_order_rows": [*rows], "additional_info": "fragile", **dates}
    return tenant.create("purchase_orders", parties | own)


def small(tenant: Tenant, number: str) -> Wire:
    """Return an order of two rows that came at once, with a cost."""
    first, second = goods(tenant, batched=False)[:2]
    box = {"purchase_uom": "box", "purchase_uom_conversion_rate": 12}
    rows = [
        {"variant_id": first["id"], "quantity": 5, "price_per_unit": 24, **box},
        {"variant_id": second["id"], "quantity": 3, "price_per_unit": 1},
    ]
    order = _created(tenant, number, rows)
    _cost(tenant, order["default_group_id"], 10, "BY_VALUE")
    receive(tenant, *(_whole(row, FIRST) for row in order["purchase_order_rows"]))
    return tenant.get("purchase_orders", order["id"])


def small_edit(order: Wire) -> Edit:
    """Return a correction of the small order."""
    return {"update_rows": [{"row_id": order["purchase_order_rows"][0]["id"], "quantity": 4}]}


def large(tenant: Tenant, number: str) -> Wire:
    """Return an order that came in two receipts: split rows, two alike, batches, two locations, two costs."""
    plain, other = goods(tenant, batched=False)[:2]
    tracked = goods(tenant, batched=True)[0]
    south = live(tenant, "locations")[1]["id"]
    rows = [
        {"variant_id": plain["id"], "quantity": 10, "price_per_unit": 2},
        {"variant_id": tracked["id"], "quantity": 6, "price_per_unit": 3},
        {"variant_id": plain["id"], "quantity": 1, "price_per_unit": 2},
        {"variant_id": other["id"], "quantity": 7, "price_per_unit": 4},
    ]
    order = _created(tenant, number, rows)
    one, two, three, four = order["purchase_order_rows"]
    batches = [_batch(tenant, tracked["id"], name) for name in ("first", "second")]
    receive(tenant, {**_whole(one, FIRST), "quantity": 4}, _traced(two, FIRST, 2, (batches[0], 2)))
    rest = {**_whole(one, SECOND), "quantity": 6}, _traced(two, THIRD, 4, (batches[1], 3))
    receive(tenant, *rest, _whole(three, THIRD), {**_whole(four, THIRD), "location_id": south})
    first = min(row["group_id"] for row in tenant.get("purchase_orders", order["id"])["purchase_order_rows"])
    _cost(tenant, first, 11, "BY_VALUE")
    _cost(tenant, order["default_group_id"], 10, "NON_DISTRIBUTED")
    return tenant.get("purchase_orders", order["id"])


def large_edit(order: Wire) -> Edit:
    """Return a correction of the large order: changed, added and deleted rows, batches, dates and its number."""
    rows = order["purchase_order_rows"]
    tracked = [row for row in rows if row["batch_transactions"]]
    split = next(row for row in rows if row["received_date"] == FIRST and row not in tracked)
    last = next(row for row in rows if row["price_per_unit"] == 4)
    batch = tracked[0]["batch_transactions"][0]["batch_id"]
    return {
        "order_no": f"{order['order_no']}-B",
        "update_rows": [
            {"row_id": split["id"], "quantity": 3, "received_date": SECOND},
            {"row_id": tracked[0]["id"], "price_per_unit": 5, "batches": [{"batch_id": batch, "quantity": 1}]},
            {"row_id": last["id"], "tax_rate_id": 10000102},
        ],
        "add_rows": [
            {
                "sku_or_variant_id": last["variant_id"],
                "quantity": 2,
                "price_per_unit": 4,
                "received_with_row_id": split["id"],
            }
        ],
        "delete_row_ids": [next(row["id"] for row in rows if row["quantity"] == 1)],
    }


def units(tenant: Tenant, number: str) -> Wire:
    """Return an order in two receipts with costs on both, of goods with serial numbers in two rows and of others."""
    tracked = {product["id"] for product in live(tenant, "products") if product.get("serial_tracked")}
    unit = next(variant for variant in live(tenant, "variants") if variant["product_id"] in tracked)
    plain = goods(tenant, batched=False)[0]
    rows = [
        {"variant_id": unit["id"], "quantity": 3, "price_per_unit": 80},
        {"variant_id": unit["id"], "quantity": 2, "price_per_unit": 90},
        {"variant_id": plain["id"], "quantity": 7, "price_per_unit": 4},
    ]
    order = _created(tenant, number, rows)
    first, second, third = order["purchase_order_rows"]
    receive(tenant, _numbered(tenant, first, FIRST, number, 3), _whole(third, FIRST))
    receive(tenant, _numbered(tenant, second, SECOND, f"{number}-B", 2))
    groups = sorted({row["group_id"] for row in tenant.get("purchase_orders", order["id"])["purchase_order_rows"]})
    for group, price in zip(groups, (30, 12), strict=True):
        _cost(tenant, group, price, "BY_VALUE")
    _cost(tenant, order["default_group_id"], 5, "NON_DISTRIBUTED")
    return tenant.get("purchase_orders", order["id"])


def units_edit(order: Wire) -> Edit:
    """Return a correction of it: one unit less of a row, a price and a date of the other, and its number."""
    first, second = (row for row in order["purchase_order_rows"] if row.get("traceability"))
    left = [entry["serial_number_id"] for entry in first["traceability"]]
    return {
        "order_no": f"{order['order_no']}-C",
        "update_rows": [
            {"row_id": first["id"], "quantity": 2, "serial_number_ids": [left[2], left[0]]},
            {"row_id": second["id"], "price_per_unit": 85, "received_date": THIRD},
        ],
    }


def _numbered(tenant: Tenant, row: Wire, date: str, name: str, count: int) -> Wire:
    names = [f"{name}-{nr}" for nr in range(count)]
    asked = {"resource_type": "PurchaseOrderRow", "resource_id": row["id"], "serial_numbers": names}
    made = tenant.create("serial_numbers", asked)["successful"]
    return {**_whole(row, date), "traceability": [{"serial_number_id": one["id"]} for one in made]}


def shape_in_units(tenant: Tenant, order: int) -> Wire:
    """Return the shape of an order whose units are called by what their names end with, and which of them are there."""
    number = tenant.get("purchase_orders", order)["order_no"].removesuffix("-C")
    own = {one["id"]: one["serial_number"] for one in tenant.all("serials") if one["serial_number"].startswith(number)}
    found = shape(tenant, order, {key: name.removeprefix(number) for key, name in own.items()})
    came = [one["serial_number_id"] for one in tenant.all("serial_transactions") if one["quantity_change"] == 1]
    return {**found, "units": sorted(own[key].removeprefix(number) for key in came if key in own)}


def _whole(row: Wire, date: str) -> Wire:
    return {"purchase_order_row_id": row["id"], "quantity": row["quantity"], "received_date": date}


def _traced(row: Wire, date: str, quantity: int, *batches: tuple[int, int]) -> Wire:
    trace = [{"batch_id": batch, "quantity": count} for batch, count in batches]
    return {**_whole(row, date), "quantity": quantity, "traceability": trace}


def _batch(tenant: Tenant, variant: int, number: str) -> int:
    batches = [batch for batch in tenant.all("batches") if batch["batch_number"] == number]
    return (batches or [tenant.create("batches", {"variant_id": variant, "batch_number": number})])[0]["id"]


def _cost(tenant: Tenant, group: int, price: int, method: str) -> None:
    kind = {"additional_cost_id": live(tenant, "additional_costs")[0]["id"], "tax_rate_id": 10000101}
    tenant.create("po_additional_cost_rows", {**kind, "group_id": group, "price": price, "distribution_method": method})


_CHANGES = ("id", "group_id", "created_at", "updated_at", "purchase_order_id", "order_no", "purchase_order_rows")


def shape(tenant: Tenant, order: int, units: Mapping[int, str] | None = None) -> Wire:
    """Return all that Katana holds of an order but for ids: head, rows, receipts, costs, the ledger and batches."""
    record = _called(tenant.get("purchase_orders", order), units or {})
    rows: list[Wire] = record["purchase_order_rows"]
    names = {group: sorted(str(_plain(row)) for row in rows if row["group_id"] == group) for group in _groups(record)}
    costs = [cost for cost in live(tenant, "po_additional_cost_rows") if cost["group_id"] in names]
    ids = {row["id"] for row in rows}
    moves = [
        move
        for move in tenant.all("inventory_movements")
        if move["resource_type"] == "PurchaseOrderRow" and move["resource_id"] in ids
    ]
    fields = ("variant_id", "location_id", "quantity_change", "value_per_unit", "movement_date", "resource_type")
    return {
        "head": {name: value for name, value in record.items() if name not in {*_CHANGES, "default_group_id"}},
        "receipts": sorted(names.values()),
        "costs": sorted(str((_plain(cost), names[cost["group_id"]])) for cost in costs),
        "ledger": sorted(str([move[name] for name in fields]) for move in moves),
    }


def _called(order: Wire, units: Mapping[int, str]) -> Wire:
    """Return an order with names in place of the ids of units."""
    rows = [
        {
            **row,
            "traceability": [units.get(entry["serial_number_id"], entry) for entry in row.get("traceability") or ()],
        }
        for row in order["purchase_order_rows"]
    ]
    return {**order, "purchase_order_rows": rows} if units else order


def _groups(order: Wire) -> set[int]:
    return {order["default_group_id"], *(row["group_id"] for row in order["purchase_order_rows"])}


def _plain(record: Wire) -> Wire:
    return {name: value for name, value in sorted(record.items()) if name not in _CHANGES}


def stock(tenant: Tenant, order: Wire) -> dict[tuple[int, int], Decimal]:
    """Return what the ledger of each good of an order comes to, by location."""
    variant_ids, found = {row["variant_id"] for row in order["purchase_order_rows"]}, dict[tuple[int, int], Decimal]()
    for move in tenant.all("inventory_movements"):
        if move["variant_id"] in variant_ids:
            pair = move["variant_id"], move["location_id"]
            found[pair] = found.get(pair, Decimal(0)) + amount(move["quantity_change"])
    return found
