"""What a shipment does to the stock, or one that is taken back; a kit, built on delivery, takes its ingredients."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from katana_mcp.documents.goods import is_marked
from katana_mcp.documents.quantities import Portion
from katana_mcp.documents.transition import Facts, State
from katana_mcp.entities.sales_orders.fulfilling.request import FulfillOrderRequest, ShippedRow
from katana_mcp.entities.sales_orders.fulfilling.shipment import GONE, is_service, subject
from katana_mcp.entities.sales_orders.fulfilling.tracing import place_of
from katana_mcp.entities.sales_orders.pricing import ROWS
from katana_mcp.values import get_int, number, rows
from katana_mcp.writing.stock_moves import StockMove

RECIPE = "bom_row"


def is_kit(facts: Facts, row: State) -> bool:
    """Return whether a row is built when it is delivered."""
    return is_marked(facts, row, "is_auto_assembly")


def moves(
    request: FulfillOrderRequest, facts: Facts, order: State, portions: Sequence[Portion[ShippedRow]]
) -> Iterator[StockMove]:
    """Yield what leaves, or comes back."""
    for portion in portions:
        if portion.row is not None:
            yield from row_moves(facts, order, portion.row, -portion.quantity, f"{portion.path}.quantity")
    going = subject(request, order) if request.delete_fulfillment_id is not None else None
    held = {row.get("id"): row for row in rows(order, ROWS)}
    for line in rows(going or {}, GONE):
        row = held.get(line.get("sales_order_row_id"))
        if row is not None:
            yield from row_moves(facts, order, row, number(line, "quantity") or Decimal(0), "delete_fulfillment_id")


def row_moves(facts: Facts, order: State, row: State, amount: Decimal, path: str) -> Iterator[StockMove]:
    """Yield what so much of a row of an order brings, or takes where it is less than nothing."""
    place = place_of(order, row)
    if place is None or is_service(facts, row):
        return
    goods = [(get_int(row, "variant_id"), amount)]
    if is_kit(facts, row):
        goods = [
            (get_int(record, "ingredient_variant_id"), amount * (number(record, "quantity") or Decimal(0)))
            for record in facts.beside.get(RECIPE, ())
            if record.get("product_variant_id") == row.get("variant_id")
        ]
    where = facts.with_id("location", place)
    for variant, change in goods:
        goods = facts.with_id("variant", variant)
        if variant is not None:
            yield StockMove(
                variant=variant,
                called=str(variant) if goods is None else goods.called,
                location=place,
                place=str(place) if where is None else where.called,
                change=change,
                path=path,
            )
