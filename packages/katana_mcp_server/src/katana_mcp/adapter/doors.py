"""How clients get in: stdio, or HTTP behind a token, own Host values and no foreign Origin."""

import hashlib
import hmac
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn
from fastmcp import FastMCP
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from katana_mcp.adapter.caller import PRINCIPAL, principal_of
from katana_mcp.adapter.connections import BACKLOG, ConnectionPool, Patience
from katana_mcp.adapter.open_files import allow_open_files
from katana_mcp.adapter.overload import CallLimit, client_of, limit_sessions
from katana_mcp.adapter.refusals import FOREIGN_HOST, FOREIGN_ORIGIN, WRONG_TOKEN, Refusal, RefusalLog
from katana_mcp.adapter.stdin import mend_stdin
from katana_mcp.settings import Settings, SettingsError

_MIN_TOKEN = 16
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class OwnDoor:
    """Answers only to its own Host values, listed Origins and the one token, each compared whole.

    Tokens are compared by digest, in constant time.
    """

    def __init__(self, app: ASGIApp, settings: Settings, port: int, refusals: RefusalLog) -> None:
        token = settings.http_token.get_secret_value()
        self._app = app
        self._hosts = _own_hosts(settings, port)
        self._origins = _origins(settings)
        self._digest = _digest(f"Bearer {token}")
        self._principal = principal_of(token)
        self._refusals = refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it: 421 a foreign Host, 403 a foreign Origin, 401 a wrong token."""
        if scope["type"] == "http":
            refusal = self._refusal(scope)
            if refusal is not None:
                self._refusals.note(refusal, client_of(scope))
                await _ANSWERS[refusal](scope, receive, send)
                return
            # Only a request that came with the token has a principal.
            await _ended(self._app, {**scope, PRINCIPAL: self._principal}, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        hosts, origins = _sent(scope, b"host"), _sent(scope, b"origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return FOREIGN_HOST
        if origins and (len(origins) != 1 or origins[0].lower() not in self._origins):
            return FOREIGN_ORIGIN
        credentials = _sent(scope, b"authorization")
        if len(credentials) != 1 or not hmac.compare_digest(_digest(_scheme_apart(credentials[0])), self._digest):
            return WRONG_TOKEN
        return None


async def _ended(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Have the app answer, and end the answer where it does not: a stream that is broken off when the server stops."""
    ended = False

    async def sent(message: Message) -> None:
        nonlocal ended
        ended = message["type"] == "http.response.body" and not message.get("more_body", False)
        await send(message)

    await app(scope, receive, sent)
    if not ended:
        await send({"type": "http.response.body", "body": b""})


_NO_TOKEN = "Send the server's token (KATANA_MCP_HTTP_TOKEN) with every request, as 'Authorization: Bearer TOKEN'.\n"
_ANSWERS: Mapping[Refusal, ASGIApp] = {
    FOREIGN_HOST: PlainTextResponse("Misdirected Request", 421),
    FOREIGN_ORIGIN: PlainTextResponse("Forbidden Origin", 403),
    WRONG_TOKEN: PlainTextResponse(_NO_TOKEN, 401, {"WWW-Authenticate": "Bearer"}),
}


def _scheme_apart(credentials: str) -> str:
    """Return the credentials with the scheme, whose case does not matter, as it is compared here."""
    scheme, _, token = credentials.partition(" ")
    return f"{scheme.capitalize()} {token.strip()}"


def _sent(scope: Scope, header: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for name, value in scope["headers"] if name.lower() == header]


def _own_hosts(settings: Settings, port: int) -> frozenset[str]:
    """Return the Host values to answer to: the bound address, this machine's names for it, and what was listed."""
    names = {"127.0.0.1", "localhost", "[::1]"} if settings.host in _LOOPBACK else {settings.host}
    listed = {each.lower() for each in settings.allowed_hosts}
    return frozenset({f"{name}:{port}" for name in names} | listed | {f"{each}:{port}" for each in listed})


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def check_door(settings: Settings) -> None:
    """Refuse settings under which the HTTP door would stand open.

    Raises:
        SettingsError: HTTP without a token, or bound to the network without naming the hosts it answers to.
    """
    if not settings.http:
        return
    if len(settings.http_token.get_secret_value()) < _MIN_TOKEN:
        raise SettingsError(
            f"KATANA_MCP_HTTP_TOKEN: HTTP needs a token of {_MIN_TOKEN} characters or more, which clients send as "
            "'Authorization: Bearer …'; set it in the environment or in .env, or leave --http out for stdio"
        )
    if settings.host not in _LOOPBACK and not settings.allowed_hosts:
        raise SettingsError(
            f"KATANA_MCP_HOST (--host): {settings.host} can be reached from the network; name the Host values to "
            "answer to in KATANA_MCP_ALLOWED_HOSTS (--allowed-hosts), or bind 127.0.0.1"
        )
    wanted = settings.max_connections + _OTHER_FILES
    allowed = allow_open_files(wanted)
    if allowed < wanted:
        raise SettingsError(
            f"KATANA_MCP_MAX_CONNECTIONS (--max-connections): {settings.max_connections} connections need {wanted} "
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
        await _over_http(server, settings, listener)


async def _over_http(server: FastMCP[Any], settings: Settings, listener: socket.socket) -> None:
    refusals = RefusalLog()
    pool = ConnectionPool(settings.max_connections, Patience(settings.header_timeout, settings.body_timeout), refusals)
    app = server.http_app(
        # OwnDoor is stricter: it compares ports and counts, and it asks for the token.
        host_origin_protection=False,
        session_idle_timeout=settings.session_idle_timeout,
        middleware=[
            Middleware(OwnDoor, settings, listener.getsockname()[1], refusals),
            Middleware(CallLimit, settings.max_calls, refusals),
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


def _origins(settings: Settings) -> frozenset[str]:
    return frozenset(each.lower().rstrip("/") for each in settings.allowed_origins)


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
