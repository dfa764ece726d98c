"""What a person is shown of a correction: the shipments as they would be, other batches, and the stock in the end."""

from collections.abc import Iterator

from katana_mcp.documents.shown import in_words
from katana_mcp.documents.traces import in_batches
from katana_mcp.documents.transition import State, Transition
from katana_mcp.entities.sales_orders.correcting.goal import ROW, amount, left_of
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS
from katana_mcp.entities.sales_orders.pricing import ROWS, row_line
from katana_mcp.entities.sales_orders.shipped_goods import GONE, row_moves
from katana_mcp.values import get_int, rows
from katana_mcp.writing.preview import FieldChange, field_in_words
from katana_mcp.writing.stock_moves import StockMove


def moves(change: Transition, before: State, goal: State) -> list[StockMove]:
    """Return what becomes of the stock in the end: what left comes back, and what should have left goes."""
    return [*_moves(change, before, 1), *_moves(change, goal, -1)]


def _moves(change: Transition, order: State, times: int) -> Iterator[StockMove]:
    held = rows(order, ROWS)
    for place, lines in left_of(order).items():
        for line in lines.values():
            yield from row_moves(change.facts, order, held[place], times * amount(line), "update_rows")


def batch_changes(before: State, goal: State) -> Iterator[FieldChange]:
    """Yield which rows left from other batches then."""
    ids = [row.get("id") for row in rows(goal, ROWS)]
    new, old = left_of(goal), left_of(before)
    for place, row in enumerate(rows(before, ROWS)):
        then = new.get(ids.index(row["id"]), {}) if row["id"] in ids else {}
        for (nr, line), other in zip(old.get(place, {}).items(), then.values(), strict=False):
            if in_batches(line) != in_batches(other):
                shipment = rows(before, FULFILLMENTS)[nr]["id"]
                name = f"fulfillments[id={shipment}].rows[id={row['id']}].batches"
                yield FieldChange(field=name, old=in_batches(line), new=in_batches(other))


def shipments(goal: State, change: Transition) -> list[str]:
    """Return what then left with each shipment, the oldest first."""
    held = rows(goal, ROWS)
    return [
        f"{one.get('status')} {field_in_words('picked_date', one.get('picked_date'), change.facts.days)}: "
        + in_words(
            row_line, [{**held[get_int(line, ROW) or 0], "quantity": amount(line)} for line in rows(one, GONE)], change
        )
        for one in rows(goal, FULFILLMENTS)
    ]
