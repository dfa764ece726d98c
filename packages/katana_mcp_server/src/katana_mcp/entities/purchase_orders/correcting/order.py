"""An order as corrections see it: its rows by receipt, each with what was traced, and its costs by receipt."""

from collections.abc import Iterable, Mapping, Sequence

from cache_core.records import Record
from katana_client.models.po_additional_cost_rows import PurchaseOrderAdditionalCostRow
from katana_client.models.purchase_order_rows import PurchaseOrderRow
from katana_mcp.documents import correcting
from katana_mcp.documents.traces import TRACE, traced, traces
from katana_mcp.documents.transition import Facts, State
from katana_mcp.entities.purchase_orders.following import read
from katana_mcp.entities.purchase_orders.pricing import COSTS, ROWS
from katana_mcp.entities.purchase_orders.reading import COST
from katana_mcp.values import get_int, rows
from katana_mcp.writing.meaning import same

RECEIPT = "receipt"
"""Of a row: which receipt it came with, counted from 0; None while it is open."""
CALLED = "called"
"""Of a row or a cost: what people call it."""
HEAD = ("order_no", "supplier_id", "location_id", "currency")
_ROW = (
    "id",
    "variant_id",
    "price_per_unit",
    "quantity",
    "tax_rate_id",
    "purchase_uom",
    "purchase_uom_conversion_rate",
    "arrival_date",
    "location_id",
    "custom_fields",
    "received_date",
    "group_id",
)
ALIKE = _ROW[1:9]
"""Fields that make a row what it is."""
_OTHERWISE = tuple(name for name in ALIKE if name != "quantity")
_COST = ("id", "group_id", "additional_cost_id", "tax_rate_id", "price", "distribution_method", "reference")
_COST_ALIKE = _COST[2:6]


def order_of(record: Record, costs: Sequence[Record]) -> State:
    """Return an order with its rows and costs, each with its receipt, the oldest first."""
    order = read(record, Facts(record=record, beside={COST: tuple(costs)}))
    held = [row for row in rows(order, ROWS) if row.get("deleted_at") is None]
    places = {group: place for place, group in enumerate(_receipts(held))}
    found = [{**_picked(_ROW, row), TRACE: traces(row), RECEIPT: _receipt(row, places)} for row in held]
    came = [{**_picked(_COST, cost), RECEIPT: places.get(get_int(cost, "group_id"))} for cost in costs]
    return {**_picked(("id", "status", "default_group_id", *HEAD), order), ROWS: found, COSTS: came}


def _picked(names: Iterable[str], record: State) -> dict[str, object]:
    return {name: record.get(name) for name in names}


def _receipt(row: Record, places: Mapping[int | None, int]) -> int | None:
    return None if row.get("received_date") is None else places[get_int(row, "group_id")]


def _receipts(held: Sequence[Record]) -> list[int | None]:
    """Return the groups of the rows that have come, the oldest receipt first."""
    oldest: dict[int | None, str] = {}
    for row in held:
        if row.get("received_date") is not None:
            group, date = get_int(row, "group_id"), str(row["received_date"])
            oldest[group] = min(date, oldest.get(group, date))
    return sorted(oldest, key=lambda group: (oldest[group], group or 0))


def is_as(target: State, row: State, names: Sequence[str] = ALIKE) -> bool:
    """Return whether a row is what is wanted of it; what is not said of it does not matter."""
    return correcting.is_as(PurchaseOrderRow, target, row, names)


def is_like(other: State, row: State) -> bool:
    """Return whether two rows are the same but for how much they are."""
    return is_as(other, row, _OTHERWISE)


def came_as(target: State, row: State) -> bool:
    """Return whether a row that has come is what is wanted of it."""
    is_traced = traced(rows(target, TRACE)) == traced(rows(row, TRACE))
    return is_traced and is_as(target, row, (*ALIKE, "received_date"))


def cost_as(target: State, cost: State) -> bool:
    """Return whether two costs are the same, wherever they stand."""
    return all(same(PurchaseOrderAdditionalCostRow, name, target[name], cost.get(name)) for name in _COST_ALIKE)


def by_receipt(order: State) -> dict[int, list[Record]]:
    """Return the rows that have come by their receipts, the oldest first."""
    found: dict[int, list[Record]] = {}
    for row in sorted(rows(order, ROWS), key=lambda row: get_int(row, RECEIPT) or 0):
        place = get_int(row, RECEIPT)
        if place is not None:
            found.setdefault(place, []).append(row)
    return found
