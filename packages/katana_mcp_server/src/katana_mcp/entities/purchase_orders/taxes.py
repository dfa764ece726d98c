"""What is said of the tax rates of a purchase order's rows: which one was taken, and of which none is known."""

from collections.abc import Sequence

from cache_core.records import Record
from katana_mcp.entities.purchase_orders.facts import Directory
from katana_mcp.entities.purchase_orders.lines import NewRow
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.warnings import ToolWarning, info

_NAMED = 5
"""Rows that are named at most."""


def tax_checks(new: Sequence[NewRow], path: str, rows: Sequence[Record], facts: Directory) -> list[ToolWarning]:
    """Return which tax rate new rows get that name none, and that the total with tax is not known.

    Args:
        new: the new rows.
        path: of their list.
        rows: every row that the order would have.
        facts: what is behind their names.
    """
    warnings: list[ToolWarning] = []
    if facts.default_tax is not None and any(row.tax_rate_id is None for row in new):
        rate = facts.rates.get(facts.default_tax)
        which = f"id {facts.default_tax}" if rate is None else f"{plain_number(rate)} %"
        told = f"{path}: the default tax rate of purchases was taken where none is given ({which})"
        warnings.append(info(warning_codes.DEFAULT_TAX_RATE, told, path))
    unknown = [facts.sku(row) for row in rows if "variant_id" in row and facts.tax_rate(row) is None]
    if unknown:
        more = f" and {len(unknown) - _NAMED} more" if len(unknown) > _NAMED else ""
        told = f"the total with tax is not known: no tax rate is known of {', '.join(unknown[:_NAMED])}{more}"
        warnings.append(info(warning_codes.TAX_UNKNOWN, told))
    return warnings
