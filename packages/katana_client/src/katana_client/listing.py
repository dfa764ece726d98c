"""Reading a listing page by page, and proving it complete.

A faulty page costs one more request: it alone is read again. What stays doubtful is said with
`IncompleteListing`, after every page that could be read was delivered.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, cast

from katana_client.errors import FilterIgnored, IncompleteListing, UnexpectedResponse
from katana_client.exchange import Call
from katana_client.filters import Parameters, disobeyed, query
from katana_client.headers import read_cursor
from katana_client.page import Page, Shape, read_page
from katana_client.wire import ReadModel

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from katana_client.sending import Answer, Sender

PAGE_SIZE = 250
"""Katana's maximum (facts 1.5)."""


@dataclass(frozen=True)
class Listing[M: ReadModel]:
    """One listing: a path, its rows' shape and its filters.

    Attributes:
        sender: Sends the requests.
        path: Path of the collection.
        shape: How rows are read.
        requested: The filters, in wire form.
    """

    sender: Sender
    path: str
    shape: Shape[M]
    requested: Parameters

    async def page(self, number: int, size: int = PAGE_SIZE) -> Page[M]:
        """Return page `number` (1 is the first) of `size` rows (1 to 250).

        Raises:
            FilterIgnored: A row contradicts an id filter.
            UnexpectedResponse: The answer is no list.
        """
        pairs = (*query(self.requested), ("limit", str(size)), ("page", str(number)))
        answer = await self.sender.send(Call("GET", self.path, pairs))
        page = read_page(self.shape, rows_of(answer, self.path), read_cursor(answer.reply.headers), (number, size))
        wrong = disobeyed(self.requested, page.records)
        if wrong:
            raise FilterIgnored("GET", self.path, wrong, answer.reply.status)
        return page

    async def whole(self) -> Page[M]:
        """Return a listing that Katana answers in one piece (facts 1.5).

        Raises:
            UnexpectedResponse: The answer is no list.
        """
        answer = await self.sender.send(Call("GET", self.path, query(self.requested)))
        return read_page(self.shape, rows_of(answer, self.path), read_cursor(answer.reply.headers), (1, PAGE_SIZE))

    async def pages(self, start: int = 1, size: int = PAGE_SIZE) -> AsyncGenerator[Page[M]]:
        """Yield the pages from `start` to the last.

        Raises:
            IncompleteListing: The listing was short, shrank, or lost its header; raised after its last
                readable page.
        """
        progress = Progress(self.path, seen=(start - 1) * size)
        for number in count(start):
            page = await self.page(number, size)
            if progress.doubt(page):
                page = await self.page(number, size)
            progress.take(page)
            yield page
            if page.is_last or page.count == 0:
                break
        progress.finish()


@dataclass
class Progress:
    """What a listing has shown so far; pure.

    Attributes:
        path: For messages.
        seen: Rows read, those before the first page included.
        reported: The last total that a header gave.
        doubts: What could make the listing incomplete, in order.
    """

    path: str
    seen: int = 0
    reported: int | None = None
    doubts: tuple[str, ...] = ()

    def doubt[M: ReadModel](self, page: Page[M]) -> str | None:
        """Return what is wrong with `page`, or None."""
        total = page.total_records
        if page.header_missing or total is None:
            return f"page {page.number} has no readable X-Pagination"
        if self.reported is not None and total < self.reported:
            return f"the listing shrank from {self.reported} to {total} rows while page {page.number} was read"
        expected = total - self.seen if page.is_last else page.size
        honest = page.total_pages == -(-total // page.size)
        if page.count < expected and (page.is_last or honest or page.count == 0):
            return f"page {page.number} has {page.count} rows instead of {expected}"
        return None

    def take[M: ReadModel](self, page: Page[M]) -> None:
        """Count a page."""
        doubt = self.doubt(page)
        self.doubts += (doubt,) if doubt else ()
        self.seen += page.count
        self.reported = page.total_records if page.total_records is not None else self.reported

    def finish(self) -> None:
        """Judge the whole.

        Raises:
            IncompleteListing: A page stayed doubtful, or fewer rows came than reported.
        """
        short = self.reported is None or self.seen < self.reported
        if self.doubts or short:
            reason = "; ".join(self.doubts[:3]) or "rows are missing"
            raise IncompleteListing(self.path, reason, seen=self.seen, reported=self.reported)


def rows_of(answer: Answer, path: str) -> list[object]:
    """Return the rows of a list answer, from `{"data": […]}` or a bare array (facts 1.6).

    Raises:
        UnexpectedResponse: The answer is no list.
    """
    value = answer.value
    if isinstance(value, dict):
        value = cast("dict[str, object]", value).get("data")
    if isinstance(value, list):
        return cast("list[object]", value)
    raise UnexpectedResponse("GET", path, "the answer is no list", answer.reply.status)
