"""What is to be known before a comparison is trusted: of the order, of guessed goods, and of goods that came before."""

from collections.abc import Iterable, Iterator

from cache_core.protocol import Stored
from katana_mcp.entities.purchase_orders.verifying.comparing import order_name
from katana_mcp.entities.purchase_orders.verifying.sides import Side
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of
from katana_mcp.tools.warnings import ToolWarning, advisory

_GUESSED = frozenset({"description", "code in the description"})
_NAMED = 10


def advisories(order: Stored, running: str | None, sides: Iterable[Side]) -> list[ToolWarning]:
    """Return that a plan runs, that the order was deleted, and which lines were matched only by words."""
    warnings = [advisory(warning_codes.PLAN_RUNNING, running)] if running else list[ToolWarning]()
    if order.deleted:
        message = f"purchase order {order_name(order.record)} was deleted in Katana at {order.record.get('deleted_at')}"
        warnings.append(advisory(warning_codes.DELETED_ITEM, message))
    guessed = [
        f"line {line.place} as {side.good.called}"
        for side in sides
        for line, by in zip(side.lines, side.by, strict=True)
        if by in _GUESSED
    ]
    if guessed:
        message = f"matched only by description, check that they are right: {first_of(guessed, _NAMED)}"
        warnings.append(advisory(warning_codes.MATCHED_BY_DESCRIPTION, message))
    return warnings


def came_before(sides: Iterable[Side]) -> Iterator[ToolWarning]:
    """Yield a warning where as much of what is open came before: the document may have been received already."""
    found = [side.good.called for side in sides if side.came_before and side.open]
    if found:
        message = f"as much came before of {first_of(found, _NAMED)}: check that the document is of another delivery"
        yield advisory(warning_codes.ALREADY_RECEIVED, message)
