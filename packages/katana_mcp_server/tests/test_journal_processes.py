"""Many at once and processes that are killed: one plan is claimed once, and what was begun is never sent again."""

import json
import random
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from threading import Barrier

import pytest
from journal_plans import OUTCOME, hasty, plan_of

from cache_core.clock import SystemClock
from cache_core.testing import ManualClock
from katana_mcp.journal.entries import GONE_AFTER, Broken, Claimed, Finished
from katana_mcp.journal.file import JournalFile

ASKERS = 20
CLAIMER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from cache_core.clock import SystemClock
from katana_mcp.journal.file import JournalFile

file = JournalFile(Path(sys.argv[1]), SystemClock())
print("ready", flush=True)
sys.stdin.readline()
with ThreadPoolExecutor(10) as pool:
    print(*pool.map(lambda nr: type(file.claim("token", sys.argv[2])).__name__, range(10)))
file.close()
"""
DIES = """
import sys
from pathlib import Path
from cache_core.clock import SystemClock
from katana_mcp.journal.entries import ActionState
from katana_mcp.journal.file import JournalFile

file = JournalFile(Path(sys.argv[1]), SystemClock())
runs = {token: file.claim(token, "dead").run for token in ("claimed", "sending", "done", "finished")}
for token in ("sending", "done", "finished"):
    file.sending(runs[token], 0)
for token in ("done", "finished"):
    file.done(runs[token], 0, ActionState("applied"))
file.finish(runs["finished"], {"message": "done", "total": 1})
print("ready", flush=True)
sys.stdin.readline()
"""
APPLIES = """
import os, sys
from pathlib import Path
from cache_core.clock import SystemClock
from katana_mcp.journal.entries import ActionState, Broken, Claimed
from katana_mcp.journal.file import JournalFile

file = JournalFile(Path(sys.argv[1]), SystemClock())
sent = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
print("ready", flush=True)
for nr in range(int(sys.argv[3])):
    answer = file.claim(f"token {nr}", str(os.getpid()))
    if not isinstance(answer, Claimed):
        continue
    for place in (0, 1):
        file.sending(answer.run, place)
        os.write(sent, f"{nr} {place}\\n".encode())
        file.done(answer.run, place, ActionState("applied"))
    file.finish(answer.run, {"message": "done"})
print("end", flush=True)
sys.stdin.readline()
"""


def started(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a process and wait until it is ready."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def killed(process: subprocess.Popen[str]) -> str:
    """Kill a process; return what it said since it was ready."""
    process.kill()
    said, _ = process.communicate()
    assert process.returncode == -signal.SIGKILL
    return said


@pytest.mark.parametrize("together", [True, False], ids=["one file object", "one each"])
def test_of_twenty_threads_that_claim_at_once_one_gets_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, together: bool
) -> None:
    hasty(monkeypatch)
    path, clock, barrier = tmp_path / "kept" / "journal-x.sqlite", ManualClock(), Barrier(ASKERS)
    with closing(JournalFile(path, clock)) as file:
        file.add(plan_of("token", clock))

    def asks(file: JournalFile) -> str:
        barrier.wait(10)
        return type(file.claim("token", "one")).__name__

    shared = JournalFile(path, clock)
    files = [shared if together else JournalFile(path, clock) for _ in range(ASKERS)]
    with ThreadPoolExecutor(ASKERS) as pool:
        answers = Counter(pool.map(asks, files))
    for journal in files:
        journal.close()
    assert answers == {"Claimed": 1, "Running": ASKERS - 1}


def test_threads_that_open_a_new_journal_at_once_all_keep_their_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasty(monkeypatch)
    path, clock, barrier = tmp_path / "kept" / "journal-x.sqlite", ManualClock(), Barrier(ASKERS)

    def keeps(nr: int) -> int:
        with closing(JournalFile(path, clock)) as file:
            barrier.wait(10)
            return file.add(plan_of(f"token {nr}", clock))

    with ThreadPoolExecutor(ASKERS) as pool:
        assert sorted(pool.map(keeps, range(ASKERS))) == list(range(1, ASKERS + 1))


def test_of_two_processes_that_claim_at_once_one_gets_the_plan(tmp_path: Path) -> None:
    path, clock = tmp_path / "journal-x.sqlite", SystemClock()
    with closing(JournalFile(path, clock)) as file:
        file.add(plan_of("token", clock))
        processes = [started(CLAIMER, path, name) for name in ("one", "two")]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        answers = [process.communicate()[0].split() for process in processes]
        assert Counter(answers[0] + answers[1]) == {"Claimed": 1, "Running": ASKERS - 1}
        entry = file.find("token")
    assert entry is not None
    assert entry.owner == ("one" if "Claimed" in answers[0] else "two")


def test_what_a_killed_process_had_begun_is_looked_up_and_what_it_had_not_is_claimed_again(tmp_path: Path) -> None:
    path, clock = tmp_path / "journal-x.sqlite", SystemClock()
    with closing(JournalFile(path, clock)) as file:
        for token in ("claimed", "sending", "done", "finished"):
            file.add(plan_of(token, clock))
    killed(started(DIES, path))
    later = ManualClock(clock.now() + GONE_AFTER + timedelta(seconds=1))
    with closing(JournalFile(path, later)) as file:
        assert isinstance(file.claim("claimed", "two"), Claimed)
        broken = [file.claim(token, "two") for token in ("sending", "done")]
        assert [result.sending for result in broken if isinstance(result, Broken)] == [0, None]
        assert file.claim("finished", "two") == Finished(OUTCOME)


@pytest.mark.soak
def test_processes_killed_at_any_moment_send_no_action_twice(tmp_path: Path) -> None:
    path, sent, clock = tmp_path / "journal-x.sqlite", tmp_path / "sent", SystemClock()
    plans, kills, dice = 1_000, 0, random.Random(1)
    with closing(JournalFile(path, clock)) as file:
        for nr in range(plans):
            file.add(plan_of(f"token {nr}", clock))
        said = ""
        while "end" not in said:
            process = started(APPLIES, path, sent, plans)
            try:
                said, _ = process.communicate(timeout=dice.uniform(0.05, 0.5))
            except subprocess.TimeoutExpired:
                said, kills = killed(process), kills + 1
        entries = file.entries(plans)
    lines = Counter(sent.read_text("utf-8").split("\n")[:-1])
    assert kills > 5
    assert max(lines.values()) == 1
    states = Counter(state.state for entry in entries for state in entry.actions)
    assert states["applied"] + states["sending"] >= len(lines) >= states["applied"]
    assert states["sending"] <= kills
    sys.stdout.write(f"\n{kills} kills: {json.dumps(states)}\n")
