"""A page of rows as every search and list gives it: bounded, with an honest total and the way to the rest."""

from dataclasses import dataclass
from typing import Protocol

from katana_mcp.services import Current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, fitting
from katana_mcp.tools.warnings import ToolWarning


class Window(Protocol):
    """The part of a request that says which rows are wanted."""

    @property
    def limit(self) -> int:
        """Rows per page."""
        ...

    @property
    def page(self) -> int:
        """Page, from 1."""
        ...


def offset(window: Window) -> int:
    """Return how many rows stand before the page."""
    return (window.page - 1) * window.limit


@dataclass(frozen=True, slots=True)
class Paged:
    """A page cut to what fits: the fields of the answer, and a warning when rows of the page were left out."""

    fields: dict[str, object]
    warnings: list[ToolWarning]


def paged(tool: str, window: Window, rows: list[Answer], total: int, now: Current) -> Paged:
    """Return the page of these rows.

    Args:
        tool: for the way to the next page.
        window: what was asked for.
        rows: all rows of the page.
        total: rows of all pages, as far as they are cached.
        now: while it is warming, neither the total nor the end of the rows is known.
    """
    kept = fitting(rows)
    first, cut = offset(window), len(kept) < len(rows)
    more = first + len(kept) < total
    fields: dict[str, object] = {
        "rows": kept,
        "total": total if now.warming is None else None,
        "has_more": more or (False if now.warming is None else None),
    }
    # The greatest page that fits and begins at the same row, so that paging on meets every row.
    size = next(each for each in range(len(kept), 0, -1) if first % each == 0) if cut else window.limit
    if more and kept:
        fields["next_actions"] = [f"{tool}(..., limit={size}, page={first // size + 2})"]
    return Paged(fields, [_cut(len(kept), len(rows), f"limit={size}")] if cut else [])


def _cut(kept: int, rows: int, smaller: str) -> ToolWarning:
    message = f"{kept} of the {rows} rows of this page fit into one answer; page on with {smaller}"
    return ToolWarning(severity="info", code=warning_codes.TRUNCATED_RESULT, message=message, field_path="limit")
