"""Other MCP servers, each over one session that is kept: looked at again and again, and called.

What they are given in secret is taken out of everything that comes back from them. No client's headers reach them.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import mcp.types as mt
import structlog
from fastmcp.client.client import Client
from fastmcp.client.progress import ProgressHandler
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp.server.providers.proxy import ProxyClient
from mcp.shared.exceptions import MCPError
from mcp.types import CONNECTION_CLOSED, INVALID_REQUEST, REQUEST_TIMEOUT

from cache_core.clock import Clock
from katana_mcp import __version__
from katana_mcp.gateway.drift import Observation
from katana_mcp.gateway.gate import Gate
from katana_mcp.gateway.live import LiveCatalog
from katana_mcp.gateway.model import Catalog, CatalogError, Upstream
from katana_mcp.gateway.schemas import Json, captured, digest
from katana_mcp.tools import warning_codes
from katana_mcp.tools.hidden import escape_hidden
from katana_mcp.tools.warnings import Refused, blocking

_log = structlog.get_logger("katana_mcp.catalog")

_UNANSWERED = (CONNECTION_CLOSED, REQUEST_TIMEOUT, INVALID_REQUEST)
"""Codes of errors that are no answer of the tool; the last one stands for a session that its server has forgotten."""
_SHORTEST_SECRET = 6
"""Characters from which the value of a variable is taken out of texts; a shorter one would tear words apart."""
_LONGEST_REASON = 200
_MOST_TOOLS = 500
_PATIENCE = 30
"""Seconds that a server may take to answer at first."""


class Secrets:
    """The values of variables that other servers are given."""

    def __init__(self, values: Mapping[str, str]) -> None:
        long = {value: name for name, value in values.items() if len(value) >= _SHORTEST_SECRET}
        self._named = sorted(long.items(), key=lambda item: -len(item[0]))

    def without(self, value: object) -> Any:  # noqa: ANN401 - JSON goes in and comes out
        """Return a value of JSON with the name of the variable in the place of each."""
        if isinstance(value, str):
            for secret, name in self._named:
                value = value.replace(secret, f"<{name}>")
            return value
        if isinstance(value, Mapping):
            return {self.without(key): self.without(item) for key, item in cast("Mapping[str, object]", value).items()}
        if isinstance(value, list):
            return [self.without(item) for item in cast("list[object]", value)]
        return value


async def _ignore(*args: object, **more: object) -> None:
    """Leave what another server tells unasked."""


class Connection:
    """One server, over a session that is kept until it breaks.

    Args:
        name: what the catalogue calls it.
        upstream: how it is reached.
        folder: where the catalogue stands, in which a program is started.
    """

    def __init__(self, name: str, upstream: Upstream, folder: Path) -> None:
        missing = sorted(set(upstream.variables) - set(os.environ))
        if missing:
            raise CatalogError(f"upstreams.{name}: not set in the environment: {', '.join(missing)}")
        self.name = name
        self.upstream = upstream
        self._folder = folder
        self._given = {variable: os.environ[variable] for variable in upstream.variables}
        self.secrets = Secrets(self._given)
        self._opening = asyncio.Lock()
        self._calls = 0
        self._client: Client[Any] | None = None

    async def listing(self) -> tuple[str, dict[str, Json]]:
        """Return the server's version, and its tools as they are kept."""
        try:
            async with asyncio.timeout(self.upstream.timeout):
                client = await self._connected()
                listed = await client.list_tools()
        except BaseException:
            # One that is busy with a call may be late; to end it would leave that call half done.
            if not self._calls:
                await self.close()
            raise
        if len(listed) > _MOST_TOOLS:
            _log.warning("tools are left out", server=self.name, listed=len(listed), kept=_MOST_TOOLS)
        tools: dict[str, Json] = {}
        for tool in listed[:_MOST_TOOLS]:
            descriptor = self.secrets.without(tool.model_dump(mode="json", by_alias=True, exclude_none=True))
            try:
                tools[tool.name] = captured(descriptor)
            except ValueError as error:
                name = escape_hidden(tool.name)[:_LONGEST_REASON]
                _log.warning("a tool is left out", server=self.name, tool=name, reason=str(error))
        version = client.server_info.version if client.server_info else ""
        return self.secrets.without(version), tools

    async def call(self, tool: str, arguments: Json, report: ProgressHandler) -> mt.CallToolResult:
        """Call a tool.

        Raises:
            Refused: it could not be reached, or did not answer; then it is not known whether it did what was asked.
        """
        self._calls += 1
        sent = False
        try:
            async with asyncio.timeout(self.upstream.timeout):
                client = await self._connected()
                sent = True
                return await client.call_tool_mcp(tool, arguments, progress_handler=report)
        except Exception as error:  # noqa: BLE001 - whatever another server or the way to it does
            reason = self.reason_of(error)
            if isinstance(error, MCPError) and error.code not in _UNANSWERED:
                return mt.CallToolResult(content=[mt.TextContent(type="text", text=reason)], is_error=True)
            if self._calls == 1 and not isinstance(error, TimeoutError):
                await self.close()
            message = f"{self.name} could not be reached ({reason}): {tool} was not called"
            if sent:
                advice = "may have been done, so look before it is called again"
                message = f"{self.name} did not answer ({reason}): {tool} {advice}"
            raise Refused(blocking(warning_codes.UPSTREAM_DOWN, message)) from None
        finally:
            self._calls -= 1

    def reason_of(self, error: BaseException) -> str:
        """Return an error in a line, without what is secret."""
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return escape_hidden(self.secrets.without(text))[:_LONGEST_REASON]

    async def close(self) -> None:
        """End the session, and the program behind it."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                await client.close()

    async def _connected(self) -> Client[Any]:
        async with self._opening:
            if self._client is None or not self._client.is_connected():
                await self.close()
                client = self._made()
                try:
                    await client.__aenter__()
                except BaseException:
                    await client.transport.close()
                    raise
                self._client = client
            return self._client

    def _made(self) -> Client[Any]:
        upstream = self.upstream
        if upstream.url:
            headers = {header: self._given[name] for header, name in upstream.headers.items()}
            transport: Any = StreamableHttpTransport(upstream.url, headers=headers)
        else:
            program, *arguments = upstream.command
            # What it writes to stderr may hold what it was given.
            nowhere = Path(os.devnull)
            transport = StdioTransport(
                program, arguments, env=self._given, cwd=str(self._folder), keep_alive=False, log_file=nowhere
            )
        # A proxy's client, because it hands on answers that do not fit their schema; nobody can be asked through it.
        return ProxyClient(
            transport,
            forward_incoming_headers=False,
            mode="auto",
            init_timeout=upstream.timeout,
            client_info=mt.Implementation(name="katana-mcp", version=__version__),
            roots=None,
            sampling_handler=None,
            elicitation_handler=None,
            log_handler=_ignore,
            progress_handler=_ignore,
        )


class Upstreams:
    """Every other server of a catalogue, looked at side by side."""

    def __init__(self, live: LiveCatalog, clock: Clock) -> None:
        self.live = live
        self._clock = clock
        folder = live.files.folder
        self._connections = {
            name: Connection(name, upstream, folder) for name, upstream in live.catalog.upstreams.items()
        }
        self._gates = {name: Gate() for name in self._connections}
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Look at each from now on, without waiting for any."""
        self._tasks = [asyncio.create_task(self._watch(name), name=f"catalog {name}") for name in self._connections]

    async def stop(self) -> None:
        """Look at none any more, and end what was started."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(connection.close() for connection in self._connections.values()))

    async def check(self) -> None:
        """Look at each once, side by side."""
        await asyncio.gather(*map(self._look, self._connections))

    async def _watch(self, name: str) -> None:
        while True:
            try:
                await self._look(name)
            except Exception as error:  # noqa: BLE001 - a fault of one look must not end all
                _log.error("a look at a server failed", server=name, kind=type(error).__name__, exc_info=error)
            await self._clock.sleep(self.live.catalog.check_every)

    async def _look(self, name: str) -> None:
        gate, connection = self._gates[name], self._connections[name]
        self.live.reload()
        try:
            version, tools = await connection.listing()
        except Exception as error:  # noqa: BLE001 - whatever another server or the way to it does
            gate.failed(connection.reason_of(error))
            self.live.observe(name, Observation(gate.state, gate.reason, tools=self.live.tools_of(name)))
            return
        gate.succeeded(digest(tools))
        self.live.observe(name, Observation(gate.state, gate.reason, version, tools))

    def secrets_of(self, server: str) -> Secrets:
        """Return what has to be taken out of the answers of a server."""
        return self._connections[server].secrets

    def check_served(self, target: str) -> None:
        """Refuse a tool, named as `server.tool`, that is not served just now.

        Raises:
            Refused: it is withheld.
        """
        why = self.live.withheld(target)
        if why is not None and why.kind == "missing":
            raise Refused(blocking(warning_codes.UPSTREAM_DOWN, f"{target} is not served just now: {why.reason}"))
        if why is not None:
            message = (
                f"{target} is not served: its {why.part} changed ({why.kind}) and the change was not adopted; whoever "
                f"runs this server can see it with katana-mcp catalog diff and adopt it with katana-mcp catalog adopt "
                f"{target}"
            )
            raise Refused(blocking(warning_codes.SCHEMA_PENDING, message))

    async def call(self, target: str, arguments: Json, report: ProgressHandler) -> mt.CallToolResult:
        """Call a tool, named as `server.tool`.

        Raises:
            Refused: its server did not answer.
        """
        server, _, tool = target.partition(".")
        return await self._connections[server].call(tool, arguments, report)


async def listed_at(url: str, token: str) -> dict[str, Json]:
    """Return what a server of ours at an address lists, as it is kept, by name.

    Raises:
        CatalogError: it does not answer.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        async with Client(StreamableHttpTransport(url, headers=headers), init_timeout=_PATIENCE) as client:
            tools = await client.list_tools()
    except Exception as error:  # noqa: BLE001 - whatever another server or the way to it does
        reason = escape_hidden(" ".join(f"{type(error).__name__}: {error}".split()))[:_LONGEST_REASON]
        raise CatalogError(f"{url} does not list its tools ({reason})") from None
    return {tool.name: captured(tool.model_dump(mode="json", by_alias=True, exclude_none=True)) for tool in tools}


async def listings(catalog: Catalog, folder: Path, servers: Sequence[str]) -> dict[str, dict[str, Json]]:
    """Return what servers of a catalogue in a folder list now, asked once and side by side.

    Raises:
        CatalogError: one does not answer.
    """
    connections = [Connection(name, catalog.upstreams[name], folder) for name in servers]

    async def of_one(connection: Connection) -> dict[str, Json]:
        try:
            return (await connection.listing())[1]
        except Exception as error:  # noqa: BLE001 - whatever another server or the way to it does
            raise CatalogError(f"{connection.name} does not answer: {connection.reason_of(error)}") from None
        finally:
            await connection.close()

    found = await asyncio.gather(*map(of_one, connections))
    return dict(zip(servers, found, strict=True))
