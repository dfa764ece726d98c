"""The HTTP door, on real sockets: own names and the right token come in, everybody else stays out."""

import asyncio
import json
import os
import re
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from http_door import TOKEN, Door, opened

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import SettingsError, load
from katana_mcp.server.application import application
from katana_mcp.server.mcp.transports import listener_of, serve
from katana_mcp.server.wiring import Environment
from katana_sandbox.journal import key_digest

CALL = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "search_customers", "arguments": {"query": "velo"}},
}


BINDS = [
    pytest.param({"host": "127.0.0.1"}, id="loopback"),
    pytest.param({"host": "0.0.0.0", "allowed_hosts": ("shop.example",)}, id="network"),
]


@pytest.mark.parametrize("flags", BINDS)
async def test_only_own_hosts_and_own_origins_come_in(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str], flags: dict[str, object]
) -> None:
    network = "allowed_hosts" in flags
    async with opened(own, capsys, **flags) as door:
        own_hosts = {"shop.example", f"shop.example:{door.port}"} if network else {f"127.0.0.1:{door.port}"}
        local = {f"localhost:{door.port}", f"127.0.0.1:{door.port}"}
        hosts = [*sorted(own_hosts | local), "evil.example", "127.0.0.1.evil.example", "shop.example.evil.example", ""]
        origins = [None, f"http://127.0.0.1:{door.port}", "http://evil.example", "null"]
        statuses = {
            (host, origin): (
                await door.knock(
                    {
                        "Authorization": f"Bearer {TOKEN}",
                        "Host": host,
                        **({} if origin is None else {"Origin": origin}),
                    }
                )
            )[0]
            for host in hosts
            for origin in origins
        }
    for (host, origin), status in statuses.items():
        foreign = host not in own_hosts | local or origin in {"http://evil.example", "null"}
        if foreign:
            assert status in {400, 403, 421}, (host, origin, status)
    assert all(statuses[host, None] == 200 for host in own_hosts), statuses
    assert statuses["evil.example", None] == 421
    assert statuses[min(own_hosts), "http://evil.example"] == 403


async def test_a_listed_origin_comes_in_and_its_neighbours_do_not(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, allowed_origins=("https://shop.example",)) as door:
        headers = {"Authorization": f"Bearer {TOKEN}", "Host": f"127.0.0.1:{door.port}"}
        origins = {
            "https://shop.example": 200,
            "http://shop.example": 403,
            "https://shop.example:8443": 403,
            "https://shop.example.evil.example": 403,
            f"http://127.0.0.1:{door.port}": 200,
        }
        assert {origin: (await door.knock(headers | {"Origin": origin}))[0] for origin in origins} == origins


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer wrong-token-0123456789", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}"],
)
async def test_a_wrong_or_absent_token_is_turned_away(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str], authorization: str | None
) -> None:
    async with opened(own, capsys) as door:
        headers = {"Host": f"127.0.0.1:{door.port}"}
        status, answer = await door.knock(
            headers if authorization is None else {**headers, "Authorization": authorization}
        )
        assert status == 401
        assert "www-authenticate: bearer" in answer.lower()
        message = (
            "Send the server's token (KATANA_MCP_HTTP_TOKEN) with every request, as 'Authorization: Bearer TOKEN'.\n"
        )
        assert answer.endswith(f"\r\n\r\n{message}")
        assert (await door.knock({**headers, "Authorization": f"Bearer {TOKEN}"}))[0] == 200
    assert len(own.sandbox.journal) == 0


@pytest.mark.cold
async def test_the_clients_token_goes_no_further_and_is_never_logged(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    own.sandbox.add_key(TOKEN)  # if it were passed on, it would be let in under its own name
    async with opened(own, capsys) as door:
        headers = {"Host": f"127.0.0.1:{door.port}", "Authorization": f"Bearer {TOKEN}"}
        _, welcome = await door.knock(headers)
        session = re.search(r"mcp-session-id: (\S+)", welcome, re.IGNORECASE)
        assert session is not None
        status, answer = await door.knock({**headers, "Mcp-Session-Id": session[1]}, CALL)
    assert status == 200
    assert "Velo Berger" in answer
    assert TOKEN not in answer
    assert len(own.sandbox.journal) > 0
    assert {request.key for request in own.sandbox.journal} == {key_digest(own.api_key)}
    captured = capsys.readouterr()
    assert TOKEN not in captured.err + captured.out


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        ({}, "KATANA_MCP_HTTP_TOKEN"),
        ({"http_token": "short"}, "KATANA_MCP_HTTP_TOKEN"),
        ({"http_token": "  " + " " * 20}, "KATANA_MCP_HTTP_TOKEN"),
        ({"http_token": TOKEN, "host": "0.0.0.0"}, "KATANA_MCP_ALLOWED_HOSTS"),
        ({"http_token": TOKEN, "host": "::"}, "KATANA_MCP_ALLOWED_HOSTS"),
        ({"http_token": TOKEN, "allowed_hosts": "*"}, "KATANA_MCP_ALLOWED_HOSTS"),
        ({"http_token": TOKEN, "allowed_hosts": "*.example"}, "KATANA_MCP_ALLOWED_HOSTS"),
        ({"http_token": TOKEN, "allowed_origins": "https://*"}, "KATANA_MCP_ALLOWED_ORIGINS"),
        ({"http_token": TOKEN, "allowed_origins": "shop.example"}, "KATANA_MCP_ALLOWED_ORIGINS"),
        ({"http_token": TOKEN, "allowed_origins": "https://shop.example/path"}, "KATANA_MCP_ALLOWED_ORIGINS"),
        ({"http_token": TOKEN, "allowed_origins": "null"}, "KATANA_MCP_ALLOWED_ORIGINS"),
        ({"http_token": TOKEN, "allowed_hosts": "https://shop.example"}, "KATANA_MCP_ALLOWED_HOSTS"),
        ({"http_token": TOKEN, "allowed_hosts": "shop.example/mcp"}, "KATANA_MCP_ALLOWED_HOSTS"),
        ({"http_token": TOKEN, "allowed_hosts": "shop.example evil.example"}, "KATANA_MCP_ALLOWED_HOSTS"),
    ],
)
def test_a_door_that_would_stand_open_is_never_opened(flags: dict[str, object], named: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        application(load(_env_file=None, sandbox=True, api_key="k", http=True, **flags), Environment(in_memory=True))
    assert named in str(refusal.value)
    assert TOKEN not in str(refusal.value)
    assert "\n" not in str(refusal.value)


async def test_a_port_that_is_taken_is_said_in_one_sentence(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys) as door:
        settings = load(_env_file=None, sandbox=True, api_key="k", http=True, http_token=TOKEN, port=door.port)
        with pytest.raises(SettingsError, match=rf"KATANA_MCP_PORT.*127\.0\.0\.1:{door.port} cannot be bound"):
            await serve(application(settings, Environment(transport=own.transport(), in_memory=True)), settings)


_SEARCH = {"name": "search_items"}
MALFORMED: list[tuple[str, dict[str, object], str]] = [
    ("tools/call", {}, "params.name is required"),
    ("tools/call", {"name": 5}, "params.name must be a text"),
    ("tools/call", {**_SEARCH, "arguments": ["x"]}, "params.arguments must be an object"),
    (
        "tools/call",
        {**_SEARCH, "_meta": {"progressToken": {"a": 1}}},
        "params._meta.progressToken must be a text or must be a whole number",
    ),
    ("prompts/get", {"name": "x", "arguments": {"a": 1}}, "params.arguments.a must be a text"),
    ("resources/read", {"uri": []}, "params.uri must be a text"),
]


async def test_parameters_of_another_form_are_refused_with_what_is_wrong(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys) as door:
        headers = {"Host": f"127.0.0.1:{door.port}", "Authorization": f"Bearer {TOKEN}"}
        _, greeting = await door.knock(headers)
        found = re.search(r"mcp-session-id: (\S+)", greeting, re.IGNORECASE)
        assert found is not None
        for method, params, message in MALFORMED:
            body = {"jsonrpc": "2.0", "id": 5, "method": method, "params": params}
            _, answer = await door.knock({**headers, "Mcp-Session-Id": found[1]}, body)
            (event,) = re.findall(r"data: (\{.*\})", answer)
            error = json.loads(event)["error"]
            assert (error["code"], error["message"]) == (-32602, f"Invalid request parameters: {message}")


def test_what_a_client_is_sent_waits_for_no_acknowledgement() -> None:
    settings = load(sandbox=True, http=True, http_token=TOKEN, port=0)
    with listener_of(settings) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_another_page_or_port_of_this_machine_stays_out(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, host="127.0.0.1") as door:
        token = {"Authorization": f"Bearer {TOKEN}"}
        mine = f"127.0.0.1:{door.port}"
        origins = ["http://localhost:3000", "http://localhost", "http://127.0.0.1", f"http://{mine} http://evil"]
        assert [(await door.knock({**token, "Host": mine, "Origin": origin}))[0] for origin in origins] == [403] * 4
        hosts = ["127.0.0.1:1", "127.0.0.1", f"{mine}, evil.example", f"localhost:{door.port}@evil"]
        assert [(await door.knock({**token, "Host": host}))[0] for host in hosts] == [421] * 4
        assert (await door.knock({**token, "Host": mine}))[0] == 200


class Left(FastMCP[Any]):
    """A server whose client is gone."""

    async def run_async(self, *_: object, **__: object) -> None:
        """Fail as writing to a client does."""
        raise ExceptionGroup("writing", [ExceptionGroup("to stdout", [BrokenPipeError()])])


async def test_a_client_that_left_is_told_from_a_fault_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    class Faulty(FastMCP[Any]):
        async def run_async(self, *_: object, **__: object) -> None:
            raise ExceptionGroup("two", [BrokenPipeError(), ValueError()])

    monkeypatch.setattr("katana_mcp.server.mcp.transports.mend_stdin", lambda: None)
    settings = load(_env_file=None, sandbox=True)
    with pytest.raises(BrokenPipeError):
        await serve(Left("left"), settings)
    with pytest.raises(ExceptionGroup, match="two"):
        await serve(Faulty("faulty"), settings)


@pytest.mark.soak
async def test_ctrl_c_ends_it_at_once_and_without_a_word_while_a_client_is_connected(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "KATANA_MCP_HTTP_TOKEN": TOKEN}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "katana_mcp", "serve", "--sandbox", "--http", "--port", "0", "--log-level", "error"),
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        cwd=tmp_path,
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(60):
            port = int((await process.stderr.readline()).split(b":")[-1].removesuffix(b"/mcp\n"))
            stream, writer = await _listening(Door(port))
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(60):
            assert (await process.stderr.read(), await process.wait()) == (b"", 130)
            assert (await stream.read()).endswith(b"\r\n0\r\n\r\n")
        writer.close()
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def _listening(door: Door) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a session, call a tool, and leave a stream open for what the server has to say."""
    names = {"Authorization": f"Bearer {TOKEN}", "Host": f"127.0.0.1:{door.port}"}
    session = re.search(r"mcp-session-id: (\S+)", (await door.knock(names))[1], re.IGNORECASE)
    assert session is not None
    headers = {**names, "Mcp-Session-Id": session[1], "Accept": "text/event-stream"}
    assert (await door.knock(names | {"Mcp-Session-Id": session[1]}, CALL))[0] == 200
    reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
    writer.write(
        "\r\n".join(["GET /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]).encode()
    )
    assert b" 200 " in await reader.readline()
    return reader, writer
