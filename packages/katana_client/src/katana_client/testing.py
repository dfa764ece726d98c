"""Fakes of this package's ports, for its own tests and for those who build on it: no network, no HTTP library."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from katana_client.budget import SlidingWindowBudget
from katana_client.clock import ManualClock
from katana_client.exchange import Reply
from katana_client.jsontext import encode
from katana_client.resources import Collections
from katana_client.sending import Sender, Surroundings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from katana_client.exchange import Call
    from katana_client.sending import RequestRecord

    type Handler = Callable[[Call], Reply]


def reply(value: object = None, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Return an answer with `value` as its JSON body; bytes are taken as they are."""
    body = value if isinstance(value, bytes) else encode(value)
    return Reply(status, headers or {}, body)


def listing(rows: Sequence[object], call: Call) -> Reply:
    """Return the page of `rows` that `call` asks for, with its `X-Pagination` header."""
    asked = dict(call.query)
    size, number = int(asked.get("limit", "50")), int(asked.get("page", "1"))
    pages = -(-len(rows) // size)
    header = {
        "total_records": str(len(rows)),
        "total_pages": str(pages),
        "offset": str((number - 1) * size),
        "page": str(number),
        "first_page": str(number == 1).lower(),
        "last_page": str(number >= pages).lower(),
    }
    data = rows[(number - 1) * size : number * size]
    return reply({"data": data}, headers={"x-pagination": json.dumps(header)})


class FakeWire:
    """A `Wire` that asks a function for each answer.

    Attributes:
        calls: Every call, in order.
        bodies: Their encoded bodies as JSON values, None where there was none.
    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self.calls: list[Call] = []
        self.bodies: list[object] = []

    async def exchange(self, call: Call, content: bytes | None) -> Reply:
        """Note the call and answer it."""
        self.calls.append(call)
        self.bodies.append(None if content is None else cast("object", json.loads(content)))
        return self._handler(call)

    async def aclose(self) -> None:
        """Do nothing."""


class FakeClient(Collections):
    """A client without HTTP, on a manual clock.

    Attributes:
        wire: Where calls end.
        clock: Its time.
        records: What `on_request` was told.
    """

    def __init__(self, handler: Handler) -> None:
        self.wire = FakeWire(handler)
        self.clock = ManualClock()
        self.records: list[RequestRecord] = []
        budget = SlidingWindowBudget(self.clock)
        self.sender = Sender(Surroundings(self.wire, budget, self.clock, self.records.append))
