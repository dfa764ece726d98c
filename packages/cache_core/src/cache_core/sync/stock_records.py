"""What is kept of a variant's stock: its levels, their age, and whether they cover what is to be there.

Refuses to call covered what is not known.
"""

from collections.abc import Sequence
from decimal import Decimal

from cache_core.records import Record, as_amount


def stock_record(variant_id: int, fetched_at: str, dirty_at: str | None, levels: Sequence[Record]) -> Record:
    """Return the stock of a variant as it is kept: its `/inventory` rows, when they were asked for, and what they say.

    Args:
        variant_id: whose it is.
        fetched_at: when it was asked for, ISO-8601 UTC.
        dirty_at: when it may have moved since, or None.
        levels: the rows of `/inventory`, one for each location.
    """
    covered = all(map(is_covered, levels))
    return {
        "variant_id": variant_id,
        "fetched_at": fetched_at,
        "dirty_at": dirty_at,
        "is_covered": covered,
        "levels": levels,
    }


def is_covered(level: Record) -> bool:
    """Return whether stock alone covers a level's target and commitments, and all of it is known.

    What is on its way is not counted, except where Katana gives it as less than nothing.
    """
    target, held = target_of(level), as_amount(level.get("quantity_in_stock"))
    committed, expected = as_amount(level.get("quantity_committed")), as_amount(level.get("quantity_expected"))
    if target is None or held is None or committed is None or expected is None:
        return False
    return target + committed <= held + min(Decimal(0), expected)


def target_of(level: Record) -> Decimal | None:
    """Return what a location is to keep at least: its reorder point or its safety stock, the higher one.

    Katana's reorder point is an older name of the safety stock: the two are never added up.
    """
    point, safety = as_amount(level.get("reorder_point")), as_amount(level.get("safety_stock_level"))
    if point is None or safety is None:
        return safety if point is None else point
    return max(point, safety)
