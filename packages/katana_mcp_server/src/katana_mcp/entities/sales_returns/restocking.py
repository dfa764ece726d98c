"""How far a return is: what its status locks and opens, and the goods that it puts in stock or takes out again."""

from collections.abc import Iterator
from decimal import Decimal

from katana_mcp.documents.goods import is_marked
from katana_mcp.documents.states import added_parts, changed_rows
from katana_mcp.documents.transition import State, Transition
from katana_mcp.entities.sales_returns.returning import HELD, RESTOCKED, restocks_at
from katana_mcp.references.display_names import text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import so_many
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import get_int, number, rows
from katana_mcp.writing.stock_moves import StockMove

_FIRST, *_ = _ORDER = ("NOT_RETURNED", "RETURNED_ALL", RESTOCKED)
_UNTIL_RETURNED = ("quantity", "reason_id")
"""What of a row stays as it is once the goods are back."""


def unlocks(document: State, status: str) -> bool:
    """Return whether a status is before the present one, and opens what that locks."""
    was = document.get("status")
    return was in _ORDER and status in _ORDER and _ORDER.index(status) < _ORDER.index(str(was))


def is_restocked(document: State) -> bool:
    """Return whether the goods of a return are in stock: nothing but its status changes then."""
    return document.get("status") == RESTOCKED


def moves(change: Transition) -> list[StockMove]:
    """Return what comes into stock, each row at its own location, or leaves it again."""
    was, becomes = is_restocked(change.old), is_restocked(change.new)
    if change.before is None or change.after is None or was is becomes:
        return []
    return [*_moved(change, change.old if was else change.new, -1 if was else 1)]


def _moved(change: Transition, document: State, times: int) -> Iterator[StockMove]:
    for row in rows(document, HELD):
        variant, place = get_int(row, "variant_id"), get_int(row, "restock_location_id")
        if variant is not None and place is not None:
            good, where = change.facts.with_id("variant", variant), change.facts.with_id("location", place)
            yield StockMove(
                variant=variant,
                called=str(variant) if good is None else good.called,
                location=place,
                place=str(place) if where is None else where.called,
                change=(number(row, "quantity") or Decimal(0)) * times,
                path="status",
            )


def _called(change: Transition) -> str:
    return f"sales return {text(change.old, 'order_no') or change.old.get('id')}"


def _locks(change: Transition) -> Iterator[ToolWarning]:
    """Yield what the status of a return forbids."""
    if change.before is None or change.after is None:
        return
    status = str(change.unlocked.get("status"))
    touched = [name for name in ("add_rows", "update_rows", "delete_row_ids") if change.asked.get(name)]
    names = [*change.head, *touched] if status == RESTOCKED else [name for name in touched if name != "update_rows"]
    if status != RESTOCKED:
        fields = changed_rows(change, HELD)
        names += [f"{path}.{name}" for path, _, _, changed in fields for name in _UNTIL_RETURNED if name in changed]
    for name in names if status != _FIRST else ():
        message = f"{name}: {_called(change)} is {status}: set status {_FIRST} in the same call to change it"
        yield blocking(warning_codes.LOCKED, message, name)


def _goes(change: Transition) -> Iterator[ToolWarning]:
    """Yield that a return of which goods are back is not deleted."""
    if change.before is not None and change.after is None and change.before.get("status") != _FIRST:
        message = (
            f"{_called(change)} is {change.before.get('status')}: set it to {_FIRST} with modify_sales_return first"
        )
        yield blocking(warning_codes.LOCKED, message)


def _goes_back(change: Transition) -> Iterator[ToolWarning]:
    """Yield that a return goes back to an earlier status, which no source says that Katana takes."""
    if change.unlocks:
        leaves = "its goods leave stock again; " if moves(change) else ""
        message = f"status: {_called(change)} goes back to {change.status}: {leaves}Katana may refuse that"
        yield advisory(warning_codes.STATUS_MOVES_BACK, message, "status")


def _untraced(change: Transition) -> Iterator[ToolWarning]:
    """Yield goods that are tracked by batch and come into stock in none."""
    if not moves(change) or change.new.get("status") != RESTOCKED:
        return
    for row in rows(change.new, HELD):
        if is_marked(change.facts, row, "batch_tracked") and not row.get("batch_transactions"):
            message = f"status: row {row.get('id')} is tracked by batch and would come into stock without one"
            yield advisory(warning_codes.UNTRACED_RECEIPT, message, "status")


def _elsewhere(change: Transition) -> Iterator[ToolWarning]:
    """Yield new rows that name no place in stock, and are put in stock elsewhere than where the return comes to."""
    comes_to = get_int(change.new, "return_location_id")
    back = change.facts.with_id("location", comes_to)
    found: dict[str, list[str]] = {}
    for path, asked, row in added_parts(change, HELD):
        place = change.facts.with_id("location", restocks_at(change, row))
        if back is not None and place is not None and place.id != comes_to and "restock_location_id" not in asked:
            found.setdefault(place.called, []).append(path)
    for called, paths in found.items():
        path = f"{paths[0]}.restock_location_id"
        message = (
            f"{path}: {so_many(len(paths), 'row')} would go in stock at {called}, where the goods left, and not at "
            f"{back.called if back else comes_to}: name another restock_location_id if they are not to be sold there"
        )
        yield advisory(warning_codes.RESTOCKED_ELSEWHERE, message, path)


RULES = (_locks, _goes, _goes_back, _untraced, _elsewhere)


def left(change: Transition) -> dict[str, str]:
    """Return what the way back leaves: Katana dates what comes back, and clears no date."""
    is_dated = change.status in _ORDER[1:] and change.old.get("return_date") is None
    return {"return_date": "Katana sets it with the status: the revert leaves it set"} if is_dated else {}
