"""One exchange over HTTP: what is sent, how much of an answer is read, and what a failure says of it."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from typing import override

import httpx
import pytest

from katana_client import KatanaClient
from katana_client import transport as seam
from katana_client.exchange import Call, ExchangeFailed, Reply
from katana_client.transport import HttpWire, Route

KEY, BASE = "secret", "https://x.example/v1"
READ, WRITE = Call("GET", "/variants", (("sku", "a b"),)), Call("POST", "/variants")


class Body(httpx.AsyncByteStream):
    """A body in chunks that breaks off with an error, where one is given."""

    def __init__(self, *chunks: bytes, error: Exception | None = None) -> None:
        """Remember them."""
        self._chunks, self._error = chunks, error
        self.closed = False

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
        if self._error is not None:
            raise self._error

    @override
    async def aclose(self) -> None:
        self.closed = True


class Network(httpx.AsyncBaseTransport):
    """A network that gives one answer, or fails."""

    def __init__(self, answer: httpx.Response | Exception) -> None:
        """Remember it."""
        self._answer = answer
        self.requests: list[httpx.Request] = []
        self.closed = 0

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    @override
    async def aclose(self) -> None:
        self.closed += 1


async def exchanged(answer: httpx.Response | Exception, call: Call = READ, content: bytes | None = None) -> Reply:
    """Return what one exchange gives."""
    return await HttpWire(KEY, BASE, Network(answer)).exchange(call, content)


@pytest.mark.parametrize(
    ("call", "content", "url", "kind"),
    [
        (READ, None, f"{BASE}/variants?sku=a+b", None),
        (WRITE, b"{}", f"{BASE}/variants", "application/json"),
        (WRITE, b"", f"{BASE}/variants", "application/json"),
    ],
)
async def test_a_request_has_a_key_a_kind_where_it_has_a_body_and_time_limits(
    call: Call, content: bytes | None, url: str, kind: str | None
) -> None:
    network = Network(httpx.Response(200))
    await HttpWire(KEY, BASE, network).exchange(call, content)
    (request,) = network.requests
    assert (request.method, str(request.url), request.content) == (call.method, url, content or b"")
    expected = {
        "authorization": "Bearer secret",
        "accept": "application/json",
        "accept-encoding": "gzip, deflate",
        "user-agent": "katana-client",
        "content-type": kind,
        "cookie": None,
    }
    assert {name: request.headers.get(name) for name in expected} == expected
    assert request.extensions == {"timeout": {"connect": 30.0, "read": 30.0, "write": 30.0, "pool": 30.0}}


async def test_an_answer_is_read_with_its_headers_in_lower_case() -> None:
    body = Body(b"a", b"b")
    answer = httpx.Response(201, headers={"X-Pagination": "{}"}, stream=body)
    assert await exchanged(answer) == Reply(201, {"x-pagination": "{}"}, b"ab", complete=True)
    assert body.closed


@pytest.mark.parametrize(
    ("status", "chunks", "read", "complete"),
    [
        (200, [b"x" * 7, b"y"], 8, True),
        (200, [b"x" * 8, b"y"], 8, False),
        (200, [b"x" * 9], 8, False),
        (404, [b"x" * 4], 4, True),
        (404, [b"x" * 3, b"yy"], 4, False),
        (299, [b"x" * 5], 5, True),
        (300, [b"x" * 5], 4, False),
    ],
)
async def test_a_body_is_read_up_to_a_size_that_is_smaller_for_errors(
    monkeypatch: pytest.MonkeyPatch, status: int, chunks: list[bytes], read: int, *, complete: bool
) -> None:
    assert (seam.MAX_BODY, seam.MAX_ERROR_BODY) == (67_108_864, 262_144)
    monkeypatch.setattr(seam, "MAX_BODY", 8)
    monkeypatch.setattr(seam, "MAX_ERROR_BODY", 4)
    body = Body(*chunks, b"never read" if not complete else b"")
    reply = await exchanged(httpx.Response(status, stream=body))
    assert reply == Reply(status, {}, b"".join(chunks)[:read], complete)
    assert body.closed


@pytest.mark.parametrize(
    "error", [httpx.ReadError("x"), httpx.ReadTimeout("x"), httpx.StreamClosed(), TimeoutError()], ids=repr
)
async def test_a_body_that_breaks_off_keeps_its_status_and_what_came(error: Exception) -> None:
    body = Body(b"ab", error=error)
    assert await exchanged(httpx.Response(200, stream=body)) == Reply(200, {}, b"ab", complete=False)
    assert body.closed


async def test_the_key_does_not_come_back_in_an_error() -> None:
    body = b"Bearer secret was secret"
    assert (await exchanged(httpx.Response(401, stream=Body(body)))).body == b"Bearer *** was ***"
    assert (await exchanged(httpx.Response(200, stream=Body(body)))).body == body


@pytest.mark.parametrize(
    ("error", "sent", "reason"),
    [
        (httpx.ConnectError("x"), False, "ConnectError: x"),
        (httpx.ConnectTimeout(""), False, "ConnectTimeout"),
        (httpx.PoolTimeout("x"), False, "PoolTimeout: x"),
        (httpx.ProxyError("x"), False, "ProxyError: x"),
        (httpx.UnsupportedProtocol("x"), False, "UnsupportedProtocol: x"),
        (httpx.ReadError("x"), True, "ReadError: x"),
        (httpx.WriteTimeout(""), True, "WriteTimeout"),
        (TimeoutError(), True, "TimeoutError"),
    ],
    ids=repr,
)
async def test_a_failure_says_whether_the_request_may_have_left(error: Exception, reason: str, *, sent: bool) -> None:
    with pytest.raises(ExchangeFailed) as raised:
        await exchanged(error)
    assert (raised.value.reason, raised.value.sent, str(raised.value)) == (reason, sent, reason)
    assert raised.value.__cause__ is None


async def test_a_server_that_says_nothing_is_left_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(httpx.AsyncBaseTransport):
        """A network that never answers."""

        @override
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            await asyncio.Event().wait()
            raise AssertionError

    assert (seam.TIMEOUT, seam.DEADLINE) == (30.0, 60.0)
    monkeypatch.setattr(seam, "DEADLINE", 0.0)
    with pytest.raises(ExchangeFailed, match="TimeoutError") as raised:
        await HttpWire(KEY, BASE, Silent()).exchange(READ, None)
    assert raised.value.sent


async def test_a_given_transport_is_left_open_and_an_own_one_is_closed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Network(httpx.Response(200))
    wire = HttpWire(KEY, BASE, given)
    await wire.exchange(READ, None)
    await wire.aclose()
    assert given.closed == 0
    own, made = Network(httpx.Response(200)), list[str]()

    def transport(_: Route, base_url: str) -> httpx.AsyncBaseTransport:
        made.append(base_url)
        return own

    monkeypatch.setattr(Route, "transport", transport)
    wire = HttpWire(KEY, BASE)
    await wire.aclose()
    await wire.exchange(READ, None)
    await wire.exchange(READ, None)
    await wire.aclose()
    await wire.aclose()
    assert (made, own.closed) == ([BASE], 1)


async def test_a_client_that_is_left_closes_what_it_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Network(httpx.Response(200, json={"data": []}))

    def transport(_: Route, base_url: str) -> httpx.AsyncBaseTransport:
        assert base_url == BASE
        return own

    monkeypatch.setattr(Route, "transport", transport)
    async with KatanaClient(KEY, BASE) as client:
        await client.variants.page(1)
        assert own.closed == 0
    assert own.closed == 1


@pytest.mark.parametrize(
    ("route", "base", "proxy", "system"),
    [
        (Route(), BASE, None, False),
        (Route(proxy="http://p.example:3128"), BASE, "http://p.example:3128", False),
        (Route(proxy="http://p.example:3128"), "http://127.0.0.1:9", None, False),
        (Route(system_certificates=True), BASE, None, True),
    ],
)
def test_a_route_says_how_the_network_is_reached(
    monkeypatch: pytest.MonkeyPatch, route: Route, base: str, proxy: str | None, *, system: bool
) -> None:
    made: list[dict[str, object]] = []

    class Noted(Network):
        """A transport that remembers how it was made."""

        def __init__(self, **options: object) -> None:
            """Remember it."""
            made.append(options)
            super().__init__(httpx.Response(200))

    monkeypatch.setattr(httpx, "AsyncHTTPTransport", Noted)
    route.transport(base)
    (options,) = made
    assert options.keys() == {"verify", "limits", "proxy"}
    assert (options["proxy"], options["limits"]) == (proxy, httpx.Limits(keepalive_expiry=5.0))
    assert isinstance(options["verify"], ssl.SSLContext) if system else options["verify"] is True
    assert "p.example" not in repr(route)
