"""Which batches, serial numbers and bins the stock is in: read off the documents that moved it, never stored."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import NamedTuple

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.incoming import row_location, stock_units
from katana_sandbox.rules.outsourcing import ROWS as OUTSOURCED
from katana_sandbox.rules.serials import ENTRIES, ORDER, PRODUCTION, SERIALS
from katana_sandbox.rules.stock import pair_of
from katana_sandbox.wire.encoding import Record, rows
from katana_sandbox.wire.numbers import as_decimal

_TRACES = (b'"batch_id":', b'"bin_location_id":', b'"serial_number_id":')


class Part(NamedTuple):
    """A quantity that came to a place (or left it) in a batch, as a unit, in a bin; None where it is in none."""

    variant_id: int
    location_id: int
    batch_id: int | None
    serial_number_id: int | None
    bin_location_id: int | None
    quantity: Decimal


type Source = Callable[[Context, Record], Iterator[Part]]


def traced_parts(ctx: Context) -> Iterator[Part]:
    """What every document that moved stock says of it."""
    for name, source in _SOURCES.items():
        store = ctx.db.stores[name]
        for slot in store.visible:
            if any(trace in store.raw(slot) for trace in _TRACES):
                yield from source(ctx, store.record(slot))


def moved_between_bins(ctx: Context) -> Iterator[Part]:
    """What bin transfers took from a bin, once departed, and brought to one, once arrived."""
    for transfer in _live(ctx, "bin_transfers"):
        for row in ctx.children("bin_transfer_rows", "bin_transfer_id", transfer["id"]):
            entries = rows(row, "traceability")
            rest = as_decimal(row["quantity"]) - sum((_amount(entry) for entry in entries), Decimal(0))
            for entry in [*entries, {"quantity": rest}]:
                for moment, place, sign in _BIN_MOVES:
                    if transfer[moment] is not None:
                        target = {**entry, "bin_location_id": row[place]}
                        yield _part((row["variant_id"], transfer["location_id"]), target, sign * _amount(entry))


def _live(ctx: Context, name: str) -> Iterator[Record]:
    store = ctx.db.stores[name]
    return (store.record(slot) for slot in store.visible)


def _amount(entry: Record) -> Decimal:
    return Decimal(1) if entry.get("serial_number_id") is not None else abs(as_decimal(entry.get("quantity")))


def _part(pair: tuple[int, int], entry: Record, quantity: Decimal) -> Part:
    return Part(*pair, entry.get("batch_id"), entry.get("serial_number_id"), entry.get("bin_location_id"), quantity)


def _adjusted(ctx: Context, row: Record) -> Iterator[Part]:
    header = ctx.get("stock_adjustments", row["stock_adjustment_id"]) or {}
    sign = 1 if row["quantity"] > 0 else -1
    for entry in rows(row, "traceability"):
        yield _part((row["variant_id"], header["location_id"]), entry, sign * _amount(entry))


def _transferred(ctx: Context, row: Record) -> Iterator[Part]:
    header = ctx.get("stock_transfers", row["stock_transfer_id"]) or {}
    for entry in rows(row, "traceability"):
        if header["status"] != "draft":
            yield _part((row["variant_id"], header["source_location_id"]), entry, -_amount(entry))
        if header["status"] == "received":
            arrived = {**entry, "bin_location_id": None}
            yield _part((row["variant_id"], header["target_location_id"]), arrived, _amount(entry))


def _received(ctx: Context, row: Record) -> Iterator[Part]:
    order = ctx.get("purchase_orders", row["purchase_order_id"]) or {}
    for entry in rows(row, "traceability") or rows(row, "batch_transactions"):
        if row.get("received_date") is not None:
            factor = 1 if entry.get("serial_number_id") is not None else stock_units(row)
            yield _part((row["variant_id"], row_location(row, order)), entry, _amount(entry) * factor)


def _shipped(ctx: Context, fulfillment: Record) -> Iterator[Part]:
    for line in rows(fulfillment, "sales_order_fulfillment_rows"):
        row = ctx.get("sales_order_rows", line["sales_order_row_id"], deleted=True) or {}
        pair = pair_of(ctx, row)
        for entry in rows(line, "traceability") if pair is not None else ():
            yield _part(pair or (0, 0), entry, -_amount(entry))


def _made(_ctx: Context, production: Record) -> Iterator[Part]:
    batch = production.get("batch_transaction")
    if isinstance(batch, dict):
        pair = production["variant_id"], production["location_id"]
        yield _part(pair, {"batch_id": batch["batch_id"]}, as_decimal(production["quantity"]))


def _used(_ctx: Context, ingredient: Record) -> Iterator[Part]:
    for entry in rows(ingredient, "batch_transactions"):
        yield _part((ingredient["variant_id"], ingredient["location_id"]), entry, -_amount(entry))


def _used_outsourced(ctx: Context, used: Record) -> Iterator[Part]:
    """Ingredients of an outsourced row are gone from the tracking location once it is received."""
    row = ctx.get("purchase_order_rows", used["purchase_order_row_id"]) or {}
    order = ctx.get("purchase_orders", used["purchase_order_id"]) or {}
    for entry in rows(used, "batch_transactions") if row.get("received_date") is not None else ():
        yield _part((used["ingredient_variant_id"], order["tracking_location_id"]), entry, -_amount(entry))


def _made_unit(ctx: Context, entry: Record) -> Iterator[Part]:
    """A unit that came into stock where its order makes it."""
    unit, store = ctx.get(SERIALS, entry["serial_number_id"]), _MAKING.get(entry["resource_type"])
    if unit is None or store is None or entry["transaction_date"] is None or entry["quantity_change"] <= 0:
        return
    place = (ctx.get(store, entry["resource_id"]) or {}).get("location_id")
    if isinstance(place, int):
        yield _part((unit["variant_id"], place), {"serial_number_id": unit["id"]}, Decimal(1))


def _returned(ctx: Context, row: Record) -> Iterator[Part]:
    header = ctx.get("sales_returns", row["sales_return_id"]) or {}
    for entry in rows(row, "batch_transactions") if header["status"] == "RESTOCKED_ALL" else ():
        yield _part((row["variant_id"], row["restock_location_id"]), entry, _amount(entry))


_MAKING = {ORDER: "manufacturing_orders", PRODUCTION: "manufacturing_order_productions"}
_BIN_MOVES = (("departed_at", "source_bin_location_id", -1), ("arrived_at", "target_bin_location_id", 1))
_SOURCES: dict[str, Source] = {
    "stock_adjustment_rows": _adjusted,
    "stock_transfer_rows": _transferred,
    "purchase_order_rows": _received,
    "sales_order_fulfillments": _shipped,
    "manufacturing_order_productions": _made,
    "manufacturing_order_production_ingredients": _used,
    OUTSOURCED: _used_outsourced,
    ENTRIES: _made_unit,
    "sales_return_rows": _returned,
}
