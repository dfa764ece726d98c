"""POST and DELETE of serial numbers: purchase order rows mint them, other documents take over units that exist."""

from collections.abc import Iterable
from decimal import Decimal
from typing import cast

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.serials import (
    ENTRIES,
    ORDER,
    PRODUCTION,
    SOLD,
    UNKNOWN,
    Bond,
    bind,
    check_free,
    entries_of,
    mint,
    named,
    unbind,
    wire_entry,
)
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import Refused, unprocessable
from katana_sandbox.wire.numbers import as_decimal

BOUGHT, MOVED, ADJUSTED = "PurchaseOrderRow", "StockTransferRow", "StockAdjustmentRow"
MINTING = (ORDER, BOUGHT)
# Where each kind of document is kept, and what a refusal calls it.
_STORES = {
    ORDER: ("manufacturing_orders", "manufacturing order"),
    PRODUCTION: ("manufacturing_order_productions", "production"),
    BOUGHT: ("purchase_order_rows", "purchase order row"),
    SOLD: ("sales_order_rows", "sales order row"),
    MOVED: ("stock_transfer_rows", "stock transfer row"),
    ADJUSTED: ("stock_adjustment_rows", "stock adjustment row"),
}


def assign(ctx: Context, body: Record) -> Record:
    """Mint or transfer serial numbers; what worked, and what failed with its reason."""
    kind, names = str(body["resource_type"]), cast("list[str]", body.get("serial_numbers") or [])
    if kind == ORDER and ctx.switches.word("serial_attach_mo") == "404":
        raise Refused(404, f"manufacturing order {body['resource_id']} not found")
    resource = _resource(ctx, kind, body["resource_id"])
    if kind in MINTING:
        return _mint(ctx, kind, resource, names)
    if kind == SOLD and resource.get("linked_manufacturing_order_id") is not None:
        raise unprocessable(f"SalesOrderRow {resource['id']} is linked, serial info must be updated on MO")
    return _transfer(ctx, kind, resource, names)


def unassign(ctx: Context, body: Record) -> None:
    """Forget what a document did to units; with an order goes all that followed from its units."""
    kind, key, units = str(body["resource_type"]), body["resource_id"], cast("list[object]", body["ids"])
    unbind(ctx, kind, key, units)
    if kind == ORDER:
        for production in ctx.children("manufacturing_order_productions", "manufacturing_order_id", key):
            unbind(ctx, PRODUCTION, production["id"], units)
        order = ctx.get("manufacturing_orders", key) or {}
        if order.get("sales_order_row_id") is not None:
            unbind(ctx, SOLD, order["sales_order_row_id"], units)


def _resource(ctx: Context, kind: str, key: object) -> Record:
    store, entity = _STORES[kind]
    found = ctx.get(store, key)
    if found is not None:
        return found
    raise Refused(404, f"{entity} {key} not found")


def _mint(ctx: Context, kind: str, resource: Record, names: Iterable[str]) -> Record:
    made: list[Record] = []
    failed: list[Record] = []
    for name in names:
        if named(ctx, resource["variant_id"], name) is not None:
            failed.append({"serial_number": name, "reason": "DUPLICATE"})
            continue
        unit = mint(ctx, resource["variant_id"], name)
        made += [wire_entry(ctx, entry) for entry in _first_entries(ctx, kind, resource, unit["id"])[:1]]
    return {"successful": made, "failed": failed}


def _first_entries(ctx: Context, kind: str, resource: Record, unit: int) -> list[Record]:
    row_id = resource.get("sales_order_row_id") if kind == ORDER else None
    if kind == BOUGHT:
        received = resource.get("received_date")
        return [bind(ctx, unit, Bond(kind, resource["id"], int(received is not None), received))]
    if row_id is None:
        return [bind(ctx, unit, Bond(kind, resource["id"], 0))]
    placeholder = [] if resource["status"] == "DONE" else [bind(ctx, unit, Bond(kind, resource["id"], 0))]
    return [*placeholder, bind(ctx, unit, Bond(SOLD, row_id, -1))]


def _transfer(ctx: Context, kind: str, resource: Record, names: Iterable[str]) -> Record:
    found = {name: named(ctx, resource["variant_id"], name) for name in names}
    if None in found.values():
        raise unprocessable("UnknownSerialNumber" if kind == PRODUCTION else UNKNOWN)
    units = [int(unit["id"]) for unit in found.values() if unit is not None]
    if kind == SOLD:
        check_new(ctx, resource, units)
    bond = _bond(ctx, kind, resource)
    made = [wire_entry(ctx, bind(ctx, unit, bond)) for unit in units]
    if kind == PRODUCTION:
        _count_on_order(ctx, resource, units)
    return {"successful": [_moved(entry) for entry in made], "failed": []}


def check_new(ctx: Context, row: Record, units: Iterable[int]) -> None:
    """Refuse units that a sales order row has already, or that are not free."""
    unit_ids = list(units)
    held = {entry["serial_number_id"] for entry in entries_of(ctx, SOLD, row["id"])}
    for unit in unit_ids:
        if unit in held:
            raise unprocessable(f"row already has serial number with id ({unit})")
    check_free(ctx, row, unit_ids)


def _bond(ctx: Context, kind: str, resource: Record) -> Bond:
    key = resource["id"]
    if kind == PRODUCTION:
        return Bond(kind, key, 1, resource["production_date"])
    if kind == SOLD:
        return Bond(kind, key, -1)
    if kind == MOVED:
        transfer = ctx.get("stock_transfers", resource["stock_transfer_id"]) or {}
        return Bond(kind, key, 0, None if transfer.get("status") == "draft" else transfer.get("transfer_date"))
    header = ctx.get("stock_adjustments", resource["stock_adjustment_id"]) or {}
    sign = 1 if as_decimal(resource["quantity"]) > Decimal(0) else -1
    return Bond(kind, key, sign, header.get("stock_adjustment_date"))


def _count_on_order(ctx: Context, production: Record, units: Iterable[int]) -> None:
    unit_ids = set(units)
    for entry in entries_of(ctx, ORDER, production["manufacturing_order_id"]):
        if entry["serial_number_id"] in unit_ids:
            ctx.set(ENTRIES, entry["id"], {"quantity_change": 1})


def _moved(entry: Record) -> Record:
    """Null and undefined are answered as words."""
    date = "null" if entry["transaction_date"] is None else entry["transaction_date"]
    return {**entry, "transaction_id": "undefined", "resource_id": "null", "transaction_date": date}
