"""Prices that a typing error may have made: nothing, less than a tenth, or more than ten times of what they are."""

from collections.abc import Iterator
from decimal import Decimal

from katana_mcp.documents.transition import PartDiff, State, Transition
from katana_mcp.entities.items.options import VARIANTS, called
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of, plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import number

UNUSUAL = "0, or more than ten times or less than a tenth of the price now"
_PRICES = ("sales_price", "purchase_price")
_NAMED = 10


def is_unusual(old: Decimal | None, new: Decimal) -> bool:
    """Return whether a price that was another one may be a typing error."""
    return not new or bool(old and not old / 10 <= new <= old * 10)


def unusual_prices(change: Transition) -> Iterator[ToolWarning]:
    """Yield which prices of an item that is there become unusual."""
    if change.before is None or change.after is None:
        return
    found = dict(_changed(change.old, change.head, ""))
    diff = change.parts.get(VARIANTS, PartDiff())
    for key, fields in diff.updates.items():
        row = diff.before[key]
        found |= {f"update_{VARIANTS}[id={key}].{path}": text for path, text in _changed(row, fields, called(row))}
    if found:
        path = next(iter(found))
        message = f"{path}: {UNUSUAL}: {first_of([*found.values()], _NAMED)}"
        yield advisory(warning_codes.UNUSUAL_PRICE, message, path)


def _changed(old: State, fields: State, name: str) -> Iterator[tuple[str, str]]:
    for price in _PRICES:
        new, now = number(fields, price), number(old, price)
        if new is not None and is_unusual(now, new):
            yield price, f"{name} {'none' if now is None else plain_number(now)} → {plain_number(new)}".lstrip()
