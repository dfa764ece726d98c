"""`/healthz` and `/readyz`: answered without a token and to any address, and nothing but these two is."""

from itertools import product

import pytest
from http_door import TOKEN, opened
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.server.mcp.health import Health
from katana_mcp.server.mcp.overload import Load


async def test_anybody_is_told_that_the_server_is_there(own: OwnSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    async with opened(own, capsys) as door:
        for path, method in product(("/healthz", "/readyz"), ("GET", "HEAD")):
            status, answer = await door.request(method, {"Host": "10.0.0.7:8000"}, path=path)
            head, _, body = answer.partition("\r\n\r\n")
            assert (status, body) == (200, "ok\n" if method == "GET" else "")
            assert "connection: close" in head.lower()
    assert len(own.sandbox.journal) == 0


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/healthz"), ("GET", "/healthz/"), ("GET", "/healthz/../mcp"), ("GET", "//healthz"), ("GET", "/mcp")],
)
async def test_nothing_else_is_answered_without_the_token(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str], method: str, path: str
) -> None:
    async with opened(own, capsys) as door:
        here = {"Host": f"127.0.0.1:{door.port}"}
        assert (await door.request(method, here, path=path))[0] == 401
        assert (await door.request(method, {"Host": "10.0.0.7"}, path=path))[0] == 421
        with_token = await door.request("GET", {**here, "Authorization": f"Bearer {TOKEN}"}, path="/healthz")
        assert with_token[0] == 200


async def _other(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError


def test_a_server_that_takes_no_further_call_is_there_and_not_ready() -> None:
    load = Load(2, running=2)
    client = TestClient(Health(_other, load))
    assert (client.get("/healthz").status_code, client.get("/readyz").status_code) == (200, 503)
    assert client.get("/readyz").headers["retry-after"] == "1"
    load.running = 1
    assert client.get("/readyz").status_code == 200
