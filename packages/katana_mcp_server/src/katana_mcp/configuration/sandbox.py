"""The only door to the sandbox: loaded when `--sandbox` was given, and never otherwise.

Refuses in one sentence where the sandbox is not installed.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cached_property

from katana_client.transport import Transport, in_process
from katana_mcp.configuration.settings import SettingsError

try:
    from katana_sandbox import DEFAULT_KEY, DroppedConnection, HungConnection, Sandbox
except ModuleNotFoundError as error:
    if error.name != "katana_sandbox":
        raise
    absent = "the sandbox is not installed here: install katana-factory-mcp, which has it, or work on your own account"
    raise SettingsError(absent) from None


class OwnSandbox:
    """A factory of invented data inside this process."""

    def __init__(self, sandbox: Sandbox | None = None) -> None:
        self._given = sandbox
        self.api_key = DEFAULT_KEY if sandbox is None else sandbox.default_key

    @cached_property
    def sandbox(self) -> Sandbox:
        """The sandbox; its account is made when it is asked for something, which a cache may never do."""
        return self._given or Sandbox()

    def transport(self) -> Transport:
        """Return a transport that answers from the sandbox without any network."""
        return in_process(
            lambda scope, receive, send: self.sandbox.app(scope, receive, send),  # noqa: PLW0108 - made when asked
            dropped=(DroppedConnection,),
            hung=(HungConnection,),
        )


class ServedSandbox:
    """A sandbox that answers over a socket of this machine."""

    def __init__(self, sandbox: Sandbox, url: str) -> None:
        self._sandbox = sandbox
        self.url = url
        self.api_key = sandbox.default_key

    def requests(self) -> int:
        """Return how many requests it has answered."""
        return len(self._sandbox.journal)

    def records(self) -> str:
        """Return what it holds, in words."""
        tenant = self._sandbox.tenant("default")
        counted = ("variants", "customers", "sales_orders")
        return ", ".join(
            f"{sum(1 for _ in tenant.all(collection))} {collection.replace('_', ' ')}" for collection in counted
        )


@asynccontextmanager
async def served() -> AsyncGenerator[ServedSandbox]:
    """Run a sandbox on a free port of this machine."""
    sandbox = Sandbox()
    async with sandbox.serve(port=0) as url:
        yield ServedSandbox(sandbox, url)
