"""A client that puts each message on the wire itself, in either protocol era, so that it can also be a wrong one."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self, cast, override

from fastmcp import FastMCP
from fastmcp.client.transports import FastMCPTransport
from fastmcp.client.transports.base import TransportOptions
from mcp import ClientSession
from mcp.client._transport import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from katana_mcp.testing import Payload, Stage

type Era = Literal["modern", "legacy"]

YES = {"action": "accept", "content": {"confirm": True}}
_INFO = {"name": "wire", "version": "1"}
_META = "io.modelcontextprotocol/"


type _Reads = ReadStream[SessionMessage | Exception]
type _Writes = WriteStream[SessionMessage]


def payload_in(result: Payload) -> Payload:
    """Return what a result on the wire holds; a refusal has it as text alone."""
    return json.loads(result["content"][0]["text"]) if result.get("isError") else result["structuredContent"]


class _Streams(ClientSession):
    """The two ends of a connection, over which nothing is said by itself."""

    def __init__(self, read_stream: _Reads, write_stream: _Writes, **_: object) -> None:
        super().__init__(read_stream, write_stream)
        self.reading, self.writing = read_stream, write_stream

    @override
    async def __aenter__(self) -> Self:
        return self

    @override
    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        """Leave the connection to who made it."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the server said: a question of `apply_plan`, or the end of a call.

    Attributes:
        tokens: of the call.
        message: as it came.
    """

    tokens: tuple[str, ...]
    message: Payload

    @property
    def is_question(self) -> bool:
        """Whether a person is to answer."""
        return "method" in self.message or self.message.get("result", {}).get("resultType") == "input_required"

    @property
    def state(self) -> str:
        """What a modern client hands back with the answer."""
        return self.message["result"]["requestState"]

    @property
    def answer(self) -> Payload:
        """What the call came to; nothing for a question, and `{"error": ...}` for a refusal by the protocol."""
        if self.is_question:
            return {}
        return payload_in(self.message["result"]) if "result" in self.message else self.message


class WireClient:
    """One connection, after its handshake."""

    def __init__(self, streams: _Streams, era: Era, *, has_person: bool) -> None:
        self.era: Era = era
        self._streams = streams
        self._can: Payload = {"elicitation": {"form": {}}} if has_person else {}
        self._number = 0
        self._passed = list[Payload]()

    async def greet(self) -> None:
        """Shake hands, where the era has that."""
        if self.era == "legacy":
            await self._request(
                "initialize", {"protocolVersion": "2025-11-25", "capabilities": self._can, "clientInfo": _INFO}
            )
            await self.receive()
            await self._send({"method": "notifications/initialized"})

    async def call(self, tokens: Sequence[str], **more: object) -> None:
        """Call `apply_plan` and wait for nothing."""
        modern: Payload = {
            f"{_META}protocolVersion": "2026-07-28",
            f"{_META}clientInfo": _INFO,
            f"{_META}clientCapabilities": self._can,
        }
        meta: Payload = {"_meta": modern} if self.era == "modern" else {}
        arguments = {"plan_tokens": list(tokens)}
        await self._request("tools/call", {"name": "apply_plan", "arguments": arguments, **meta, **more})

    async def apply(self, tokens: Sequence[str], **more: object) -> Said:
        """Call `apply_plan`; return what the server says first."""
        await self.call(tokens, **more)
        return Said(tuple(tokens), await self.receive())

    async def answer(self, asked: Said, result: object) -> None:
        """Answer a question with whatever this is, and wait for nothing."""
        if self.era == "legacy":
            await self._send({"id": asked.message["id"], "result": result})
        else:
            await self.call(asked.tokens, inputResponses={"confirm": result}, requestState=asked.state)

    async def reply(self, asked: Said, result: object) -> Said:
        """Answer a question; return what the server says to that."""
        await self.answer(asked, result)
        return Said(asked.tokens, await self.receive())

    async def fail(self, asked: Said) -> Said | None:
        """Fail to ask the person; in the modern era the server never hears of that."""
        if self.era == "modern":
            return None
        await self._send({"id": asked.message["id"], "error": {"code": -32603, "message": "the dialog broke"}})
        return Said(asked.tokens, await self.receive())

    async def receive(self) -> Payload:
        """Return the next message that is no notification."""
        while "id" not in (message := await self._next()):
            self._passed.append(message)
        return message

    async def withdrawn(self) -> object:
        """Return the id of the next question that the server needs no answer to any more."""
        while True:
            message = self._passed.pop(0) if self._passed else await self._next()
            if message.get("method") == "notifications/cancelled":
                return message["params"]["requestId"]

    async def _next(self) -> Payload:
        got = await self._streams.reading.receive()
        assert isinstance(got, SessionMessage), got
        return got.message.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def _request(self, method: str, params: Mapping[str, object]) -> None:
        self._number += 1
        await self._send({"id": self._number, "method": method, "params": params})

    async def _send(self, message: Mapping[str, object]) -> None:
        written = jsonrpc_message_adapter.validate_python({"jsonrpc": "2.0", **message})
        await self._streams.writing.send(SessionMessage(written))


def server_of(stage: Stage) -> FastMCP[Any]:
    """Return the server before which a stage's client stands, for more clients to connect to."""
    return cast("FastMCP[Any]", cast("FastMCPTransport", stage.client.transport).server)


@asynccontextmanager
async def on_the_wire(server: FastMCP[Any], era: Era, *, has_person: bool = True) -> AsyncGenerator[WireClient]:
    """Connect to a server in this process; at the end of the block the connection is gone, whatever was going on."""
    options = TransportOptions(session_class=_Streams)
    async with FastMCPTransport(server).connect_session(transport_options=options) as streams:
        client = WireClient(cast("_Streams", streams), era, has_person=has_person)
        await client.greet()
        yield client
