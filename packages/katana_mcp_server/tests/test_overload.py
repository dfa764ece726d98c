"""What a client that sends too slowly, too much or nothing can do to the others over HTTP: nothing."""

import asyncio
import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext

import pytest
from http_door import TOKEN, Door, opened
from starlette.types import Message, Receive, Scope, Send
from structlog.testing import capture_logs
from structlog.typing import EventDict

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import SettingsError, load
from katana_mcp.server.mcp import overload
from katana_mcp.server.mcp.overload import CallLimit, Load
from katana_mcp.server.mcp.refusals import RefusalLog
from katana_mcp.server.mcp.transports import check_door

LONG = 600.0
SHORT = 0.2


_NO_SESSION = "Mcp-Session-Id: none"
"""Without a session to look for, one would be opened for who is gone."""
_SLOW = ("Content-Length: 100", _NO_SESSION)
"""A body that does not come."""


class Held:
    """A connection that a client keeps open."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def ended(self) -> bytes:
        """Wait until the server closes it; return what it had to say."""
        try:
            return await self.reader.read()
        except ConnectionError:
            return b""

    @property
    def is_open(self) -> bool:
        """Whether the server has not closed it, as far as was read."""
        return not self.reader.at_eof() and self.reader.exception() is None


@asynccontextmanager
async def held(door: Door, sent: bytes, number: int = 1) -> AsyncGenerator[Sequence[Held]]:
    """Open so many connections and send this over each."""
    connections: list[Held] = []
    try:
        for _ in range(number):
            connection = Held(*await asyncio.open_connection("127.0.0.1", door.port))
            connection.writer.write(sent)
            connections.append(connection)
        yield connections
    finally:
        for connection in connections:
            connection.writer.transport.abort()


def _headers(door: Door, *more: str, token: str | None = TOKEN, method: str = "POST") -> bytes:
    """Return a request up to its body."""
    usual = [f"{method} /mcp HTTP/1.1", f"Host: 127.0.0.1:{door.port}", "Content-Type: application/json"]
    accept = "Accept: application/json, text/event-stream"
    authorized = [] if token is None else [f"Authorization: Bearer {token}"]
    return "\r\n".join([*usual, accept, *authorized, *more, "", ""]).encode()


async def _answer(door: Door, token: str = TOKEN, **headers: str) -> tuple[int, str]:
    return await door.knock({"Host": f"127.0.0.1:{door.port}", "Authorization": f"Bearer {token}", **headers})


async def _served_again(door: Door) -> None:
    """Ask until there is room."""
    async with asyncio.timeout(60):
        while (status := (await _answer(door))[0]) == 503:
            pass
    assert status == 200


def _refused(logs: Sequence[EventDict]) -> Counter[str]:
    lines = [line for line in logs if line["event"] in _EVENTS]
    return Counter(line["reason"] for line in lines for _ in range(line.get("times", 1)))


def _faults(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the event loop complained of: it writes tracebacks to stderr, whatever the level of our logs is."""
    return [record.getMessage() for record in caplog.records if record.name == "asyncio"]


_EVENTS = {"request refused", "requests refused again"}


@pytest.mark.parametrize("sent", ["POST /mcp HT", "POST /mcp HTTP/1.1\r\nHost: x\r\nA: ", "P"])
async def test_fifty_that_send_half_a_request_are_cut(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str], sent: str
) -> None:
    with capture_logs() as logs:
        async with opened(own, capsys, header_timeout=5 * SHORT) as door, held(door, sent.encode(), 50) as slow:
            assert (await _answer(door))[0] == 200
            assert [await connection.ended() for connection in slow] == [b""] * 50
    assert _refused(logs) == {"headers not sent in time": 50}
    assert len([line for line in logs if line["event"] in _EVENTS]) == 2


@pytest.mark.parametrize("part", ["headers", "body"])
async def test_a_byte_now_and_then_buys_no_time(own: OwnSandbox, capsys: pytest.CaptureFixture[str], part: str) -> None:
    async with opened(own, capsys, header_timeout=SHORT, body_timeout=SHORT) as door:
        begun = (
            _headers(door, "Content-Length: 100000", _NO_SESSION) if part == "body" else b"POST /mcp HTTP/1.1\r\nA: "
        )
        async with held(door, begun) as (slow,), asyncio.timeout(60):
            ended = asyncio.ensure_future(slow.ended())
            while not ended.done():
                slow.writer.write(b" ")
                await asyncio.wait({ended}, timeout=SHORT / 20)
            assert ended.result() == b""


async def test_fifty_that_send_half_a_body_are_cut_and_give_their_places_back(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with capture_logs() as logs:
        async with opened(own, capsys, body_timeout=SHORT, max_calls=50) as door:
            async with held(door, _headers(door, *_SLOW) + b"{", 50) as slow:
                assert [await connection.ended() for connection in slow] == [b""] * 50
            assert (await _answer(door))[0] == 200
    assert _refused(logs) == {"body not sent in time": 50}
    assert _faults(caplog) == []


async def test_a_body_that_nobody_waits_for_holds_no_connection(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with (
        opened(own, capsys, body_timeout=SHORT) as door,
        held(door, _headers(door, "Content-Length: 100", token=None) + b"{") as (slow,),
    ):
        assert (await slow.ended()).startswith(b"HTTP/1.1 401 ")


async def test_answers_that_nobody_reads_hold_no_connection(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, body_timeout=SHORT) as door:
        request = _headers(door, "Content-Length: 0", _NO_SESSION) * 100_000
        loop = asyncio.get_running_loop()
        with capture_logs() as logs, socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.setblocking(False)
            await loop.sock_connect(client, ("127.0.0.1", door.port))
            with pytest.raises(ConnectionError):
                async with asyncio.timeout(600 * SHORT):  # a busy machine takes its time
                    await loop.sock_sendall(client, request)
    assert "answer not read in time" in _refused(logs)


async def test_who_has_no_token_gets_one_answer_over_each_connection(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, allowed_origins=("https://shop.example",)) as door:
        question = ("Origin: https://shop.example", "Access-Control-Request-Method: POST")
        for first, status in (
            (_headers(door, "Content-Length: 0", token=None), b"401"),
            (_headers(door, "Content-Length: 0", "Origin: https://evil.example"), b"403"),
            (_headers(door, *question, method="OPTIONS", token=None), b"200"),
        ):
            async with held(door, first + _headers(door, "Content-Length: 2") + b"{}") as (client,):
                answers = (await client.ended()).lower()
            assert re.findall(rb"http/1.1 (\d+) ", answers) == [status]
            assert b"\r\nconnection: close\r\n" in answers


async def test_who_has_no_token_may_send_the_whole_body_and_reads_the_answer(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    body = b"x" * 2_000_000
    async with (
        opened(own, capsys) as door,
        held(door, _headers(door, f"Content-Length: {len(body)}", token=None)) as (client,),
    ):
        answer = await client.reader.readuntil(b"\r\n\r\n")
        client.writer.write(body)
        await client.writer.drain()
        answer += await client.reader.read()
    assert answer.startswith(b"HTTP/1.1 401 ")
    assert answer.endswith(b"'Authorization: Bearer TOKEN'.\n")


async def test_bodies_that_nobody_waits_for_make_room(own: OwnSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    slow = "Content-Length: 100"
    async with (
        opened(own, capsys, body_timeout=LONG, max_connections=4) as door,
        held(door, _headers(door, slow, token=None) + b"{", 4) as held_up,
    ):
        for connection in held_up:
            await connection.reader.readuntil(b"\r\n\r\n")
        assert (await _answer(door))[0] == 200
        assert (await held_up[0].ended()).endswith(b"'Authorization: Bearer TOKEN'.\n")


async def test_a_flood_of_half_sent_requests_shuts_nobody_out(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with capture_logs() as logs:
        async with (
            opened(own, capsys, header_timeout=LONG, max_connections=16) as door,
            held(door, b"POST /mcp HTTP/1.1\r\n", 300) as slow,
        ):
            assert (await _answer(door))[0] == 200
            assert [await connection.ended() for connection in slow[:284]] == [b""] * 284
            assert sum(connection.is_open for connection in slow) <= 16
    assert _refused(logs)["closed for a newer connection"] >= 284
    assert len([line for line in logs if line["event"] in _EVENTS]) == 2
    assert _faults(caplog) == []


async def test_where_every_connection_is_in_use_a_new_one_is_told_when_to_come_again(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, max_connections=2) as door:
        async with held(door, _headers(door, *_SLOW) + b"{", 2), held(door, b"") as (late,):
            answer = await late.ended()
        assert answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n")
        await _served_again(door)


async def test_calls_past_the_limit_are_told_when_to_come_again(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, max_calls=1) as door:
        async with held(door, _headers(door, *_SLOW, "Expect: 100-continue")) as (slow,):
            await slow.reader.readuntil(b" 100 ")  # it is being worked on
            status, answer = await _answer(door)
            assert (status, "retry-after: 1\r\n" in answer.lower()) == (503, True)
            assert (await _answer(door, token="wrong-token-0123456789"))[0] == 401
        await _served_again(door)


async def test_who_has_the_whole_answer_may_call_again_before_what_is_behind_it_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    load, ending, full = Load(1), asyncio.Event(), list[bool]()

    class Connection:
        def keep_open(self) -> AbstractContextManager[None]:
            return nullcontext()

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for more in (True, False):
            await send({"type": "http.response.body", "body": b".", "more_body": more})
            full.append(load.is_full)
        await ending.wait()

    async def nothing() -> Message:
        return {}

    async def sent(_message: Message) -> None:
        pass

    def connection_of(_scope: Scope) -> Connection:
        return Connection()

    monkeypatch.setattr(overload, "connection_of", connection_of)
    limit = CallLimit(app, load, RefusalLog())
    scope = {"type": "http", "method": "POST", "client": None}
    calls = [asyncio.create_task(limit(scope, nothing, sent)) for _ in range(2)]
    await asyncio.sleep(0)
    assert (full, load.running) == ([True, False] * 2, 0)
    ending.set()
    await asyncio.gather(*calls)
    assert load.running == 0


async def test_sessions_past_the_limit_are_refused_until_one_was_idle_for_long(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    with capture_logs() as logs:
        async with opened(own, capsys, max_sessions=2, session_idle_timeout=1.0) as door:
            opening = [await _answer(door) for _ in range(3)]
            assert [status for status, _ in opening] == [200, 200, 503]
            assert "retry-after: 30\r\n" in opening[2][1].lower()
            first = re.search(r"mcp-session-id: (\S+)", opening[0][1], re.IGNORECASE)
            assert first is not None
            await _served_again(door)
            assert (await _answer(door, **{"Mcp-Session-Id": first[1]}))[0] == 404
    assert _refused(logs)["too many sessions"] >= 1


async def test_refused_requests_leave_a_line_for_each_reason(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with capture_logs() as logs:
        async with opened(own, capsys) as door:
            for _ in range(20):
                assert (await _answer(door, token="wrong-token-0123456789"))[0] == 401
                assert (await _answer(door, Host="evil.example"))[0] == 421
                assert (await _answer(door, Origin="https://evil.example"))[0] == 403
                async with held(door, b"\x00\xff\x16 garbage\r\n\r\n") as (garbage,):
                    assert (await garbage.ended()).startswith(b"HTTP/1.1 400 ")
    refused = [line for line in logs if line["event"] in _EVENTS]
    assert sorted((line["status"], line.get("times", 1)) for line in refused) == [
        (status, times) for status in (400, 401, 403, 421) for times in (1, 19)
    ]
    assert {line["client"] for line in refused} == {"127.0.0.1"}
    assert {line["log_level"] for line in refused} == {"warning"}
    assert _faults(caplog) == []
    assert "Traceback" not in capsys.readouterr().err


async def test_who_only_opens_a_connection_leaves_no_line(own: OwnSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    with capture_logs() as logs:
        async with opened(own, capsys, header_timeout=SHORT) as door, held(door, b"") as (silent,):
            assert await silent.ended() == b""
    assert _refused(logs) == {}


async def test_requests_may_follow_one_another_over_the_only_connection(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with (
        opened(own, capsys, header_timeout=LONG, body_timeout=LONG, max_connections=1) as door,
        held(door, b"") as (client,),
    ):
        for _ in range(3):
            client.writer.write(_headers(door, "Content-Length: 2", _NO_SESSION) + b"{}")
            head = (await client.reader.readuntil(b"\r\n\r\n")).decode()
            length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
            assert length is not None
            await client.reader.readexactly(int(length[1]))


ROOM = """
import resource
from katana_mcp.server.mcp.open_files import allow_open_files

resource.setrlimit(resource.RLIMIT_NOFILE, (256, 1024))
print(allow_open_files(200), resource.getrlimit(resource.RLIMIT_NOFILE))
print(allow_open_files(700), resource.getrlimit(resource.RLIMIT_NOFILE))
print(allow_open_files(1025), resource.getrlimit(resource.RLIMIT_NOFILE))
"""


def test_as_many_files_as_are_needed_may_be_open_where_the_system_allows_it() -> None:
    pytest.importorskip("resource")
    done = subprocess.run([sys.executable, "-c", ROOM], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["200 (256, 1024)", "700 (700, 1024)", "1024 (1024, 1024)"]


def test_connections_that_the_system_would_not_let_it_open_stop_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def allowed(limit: int) -> int:
        return min(limit, 1_024)

    monkeypatch.setattr("katana_mcp.server.mcp.transports.allow_open_files", allowed)
    check_door(load(sandbox=True, http=True, http_token=TOKEN, max_connections=512))
    with pytest.raises(SettingsError, match=r"KATANA_MCP_MAX_CONNECTIONS .* 513 connections need 1025 open files"):
        check_door(load(sandbox=True, http=True, http_token=TOKEN, max_connections=513))
