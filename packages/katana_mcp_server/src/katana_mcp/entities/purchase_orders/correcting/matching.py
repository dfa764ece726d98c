"""Which rows of an order are which of the order as it is to be: by receipt where they came, else by id or kind.

Refuses to guess: an order whose rows nobody knows was changed by somebody else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cache_core.records import Record
from katana_mcp.documents.transition import State
from katana_mcp.entities.purchase_orders.buying import ROWS
from katana_mcp.entities.purchase_orders.correcting.order import by_receipt, came_as, is_as, is_like
from katana_mcp.values import get_int, rows
from katana_mcp.writing.change import Astray


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
    rows: list[tuple[Record, Record | None]] = field(default_factory=list[tuple[Record, Record | None]])
    surplus: list[Record] = field(default_factory=list[Record])

    @property
    def has_all(self) -> bool:
        """Whether everything has come as it is to, and nothing else is there."""
        return not (self.is_odd or self.rows or self.surplus)


def matched(goal: State, order: State) -> Matched:
    """Return which rows of an order are which of its goal."""
    wanted, left = by_receipt(goal), dict[int, list[Record]](by_receipt(order))
    receipts: dict[int, int | None] = {}
    for place, group in wanted.items():
        found = next((nr for nr, came in left.items() if _all_as(group, came)), None)
        if found is not None:
            receipts[place] = get_int(left.pop(found)[0], "group_id")
    still = [row for place, group in wanted.items() if place not in receipts for row in group]
    open_rows = [row for row in rows(order, ROWS) if row.get("received_date") is None]
    pairs, surplus = _paired(still, open_rows)
    return Matched(receipts=receipts, is_odd=bool(left), rows=pairs, surplus=surplus)


def _all_as(wanted: Sequence[Record], came: Sequence[Record]) -> bool:
    """Return whether each of one side is one of the other, and none is left over."""
    left = list(came)
    for row in wanted:
        match = next((place for place, other in enumerate(left) if came_as(row, other)), None)
        if match is None:
            return False
        del left[match]
    return not left


def _paired(
    wanted: Sequence[Record], there: Sequence[Record]
) -> tuple[list[tuple[Record, Record | None]], list[Record]]:
    """Return each row that is wanted with one that is there, and those that are left over.

    A row is itself first, then one just like it, which an earlier step has added.
    """
    left, found = list(there), dict[int, Record]()
    rules: tuple[Callable[[Record, Record], bool], ...] = (_is_itself, is_as)
    for rule in rules:
        for place, row in enumerate(wanted):
            match = None if place in found else next((other for other in left if rule(row, other)), None)
            if match is not None:
                found[place] = match
                left.remove(match)
    return [(row, found.get(place)) for place, row in enumerate(wanted)], left


def _is_itself(wanted: Record, row: Record) -> bool:
    return wanted.get("id") is not None and wanted.get("id") == row.get("id")


def check_known(known: Sequence[Record], found: Sequence[Record]) -> None:
    """Refuse rows that are neither of the order as it was nor of what it is to be.

    Raises:
        Astray: there is one.
    """
    ids = {row.get("id") for row in known} - {None}
    for row in found:
        if row.get("id") not in ids and not any(is_like(one, row) for one in known):
            told = f"row {row.get('id')} was added to the order by somebody else: look at the order in Katana"
            raise Astray(f"{told}, delete the row there, and apply the same token again")
