"""What a fault can do to a request: one small class each, with a part before the commit, one after, or both."""

from __future__ import annotations

from collections.abc import Callable, Mapping  # noqa: TC003 - fields are looked at when a script is read
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, cast

from katana_sandbox.calls import Reply
from katana_sandbox.wire.encoding import Record, decode, encode
from katana_sandbox.wire.errors import Refused

if TYPE_CHECKING:
    from katana_sandbox.calls import Call
    from katana_sandbox.tenant import Tenant

type When = Literal["before", "after"]


class DroppedConnection(Exception):
    """The connection was closed without an answer."""

    def __init__(self, *, committed: bool) -> None:
        self.committed = committed
        super().__init__(f"connection dropped {'after' if committed else 'before'} the commit")


class HungConnection(Exception):
    """The connection stays open and no answer comes."""

    def __init__(self, *, committed: bool) -> None:
        self.committed = committed
        super().__init__(f"connection hangs {'after' if committed else 'before'} the commit")


class Exchange(Protocol):
    """The request that a fault has struck."""

    tenant: Tenant
    call: Call
    lag: float
    reply: Reply | None

    async def sleep(self, seconds: float) -> None:
        """Let the sandbox's clock pass."""
        ...

    def shift_clock(self, seconds: float) -> None:
        """Move the sandbox's wall clock away from the shared one."""
        ...


class Action:
    """Does nothing; the actions below override a half."""

    name = "nothing"

    async def before(self, exchange: Exchange) -> None:
        """Before the commit; setting a reply here keeps the request from being carried out."""

    async def after(self, exchange: Exchange, reply: Reply) -> None:
        """After the commit, with the reply at hand."""


class TimedAction(Action):
    """Acts once, before the commit or after it."""

    when: When

    async def before(self, exchange: Exchange) -> None:
        """Act, if it is time."""
        if self.when == "before":
            await self.act(exchange)

    async def after(self, exchange: Exchange, reply: Reply) -> None:
        """Act, if it is time."""
        if self.when == "after":
            await self.act(exchange)

    async def act(self, exchange: Exchange) -> None:
        """What it does."""


@dataclass(frozen=True)
class Status(Action):
    """Answer with a status, without carrying out the request unless `commit`.

    The body is the API's error for that status, or `text` as it stands.
    """

    status: int = 500
    text: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    commit: bool = False
    name = "status"

    async def before(self, exchange: Exchange) -> None:
        """Answer at once."""
        if not self.commit:
            exchange.reply = self._reply()

    async def after(self, exchange: Exchange, reply: Reply) -> None:
        """Answer in place of what happened."""
        if self.commit:
            exchange.reply = self._reply()

    def _reply(self) -> Reply:
        if self.text is not None:
            return Reply(self.status, self.text.encode(), {"Content-Type": "text/html", **self.headers})
        body = encode({"error": Refused(self.status).inner()})
        extra = {"Retry-After": "15"} if self.status == 429 and "Retry-After" not in self.headers else {}
        return Reply(self.status, body, {**extra, **self.headers})


@dataclass(frozen=True)
class LeaveParent(Action):
    """Fail a create of an item, and leave it without variants: once where it is refused, four times after a 500."""

    status: int = 422
    left: int = 1
    name = "leave_parent"

    async def before(self, exchange: Exchange) -> None:
        """Leave it, and answer."""
        collection = exchange.call.path.rpartition("/")[2]
        body = cast("Record", decode(exchange.call.raw_body))
        for _ in range(self.left):
            item = exchange.tenant.create(collection, {**body, "variants": [{}]})
            for variant in cast("list[Record]", item["variants"]):
                exchange.tenant.delete("variants", variant["id"], hard=True)
        exchange.reply = Reply(self.status, encode({"error": Refused(self.status).inner()}))


@dataclass(frozen=True)
class EditHeaders(Action):
    """Set and remove response headers."""

    set: Mapping[str, str] = field(default_factory=dict[str, str])
    remove: tuple[str, ...] = ()
    name = "edit_headers"

    async def after(self, exchange: Exchange, reply: Reply) -> None:
        """Edit."""
        gone = {name.lower() for name in (*self.remove, *self.set)}
        kept = {name: value for name, value in reply.headers.items() if name.lower() not in gone}
        reply.headers = {**kept, **self.set}


@dataclass(frozen=True)
class MissingHeader(Action):
    """Leave a response header out."""

    header: str = "X-Pagination"
    name = "missing_header"

    async def after(self, exchange: Exchange, reply: Reply) -> None:
        """Leave it out."""
        reply.headers = {name: value for name, value in reply.headers.items() if name.lower() != self.header.lower()}


@dataclass(frozen=True)
class EditBody(Action):
    """Change the response body: by a function of its value, by dotted path, or whole (`text`)."""

    edit: Callable[[object], object] | None = None
    set: Mapping[str, object] = field(default_factory=dict[str, object])
    text: str | None = None
    name = "edit_body"

    async def after(self, exchange: Exchange, reply: Reply) -> None:
        """Change it."""
        if self.text is not None:
            reply.body = self.text.encode()
            return
        value = decode(reply.body) if reply.body else None
        for path, replacement in self.set.items():
            _put(value, path.split("."), replacement)
        reply.body = encode(self.edit(value) if self.edit is not None else value)


@dataclass(frozen=True)
class Delay(TimedAction):
    """Let time pass before or after the commit."""

    seconds: float = 1.0
    when: When = "before"
    name = "delay"

    async def act(self, exchange: Exchange) -> None:
        """Wait."""
        await exchange.sleep(self.seconds)


@dataclass(frozen=True)
class Drop(TimedAction):
    """Close the connection without an answer, before or after the commit."""

    when: When = "before"
    name = "drop"

    async def act(self, exchange: Exchange) -> None:
        """Close."""
        raise DroppedConnection(committed=self.when == "after")


@dataclass(frozen=True)
class Hang(TimedAction):
    """Never answer, before or after the commit."""

    when: When = "before"
    name = "hang"

    async def act(self, exchange: Exchange) -> None:
        """Hang."""
        raise HungConnection(committed=self.when == "after")


@dataclass(frozen=True)
class Truncate(Action):
    """Cut the body short; its length header fits what is left, so only the JSON is broken."""

    keep: float = 0.5
    name = "truncate"

    async def after(self, exchange: Exchange, reply: Reply) -> None:
        """Cut."""
        reply.body = reply.body[: max(1, int(len(reply.body) * self.keep))]


@dataclass(frozen=True)
class EmptyPage(Action):
    """A list without rows, while its header still counts them."""

    name = "empty_page"

    async def after(self, exchange: Exchange, reply: Reply) -> None:
        """Empty it."""
        reply.body = b"[]" if reply.body.startswith(b"[") else b'{"data":[]}'


@dataclass(frozen=True)
class Drip(Action):
    """Send the body in small pieces with pauses between them."""

    size: int = 1
    seconds: float = 1.0
    name = "drip"

    async def after(self, exchange: Exchange, reply: Reply) -> None:
        """Slow it down."""
        reply.drip = (max(1, self.size), self.seconds)


@dataclass(frozen=True)
class Mutate(TimedAction):
    """Change the tenant's state just before, or just after, the request is carried out.

    Either a function of the tenant, or an edit (`fields`) or delete of one record.
    """

    change: Callable[[Tenant], object] | None = None
    collection: str = ""
    id: int | str = 0
    fields: Mapping[str, object] = field(default_factory=dict[str, object])
    delete: bool = False
    bump: bool = True
    when: When = "before"
    name = "mutate"

    async def act(self, exchange: Exchange) -> None:
        """Change it."""
        tenant = exchange.tenant
        if self.change is not None:
            self.change(tenant)
        elif self.delete:
            tenant.delete(self.collection, self.id)
        elif self.collection:
            tenant.edit(self.collection, self.id, bump=self.bump, **dict(self.fields))


@dataclass(frozen=True)
class ReplicaLag(Action):
    """Let a GET see the state of so many seconds ago."""

    seconds: float = 600.0
    name = "replica_lag"

    async def before(self, exchange: Exchange) -> None:
        """Look back."""
        exchange.lag = self.seconds


@dataclass(frozen=True)
class ClockOffset(Action):
    """Set the server's wall clock apart from the shared one, from this request on."""

    seconds: float = 0.0
    name = "clock_offset"

    async def before(self, exchange: Exchange) -> None:
        """Shift it."""
        exchange.shift_clock(self.seconds)


ACTIONS: tuple[type[Action], ...] = (
    Status,
    LeaveParent,
    EditHeaders,
    MissingHeader,
    EditBody,
    Delay,
    Drop,
    Hang,
    Truncate,
    EmptyPage,
    Drip,
    Mutate,
    ReplicaLag,
    ClockOffset,
)


def _put(value: object, path: list[str], replacement: object) -> None:
    for step in path[:-1]:
        value = _inside(value, step)
    if isinstance(value, list):
        cast("list[object]", value)[int(path[-1])] = replacement
    elif isinstance(value, dict):
        cast("Record", value)[path[-1]] = replacement


def _inside(value: object, step: str) -> object:
    if isinstance(value, list):
        items = cast("list[object]", value)
        return items[int(step)] if int(step) < len(items) else None
    return cast("Record", value).get(step) if isinstance(value, dict) else None
