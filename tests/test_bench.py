"""The page of measured figures says all that there is to measure, and every tool that only reads is measured."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest
from bench import __main__ as bench
from bench import keeping
from bench.__main__ import PAGE, main
from bench.figures import Figure
from bench.lines import LINES, READ_TOOLS
from bench.report import Run, as_page, merged

from katana_mcp.server.made_tools import tools

ROOT = Path(__file__).parents[1]


def rows(page: str) -> set[tuple[str, str, str]]:
    """Return topic, figure and size of each line of a page."""
    found: set[tuple[str, str, str]] = set()
    topic = ""
    for line in page.splitlines():
        topic = line.removeprefix("## ") if line.startswith("## ") else topic
        if line.startswith("| "):
            what, size = (part.strip() for part in line.split("|")[1:3])
            found.add((topic, what, size))
    return found


def test_the_page_names_every_figure_at_every_size() -> None:
    written = rows((ROOT / PAGE).read_text("utf-8"))
    for line in LINES.values():
        sizes = {f"{size:,}" if size else "" for size in line.sizes}
        assert {(line.topic, f"{line.what}, {line.unit}", size) for size in sizes} <= written, line


def test_every_tool_that_only_reads_is_measured() -> None:
    assert sorted(READ_TOOLS) == sorted(tool.name for tool in tools() if tool.read_only and not tool.plans)


def test_a_goal_is_judged_by_value_by_ratio_and_by_what_it_costs_more_than_the_floor() -> None:
    search = LINES["Catalogue of variants", "search, a word, p95"]
    assert [search.held(50_000, value, 4.0) for value in (8.0, 9.0, 11.0)] == [True, False, False]
    assert search.held(5_000, 9.0, 1.0) is True
    stored = LINES["Catalogue of variants", "pages → stored and searchable"]
    assert [stored.held(5_000, value, 12_000.0) for value in (6_000.0, 5_999.0)] == [True, False]
    call = LINES["Warm read tools, in-memory client", "get_item, p50"]
    assert [call.held(0, value, 5.0) for value in (8.0, 8.1)] == [True, False]
    assert [call.held(0, value, 2.0) for value in (4.0, 4.1)] == [True, False]
    asked = LINES["Warm read tools, in-memory client", "get_item, requests to Katana"]
    assert [asked.held(0, value, None) for value in (0.0, 0.01)] == [True, False]


def test_sides_measured_apart_stand_beside_each_other_and_a_missed_goal_is_told() -> None:
    def sync(**values: float) -> Figure:
        about = {"topic": "Cold sync of variants with their products", "what": "memory at its peak, more than before"}
        return Figure(**about, size=5_000, values=values)

    run = Run(date="2026-01-31", figures=merged([sync(typed=70), sync(legacy=20)]), part="sync")
    page = as_page(run)
    line = "| memory at its peak, more than before, MB |"
    assert f"{line} 5,000 | 70 | 20 |  | ≤ 60 | **missed**: three connections" in page
    assert "only a part: sync" in page
    assert f"{line} 500,000 |  |  |  | ≤ 60 | not measured |" in page


def test_a_call_is_held_against_the_same_answer_and_a_missed_goal_has_its_reason() -> None:
    values = {"typed": 30.0, "legacy": 40.0, "same answer": 10.0, "floor": 5.0}
    figure = Figure(topic="Warm read tools, in-memory client", what="stock_value, p50", size=0, values=values)
    page = as_page(Run(date="2026-01-31", figures=[figure]))
    told = "| 3.0 | ≤ 2x same answer, ≤ same answer + 3 | **missed**: all levels, rows or movements"
    assert f"| stock_value, p50, ms |  | 30 | 40 | 10 | 5 {told}" in page


TOPIC, WHAT = next(iter(LINES))
FIGURE = Figure(topic=TOPIC, what=WHAT, size=0, values={"ours": 1.5}, note="n")


class Measuring:
    """In place of the processes that measure: notes what is asked, and may be stopped at one of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
        self.asked: list[str] = []
        self.ends_at = self.fails_at = ""
        monkeypatch.setattr(subprocess, "run", self._run)
        for module in (keeping, bench):
            monkeypatch.setattr(module, "KEPT", directory / "kept" / "figures.json")

    def _run(self, command: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        if command[0] == "git":
            return subprocess.CompletedProcess(command, 0, "abc-dirty\n")
        self.asked.append(command[4])
        if command[4] == self.ends_at:
            raise KeyboardInterrupt
        return subprocess.CompletedProcess(command, int(command[4] == self.fails_at), json.dumps([asdict(FIGURE)]))


@pytest.fixture
def measuring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Measuring:
    """Measure nothing."""
    return Measuring(monkeypatch, tmp_path)


CHOSEN = ("--only", "client", "--only", "starts", "--json")


def test_a_run_that_is_stopped_writes_no_page_and_goes_on_where_it_was(
    measuring: Measuring, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (ROOT / PAGE).read_bytes()
    measuring.ends_at = "starts"
    assert main([*CHOSEN, "--write"]) == 130
    stopped = "stopped: nothing is written; --resume goes on with what is kept in "
    assert capsys.readouterr().err.endswith(f"{stopped}{keeping.KEPT}\n")
    assert (ROOT / PAGE).read_bytes() == before
    measuring.ends_at = ""
    assert main([*CHOSEN, "--resume"]) == 0
    told = capsys.readouterr()
    assert [line[5:] for line in told.err.splitlines()] == [" s  client, kept", " s  starts", " s  done"]
    assert measuring.asked == ["client", "starts", "starts"]
    found = json.loads(told.out)
    assert (found["runs"], len(found["figures"])) == (2, 1)


def test_what_was_kept_of_others_is_not_gone_on_with(measuring: Measuring, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(CHOSEN) == 0
    for differing in (["--resume", "--cpu"], ["--resume"]):
        if "--cpu" not in differing:
            keeping.KEPT.unlink()
        with pytest.raises(SystemExit):
            main([*CHOSEN, *differing])
        timer = "processor's time" if "--cpu" in differing else "clock"
        assert f"keeps no figures of abc-dirty by the {timer}: leave --resume out" in capsys.readouterr().err
    assert main(CHOSEN) == 0
    assert main(CHOSEN) == 0
    assert measuring.asked == ["client", "starts"] * 3


def test_what_fails_is_measured_again(measuring: Measuring) -> None:
    measuring.fails_at = "starts"
    assert main(CHOSEN) == 1
    assert main([*CHOSEN, "--resume"]) == 1
    assert measuring.asked == ["client", "starts", "starts"]


def test_a_page_says_in_how_many_runs_it_was_measured() -> None:
    once, twice = (as_page(Run(date="2026-01-31", figures=[], runs=runs)) for runs in (1, 2))
    assert "All figures are of one run." in once
    assert "All figures are of one commit, measured in 2 runs." in twice
