"""A price list and its prices: asked of Katana each time, which lists them without telling what changed."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from cache_core.records import Record
from katana_client.errors import KatanaError
from katana_client.page import Page
from katana_mcp.references.display_names import text
from katana_mcp.references.live_reads import LiveRows, read_rows
from katana_mcp.references.resolve import unasked
from katana_mcp.references.services import Services
from katana_mcp.references.suggestions import named_by
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.tools.warnings import Refused
from katana_mcp.values import get_int

LIST, ROWS = "price_list", "price_list_rows"
FIXED = "fixed"
"""The method of a row whose amount is a price; that of others is worked out of the sales price or the cost."""


@dataclass(frozen=True, slots=True)
class PriceList:
    """The price list that is meant.

    Attributes:
        named: what has the id or name that was asked for.
        rows: its rows by their variants; none where not exactly one list is meant.
        is_cut: whether it has more rows than were read.
    """

    named: Named
    rows: Mapping[int, Record] = field(default_factory=dict[int, Record])
    is_cut: bool = False

    def fixed(self, variant: object) -> Record | None:
        """Return the row of a variant where it says a price."""
        row = self.rows.get(variant) if isinstance(variant, int) else None
        return row if row is not None and row.get("adjustment_method") == FIXED else None


async def read_list(asked: int | str, services: Services) -> PriceList:
    """Return the price list with this id or name, to the letter or else but for case and blanks around it.

    Raises:
        Refused: Katana does not say.
    """
    lists = await _read(services.client.price_lists.pages(), "which price lists there are now")
    called = [NamedRecord(id=key, name=text(row, "name")) for row in lists.rows if (key := get_int(row, "id"))]
    named = Named(asked, _meant(asked, called), tuple(record.called for record in called[:_NEAR]))
    if named.one is None:
        return PriceList(named)
    prices = services.client.price_list_rows.pages(price_list_ids=[named.one.id])
    found = await _read(prices, "which prices a price list has now")
    return PriceList(named, {key: row for row in found.rows if (key := get_int(row, "variant_id"))}, found.cut)


async def _read(pages: AsyncIterator[Page[Any]], what: str) -> LiveRows:
    """Return the rows of a listing.

    Raises:
        Refused: Katana does not say.
    """
    try:
        return await read_rows([pages])
    except KatanaError:
        raise Refused(unasked(what)) from None


def _meant(asked: int | str, lists: list[NamedRecord]) -> tuple[NamedRecord, ...]:
    return tuple(named_by(asked, lists, lambda record: record.id, lambda record: record.name))


_NEAR = 3
