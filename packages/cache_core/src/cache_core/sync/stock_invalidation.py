"""Marks on cached stock: a change that may have moved a variant's stock makes its levels old at once.

The mark stands in the cached row, so that every process sees it. Refuses to mark what is not cached.
"""

from collections.abc import Sequence

from cache_core.indexing import row_of
from cache_core.protocol import Batch, CacheBackend, Stored
from cache_core.specs.stock import STOCK


async def mark_dirty(cache: CacheBackend, variant_ids: Sequence[int], at: str) -> None:
    """Mark the cached stock of these variants as moved at this moment."""
    if not variant_ids or STOCK.name not in cache.entities:
        return
    found = await cache.get_many(STOCK.name, variant_ids)
    rows = [row_of(STOCK, {**row.record, "dirty_at": at}, {}) for row in found.rows]
    if rows:
        await cache.apply(Batch(entity=STOCK.name, at=at, upserts=rows))


def dirty_at(row: Stored) -> str | None:
    """Return when the row was last marked, ISO-8601 UTC, or None."""
    value = row.record.get("dirty_at")
    return value if isinstance(value, str) else None
