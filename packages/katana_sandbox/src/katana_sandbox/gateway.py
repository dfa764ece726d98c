"""The HTTP door: key, budget, faults, route, rule, reply; every request is journaled."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import format_datetime

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from katana_sandbox.calls import PREFIX, Call, Reply
from katana_sandbox.clock import Clock
from katana_sandbox.courier import Courier
from katana_sandbox.faults.actions import Action
from katana_sandbox.faults.script import FaultScript
from katana_sandbox.journal import Journal, JournalEntry, below_prefix, key_digest
from katana_sandbox.ratelimit import Allowance, Budget, RateLimiter
from katana_sandbox.routing import Router
from katana_sandbox.switches import Switches
from katana_sandbox.tenant import Tenant
from katana_sandbox.wire.encoding import encode
from katana_sandbox.wire.errors import Refused, not_found

_JSON = {"Content-Type": "application/json"}
_WINDOW = 60.0


class Exchange:
    """One request on its way, as faults may touch it."""

    def __init__(self, tenant: Tenant, call: Call, clock: Clock, shift: Callable[[float], None]) -> None:
        self.tenant = tenant
        self.call = call
        self.lag = 0.0
        self.reply: Reply | None = None
        self.problem: str | None = None
        self._clock = clock
        self._shift = shift

    async def sleep(self, seconds: float) -> None:
        """Let the sandbox's clock pass."""
        await self._clock.sleep(seconds)

    def shift_clock(self, seconds: float) -> None:
        """Move the server's wall clock away from the shared one."""
        self._shift(seconds)

    def replacement(self) -> Reply | None:
        """The reply a fault has put in place of the one that was made."""
        return self.reply


class Gateway:
    """The ASGI application."""

    def __init__(self, router: Router, switches: Switches, clock: Clock) -> None:
        self.journal = Journal()
        self.courier = Courier(clock)
        self.faults = FaultScript()
        self.offset = 0.0
        self._router = router
        self._switches = switches
        self._clock = clock
        self._limiter = RateLimiter()
        self._tenants: dict[str, Tenant] = {}

    def admit(self, key: str, tenant: Tenant) -> None:
        """Let a key open the door to a tenant."""
        self._tenants[key] = tenant

    def keys(self) -> dict[str, str]:
        """The name of the tenant that each key opens."""
        return {key: tenant.name for key, tenant in self._tenants.items()}

    def now(self) -> datetime:
        """The server's wall clock."""
        return self._clock.now() + timedelta(seconds=self.offset)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI scope."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        request = Request(scope, receive)
        call = Call(request.method, request.url.path, tuple(request.query_params.multi_items()), await request.body())
        call = replace(call, fields_format=request.headers.get("x-custom-fields-format", ""))
        self.courier.base = f"{str(request.base_url).rstrip('/')}{PREFIX}"
        reply = await self._answer(call, request.headers.get("authorization", ""))
        self.courier.start()
        reply.headers.setdefault("Date", format_datetime(self.now(), usegmt=True))
        await self._send(reply, send)

    async def _answer(self, call: Call, authorization: str) -> Reply:
        key = authorization[7:].strip() if authorization[:7].lower() == "bearer " else ""
        tenant = self._tenants.get(key)
        entry = self._journaled(call, key, tenant)
        if tenant is None:
            return self._refusal(entry, Refused(401), self._full_budget())
        budget = self._limiter.spend(key, self._clock.monotonic(), self._allowance())
        if not budget.granted:
            return self._refusal(entry, Refused(429), budget)
        actions = self.faults.striking(entry)
        entry.fault = ",".join(action.name for action in actions) or None
        exchange = Exchange(tenant, call, self._clock, self._set_offset)
        reply = await self._through(exchange, actions, budget)
        entry.status = reply.status
        entry.problem = exchange.problem
        entry.headers = dict(reply.headers)
        return reply

    async def _through(self, exchange: Exchange, actions: list[Action], budget: Budget) -> Reply:
        spent_at = self._clock.now()
        for action in actions:
            await action.before(exchange)
        headers = budget.headers(spent_at + timedelta(seconds=self.offset))
        reply = exchange.reply if exchange.reply is not None else self._carry_out(exchange)
        reply.headers = {**_JSON, **headers, **reply.headers}
        for action in actions:
            exchange.reply = None
            await action.after(exchange, reply)
            replaced = exchange.replacement()
            if replaced is not None:
                reply = replaced
                reply.headers = {**_JSON, **headers, **reply.headers}
        return reply

    def _carry_out(self, exchange: Exchange) -> Reply:
        call, tenant = exchange.call, exchange.tenant
        try:
            path = below_prefix(call.path)
            found = self._router.find(call.method, path) if call.path.startswith(PREFIX + "/") else None
            if found is None:
                raise not_found()
            inner = replace(call, path=path, path_id=found.path_id)
            ctx = replace(tenant.context(), fields_format=call.fields_format)
            lag = max(exchange.lag, self._switches.number("replica_lag")) if call.method == "GET" else 0.0
            with tenant.db.undo.as_of(lag), tenant.changing():
                reply = found.route.run(ctx, found.collection, inner)
        except Refused as refusal:
            return self._error(refusal)
        except (LookupError, TypeError, ValueError, AttributeError) as problem:
            # A raw record that a rule can not digest is a server fault here as it would be there.
            exchange.problem = repr(problem)
            return self._error(Refused(500))
        return reply

    def _journaled(self, call: Call, key: str, tenant: Tenant | None) -> JournalEntry:
        entry = JournalEntry(
            method=call.method,
            path=call.path,
            query=list(call.query),
            body=call.raw_body,
            key=key_digest(key),
            tenant=tenant.name if tenant is not None else None,
            at=self.now(),
            seconds=self._clock.monotonic(),
        )
        self.journal.append(entry)
        return entry

    def _refusal(self, entry: JournalEntry, refusal: Refused, budget: Budget) -> Reply:
        reply = self._error(refusal)
        reply.headers = {**_JSON, **budget.headers(self.now())}
        entry.status = reply.status
        entry.headers = dict(reply.headers)
        return reply

    def _error(self, refusal: Refused) -> Reply:
        inner = refusal.inner()
        wrapped = self._switches.word("error_form") == "wrapped"
        return Reply(refusal.status, encode({"error": inner} if wrapped else inner))

    def _allowance(self) -> Allowance:
        return Allowance(self._switches.count("rate_limit"), _WINDOW)

    def _full_budget(self) -> Budget:
        whole = self._allowance()
        return Budget(whole.limit, whole.limit, whole.window, granted=True)

    def _set_offset(self, seconds: float) -> None:
        self.offset = seconds

    async def _send(self, reply: Reply, send: Send) -> None:
        headers = dict(reply.headers)
        if reply.status == 204:
            headers.pop("Content-Type", None)
        else:
            headers["Content-Length"] = str(len(reply.body))
        raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": reply.status, "headers": raw})
        if reply.drip is not None:
            size, seconds = reply.drip
            for start in range(0, len(reply.body), size):
                await send({"type": "http.response.body", "body": reply.body[start : start + size], "more_body": True})
                await self._clock.sleep(seconds)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        body = b"" if reply.status == 204 else reply.body
        await send({"type": "http.response.body", "body": body, "more_body": False})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
