"""Shipped sales orders to correct, and what the sandbox holds of one but for the ids that a correction changes."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from random import Random
from typing import Any, cast

from correcting_orders import FIRST, SECOND, THIRD, Edit, goods
from server_wire import Wire, amount, live

from katana_sandbox import Tenant

PRODUCTION = "manufacturing_order_productions"
ORDERS, ROWS, SHIPMENTS, GONE = (
    "sales_orders",
    "sales_order_rows",
    "sales_order_fulfillments",
    "sales_order_fulfillment_rows",
)


def sold(tenant: Tenant, **flags: bool) -> list[Wire]:
    """Return variants of products with these flags, such as `serial_tracked`, oldest first."""
    required = {"serial_tracked": False, "is_auto_assembly": False, **flags}
    items = {
        product["id"]
        for product in live(tenant, "products")
        if product["is_sellable"] and all(bool(product.get(name)) is value for name, value in required.items())
    }
    return [variant for variant in live(tenant, "variants") if variant["product_id"] in items]


def _created(tenant: Tenant, number: str, rows: Sequence[Wire]) -> Wire:
    place = next(place for place in live(tenant, "locations") if place["sales_allowed"])["id"]
    parties = {"customer_id": live(tenant, "customers")[0]["id"], "location_id": place, "currency": "EUR"}
    dates = {"order_created_date": "2026-02-01T08:00:00.000Z", "delivery_date": "2026-02-18T08:00:00.000Z"}
    return tenant.create(ORDERS, {**parties, **dates, "order_no": number, ROWS: [*rows], "additional_info": "fragile"})


def ship(tenant: Tenant, order: Wire, date: str, *lines: Mapping[str, object], **more: object) -> Wire:
    """Return a new shipment of an order."""
    body = {"sales_order_id": order["id"], "status": "DELIVERED", "picked_date": date, GONE: [*lines], **more}
    return tenant.create(SHIPMENTS, cast("Wire", body))


def line(row: Wire, quantity: float | None = None, **traced: object) -> Wire:
    """Return how much of a row is shipped: all of it by default."""
    return {"sales_order_row_id": row["id"], "quantity": quantity or row["quantity"], **traced}


def small(tenant: Tenant, number: str) -> Wire:
    """Return an order of two rows that left at once, with a parcel."""
    first, second = sold(tenant)[:2]
    rows = [
        {"variant_id": first["id"], "quantity": 5, "price_per_unit": 24},
        {"variant_id": second["id"], "quantity": 3},
    ]
    order = _created(tenant, number, rows)
    parcel = {"tracking_number": "1Z 9", "tracking_url": "https://carrier.example/1Z9"}
    ship(tenant, order, FIRST, *map(line, order[ROWS]), **parcel, tracking_carrier="Parcels", tracking_method="Air")
    return tenant.get(ORDERS, order["id"])


def small_edit(order: Wire) -> Edit:
    """Return a correction of the small order."""
    return {"update_rows": [{"row_id": order[ROWS][0]["id"], "quantity": 4}]}


def large(tenant: Tenant, number: str) -> Wire:
    """Return an order that left with two shipments: split rows, batches, goods of no batch, a serial number, a kit."""
    plain, other = sold(tenant)[:2]
    tracked = goods(tenant, batched=True)[0]
    unit, kit = (sold(tenant, **{flag: True})[0] for flag in ("serial_tracked", "is_auto_assembly"))
    rows = [
        {"variant_id": plain["id"], "quantity": 10, "price_per_unit": 2, "total_discount": 1},
        {"variant_id": tracked["id"], "quantity": 6, "price_per_unit": 3},
        {"variant_id": other["id"], "quantity": 7, "price_per_unit": 4},
        {"variant_id": unit["id"], "quantity": 1, "price_per_unit": 90},
        {"variant_id": kit["id"], "quantity": 2, "price_per_unit": 50},
    ]
    order = _created(tenant, number, rows)
    one, two, three, four, five = order[ROWS]
    batches = [_batch(tenant, tracked["id"], name) for name in ("first", "second")]
    serial = {"serial_number_id": _unit(tenant, unit["id"], number), "quantity": 1}
    ship(tenant, order, FIRST, line(one, 4), line(two, 2, traceability=[_of(batches[0], 2)]), tracking_number="1")
    traced = line(two, 4, traceability=[_of(batches[1], 3), _of(None, 1)])
    rest = line(one, 6), traced, line(three), line(four, traceability=[serial]), line(five)
    ship(tenant, order, THIRD, *rest, tracking_number="3", status="PACKED")
    return tenant.get(ORDERS, order["id"])


def large_edit(order: Wire) -> Edit:
    """Return a correction of the large order: changed, added and deleted rows, batches and its number."""
    one, two, three, *_ = order[ROWS]
    return {
        "order_no": f"{order['order_no']}-B",
        "update_rows": [{"row_id": one["id"], "quantity": 7}, {"row_id": two["id"], "price_per_unit": 5}],
        "add_rows": [{"sku_or_variant_id": three["variant_id"], "quantity": 2, "price_per_unit": 4}],
        "delete_row_ids": [three["id"]],
    }


def _of(batch: int | None, quantity: int) -> Wire:
    return {"batch_id": batch, "quantity": str(quantity)}


def _batch(tenant: Tenant, variant: int, number: str) -> int:
    batches = [batch for batch in tenant.all("batches") if batch["batch_number"] == f"sold {number}"]
    return (batches or [tenant.create("batches", {"variant_id": variant, "batch_number": f"sold {number}"})])[0]["id"]


def _unit(tenant: Tenant, variant: int, number: str) -> int:
    """Return a serial number that was made for an order."""
    place = next(place for place in live(tenant, "locations") if place["manufacturing_allowed"])["id"]
    body = {"variant_id": variant, "planned_quantity": 1, "location_id": place, "order_no": f"unit of {number}"}
    made = {"manufacturing_order_id": tenant.create("manufacturing_orders", body)["id"], "completed_date": FIRST}
    (unit,) = tenant.create(PRODUCTION, {**made, "completed_quantity": 1, "is_final": True})["serial_numbers"]
    return unit["id"]


_CHANGES = (
    "id",
    "created_at",
    "updated_at",
    "sales_order_id",
    "sales_order_row_id",
    "order_no",
    "conversion_date",
    "cogs_value",
)
_OWN = ("billing_address_id", "shipping_address_id", "addresses")


def shape(tenant: Tenant, order: int) -> Wire:
    """Return all that Katana holds of an order but for ids: head, rows, shipments, and the ledger."""
    record = tenant.get(ORDERS, order)
    named = {row["id"]: [row["variant_id"], row["quantity"]] for row in record[ROWS]}
    gone = [one for one in live(tenant, SHIPMENTS) if one["sales_order_id"] == order]
    fields = ("variant_id", "location_id", "quantity_change", "movement_date", "resource_type")
    moves = [
        [move[name] for name in fields]
        for move in tenant.all("inventory_movements")
        if move["resource_type"] == "SalesOrderRow" and move["resource_id"] in named
    ]
    lines = [
        [
            _plain({**one, GONE: ()}),
            sorted(str([named[row["sales_order_row_id"]], _plain(row)]) for row in one[GONE]),
        ]
        for one in gone
    ]
    return {
        "head": {name: value for name, value in record.items() if name not in {*_CHANGES, *_OWN, ROWS}},
        "rows": sorted(str(_plain(row)) for row in record[ROWS]),
        "shipments": sorted(map(str, lines)),
        "ledger": sorted(map(str, moves)),
    }


def _plain(record: Wire) -> Wire:
    """Return a record without what is its own: each order has another serial number."""
    units = {"serial_numbers": len(record.get("serial_numbers", ())), "serial_number_transactions": ()}
    trace = [{**row, "serial_number_id": bool(row["serial_number_id"])} for row in record.get("traceability", ())]
    return {
        name: value
        for name, value in sorted((record | units | {"traceability": trace}).items())
        if name not in _CHANGES
    }


def stock(tenant: Tenant, order: Wire) -> dict[tuple[int, int], Decimal]:
    """Return what the ledger comes to, of every good and location."""
    del order
    found: dict[tuple[int, int], Decimal] = {}
    for move in tenant.all("inventory_movements"):
        pair: Any = move["variant_id"], move["location_id"]
        found[pair] = found.get(pair, Decimal(0)) + amount(move["quantity_change"])
    return found


def drawn(tenant: Tenant, rng: Random, number: str) -> tuple[Wire, Edit]:
    """Return an order in any status, quote, open, packed or delivered, in full or in part, and any correction of it."""
    variants = [*sold(tenant)[:3], goods(tenant, batched=True)[0]]
    rows = [{"variant_id": rng.choice(variants)["id"], "quantity": rng.randint(1, 5)} for _ in range(rng.randint(1, 3))]
    order = _created(tenant, number, [{**row, "price_per_unit": 3} for row in rows])
    left = {row["id"]: row["quantity"] for row in order[ROWS]}
    for date in (FIRST, SECOND, THIRD)[: rng.randint(0, 3)]:
        going = {key: open_ if rng.random() < 0.6 else rng.randint(0, open_) for key, open_ in left.items()}
        lines = [line({"id": key}, count) for key, count in going.items() if count]
        if lines:
            ship(tenant, order, date, *lines, status=rng.choice(("PACKED", "DELIVERED")), tracking_number=date)
            left = {key: open_ - going[key] for key, open_ in left.items()}
    order = tenant.get(ORDERS, order["id"])
    if order["status"] == "NOT_SHIPPED":
        tenant.edit(ORDERS, order["id"], status=rng.choice(("PENDING", "NOT_SHIPPED", "READY_FOR_FULFILLMENT")))
    return order, _drawn_edit(rng, order, variants)


def _drawn_edit(rng: Random, order: Wire, variants: Sequence[Wire]) -> Edit:
    edit: Edit = {}
    changed = [
        {"row_id": row["id"], rng.choice(("quantity", "price_per_unit")): rng.randint(1, 6)}
        for row in order[ROWS]
        if rng.random() < 0.5
    ]
    named = {update["row_id"] for update in changed}
    deleted = [row["id"] for row in order[ROWS] if row["id"] not in named and rng.random() < 0.2]
    if rng.random() < 0.3:
        edit["add_rows"] = [{"sku_or_variant_id": rng.choice(variants)["id"], "quantity": 2, "price_per_unit": 1}]
    if rng.random() < 0.2:
        edit["delivery_date"] = "2026-02-19"
    return edit | ({"update_rows": changed} if changed else {}) | ({"delete_row_ids": deleted} if deleted else {})


def dates(tenant: Tenant, order: Wire) -> set[str]:
    """Return when which parcel of an order left."""
    gone = [one for one in live(tenant, SHIPMENTS) if one["sales_order_id"] == order["id"]]
    return {str([one[name] for name in ("status", "picked_date", "tracking_number")]) for one in gone}
