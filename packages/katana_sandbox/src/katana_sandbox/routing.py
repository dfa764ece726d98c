"""Requests, replies, and the table that leads from one to the other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from katana_sandbox.wire.encoding import Record, parse
from katana_sandbox.wire.errors import Refused

if TYPE_CHECKING:
    from katana_sandbox.collections.descriptor import Collection
    from katana_sandbox.context import Context

PREFIX = "/v1"


@dataclass(frozen=True, slots=True)
class Call:
    """One request, below the base URL."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    raw_body: bytes = b""
    path_id: str = ""

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


type Run = Callable[["Context", "Collection", Call], Reply]
type WriteRule = Callable[["Context", Record], Record]


@dataclass(frozen=True, slots=True)
class Route:
    """One operation: a template such as `/products/{id}`."""

    method: str
    template: str
    run: Run


@dataclass(frozen=True, slots=True)
class Found:
    """A route with the collection it belongs to and the id in the path."""

    route: Route
    collection: "Collection"
    path_id: str


class Router:
    """Finds routes; a fixed segment wins over an id."""

    def __init__(self, routes: Mapping[tuple[str, str], tuple[Route, "Collection"]]) -> None:
        self._routes = routes

    def find(self, method: str, path: str) -> Found | None:
        """The route of a request, or None."""
        exact = self._routes.get((method, path))
        if exact is not None:
            return Found(exact[0], exact[1], "")
        head, _, last = path.rpartition("/")
        by_id = self._routes.get((method, head + "/{id}")) if last else None
        if by_id is not None:
            return Found(by_id[0], by_id[1], last)
        stem, _, key = head.rpartition("/")
        below = self._routes.get((method, f"{stem}/{{id}}/{last}")) if key else None
        return None if below is None else Found(below[0], below[1], key)

    def operations(self) -> list[tuple[str, str]]:
        """Every (method, template) that is served."""
        return sorted(self._routes, key=lambda pair: (pair[1], pair[0]))
