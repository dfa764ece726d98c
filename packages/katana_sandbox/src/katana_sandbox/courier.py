"""Deliveries to webhooks: signed, tried again on the clock, each try in the tenant's log. Only loopback is called."""

import asyncio
import hashlib
import hmac
import http.client
import ipaddress
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from katana_sandbox.clock import Clock
from katana_sandbox.descriptor import Context
from katana_sandbox.events import Event, events_of
from katana_sandbox.store.undo import Change
from katana_sandbox.wire.encoding import Record, encode

if TYPE_CHECKING:
    from katana_sandbox.store.keys import Key

type Send = Callable[[str, Mapping[str, str], bytes], Awaitable[int | None]]
type Now = Callable[[], Context]
WEBHOOKS, LOGS = "webhooks", "webhook_logs"
_WAITS = (30.0, 120.0, 900.0)
_TIMEOUT = 10
_GOOD = range(200, 300)


def is_loopback(url: str) -> bool:
    """Whether a URL leads to this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def send_to_loopback(url: str, headers: Mapping[str, str], body: bytes) -> int | None:
    """POST to a receiver on this machine; its status, None when none came or the URL leads elsewhere."""
    return await asyncio.to_thread(_post, url, headers, body) if is_loopback(url) else None


def signature(token: str, body: bytes) -> str:
    """The value of `x-sha2-signature`: the HMAC of the raw body, in hex."""
    return hmac.new(token.encode(), body, hashlib.sha256).hexdigest()


class Courier:
    """Delivers what happened to the webhooks that subscribe to it, in no order, up to four times each."""

    def __init__(self, clock: Clock) -> None:
        self.send: Send = send_to_loopback
        self.base = ""
        self._clock = clock
        self._waiting: list[tuple[Now, Key, Event]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def note(self, now: Now, changes: Callable[[], list[Change]]) -> None:
        """Let webhooks hear of what was written; the deliveries begin with `start`."""
        ctx = now()
        hooks = [hook for hook in _live(ctx) if hook["enabled"]]
        for event in events_of(ctx, changes()) if hooks else ():
            self._waiting += [(now, hook["id"], event) for hook in hooks if event.name in hook["subscribed_events"]]

    def start(self) -> None:
        """Begin the deliveries that wait, in the running loop."""
        for now, key, event in self._waiting:
            task = asyncio.get_running_loop().create_task(self._deliver(now, key, event))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._waiting.clear()

    async def join(self) -> None:
        """Return once every delivery has succeeded or been given up."""
        self.start()
        while self._tasks:
            await asyncio.gather(*self._tasks)

    async def close(self) -> None:
        """Give up what is still to be delivered."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _deliver(self, now: Now, key: "Key", event: Event) -> None:
        for retry in range(len(_WAITS) + 1):
            if retry:
                await self._clock.sleep(_WAITS[retry - 1])
            hook = now().get(WEBHOOKS, key)
            if hook is None or not hook["enabled"]:
                return
            body = encode(_payload(hook, event, self.base))
            headers = {"Content-Type": "application/json", "x-sha2-signature": signature(hook["token"], body)}
            if retry:
                headers["X-Katana-Retry-Num"] = str(retry)
            status = await self.send(hook["url"], headers, body)
            delivered = status in _GOOD
            _log(now(), hook, event, {"status_code": status, "delivered": delivered, "retry": retry})
            if delivered:
                return
        _count_failure(now(), key)


def _payload(hook: Record, event: Event, base: str) -> Record:
    changed: Record = {"id": str(event.key), "status": event.status}
    if event.path is not None:
        changed["href"] = base + event.path
    kind = event.name.partition(".")[0]
    return {"resource_type": kind, "action": event.name, "webhook_id": hook["id"], "object": changed}


def _log(ctx: Context, hook: Record, event: Event, outcome: Record) -> None:
    ctx.insert(LOGS, {"webhook_id": hook["id"], "url": hook["url"], "event": event.name, **outcome})
    if outcome["delivered"]:
        ctx.set(WEBHOOKS, hook["id"], {"failures": 0})


def _count_failure(ctx: Context, key: "Key") -> None:
    """Switch a webhook off after so many deliveries in a row that were given up; never, unless switched."""
    hook = ctx.get(WEBHOOKS, key)
    if hook is None:
        return
    failures = hook["failures"] + 1
    most = ctx.switches.count("webhook_disable_after")
    ctx.set(WEBHOOKS, key, {"failures": failures, "enabled": not most or failures < most})


def _live(ctx: Context) -> list[Record]:
    store = ctx.db.stores[WEBHOOKS]
    return [store.record(slot) for slot in store.visible]


def _post(url: str, headers: Mapping[str, str], body: bytes) -> int | None:
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=_TIMEOUT)
    try:
        connection.request("POST", parts.path or "/", body, dict(headers))
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
