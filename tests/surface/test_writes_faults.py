"""Whatever befalls an apply, each write is sent once at most, and what is told of it is true: random runs, by seed."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from transfer_plans import without_before

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.journal.entries import GONE_AFTER, ActionState, Claimed
from katana_mcp.journal.file import JournalFile
from katana_mcp.testing import Payload, Setup, Stage, ends, paced, payload_of, staged, within
from katana_sandbox import (
    Action,
    Delay,
    Drop,
    DroppedConnection,
    EditBody,
    EmptyPage,
    Fault,
    Hang,
    HungConnection,
    ManualClock,
    Mutate,
    ReplicaLag,
    Status,
    Truncate,
)

from .all_writes import SAGAS, WRITES
from .effects import Watched, usual_preview

TROUBLES: Sequence[Action] = (
    *(Drop(when) for when in ("before", "after")),
    *(Hang(when) for when in ("before", "after")),
    *(Status(status, commit=commit) for status in (500, 502, 503, 504) for commit in (False, True)),
    *(Status(status) for status in (400, 401, 404, 422, 429)),
    Status(200, "<html>", commit=True),
    Status(302, "", commit=True),
    Truncate(),
    Truncate(0),
    EditBody(text=""),
    EditBody(text="null"),
    EditBody(text="[]"),
    EditBody(lambda body: {"data": body}),
    Delay(2, "before"),
    Delay(2, "after"),
)
"""What can befall a write."""
BLIND: Sequence[Action | None] = (
    None,
    None,
    ReplicaLag(600),
    Drop(),
    Status(401),
    Status(503),
    Truncate(),
    EmptyPage(),
)
"""What can befall the reads from then on."""
EARLY: Sequence[Action] = (Drop(), Status(401), Truncate(), Status(500))
"""What can befall a read before anything is written."""
TOOLS = tuple(tool for tool in WRITES if tool not in SAGAS)


pytestmark = [pytest.mark.usefixtures("hasty_journal"), pytest.mark.threads]


@pytest.fixture
async def kept(own: OwnSandbox, tmp_path: Path) -> AsyncGenerator[Stage]:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        yield stage


@dataclass
class Run:
    """One apply of one plan, and what befalls it."""

    stage: Stage
    clock: ManualClock
    root: Path
    random: Random
    token: str
    watched: Watched

    async def answer(self, stage: Stage | None = None) -> Payload:
        """Return what `apply_plan` says; time goes on as long as it waits."""
        return await within(self.clock, 400, _asked(stage or self.stage, self.token))

    async def waits(self) -> None:
        """Ask, and wait for the answer."""
        await self.answer()

    async def is_cancelled(self) -> None:
        """Ask, and go away at any moment."""
        call = asyncio.ensure_future(_asked(self.stage, self.token))
        await self._some_time(call)
        call.cancel()
        await self._lets_it_end()

    async def is_stopped(self) -> None:
        """Ask another server, which is stopped at any moment."""
        await paced(self.clock, self._asks_who_stops(), 0.5)
        self.clock.advance(GONE_AFTER.total_seconds())

    async def _asks_who_stops(self) -> None:
        async with staged(self.stage.own, Setup(cache_dir=self.root)) as other:
            call = asyncio.ensure_future(_asked(other, self.token))
            await asyncio.wait({call}, timeout=self.random.uniform(0, 0.05))
        await asyncio.gather(call, return_exceptions=True)

    async def is_killed(self) -> None:
        """Apply as a server does that is killed after any of its steps, before or after a request was carried out."""
        (path,) = self.root.glob("journal-*.sqlite")
        file, caller = JournalFile(path, self.clock), self.stage.own.sandbox.caller()
        claim = file.claim(self.token, "killed")
        assert isinstance(claim, Claimed)
        for step in range(self.random.randrange(3 * len(self.watched.requests) + 1)):
            place, part = divmod(step, 3)
            request = self.watched.filled(place)
            if part == 0:
                file.sending(claim.run, place)
            elif part == 1:
                try:
                    call = caller.call(request["method"], request["path"], (request.get("body") or "").encode())
                    if (await within(self.clock, 100, call)).status // 100 != 2:
                        break
                except (DroppedConnection, HungConnection):
                    break
            else:
                file.done(claim.run, place, ActionState("applied", self.watched.made.get(place, {"id": None})))
        file.close()
        self.clock.advance(GONE_AFTER.total_seconds())

    async def _lets_it_end(self) -> None:
        """Let time pass while what was begun ends, whoever waits for it."""
        for _ in range(20):
            self.clock.advance(self.clock.due() or 0)
            await ends(asyncio.get_running_loop().create_future())

    async def _some_time(self, call: asyncio.Future[Payload]) -> None:
        """Let the call come as far as chance has it."""
        for _ in range(self.random.randrange(60)):
            await asyncio.wait({call}, timeout=0.001)
            due = self.clock.due()
            if due is not None and self.random.random() < 0.1:
                self.clock.advance(due)


async def _asked(stage: Stage, token: str) -> Payload:
    return payload_of(await stage.result("apply_plan", {"plan_tokens": [token]}))


async def _run(stage: Stage, clock: ManualClock, root: Path, seed: int) -> str:
    """Apply one plan in trouble; return how it ended."""
    random, tool = Random(seed), TOOLS[seed % len(TOOLS)]
    faults = stage.own.sandbox.faults
    preview = await usual_preview(stage, clock, tool, f"RUN-{seed}")
    watched = Watched(stage.own.sandbox, preview["requests"])
    run = Run(stage, clock, root, random, preview["plan_token"], watched)
    _arm(stage, random, len(watched.requests))
    ways = (run.waits, run.waits, run.is_cancelled, run.is_killed, run.is_stopped)
    await random.choices(ways, (8, 8, 8, 4, 1))[0]()
    watched.proves_at_most_once()
    faults.clear()
    answer = await run.answer()
    watched.proves_at_most_once()
    (outcome,) = answer["outcomes"]
    watched.proves_true(outcome)
    sent = watched.sent
    again = await run.answer()
    assert without_before(again) == without_before(answer)
    assert watched.sent == sent
    return " ".join(action["state"] for action in outcome["actions"])


def _arm(stage: Stage, random: Random, writes: int) -> None:
    """Let something go wrong with one of the writes, and maybe with reads before or after it."""
    faults = stage.own.sandbox.faults
    if random.random() < 0.1:
        faults.add(Fault("GET *", random.randrange(1, 3), random.choice(EARLY), times=random.choice((1, 9))))
    blind = random.choice(BLIND)
    if blind is not None:
        darkens = Mutate(change=lambda _: faults.add(Fault("GET *", action=blind, times=random.choice((1, 9)))))
        faults.add(*(Fault(f"{method} *", action=darkens) for method in ("POST", "PATCH", "DELETE")))
    nth = random.randrange(1, writes + 1)
    trouble, times = random.choice(TROUBLES), random.choice((1, None))
    patterns = [f"{method} *" for method in ("POST", "PATCH", "DELETE")]
    faults.add(*(Fault(pattern, nth, trouble, times=times) for pattern in patterns))


@pytest.mark.parametrize("first", [pytest.param(0, id="some")])
async def test_a_write_that_went_wrong_is_never_sent_again_and_its_end_is_true(
    kept: Stage, clock: ManualClock, tmp_path: Path, first: int
) -> None:
    await _runs(kept, clock, tmp_path, range(first, first + 24))


@pytest.mark.soak
@pytest.mark.parametrize("first", range(1_000, 1_500, 50))
async def test_no_write_that_went_wrong_is_ever_sent_again_and_its_end_is_true(
    kept: Stage, clock: ManualClock, tmp_path: Path, first: int
) -> None:
    await _runs(kept, clock, tmp_path, range(first, first + 50))


async def _runs(stage: Stage, clock: ManualClock, root: Path, seeds: range) -> None:
    ends: dict[str, int] = {}
    for seed in seeds:
        try:
            ended = await _run(stage, clock, root, seed)
        except Exception as error:
            error.add_note(f"seed {seed}, {TOOLS[seed % len(TOOLS)]}")
            raise
        ends[ended] = ends.get(ended, 0) + 1
    states = {state for end in ends for state in end.split()}
    assert "applied" in states
    assert states & {"failed", "unknown"}, "which of them is up to the seeds"
