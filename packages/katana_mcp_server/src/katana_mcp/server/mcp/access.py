"""Who comes in over HTTP: own Host values, no foreign Origin, pages of listed origins, and whoever has the token."""

import hashlib
import hmac
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from katana_mcp.configuration.settings import Settings
from katana_mcp.server.mcp.caller import CALLER, READ_ONLY, Caller, asks_to_read_only, principal_of
from katana_mcp.server.mcp.refusals import (
    FOREIGN_HOST,
    FOREIGN_ORIGIN,
    WRONG_PREFLIGHT,
    WRONG_TOKEN,
    Refusal,
    RefusalLog,
    client_of,
)

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
"""Addresses that only this machine can reach."""


class OwnDoor:
    """Answers only to its own Host values, and to pages of its own and of listed origins, each compared whole."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], origins: frozenset[str], refusals: RefusalLog) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = origins
        self._refusals = refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it: 421 a foreign Host, 403 a foreign Origin."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif (refusal := self._refusal(scope)) is not None:
            self._refusals.note(refusal, client_of(scope))
            await _turned_away(_ANSWERS[refusal], scope, receive, send)
        else:
            await _ended(self._app, scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        hosts, origins = _sent(scope, b"host"), _sent(scope, b"origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return FOREIGN_HOST
        # A proxy before the server speaks https, the server itself http.
        own = {f"{scheme}://{hosts[0].lower()}" for scheme in ("http", "https")}
        if origins and (len(origins) != 1 or origins[0].lower() not in own | self._origins):
            return FOREIGN_ORIGIN
        return None


class PageDoor(CORSMiddleware):
    """Lets pages of listed origins call, and read what they are told."""

    def __init__(self, app: ASGIApp, origins: frozenset[str], refusals: RefusalLog) -> None:
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=_PAGE_SENDS,
            allow_private_network=True,
            expose_headers=_PAGE_READS,
        )
        self._refusals = refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell a browser whether a page may call, or pass the request on."""

        async def sent(message: Message) -> None:
            if message.get("status") == WRONG_PREFLIGHT.status:
                self._refusals.note(WRONG_PREFLIGHT, client_of(scope))
            await send(message)

        await super().__call__(scope, receive, sent if scope.get("method") == "OPTIONS" else send)

    def preflight_response(self, request_headers: Headers) -> Response:
        """Return what a browser is told, over a connection that ends with it: no token is asked for here."""
        response = super().preflight_response(request_headers)
        response.headers[_CONNECTION] = _CLOSE
        return response


class TokenDoor:
    """Passes on what comes with the one token, compared by digest, in constant time."""

    def __init__(self, app: ASGIApp, token: str, refusals: RefusalLog) -> None:
        self._app = app
        self._refusals = refusals
        self._digest = _digest(f"Bearer {token}")
        self._principal = principal_of(token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with who sent it, or refuse it with 401."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif self._came_with_token(scope):
            sender = Caller(self._principal, asks_to_read_only(Headers(scope=scope)))
            await self._app({**scope, CALLER: sender}, receive, send)
        else:
            self._refusals.note(WRONG_TOKEN, client_of(scope))
            await _turned_away(_ANSWERS[WRONG_TOKEN], scope, receive, send)

    def _came_with_token(self, scope: Scope) -> bool:
        credentials = _sent(scope, b"authorization")
        return len(credentials) == 1 and hmac.compare_digest(_digest(_scheme_apart(credentials[0])), self._digest)


def doors(settings: Settings, port: int, refusals: RefusalLog) -> list[Middleware]:
    """Return what a request passes, in this order.

    A browser asks without a token whether a page may call, so that is answered before the token is asked for. A page
    may read that its token was refused.
    """
    origins = frozenset(origin.lower().rstrip("/") for origin in settings.allowed_origins)
    return [
        Middleware(OwnDoor, _own_hosts(settings, port), origins, refusals),
        Middleware(PageDoor, origins, refusals),
        Middleware(TokenDoor, settings.http_token.get_secret_value(), refusals),
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
_PAGE_READS = ("Mcp-Session-Id", "Retry-After", "WWW-Authenticate")
"""Headers that a page may read beside those that every page may."""


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


async def _turned_away(answer: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer at once, and end the connection when the body is there, which is not looked at.

    Who has no token cannot send one request after the other over a connection, which would keep others waiting. Ended
    earlier, the connection would be reset by the rest of the body, and the answer be lost.
    """

    async def sent(message: Message) -> None:
        if message["type"] != "http.response.body":
            MutableHeaders(raw=message["headers"])[_CONNECTION] = _CLOSE
            await send(message)
            return
        await send({**message, "more_body": True})
        while (await receive()).get("more_body", False):
            pass
        await send({"type": "http.response.body", "body": b""})

    await answer(scope, receive, sent)


_CONNECTION, _CLOSE = "Connection", "close"
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
    names = {"127.0.0.1", "localhost", "[::1]"} if settings.host in LOOPBACK else {settings.host}
    listed = {host.lower() for host in settings.allowed_hosts}
    return frozenset({f"{name}:{port}" for name in names} | listed | {f"{host}:{port}" for host in listed})


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
