"""The command line, run as a user runs it."""

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from katana_sandbox.cli import main
from katana_sandbox.switch_list import SWITCHES

ROOT = Path(__file__).parents[1]


type Run = Callable[..., subprocess.CompletedProcess[str]]


def run_process(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from katana_sandbox.cli import main; main()", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command that does not serve, in this process."""

    def ran(*words: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["katana-sandbox", *words])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(str(end.code or 0))
        return subprocess.CompletedProcess(words, code, *capsys.readouterr())

    return ran


def test_a_process_of_its_own_ends_with_the_same_sentence_and_code(run: Run) -> None:
    own, here = (ran("serve", "--keep=maybe") for ran in (run_process, run))
    assert (own.returncode, own.stdout, own.stderr) == (here.returncode, here.stdout, here.stderr)
    assert (own.returncode, own.stderr) == (2, "katana-sandbox: --keep must be true or false, not 'maybe'\n")


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
        (("serve", "--key", ""), "--key must be plain text without quotes, and not empty"),
        (("serve", "--key", "''"), "--key must be plain text without quotes, and not empty"),
        (("serve", "--port", "many"), "katana-sandbox: --port must be a whole number, not 'many'\n"),
        (("serve", "--keep=maybe"), "katana-sandbox: --keep must be true or false, not 'maybe'\n"),
        (("serve", "prot"), "serve takes options only, and 'prot' is none; katana-sandbox serve --help names them\n"),
        (("serve", "--sped", "7"), "--sped"),
        (("brew",), "brew"),
        (("serve", "--orders", "-1"), "--orders must be between 0 and 1000000, not -1"),
        (
            ("serve", "--scenario", "calm"),
            "unknown scenario 'calm'; there are empty, demo, month-end, chaos",
        ),
        (("serve", "--keep"), "--keep needs --state"),
        (("coverage", "--check"), "--check needs --readme"),
        (("coverage", "--readme", "/nowhere.md"), "--readme /nowhere.md is no file"),
        (("coverage", "--tests", "/nowhere"), "--tests /nowhere is no folder"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(run: Run, words: tuple[str, ...], sentence: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), ("serve", "switches", "scenarios", "coverage")),
        (("--help",), ("serve", "switches", "scenarios", "coverage")),
        (("serve", "--help"), ("--port", "--faults", "--switch", "--state", "--allow-remote", "Serve the API until")),
        (("coverage", "--help"), ("--check", "--readme", "--tests")),
    ],
)
def test_help_names_what_there_is(run: Run, words: tuple[str, ...], told: tuple[str, ...]) -> None:
    done = run(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert [word for word in told if word not in done.stdout] == []


def test_the_program_of_the_readme_runs_as_printed() -> None:
    program = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[0]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"\S+\nTrue \d+\n", done.stdout)


def test_a_stale_coverage_table_is_one_sentence_and_exit_code_1(run: Run, tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("<!-- coverage: begin -->\n<!-- coverage: end -->\n")
    done = run("coverage", "--check", "--readme", str(readme))
    assert done.returncode == 1
    assert done.stderr == (f"katana-sandbox: the table in {readme} is not current; run the command without --check\n")


def test_a_fault_file_with_an_unknown_action_is_refused_by_entry(run: Run, tmp_path: Path) -> None:
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
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert (answer.status, answer.headers["X-Ratelimit-Limit"]) == (200, "7")
        with pytest.raises(urllib.error.HTTPError, match="503"):
            urllib.request.urlopen(
                urllib.request.Request(f"{line['url']}/products", headers={"Authorization": "Bearer k1"}), timeout=10
            )
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")


def test_switches_are_listed_with_default_meaning_and_source(run: Run) -> None:
    out = run("switches").stdout
    lines = out.splitlines()
    assert len(lines) == len(SWITCHES)
    assert lines[0].split()[:2] == ["rate_limit", "60"]
    assert all("[facts " in line for line in lines)


def test_the_coverage_table_of_the_readme_is_current(run: Run) -> None:
    done = run("coverage", "--check", "--readme", str(ROOT / "README.md"), "--tests", str(ROOT / "tests"))
    assert (done.returncode, done.stderr) == (0, "")


def test_every_operation_is_checked_against_the_spec_and_by_a_rule_test(run: Run) -> None:
    rows = [line for line in run("coverage", "--tests", str(ROOT / "tests")).stdout.splitlines() if "/" in line]
    assert len(rows) > 140
    assert [row for row in rows if "| - |" in row] == []


def test_a_rule_test_counts_for_the_operation_that_it_calls(run: Run, tmp_path: Path) -> None:
    calls = ('api.get("/customers")', 'api.delete(f"/customers/{row["id"]}")', 'api.get("/customers", {"limit": 1})')
    (tmp_path / "test_a.py").write_text("\n".join(["async def test_a(api):", *(f"    await {call}" for call in calls)]))
    (tmp_path / "test_b.py").write_text('def test_b(api):\n    api.delete("/customers/7")\n')
    rows = run("coverage", "--tests", str(tmp_path)).stdout.splitlines()
    for operation, count in (("GET `/customers`", 1), ("DELETE `/customers/{id}`", 2), ("POST `/customers`", "-")):
        assert f"| {operation} | yes | - | {count} |" in rows


def test_a_file_without_the_table_is_left_as_it_is(run: Run, tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    for text in ("# Another\n", "<!-- coverage: begin -->\n", "<!-- coverage: end -->\n<!-- coverage: begin -->\n"):
        readme.write_text(text, encoding="utf-8")
        done = run("coverage", "--readme", str(readme))
        assert (done.returncode, readme.read_text(encoding="utf-8")) == (2, text)
        assert done.stderr.startswith(f"katana-sandbox: --readme {readme} has no table between <!-- coverage: begin")
