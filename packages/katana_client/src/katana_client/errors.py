"""Errors, named by what the caller does next.

    KatanaError
    ├── ConfigurationError      the key or the base URL cannot be used: fix the settings
    ├── InvalidRequest          refused here, nothing was sent: fix the call
    ├── RequestRejected         4xx, Katana changed nothing: fix the request (`.status`, `.field_errors`)
    │   ├── KeyRejected         401: the API key
    │   └── NotFound            404, or an id that the listing does not know
    ├── RateLimited             429 for longer than the time budget: later (`.retry_after`)
    ├── KatanaUnavailable       a read failed, or a write that was provably not sent: later
    ├── OutcomeUnknown          a write that may have happened: look, never resend
    └── UnexpectedResponse      an answer that makes no sense here
        ├── IncompleteListing   a listing that is short, shrank or lost its header
        ├── FilterIgnored       rows that the filter asked for excludes
        └── UnclearWrite        a write answered by a redirect, a proxy's page or the like (also an OutcomeUnknown)

Every `str()` names method, path, status and Katana's own message, in less than 2 kB whatever the body was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_TEXT = 1_900
_MAX_FIELD_ERRORS_SHOWN = 10
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\s]+")


def clip(text: str, limit: int = MAX_TEXT) -> str:
    """Return `text` on one line, without control characters, at most `limit` long and 1,900 bytes.

    Where more than four times as much is given, the rest is not looked at; what is cut ends in `…`.
    """
    flat = _INVISIBLE.sub(" ", text[: 4 * limit]).strip()
    cut = flat if len(flat) <= limit and len(text) <= 4 * limit else flat[: limit - 1] + "…"
    encoded = cut.encode()
    return cut if len(encoded) <= MAX_TEXT else encoded[: MAX_TEXT - 3].decode(errors="ignore") + "…"


@dataclass(frozen=True, slots=True)
class FieldError:
    """One entry of the `details` of a refused body.

    Attributes:
        path: Where in the body, as Katana wrote it (`/ids/0` or `.city`); empty for the body itself.
        message: Katana's text.
        code: The schema keyword (`required`, `type`, `enum` …), or empty.
        info: The keyword's parameters, such as `{"missingProperty": "name"}`.
    """

    path: str
    message: str
    code: str = ""
    info: Mapping[str, object] = field(default_factory=dict[str, object])

    def __str__(self) -> str:
        named = self.info.get("missingProperty") or self.info.get("additionalProperty")
        where = f"{self.path}/{named}" if named else self.path
        allowed = self.info.get("allowedValues")
        hint = f" (allowed: {allowed})" if allowed else ""
        return clip(f"{where or 'body'}: {self.message or self.code}{hint}", 300)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What could be read from an error answer; total over any body.

    Attributes:
        status: HTTP status.
        message: Katana's message, or a stand-in taken from the body; never empty.
        name: Katana's error name such as `UnprocessableEntityError`, or empty.
        code: Katana's error code such as `VALIDATION_FAILED`, or empty.
        field_errors: The `details`, at most 100 of them.
    """

    status: int
    message: str
    name: str = ""
    code: str = ""
    field_errors: tuple[FieldError, ...] = ()


class KatanaError(Exception):
    """Anything this client raises on purpose."""


class ConfigurationError(KatanaError):
    """The API key or the base URL cannot be used; raised before anything is sent. Never shows the key."""


class InvalidRequest(KatanaError, ValueError):
    """A call that Katana has no place for, or would misread; refused here, nothing was sent."""


class CallError(KatanaError):
    """An error of one call.

    Attributes:
        method: HTTP method.
        path: Path below the base URL, without the query.
        status: HTTP status, or None when no answer came.
    """

    def __init__(self, method: str, path: str, message: str, status: int | None = None) -> None:
        shown = (
            f"{method} {clip(path, 200)}: {message}"
            if status is None
            else f"{method} {clip(path, 200)}: {status} {message}"
        )
        super().__init__(clip(shown))
        self.method = method
        self.path = path
        self.status = status


class RequestRejected(CallError):
    """Katana answered 4xx: it understood and changed nothing.

    Attributes:
        field_errors: One `FieldError` per refused field; empty for business rules.
        message: Katana's text alone.
        code: Katana's error code, or empty.
        name: Katana's error name, or empty.
    """

    def __init__(self, method: str, path: str, refusal: Refusal) -> None:
        shown = "; ".join(str(error) for error in refusal.field_errors[:_MAX_FIELD_ERRORS_SHOWN])
        more = len(refusal.field_errors) - _MAX_FIELD_ERRORS_SHOWN
        tail = f" [{shown}{f'; and {more} more' if more > 0 else ''}]" if shown else ""
        super().__init__(method, path, clip(refusal.message, 600) + tail, refusal.status)
        self.field_errors = refusal.field_errors
        self.message = refusal.message
        self.code = refusal.code
        self.name = refusal.name


class KeyRejected(RequestRejected):
    """Katana answered 401: the API key is missing, wrong or expired."""


class NotFound(RequestRejected):
    """No such record, or no such operation (404)."""


class RateLimited(CallError):
    """Still 429 after the time budget for retries.

    Attributes:
        retry_after: Seconds to wait before the next try, 0 to 65.
    """

    def __init__(self, method: str, path: str, refusal: Refusal, retry_after: float) -> None:
        super().__init__(method, path, f"{clip(refusal.message, 600)} (retry after {retry_after:g} s)", refusal.status)
        self.retry_after = retry_after


class KatanaUnavailable(CallError):
    """A read found no healthy server, or a write provably never left; the call may be made again later."""


class OutcomeUnknown(CallError):
    """A write that may have been carried out and got no usable answer. Look first; never resend blindly."""


class UnexpectedResponse(CallError):
    """An answer that is neither a success nor a refusal that this client understands."""


class UnclearWrite(OutcomeUnknown, UnexpectedResponse):
    """A write answered by a redirect, by a page that is not Katana's, or the like: it says nothing of its outcome."""


class FilterIgnored(UnexpectedResponse):
    """A listing holds rows that the filter asked for excludes: the server ignored the filter."""


class IncompleteListing(UnexpectedResponse):
    """A listing that cannot be proved complete. Pages already delivered are good; do not move a cursor.

    Attributes:
        seen: Rows read, counting from the start of the listing.
        reported: Rows that the last readable `X-Pagination` header promised, or None.
        reason: What happened.
    """

    def __init__(self, path: str, reason: str, *, seen: int, reported: int | None) -> None:
        message = "no readable total" if reported is None else f"{reported} reported"
        super().__init__("GET", path, f"incomplete listing: {reason}; {seen} rows seen, {message}")
        self.seen = seen
        self.reported = reported
        self.reason = reason
