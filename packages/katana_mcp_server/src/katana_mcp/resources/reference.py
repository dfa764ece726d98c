"""Reference data as resources: suppliers, locations, tax rates and operators, whole and bounded."""

import json
from dataclasses import dataclass
from decimal import Decimal

from cache_core.conditions import Order
from cache_core.protocol import Selection
from katana_mcp.services import Services, current
from katana_mcp.tools.answers import MAX_ANSWER_BYTES, Envelope, plain_number


@dataclass(frozen=True, slots=True)
class ReferenceResource:
    """A collection as a resource: its URI, its cache entity and the fields shown."""

    uri: str
    entity: str
    title: str
    fields: tuple[str, ...]


REFERENCE: tuple[ReferenceResource, ...] = (
    ReferenceResource(
        "katana://suppliers", "supplier", "Suppliers", ("id", "name", "email", "phone", "currency", "comment")
    ),
    ReferenceResource(
        "katana://locations",
        "location",
        "Locations",
        ("id", "name", "is_primary", "sales_allowed", "purchase_allowed", "manufacturing_allowed"),
    ),
    ReferenceResource(
        "katana://tax-rates",
        "tax_rate",
        "Tax rates, in percent",
        ("id", "display_name", "name", "rate", "is_default_sales", "is_default_purchases"),
    ),
    ReferenceResource("katana://operators", "operator", "Operators", ("id", "operator_name")),
)


class Page(Envelope):
    """A reference collection as it is read."""

    rows: list[dict[str, object]]
    total: int | None = None
    """Left out while `warming`."""
    truncated: str | None = None


def _plain(value: object) -> object:
    return plain_number(value) if isinstance(value, Decimal) else value


async def read(resource: ReferenceResource, services: Services) -> Page:
    """Return the live records of a reference collection, as many as fit into one answer."""
    now = await current(services, (resource.entity,), (resource.entity,))
    total = await services.cache.count(resource.entity)
    stored = await services.cache.select(resource.entity, Selection(order=Order("id"), limit=1_000))
    rows: list[dict[str, object]] = []
    size = 500
    for row in stored:
        shown = {name: _plain(value) for name in resource.fields if (value := row.record.get(name)) is not None}
        size += len(json.dumps(shown).encode()) + 1
        if size > MAX_ANSWER_BYTES:
            break
        rows.append(shown)
    cut = f"{len(rows)} of {total}" if len(rows) < total else None
    return now.answer(Page, rows=rows, total=total if now.warming is None else None, truncated=cut)
