"""`katana-mcp call` stopped with Ctrl-C or SIGTERM: one line says what is known, and the exit code says by what."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from journal_plans import plan_of

from cache_core.clock import SystemClock
from katana_mcp.commands.stopped import known
from katana_mcp.configuration.settings import Settings
from katana_mcp.journal.entries import ActionState, Claimed, Progress, Resumed
from katana_mcp.journal.file import JournalFile, journal_path
from katana_mcp.server.wiring import Environment, cache_directory
from katana_mcp.writing.applying import OWNER
from katana_sandbox import Delay, Fault, Hang, Sandbox

UNCHANGED = "katana-mcp: stopped; nothing was changed in Katana\n"
APPLIED = "katana-mcp: stopped; the plan was applied: katana-mcp journal show 1 tells what was sent\n"
IN_DOUBT = (
    "katana-mcp: stopped; a change may have been sent: katana-mcp journal show 1 tells how far it came, "
    "katana-mcp journal reconcile looks in Katana\n"
)
READ, WRITE = "GET /variants", "POST /customers"

type Process = asyncio.subprocess.Process


@asynccontextmanager
async def calling(url: str, home: Path, *words: str) -> AsyncGenerator[Process]:
    """Run `katana-mcp call` as a process of its own on a sandbox that is served."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "KATANA_CACHE_DIR": str(home / "kept")}
    environment |= {"KATANA_SANDBOX": "1", "KATANA_BASE_URL": url, "KATANA_API_KEY": "sandbox-key"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "katana_mcp", "call", *words),
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def begun(sandbox: Sandbox, process: Process, line: str) -> None:
    """Wait until the sandbox has got such a request."""
    while not sandbox.requests(*line.split()):
        assert process.returncode is None
        await asyncio.sleep(0.02)


async def ended(process: Process) -> tuple[int | None, str, str]:
    """Return how a process ended, and what it wrote."""
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def previewed(url: str, home: Path) -> str:
    """Return the token of a plan of one new customer."""
    async with calling(url, home, "create_customer", "name=Zed") as process:
        _, out, err = await ended(process)
    assert err == ""
    return json.loads(out)["plan_token"]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
async def test_a_read_that_is_stopped_has_changed_nothing(tmp_path: Path, stop: signal.Signals) -> None:
    sandbox = Sandbox()
    sandbox.faults.add(Fault(READ, action=Hang("before"), times=None))
    async with sandbox.serve() as url, calling(url, tmp_path, "search_items", "query=fork") as process:
        await begun(sandbox, process, READ)
        process.send_signal(stop)
        assert await ended(process) == (128 + stop, "", UNCHANGED)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
async def test_a_plan_that_is_stopped_ends_first_and_is_named(tmp_path: Path, stop: signal.Signals) -> None:
    sandbox = Sandbox()
    async with sandbox.serve() as url:
        token = await previewed(url, tmp_path)
        sandbox.faults.add(Fault(WRITE, action=Delay(1.0, "after")))
        async with calling(url, tmp_path, "apply_plan", f"plan_tokens={token}") as process:
            await begun(sandbox, process, WRITE)
            process.send_signal(stop)
            assert await ended(process) == (128 + stop, "", APPLIED)
    assert [row["name"] for row in sandbox.tenant().all("customers")].count("Zed") == 1


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
async def test_a_plan_that_is_stopped_twice_is_left_and_in_doubt(tmp_path: Path, stop: signal.Signals) -> None:
    sandbox = Sandbox()
    async with sandbox.serve() as url:
        token = await previewed(url, tmp_path)
        sandbox.faults.add(Fault(WRITE, action=Hang("after"), times=None))
        async with calling(url, tmp_path, "apply_plan", f"plan_tokens={token}") as process:
            await begun(sandbox, process, WRITE)
            process.send_signal(stop)
            await asyncio.sleep(0.5)
            process.send_signal(signal.SIGINT)
            assert await ended(process) == (128 + stop, "", IN_DOUBT)


SINCE = datetime.now(UTC) - timedelta(minutes=1)


def claimed_here(directory: Path) -> tuple[Settings, JournalFile, Claimed]:
    """Return the journal of an account of which this process has claimed a plan of two actions."""
    settings = Settings(_env_file=None, KATANA_API_KEY="a-key", KATANA_CACHE_DIR=str(directory))  # pyright: ignore[reportCallIssue] - pydantic-settings takes it
    home = cache_directory(settings, Environment())
    assert home is not None
    file = JournalFile(journal_path(home), SystemClock())
    file.add(plan_of("token", file.clock))
    claim = file.claim("token", OWNER)
    assert isinstance(claim, Claimed)
    return settings, file, claim


def test_without_a_journal_and_for_what_cannot_write_nothing_was_changed(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, KATANA_API_KEY="a-key", KATANA_CACHE_DIR=str(tmp_path))  # pyright: ignore[reportCallIssue] - as above
    assert known(settings, "apply_plan", SINCE) == "nothing was changed in Katana"
    assert list(tmp_path.iterdir()) == []
    settings, file, claim = claimed_here(tmp_path)
    file.sending(claim.run, 0)
    assert known(settings, "create_customer", SINCE) == "nothing was changed in Katana"


@pytest.mark.parametrize("states", [(), ("applied",), ("applied", "failed"), ("applied", "sending")])
def test_a_plan_that_was_begun_is_in_doubt_until_all_of_it_is_applied(
    tmp_path: Path, states: tuple[Progress, ...]
) -> None:
    settings, file, claim = claimed_here(tmp_path)
    assert known(settings, "apply_plan", SINCE) == "nothing was changed in Katana"
    for place, state in enumerate(states):
        file.sending(claim.run, place)
        if state != "sending":
            file.done(claim.run, place, ActionState(state))
    message = known(settings, "apply_plan", SINCE)
    assert message == ("nothing was changed in Katana" if not states else IN_DOUBT[21:-1])


def test_a_plan_that_was_applied_whole_is_said_to_be_and_one_of_an_earlier_call_is_not_meant(tmp_path: Path) -> None:
    settings, file, claim = claimed_here(tmp_path)
    for place in range(2):
        file.sending(claim.run, place)
        file.done(claim.run, place, ActionState("applied"))
    file.finish(claim.run, {})
    assert known(settings, "apply_plan", SINCE) == APPLIED[21:-1]
    assert known(settings, "apply_plan", datetime.now(UTC)) == "nothing was changed in Katana"
    file.add(plan_of("another", file.clock))
    other = file.claim("another", OWNER)
    assert isinstance(other, Claimed)
    file.sending(other.run, 0)
    assert known(settings, "apply_plan", SINCE) == IN_DOUBT[21:-1].replace("show 1", "list")
    (file.path).write_bytes(b"no journal" * 999)
    assert known(settings, "apply_plan", SINCE).startswith("a change may have been sent: the journal of writes")


def test_a_correction_that_went_on_is_in_doubt_however_many_plans_were_made_since(tmp_path: Path) -> None:
    settings, file, claim = claimed_here(tmp_path)
    file.sending(claim.run, 0)
    file.done(claim.run, 0, ActionState("applied"))
    file.finish(claim.run, {})
    for number in range(250):
        file.add(plan_of(f"later {number}", file.clock))
    resumed = file.claim("token", OWNER, resumes=True)
    assert isinstance(resumed, Resumed)
    file.sending(resumed.run, 1)
    assert known(settings, "apply_plan", SINCE) == IN_DOUBT[21:-1]
