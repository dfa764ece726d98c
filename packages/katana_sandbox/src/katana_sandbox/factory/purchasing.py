"""Purchase orders of the last months: received, partly received, late, expected, drafts and deleted ones."""

from decimal import Decimal
from typing import NamedTuple, cast

from katana_sandbox.factory.loader import DAY, Life, Loader
from katana_sandbox.rules.ledger import Pair
from katana_sandbox.rules.purchases import SOURCE, landed_value, order_amounts, rolled_up_status, row_amounts
from katana_sandbox.rules.sales import conversion_rate
from katana_sandbox.store.movements import Movement
from katana_sandbox.store.records import ARCHIVED, DELETED
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import as_decimal, number
from katana_sandbox.wire.times import moment_of_ms, wire_moment

_SPAN = 75 * DAY
_LOOKED_AT = 4000
_TAX = Decimal(22)
_FREIGHT = Decimal(48)
_STATES = ("RECEIVED", "LATE", "RECEIVED", "PARTIALLY_RECEIVED", "NOT_RECEIVED", "RECEIVED", "NOT_RECEIVED", "DRAFT")


class Good(NamedTuple):
    """What a purchase needs to know of a variant. `cost` is of one stock unit, in base currency."""

    variant_id: int
    supplier_id: int
    cost: Decimal
    uom: str
    units: Decimal


class _Order(NamedTuple):
    order_id: int
    order_no: str
    state: str
    supplier: Record
    location: int
    rate: Decimal
    life: Life
    due: int
    group: int
    extra: Decimal


def purchasable(loader: Loader) -> list[Good]:
    """The live parts and goods that are bought, of the first thousands."""
    db = loader.ctx.db
    goods: list[Good] = []
    store = db.stores["variants"]
    for slot in range(min(_LOOKED_AT, len(store.keys))):
        if store.flags[slot] & (DELETED | ARCHIVED):
            continue
        variant = store.record(slot)
        item = db.stores["materials"].get(variant["material_id"] or 0) or db.stores["products"].get(
            variant["product_id"] or 0
        )
        if not goods and variant["material_id"] == store.record(0)["material_id"]:
            continue  # the first part keeps its plain figures, for examples to point at
        if item is not None and item.get("default_supplier_id") and not item["batch_tracked"]:
            units = as_decimal(item.get("purchase_uom_conversion_rate") or 1)
            uom = item.get("purchase_uom") or item["uom"]
            cost = loader.costs[variant["id"]]
            goods.append(Good(variant["id"], item["default_supplier_id"], cost, uom, units))
    return goods


def rate_of(supplier: Record) -> Decimal:
    """Base units per unit of a supplier's currency."""
    return conversion_rate(supplier["currency"], "EUR")


def price_per_unit(cost: Decimal, units: Decimal, rate: Decimal) -> int | float:
    """What a purchase unit of so many stock units costs, in the currency of that rate."""
    price = cost * units / rate
    return number(round(price, 2 if price > 1 else 4))


def load_purchases(loader: Loader, goods: list[Good], places: tuple[list[int], list[int]], total: int) -> set[Pair]:
    """So many orders, to the first two of the locations; the pairs that wait for goods."""
    locations, rates = places
    by_supplier: dict[int, list[Good]] = {}
    for good in goods:
        by_supplier.setdefault(good.supplier_id, []).append(good)
    waiting: set[Pair] = set()
    for position in range(total if goods else 0):
        supplier_id = loader.rng.choice(list(by_supplier))
        order = _draft(loader, position, total, supplier_id, locations)
        choice = by_supplier[supplier_id]
        picks = loader.rng.sample(choice, min(len(choice), loader.rng.randint(2, 5)))
        rows = _rows(loader, order, picks, rates[0])
        _load(loader, order, rows, rates[0])
        if order.state != "DRAFT" and order.life.deleted is None:
            waiting |= {(row["variant_id"], order.location) for row in rows if row["received_date"] is None}
        loader.report("purchase orders", position + 1, total)
    return waiting


def _draft(loader: Loader, position: int, total: int, supplier_id: int, locations: list[int]) -> _Order:
    rng, db = loader.rng, loader.ctx.db
    state = _STATES[position % len(_STATES)]
    created = loader.now - _SPAN + int((position + rng.random()) / total * (_SPAN - 3 * DAY))
    if state == "LATE":
        due = min(created + 6 * DAY, loader.now - DAY)
    elif state in {"NOT_RECEIVED", "DRAFT"}:
        due = loader.now + rng.randint(2, 25) * DAY
    else:
        due = max(created, min(created + rng.randint(4, 20) * DAY, loader.now - DAY // 2))
    supplier = db.stores["suppliers"].get(supplier_id) or {}
    deleted = position % 29 == 20
    updated = created + int((loader.now - created) * rng.random())
    return _Order(
        order_id=db.next_id("purchase_orders"),
        order_no=db.next_number("PO"),
        state=state,
        supplier=supplier,
        location=locations[0] if rng.random() < 0.8 else locations[1],
        rate=rate_of(supplier),
        life=Life(created, updated, None, updated if deleted else None),
        due=due,
        group=db.next_id("purchase_order_groups"),
        extra=_FREIGHT if position % 6 == 2 else Decimal(0),
    )


def _rows(loader: Loader, order: _Order, picks: list[Good], tax_rate: int) -> list[Record]:
    rng = loader.rng
    rows: list[Record] = []
    for place, good in enumerate(picks):
        quantity = rng.randint(1, 3) if good.units > 1 else rng.choice((5, 10, 12, 20))
        parts = [quantity]
        if order.state == "PARTIALLY_RECEIVED" and place == 0 and quantity > 1:
            parts = [1, quantity - 1]
        for number_of_part, part in enumerate(parts):
            received = order.state == "RECEIVED" or (
                order.state == "PARTIALLY_RECEIVED" and (place == 1 or (place == 0 and number_of_part == 1))
            )
            rows.append(_row(order, good, part, tax_rate, loader.text(order.due) if received else None))
    for row in rows:
        row["landed_cost"] = number(landed_value(row, rows, order.extra, order.rate))
    return rows


def _row(order: _Order, good: Good, quantity: int, tax_rate: int, arrived: str | None) -> Record:
    row: Record = {
        "quantity": quantity,
        "variant_id": good.variant_id,
        "tax_rate_id": tax_rate,
        "price_per_unit": price_per_unit(good.cost, good.units, order.rate),
        "price_per_unit_in_base_currency": 0,
        "purchase_uom_conversion_rate": number(good.units),
        "purchase_uom": good.uom,
        "currency": order.supplier["currency"],
        "conversion_rate": None,
        "total": 0,
        "total_in_base_currency": 0,
        "conversion_date": None,
        "received_date": arrived,
        "arrival_date": wire_moment(moment_of_ms(order.due)),
        "batch_transactions": [],
        "purchase_order_id": order.order_id,
        "location_id": order.location,
        "landed_cost": 0,
        "group_id": order.group,
    }
    return {**row, **row_amounts(row, order.rate)}


def _load(loader: Loader, order: _Order, rows: list[Record], tax_rate: int) -> None:
    for row in rows:
        row_id = loader.number("purchase_order_rows", row, order.life)
        if row["received_date"] is not None and order.life.deleted is None:
            _arrive(loader, order, row, row_id, landed_value(row, rows, order.extra, order.rate))
    if order.extra:
        _load_freight(loader, order, tax_rate)
    billed = order.state == "RECEIVED" and order.order_id % 3 == 0
    fields = {
        "status": rolled_up_status(rows, "DRAFT" if order.state == "DRAFT" else "NOT_RECEIVED"),
        "order_no": order.order_no,
        "entity_type": "regular",
        "default_group_id": order.group,
        "supplier_id": order.supplier["id"],
        "currency": order.supplier["currency"],
        "expected_arrival_date": loader.text(order.due),
        "order_created_date": loader.text(order.life.created),
        "additional_info": "Deliver to the rear entrance" if order.order_id % 5 == 0 else "",
        "location_id": order.location,
        **order_amounts(rows, order.rate, {tax_rate: _TAX}),
        "billing_status": "BILLED" if billed else "NOT_BILLED",
        "last_document_status": "NOT_SENT" if order.state == "DRAFT" else "SENT",
        "tracking_location_id": None,
    }
    loader.put("purchase_orders", fields, order.life, key=order.order_id)
    if billed and order.life.deleted is None:
        bill: Record = {"purchase_order_id": order.order_id, "received_items_group_id": order.group}
        bill |= {"integration_type": "custom", "bill_id": f"B-{order.order_id}"}
        loader.put("purchase_order_accounting_metadata", bill, order.life)


def _arrive(loader: Loader, order: _Order, row: Record, row_id: int, value: Decimal) -> None:
    units = as_decimal(row["quantity"]) * as_decimal(row["purchase_uom_conversion_rate"])
    pair, document = (cast("int", row["variant_id"]), order.location), (row_id, order.order_no, order.order_id)
    loader.move(Movement(*pair, units, value / units, row["received_date"], SOURCE, *document), order.due)


def _load_freight(loader: Loader, order: _Order, tax_rate: int) -> None:
    fields = {
        "additional_cost_id": loader.ctx.db.stores["additional_costs"].keys[0],
        "group_id": order.group,
        "name": "Shipping",
        "distribution_method": "BY_VALUE",
        "tax_rate_id": tax_rate,
        "tax_rate": 22,
        "price": number(order.extra / order.rate),
        "price_in_base": number(order.extra),
        "currency": order.supplier["currency"],
        "currency_conversion_rate": number(order.rate),
        "currency_conversion_rate_fix_date": None,
        "reference": None,
    }
    loader.put("po_additional_cost_rows", fields, order.life)
