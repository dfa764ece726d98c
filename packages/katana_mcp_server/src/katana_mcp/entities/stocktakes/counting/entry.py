"""A row of a stocktake as it is to be: its count beside the stock, and what the difference is worth."""

from dataclasses import dataclass, replace
from decimal import Decimal

from cache_core.records import Record
from katana_mcp.values import number

type Key = tuple[int, int | None]
"""Variant and batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A row of the stocktake as it is to be.

    Attributes:
        variant: its id.
        batch: its id.
        counted: how much there is; None where nobody has counted yet.
        row: as it is; None for a new one.
        held: what was in stock when counting began, or is now; None where that is not known.
        cost: average cost of one; None where that is not known.
        path: of the argument that says so.
    """

    variant: int
    batch: int | None
    counted: Decimal | None
    row: Record | None
    held: Decimal | None
    cost: Decimal | None
    path: str | None = None

    @property
    def is_changed(self) -> bool:
        """Whether the row is new, or another count is to stand in it."""
        return self.row is None or (self.path is not None and self.counted != number(self.row, "counted_quantity"))

    @property
    def difference(self) -> Decimal | None:
        """What was counted less what was in stock."""
        return None if self.counted is None or self.held is None else self.counted - self.held

    @property
    def value(self) -> Decimal | None:
        """What the difference is worth."""
        if not self.difference:
            return self.difference
        return None if self.cost is None else self.difference * self.cost

    def with_count(self, counted: Decimal | None) -> "Entry":
        """Return it with another count."""
        return replace(self, counted=counted)
