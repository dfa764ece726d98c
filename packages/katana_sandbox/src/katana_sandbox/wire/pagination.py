"""Pages of a list, and the header that describes them."""

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """Which slice of a list was asked for."""

    limit: int
    number: int

    @property
    def offset(self) -> int:
        """Records before this page."""
        return (self.number - 1) * self.limit

    def header(self, total: int) -> str:
        """The `X-Pagination` value for a list of `total` records: every member is text."""
        pages = max(1, -(-total // self.limit)) if self.limit else 1
        shown = {
            "total_records": total,
            "total_pages": pages,
            "offset": self.offset,
            "page": self.number,
            "first_page": self.number == 1,
            "last_page": self.number >= pages,
        }
        return json.dumps({name: str(value).lower() for name, value in shown.items()}, separators=(",", ":"))
