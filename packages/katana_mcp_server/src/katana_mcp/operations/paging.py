"""A page of rows as every search and list gives it: bounded, with an honest total and the way to the rest."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel

from katana_mcp.services import Current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, fitting
from katana_mcp.tools.warnings import ToolWarning, info


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
    """A page cut to what fits.

    Attributes:
        fields: of the answer.
        warnings: that rows of the page were left out, and where they are.
        end: how many rows there are up to its end.
    """

    fields: dict[str, object]
    warnings: list[ToolWarning]
    end: int


def paged(  # noqa: PLR0913 - what a page is cut from
    tool: str, window: Window, rows: list[Answer], total: int, now: Current, *, beside: Iterable[BaseModel] = ()
) -> Paged:
    """Return the page of these rows, and the page to ask for next, which begins where this one ends.

    Args:
        tool: for the way to the next page.
        window: what was asked for.
        rows: all rows of the page.
        total: rows of all pages, as far as they are cached.
        now: while it is warming, neither the total nor the end of the rows is known.
        beside: what else the answer says, the envelope apart.
    """
    first, fits = offset(window), len(fitting(rows, beside))
    cut = fits < len(rows)
    size, end = _next_after(first, fits) if cut else (window.limit, first + fits)
    kept = rows[: end - first]
    more = cut or end < total
    fields: dict[str, object] = {
        "rows": kept,
        "total": total if now.warming is None else None,
        "has_more": more or (False if now.warming is None else None),
    }
    following = f"limit={size}, page={end // size + 1 if cut else window.page + 1}"
    if more and kept:
        fields["next_actions"] = [f"{tool}(..., {following})"]
    return Paged(fields, [_cut(len(kept), len(rows), following)] if cut else [], end)


def _next_after(first: int, fits: int) -> tuple[int, int]:
    """Return the limit of a page that begins within these rows or right after them, and where it begins.

    A page begins at a multiple of its limit only. Of those that fit, the one is taken that gives the most rows now and
    next; rows from its beginning on are left to it, so that none comes twice.
    """
    size = max(range(1, fits + 1), key=lambda each: (each - (first + fits) % each, each))
    return size, first + fits - (first + fits) % size


def _cut(kept: int, rows: int, following: str) -> ToolWarning:
    message = f"{kept} of the {rows} rows of this page fit into one answer; go on with {following}"
    return info(warning_codes.TRUNCATED_RESULT, message, "limit")
