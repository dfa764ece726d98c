"""What each kind of document says of batches and serial numbers, as events; quantities in the stock unit.

Where a document names none, what it moved is of no lot: nothing is guessed (facts 5.1 to 5.4).
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from cache_core.records import Record
from katana_mcp.references.display_names import text
from katana_mcp.values import EMPTY, get_int, number, rows
from katana_mcp.workflows.tracing.events import Document, Event, Lot, split

type Units = Mapping[tuple[str, int], Sequence[int]]
"""Serial numbers that the ledger of serial numbers names, by kind and id of what moved them."""

PRODUCTION, OUTSOURCED = "production", "purchase_order_row"
_NOTHING = Decimal(0)


def _amount(record: Record, name: str = "quantity") -> Decimal:
    return number(record, name) or _NOTHING


def _live(record: Record, name: str) -> Iterator[tuple[Record, int]]:
    """Yield the rows that are of a variant and not deleted, each with its variant."""
    for row in rows(record, name):
        variant = get_int(row, "variant_id")
        if variant is not None and row.get("deleted_at") is None:
            yield row, variant


def document_of(entity: str, record: Record, number_field: str = "order_no", party: str = "") -> Document:
    """Return what is told of a document."""
    status = text(record, "status")
    return Document(entity, get_int(record, "id") or 0, text(record, number_field), status, get_int(record, party))


def received(order: Record, units: Units) -> Iterator[Event]:
    """Yield what came with a purchase order: rows that have a date of receipt."""
    document = document_of("purchase_order", order, party="supplier_id")
    for row, variant in _live(order, "purchase_order_rows"):
        key, date = get_int(row, "id") or 0, text(row, "received_date")
        if date is None:
            continue
        rate = number(row, "purchase_uom_conversion_rate") or Decimal(1)
        place = get_int(row, "location_id") or get_int(order, "location_id")
        process = (OUTSOURCED, key) if order.get("entity_type") == "outsourced" else None
        minted = units.get(("PurchaseOrderRow", key), ())
        for lot, amount in split(row, variant, _amount(row) * rate, rate=rate, units=minted):
            yield Event("received", lot, amount, document, key, date, place, process=process)


def used_outsourced(order: Record, ingredients: Sequence[Record]) -> Iterator[Event]:
    """Yield what the received rows of an outsourced purchase order used up at its tracking location."""
    document = document_of("purchase_order", order, party="supplier_id")
    came = {get_int(row, "id"): row for row, _ in _live(order, "purchase_order_rows")}
    for used in ingredients:
        row = came.get(get_int(used, "purchase_order_row_id"), EMPTY)
        key, variant = get_int(row, "id"), get_int(used, "ingredient_variant_id")
        if key is None or variant is None or used.get("deleted_at") is not None:
            continue
        date, place = text(row, "received_date"), get_int(order, "tracking_location_id")
        rate = number(row, "purchase_uom_conversion_rate") or Decimal(1)
        planned = _amount(used, "planned_quantity_per_unit") * _amount(row) * rate
        for lot, amount in split(used, variant, planned):
            process = OUTSOURCED, key
            if date is not None:
                yield Event("used", lot, amount, document, get_int(used, "id"), date, place, process=process)
            elif lot.is_traced:
                yield Event("reserved", lot, amount, document, get_int(used, "id"), location_id=place)


def produced(production: Record, order: Record) -> Iterator[Event]:
    """Yield what a production made, and what it used."""
    document, process = document_of("manufacturing_order", order), (PRODUCTION, get_int(production, "id") or 0)
    date, place = text(production, "production_date"), get_int(order, "location_id")
    variant = get_int(order, "variant_id")
    if variant is not None:
        for lot, amount in split(_output(production, order), variant, _amount(production)):
            yield Event("made", lot, amount, document, process[1], date, place, process=process)
    for used, ingredient in _live(production, "ingredients"):
        where = get_int(used, "location_id") or place
        row_id = get_int(used, "manufacturing_order_recipe_row_id")
        for lot, amount in split(used, ingredient, _amount(used)):
            yield Event("used", lot, amount, document, row_id, date, where, process=process)


def _output(production: Record, order: Record) -> Record:
    """Return what holds the batch or the units of a production: itself, or its order, whose one batch takes all."""
    if rows(production, "traceability") or rows(production, "serial_numbers"):
        return production
    entries = rows(order, "traceability") or rows(order, "batch_transactions")
    batches = {batch for entry in entries if (batch := get_int(entry, "batch_id")) is not None}
    if len(batches) != 1:
        return production
    return {"batch_transactions": [{"batch_id": batches.pop(), "quantity": _amount(production)}]}


def shipped(fulfillment: Record, order: Record, units: Units) -> Iterator[Event]:
    """Yield what left with a shipment of a sales order."""
    document = document_of("sales_order", order, party="customer_id")
    sold = {get_int(row, "id"): row for row in rows(order, "sales_order_rows")}
    date = text(fulfillment, "picked_date")
    for line in rows(fulfillment, "sales_order_fulfillment_rows"):
        key = get_int(line, "sales_order_row_id")
        row = sold.get(key, EMPTY)
        variant = get_int(row, "variant_id")
        if key is None or variant is None:
            continue
        place = get_int(row, "location_id") or get_int(order, "location_id")
        named = rows(line, "traceability") or line.get("serial_numbers")
        left = () if named else units.get(("SalesOrderRow", key), ())[: int(_amount(line))]
        for lot, amount in split(line, variant, _amount(line), units=left):
            yield Event("shipped", lot, amount, document, key, date, place)


def returned(row: Record, header: Record) -> Iterator[Event]:
    """Yield what came back; only what is restocked is in stock again (facts 6.1)."""
    document = document_of("sales_return", header, party="customer_id")
    variant, key = get_int(row, "variant_id"), get_int(row, "id")
    place = get_int(row, "restock_location_id") or get_int(header, "return_location_id")
    if variant is None or document.status not in _BACK:
        return
    date = text(header, "return_date") or text(header, "order_created_date")
    is_settled = document.status == _BACK[0]
    for lot, amount in split(row, variant, _amount(row)):
        yield Event("returned", lot, amount, document, key, date, place, is_settled=is_settled)


_BACK = ("RESTOCKED_ALL", "RETURNED_ALL")


def adjusted(adjustment: Record, units: Units) -> Iterator[Event]:
    """Yield what a stock adjustment brought, or took away with a quantity below 0."""
    document = document_of("stock_adjustment", adjustment, "stock_adjustment_number")
    date, place = text(adjustment, "stock_adjustment_date"), get_int(adjustment, "location_id")
    for row, variant in _live(adjustment, "stock_adjustment_rows"):
        key, quantity = get_int(row, "id") or 0, _amount(row)
        sign = 1 if quantity > 0 else -1
        for lot, amount in split(row, variant, abs(quantity), units=units.get(("StockAdjustmentRow", key), ())):
            yield Event("adjusted", lot, sign * amount, document, key, date, place)


def transferred(transfer: Record, units: Units) -> Iterator[Event]:
    """Yield what is on its way from one location to another, or has arrived there."""
    document = document_of("stock_transfer", transfer, "stock_transfer_number")
    if document.status not in _MOVED:
        return
    date = text(transfer, "transfer_date")
    start, end = get_int(transfer, "source_location_id"), get_int(transfer, "target_location_id")
    is_settled = document.status == _MOVED[0]
    for row, variant in _live(transfer, "stock_transfer_rows"):
        key = get_int(row, "id") or 0
        for lot, amount in split(row, variant, _amount(row), units=units.get(("StockTransferRow", key), ())):
            yield Event("transferred", lot, amount, document, key, date, start, end, is_settled=is_settled)


_MOVED = ("received", "inTransit")

type Taken = Mapping[tuple[int | None, Lot], Decimal]
"""What left or was used, by row and lot."""


def reserved(document: Document, rows_of: Sequence[tuple[Record, int, int | None]], taken: Taken) -> Iterator[Event]:
    """Yield the batches and units that rows of an open document hold and have not taken (facts 5.1).

    Args:
        document: the sales order, or the manufacturing order.
        rows_of: its rows, each with its variant and location.
        taken: of these rows.
    """
    for row, variant, place in rows_of:
        key = get_int(row, "id")
        for lot, amount in split(row, variant, _NOTHING):
            left = amount - taken.get((key, lot), _NOTHING)
            if lot.is_traced and left > 0:
                yield Event("reserved", lot, left, document, key, location_id=place)


def sold_rows(order: Record) -> list[tuple[Record, int, int | None]]:
    """Return the rows of a sales order, each with its variant and the location that it leaves from."""
    place = get_int(order, "location_id")
    return [(row, variant, get_int(row, "location_id") or place) for row, variant in _live(order, "sales_order_rows")]
