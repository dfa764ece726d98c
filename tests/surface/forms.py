"""Records under the names that requests have for their fields: what an entry holds, and a moment as a flag."""

from collections.abc import Mapping
from typing import Any

ENTRY = ("sku", "sales_price", "default_cost")
"""What a service holds in its one variant, and a request names as its own."""
ONE_ENTRY: Mapping[str, tuple[str, str]] = {"services": ("service_variants", "service_id")}
"""Collections of which each record has one entry, kept beside it: where, and the field that names the record."""


FLAGGED = ("products", "materials")
"""Collections whose records say since when they are archived, and whose requests say only that."""


def as_requested(collection: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as a request names its fields."""
    if collection in FLAGGED:
        return {**record, "is_archived": bool(record["archived_at"])}
    if collection not in ONE_ENTRY:
        return {**record}
    (entry,) = record["variants"]
    return {**record, **{name: entry.get(name) for name in ENTRY}, "is_archived": bool(record["archived_at"])}
