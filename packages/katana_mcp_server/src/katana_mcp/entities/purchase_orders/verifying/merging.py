"""Proposed calls of one order put together, so that few are made, previewed and confirmed."""

from collections.abc import Mapping, Sequence
from typing import cast

from cache_core.records import Record
from katana_mcp.entities.purchase_orders.verifying.responses import Call, Difference
from katana_mcp.entities.purchase_orders.verifying.settling import CORRECT, MODIFY
from katana_mcp.values import rows

type _Arguments = Mapping[str, object]
_UPDATES, _ADDS, _DELETES = _LISTS = ("update_rows", "add_rows", "delete_row_ids")


def in_few_calls(found: Sequence[Difference], most: Mapping[str, int]) -> list[Difference]:
    """Return differences with their calls put together: the first has the call, the others say which that is.

    What changes and adds rows is one call; what deletes them is another one, which not everybody wants. No two
    differences set the same field of a row.

    Args:
        found: all differences.
        most: rows that one call may have, by its tool.
    """
    merged, calls = list(found), dict[tuple[str, bool], tuple[int, _Arguments]]()
    for place, difference in enumerate(found):
        call = difference.settle
        if call is None or not _row_count(call.arguments):
            continue
        kind = call.tool, _DELETES in call.arguments
        first, before = calls.get(kind, (place, {}))
        together = _with(before, call.arguments)
        if before and _row_count(together) <= most[call.tool]:
            merged[place] = difference.model_copy(update={"settle": None, "no_call": _settled_by(found[first])})
        else:
            first, together = place, call.arguments
        calls[kind] = first, together
        merged[first] = found[first].model_copy(update={"settle": Call(tool=call.tool, arguments=dict(together))})
    return merged


def is_change(call: Call) -> bool:
    """Return whether a call changes or adds open rows."""
    return call.tool == MODIFY and not {_UPDATES, _ADDS}.isdisjoint(call.arguments)


def _row_count(arguments: _Arguments) -> int:
    return sum(len(_list_of(arguments, name)) for name in _LISTS)


def _list_of(arguments: _Arguments, name: str) -> list[object]:
    return cast("list[object]", arguments.get(name, []))


def _with(one: _Arguments, other: _Arguments) -> _Arguments:
    """Return the arguments of two calls in one, each row that they change once, with all that changes of it."""
    updates: dict[object, Record] = {}
    for row in cast("list[Record]", [*_list_of(one, _UPDATES), *_list_of(other, _UPDATES)]):
        updates[row["row_id"]] = {**updates.get(row["row_id"], {}), **row}
    lists = {name: [*_list_of(one, name), *_list_of(other, name)] for name in _LISTS} | {_UPDATES: [*updates.values()]}
    return {**one, **other, **{name: listed for name, listed in lists.items() if listed}}


def _settled_by(first: Difference) -> str:
    called = first.sku or f"line {(first.lines or [1])[0]}"
    return f"the call of {called} ({first.kind.replace('_', ' ')}) settles it too"


def most_rows(order: Record, costs: Sequence[Record], most_writes: int) -> Mapping[str, int]:
    """Return how many rows one call may change, add or delete, by its tool: each is a request.

    A correction also reopens the order and receives it again. That is at most a request for each receipt, and two for
    each cost and for each row that may become one with another.
    """
    held = rows(order, "purchase_order_rows")
    receipts, goods = ({row.get(name) for row in held} for name in ("group_id", "variant_id"))
    again = len(held) - len(goods)
    corrected = max(1, most_writes - 1 - len(receipts) - 2 * (len(costs) + again))
    return {MODIFY: max(1, most_writes), CORRECT: corrected}
