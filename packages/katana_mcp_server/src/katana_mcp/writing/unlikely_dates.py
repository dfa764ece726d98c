"""Dates in what a request says that nobody may have meant: due in the past, done in the future. None is refused."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import cast

from pydantic import BaseModel

from cache_core.records import iso
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning, advisory

_ARRIVES = (warning_codes.PAST_ARRIVAL_DATE, "the goods")
_DUE = (warning_codes.PAST_DUE_DATE, "the order")
_PLANNED = {
    "expected_arrival_date": _ARRIVES,
    "arrival_date": _ARRIVES,
    "delivery_date": _DUE,
    "production_deadline_date": _DUE,
}
"""Dates of what is planned, with the code of one that has passed, and what is late then."""
_DONE = frozenset(
    {
        *("received_date", "picked_date", "completed_date", "done_date", "return_date"),
        "stock_adjustment_date",
    }
)
"""Dates of what is done: by them stock is booked."""
_CLOSED = frozenset({"RECEIVED", "received", "DELIVERED", "DONE"})
"""What a document is called once nothing of it is expected any more."""


def unlikely_dates(request: Request, status: str | None, services: Services) -> list[ToolWarning]:
    """Return a warning for each date before today that is planned, and each after tomorrow on which something is done.

    Args:
        request: the arguments.
        status: of the document, as it would be.
        services: the tenant's services.
    """
    days, now = services.days, services.clock.now()
    today = days.today(now)
    tomorrow = days.end(now.astimezone(days.zone).date() + timedelta(days=1))
    found: list[ToolWarning] = []
    for path, name, moment in _dates("", request):
        if name in _PLANNED and moment < today and status not in _CLOSED:
            code, what = _PLANNED[name]
            message = f"{iso(moment)} is in the past, so {what} would be overdue at once; today is {iso(today)}"
            found.append(advisory(code, f"{path}: {message}", path))
        elif name in _DONE and moment > tomorrow:
            message = f"{iso(moment)} is in the future, and stock is booked on that day; today is {iso(today)}"
            found.append(advisory(warning_codes.FUTURE_DATE, f"{path}: {message}", path))
    return found


def _dates(prefix: str, part: BaseModel) -> Iterator[tuple[str, str, datetime]]:
    """Yield path, name and value of each date that a request names."""
    for name, value in part:
        path = f"{prefix}{name}"
        if isinstance(value, datetime):
            yield path, name, value
        elif isinstance(value, list):
            for nr, row in enumerate(cast("list[object]", value)):
                if isinstance(row, BaseModel):
                    yield from _dates(f"{path}[{nr}].", row)
