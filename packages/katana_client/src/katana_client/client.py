"""`KatanaClient`: one API key, one budget, every collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from katana_client.budget import Budget, SlidingWindowBudget, prioritised
from katana_client.clock import Clock, SystemClock
from katana_client.paths import checked_base_url, checked_key
from katana_client.resources import Collections
from katana_client.sending import Answer, Patience, RequestRecord, Sender, Surroundings
from katana_client.transport import HttpWire, Route, Transport

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from types import TracebackType

    from katana_client.exchange import Call
    from katana_client.ledger import Priority

BASE_URL = "https://api.katanamrp.com/v1"


class Options(TypedDict, total=False):
    """What a client can be given besides key and base URL; each may also be None.

    Attributes:
        transport: Used instead of the network; stays the caller's to close.
        route: How the network is reached: a proxy, the system's certificates.
        budget: Shared by all who use this key; a new one in memory by default.
        clock: Where time comes from; the machine by default.
        on_request: Told of every HTTP request.
        patience: How long a call is tried again.
    """

    transport: Transport | None
    route: Route | None
    budget: Budget | None
    clock: Clock | None
    on_request: Callable[[RequestRecord], None] | None
    patience: Patience | None


class KatanaClient(Collections):
    """The Katana API behind one key: `client.variants.list()`, `client.factory.read()`, and so on.

    Args:
        api_key: From Katana, Settings > API > API keys. Trimmed; never shown.
        base_url: https, or http on a loopback address.
        **options: See `Options`.

    Raises:
        ConfigurationError: The key or the base URL cannot be used.
        TypeError: There is no such option.
    """

    def __init__(self, api_key: str, base_url: str = BASE_URL, **options: Unpack[Options]) -> None:
        unknown = options.keys() - Options.__annotations__.keys()
        if unknown:
            message = f"KatanaClient has no option {sorted(unknown)}"
            raise TypeError(message)
        self.base_url = checked_base_url(base_url)
        wire = HttpWire(checked_key(api_key), self.base_url, options.get("transport"), options.get("route"))
        clock = options.get("clock") or SystemClock()
        self.clock = clock
        self.budget: Budget = options.get("budget") or SlidingWindowBudget(clock)
        around = Surroundings(
            wire, self.budget, clock, options.get("on_request"), options.get("patience") or Patience()
        )
        self.sender = Sender(around)
        self._wire = wire

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections that this client opened."""
        await self._wire.aclose()

    async def send(self, call: Call) -> Answer:
        """Send one call that was planned before, exactly as it is.

        Raises:
            InvalidRequest: The body has no JSON form; nothing was sent.
            RequestRejected: 4xx.
            RateLimited: 429 until patience ran out.
            KatanaUnavailable: A read failed, or a write could not be sent.
            OutcomeUnknown: A write may have happened; look, never resend.
            UnexpectedResponse: Neither success nor refusal.
        """
        return await self.sender.send(call)

    @staticmethod
    def priority(priority: Priority) -> AbstractContextManager[None]:
        """Give every request made inside a `with` block this priority."""
        return prioritised(priority)
