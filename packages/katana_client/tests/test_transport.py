"""The seam to HTTP: one host, no redirect, no log of what is private, and the truth about what was sent."""

import asyncio
import gzip
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from datetime import UTC, datetime, timedelta, timezone

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from katana_client import KatanaClient, ManualClock, RequestRecord
from katana_client.errors import (
    ConfigurationError,
    InvalidRequest,
    KatanaError,
    KatanaUnavailable,
    KeyRejected,
    OutcomeUnknown,
    UnclearWrite,
    UnexpectedResponse,
)
from katana_client.exchange import Call
from katana_client.resources.customers import CustomerCreate
from katana_client.transport import in_process

KEY = "secret-key-canary"
type Handler = Callable[[httpx.Request], httpx.Response]


def client_of(handler: Handler, told: list[RequestRecord] | None = None) -> KatanaClient:
    observer = None if told is None else told.append
    return KatanaClient(f" {KEY}\n", transport=httpx.MockTransport(handler), clock=ManualClock(), on_request=observer)


async def test_a_request_carries_key_body_and_filters_in_wire_form() -> None:
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"data": []} if request.method == "GET" else {"id": 5})

    async with client_of(handler) as client:
        await client.variants.page(
            1,
            limit=10,
            ids=[1, 2],
            updated_at_min=datetime(2026, 1, 2, 3, 4, 5, 678_999, timezone(timedelta(hours=2))),
            include_archived=True,
        )
        await client.customers.create(CustomerCreate(name="Ä & B"))
    url = "https://api.katanamrp.com/v1/variants?ids=1&ids=2&updated_at_min=2026-01-02T03%3A04%3A05.678%2B02%3A00"
    assert str(seen[0].url) == f"{url}&include_archived=true&limit=10&page=1"
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert seen[0].headers["accept"] == "application/json"
    assert seen[1].headers["content-type"] == "application/json"
    assert seen[1].content == b'{"name":"\\u00c4 & B"}'


async def test_a_naive_filter_date_is_refused() -> None:
    client = client_of(lambda request: httpx.Response(500))
    with pytest.raises(InvalidRequest, match="offset"):
        await client.variants.page(1, updated_at_min=datetime(2026, 1, 2))  # noqa: DTZ001 - naive on purpose


HOSTILE = st.one_of(
    st.text(),
    st.sampled_from(
        ["../", "..%2f", "?", "#", "1/../2", "1\r\nX: y", "\u2024\u2024", "x" * 10_000, "//evil.example/", "@evil"]
    ),
)


@given(HOSTILE)
def test_whatever_the_input_only_one_host_and_known_paths_are_asked(text: str) -> None:
    seen: list[httpx.URL] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request.url)
        return httpx.Response(200, json={"data": []})

    async def run() -> None:
        client = client_of(handler)
        for attempt in (
            client.bom_rows.delete(text),
            client.bom_rows.get(text),
            client.sales_orders.get(text),
            client.customers.page(1, name=text),
            client.variants.page(1, sku=[text, "x"]),
        ):
            try:
                await attempt
            except KatanaError:
                continue

    asyncio.run(run())
    for url in seen:
        assert url.host == "api.katanamrp.com"
        assert url.path in ("/v1/customers", "/v1/variants")
        assert url.raw_path.count(b"?") == 1
        assert not url.fragment


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_with_the_key_is_refused(status: int) -> None:
    hosts: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        hosts.append(request.url.host)
        return httpx.Response(status, headers={"location": "https://evil.example/v1"})

    with pytest.raises(UnexpectedResponse):
        await client_of(handler).factory.read()
    assert hosts == ["api.katanamrp.com"]


NOT_SENT = [httpx.ConnectError("x"), httpx.ConnectTimeout("x"), httpx.PoolTimeout("x"), httpx.ProxyError("x")]
SENT = [
    httpx.ReadError("x"),
    httpx.ReadTimeout("x"),
    httpx.WriteError("x"),
    httpx.WriteTimeout("x"),
    httpx.CloseError("x"),
    httpx.RemoteProtocolError("x"),
    httpx.LocalProtocolError("x"),
]


@pytest.mark.parametrize("error", [*NOT_SENT, *SENT], ids=lambda error: type(error).__name__)
async def test_only_failures_to_connect_prove_that_nothing_was_sent(error: httpx.TransportError) -> None:
    tries = 0

    def handler(request: httpx.Request) -> httpx.Response:
        nonlocal tries
        tries += 1
        raise error

    expected = KatanaUnavailable if error in NOT_SENT else OutcomeUnknown
    with pytest.raises(expected, match=type(error).__name__) as caught:
        await client_of(handler).customers.create(CustomerCreate(name="x"))
    assert tries == (5 if error in NOT_SENT else 1)
    assert caught.value.__cause__ is None


class Breaking(httpx.AsyncByteStream):
    def __init__(self, *chunks: bytes, error: Exception | None = None) -> None:
        self._chunks = chunks
        self._error = error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
        if self._error is not None:
            raise self._error


async def test_a_write_whose_body_breaks_off_after_the_status_has_succeeded() -> None:
    broken = Breaking(b'{"id": 5', error=httpx.RemoteProtocolError("peer closed connection"))
    made = await client_of(lambda request: httpx.Response(200, stream=broken)).customers.create(
        CustomerCreate(name="x")
    )
    assert made.id is None
    assert made.model_fields_set == set()


async def test_a_body_beyond_any_size_is_cut() -> None:
    endless = Breaking(*(b"x" * 100_000 for _ in range(20)))
    with pytest.raises(UnclearWrite) as caught:
        await client_of(lambda request: httpx.Response(422, stream=endless)).customers.create(CustomerCreate(name="x"))
    assert len(str(caught.value)) < 2_000


async def test_a_compressed_answer_is_read() -> None:
    body = gzip.compress(b'{"name": "Works"}')
    client = client_of(lambda request: httpx.Response(200, headers={"content-encoding": "gzip"}, content=body))
    assert (await client.factory.read()).name == "Works"


async def test_neither_key_nor_personal_data_reach_logs_errors_or_records(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    records: list[RequestRecord] = []
    client = client_of(lambda request: httpx.Response(401, text=f"denied: {request.headers['authorization']}"), records)
    with pytest.raises(KeyRejected, match="API key was refused") as caught:
        await client.customers.page(1, email="canary@example.com")
    with pytest.raises(UnclearWrite, match="not in Katana's form"):
        await client.customers.create(CustomerCreate(name="x", phone="555-canary"))
    shown = f"{caught.value!r} {caught.value.message} {records} {client!r}" + caplog.text
    for secret in (KEY, "canary@example.com", "555-canary"):
        assert secret not in shown
    assert [record.path for record in records] == ["/customers", "/customers"]
    caplog.clear()
    caplog.set_level(logging.INFO)
    with pytest.raises(KeyRejected):
        await client.customers.page(1, email="canary@example.com")
    assert caplog.text == ""


async def test_the_key_and_the_base_url_are_checked_at_the_start() -> None:
    for key, url in (("", "https://x.example"), ("k", "http://x.example")):
        with pytest.raises(ConfigurationError):
            KatanaClient(key, url)


def test_an_option_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TypeError, match="budgett"):
        KatanaClient("key", budgett=None)  # pyright: ignore[reportCallIssue] - the typo is the point


class Committed(Exception):
    committed = True


class Silent(Exception):
    committed = False


@pytest.mark.parametrize("error", [Committed(), Silent()])
async def test_an_application_that_breaks_the_connection_looks_like_a_lost_answer(error: Exception) -> None:
    async def app(
        scope: MutableMapping[str, object],
        receive: Callable[[], Awaitable[MutableMapping[str, object]]],
        send: Callable[[MutableMapping[str, object]], Awaitable[None]],
    ) -> None:
        raise error

    transport = in_process(app, dropped=(Committed,), hung=(Silent,))
    client = KatanaClient("key", transport=transport, clock=ManualClock())
    with pytest.raises(OutcomeUnknown, match="ReadError" if isinstance(error, Committed) else "ReadTimeout"):
        await client.customers.create(CustomerCreate(name="x"))
    await client.aclose()


async def test_without_a_given_transport_the_network_is_used_and_closed() -> None:
    client = KatanaClient("key", "http://127.0.0.1:9", clock=ManualClock())
    with pytest.raises(KatanaUnavailable, match="not sent: ConnectError"):
        await client.send(Call("DELETE", "/customers/1"))
    await client.aclose()
    await client.aclose()
    assert client.clock.now() > datetime(2026, 1, 1, tzinfo=UTC)
