"""How a served sandbox stops: quietly on either signal, with its state written when it is to be kept."""

import json
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
