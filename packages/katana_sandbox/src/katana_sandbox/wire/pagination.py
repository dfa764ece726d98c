"""Pages of a list, and the header that describes them (all its values are strings)."""

import json
from dataclasses import dataclass

DEFAULT_LIMIT = 50
MAXIMUM_LIMIT = 250


@dataclass(frozen=True, slots=True)
class Page:
    """Which slice of a list was asked for."""

    limit: int = DEFAULT_LIMIT
    number: int = 1

    @property
    def offset(self) -> int:
        """Records before this page."""
        return (self.number - 1) * self.limit

    def header(self, total: int) -> str:
        """The `X-Pagination` value for a list of `total` records."""
        pages = max(1, -(-total // self.limit)) if self.limit else 1
        return json.dumps(
            {
                "total_records": str(total),
                "total_pages": str(pages),
                "offset": str(self.offset),
                "page": str(self.number),
                "first_page": "true" if self.number == 1 else "false",
                "last_page": "true" if self.number >= pages else "false",
            },
            separators=(",", ":"),
        )
