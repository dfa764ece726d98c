"""The sandbox on a real socket: dropped connections are really closed, hung ones really left open."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Generator
from typing import ClassVar, override
from weakref import WeakValueDictionary

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from katana_sandbox.calls import PREFIX
from katana_sandbox.faults.actions import DroppedConnection, HungConnection


class _Protocol(H11Protocol):
    """Remembers its transport by the client's address, so that the application can close it."""

    transports: ClassVar[WeakValueDictionary[tuple[str, ...], asyncio.BaseTransport]] = WeakValueDictionary()

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - as the parent declares it
        super().connection_made(transport)
        self.transports[_address(self.client, self.server)] = transport


class _SocketApp:
    """Turns the exceptions for lost connections into lost connections."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.closing = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI scope."""
        try:
            await self._app(scope, receive, send)
        except DroppedConnection:
            await _hang_up(scope, receive)
        except HungConnection:
            await self._leave_open(receive)
            await _hang_up(scope, receive)

    async def _leave_open(self, receive: Receive) -> None:
        gone = asyncio.ensure_future(_disconnected(receive))
        closing = asyncio.ensure_future(self.closing.wait())
        await asyncio.wait({gone, closing}, return_when=asyncio.FIRST_COMPLETED)
        for waiter in (gone, closing):
            waiter.cancel()
        await asyncio.gather(gone, closing, return_exceptions=True)


class _Server(uvicorn.Server):
    """A server that leaves signals to its host and says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @override
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@contextlib.asynccontextmanager
async def serve(app: ASGIApp, host: str, port: int) -> AsyncGenerator[str]:
    """Listen, give the base URL, and stop when the block ends."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    wrapped = _SocketApp(app)
    config = uvicorn.Config(
        wrapped,
        http=_Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        await server.ready.wait()
        shown = f"[{host}]" if ":" in host else host
        yield f"http://{shown}:{listener.getsockname()[1]}{PREFIX}"
    finally:
        wrapped.closing.set()
        server.should_exit = True
        await task
        listener.close()


async def _hang_up(scope: Scope, receive: Receive) -> None:
    transport = _Protocol.transports.get(_address(scope.get("client"), scope.get("server")))
    if transport is not None:
        transport.close()
    await _disconnected(receive)


async def _disconnected(receive: Receive) -> None:
    message: Message = {"type": ""}
    while message["type"] != "http.disconnect":
        message = await receive()


def _address(client: object, server: object) -> tuple[str, ...]:
    return tuple(str(part) for part in (client, server))
