"""Scenarios and state files on the command line and in code."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from katana_sandbox import DroppedConnection, ManualClock, Sandbox, SandboxConfig, parse_faults
from katana_sandbox.scenarios import SCENARIOS


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from katana_sandbox.cli import main; main()", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def served(*words: str) -> dict[str, dict[str, int]]:
    """What a server announces before it is stopped."""
    command = [sys.executable, "-c", "from katana_sandbox.cli import main; main()", "serve", "--json", "--port", "0"]
    with subprocess.Popen([*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    return json.loads(line)


def started(name: str) -> Sandbox:
    return Sandbox(SandboxConfig(scenario=name), clock=ManualClock())


def test_scenarios_are_listed() -> None:
    lines = run("scenarios").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["empty", "demo", "month-end", "chaos"]
    assert len(lines) == len(SCENARIOS)


def test_the_demo_is_what_one_gets_unasked() -> None:
    plain = Sandbox(clock=ManualClock())
    assert list(started("demo").tenant().all("sales_orders")) == list(plain.tenant().all("sales_orders"))
    assert (len(plain.faults), plain.clock_offset) == (0, 0)


def test_empty_has_settings_only() -> None:
    tenant = started("empty").tenant()
    assert (tenant.count("locations"), tenant.count("variants"), tenant.count("manufacturing_orders")) == (3, 0, 0)


async def test_month_end_is_larger_and_its_books_are_closed() -> None:
    sandbox = started("month-end")
    tenant = sandbox.tenant()
    assert tenant.count("sales_orders") == 400
    assert tenant.get("factory")["inventory_closing_date"] == "2026-03-01T00:00:00.000Z"
    order = next(row for row in tenant.all("manufacturing_orders") if row["status"] == "NOT_STARTED")
    body = {"manufacturing_order_id": order["id"], "completed_quantity": 1, "completed_date": "2026-02-27T09:00:00Z"}
    refused = await sandbox.caller().post("/manufacturing_order_productions", body)
    assert (refused.status, "closing date" in refused.error["message"]) == (422, True)


async def test_chaos_strikes_but_lets_most_requests_through() -> None:
    sandbox = Sandbox(SandboxConfig(scenario="chaos", switches={"rate_limit": 0}), clock=ManualClock())
    assert sandbox.clock_offset == -90
    statuses: list[int] = []
    for _ in range(200):
        try:
            statuses.append((await sandbox.caller().get("/variants", {"limit": 1})).status)
        except DroppedConnection:
            statuses.append(0)
    assert statuses.count(200) > 150
    assert {0, 429, 503} <= set(statuses)
    assert any("replica_lag" in (entry.fault or "") for entry in sandbox.requests())
    calm = list(Sandbox(clock=ManualClock()).tenant().all("customers"))
    assert [row["name"] for row in sandbox.tenant().all("customers")] == [row["name"] for row in calm]


def test_a_fault_may_strike_every_so_many_requests() -> None:
    (fault,) = parse_faults('[[fault]]\nmatch = "GET /x"\nnth = 2\nevery = 3\ntimes = 2\naction = "drop"\n')
    assert (fault.nth, fault.every, fault.times) == (2, 3, 2)
    with pytest.raises(ValueError, match="fault 1: every must be a whole number from 1"):
        parse_faults('[[fault]]\nevery = 0\naction = "drop"\n')


async def test_a_fault_with_every_strikes_and_rests(sandbox: Sandbox) -> None:
    sandbox.faults.add(*parse_faults('[[fault]]\nnth = 2\nevery = 3\ntimes = 2\naction = "status"\nstatus = 503\n'))
    statuses = [(await sandbox.caller().get("/factory")).status for _ in range(10)]
    assert statuses == [200, 503, 200, 200, 503, 200, 200, 200, 200, 200]


def test_an_unknown_scenario_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown scenario 'calm'; there are empty, demo, month-end, chaos"):
        started("calm")


def test_a_state_file_is_written_first_and_read_later(tmp_path: Path) -> None:
    path = tmp_path / "shop.state"
    first = served("--state", str(path), "--scenario", "empty")
    written = path.read_bytes()
    assert first["counts"]["variants"] == 0
    assert served("--state", str(path))["counts"] == first["counts"]
    assert path.read_bytes() == written
    assert served("--state", str(path), "--keep")["counts"] == first["counts"]
    assert path.read_bytes() != written


def test_wrong_states_and_scenarios_are_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "shop.state"
    path.write_text("hello")
    for words, sentence in (
        (("--state", str(path)), f"--state: {path} is no state file of the sandbox"),
        (("--state", str(path), "--orders", "3"), "--seed, --variants and --orders can not be combined with a --state"),
        (("--state", str(tmp_path / "no" / "x"), "--scenario", "empty"), "can not be written: No such file"),
        (("--keep",), "--keep needs --state"),
        (("--scenario", "calm"), "--scenario: unknown scenario 'calm'; there are empty, demo"),
    ):
        done = run("serve", *words)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert sentence in done.stderr
