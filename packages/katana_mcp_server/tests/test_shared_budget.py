"""Several processes on one key together keep to its limit, as Katana counts; people go before bulk work."""

import asyncio
import json
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import structlog
from hypothesis import example, given, settings
from hypothesis import strategies as st

from katana_client import KatanaClient, ManualClock, Priority, Quota, RateFacts, RequestRecord
from katana_client.headers import read_rate
from katana_client.transport import in_process
from katana_mcp.caches.accounts.shared_budget import SharedBudget
from katana_sandbox import Sandbox, SandboxConfig

pytestmark = pytest.mark.threads

PEOPLE, BULK = Priority.INTERACTIVE, Priority.BULK


def busiest(times: Sequence[float], window: float = 60.0) -> int:
    return max((sum(start <= other <= start + window for other in times) for start in times), default=0)


@dataclass
class Machine:
    """Several budgets on one file and one clock, as several processes would have them."""

    path: Path
    quota: Quota = field(default_factory=Quota)
    clock: ManualClock = field(default_factory=ManualClock)
    budgets: list[SharedBudget] = field(default_factory=list[SharedBudget])
    arrivals: list[float] = field(default_factory=list[float])

    def process(self) -> SharedBudget:
        self.budgets.append(SharedBudget(self.path, self.clock, self.quota))
        return self.budgets[-1]

    async def send(
        self, budget: SharedBudget, priority: Priority = PEOPLE, latency: float = 0.0, facts: RateFacts | None = None
    ) -> float:
        """Send one request, which arrives in the middle of its latency; return how long it waited."""
        asked = self.clock.monotonic()
        ticket = await budget.acquire(priority)
        waited = self.clock.monotonic() - asked
        await self.clock.sleep(latency / 2)
        self.arrivals.append(self.clock.monotonic())
        await self.clock.sleep(latency / 2)
        budget.observe(ticket, facts)
        return waited

    def close(self) -> None:
        for budget in self.budgets:
            budget.close()


@pytest.fixture
def machine(tmp_path: Path) -> Generator[Machine]:
    made = Machine(tmp_path / "budget.sqlite")
    yield made
    made.close()


async def test_three_cold_servers_on_one_key_meet_no_429_and_people_hardly_wait(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "budget.sqlite")
    sandbox = Sandbox(SandboxConfig(variants=300, orders=900), clock=machine.clock)
    waits: list[float] = []

    def client(on_request: Callable[[RequestRecord], None] | None = None) -> KatanaClient:
        return KatanaClient(
            sandbox.default_key,
            transport=in_process(sandbox.app),
            clock=machine.clock,
            budget=machine.process(),
            on_request=on_request,
        )

    async def warm_up(client: KatanaClient) -> None:
        with client.priority(BULK):
            for _ in range(60):
                await client.variants.page(1)

    async def person(client: KatanaClient) -> None:
        for _ in range(30):
            await machine.clock.sleep(6)
            await client.customers.page(1)

    cold = [client() for _ in range(3)]
    await asyncio.gather(person(client(lambda request: waits.append(request.waited))), *map(warm_up, cold))
    times = [request.seconds for request in sandbox.journal]
    assert len(times) == 210
    assert busiest(times) <= 60
    assert {request.status for request in sandbox.journal} == {200}
    assert len(waits) == 30
    assert max(waits) <= 5
    assert machine.clock.monotonic() < 361
    machine.close()


async def test_two_hundred_requests_of_four_processes_take_what_those_of_one_take(machine: Machine) -> None:
    budgets = [machine.process() for _ in range(4)]
    await asyncio.gather(*(machine.send(budgets[index % 4]) for index in range(200)))
    assert busiest(machine.arrivals) == 45
    assert machine.clock.monotonic() == pytest.approx(240, abs=3)


async def test_a_place_that_is_free_goes_to_one_process_and_in_order(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "budget.sqlite", Quota(limit=1, reserve=0))
    order: list[str] = []
    await machine.send(machine.process())

    async def named(name: str, start: float, priority: Priority = PEOPLE) -> None:
        await machine.clock.sleep(start)
        await machine.send(machine.process(), priority)
        order.append(name)

    await asyncio.gather(named("bulk", 1, BULK), named("first", 2), named("second", 3), named("third", 4))
    assert order == ["first", "second", "third", "bulk"]
    assert busiest(machine.arrivals) == 1
    machine.close()


async def test_processes_take_turns_however_many_wait_in_one_of_them(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "budget.sqlite", Quota(limit=2, reserve=0))
    crowd, single = machine.process(), machine.process()
    await asyncio.gather(*(machine.send(crowd) for _ in range(2)))
    waiting = [asyncio.create_task(machine.send(crowd)) for _ in range(20)]
    await machine.clock.sleep(1)
    assert await machine.send(single) < 61
    for task in waiting:
        task.cancel()
    machine.close()


async def test_bulk_work_of_all_processes_leaves_the_reserve(machine: Machine) -> None:
    bulk = [machine.process() for _ in range(3)]
    tasks = [asyncio.create_task(machine.send(bulk[index % 3], BULK)) for index in range(90)]
    await machine.clock.sleep(20)
    assert len(machine.arrivals) == 35
    assert max([await machine.send(machine.process()) for _ in range(10)]) == 0
    await asyncio.gather(*tasks)


async def test_a_429_that_one_process_meets_holds_back_all_and_then_one_goes_ahead(machine: Machine) -> None:
    unlucky, other = machine.process(), machine.process()
    await machine.send(unlucky, facts=RateFacts(hold=12))
    facts = RateFacts(limit=60, remaining=50, reset_in=60)
    waits = await asyncio.gather(*(machine.send(other, latency=0.2, facts=facts) for _ in range(5)))
    assert min(waits) == pytest.approx(12, abs=0.01)
    first, *others = sorted(machine.arrivals[1:])
    assert min(others) >= first + 0.1


async def test_what_is_left_of_the_servers_window_is_shared(machine: Machine) -> None:
    one, other = machine.process(), machine.process()
    await machine.send(one, facts=RateFacts(remaining=2, reset_in=40))
    waits = [await machine.send(process) for process in (other, one, other)]
    assert waits == [0, 0, pytest.approx(40, abs=0.6)]


HOSTILE = {
    "an hour ahead": {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767229200000"},
    "past": {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000000000000"},
    "negative": {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "-5"},
    "in seconds, an hour ahead": {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767229200"},
    "not a number": {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "NaN"},
    "infinite": {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "inf", "retry-after": "inf"},
    "retry after a day": {"retry-after": "86400"},
    "retry after a date": {"retry-after": "Fri, 01 Jan 2027 00:00:00 GMT"},
    "a limit of one": {"x-ratelimit-limit": "1"},
}


@pytest.mark.parametrize("status", [200, 429])
@pytest.mark.parametrize("headers", HOSTILE.values(), ids=HOSTILE)
async def test_no_header_makes_another_process_wait_longer_than_65_seconds(
    headers: dict[str, str], status: int, machine: Machine
) -> None:
    facts = read_rate(status, headers, machine.clock.now())
    await machine.send(machine.process(), facts=facts)
    assert await machine.send(machine.process()) <= 65.5


@pytest.mark.parametrize("crashed", [10, 11])
async def test_what_a_crashed_process_had_in_flight_is_free_again_after_65_seconds(
    crashed: int, tmp_path: Path
) -> None:
    machine = Machine(tmp_path / "budget.sqlite", Quota(limit=10, reserve=0))
    doomed, other = machine.process(), machine.process()
    tasks = [asyncio.create_task(machine.send(doomed, latency=1_000)) for _ in range(crashed)]
    await machine.clock.sleep(50)
    for task in tasks:
        task.cancel()
    doomed.close()
    assert 60 <= await machine.send(other) <= 65.5
    machine.close()


async def test_a_request_in_flight_for_minutes_keeps_its_place_while_its_process_lives(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "budget.sqlite", Quota(limit=1, reserve=0))
    slow = asyncio.create_task(machine.send(machine.process(), latency=110))
    await machine.clock.sleep(1)
    assert await machine.send(machine.process()) == pytest.approx(169, abs=1)
    await slow
    machine.close()


async def test_a_cancelled_wait_counts_nothing_and_blocks_nobody_for_long(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "budget.sqlite", Quota(limit=1, reserve=0))
    await machine.send(machine.process())
    waiting = asyncio.create_task(machine.send(machine.process()))
    await machine.clock.sleep(1)
    waiting.cancel()
    assert await machine.send(machine.process()) == pytest.approx(59, abs=2.5)
    machine.close()


async def test_a_machine_that_was_restarted_owes_nothing_to_the_time_before(tmp_path: Path) -> None:
    before = Machine(tmp_path / "budget.sqlite", Quota(limit=1, reserve=0))
    before.clock.advance(100_000)
    await before.send(before.process(), facts=RateFacts(hold=65, remaining=0, reset_in=65))
    before.close()
    after = Machine(tmp_path / "budget.sqlite", Quota(limit=1, reserve=0))
    assert await after.send(after.process()) == 0
    after.close()


async def test_the_file_is_its_owners_alone(machine: Machine) -> None:
    await machine.send(machine.process())
    files = list(machine.path.parent.iterdir())
    assert machine.path in files
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(machine.path.parent.stat().st_mode) == 0o700


def _blocked(path: Path) -> None:
    path.parent.chmod(0o700)
    (path.parent / "elsewhere").touch()
    path.symlink_to(path.parent / "elsewhere")


def _garbage(path: Path) -> None:
    path.write_bytes(b"not a database" * 400)


def _foreign(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("spoil", [_blocked, _garbage, _foreign])
async def test_a_file_that_cannot_serve_leaves_a_budget_of_the_process_and_one_warning(
    spoil: Callable[[Path], None], machine: Machine
) -> None:
    spoil(machine.path)
    budget = machine.process()
    with structlog.testing.capture_logs() as logs:
        await asyncio.gather(*(machine.send(budget) for _ in range(130)))
    assert busiest(machine.arrivals) == 45
    assert [log["event"] for log in logs] == ["the request budget is not shared with other processes"]


async def test_a_damaged_file_is_replaced_after_a_minute_and_what_was_sent_meanwhile_counts(machine: Machine) -> None:
    _garbage(machine.path)
    one, other = machine.process(), machine.process()
    await asyncio.gather(*(machine.send(one) for _ in range(40)))
    machine.clock.advance(59)
    await asyncio.gather(*(machine.send(one) for _ in range(20)))
    machine.clock.advance(1.1)
    await machine.send(one)
    await asyncio.gather(*(machine.send(other) for _ in range(60)))
    assert busiest(machine.arrivals[40:]) == 45


async def test_a_file_that_was_removed_is_made_anew_by_whoever_is_next_and_what_was_sent_before_counts(
    machine: Machine,
) -> None:
    one, other = machine.process(), machine.process()
    await asyncio.gather(*(machine.send(one) for _ in range(30)))
    for file in machine.path.parent.iterdir():
        file.unlink()
    await machine.send(one)
    await asyncio.gather(*(machine.send(other) for _ in range(60)))
    assert busiest(machine.arrivals) == 45


@pytest.mark.parametrize(("seconds", "tried"), [(59.999, False), (60.0, True)])
async def test_a_file_that_is_lost_is_tried_again_after_a_minute(
    machine: Machine, seconds: float, *, tried: bool
) -> None:
    budget = machine.process()
    _garbage(machine.path)
    await budget.acquire(PEOPLE)
    assert not machine.path.exists()
    machine.clock.advance(seconds)
    await budget.acquire(PEOPLE)
    assert machine.path.exists() is tried


async def test_a_process_that_stops_with_the_file_in_its_hands_holds_nobody_up(machine: Machine) -> None:
    await machine.send(machine.process())
    stopped = sqlite3.connect(machine.path, timeout=0, isolation_level=None)
    stopped.execute("BEGIN IMMEDIATE")
    budget = machine.process()
    with structlog.testing.capture_logs() as logs:
        waits = [await machine.send(budget) for _ in range(3)]
    assert 1.5 < waits[0] < 2.5
    assert waits[1:] == [0, 0]
    assert len(logs) == 1
    stopped.close()


async def test_what_was_answered_while_the_file_was_lost_counts_once(machine: Machine) -> None:
    budget = machine.process()
    ticket = await budget.acquire(PEOPLE)
    holder = sqlite3.connect(machine.path, timeout=0, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    await machine.send(budget)
    budget.observe(ticket, None)
    holder.close()
    machine.clock.advance(59)
    await machine.send(budget)
    machine.clock.advance(1.1)
    await machine.send(budget)
    with sqlite3.connect(machine.path) as connection:
        ((kept,),) = connection.execute("SELECT value FROM ledger")
    connection.close()
    ledger = json.loads(kept)
    assert (ledger["flying"], [at for at, _, _ in ledger["done"]]) == ({}, machine.arrivals[1:])


async def test_what_could_not_be_told_is_told_as_soon_as_the_file_is_free(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "budget.sqlite", Quota(limit=1, reserve=0))
    one, other = machine.process(), machine.process()
    ticket = await one.acquire(PEOPLE)
    holder = sqlite3.connect(machine.path, timeout=0, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    one.observe(ticket, RateFacts(limit=60))
    holder.close()
    await machine.clock.sleep(30)
    assert await machine.send(other) == pytest.approx(30, abs=1)
    machine.close()


async def test_a_request_that_ends_after_the_budget_was_closed_leaves_the_file_alone(machine: Machine) -> None:
    budget = machine.process()
    ticket = await budget.acquire(PEOPLE)
    budget.close()
    files = {path.name for path in machine.path.parent.iterdir()}
    budget.observe(ticket, None)
    assert await machine.send(budget) == 0
    assert {path.name for path in machine.path.parent.iterdir()} == files == {machine.path.name}


NONSENSE = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=60, deadline=None)
@given(
    st.fixed_dictionaries(
        {
            "limit": NONSENSE | st.integers(),
            "flying": NONSENSE | st.dictionaries(st.text(max_size=3), st.tuples(st.floats(), st.just(0), st.just("x"))),
            "done": NONSENSE | st.lists(st.tuples(st.floats(), st.just(1), st.just("x")), max_size=70),
            "queue": NONSENSE | st.dictionaries(st.text(max_size=3), st.tuples(st.just(0), st.floats(), st.floats())),
            "held": NONSENSE | st.tuples(st.integers(), st.floats(), st.floats()),
            "told": NONSENSE | st.tuples(st.integers(), st.floats(), st.floats()),
        }
    )
    | NONSENSE
)
@example({"limit": float("inf")})
def test_whatever_stands_in_the_file_nobody_waits_longer_than_65_seconds(content: object) -> None:
    async def run() -> float:
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(Path(folder) / "budget.sqlite")
            machine.clock.advance(1_000)
            await machine.send(machine.process())
            with sqlite3.connect(machine.path) as connection:
                connection.execute("UPDATE ledger SET value = ?", (json.dumps(content),))
            connection.close()
            waited = await machine.send(machine.process())
            machine.close()
            return waited

    assert asyncio.run(run()) <= 67


SENT = st.tuples(
    st.integers(0, 2), st.floats(0, 100), st.sampled_from(Priority), st.floats(0, 20), st.sampled_from([None, None, 3])
)


type Plan = list[tuple[int, float, Priority, float, float | None]]


async def _hold(machine: Machine, start: float) -> None:
    """Keep the file locked for a second, as a stopped process would."""
    await machine.clock.sleep(start)
    holder = sqlite3.connect(machine.path, timeout=0, isolation_level=None)
    with suppress(sqlite3.OperationalError):
        holder.execute("BEGIN IMMEDIATE")
        await machine.clock.sleep(1)
    holder.close()


async def _lived(machine: Machine, plan: Plan, crashes: dict[int, float], holds: list[float]) -> int:
    """Let three processes send as planned, kill some of them; return how many requests of the others were sent."""
    processes = [machine.process() for _ in range(3)]

    async def one(which: int, start: float, priority: Priority, latency: float, hold: float | None) -> float:
        await machine.clock.sleep(start)
        facts = RateFacts(hold=hold) if hold else RateFacts(limit=10)
        return await machine.send(processes[which], priority, latency, facts)

    tasks = {
        which: [asyncio.create_task(one(*request)) for request in plan if request[0] == which] for which in range(3)
    }

    async def crash(which: int, at: float) -> None:
        await machine.clock.sleep(at)
        for task in tasks[which]:
            task.cancel()
        processes[which].close()

    others = [task for which in tasks if which not in crashes for task in tasks[which]]
    await asyncio.gather(
        *others, *(crash(*death) for death in crashes.items()), *(_hold(machine, start) for start in holds)
    )
    machine.close()
    return len(others)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(SENT, max_size=50),
    st.dictionaries(st.integers(0, 2), st.floats(1, 100), max_size=2),
    st.lists(st.floats(1, 100), max_size=2),
)
def test_no_closed_window_holds_more_than_the_limit_whoever_crashes_or_keeps_the_file(
    plan: Plan, crashes: dict[int, float], holds: list[float]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder) / "budget.sqlite", Quota(limit=10, reserve=3))
        sent = asyncio.run(_lived(machine, plan, crashes, holds))
    assert busiest(machine.arrivals) <= 10
    assert len(machine.arrivals) >= sent
