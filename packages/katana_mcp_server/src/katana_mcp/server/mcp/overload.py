"""How many calls run at once and how many sessions there are; past that it is 503, and when to try again."""

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass

from fastmcp.server.http import StarletteWithLifespan, StreamableHTTPASGIApp
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from katana_mcp.server.mcp.connections import connection_of
from katana_mcp.server.mcp.refusals import NO_CALL_LEFT, NO_SESSION_LEFT, RefusalLog, client_of

_BUSY = "Too many calls at once: try again in a second (KATANA_MCP_MAX_CALLS).\n"
_RETRY_AFTER = "Retry-After"
_SECONDS = {NO_CALL_LEFT: "1", NO_SESSION_LEFT: "30"}


@dataclass(slots=True)
class Load:
    """How many requests are worked on, of how many at most."""

    most: int
    running: int = 0

    @property
    def is_full(self) -> bool:
        """Whether one more is refused."""
        return self.running >= self.most

    def place(self) -> ExitStack:
        """Take a place; it is given back when the stack is closed."""
        self.running += 1
        stack = ExitStack()
        stack.callback(self._leave)
        return stack

    def _leave(self) -> None:
        self.running -= 1


class CallLimit:
    """Passes on at most so many requests at once.

    What a client listens to with GET does not count: it takes a connection and a session, and no work.
    """

    def __init__(self, app: ASGIApp, load: Load, refusals: RefusalLog) -> None:
        self._app = app
        self._load = load
        self._refusals = refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with 503."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["method"] == "GET":
            with connection_of(scope).keep_open():
                await self._app(scope, receive, send)
        elif self._load.is_full:
            self._refusals.note(NO_CALL_LEFT, client_of(scope))
            await PlainTextResponse(_BUSY, 503, {_RETRY_AFTER: _SECONDS[NO_CALL_LEFT]})(scope, receive, send)
        else:
            with self._load.place() as place, connection_of(scope).keep_open():
                await self._app(scope, receive, self._noted(scope, send, place))

    def _noted(self, scope: Scope, send: Send, place: ExitStack) -> Send:
        """Give the place back with the last of an answer: what is left then is no work, and the client goes on.

        Where no session can be opened, say when to try again: the session manager answers 503 then, and only then.
        """

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                place.close()
            if message["type"] == "http.response.start" and message["status"] == NO_SESSION_LEFT.status:
                self._refusals.note(NO_SESSION_LEFT, client_of(scope))
                MutableHeaders(raw=message["headers"])[_RETRY_AFTER] = _SECONDS[NO_SESSION_LEFT]
            await send(message)

        return sent


def limit_sessions(app: StarletteWithLifespan, most: int) -> None:
    """Have the app keep at most so many sessions: FastMCP makes their manager when it starts, and has no setting."""
    endpoints = (route.endpoint for route in app.routes if isinstance(route, Route))
    (endpoint,) = (candidate for candidate in endpoints if isinstance(candidate, StreamableHTTPASGIApp))
    start = app.router.lifespan_context

    @asynccontextmanager
    async def limited(served: Starlette) -> AsyncGenerator[None]:
        async with start(served):
            assert endpoint.session_manager is not None
            endpoint.session_manager.max_sessions = most
            yield

    app.router.lifespan_context = limited
