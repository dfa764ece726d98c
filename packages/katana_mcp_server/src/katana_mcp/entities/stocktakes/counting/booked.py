"""What Katana has booked of a completed stocktake: the stock adjustment, looked up and named."""

from collections.abc import Sequence
from typing import cast

from katana_client.errors import KatanaError
from katana_mcp.documents.correcting import listed
from katana_mcp.entities.stocktakes.counting.steps import look
from katana_mcp.references.display_names import text
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import so_many
from katana_mcp.tools.warnings import Refused, ToolWarning, info
from katana_mcp.values import EMPTY, child, get_int, rows
from katana_mcp.writing.actions import JsonObject
from katana_mcp.writing.change import GOAL, Astray


async def booked(saga: JsonObject, services: Services) -> Sequence[ToolWarning]:
    """Return which stock adjustment a completed stocktake has made; nothing where it is not completed."""
    if cast("JsonObject", saga[GOAL]).get("status") != "COMPLETED":
        return ()
    try:
        key = get_int(child(await look(saga, services), "record") or EMPTY, "stock_adjustment_id")
        found = [] if key is None else await listed("stock_adjustments", services, ids=[key])
    except (Refused, Astray, KatanaError) as error:
        message = f"completed; which stock adjustment was made could not be read: {error}"
        return (info(warning_codes.STOCK_BOOKED, message),)
    if key is None:
        return (info(warning_codes.STOCK_BOOKED, "completed; nothing differed, so no stock adjustment was made"),)
    record = next(iter(found), EMPTY)
    called = text(record, "stock_adjustment_number") or str(key)
    count = len(rows(record, "stock_adjustment_rows"))
    message = f"completed; stock adjustment {called} (id {key}, {so_many(count, 'row')}) holds what differed"
    return (info(warning_codes.STOCK_BOOKED, message),)
