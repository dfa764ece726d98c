"""Any two plans, applied at once by two servers, request by request in any order, with a kill in between.

What Katana then holds is what one order of the two would have left, or one of them was refused with what has changed.
"""

import asyncio
import itertools
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, override

import httpx
import pytest
from applying_process import called, quiet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from journal_plans import hasty
from server_wire import live

from katana_client.transport import Transport
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import load
from katana_mcp.journal.errors import JournalBusy
from katana_mcp.journal.file import JournalFile, journal_path
from katana_mcp.journal.journal import Journal
from katana_mcp.references.services import Services
from katana_mcp.server.wiring import Environment, connected
from katana_mcp.testing import Payload, ends, within
from katana_mcp.testing.idle_loop import IdleLoop
from katana_sandbox import ManualClock, Sandbox, Tenant

pytestmark = pytest.mark.threads

type Kind = Literal[
    "order", "numbered order", "row", "notes", "renumber", "delete", "customer", "rename", "service", "sku"
]
type State = tuple[tuple[str, ...], ...]
"""Orders, customers and SKUs of services, one text each."""
type Kill = tuple[int, Literal["before", "after"]] | None
type Turns = Sequence[bool] | Literal["reads first"]
"""Whose request goes where both have one: the second's or the first's; or reads before writes, and then in turn."""

KINDS: Sequence[Kind] = (
    *("order", "numbered order", "row", "notes", "renumber", "delete", "customer", "rename", "service", "sku"),
)
NAME, NOTES, SKU = "Velo Nova", "at once", "NOVA-1"
LONGEST = 600
"""Virtual seconds for all that one server does."""


class Mortal(JournalFile):
    """The journal's file as a process has it that can be killed.

    Attributes:
        dead: whether it was.
    """

    dead = False

    @override
    def changing(self) -> Any:
        if self.dead:
            raise JournalBusy("killed")
        return super().changing()

    @override
    def reading(self) -> Any:
        if self.dead:
            raise JournalBusy("killed")
        return super().reading()


class Gate(httpx.AsyncBaseTransport):
    """Lets each request of a server through when it is its turn, once it is closed; after a kill none.

    Attributes:
        reads: whether the request that waits reads.
    """

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.closed = False
        self.kill: Kill = None
        self.killed: Callable[[], object] = bool
        self.waiting: asyncio.Future[None] | None = None
        self.reads = False
        self._passed = 0

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.closed:
            self.reads = request.method == "GET"
            self.waiting = asyncio.get_running_loop().create_future()
            await self.waiting
            self._passed += 1
        step, when = self.kill or (-1, "before")
        if self.closed and step >= 0 and self._passed > step:
            self.killed()
            if when == "after" and self._passed == step + 1:
                await self._inner.handle_async_request(request)
            raise httpx.ReadError("killed")
        return await self._inner.handle_async_request(request)

    def let_through(self) -> None:
        """Let the request through that waits."""
        waiting, self.waiting = self.waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_result(None)


@dataclass
class Server:
    """One of the two, without MCP before it."""

    services: Services
    gate: Gate
    close: Callable[[], Awaitable[None]]


@dataclass
class World:
    """A sandbox, and two servers on one journal.

    Attributes:
        numbers: of the orders that were there before.
    """

    own: OwnSandbox
    clock: ManualClock
    servers: list[Server] = field(default_factory=list[Server])
    numbers: frozenset[str] = frozenset()

    @property
    def tenant(self) -> Tenant:
        """What Katana holds."""
        return self.own.sandbox.tenant()

    def arguments(self, kind: Kind) -> tuple[str, dict[str, object]]:
        """Return the tool and the arguments of a plan of this kind."""
        tenant = self.tenant
        order = next(found for found in live(tenant, "purchase_orders") if found["status"] == "NOT_RECEIVED")
        sku = next(variant["sku"] for variant in live(tenant, "variants") if variant["sku"])
        rows = [{"sku_or_variant_id": sku, "quantity": 2, "price_per_unit": 3}]
        new: dict[str, object] = {
            "supplier_id": order["supplier_id"],
            "location_id": order["location_id"],
            "rows": rows,
        }
        highest = max(int(number.rpartition("-")[2]) for number in self.numbers)
        this: dict[str, object] = {"purchase_order_id": order["id"]}
        following = f"PO-{highest + 1}"
        service: dict[str, object] = {"type": "service", "sku": SKU}
        plans: Mapping[Kind, tuple[str, dict[str, object]]] = {
            "order": ("create_purchase_order", new),
            "numbered order": ("create_purchase_order", new | {"order_no": following}),
            "row": ("modify_purchase_order", this | {"add_rows": rows}),
            "notes": ("modify_purchase_order", this | {"additional_info": NOTES}),
            "renumber": ("modify_purchase_order", this | {"order_no": following}),
            "delete": ("delete_purchase_order", this),
            "customer": ("create_customer", {"name": NAME}),
            "rename": ("modify_customer", {"customer_id": live(tenant, "customers")[0]["id"], "name": NAME}),
            "service": ("create_item", service | {"name": NAME}),
            "sku": ("modify_item", service | {"item_id": live(tenant, "services")[0]["id"]}),
        }
        return plans[kind]

    def state(self, *, numbered: bool) -> State:
        """Return what Katana holds, without ids and times; numbers of new orders may be left out."""
        orders = [
            (
                order["order_no"] if numbered or order["order_no"] in self.numbers else "new",
                order["additional_info"],
                len(
                    [row for row in live(self.tenant, "purchase_order_rows") if row["purchase_order_id"] == order["id"]]
                ),
            )
            for order in live(self.tenant, "purchase_orders")
        ]
        customers = [customer["name"] for customer in live(self.tenant, "customers")]
        skus = [str(variant["sku"]) for service in live(self.tenant, "services") for variant in service["variants"]]
        return tuple(tuple(sorted(values)) for values in (map(str, orders), customers, skus))


async def made(directory: Path) -> World:
    clock = ManualClock(auto=False)
    own = OwnSandbox(Sandbox(clock=clock))
    own.sandbox.switches.set("rate_limit", 0)
    world = World(own, clock)
    world.numbers = frozenset(order["order_no"] for order in live(world.tenant, "purchase_orders"))
    for _ in range(2):
        gate = Gate(own.transport())
        flags = load(sandbox=True, api_key=own.api_key, cache_dir=directory, sync="lazy")
        account = connected(flags, Environment(transport=gate, clock=clock, on_request=quiet))
        services = await account.services()
        file = Mortal(journal_path(directory / services.tenant), clock)
        gate.killed = lambda file=file: setattr(file, "dead", True)
        world.servers.append(Server(services._replace(journal=Journal(file)), gate, account.close))
    return world


async def interleaved(world: World, tokens: Sequence[str], turns: Turns, kill: Kill) -> list[Payload]:
    """Apply both plans at once; where both have a request to send, the next of the turns says whose goes."""
    tasks = [
        asyncio.ensure_future(called(server.services, "apply_plan", {"plan_tokens": [token]}))
        for server, token in zip(world.servers, tokens, strict=True)
    ]
    gates, given_turns = [server.gate for server in world.servers], () if turns == "reads first" else turns
    drawn = itertools.chain(given_turns, itertools.cycle([False, True]))
    gates[0].kill = kill
    for gate in gates:
        gate.closed = True
    both = asyncio.gather(*tasks)
    while not await ends(both):
        ready = [gate for gate in gates if gate.waiting]
        if turns == "reads first":
            ready = [gate for gate in ready if gate.reads] or ready
        if ready:
            ready[-1 if len(ready) > 1 and next(drawn) else 0].let_through()
        else:
            due = world.clock.due()
            assert due is not None, "both wait for each other"
            world.clock.advance(due)
    for gate in gates:
        gate.closed = False
    return await both


NEITHER = -1

type Ended = tuple[list[Payload], State, State]
"""The answers, and what Katana holds; the second time with the numbers of new orders."""


async def ended(kinds: tuple[Kind, Kind], turns: Turns | None, kill: Kill, only: int | None = None) -> Ended:
    """Return the answers and the world; without turns one plan after the other, or only one of them."""
    with tempfile.TemporaryDirectory() as directory:
        world = await made(Path(directory))
        try:
            tokens = list[str]()
            for server, kind in zip(world.servers, kinds, strict=True):
                preview = await within(world.clock, LONGEST, called(server.services, *world.arguments(kind)))
                assert "plan_token" in preview, preview
                tokens.append(preview["plan_token"])
            world.clock.advance(61)  # the requests of the minute are free again
            if turns is not None:
                answers = await interleaved(world, tokens, turns, kill)
            else:
                answers = [
                    await within(world.clock, LONGEST, called(server.services, "apply_plan", {"plan_tokens": [token]}))
                    for nr, (server, token) in enumerate(zip(world.servers, tokens, strict=True))
                    if only in {None, nr}
                ]
            return answers, world.state(numbered=kill is None), world.state(numbered=True)
        finally:
            for server in world.servers:
                await within(world.clock, LONGEST, server.close())


@cache
def alone(first: Kind, second: Kind, only: int | None, *, numbered: bool) -> State:
    """Return what two plans leave that are applied one after the other, or the one of them."""
    kill: Kill = None if numbered else (-1, "before")
    return asyncio.run(ended((first, second), None, kill, only), loop_factory=IdleLoop)[1]


def check(kinds: tuple[Kind, Kind], turns: Turns, kill: Kill) -> None:
    """Apply two plans at once, and judge what became of them."""
    answers, state, numbered = asyncio.run(ended(kinds, turns, kill), loop_factory=IdleLoop)
    first, second = kinds
    whole = kill is None
    orders = {alone(first, second, None, numbered=whole), alone(second, first, None, numbered=whole)}
    gave_up = [nr for nr, answer in enumerate(answers) if whole and answer.get("error") == "katana_unavailable"]
    parts = {alone(first, second, 1 - nr, numbered=True) for nr in gave_up}  # it waited too long for the other one
    parts |= set[State]() if whole else {alone(first, second, nr, numbered=False) for nr in (0, 1)}
    if not whole and answers[1].get("error") == "katana_unavailable":
        parts.add(alone(first, second, NEITHER, numbered=False))  # it waited for the one that was killed, and gave up
    assert state in orders | parts, (kinds, answers)
    numbers = [row.partition(",")[0] for row in numbered[0]]
    assert len(set(numbers)) == len(numbers), "a number was given twice"
    assert len(gave_up) < len(answers)
    for nr, answer in enumerate(answers):
        if nr in gave_up or (nr == 0 and not whole):
            continue
        assert answer.get("error") in {None, "stale_plan"}, answer
        if "error" not in answer:
            assert [outcome["applied"] for outcome in answer["outcomes"]] == [1], answer


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


PAIRS = st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS))
TURNS = st.lists(st.booleans(), max_size=24)
KILLS = st.none() | st.tuples(st.integers(0, 8), st.sampled_from(("before", "after")))
HASTY = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)


@settings(max_examples=2, suppress_health_check=HASTY)
@given(kinds=PAIRS, turns=TURNS, kill=KILLS)
def test_two_plans_at_once_leave_what_one_order_of_them_leaves(
    kinds: tuple[Kind, Kind], turns: list[bool], kill: Kill
) -> None:
    check(kinds, turns, kill)


@pytest.mark.parametrize(
    "kinds",
    [
        pytest.param(("order", "order"), marks=pytest.mark.soak),
        ("row", "row"),
        pytest.param(("notes", "delete"), marks=pytest.mark.soak),
        ("renumber", "order"),
        ("service", "sku"),
    ],
)
def test_two_plans_that_collide_and_both_read_first_leave_what_one_order_of_them_leaves(
    kinds: tuple[Kind, Kind],
) -> None:
    check(kinds, "reads first", None)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@settings(max_examples=45, suppress_health_check=HASTY)
@given(kinds=PAIRS, turns=TURNS, kill=KILLS)
def test_many_pairs_of_plans_at_once_leave_what_one_order_of_them_leaves(
    kinds: tuple[Kind, Kind], turns: list[bool], kill: Kill
) -> None:
    check(kinds, turns, kill)
