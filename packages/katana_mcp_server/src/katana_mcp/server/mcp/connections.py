"""How long a client may take to send a request and to read its answer, and how many connections there may be at once.

uvicorn limits neither the time of headers and bodies nor the connections that it accepts. No client can be told from
another before its token is there, so when all connections are taken, the one that has been longest without a request
that was let in makes room for a new one, whatever else is sent over it.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import h11
from starlette.types import Scope
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from katana_mcp.server.mcp.refusals import (
    DISPLACED,
    NO_CONNECTION_LEFT,
    NO_HTTP,
    SLOW_BODY,
    SLOW_HEADERS,
    SLOW_READER,
    Refusal,
    RefusalLog,
)

BACKLOG = 100
"""Connections that the system keeps until they are accepted; up to so many are accepted at once."""
_UNAVAILABLE = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long clients are waited for, in seconds.

    Attributes:
        headers: from the start of a connection, or the end of an answer, to the last header of a request.
        body: from the last header to the end of the body; also for how long an answer may stay unread.
    """

    headers: float
    body: float


class ConnectionPool:
    """The connections of a server, at most so many at once."""

    def __init__(self, most: int, patience: Patience, refusals: RefusalLog) -> None:
        self._most = most
        self._open: set[LimitedProtocol] = set()
        # Without a request that was let in, in the order in which they began to be.
        self._waiting: dict[LimitedProtocol, None] = {}
        self.patience = patience
        self.refusals = refusals

    @property
    def protocol(self) -> type[asyncio.Protocol]:
        """What uvicorn makes a connection's protocol with."""
        return cast("type[asyncio.Protocol]", partial(LimitedProtocol, self))

    def admit(self, connection: "LimitedProtocol") -> bool:
        """Take a new connection in; where there is no room, for the one that has waited longest."""
        if len(self._open) >= self._most:
            longest = next(iter(self._waiting), None)
            if longest is None:
                return False
            longest.cut(DISPLACED)
        self._open.add(connection)
        self.wait_for(connection)
        return True

    def wait_for(self, connection: "LimitedProtocol") -> None:
        """Note that no request of this connection is worked on."""
        if connection in self._open:
            self._waiting[connection] = None

    def serve(self, connection: "LimitedProtocol") -> None:
        """Note that a request of this connection was let in and is worked on."""
        self._waiting.pop(connection, None)

    def leave(self, connection: "LimitedProtocol") -> None:
        """Forget a connection."""
        self._open.discard(connection)
        self._waiting.pop(connection, None)


class LimitedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 with an end to its patience."""

    def __init__(
        self,
        pool: ConnectionPool,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, {**app_state, _CONNECTION: self}, _loop)
        self._pool = pool
        self._under_way = 0
        self._reading: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None
        self._phase: tuple[object, object] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - as uvicorn has it
        """Begin, or say at once that there is no room."""
        super().connection_made(transport)
        if self._pool.admit(self):
            self._follow()
        else:
            self._note(NO_CONNECTION_LEFT)
            transport.write(_UNAVAILABLE)
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Take what the client sent."""
        if not self.transport.is_closing():
            super().data_received(data)
            self._follow()

    def on_response_complete(self) -> None:
        """Go on to the next request."""
        super().on_response_complete()
        self._follow()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self._note(NO_HTTP)
        super().send_400_response(msg)

    def pause_writing(self) -> None:
        """Wait until the client has read more of its answer, for a while."""
        super().pause_writing()
        self._writing = self.loop.call_later(self._pool.patience.body, self.cut, SLOW_READER)

    def resume_writing(self) -> None:
        """Go on with the answer."""
        super().resume_writing()
        self._writing = _cancelled(self._writing)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._forget()
        super().connection_lost(exc)

    @contextmanager
    def keep_open(self) -> Generator[None]:
        """Keep the connection, whoever else comes, while a request that was let in is worked on.

        An answer may be sent, and the next request be let in, before what is behind the first has ended.
        """
        self._under_way += 1
        self._pool.serve(self)
        try:
            yield
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._pool.wait_for(self)

    def cut(self, refusal: Refusal) -> None:
        """Close the connection without a word; one that was asked nothing is not worth a line."""
        self._forget()
        if self._began():
            self._note(refusal)
        self.transport.abort()

    def _follow(self) -> None:
        """Wait for what the client has to send next; the time does not begin anew with each byte."""
        phase = (self.cycle, self.conn.their_state)
        if phase == self._phase:
            return
        self._phase = phase
        self._reading = _cancelled(self._reading)
        if self.transport.is_closing():
            return
        if phase[1] is h11.IDLE:
            self._reading = self.loop.call_later(self._pool.patience.headers, self.cut, SLOW_HEADERS)
        elif phase[1] is h11.SEND_BODY:
            self._reading = self.loop.call_later(self._pool.patience.body, self.cut, SLOW_BODY)

    def _began(self) -> bool:
        """Whether the client sent anything that is not answered."""
        return self.conn.their_state is not h11.IDLE or bool(self.conn.trailing_data[0])

    def _note(self, refusal: Refusal) -> None:
        self._pool.refusals.note(refusal, self.client[0] if self.client else "unknown")

    def _forget(self) -> None:
        self._pool.leave(self)
        self._reading = _cancelled(self._reading)
        self._writing = _cancelled(self._writing)


_CONNECTION = "katana_mcp.connection"


def connection_of(scope: Scope) -> LimitedProtocol:
    """Return the connection over which a request came."""
    connection: LimitedProtocol = scope["state"][_CONNECTION]
    return connection


def _cancelled(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
