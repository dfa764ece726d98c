"""Which rows of an order are which of the order as it is to be: by receipt where they came, else by id or kind."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from cache_core.records import Record
from katana_mcp.documents.correcting import Pairs, is_itself, paired
from katana_mcp.documents.transition import State
from katana_mcp.entities.purchase_orders.correcting.order import by_receipt, came_as, is_as
from katana_mcp.entities.purchase_orders.pricing import ROWS
from katana_mcp.values import get_int, rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """What of an order that is to be is there, and what is too much.

    Attributes:
        receipts: the groups of receipts that have come as they are to, by the place of the receipt.
        is_odd: whether something else has come.
        rows: of those that are still to come, each with the open row that is it; None where there is none.
        surplus: open rows that are none of them.
    """

    receipts: dict[int, int | None] = field(default_factory=dict[int, int | None])
    is_odd: bool = False
    rows: Pairs = field(default_factory=list[tuple[State, State | None]])
    surplus: list[Record] = field(default_factory=list[Record])

    @property
    def has_all(self) -> bool:
        """Whether everything has come as it is to, and nothing else is there."""
        return not (self.is_odd or self.rows or self.surplus)


def matched(goal: State, order: State) -> Matched:
    """Return which rows of an order are which of its goal."""
    groups, left = by_receipt(goal), dict[int, list[Record]](by_receipt(order))
    receipts: dict[int, int | None] = {}
    for place, group in groups.items():
        found = next((nr for nr, came in left.items() if _all_as(group, came)), None)
        if found is not None:
            receipts[place] = get_int(left.pop(found)[0], "group_id")
    still = [row for place, group in groups.items() if place not in receipts for row in group]
    open_rows = [row for row in rows(order, ROWS) if row.get("received_date") is None]
    pairs, surplus = paired(still, open_rows, (is_itself, is_as))
    return Matched(receipts=receipts, is_odd=bool(left), rows=pairs, surplus=surplus)


def _all_as(group: Sequence[Record], came: Sequence[Record]) -> bool:
    """Return whether each of one side is one of the other, and none is left over."""
    left = list(came)
    for row in group:
        match = next((place for place, other in enumerate(left) if came_as(row, other)), None)
        if match is None:
            return False
        del left[match]
    return not left
