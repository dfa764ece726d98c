"""Refused requests in the log: one line for the first of a kind, one that counts those that followed it."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import structlog
from starlette.types import Scope

_log = structlog.get_logger("katana_mcp.http")

WINDOW = 60.0
"""Seconds in which further refusals of a kind are counted."""
_CLIENTS = 32
"""Clients that are told apart for each reason in a window; those beyond are counted together."""
_OTHERS = "others"
_LONGEST = 64

type Later = Callable[[float, Callable[[], None]], object]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a client was sent away.

    Attributes:
        status: the HTTP status that it was told, or that fits where its connection was closed without a word.
        reason: what was wrong, a few words.
    """

    status: int
    reason: str


NO_HTTP = Refusal(400, "no HTTP request")
WRONG_PREFLIGHT = Refusal(400, "a page may not call so")
WRONG_TOKEN = Refusal(401, "no token, or another")
FOREIGN_ORIGIN = Refusal(403, "foreign Origin")
SLOW_HEADERS = Refusal(408, "headers not sent in time")
SLOW_BODY = Refusal(408, "body not sent in time")
SLOW_READER = Refusal(408, "answer not read in time")
FOREIGN_HOST = Refusal(421, "foreign Host")
DISPLACED = Refusal(503, "closed for a newer connection")
NO_CONNECTION_LEFT = Refusal(503, "every connection is in use")
NO_CALL_LEFT = Refusal(503, "too many calls at once")
NO_SESSION_LEFT = Refusal(503, "too many sessions")


def client_of(scope: Scope) -> str:
    """Return the address that a request came from."""
    client: tuple[str, int] | None = scope.get("client")
    return client[0] if client else "unknown"


def _call_later(seconds: float, call: Callable[[], None]) -> object:
    return asyncio.get_running_loop().call_later(seconds, call)


class RefusalLog:
    """Logs refusals by reason and client, in a bounded number of lines."""

    def __init__(self, later: Later = _call_later) -> None:
        self._later = later
        self._repeats: dict[tuple[Refusal, str], int] = {}
        self._clients: Counter[Refusal] = Counter()

    def note(self, refusal: Refusal, client: str) -> None:
        """Log this refusal, or count it where one like it was logged less than a minute ago."""
        kind = (refusal, client[:_LONGEST])
        if kind not in self._repeats and self._clients[refusal] >= _CLIENTS:
            kind = (refusal, _OTHERS)
        if kind in self._repeats:
            self._repeats[kind] += 1
            return
        self._repeats[kind] = 0
        self._clients[refusal] += 1
        _log.warning("request refused", status=refusal.status, reason=refusal.reason, client=kind[1])
        self._later(WINDOW, partial(self._end, kind))

    def close(self) -> None:
        """Log what was counted so far."""
        for kind in list(self._repeats):
            self._end(kind)

    def _end(self, kind: tuple[Refusal, str]) -> None:
        repeats = self._repeats.pop(kind, 0)
        refusal, client = kind
        self._clients[refusal] -= 1
        if repeats:
            _log.warning(
                "requests refused again", status=refusal.status, reason=refusal.reason, client=client, times=repeats
            )
