"""Serial numbers: single units by name, and what happened to each, one entry for a unit and a document row."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from katana_sandbox.descriptor import Context
from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import Record, rows
from katana_sandbox.wire.errors import unprocessable

SERIALS = "serials"
ENTRIES = "serial_transactions"
ORDER, PRODUCTION, SOLD = "ManufacturingOrder", "Production", "SalesOrderRow"
ASSIGNED = "given serial numbers have already been assigned"
UNKNOWN = "serial numbers not found"


class Bond(NamedTuple):
    """What a document row does to a unit: +1 in, -1 out, 0 neither; without a date it has not happened yet."""

    kind: str
    key: Key
    change: int
    date: str | None = None


def entries_of(ctx: Context, kind: str, key: object) -> list[Record]:
    """What a document row did to units, oldest first."""
    return ctx.children(ENTRIES, "resource", f"{kind} {key}")


def named(ctx: Context, variant_id: object, name: str) -> Record | None:
    """The unit of a variant that has this serial number."""
    found = ctx.children(SERIALS, "code", f"{variant_id} {name}")
    return found[0] if found else None


def units_of(ctx: Context, variant_id: object, given: Iterable[object]) -> list[int]:
    """Those of the given ids that are units of a variant; the others are dropped."""
    units = [ctx.get(SERIALS, key) for key in given]
    return [unit["id"] for unit in units if unit is not None and unit["variant_id"] == variant_id]


def mint(ctx: Context, variant_id: object, name: str) -> Record:
    """A new unit."""
    return ctx.insert(SERIALS, {"serial_number": name, "variant_id": variant_id, "code": f"{variant_id} {name}"})


def bind(ctx: Context, unit: int, bond: Bond) -> Record:
    """Let a unit have this entry for a document row, the only one of the two."""
    held = _entry(ctx, unit, bond.kind, bond.key)
    effect = {"quantity_change": bond.change, "transaction_date": bond.date}
    if held is not None:
        ctx.set(ENTRIES, held["id"], effect)
        return {**held, **effect}
    place = {"resource_type": bond.kind, "resource_id": bond.key, "resource": f"{bond.kind} {bond.key}"}
    made = ctx.insert(ENTRIES, {"serial_number_id": unit, **place, **effect})
    _show(ctx, bond.kind, bond.key)
    return made


def unbind(ctx: Context, kind: str, key: object, units: Sequence[object] | None = None) -> None:
    """Forget what a document row did to these units, or to all of its units."""
    for entry in entries_of(ctx, kind, key):
        if units is None or entry["serial_number_id"] in units:
            ctx.delete(ENTRIES, entry["id"])
    _show(ctx, kind, key)


def reserved_units(ctx: Context, row_id: object) -> list[int]:
    """The units that a sales order row holds and that have not left."""
    entries = entries_of(ctx, SOLD, row_id)
    return [entry["serial_number_id"] for entry in entries if entry.get("fulfillment_id") is None]


def redate_units(ctx: Context, kind: str, key: object, date: str | None) -> None:
    """Give what a document row did to its units another date."""
    for entry in entries_of(ctx, kind, key):
        ctx.set(ENTRIES, entry["id"], {"transaction_date": date})


def count_units(ctx: Context, kind: str, key: object, change: int, date: str | None) -> None:
    """Let a document row do another thing to its units."""
    for entry in entries_of(ctx, kind, key):
        ctx.set(ENTRIES, entry["id"], {"quantity_change": change, "transaction_date": date})


def produce_units(ctx: Context, order: Record, production: Record, given: Iterable[object]) -> None:
    """Bring the given units of an order into stock; those that are not on the order are dropped."""
    attached = {entry["serial_number_id"] for entry in entries_of(ctx, ORDER, order["id"])}
    for unit in dict.fromkeys(given):
        if isinstance(unit, int) and unit in attached:
            bind(ctx, unit, Bond(PRODUCTION, production["id"], 1, production["production_date"]))
            bind(ctx, unit, Bond(ORDER, order["id"], 1))


def generate_units(ctx: Context, order: Record, production: Record, count: int) -> None:
    """Bring so many new units into stock."""
    names = (ctx.db.next_number("SN") for _ in range(count))
    bring_units(ctx, order, production, [mint(ctx, order["variant_id"], name)["id"] for name in names])


def bring_units(ctx: Context, order: Record, production: Record, units: Iterable[int]) -> None:
    """Bring units into stock by their order, each in one entry; a row that they are made for reserves them."""
    for unit in units:
        entry = bind(ctx, unit, Bond(ORDER, order["id"], 1, production["production_date"]))
        ctx.set(ENTRIES, entry["id"], {"production_id": production["id"]})
        row_id = order.get("sales_order_row_id")
        if row_id is not None:
            bind(ctx, unit, Bond(SOLD, row_id, -1))


def brought_units(ctx: Context, production: Record) -> list[Record]:
    """The entries of the units that a production brought by their order."""
    entries = entries_of(ctx, ORDER, production["manufacturing_order_id"])
    return [entry for entry in entries if entry.get("production_id") == production["id"]]


def waiting_units(ctx: Context, order: Record) -> list[int]:
    """The units of an order that no production has brought yet."""
    entries = entries_of(ctx, ORDER, order["id"])
    return [entry["serial_number_id"] for entry in entries if not entry["quantity_change"]]


def unmake_units(ctx: Context, production: Record) -> None:
    """Undo what a production did to units; its order keeps those that it had before, as placeholders."""
    order = ctx.get("manufacturing_orders", production["manufacturing_order_id"], deleted=True) or {}
    brought = [entry["serial_number_id"] for entry in brought_units(ctx, production)]
    if brought:
        unbind(ctx, ORDER, order["id"], brought)
        unbind(ctx, SOLD, order.get("sales_order_row_id"), brought)
    made = {entry["serial_number_id"] for entry in entries_of(ctx, PRODUCTION, production["id"])}
    unbind(ctx, PRODUCTION, production["id"])
    for entry in entries_of(ctx, ORDER, production["manufacturing_order_id"]):
        if entry["serial_number_id"] in made:
            ctx.set(ENTRIES, entry["id"], {"quantity_change": 0})


def check_free(ctx: Context, row: Record, units: Iterable[int]) -> None:
    """Refuse units that another sales order row holds, or that are gone."""
    for unit in units:
        for entry in ctx.children(ENTRIES, "serial_number_id", unit):
            own = entry["resource_id"] == row.get("id") and entry["transaction_date"] is None
            gone = entry.get("fulfillment_id") is not None
            if entry["resource_type"] == SOLD and (not own or gone):
                raise unprocessable(ASSIGNED)


def settle_shipment(ctx: Context, before: Record | None, after: Record | None, gone: Iterable[int]) -> None:
    """Let units leave with a shipment, on its date once stock has left; undone, they are as they were before it."""
    left = set(gone)
    known_as = after or before or {}
    for part in rows(known_as, "sales_order_fulfillment_rows"):
        row_id = part["sales_order_row_id"]
        for unit in cast("list[int]", part.get("serial_numbers") or []):
            if after is None:
                _return_unit(ctx, unit, row_id, known_as["id"])
            else:
                _ship_unit(
                    ctx, unit, Bond(SOLD, row_id, -1, after["picked_date"] if row_id in left else None), after["id"]
                )


def _ship_unit(ctx: Context, unit: int, bond: Bond, fulfillment_id: Key) -> None:
    held = _entry(ctx, unit, SOLD, bond.key)
    reserved = held is not None and (held.get("fulfillment_id") is None or held.get("reserved"))
    entry = bind(ctx, unit, bond)
    ctx.set(ENTRIES, entry["id"], {"fulfillment_id": fulfillment_id, "reserved": reserved})


def _return_unit(ctx: Context, unit: int, row_id: int, fulfillment_id: Key) -> None:
    entry = _entry(ctx, unit, SOLD, row_id)
    if entry is None or entry.get("fulfillment_id") != fulfillment_id:
        return
    if entry.get("reserved"):
        ctx.set(ENTRIES, entry["id"], {"transaction_date": None, "fulfillment_id": None, "reserved": None})
    else:
        unbind(ctx, SOLD, row_id, [unit])


def _entry(ctx: Context, unit: int, kind: str, key: Key) -> Record | None:
    resource = f"{kind} {key}"
    return next((e for e in ctx.children(ENTRIES, "serial_number_id", unit) if e["resource"] == resource), None)


def _show(ctx: Context, kind: str, key: object) -> None:
    if kind == SOLD and isinstance(key, int):
        units = [entry["serial_number_id"] for entry in entries_of(ctx, SOLD, key)]
        added = [{"serial_number_id": unit, "quantity": 1} for unit in units]
        ctx.set("sales_order_rows", key, {"serial_numbers": units, "serial_number_transactions": added})


def wire_entry(ctx: Context, entry: Record) -> Record:
    """An entry as the API shows it, under the id of its unit."""
    unit = ctx.get(SERIALS, entry["serial_number_id"]) or {}
    return {
        "id": entry["serial_number_id"],
        "transaction_id": entry["id"],
        "serial_number": unit.get("serial_number"),
        "resource_type": entry["resource_type"],
        "resource_id": entry["resource_id"],
        "transaction_date": entry["transaction_date"],
        "quantity_change": entry["quantity_change"],
    }


def wire_entries(ctx: Context, kind: str, key: object) -> list[Record]:
    """The entries of a document row as the API shows them."""
    return [wire_entry(ctx, entry) for entry in entries_of(ctx, kind, key)]
