"""The k-th step of an apply fails, for k = 1, 2, …, until none does: a statement of the journal, a request, a wait."""

import asyncio
import functools
import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import closing
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from tests.contract.fuses import Blow, Cancelling, Fuse, Wired, fails
from tests.nights import NIGHTS, first_step, round_of_nights
from transfer_plans import without_before

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.journal import schema
from katana_mcp.journal.entries import GONE_AFTER
from katana_mcp.journal.file import JournalFile
from katana_mcp.testing import Payload, Setup, Stage, ends, payload_of, staged, within
from katana_sandbox import DroppedConnection, Fault, ManualClock, Mutate

from .all_writes import SAGAS, WRITES
from .effects import Watched, usual_preview

pytestmark = [pytest.mark.usefixtures("hasty_journal"), pytest.mark.threads]
NEVER = 10**9
BLOWS: Mapping[str, Callable[[], Blow]] = {"fails": lambda: fails, "cancelled": Cancelling}
TOOLS = tuple(tool for tool in WRITES if tool not in SAGAS)


@pytest.fixture
def fuse(monkeypatch: pytest.MonkeyPatch) -> Fuse:
    """Return the fuse on which each statement of a journal is; it blows at no step before it is set."""
    fuse = Fuse(NEVER)
    wired = cast("type[Wired]", type("Wired", (Wired,), {"fuse": fuse}))
    connect = functools.partial(sqlite3.connect, factory=wired)
    monkeypatch.setattr(schema, "sqlite3", SimpleNamespace(connect=connect, Error=sqlite3.Error))
    return fuse


@pytest.fixture
async def kept(own: OwnSandbox, clock: ManualClock, tmp_path: Path, fuse: Fuse) -> AsyncGenerator[Stage]:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        yield stage
    fuse.left = NEVER
    _proves_ended(tmp_path, clock)


def _on_the_fuse(stage: Stage, fuse: Fuse) -> None:
    """Put each request on the fuse, before it is carried out and after."""
    for when in ("before", "after"):
        lost = DroppedConnection(committed=when == "after")
        burns = Mutate(change=lambda _, lost=lost: fuse.burn(lost), when=when)
        stage.own.sandbox.faults.add(Fault("*", action=burns, times=None))


async def _asked(stage: Stage, token: str) -> Payload:
    return payload_of(await stage.result("apply_plan", {"plan_tokens": [token]}))


async def _in_trouble(stage: Stage, clock: ManualClock, token: str, fuse: Fuse) -> None:
    """Apply while the fuse burns; whatever comes of it, it ends."""
    call = asyncio.ensure_future(_asked(stage, token))
    if isinstance(fuse.blow, Cancelling):
        # Nothing waits for time here: what a caller left behind ends by itself.
        fuse.blow.task = cast("asyncio.Task[None]", call)
        await asyncio.gather(call, return_exceptions=True)
        await ends(asyncio.get_running_loop().create_future())
    else:
        await within(clock, 300, call)


async def _step(stage: Stage, clock: ManualClock, fuse: Fuse, tool: str, step: int) -> bool:
    """Let one step of one apply fail; return whether it was met."""
    preview = await usual_preview(stage, clock, tool, f"STEP-{step}")
    token = preview["plan_token"]
    watched = Watched(stage.own.sandbox, preview["requests"])
    fuse.left = step
    _on_the_fuse(stage, fuse)
    await _in_trouble(stage, clock, token, fuse)
    met, fuse.left = fuse.left <= 0, NEVER
    stage.own.sandbox.faults.clear()
    watched.proves_at_most_once()
    sent = watched.sent
    clock.advance(GONE_AFTER.total_seconds())
    answer = await within(clock, 300, _asked(stage, token))
    if answer.get("error") == "katana_unavailable":  # what broke may hold Katana up for a while
        clock.advance(61)
        answer = await within(clock, 300, _asked(stage, token))
    assert "outcomes" in answer, answer
    watched.proves_at_most_once()
    watched.proves_true(answer["outcomes"][0])
    # What a caller left behind goes on by itself.
    assert isinstance(fuse.blow, Cancelling) or sent in ([], watched.sent), "more was sent after something had been"
    assert without_before(await within(clock, 300, _asked(stage, token))) == without_before(answer)
    return met


def _proves_ended(root: Path, clock: ManualClock) -> None:
    """Assert that the journal is whole and no plan in it is left half-way."""
    (path,) = root.glob("journal-*.sqlite")
    with closing(JournalFile(path, clock)) as file:
        assert {entry.state for entry in file.entries(200)} == {"finished"}
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def _loop(stage: Stage, clock: ManualClock, fuse: Fuse, tool: str, steps: Iterator[int]) -> None:
    step = next(steps)
    while await _step(stage, clock, fuse, tool, step):
        step = next(steps)
    assert step > 30


@pytest.mark.parametrize(("nr", "tool"), list(enumerate(TOOLS[::4])), ids=TOOLS[::4])
async def test_wherever_an_apply_breaks_it_wrote_at_most_once_and_the_next_one_tells_the_truth(
    kept: Stage, clock: ManualClock, fuse: Fuse, nr: int, tool: str
) -> None:
    # All tools are applied by the same code: together they meet a blow at every seventh step, early and late ones.
    fuse.blow = BLOWS[("fails", "cancelled")[nr % 2]]()
    await _loop(kept, clock, fuse, tool, count(1 + 7 * nr, 77))


@pytest.mark.soak
@pytest.mark.parametrize(("nr", "tool"), list(enumerate(TOOLS)), ids=TOOLS)
async def test_at_each_step_of_tonight_an_apply_that_breaks_wrote_at_most_once_and_the_next_one_tells_the_truth(
    kept: Stage, clock: ManualClock, fuse: Fuse, nr: int, tool: str
) -> None:
    fuse.blow = BLOWS[("fails", "cancelled")[(nr + round_of_nights()) % 2]]()
    await _loop(kept, clock, fuse, tool, count(1 + first_step(), NIGHTS))
