"""The socket: real bytes, connections really closed and really left open."""

import asyncio
import json
import socket

import httpx
import pytest

from katana_sandbox import Drop, EmptyPage, Fault, Hang, Sandbox, SandboxConfig, Truncate

KEY = {"Authorization": "Bearer sandbox-key"}


@pytest.fixture
def real() -> Sandbox:
    return Sandbox(SandboxConfig())


async def test_a_real_client_reads_and_writes_over_the_socket(real: Sandbox) -> None:
    async with real.serve() as url, httpx.AsyncClient(base_url=url, headers=KEY) as client:
        assert url.startswith("http://127.0.0.1:")
        assert url.endswith("/v1")
        made = await client.post("/customers", json={"name": "Süd Räder"})
        assert (made.status_code, made.json()["name"]) == (200, "Süd Räder")
        listed = await client.get("/customers", params={"ids": [made.json()["id"]]})
        assert listed.json()["data"] == [made.json()]
        gone = await client.delete(f"/customers/{made.json()['id']}")
        assert (gone.status_code, gone.content) == (204, b"")
    assert [entry.status for entry in real.requests(path="/customers*")] == [200, 200, 204]


@pytest.mark.parametrize(("when", "added"), [("before", 0), ("after", 1)])
async def test_a_dropped_connection_is_really_closed_without_a_byte(real: Sandbox, when: str, added: int) -> None:
    tenant = real.tenant()
    before = tenant.count("customers")
    real.faults.add(Fault("POST /customers", action=Drop("after" if when == "after" else "before")))
    async with real.serve() as url:
        reader, writer = await _send(url, "POST", "/v1/customers", b'{"name":"A"}')
        assert await asyncio.wait_for(reader.read(), 60) == b""
        writer.close()
        async with httpx.AsyncClient(base_url=url, headers=KEY) as client:
            assert (await client.get("/factory")).status_code == 200
            real.faults.add(Fault("GET /factory", action=Drop()))
            with pytest.raises(httpx.RemoteProtocolError):
                await client.get("/factory")
    assert tenant.count("customers") == before + added


async def test_a_hung_connection_stays_open_and_silent_until_the_server_stops(real: Sandbox) -> None:
    real.faults.add(Fault("GET /factory", action=Hang()))
    async with real.serve() as url:
        reader, writer = await _send(url, "GET", "/v1/factory")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(1), 0.2)
        assert not reader.at_eof()
    assert await asyncio.wait_for(reader.read(), 60) == b""
    writer.close()


async def test_a_hung_request_ends_when_its_client_goes(real: Sandbox) -> None:
    real.faults.add(Fault("GET /factory", action=Hang("after")))
    async with real.serve() as url, httpx.AsyncClient(base_url=url, headers=KEY) as client:
        with pytest.raises(httpx.ReadTimeout):
            await client.get("/factory", timeout=0.2)
        assert (await client.get("/factory")).status_code == 200


async def test_lengths_on_the_wire_are_those_of_the_bytes_sent(real: Sandbox) -> None:
    real.faults.add(Fault(action=Truncate(0.5)), Fault(nth=2, action=EmptyPage()))
    async with real.serve() as url, httpx.AsyncClient(base_url=url, headers=KEY) as client:
        cut = await client.get("/products")
        assert int(cut.headers["content-length"]) == len(cut.content)
        with pytest.raises(json.JSONDecodeError):
            cut.json()
        assert (await client.get("/products")).json() == {"data": []}


async def test_a_port_in_use_is_an_oserror(real: Sandbox) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            async with real.serve(port=taken.getsockname()[1]):
                pass


async def _send(
    url: str, method: str, path: str, body: bytes = b""
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    port = int(url.split(":")[2].split("/")[0])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = (
        f"{method} {path} HTTP/1.1",
        "Host: x",
        "Authorization: Bearer sandbox-key",
        f"Content-Length: {len(body)}",
    )
    head = "\r\n".join((*lines, "", ""))
    writer.write(head.encode() + body)
    await writer.drain()
    return reader, writer
