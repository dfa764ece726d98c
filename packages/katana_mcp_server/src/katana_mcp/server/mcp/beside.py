"""What is served beside our own tools, as the server sees it; what stands behind it is loaded where there is any."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from fastmcp.server.middleware import Middleware
from fastmcp.server.providers.base import Provider


class OtherServers(Provider):
    """The tools of other servers."""

    @property
    def is_ready(self) -> bool:
        """Whether every server is up that is required."""
        raise NotImplementedError

    def is_unlisted(self, name: str) -> bool:
        """Whether a tool is found by a search only."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Beside:
    """What is served beside our own tools.

    Attributes:
        provider: of the tools of other servers.
        middleware: what requests pass that it needs.
        renamed: what the operator calls our own tools, by their names.
        findable: whether tools of other servers may be unlisted.
    """

    provider: OtherServers
    middleware: Sequence[Middleware] = ()
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])
    findable: bool = False

    def moved(self, served: Collection[str]) -> dict[str, str]:
        """Return what is said to our own names of tools that are served under others."""
        return {old: f"it is called {new} here" for old, new in self.renamed.items() if new in served}
