"""Requests and replies, below the base URL."""

from dataclasses import dataclass, field

from katana_sandbox.wire.encoding import parse
from katana_sandbox.wire.errors import Refused

PREFIX = "/v1"


@dataclass(frozen=True, slots=True)
class Call:
    """One request, below the base URL."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    raw_body: bytes = b""
    path_id: str = ""
    fields_format: str = ""

    def body(self) -> object:
        """The parsed body.

        Raises:
            Refused: 400 when there is none, or it is no JSON.
        """
        if not self.raw_body.strip():
            raise Refused(400, "Request body is required", code="MISSING_REQUIRED_PARAMETER")
        try:
            return parse(self.raw_body)
        except (ValueError, RecursionError):
            raise Refused(400) from None


@dataclass(slots=True)
class Reply:
    """Status, headers and bytes, free to be edited by a fault."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    drip: tuple[int, float] | None = None
