"""The command line, run as a user runs it."""

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from katana_sandbox.switches import SWITCHES

ROOT = Path(__file__).parents[1]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from katana_sandbox.cli import main; main()", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("serve", "--host", "0.0.0.0"), "--host 0.0.0.0 can be reached from other machines; add --allow-remote"),
        (("serve", "--host", "nowhere"), "--host must be an IP address or localhost, not 'nowhere'"),
        (("serve", "--port", "70000"), "--port must be between 0 and 65535, not 70000"),
        (("serve", "--variants", "-1"), "--variants must be between 0 and 1000000, not -1"),
        (("serve", "--switch", "warp=1"), "--switch: unknown switch 'warp'; allowed: additional_info_wipe"),
        (("serve", "--switch", "rate_limit"), "--switch: switch 'rate_limit' must have the form name=value"),
        (("serve", "--switch", "rate_limit=fast"), "--switch: switch rate_limit must be a number, not 'fast'"),
        (
            ("serve", "--switch", "error_form=loud"),
            "--switch: switch error_form must be one of wrapped, bare, not 'loud'",
        ),
        (("serve", "--faults", "/nowhere.toml"), "--faults /nowhere.toml can not be read: No such file"),
        (("serve", "--key", ""), "--key must be plain text and not empty"),
        (("serve", "--port", "many"), "many"),
        (("serve", "--sped", "7"), "--sped"),
        (("brew",), "brew"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(words: tuple[str, ...], sentence: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_fault_file_with_an_unknown_action_is_refused_by_entry(tmp_path: Path) -> None:
    path = tmp_path / "faults.toml"
    path.write_text('[[fault]]\naction = "drop"\n[[fault]]\naction = "melt"\n')
    done = run("serve", "--faults", str(path))
    assert done.returncode == 2
    assert "fault 2: unknown action 'melt'; allowed: clock_offset" in done.stderr


def test_serve_prints_one_json_line_serves_and_stops_quietly_on_interrupt(tmp_path: Path) -> None:
    faults = tmp_path / "faults.toml"
    faults.write_text('[[fault]]\nmatch = "GET /products"\naction = "status"\nstatus = 503\n')
    words = [
        "serve",
        "--json",
        "--port",
        "0",
        "--variants",
        "30",
        "--orders",
        "5",
        "--key",
        "k1",
        "--switch",
        "rate_limit=7",
        "--faults",
        str(faults),
    ]
    command = [sys.executable, "-c", "from katana_sandbox.cli import main; main()", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = json.loads(process.stdout.readline())
        assert (line["key"], line["counts"]["variants"], line["counts"]["sales_orders"]) == ("k1", 30, 5)
        request = urllib.request.Request(f"{line['url']}/factory", headers={"Authorization": "Bearer k1"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert (answer.status, answer.headers["X-Ratelimit-Limit"]) == (200, "7")
        with pytest.raises(urllib.error.HTTPError, match="503"):
            urllib.request.urlopen(
                urllib.request.Request(f"{line['url']}/products", headers={"Authorization": "Bearer k1"}), timeout=10
            )
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")


def test_switches_are_listed_with_default_meaning_and_source() -> None:
    out = run("switches").stdout
    lines = out.splitlines()
    assert len(lines) == len(SWITCHES)
    assert lines[0].split()[:2] == ["rate_limit", "60"]
    assert all("[facts " in line for line in lines)


def test_the_coverage_table_of_the_readme_is_current() -> None:
    done = run("coverage", "--check", "--readme", str(ROOT / "README.md"), "--tests", str(ROOT / "tests"))
    assert (done.returncode, done.stderr) == (0, "")
