"""What a person is shown of a correction: the steps, the stock in the end, and what of the order is not kept."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cache_core.records import Record
from katana_mcp.documents.traces import TRACE, in_batches, in_units, is_of_units, traces
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.purchase_orders.correcting.goal import before_of, goal_of, receipt_of
from katana_mcp.entities.purchase_orders.correcting.order import by_receipt
from katana_mcp.entities.purchase_orders.correcting.request import CorrectPurchaseOrderRequest
from katana_mcp.entities.purchase_orders.following import follow, read
from katana_mcp.entities.purchase_orders.pricing import COSTS, ROWS
from katana_mcp.entities.purchase_orders.receipts import arriving
from katana_mcp.entities.purchase_orders.showing import rows_in_words
from katana_mcp.values import get_int, rows
from katana_mcp.writing.preview import FieldChange, field_in_words
from katana_mcp.writing.stock_moves import StockMove


def reopened(order: State) -> State:
    """Return an order as taking all receipts back leaves it."""
    return follow(order, {**order, "status": "NOT_RECEIVED"})


def merged_units(record: Record) -> list[int | None]:
    """Return the ids of rows with serial numbers where reopening a received order makes fewer rows of them."""
    order = read(record, Facts(record=record))
    units = [row for row in rows(order, ROWS) if is_of_units({**row, TRACE: traces(row)})]
    is_merged = len(rows(reopened({**order, ROWS: units}), ROWS)) < len(units)
    return [get_int(row, "id") for row in units] if is_merged else []


def moves(request: CorrectPurchaseOrderRequest, change: Transition) -> list[StockMove]:
    """Return what becomes of the stock in the end: what came goes, and what should have come comes."""
    before = before_of(change)
    old = [move for row in rows(before, ROWS) for move in arriving(change, row, "update_rows")]
    new = [
        move
        for row in rows(goal_of(request, change, before), ROWS)
        for move in arriving(change, _as_added(row), "update_rows")
    ]
    return [*(replace(move, change=-move.change) for move in old), *new]


def _as_added(row: Record) -> Record:
    """Return a row that is new without what only one that is there has."""
    return row if row.get("id") is not None else {name: row[name] for name in row if name != "id"}


def not_kept(change: Transition) -> list[str]:
    """Return what of an order a correction does not keep, a phrase each."""
    return list(_not_kept(change))


def _not_kept(change: Transition) -> Iterator[str]:
    order = before_of(change)
    stays = {get_int(row, "id") for row in rows(reopened(change.old), ROWS)}
    gone = [row for row in rows(order, ROWS) if get_int(row, "id") not in stays]
    if gone:
        ids = ", ".join(str(row["id"]) for row in gone)
        yield f"the ids of rows {ids}, which become one with other rows and are added again as new ones"
    if len(by_receipt(order)) > 1:
        yield "the ids of the groups of receipts, to which accounting may refer"
    moved = [cost for cost in rows(order, COSTS) if receipt_of(cost) >= 0 and len(by_receipt(order)) > 1]
    if moved:
        yield f"the ids of additional costs {', '.join(str(cost['id']) for cost in moved)}, which are made again"
    yield "conversion rates of that day: Katana fixes them anew; landed costs settle seconds later"


def trace_changes(before: State, goal: State) -> Iterator[FieldChange]:
    """Yield which rows are of other batches or units then."""
    old = {get_int(row, "id"): row for row in rows(before, ROWS)}
    for row in rows(goal, ROWS):
        was = old.get(get_int(row, "id"))
        if was is not None and in_batches(was) != in_batches(row):
            yield FieldChange(field=f"rows[id={row['id']}].batches", old=in_batches(was), new=in_batches(row))
        if was is not None and in_units(was) != in_units(row):
            yield FieldChange(field=f"rows[id={row['id']}].serial_number_ids", old=in_units(was), new=in_units(row))


def receipts(goal: State, change: Transition) -> list[str]:
    """Return what comes with each receipt, the oldest first."""
    return [
        f"{_first(came, change)}: {rows_in_words([_as_added(row) for row in came], change)}"
        for came in by_receipt(goal).values()
    ]


def _first(came: Sequence[Record], change: Transition) -> str | None:
    dates = [str(row["received_date"]) for row in came]
    return field_in_words("received_date", min(dates), change.facts.days)
