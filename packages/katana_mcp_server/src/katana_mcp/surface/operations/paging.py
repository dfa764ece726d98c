"""A page of rows as every search and list gives it: bounded, with an honest total and the way to the rest.

A page begins where the one before it ended, also where that one was cut to what fits into an answer.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel

from cache_core.clock import Clock
from katana_mcp.references.page_ends import PageEnds
from katana_mcp.references.services import Current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, fitting
from katana_mcp.tools.warnings import ToolWarning, info

type Render = Callable[[int, int], Awaitable[list[Answer]]]
"""Returns the rows from one index to another, as they are shown."""

_AT_ONCE = 250
"""Rows that are rendered together where nobody knows any more where pages ended."""


class Window(Protocol):
    """The part of a request that says which rows are wanted."""

    @property
    def limit(self) -> int:
        """Per page."""
        ...

    @property
    def page(self) -> int:
        """Page, from 1."""
        ...


class Remembering(Protocol):
    """What remembers where pages ended: the services of an account."""

    @property
    def pages(self) -> PageEnds:
        """Where they ended."""
        ...

    @property
    def clock(self) -> Clock:
        """Where time comes from."""
        ...


class PagedRequest(Window, Protocol):
    """A request for a page."""

    def model_dump_json(self, *, exclude: set[str]) -> str:
        """Return the request as JSON."""
        ...


def offset(window: Window) -> int:
    """Return how many rows stand before the page at most: where none before it was cut."""
    return (window.page - 1) * window.limit


@dataclass(frozen=True, slots=True)
class Page:
    """A page that is asked for.

    Attributes:
        tool: for the way to the next page.
        window: its number and its limit.
        first: how many rows stand before it.
        question: what it is a page of.
        ends: where its end is noted.
        asked_at: when it was asked for, by the monotonic clock.
    """

    tool: str
    window: Window
    first: int
    question: str
    ends: PageEnds
    asked_at: float

    @property
    def last(self) -> int:
        """How many rows there are up to its end, where all of them fit."""
        return self.first + self.window.limit


async def page_of(
    tool: str, request: PagedRequest, services: Remembering, render: Render, beside: Iterable[BaseModel] = ()
) -> Page:
    """Return the page that is asked for: it begins where the one before it ended.

    Args:
        tool: what is asked.
        request: with which arguments.
        services: of this call.
        render: gives rows before the page where nobody remembers how many of them fit into the pages before it.
        beside: what else the answer says, the envelope apart.
    """
    question, ends, now = (
        f"{tool} {request.model_dump_json(exclude={'page'})}",
        services.pages,
        services.clock.monotonic(),
    )
    begin = ends.of(question, request.page - 1, now) if request.page > 1 else 0
    if begin is None:
        begin = await _walked(request, render, list(beside), lambda page, end: ends.note(question, page, end, now))
    return Page(tool, request, begin, question, ends, now)


async def _walked(window: Window, render: Render, beside: list[BaseModel], note: Callable[[int, int], None]) -> int:
    """Return where a page begins, by the sizes of all rows before it; past the end, how many there are."""
    begin, rows, more = 0, list[Answer](), True
    for page in range(1, window.page):
        if more and len(rows) < window.limit:
            reached = begin + len(rows)
            ahead = await render(reached, reached + max(window.limit, _AT_ONCE))
            more = bool(ahead)
            rows += ahead
        fits = len(fitting(rows[: window.limit], beside))
        if not fits:
            break
        begin, rows = begin + fits, rows[fits:]
        note(page, begin)
    return begin


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


def paged(page: Page, rows: list[Answer], total: int, now: Current, *, beside: Iterable[BaseModel] = ()) -> Paged:
    """Return what fits of a page, and the page to ask for next: after this one, or the last one.

    Args:
        page: what was asked for.
        rows: all rows of the page.
        total: rows of all pages, as far as they are cached.
        now: while it is warming, neither the total nor the end of the rows is known.
        beside: what else the answer says, the envelope apart.
    """
    kept = fitting(rows, beside)
    end = page.first + len(kept)
    if kept or page.window.page == 1:  # a page past the last one has no end
        page.ends.note(page.question, page.window.page, end, page.asked_at)
    more = len(kept) < len(rows) or end < total
    fields: dict[str, object] = {
        "rows": kept,
        "total": total if now.warming is None else None,
        "has_more": more or (False if now.warming is None else None),
    }
    following = f"limit={page.window.limit}, page={page.window.page + 1}"
    if more and kept:
        fields["next_actions"] = [f"{page.tool}(..., {following})"]
    elif total and not rows and not more and now.warming is None:
        last = page.ends.last_page(page.question, total, page.asked_at)
        fields["next_actions"] = [f"{page.tool}(..., limit={page.window.limit}, page={last}): that is the last page"]
    return Paged(fields, [_cut(len(kept), len(rows), following)] if len(kept) < len(rows) else [], end)


def _cut(kept: int, rows: int, following: str) -> ToolWarning:
    message = f"{kept} of the {rows} rows of this page fit into one answer; {following} goes on after them"
    return info(warning_codes.TRUNCATED_RESULT, message, "limit")
