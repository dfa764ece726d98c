"""How clients get in: stdio, or HTTP behind own Host values, no foreign Origin, and a token."""

import hashlib
import hmac
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from fastmcp import FastMCP
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from katana_mcp.adapter.caller import PRINCIPAL, READ_ONLY, principal_of
from katana_mcp.adapter.stdin import mend_stdin
from katana_mcp.settings import Settings, SettingsError

_MIN_TOKEN = 16
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class OwnDoor:
    """Answers only to its own Host values, and to pages of its own and of listed origins, each compared whole."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], origins: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it: 421 a foreign Host, 403 a foreign Origin."""
        if scope["type"] == "http":
            await _ended(self._refusal(scope) or self._app, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        hosts, origins = _sent(scope, b"host"), _sent(scope, b"origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return PlainTextResponse("Misdirected Request", 421)
        # A proxy before the server speaks https, the server itself http.
        own = {f"{scheme}://{hosts[0].lower()}" for scheme in ("http", "https")}
        if origins and (len(origins) != 1 or origins[0].lower() not in own | self._origins):
            return PlainTextResponse("Forbidden Origin", 403)
        return None


class TokenDoor:
    """Passes on what comes with the one token, compared by digest, in constant time."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._digest = _digest(f"Bearer {token}")
        self._principal = principal_of(token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its principal, or refuse it with 401."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif self._came_with_token(scope):
            await self._app({**scope, PRINCIPAL: self._principal}, receive, send)
        else:
            refusal = PlainTextResponse(_NO_TOKEN, 401, {"WWW-Authenticate": "Bearer"})
            await refusal(scope, receive, send)

    def _came_with_token(self, scope: Scope) -> bool:
        credentials = _sent(scope, b"authorization")
        return len(credentials) == 1 and hmac.compare_digest(_digest(_scheme_apart(credentials[0])), self._digest)


def _doors(settings: Settings, port: int) -> list[Middleware]:
    """Return what a request passes, in this order.

    A browser asks without a token whether a page may call, so that is answered before the token is asked for. A page
    may read that its token was refused.
    """
    origins = frozenset(each.lower().rstrip("/") for each in settings.allowed_origins)
    return [
        Middleware(OwnDoor, _own_hosts(settings, port), origins),
        Middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=_PAGE_SENDS,
            allow_private_network=True,
            expose_headers=_PAGE_READS,
        ),
        Middleware(TokenDoor, _token(settings)),
    ]


_PAGE_SENDS = (
    "Authorization",
    "Last-Event-ID",
    "Mcp-Method",
    "Mcp-Name",
    "MCP-Protocol-Version",
    "Mcp-Session-Id",
    READ_ONLY,
)
"""Headers that a page may send beside those that every page may."""
_PAGE_READS = ("Mcp-Session-Id", "WWW-Authenticate")


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
    if len(_token(settings)) < _MIN_TOKEN:
        raise SettingsError(
            f"KATANA_MCP_HTTP_TOKEN: HTTP needs a token of {_MIN_TOKEN} characters or more, which clients send as "
            "'Authorization: Bearer …'; set it in the environment or in .env, or leave --http out for stdio"
        )
    if settings.host not in _LOOPBACK and not settings.allowed_hosts:
        raise SettingsError(
            f"KATANA_MCP_HOST (--host): {settings.host} can be reached from the network; name the Host values to "
            "answer to in KATANA_MCP_ALLOWED_HOSTS (--allowed-hosts), or bind 127.0.0.1"
        )


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
            await server.run_http_async(
                transport="http",
                show_banner=False,
                host=settings.host,
                port=port,
                sockets=[listener],
                # OwnDoor is stricter: it compares ports and counts.
                host_origin_protection=False,
                middleware=_doors(settings, port),
                uvicorn_config={"access_log": False, "log_level": "warning"},
            )


def _by_uvicorn() -> None:
    """End nothing: uvicorn took the signal, has ended what it serves, and hands the signal on to who had it before."""


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


def _token(settings: Settings) -> str:
    return settings.http_token.get_secret_value()


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
