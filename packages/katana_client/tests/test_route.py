"""A company's network: its proxy passes on what it cannot read, and its authority is trusted where the machine does."""

import asyncio
import datetime
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import truststore
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from katana_client.exchange import Call, ExchangeFailed
from katana_client.transport import HttpWire, Route

KEY = "an-invented-key-0123456789"
CALL = Call("GET", "/factory")
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"


class Listener:
    """Answers each connection with the same bytes, passes it on where it is told to, and keeps what it read first."""

    def __init__(self, answer: bytes, onward: int | None = None) -> None:
        self.heard: list[bytes] = []
        self.port = 0
        self._answer, self._onward = answer, onward

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(self._answer)
        await writer.drain()
        if self._onward is not None:
            there, back = await asyncio.open_connection("127.0.0.1", self._onward)
            await asyncio.gather(pass_on(reader, back), pass_on(there, writer))
        writer.close()


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(65_536):
        writer.write(chunk)
    writer.close()


@asynccontextmanager
async def listening(listener: Listener, context: ssl.SSLContext | None = None) -> AsyncGenerator[Listener]:
    async with await asyncio.start_server(listener.take, "127.0.0.1", 0, ssl=context) as server:
        listener.port = server.sockets[0].getsockname()[1]
        yield listener
        server.close()


@pytest.fixture
def company(tmp_path: Path) -> tuple[Path, ssl.SSLContext]:
    """Return the certificate of an authority that only this machine knows, and a server's context with it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an invented company")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    held = tmp_path / "authority.pem"
    held.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    (tmp_path / "key.pem").write_bytes(secret)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(held, tmp_path / "key.pem")
    return held, context


async def ask(base_url: str, route: Route | None) -> int:
    wire = HttpWire(KEY, base_url, route=route)
    try:
        return (await wire.exchange(CALL, None)).status
    finally:
        await wire.aclose()


async def test_a_proxy_is_told_where_to_go_and_its_own_password_and_never_reads_the_key(
    company: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, context = company
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    async with listening(Listener(ANSWER), context) as katana:
        passing = Listener(b"HTTP/1.1 200 Connection established\r\n\r\n", onward=katana.port)
        async with listening(passing) as proxy:
            route = Route(proxy=f"http://clerk:secret@127.0.0.1:{proxy.port}", system_certificates=True)
            assert await ask(f"https://localhost:{katana.port}/v1", route) == 200
        (asked,) = proxy.heard
        assert asked.startswith(f"CONNECT localhost:{katana.port} HTTP/1.1".encode())
        assert b"Proxy-Authorization: Basic " in asked
        assert KEY.encode() not in asked
        (read,) = katana.heard
        assert KEY.encode() in read
        assert b"Proxy-Authorization" not in read


async def test_a_proxy_that_refuses_means_that_nothing_was_sent() -> None:
    async with listening(Listener(b"HTTP/1.1 407 Who are you\r\ncontent-length: 0\r\n\r\n")) as proxy:
        with pytest.raises(ExchangeFailed, match="407") as refused:
            await ask("https://api.katanamrp.com/v1", Route(proxy=f"http://127.0.0.1:{proxy.port}"))
        assert refused.value.sent is False


async def test_an_address_of_this_machine_is_asked_without_a_proxy() -> None:
    async with listening(Listener(ANSWER)) as sandbox, listening(Listener(b"")) as proxy:
        route = Route(proxy=f"http://127.0.0.1:{proxy.port}")
        assert await ask(f"http://127.0.0.1:{sandbox.port}/v1", route) == 200
        assert proxy.heard == []


async def test_a_companys_authority_is_trusted_where_this_machine_trusts_it_and_not_otherwise(
    company: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, context = company
    async with listening(Listener(ANSWER), context) as katana:
        address = f"https://localhost:{katana.port}/v1"
        with pytest.raises(ExchangeFailed, match="CERTIFICATE_VERIFY_FAILED") as refused:
            await ask(address, Route(system_certificates=True))
        assert refused.value.sent is False
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        assert await ask(address, Route(system_certificates=True)) == 200
        assert len(katana.heard) == 1


async def test_the_environments_proxy_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with listening(Listener(ANSWER)) as sandbox, listening(Listener(b"")) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert await ask(f"http://127.0.0.1:{sandbox.port}/v1", None) == 200
        assert proxy.heard == []


def test_a_proxys_password_is_not_in_what_a_route_shows() -> None:
    assert "secret" not in repr(Route(proxy="http://clerk:secret@proxy.example:3128"))


def test_whom_this_machine_trusts_is_asked_through_the_system() -> None:
    # httpx too reads SSL_CERT_FILE, so what a handshake says on Linux does not tell them apart.
    assert isinstance(context_of(Route(system_certificates=True)), truststore.SSLContext)
    assert not isinstance(context_of(Route()), truststore.SSLContext)


def context_of(route: Route) -> object:
    pool: object = vars(route.transport("https://api.katanamrp.com/v1"))["_pool"]
    context: object = vars(pool)["_ssl_context"]
    return context
