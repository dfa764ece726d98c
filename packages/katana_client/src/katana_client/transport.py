"""The one module that knows httpx: sends a call once and says whether a failed one can have left the machine.

It follows no redirect, keeps no cookie, logs nothing, and uses httpx's transports directly because its client
logs whole URLs, which may hold personal data, at INFO.
"""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import httpx

from katana_client.exchange import ExchangeFailed, Reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    from katana_client.exchange import Call

    type AsgiApp = Callable[
        [
            MutableMapping[str, object],
            Callable[[], Awaitable[MutableMapping[str, object]]],
            Callable[[MutableMapping[str, object]], Awaitable[None]],
        ],
        Awaitable[None],
    ]

type Transport = httpx.AsyncBaseTransport
"""What may stand in for the network: a proxying transport, an in-process application, a test double."""

TIMEOUT = 30.0
"""Seconds for connecting, and for each silence of the server."""
DEADLINE = 60.0
"""Seconds for one exchange as a whole, so that a dripping server ends too."""
MAX_BODY = 64 * 1024 * 1024
MAX_ERROR_BODY = 256 * 1024
_NOT_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """How the network is reached, where a company says how.

    Attributes:
        proxy: `http://proxy.example:3128`, with user and password where it wants some; for https addresses alone, which
            it passes on without reading them.
        system_certificates: Whether the authorities that this machine trusts are trusted, a company's own for example,
            instead of the public ones alone.
    """

    proxy: str | None = field(default=None, repr=False)
    system_certificates: bool = False

    def transport(self, base_url: str) -> httpx.AsyncHTTPTransport:
        """Return the way to this address."""
        limits = httpx.Limits(keepalive_expiry=5.0)
        verify = _system_trust() if self.system_certificates else True
        proxy = self.proxy if base_url.startswith("https:") else None
        return httpx.AsyncHTTPTransport(verify=verify, limits=limits, proxy=proxy)


def _system_trust() -> ssl.SSLContext:
    import truststore  # noqa: PLC0415 - few ask for it, and it would lengthen every start

    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class HttpWire:
    """A `Wire` over httpx.

    Args:
        key: The checked API key.
        base_url: The checked base URL.
        transport: Used instead of the network when given; it stays the caller's to close.
        route: How the network is reached otherwise.
    """

    def __init__(self, key: str, base_url: str, transport: Transport | None = None, route: Route | None = None) -> None:
        self._key = key
        self._base_url = base_url
        self._own = transport is None
        self._route = route or Route()
        self._transport = transport

    async def exchange(self, call: Call, content: bytes | None) -> Reply:
        """Send `call` once, with `content` as its encoded body.

        Raises:
            ExchangeFailed: No status arrived; `.sent` is False for failures to connect only.
        """
        request = self._request(call, content)
        if self._transport is None:
            self._transport = self._route.transport(self._base_url)
        try:
            async with asyncio.timeout(DEADLINE):
                response = await self._transport.handle_async_request(request)
        except _NOT_SENT as error:
            raise ExchangeFailed(_reason(error), sent=False) from None
        except (httpx.HTTPError, TimeoutError) as error:
            raise ExchangeFailed(_reason(error), sent=True) from None
        return await self._reply(response)

    async def aclose(self) -> None:
        """Close the connections that this object opened."""
        if self._own and self._transport is not None:
            transport, self._transport = self._transport, None
            await transport.aclose()

    def _request(self, call: Call, content: bytes | None) -> httpx.Request:
        headers = {
            "Authorization": f"Bearer {self._key}",
            "Accept": "application/json",
            "Accept-Encoding": "gzip, deflate",
            "User-Agent": "katana-client",
        }
        if content is not None:
            headers["Content-Type"] = "application/json"
        return httpx.Request(
            call.method,
            f"{self._base_url}{call.target}",
            headers=headers,
            content=content,
            extensions={"timeout": httpx.Timeout(TIMEOUT).as_dict()},
        )

    async def _reply(self, response: httpx.Response) -> Reply:
        """Read the body; one that breaks off keeps its status, which tells whether a write happened."""
        cap = MAX_BODY if response.is_success else MAX_ERROR_BODY
        chunks: list[bytes] = []
        size = 0
        complete = True
        try:
            async with asyncio.timeout(DEADLINE):
                async for chunk in response.aiter_bytes():
                    chunks.append(chunk)
                    size += len(chunk)
                    if size > cap:
                        complete = False
                        break
        except (httpx.HTTPError, httpx.StreamError, TimeoutError):
            complete = False
        finally:
            await response.aclose()
        headers = {name.lower(): value for name, value in response.headers.items()}
        body = b"".join(chunks)[:cap]
        # An error page may quote the request; the key must not come back into messages and logs.
        safe = body if response.is_success else body.replace(self._key.encode(), b"***")
        return Reply(response.status_code, headers, safe, complete)


class _InProcess(httpx.AsyncBaseTransport):
    def __init__(self, app: AsgiApp, dropped: tuple[type[Exception], ...], hung: tuple[type[Exception], ...]) -> None:
        self._inner = httpx.ASGITransport(app=app)  # pyright: ignore[reportArgumentType] - httpx names the same protocol by private types
        self._dropped = dropped
        self._hung = hung

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return await self._inner.handle_async_request(request)
        except self._dropped:
            message = "the connection broke"
            raise httpx.ReadError(message, request=request) from None
        except self._hung:
            message = "no answer in time"
            raise httpx.ReadTimeout(message, request=request) from None


def in_process(
    app: AsgiApp, dropped: tuple[type[Exception], ...] = (), hung: tuple[type[Exception], ...] = ()
) -> httpx.AsyncBaseTransport:
    """Return a transport that calls an ASGI application instead of the network.

    Args:
        app: The application, for example the sandbox's.
        dropped: Exceptions of the application that mean a connection broken after the request was sent.
        hung: Exceptions of the application that mean no answer in time, after the request was sent.
    """
    return _InProcess(app, dropped, hung)


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
