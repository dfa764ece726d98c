"""What of a short level drafts bring, and what other locations can spare, by today's figures: none of it is ordered.

What still has to be made of it there is not counted: `replenish` does that.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import NamedTuple

from cache_core.protocol import Read, Stored
from katana_mcp.workflows.free_elsewhere import TRANSFERS, Bringing, added, free_stock, transfers_in
from katana_mcp.workflows.replenish_reading import DRAFTS, drafted, levels_of
from katana_mcp.workflows.requirements import Place

READS: Sequence[Read] = (*TRANSFERS, DRAFTS)
"""What `covers` is given, besides records of stock."""
USED = {
    "purchase_order": ("status", "purchase_order_rows[].variant_id", "purchase_order_rows[].quantity"),
    "stock_transfer": ("status", "source_location_id", "target_location_id", "stock_transfer_rows[].quantity"),
}
_NOTHING = Decimal(0)


class Cover(NamedTuple):
    """What covers a short level, in the item's unit.

    Attributes:
        drafted: what drafts bring.
        free: what other locations can spare.
        to_order: what is left to order: nothing, or less, where these cover it.
        is_spared: whether other locations cover what drafts leave.
    """

    drafted: Decimal
    free: Decimal
    to_order: Decimal
    is_spared: bool


def covers(
    uncovered: Mapping[Place, Decimal],
    stock: Sequence[Stored],
    locations: Sequence[Stored],
    transfers: Sequence[Stored],
    orders: Sequence[Stored],
) -> Mapping[Place, Cover]:
    """Return what covers these places, each piece once; what others can spare only a part of is ordered whole.

    Args:
        uncovered: by place, what is short after all that is on its way.
        stock: records of stock of these variants, with their levels.
        locations: those that are live.
        transfers: drafts.
        orders: draft purchase orders.
    """
    moved = transfers_in(locations, transfers)
    coming = added(chain(moved.coming.items(), drafted(orders)))
    short = {variant for variant, _ in uncovered}
    levels, _ = levels_of([row for row in stock if row.id in short], frozenset())
    bringing = Bringing(free_stock(levels, moved, {}))
    found = dict[Place, Cover]()
    for place in sorted(uncovered):
        brought = coming.get(place, _NOTHING)
        left, free = uncovered[place] - brought, sum(bringing.left(place).values(), _NOTHING)
        is_spared = left > 0 and bringing.covers(place, left)
        found[place] = Cover(brought, free, _NOTHING if is_spared else left, is_spared)
    return found
