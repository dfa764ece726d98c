"""Proposed corrections of one order put together: each opens the order again and receives it anew, so few are made."""

from collections.abc import Mapping, Sequence
from typing import cast

from cache_core.records import Record
from katana_mcp.entities.purchase_orders.verifying.responses import Call, Difference
from katana_mcp.entities.purchase_orders.verifying.settling import CORRECT
from katana_mcp.values import rows

type _Changed = Mapping[object, Record]
"""By its id, what changes of a row."""


def in_few_corrections(found: Sequence[Difference], most: int) -> list[Difference]:
    """Return differences with their corrections put together: the first has the call, the others say which that is.

    No two of them set the same field of a row.

    Args:
        found: all differences.
        most: rows that one correction may change.
    """
    merged, changed, first = list(found), dict[object, Record](), 0
    for place, difference in enumerate(found):
        call = difference.settle
        if call is None or call.tool != CORRECT:
            continue
        together = _with(changed, call)
        if changed and len(together) <= most:
            merged[place] = difference.model_copy(update={"settle": None, "no_call": _settled_by(found[first])})
        else:
            together, first = _with({}, call), place
        changed = together
        arguments = {**call.arguments, "update_rows": list(changed.values())}
        merged[first] = found[first].model_copy(update={"settle": Call(tool=CORRECT, arguments=arguments)})
    return merged


def _with(changed: _Changed, call: Call) -> dict[object, Record]:
    """Return these rows and those that a call changes, each once with all that changes of it."""
    together = dict(changed)
    for row in cast("list[Record]", call.arguments["update_rows"]):
        together[row["row_id"]] = {**together.get(row["row_id"], {}), **row}
    return together


def _settled_by(first: Difference) -> str:
    what = f"the {first.kind.replace('_', ' ')} of {first.sku or f'line {(first.lines or [1])[0]}'}"
    return f"the call of {what} settles it too, so that the order is reopened once"


def most_rows(order: Record, costs: Sequence[Record], most_writes: int) -> int:
    """Return how many rows one correction may change, beside what reopens the order and receives it again.

    That is at most a request for each receipt, and two for each cost and for each row that may become one with another.
    """
    held = rows(order, "purchase_order_rows")
    receipts, goods = ({row.get(name) for row in held} for name in ("group_id", "variant_id"))
    again = len(held) - len(goods)
    return max(1, most_writes - 1 - len(receipts) - 2 * (len(costs) + again))
