"""Reference data as resources: suppliers, locations, tax rates and operators, whole and bounded."""

import json
from dataclasses import dataclass

from cache_core.conditions import Order
from cache_core.protocol import Selection
from katana_mcp.services import Services, current
from katana_mcp.tools.answers import MAX_ANSWER_BYTES


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


async def read(resource: ReferenceResource, services: Services) -> str:
    """Return the live records of a reference collection as JSON, as many as fit into one answer."""
    now = await current(services, (resource.entity,), (resource.entity,))
    total = await services.cache.count(resource.entity)
    stored = await services.cache.select(resource.entity, Selection(order=Order("id"), limit=1_000))
    rows: list[dict[str, object]] = []
    size = 500
    for row in stored:
        shown: dict[str, object] = {
            name: row.record.get(name) for name in resource.fields if row.record.get(name) is not None
        }
        size += len(json.dumps(shown, default=str)) + 1
        if size > MAX_ANSWER_BYTES:
            break
        rows.append(shown)
    payload = {"rows": rows, "total": total, "as_of": now.as_of, "source": now.source, "warming": now.warming}
    kept = {key: value for key, value in payload.items() if value is not None}
    if len(rows) < total:
        kept["truncated"] = f"{len(rows)} of {total}"
    return json.dumps(kept, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    return float(str(value))
