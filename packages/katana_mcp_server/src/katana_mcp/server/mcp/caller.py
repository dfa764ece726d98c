"""Who calls, and how: over HTTP the holder of a token, who may ask for less than the server allows, never for more."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict, Unpack

from fastmcp.server.dependencies import get_http_request
from starlette.datastructures import Headers

from cache_core.sync.patience import OnDue
from cache_core.sync.progress import OnProgress
from katana_mcp.references.services import Services
from katana_mcp.tools.asking import Confirmer

READ_ONLY = "X-Katana-Read-Only"
"""A request with this header writes nothing."""
CALLER = "katana_mcp.caller"
"""Where the door notes in the scope of a request who sent it."""
_NO = frozenset({"", "false", "0", "no", "off"})


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls.

    Attributes:
        principal: a name that tells callers apart and is no secret.
        read_only: whether this call may change nothing.
    """

    principal: str = "local"
    read_only: bool = False


_LOCAL = Caller()


class OfCall(TypedDict, total=False):
    """Services that one call has for itself; see `Services`."""

    until: float
    tell: OnProgress
    note: Callable[[str], None]
    on_due: OnDue
    person: Confirmer


def principal_of(token: str) -> str:
    """Return the name of who has this token: the same at each start, and of no use for finding the token."""
    return f"http:{hashlib.sha256(b'katana-mcp principal ' + token.encode()).hexdigest()[:8]}"


def asks_to_read_only(headers: Headers) -> bool:
    """Return whether any header says so; what is no clear no is a yes."""
    return any(value.strip().lower() not in _NO for value in headers.getlist(READ_ONLY))


def caller() -> Caller:
    """Return who sent the request that is being answered; without HTTP it is who started the server."""
    try:
        noted: Caller = get_http_request().scope[CALLER]
    except RuntimeError:
        return _LOCAL
    return noted


def for_caller(services: Services, **of_call: Unpack[OfCall]) -> Services:
    """Return the services as this caller has them, with what is of this call alone."""
    now = caller()
    lookups = services.lookups.account.of_call(now.principal)
    read_only = services.read_only or now.read_only
    return services._replace(lookups=lookups, principal=now.principal, read_only=read_only, **of_call)
