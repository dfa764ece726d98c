"""Real processes that apply plans: where one is killed another tells the truth of it, and two write one plan once."""

import asyncio
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from applying_process import Ahead, at_work, called
from server_wire import Wire, live
from transfer_plans import without_before

from katana_mcp.journal.entries import GONE_AFTER
from katana_mcp.references.services import Services
from katana_mcp.testing import Payload
from katana_sandbox import Fault, Hang, Mutate, Sandbox, Tenant

APPLIES = Path(__file__).with_name("applying_process.py")
KILLS = 15
COUNTS = ("applied", "failed", "unknown", "not_tried")
KNOWN: Wire = {
    "comment": "old",
    "addresses": [
        {"entity_type": "billing", "line_1": "Lai 1", "zip": "01001"},
        {"entity_type": "shipping", "line_1": "Dock 1"},
    ],
}

type Process = asyncio.subprocess.Process


@dataclass(frozen=True, slots=True)
class Place:
    """A sandbox on a socket, and a process, this one, that plans and asks.

    Attributes:
        sandbox: what all processes write to.
        arguments: those that another process is given.
        services: of this one.
        clock: of this one.
    """

    sandbox: Sandbox
    arguments: tuple[str, ...]
    services: Services
    clock: Ahead

    @property
    def tenant(self) -> Tenant:
        """What Katana holds."""
        return self.sandbox.tenant()

    async def started(self, times: int = 1) -> Process:
        """Start a process that will apply a plan so often at once; it has opened the journal, and waits for a token."""
        command, pipe = (sys.executable, str(APPLIES), *self.arguments, str(times)), asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
        return process

    async def asked(self, tool: str, **arguments: object) -> Payload:
        """Return what a tool answers in this process."""
        return await called(self.services, tool, arguments)

    async def planned(self, name: str) -> str:
        """Return the token of a plan of four writes to a new customer of this name."""
        customer = self.tenant.create("customers", {**KNOWN, "name": name})["id"]
        shop, dock = (address["id"] for address in self.places(customer))
        preview = await self.asked(
            "modify_customer",
            customer_id=customer,
            comment="pays late",
            update_addresses=[{"address_id": shop, "zip": "1001"}],
            delete_address_ids=[dock],
            add_addresses=[{"entity_type": "shipping", "line_1": "Hall 3"}],
        )
        return preview["plan_token"]

    def places(self, customer: int) -> list[Wire]:
        """Return the addresses that a customer has."""
        return [address for address in live(self.tenant, "customer_addresses") if address["customer_id"] == customer]

    def shown(self, name: str) -> dict[str, int]:
        """Return how often Katana holds each write of the plan for this customer, by method and path."""
        (customer,) = (record for record in live(self.tenant, "customers") if record["name"] == name)
        places = self.places(customer["id"])
        dock = [address["line_1"] for address in places].count("Dock 1")
        return {
            "PATCH /customers": int(customer["comment"] == "pays late"),
            "PATCH /customer_addresses": [address["zip"] for address in places].count("1001"),
            "DELETE /customer_addresses": 1 - dock,
            "POST /customer_addresses": [address["line_1"] for address in places].count("Hall 3"),
        }

    def sent(self) -> Counter[tuple[str, str]]:
        """Return how often each request was sent that was no read."""
        return Counter((request.method, request.path) for request in self.sandbox.journal if request.method != "GET")


@asynccontextmanager
async def place(directory: Path) -> AsyncGenerator[Place]:
    sandbox, clock = Sandbox(), Ahead()
    sandbox.switches.set("rate_limit", 0)
    async with sandbox.serve() as url:
        key = sandbox.default_key
        async with at_work(url, key, directory, clock) as services:
            yield Place(sandbox, (url, key, str(directory)), services, clock)


async def answers_of(process: Process, token: str) -> list[Payload]:
    """Let a process begin; return the answers that it was given."""
    out, _ = await process.communicate(f"{token}\n".encode())
    return json.loads(out.splitlines()[-1])


async def is_true(at: Place, token: str, name: str) -> Payload:
    """Ask, when its owner is gone, what became of a plan; return the outcome, which is true and stays."""
    at.clock.by += GONE_AFTER
    shown, sent = at.shown(name), at.sent()
    answer = await at.asked("apply_plan", plan_tokens=[token])
    assert "outcomes" in answer, answer
    (outcome,) = answer["outcomes"]
    actions = {f"{action['method']} /{action['path'].split('/')[1]}": action["state"] for action in outcome["actions"]}
    assert set(actions) == set(shown)
    assert {count: outcome[count] for count in COUNTS} == {
        count: list(actions.values()).count(count) for count in COUNTS
    }
    if sent:
        assert at.sent() == sent, "what was begun is only looked up"
    assert set(at.sent().values()) <= {1}, "nothing at all where it was killed before the request"
    for action, state in actions.items():
        there = at.shown(name)[action]
        assert there <= 1, action
        assert state == "unknown" or there == (state == "applied"), (action, state, there)
    at.clock.by += GONE_AFTER
    assert without_before(await at.asked("apply_plan", plan_tokens=[token])) == without_before(answer)
    return outcome


async def test_of_a_process_killed_while_a_request_hangs_another_tells_what_became_of_it_and_sends_nothing(
    tmp_path: Path,
) -> None:
    async with place(tmp_path) as at:
        process, token = await asyncio.gather(at.started(), at.planned("Velo Nova"))
        path = "POST /customer_addresses"
        kill = Mutate(change=lambda _: process.kill(), when="after")
        at.sandbox.faults.add(Fault(path, action=kill), Fault(path, action=Hang("after")))
        await process.communicate(f"{token}\n".encode())
        assert process.returncode == -signal.SIGKILL
        outcome = await is_true(at, token, "Velo Nova")
        posted = next(action for action in outcome["actions"] if action["method"] == "POST")
        assert (posted["state"], posted["look_up"]["as_planned"]) == ("applied", 1)


@pytest.mark.soak
async def test_two_processes_that_apply_one_plan_twenty_times_write_once_and_are_told_the_same(tmp_path: Path) -> None:
    async with place(tmp_path) as at:
        token, *processes = await asyncio.gather(at.planned("Velo Nova"), at.started(10), at.started(10))
        one, other = await asyncio.gather(*(answers_of(process, token) for process in processes))
        assert [payload for payload in (*one, *other) if payload != one[0]] == []
        assert (len(one), len(other), one[0]["outcomes"][0]["applied"]) == (10, 10, 4)
        assert (list(at.sent().values()), set(at.shown("Velo Nova").values())) == ([1] * 4, {1})


@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_of_processes_killed_at_any_moment_others_tell_the_truth_and_no_action_is_done_twice(
    tmp_path: Path,
) -> None:
    dice, ends, killed, took = Random(31), Counter[str](), 0, 0.0
    for number in range(KILLS + 1):
        async with place(tmp_path / str(number)) as at:
            process, token = await asyncio.gather(at.started(), at.planned("Velo Nova"))
            began, applying = time.monotonic(), asyncio.ensure_future(process.communicate(f"{token}\n".encode()))
            # The first is let live, which tells how long it takes.
            await asyncio.wait({applying}, timeout=dice.uniform(0, took) if number else None)
            took = took or time.monotonic() - began
            if process.returncode is None:
                process.kill()
            await applying
            killed += process.returncode == -signal.SIGKILL
            outcome = await is_true(at, token, "Velo Nova")
            ends[" ".join(f"{outcome[count]} {count}" for count in COUNTS if outcome[count])] += 1
    sys.stdout.write(f"\n{killed} of {KILLS} killed within {took:.2f} s each: {dict(ends)}\n")
    assert killed > KILLS / 2
    assert len(ends) > 1
