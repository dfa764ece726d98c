"""An order as it is in Katana now, read past the cache: what the next step of a correction is planned from."""

from collections.abc import Iterator

from cache_core.records import Record, canonical
from katana_client.errors import KatanaError
from katana_mcp.entities.purchase_orders.buying import ROWS
from katana_mcp.references.resolve import unasked
from katana_mcp.references.services import Services
from katana_mcp.tools.warnings import Refused
from katana_mcp.values import EMPTY, child, get_int, rows
from katana_mcp.writing.actions import JsonObject
from katana_mcp.writing.change import BEFORE, Astray


async def look(saga: JsonObject, services: Services) -> JsonObject:
    """Return the record of an order, and its costs once it is received: until then they stand on its own group.

    Raises:
        Refused: Katana does not say.
        Astray: it is gone.
    """
    key = get_int(child(saga, BEFORE) or EMPTY, "id") or 0
    try:
        page = await services.client.purchase_orders.page(1, ids=[key])
        record = next((canonical(one) for one in page.valid_records if one.get("id") == key), None)
        if record is None:
            raise Astray("the order is no longer there: it was deleted by somebody else")
        costs = [cost for group in _groups(record) for cost in await _costs_of(group, services)]
    except KatanaError as error:
        raise Refused(unasked("how the order is now")) from error
    return {"record": record, "costs": costs}


def _groups(record: Record) -> Iterator[int]:
    if record.get("status") == "RECEIVED":
        groups = (record.get("default_group_id"), *(row.get("group_id") for row in rows(record, ROWS)))
        yield from (group for group in dict.fromkeys(groups) if isinstance(group, int))


async def _costs_of(group: int, services: Services) -> list[Record]:
    page = await services.client.po_additional_cost_rows.page(1, group_id=group)
    return [canonical(cost) for cost in page.valid_records]
