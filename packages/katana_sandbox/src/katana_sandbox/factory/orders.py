"""Sales orders of the last months: shipped, late, partial, quoted and deleted ones."""

from decimal import Decimal
from typing import NamedTuple

from katana_sandbox.factory.catalogue import Sold
from katana_sandbox.factory.contacts import Buyer
from katana_sandbox.factory.loader import DAY, Life, Loader
from katana_sandbox.rules.sales import conversion_rate, order_totals, row_totals
from katana_sandbox.store.movements import Movement
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import fixed, number

_SPAN = 75 * DAY
_FEE = Decimal("18.5")


class Stockroom(NamedTuple):
    """What orders draw on. `services` are (variant id, price, SKU)."""

    sold: list[Sold]
    services: list[tuple[int, float, str]]
    buyers: list[Buyer]
    locations: list[int]
    rates: list[int]


class _Order(NamedTuple):
    order_id: int
    order_no: str
    buyer: Buyer
    location: int
    status: str
    due: int
    rate: Decimal
    life: Life


def load_orders(loader: Loader, room: Stockroom, total: int) -> set[int]:
    """So many orders; the ids of those that are still open in part."""
    still_open: set[int] = set()
    for position in range(total):
        order = _draft(loader, room, position, total)
        picks = _picks(loader, room, order)
        rows = _load_rows(loader, room, order, picks)
        shipped = _load_fulfillment(loader, order, rows)
        details = _details(loader, position, shipped, made=any(sold.made for sold in picks))
        _load_order(loader, room, order, rows, details)
        if order.status not in {"DELIVERED", "PACKED"} and order.life.deleted is None:
            still_open.add(order.order_id)
        if position % 12 == 3 and shipped is not None:
            row = next(row for row in rows if row["product_availability"] == "PICKED")
            _load_return(loader, order, row, (shipped + loader.now) // 2)
        loader.report("sales orders", position + 1, total)
    return still_open


def _load_return(loader: Loader, order: _Order, row: Record, created: int) -> None:
    """One piece of a shipped row comes back; each third return is in stock again."""
    life, order_no = loader.plain_life(created), loader.ctx.db.next_number("RO")
    status = ("RESTOCKED_ALL", "NOT_RETURNED", "RETURNED_ALL")[int(order_no[3:]) % 3]
    header: Record = loader.blank("sales_returns") | {
        "sales_order_id": order.order_id,
        "customer_id": order.buyer.customer_id,
        "order_no": order_no,
        "return_location_id": order.location,
        "status": status,
        "currency": order.buyer.currency,
        "order_created_date": loader.text(created),
        "return_date": None if status == "NOT_RETURNED" else loader.text(created),
    }
    line: Record = loader.blank("sales_return_rows") | {
        "sales_return_id": loader.number("sales_returns", header, life),
        **{name: row[name] for name in ("variant_id", "fulfillment_row_id")},
        "sales_order_row_id": row["id"],
        "quantity": "1",
        "net_price_per_unit": fixed(Decimal(row["total"]) / row["quantity"], 10),
        "reason_id": 4,
        "restock_location_id": order.location,
        "batch_transactions": [],
    }
    line_id = loader.number("sales_return_rows", line, life)
    if status == "RESTOCKED_ALL":
        cost = Decimal(row["cogs_value"]) / row["quantity"]
        document = "SystemGenerated", line_id, order_no, line["sales_return_id"], "return"
        back = Movement(row["variant_id"], order.location, Decimal(1), cost, loader.text(created), *document)
        loader.move(back, created)


def _draft(loader: Loader, room: Stockroom, position: int, total: int) -> _Order:
    rng = loader.rng
    created = loader.now - _SPAN + int((position + rng.random()) / total * (_SPAN - DAY))
    due = created + rng.randint(5, 32) * DAY
    deleted = position % 43 == 42
    status = _status(rng.random(), loader.now - due)
    updated = created + int((loader.now - created) * rng.random())
    buyer = rng.choice(room.buyers)
    return _Order(
        order_id=loader.ctx.db.next_id("sales_orders"),
        order_no=loader.ctx.db.next_number("SO"),
        buyer=buyer,
        location=room.locations[0] if rng.random() < 0.8 else room.locations[1],
        status=status,
        due=due,
        rate=conversion_rate(buyer.currency, "EUR"),
        life=Life(created, updated, None, updated if deleted else None),
    )


def _status(chance: float, overdue: int) -> str:
    if overdue > 20 * DAY:
        shares = ((0.9, "DELIVERED"), (0.93, "PARTIALLY_DELIVERED"), (0.98, "NOT_SHIPPED"), (1.0, "PENDING"))
    elif overdue > 0:
        shares = ((0.55, "DELIVERED"), (0.7, "PACKED"), (0.85, "PARTIALLY_PACKED"), (1.0, "NOT_SHIPPED"))
    else:
        shares = ((0.15, "PENDING"), (0.25, "PARTIALLY_PACKED"), (0.32, "PACKED"), (1.0, "NOT_SHIPPED"))
    return next(status for share, status in shares if chance <= share)


def _picks(loader: Loader, room: Stockroom, order: _Order) -> list[Sold]:
    rng = loader.rng
    count = rng.choice((1, 1, 2, 2, 3, 4))
    count = max(count, 2) if order.status.startswith("PART") else count
    return list(dict.fromkeys(rng.choice(room.sold) for _ in range(count)))


def _load_rows(loader: Loader, room: Stockroom, order: _Order, picks: list[Sold]) -> list[Record]:
    rng = loader.rng
    rows: list[Record] = []
    for place, sold in enumerate(picks):
        quantity = rng.choice((1, 1, 2, 3)) if sold.price > 300 else rng.randint(1, 12)
        rows.append(_row(order, room, sold, quantity, leaves=_leaves(order.status, place)))
    if rng.random() < 0.1 and order.status in {"NOT_SHIPPED", "PENDING"}:
        variant_id, price, sku = rng.choice(room.services)
        row = _row(order, room, Sold(variant_id, price, 0, sku), 1, leaves=False)
        rows.append({**row, "product_availability": "NOT_APPLICABLE"})
    for row in rows:
        row["id"] = loader.number("sales_order_rows", row, order.life)
    return rows


def _leaves(status: str, place: int) -> bool:
    return status in {"DELIVERED", "PACKED"} or (status.startswith("PARTIALLY") and place == 0)


def _row(order: _Order, room: Stockroom, sold: Sold, quantity: int, *, leaves: bool) -> Record:
    exchanged = Decimal(str(sold.price)) / order.rate
    rate_id = room.rates[0] if order.buyer.currency == "EUR" else room.rates[2]
    row: Record = {
        "sales_order_id": order.order_id,
        "quantity": quantity,
        "variant_id": sold.variant_id,
        "tax_rate_id": rate_id,
        "tax_rate": 22 if rate_id == room.rates[0] else 0,
        "location_id": None,
        "product_availability": "PICKED" if leaves else "NOT_AVAILABLE",
        "product_expected_date": None,
        "price_per_unit": fixed(round(exchanged, 2), 10),
        "price_per_unit_in_base_currency": 0,
        "total": 0,
        "total_in_base_currency": 0,
        "total_discount": "0.00" if quantity < 10 else "25.00",
        "cogs_value": fixed(Decimal(str(sold.cost)) * quantity, 10) if leaves else None,
        "attributes": [],
        "batch_transactions": [],
        "serial_numbers": [],
        "serial_number_transactions": [],
        "linked_manufacturing_order_id": None,
        "conversion_rate": 1,
        "conversion_date": None,
        "custom_fields": None,
        "traceability": [],
        "sku": sold.sku,
    }
    return {**row, **row_totals(row, order.rate)}


def _load_fulfillment(loader: Loader, order: _Order, rows: list[Record]) -> int | None:
    leaving = [row for row in rows if row["product_availability"] == "PICKED"]
    if not leaving:
        return None
    picked = min(loader.now - loader.rng.randrange(DAY // 4), order.due - loader.rng.randint(-9, 3) * DAY)
    picked = max(picked, order.life.created)
    for row in leaving:
        row["fulfillment_row_id"] = loader.ctx.db.next_id("sales_order_fulfillment_rows")
    fields: Record = {
        "sales_order_id": order.order_id,
        "picked_date": loader.text(picked),
        "status": "DELIVERED" if order.status.endswith("DELIVERED") else "PACKED",
        "invoice_status": "NOT_INVOICED",
        "conversion_rate": None,
        "conversion_date": None,
        "tracking_number": f"FF{order.order_id:09d}" if order.order_id % 2 else None,
        "tracking_url": None,
        "tracking_carrier": "Parcel Nord" if order.order_id % 2 else None,
        "tracking_method": None,
        "packer_id": None,
        "sales_order_fulfillment_rows": [
            {
                "id": row["fulfillment_row_id"],
                "sales_order_row_id": row["id"],
                "quantity": row["quantity"],
                "batch_transactions": [],
                "serial_numbers": [],
                "traceability": [],
            }
            for row in leaving
        ],
    }
    life = Life(picked, max(picked, order.life.updated))
    fulfillment_id = loader.number("sales_order_fulfillments", fields, life)
    if order.life.deleted is not None:
        return None
    for row in leaving:
        _ship(loader, order, row, picked, fulfillment_id)
    return picked


def _ship(loader: Loader, order: _Order, row: Record, picked: int, fulfillment_id: int) -> None:
    quantity = Decimal(row["quantity"])
    movement = Movement(
        variant_id=row["variant_id"],
        location_id=order.location,
        quantity=-quantity,
        unit_cost=None,
        movement_date=loader.text(picked),
        resource_type="SalesOrderRow",
        resource_id=row["id"],
        caused_by_order_no=order.order_no,
        caused_by_resource_id=order.order_id,
        part=fulfillment_id,
    )
    loader.ship(movement, Decimal(row["cogs_value"]) / quantity, picked)


def _details(loader: Loader, position: int, picked: int | None, *, made: bool) -> Record:
    shop = position % 13 == 7
    return {
        "source": "shopify" if shop else "katana",
        "picked_date": None if picked is None else loader.text(picked),
        "invoicing_status": None if picked is None else "notInvoiced",
        "additional_info": "Call before delivery" if position % 8 == 1 else None,
        "customer_ref": f"PO {4100 + position}" if position % 3 == 0 else None,
        "ecommerce_order_type": "shopify" if shop else None,
        "ecommerce_store_name": "fjell-and-fjord.example.com" if shop else None,
        "ecommerce_order_id": str(19400000 + position) if shop else None,
        "product_availability": "PICKED",
        "product_expected_date": None,
        "ingredient_availability": "PROCESSED" if made else "NOT_APPLICABLE",
        "ingredient_expected_date": None,
        "production_status": "NONE" if made else "NOT_APPLICABLE",
        "tracking_number": None,
        "tracking_number_url": None,
    }


def _load_order(loader: Loader, room: Stockroom, order: _Order, rows: list[Record], details: Record) -> None:
    ids = {
        kind: loader.number(
            "sales_order_addresses",
            {"sales_order_id": order.order_id, "entity_type": kind, **order.buyer.address},
            order.life,
        )
        for kind in ("billing", "shipping")
    }
    fee = _load_fee(loader, room, order) if order.order_id % 5 == 2 else Decimal(0)
    fields = {
        "customer_id": order.buyer.customer_id,
        "order_no": order.order_no,
        "order_created_date": loader.text(order.life.created),
        "delivery_date": loader.text(order.due),
        "location_id": order.location,
        "status": order.status,
        "currency": order.buyer.currency,
        "conversion_rate": number(order.rate),
        "conversion_date": loader.text(order.life.created),
        **order_totals(rows, fee, order.rate),
        **details,
        "billing_address_id": ids["billing"],
        "shipping_address_id": ids["shipping"],
        "linked_manufacturing_order_id": None,
        "custom_fields": None,
    }
    loader.put("sales_orders", fields, order.life, key=order.order_id)


def _load_fee(loader: Loader, room: Stockroom, order: _Order) -> Decimal:
    amount = _FEE + order.order_id % 7
    fields = {
        "sales_order_id": order.order_id,
        "amount": fixed(amount, 10),
        "tax_rate_id": room.rates[0],
        "description": "Freight",
    }
    loader.put("sales_order_shipping_fee", fields, order.life)
    return amount * Decimal("1.22")
