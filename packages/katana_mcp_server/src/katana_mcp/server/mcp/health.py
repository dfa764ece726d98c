"""What a load balancer or a container asks: is the server there, and does it take one more call. No token, no data."""

from collections.abc import Callable

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from katana_mcp.server.mcp.overload import Load

ALIVE, READY = "/healthz", "/readyz"
_CLOSED = {"Connection": "close", "Cache-Control": "no-store"}
"""Who has no token keeps no connection."""


class Health:
    """Answers the two questions to anybody, whatever address they were sent to, and passes on everything else."""

    def __init__(self, app: ASGIApp, load: Load, is_ready: Callable[[], bool] = lambda: True) -> None:
        self._app = app
        self._load = load
        self._is_ready = is_ready

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 200, or 503 where the server takes no further call just now, or lacks another that is required."""
        asked = scope["type"] == "http" and scope["method"] in {"GET", "HEAD"} and scope["path"] in {ALIVE, READY}
        if not asked:
            await self._app(scope, receive, send)
        elif scope["path"] == READY and self._load.is_full:
            await PlainTextResponse("busy\n", 503, {**_CLOSED, "Retry-After": "1"})(scope, receive, send)
        elif scope["path"] == READY and not self._is_ready():
            message = "a server that is required is down\n"
            await PlainTextResponse(message, 503, {**_CLOSED, "Retry-After": "30"})(scope, receive, send)
        else:
            await PlainTextResponse("ok\n", 200, _CLOSED)(scope, receive, send)
