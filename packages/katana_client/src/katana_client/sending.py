"""Sending with retries. What is retried follows from each exchange alone, never from shared state.

429                     any method: the server did nothing
not sent (no connect)   any method
5xx, 408, lost answer   GET only; a write raises `OutcomeUnknown` and is never sent again
4xx, not Katana's own   GET: refused; a write raises `OutcomeUnknown`: a proxy does not know what Katana did
2xx, unreadable body    GET is read again; a write has succeeded
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Literal

from katana_client.budget import current_priority
from katana_client.errors import (
    CallError,
    KatanaUnavailable,
    OutcomeUnknown,
    RateLimited,
    UnclearWrite,
    UnexpectedResponse,
)
from katana_client.exchange import ExchangeFailed
from katana_client.headers import read_rate
from katana_client.jsontext import UNREADABLE, decode, encode
from katana_client.refusals import is_katanas_own, read_refusal, rejection

if TYPE_CHECKING:
    from collections.abc import Callable

    from katana_client.budget import Budget
    from katana_client.clock import Clock
    from katana_client.exchange import Call, Method, Reply, Wire

log = logging.getLogger("katana_client")

type Outcome = Literal["answered", "unreadable", "not_sent", "no_answer", "unknown"]
"""`unknown` is a write that may have happened; `no_answer` a read that got none, `unreadable` one that got no JSON."""


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One HTTP request as it went; holds neither key, query nor body.

    Attributes:
        method: HTTP method.
        path: Path below the base URL, without the query.
        status: HTTP status, or None when none arrived.
        attempt: 1 for the first try.
        waited: Seconds spent waiting for the budget before this request.
        duration: Seconds from sending to the end of the answer.
        outcome: Whether an answer came; `unknown` also when a write was cancelled under way.
    """

    method: Method
    path: str
    status: int | None
    attempt: int
    waited: float
    duration: float
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a call is tried again.

    Attributes:
        tries: Requests per call at most.
        seconds: All pauses between the tries of a call together; waiting for the budget is not counted.
        backoff: Seconds before the first retry when Katana names none; doubled each time.
    """

    tries: int = 5
    seconds: float = 150.0
    backoff: float = 1.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A success.

    Attributes:
        reply: The HTTP answer.
        value: Its JSON value, or `UNREADABLE`; of a write, an unreadable body is still a success.
    """

    reply: Reply
    value: object

    @property
    def readable(self) -> bool:
        """Whether the body could be understood."""
        return self.value is not UNREADABLE


@dataclass(frozen=True, slots=True)
class _Fault:
    error: CallError
    retry: bool = False
    hold: float | None = None
    """Seconds that Katana asked for; None when it named none."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What sending needs from outside.

    Attributes:
        wire: The port to HTTP.
        budget: Permission to send.
        clock: Time.
        on_request: Told of every request; its exceptions are logged and dropped.
        patience: How long a call is tried again.
    """

    wire: Wire
    budget: Budget
    clock: Clock
    on_request: Callable[[RequestRecord], None] | None = None
    patience: Patience = Patience()


class Sender:
    """Sends calls, one request at a time per call.

    Args:
        around: What sending needs from outside.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    async def send(self, call: Call) -> Answer:
        """Send `call` and return its success.

        Raises:
            InvalidRequest: The body has no JSON form; nothing was sent.
            RequestRejected: 4xx; of a write, in the form of Katana's own errors.
            RateLimited: 429 until patience ran out.
            KatanaUnavailable: A read failed, or a write could not be sent, until patience ran out.
            OutcomeUnknown: A write may have happened.
            UnexpectedResponse: Neither success nor refusal.
        """
        content = None if call.body is None else encode(call.body)
        patience = self._around.patience
        paused = 0.0
        for attempt in count(1):
            result = await self._attempt(call, content, attempt)
            if isinstance(result, Answer):
                return result
            pause = patience.backoff * 2 ** (attempt - 1) if result.hold is None else result.hold
            paused += pause
            if not result.retry or attempt >= patience.tries or paused > patience.seconds:
                raise result.error
            await self._around.clock.sleep(pause)
        raise AssertionError

    async def _attempt(self, call: Call, content: bytes | None, attempt: int) -> Answer | _Fault:
        clock = self._around.clock
        asked = clock.monotonic()
        ticket = await self._around.budget.acquire(current_priority())
        sent = clock.monotonic()
        status: int | None = None
        outcome: Outcome = "unknown" if call.writes else "no_answer"
        facts = None
        try:
            reply = await self._around.wire.exchange(call, content)
            facts = read_rate(reply.status, reply.headers, clock.now())
            status, outcome = reply.status, "answered"
            result = judge(call, reply, facts.hold)
            if isinstance(result, _Fault) and reply.status < 300:
                outcome = "unreadable"
            return result
        except ExchangeFailed as failure:
            outcome = outcome if failure.sent else "not_sent"
            return judge_failure(call, failure)
        except asyncio.CancelledError:
            log.debug("%s %s: cancelled under way, outcome %s", call.method, call.path, outcome)
            raise
        finally:
            self._around.budget.observe(ticket, facts)
            duration = clock.monotonic() - sent
            self._tell(RequestRecord(call.method, call.path, status, attempt, sent - asked, duration, outcome))

    def _tell(self, record: RequestRecord) -> None:
        log.debug("%s %s: %s, try %d", record.method, record.path, record.status or record.outcome, record.attempt)
        if self._around.on_request is None:
            return
        try:
            self._around.on_request(record)
        except Exception:
            log.warning("on_request failed for %s %s", record.method, record.path, exc_info=True)


def judge(call: Call, reply: Reply, hold: float) -> Answer | _Fault:
    """Decide what an answer means for this call.

    Args:
        call: What was sent.
        reply: What came back.
        hold: Seconds that a 429 asked for; 0 when it named none.
    """
    if 200 <= reply.status < 300:
        return _success(call, reply)
    if reply.status == 429:
        error = RateLimited(call.method, call.path, read_refusal(429, reply.body), hold)
        return _Fault(error, retry=True, hold=hold or None)
    if reply.status >= 500 or reply.status == 408:
        return _broken(call, read_refusal(reply.status, reply.body).message, reply.status)
    if reply.status >= 400:
        return _Fault(rejection(call, reply) if not call.writes or is_katanas_own(reply) else _foreign(call, reply))
    kind = UnclearWrite if call.writes else UnexpectedResponse
    return _Fault(
        kind(
            call.method,
            call.path,
            "an answer that is neither success nor refusal; not followed",
            reply.status,
        )
    )


def judge_failure(call: Call, failure: ExchangeFailed) -> _Fault:
    """Decide what a missing answer means for this call."""
    if failure.sent:
        return _broken(call, failure.reason, None)
    return _Fault(KatanaUnavailable(call.method, call.path, f"not sent: {failure.reason}"), retry=True)


def _broken(call: Call, reason: str, status: int | None) -> _Fault:
    if call.writes:
        return _Fault(OutcomeUnknown(call.method, call.path, f"the outcome is unknown: {reason}", status))
    return _Fault(KatanaUnavailable(call.method, call.path, reason, status), retry=True)


def _foreign(call: Call, reply: Reply) -> UnclearWrite:
    message = read_refusal(reply.status, reply.body).message
    return UnclearWrite(
        call.method, call.path, f"the outcome is unknown, the answer is not in Katana's form: {message}", reply.status
    )


def _success(call: Call, reply: Reply) -> Answer | _Fault:
    value = decode(reply.body) if reply.complete else UNREADABLE
    if value is UNREADABLE and not call.writes:
        what = "the body is not JSON" if reply.complete else "the body broke off"
        return _Fault(UnexpectedResponse(call.method, call.path, what, reply.status), retry=True)
    return Answer(reply, value)
