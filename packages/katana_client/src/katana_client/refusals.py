"""Error answers mapped to errors: a function of method, path, status and body, total over any bytes."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, cast

from katana_client.errors import FieldError, KeyRejected, NotFound, Refusal, RequestRejected, clip

if TYPE_CHECKING:
    from katana_client.exchange import Call, Reply

_MAX_BODY = 200_000
_MAX_DETAILS = 100
_MAX_INFO = 20
_TITLE = re.compile(r"<(title|h1)[^>]*>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,500}>")
_MESSAGE = re.compile(r'"message"\s*:\s*"((?:[^"\\]|\\.){1,700})')
_REASONS = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not found",
    412: "Precondition failed",
    422: "Unprocessable",
    429: "Too Many Requests",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
}


def read_refusal(status: int, body: bytes) -> Refusal:
    """Read any error body: wrapped in `error`, bare, HTML, text, cut off, empty, 10 MB (facts 1.3)."""
    text = body[:_MAX_BODY].decode("utf-8", errors="replace")
    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError):
        return Refusal(status, _salvaged(text) or _prose(text) or _fallback(status))
    inner = _inner(parsed)
    if inner is None:
        return Refusal(status, (clip(parsed, 600) if isinstance(parsed, str) else "") or _fallback(status))
    message = _text(inner.get("message")) or _text(inner.get("error")) or _text(inner.get("name")) or _fallback(status)
    allowed = inner.get("allowedValues")
    return Refusal(
        status=status,
        message=f"{message} (allowed: {clip(str(allowed), 300)})" if allowed else message,
        name=_text(inner.get("name")),
        code=_text(inner.get("code")),
        field_errors=_details(inner.get("details")),
    )


def rejection(call: Call, reply: Reply) -> RequestRejected:
    """Return the error for a 4xx answer."""
    refusal = read_refusal(reply.status, reply.body)
    if reply.status == 401:
        message = f"the Katana API key was refused: {refusal.message}"
        return KeyRejected(call.method, call.path, Refusal(401, message, refusal.name, refusal.code))
    kind = NotFound if reply.status == 404 else RequestRejected
    return kind(call.method, call.path, refusal)


def is_katanas_own(reply: Reply) -> bool:
    """Return whether an error answer is in the form of Katana's own errors, wrapped in `error` or bare (facts 1.3).

    A proxy or a gateway in between answers with a page, or with an object of its own making.
    """
    try:
        parsed: object = json.loads(reply.body[:_MAX_BODY]) if reply.complete else None
    except (ValueError, RecursionError):
        return False
    if not isinstance(parsed, dict):
        return False
    outer = cast("dict[str, object]", parsed)
    wrapped = outer.get("error")
    error = cast("dict[str, object]", wrapped) if isinstance(wrapped, dict) else outer
    status = error.get("statusCode", reply.status if error is wrapped else None)
    return status == reply.status and isinstance(error.get("message"), str) and not isinstance(error.get("code"), int)


def _inner(parsed: object) -> dict[str, object] | None:
    """Return the object that holds the message, from whichever envelope."""
    if isinstance(parsed, list) and parsed:
        parsed = cast("list[object]", parsed)[0]
    if not isinstance(parsed, dict):
        return None
    outer = cast("dict[str, object]", parsed)
    error = outer.get("error")
    return cast("dict[str, object]", error) if isinstance(error, dict) else outer


def _details(value: object) -> tuple[FieldError, ...]:
    entries = cast("list[object]", value) if isinstance(value, list) else [value]
    return tuple(_field_error(entry) for entry in entries[:_MAX_DETAILS] if entry not in (None, "", {}))


def _field_error(entry: object) -> FieldError:
    if not isinstance(entry, dict):
        return FieldError(path="", message=clip(str(entry), 300))
    values = cast("dict[str, object]", entry)
    info = values.get("info")
    kept = list(cast("dict[str, object]", info).items())[:_MAX_INFO] if isinstance(info, dict) else []
    return FieldError(
        path=_text(values.get("path")),
        message=_text(values.get("message")),
        code=_text(values.get("code")),
        info=dict(kept),
    )


def _text(value: object) -> str:
    return clip(str(value), 600) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _salvaged(text: str) -> str:
    """Return the message of a JSON body that was cut off."""
    found = _MESSAGE.search(text) if text.lstrip().startswith("{") else None
    return clip(found[1].replace('\\"', '"').replace("\\\\", "\\"), 600) if found else ""


def _prose(text: str) -> str:
    """Return what a person would read of an HTML page or of plain text."""
    if not text.lstrip().startswith("<"):
        return clip(text, 300)
    titles = [clip(html.unescape(_TAG.sub(" ", found[1])), 200) for found in _TITLE.findall(text[:20_000])[:2]]
    return clip(" / ".join(dict.fromkeys(titles)) or _TAG.sub(" ", text[:5_000]), 300)


def _fallback(status: int) -> str:
    return _REASONS.get(status, "no message in the answer")
