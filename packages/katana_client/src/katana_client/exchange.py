"""What crosses the seam to HTTP: one call out, one reply or one failure back. No HTTP library here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol
from urllib.parse import urlencode

from katana_client.errors import InvalidRequest
from katana_client.paths import check_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_TARGET = 16_000
"""Characters of path and query together."""

type Method = Literal["GET", "POST", "PATCH", "DELETE"]
type Body = Mapping[str, object] | Sequence[object]


@dataclass(frozen=True, slots=True)
class Call:
    """One request, as data: what a plan can hold, show and hash before anything is sent.

    Attributes:
        method: HTTP method.
        path: Path below the base URL, such as `/sales_orders/7`; checked here, so a call cannot leave its
            path.
        query: Parameters in order; a repeated name is a list.
        body: The JSON body; `Decimal`, aware `datetime`, `date` and `UUID` values are encoded exactly.

    Raises:
        InvalidRequest: The path holds anything but plain segments, or the query is too long or no Unicode
            text.
    """

    method: Method
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: Body | None = None

    def __post_init__(self) -> None:
        check_path(self.path)
        try:
            length = len(self.target)
        except UnicodeEncodeError:
            message = "a query value is no Unicode text"
            raise InvalidRequest(message) from None
        if length > MAX_TARGET:
            message = f"the query is too long: {length} characters, at most {MAX_TARGET}"
            raise InvalidRequest(message)

    @property
    def target(self) -> str:
        """Path and encoded query."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path

    @property
    def writes(self) -> bool:
        """Whether the call may change something."""
        return self.method != "GET"


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer.

    Attributes:
        status: HTTP status.
        headers: Names in lower case.
        body: Decoded bytes, cut at the transport's limit.
        complete: False when the body was cut or broke off after the status had arrived.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    complete: bool = True


class ExchangeFailed(Exception):
    """No status arrived.

    Attributes:
        sent: False only when the request provably never left, decided from this one failure.
        reason: What went wrong, without address, key or body.
    """

    def __init__(self, reason: str, *, sent: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.sent = sent


class Wire(Protocol):
    """The port to HTTP."""

    async def exchange(self, call: Call, content: bytes | None) -> Reply:
        """Send `call` once, with `content` as its encoded body, and return the answer.

        Raises:
            ExchangeFailed: No status arrived.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections."""
        ...
