"""How clients reach the server: stdio, or HTTP with limits and doors before it."""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn
from fastmcp import FastMCP
from starlette.middleware import Middleware

from katana_mcp.configuration.settings import Settings, SettingsError
from katana_mcp.server.mcp.access import LOOPBACK, doors
from katana_mcp.server.mcp.beside import OtherServers
from katana_mcp.server.mcp.connections import BACKLOG, ConnectionPool, Patience
from katana_mcp.server.mcp.health import Health
from katana_mcp.server.mcp.open_files import allow_open_files
from katana_mcp.server.mcp.overload import CallLimit, Load, limit_sessions
from katana_mcp.server.mcp.refusals import RefusalLog
from katana_mcp.server.mcp.stdin import mend_stdin
from katana_mcp.server.mcp.telemetry import MetricsPage

_MIN_TOKEN = 16


def check_door(settings: Settings) -> None:
    """Refuse settings under which the HTTP door would stand open.

    Raises:
        SettingsError: metrics without HTTP, HTTP without a token, or bound to the network without naming the hosts it
            answers to.
    """
    if settings.metrics and not settings.http:
        raise SettingsError("KATANA_MCP_METRICS (--metrics): the page is served over HTTP: add --http")
    if not settings.http:
        return
    if len(settings.http_token.get_secret_value()) < _MIN_TOKEN:
        raise SettingsError(
            f"KATANA_MCP_HTTP_TOKEN: HTTP needs a token of {_MIN_TOKEN} characters or more, which clients send as "
            "'Authorization: Bearer …'; set it in the environment or in .env, or leave --http out for stdio"
        )
    if settings.host not in LOOPBACK and not settings.allowed_hosts:
        raise SettingsError(
            f"KATANA_MCP_HOST (--host): {settings.host} can be reached from the network; name the Host values to "
            "answer to in KATANA_MCP_ALLOWED_HOSTS (--allowed-hosts), or bind 127.0.0.1"
        )
    needed = settings.max_connections + _OTHER_FILES
    allowed = allow_open_files(needed)
    if allowed < needed:
        raise SettingsError(
            f"KATANA_MCP_MAX_CONNECTIONS (--max-connections): {settings.max_connections} connections need {needed} "
            f"open files, and the system allows {allowed} (ulimit -n): allow more, or take fewer connections"
        )


_OTHER_FILES = 4 * BACKLOG + 112
"""Open files besides those of connections that are let in: of those that come in at once, and of the cache."""


async def serve(server: FastMCP[Any], settings: Settings) -> None:
    """Serve until the client leaves or the process is told to stop.

    Raises:
        SettingsError: the address cannot be bound.
        BrokenPipeError: the client of stdio left without a word.
    """
    if not settings.http:
        if sys.stdin.isatty():
            sys.stderr.write("katana-mcp speaks MCP over stdin and stdout: let your assistant start it (Ctrl-C ends)\n")
            await _over_stdio(server)
            return
        with _ended_by_signals(mend_stdin()):
            await _over_stdio(server)
        return
    with listener_of(settings) as listener:
        host, port = listener.getsockname()[:2]
        sys.stderr.write(f"katana-mcp serves MCP on http://{f'[{host}]' if ':' in host else host}:{port}/mcp\n")
        with _ended_by_signals(_by_uvicorn):
            await _over_http(server, settings, listener)


def _by_uvicorn() -> None:
    """End nothing: uvicorn took the signal, has ended what it serves, and hands the signal on to who had it before."""


async def _over_http(server: FastMCP[Any], settings: Settings, listener: socket.socket) -> None:
    refusals = RefusalLog()
    pool = ConnectionPool(settings.max_connections, Patience(settings.header_timeout, settings.body_timeout), refusals)
    load = Load(settings.max_calls)
    app = server.http_app(
        # OwnDoor is stricter: it compares ports and counts.
        host_origin_protection=False,
        session_idle_timeout=settings.session_idle_timeout,
        middleware=[
            Middleware(Health, load, lambda: _has_all_others(server)),
            *doors(settings, listener.getsockname()[1], refusals),
            *([Middleware(MetricsPage)] if settings.metrics else []),
            Middleware(CallLimit, load, refusals),
        ],
    )
    limit_sessions(app, settings.max_sessions)
    config = uvicorn.Config(
        app,
        http=pool.protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=_GRACE_OF_STREAMS,
    )
    try:
        await uvicorn.Server(config).serve(sockets=[listener])
    finally:
        refusals.close()


def _has_all_others(server: FastMCP[Any]) -> bool:
    return all(provider.is_ready for provider in server.providers if isinstance(provider, OtherServers))


_GRACE_OF_STREAMS = 2
"""Seconds for which answers that are under way when the server stops may take to end."""


async def _over_stdio(server: FastMCP[Any]) -> None:
    try:
        await server.run_async(transport="stdio", show_banner=False)
    except ExceptionGroup as group:
        if group.split(BrokenPipeError)[1] is not None:
            raise
        raise BrokenPipeError from None


@contextmanager
def _ended_by_signals(end_input: Callable[[], None]) -> Generator[None]:
    """Have the first signal end the input, so that all is closed as when the client leaves; the second ends at once.

    Raises:
        SystemExit: at the end of the block, when a signal came.
    """
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if came:
            leave(number, frame)
        came.append(number)
        end_input()
        late = threading.Timer(_GRACE, leave, (number, frame))
        late.daemon = True
        late.start()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise SystemExit(128 + came[0])


_GRACE = 3.0
"""Seconds after a signal in which a write that is under way may end, and the cache's files are closed."""


def leave(number: int, frame: FrameType | None) -> None:
    """Leave at once: threads that wait for a client or hold the cache cannot be interrupted, and nothing is lost."""
    del number, frame
    os._exit(130)


def listener_of(settings: Settings) -> socket.socket:
    """Return the socket that clients connect to; what they are sent leaves at once.

    An answer goes out in several pieces. Without this the last of them waits for the client to acknowledge the one
    before, which it puts off by 40 ms. asyncio sets it only on sockets that it has opened itself.

    Raises:
        SettingsError: the address cannot be bound.
    """
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((settings.host, settings.port), family=family)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        raise SettingsError(
            f"KATANA_MCP_HOST and KATANA_MCP_PORT (--host, --port): {settings.host}:{settings.port} cannot be "
            f"bound: {error.strerror or error}"
        ) from error
