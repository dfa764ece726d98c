"""How a served sandbox stops: quietly on either signal, with its state written when it is to be kept."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from katana_sandbox import ManualClock, Sandbox

SERVE = (sys.executable, "-c", "from katana_sandbox.cli import main; main()", "serve", "--json", "--port", "0")

STOPPED_WHEN_READY = """
import io, os, signal, sys
from katana_sandbox.cli import main


class Announced(io.StringIO):
    def write(self, text):
        os.kill(os.getpid(), signal.SIGTERM)
        return len(text)


sys.stdout = Announced()
main()
"""


def test_a_server_can_be_stopped_as_soon_as_it_says_that_it_is_ready() -> None:
    command = [sys.executable, "-c", STOPPED_WHEN_READY, "serve", "--scenario", "empty", "--port", "0"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def ended(*words: str, program: str = STOPPED_WHEN_READY) -> subprocess.CompletedProcess[str]:
    """Serve until it is announced."""
    command = [sys.executable, "-c", program, "serve", "--port", "0", *words]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


def test_a_server_says_how_many_records_it_has() -> None:
    saying = STOPPED_WHEN_READY.replace("return len(text)", "return sys.stderr.write(text)")
    done = ended("--variants", "1", "--orders", "1", program=saying)
    assert re.search(r": 0 products, 1 material, 1 variant, \d+ customers, \d+ suppliers, 1 sales order, ", done.stderr)


def test_a_scenario_beside_a_state_that_exists_is_told_that_the_state_is_served(tmp_path: Path) -> None:
    path = tmp_path / "shop.state"
    words = ("--state", str(path), "--scenario", "empty")
    sentence = f"{path} exists: its data is served, not what --scenario empty begins with; for that, delete it"
    first, second, plain = ended(*words).stderr, ended(*words).stderr, ended(*words[:2]).stderr
    assert (first, second, plain) == ("", f"katana-sandbox: {sentence} or name another file\n", "")


def test_a_state_is_kept_by_one_sandbox_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "shop.state"
    words = ("--state", str(path), "--keep")
    with subprocess.Popen([*SERVE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("{")
        second, only_read = ended(*words), ended(*words[:2])
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    sentence = f"--state: {path} is kept by another sandbox that runs: stop that one, or name another file"
    assert (second.returncode, second.stdout, second.stderr) == (2, "", f"katana-sandbox: {sentence}\n")
    assert [(done.returncode, done.stderr) for done in (only_read, ended(*words))] == [(0, ""), (0, "")]


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_server_is_quiet_and_keeps_what_was_written(tmp_path: Path, stop: signal.Signals, keep: bool) -> None:
    path = tmp_path / "shop.state"
    words = ["--scenario", "empty", "--state", str(path), *(["--keep"] if keep else [])]
    with subprocess.Popen([*SERVE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = json.loads(process.stdout.readline())
        request = urllib.request.Request(
            f"{line['url']}/customers",
            data=b'{"name": "Kept"}',
            headers={"Authorization": f"Bearer {line['key']}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert answer.status == 200
        process.send_signal(stop)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")
    kept = Sandbox.restore(path, clock=ManualClock()).tenant().all("customers")
    assert [customer["name"] for customer in kept] == (["Kept"] if keep else [])
