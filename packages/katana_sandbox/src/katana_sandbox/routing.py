"""The table that leads from a request to its operation."""

from collections.abc import Mapping
from dataclasses import dataclass

from katana_sandbox.descriptor import Collection, Route


@dataclass(frozen=True, slots=True)
class Found:
    """A route with the collection it belongs to and the id in the path."""

    route: Route
    collection: Collection
    path_id: str


class Router:
    """Finds routes; a fixed segment wins over an id."""

    def __init__(self, routes: Mapping[tuple[str, str], tuple[Route, Collection]]) -> None:
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
