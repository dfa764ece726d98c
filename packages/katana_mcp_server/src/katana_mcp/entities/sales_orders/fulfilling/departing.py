"""What a shipment does to the stock, or one that is taken back."""

from collections.abc import Iterator, Sequence

from katana_mcp.documents.quantities import Portion
from katana_mcp.documents.transition import Facts, State
from katana_mcp.entities.sales_orders.fulfilling.request import FulfillOrderRequest, ShippedRow
from katana_mcp.entities.sales_orders.fulfilling.shipment import subject
from katana_mcp.entities.sales_orders.shipped_goods import row_moves, shipment_moves
from katana_mcp.values import EMPTY
from katana_mcp.writing.stock_moves import StockMove


def moves(
    request: FulfillOrderRequest, facts: Facts, order: State, portions: Sequence[Portion[ShippedRow]]
) -> Iterator[StockMove]:
    """Yield what leaves, or comes back."""
    for portion in portions:
        if portion.row is not None:
            yield from row_moves(facts, order, portion.row, -portion.quantity, f"{portion.path}.quantity")
    going = subject(request, order) if request.delete_fulfillment_id is not None else None
    yield from shipment_moves(facts, order, going or EMPTY, "delete_fulfillment_id")
