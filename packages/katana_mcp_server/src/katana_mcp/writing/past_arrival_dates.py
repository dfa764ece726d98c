"""Days on which goods are expected, in what a request says: one that has passed is told, and never refused."""

from collections.abc import Iterator
from datetime import datetime
from typing import cast

from pydantic import BaseModel

from cache_core.records import iso
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning, advisory

_EXPECTED = frozenset({"expected_arrival_date", "arrival_date"})
_CAME = frozenset({"RECEIVED", "received"})
"""What a document is called once nothing of it is expected any more."""


def passed_arrivals(request: Request, status: str | None, services: Services) -> list[ToolWarning]:
    """Return a warning for each arrival that a request expects on a day before today.

    Args:
        request: the arguments.
        status: of the document, as it would be.
        services: the tenant's services.
    """
    today = services.days.today(services.clock.now())
    if status in _CAME:
        return []
    return [
        advisory(
            warning_codes.PAST_ARRIVAL_DATE,
            f"{path}: {iso(moment)} is in the past, so the goods would be overdue at once; today is {iso(today)}",
            path,
        )
        for path, moment in _expected("", request)
        if moment < today
    ]


def _expected(prefix: str, part: BaseModel) -> Iterator[tuple[str, datetime]]:
    for name, value in part:
        path = f"{prefix}{name}"
        if isinstance(value, datetime) and name in _EXPECTED:
            yield path, value
        elif isinstance(value, list):
            for nr, row in enumerate(cast("list[object]", value)):
                if isinstance(row, BaseModel):
                    yield from _expected(f"{path}[{nr}].", row)
