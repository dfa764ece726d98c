"""An order as it is in Katana now, read past the cache: what the next step of a correction is planned from."""

from collections.abc import Iterator

from cache_core.records import Record
from katana_mcp.documents.correcting import listed, record_now
from katana_mcp.entities.purchase_orders.pricing import ROWS
from katana_mcp.references.services import Services
from katana_mcp.values import rows
from katana_mcp.writing.actions import JsonObject


async def look(saga: JsonObject, services: Services) -> JsonObject:
    """Return the record of an order, and its costs once it is received: until then they stand on its own group.

    Raises:
        Refused: Katana does not say.
        Astray: it is gone.
    """
    record = await record_now("purchase_orders", saga, services)
    groups = [await listed("po_additional_cost_rows", services, group_id=group) for group in _groups(record)]
    return {"record": record, "costs": [cost for costs in groups for cost in costs]}


def _groups(record: Record) -> Iterator[int]:
    if record.get("status") == "RECEIVED":
        groups = (record.get("default_group_id"), *(row.get("group_id") for row in rows(record, ROWS)))
        yield from (group for group in dict.fromkeys(groups) if isinstance(group, int))
