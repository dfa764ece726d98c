"""`katana-mcp journal …` as people and programs use it: through the real entry point."""

import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from command_line import Run
from journal_plans import OUTCOME, claimed, plan_of

from cache_core.clock import SystemClock
from cache_core.testing import ManualClock
from katana_mcp.configuration.settings import load
from katana_mcp.journal.entries import ActionState
from katana_mcp.journal.file import JournalFile, journal_path
from katana_mcp.server.account import account
from katana_mcp.server.wiring import cache_directory


@pytest.fixture
def run(command_line: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command of `katana-mcp journal` on an account that nobody serves: the journal asks Katana nothing."""
    monkeypatch.setenv("KATANA_BASE_URL", "http://127.0.0.1:9/v1")
    return lambda *arguments: command_line("journal", *arguments)


@pytest.fixture
def path(run: Run) -> Path:
    """Return where the one account's journal stands."""
    del run
    directory = cache_directory(*account(load()))
    assert directory is not None
    return journal_path(directory)


@pytest.fixture
def kept(path: Path) -> Path:
    """Return a journal with a plan of which one action was applied, one that waits, and one that expired."""
    clock, past = SystemClock(), ManualClock(SystemClock().now() - timedelta(hours=1))
    with closing(JournalFile(path, past)) as file:
        file.add(plan_of("expired", past, actions=1, principal="bob"))
        file.close()
    with closing(JournalFile(path, clock)) as file:
        file.add(plan_of("applied", clock, actions=3))
        ends = claimed(file, "applied", "host:1")
        for place, ended in enumerate((ActionState("applied", {"id": 7}), ActionState("unknown", error="no answer"))):
            file.sending(ends, place)
            file.done(ends, place, ended)
        file.finish(ends, OUTCOME)
        file.add(plan_of("planned", clock))
    return path


@pytest.mark.parametrize("command", [["list"], ["show", "1"], ["export"]])
def test_without_a_journal_it_is_said_in_a_sentence_and_nothing_is_made(
    run: Run, path: Path, tmp_path: Path, command: list[str]
) -> None:
    ran = run(*command)
    assert (ran.code, ran.out + ran.err.removeprefix("katana-mcp: ")) == (
        0,
        f"nothing was planned yet with this key: there is no journal {path}\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_programs_learn_as_much_without_a_journal(run: Run) -> None:
    assert (run("list", "--json").data, run("show", "1", "--json").data) == ({"entries": []}, {"entry": None})
    assert run("export").out == ""


@pytest.mark.usefixtures("kept")
def test_the_list_shows_the_newest_first_with_what_became_of_each(run: Run) -> None:
    ran = run("list")
    assert (ran.code, ran.err) == (0, "")
    head, *lines = ran.out.splitlines()
    assert head.split() == ["entry", "planned", "state", "actions", "tool", "by", "what"]
    assert [line.split()[0] for line in lines] == ["3", "2", "1"]
    for line, state in zip(lines, ("planned", "finished", "expired"), strict=True):
        assert state in line
    assert "1 applied, 1 unknown, 1 not tried" in lines[1]
    assert "create_purchase_order  bob  1 orders" in lines[2]


@pytest.mark.usefixtures("kept")
def test_the_list_goes_page_by_page(run: Run) -> None:
    first = run("list", "--limit", "2")
    assert first.out.splitlines()[-1] == "older ones: katana-mcp journal list --before 2"
    rest = run("list", "--limit", "2", "--before", "2", "--json")
    assert [(entry["id"], entry["state"]) for entry in rest.data["entries"]] == [(1, "expired")]
    assert run("list", "--before", "1").out == "the journal holds no plan before that\n"
    assert "older ones" not in run("list", "--limit", "3").out
    most = str(2**64)
    assert len(run("list", "--limit", most, "--before", most, "--json").data["entries"]) == 3
    assert run("list", "--before", f"-{most}", "--json").data == {"entries": []}
    bad = run("list", "--limit", "0")
    assert (bad.code, bad.err) == (2, "katana-mcp: --limit is 0: at least 1 entry can be listed\n")


@pytest.mark.usefixtures("kept")
def test_an_entry_is_shown_action_by_action(run: Run) -> None:
    ran = run("show", "2")
    assert ran.code == 0
    _, *lines = ran.out.splitlines()
    assert "1  POST /purchase_orders  order 1  applied" in lines[0]
    assert lines[1].endswith("UTC  no answer")
    assert "not tried" in lines[2]
    assert lines[3] == "3 orders"
    assert lines[4].startswith("planned by create_purchase_order for ann at ")
    assert lines[5].startswith("claimed by host:1 at ")
    shown = run("show", "2", "--json").data
    assert (shown["outcome"], shown["shown"]) == (OUTCOME, {"orders": 3})
    assert shown["actions"][0]["body"] == {"order_no": "PO-1"}
    assert [action["state"] for action in shown["actions"]] == ["applied", "unknown", "not_tried"]
    assert shown["actions"][0]["result"] == {"id": 7}
    assert "digest" not in shown


def test_an_id_is_shown_as_commands_take_it_and_what_undoes_it_as_it_is_typed(run: Run, path: Path) -> None:
    clock = SystemClock()
    revert = {"tool": "modify_x", "arguments": {"x_id": 10000125, "note": None, "rows": [{"row_id": 10000195}]}}
    with closing(JournalFile(path, clock)) as file:
        file.add(plan_of("applied", clock, actions=1))
        ends = claimed(file, "applied", "host:1")
        file.sending(ends, 0)
        file.done(ends, 0, ActionState("applied", {"id": 10000195}))
        file.finish(ends, OUTCOME | {"revert": revert})
    _, line, *_, undo = run("show", "1").out.splitlines()
    assert "applied  10000195  " in line
    command = """x_id=10000125 'rows=[{"row_id": 10000195}]' --arguments '{"note": null}'"""
    assert undo == f"to undo it: katana-mcp call modify_x {command}"
    url = "http://127.0.0.1:9/v1"
    assert (
        run("show", "1", "--base-url", url)
        .out.splitlines()[-1]
        .startswith(f"to undo it: katana-mcp call --base-url={url} modify_x x_id=")
    )


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("typed", "code", "message"),
    [
        (["9"], 1, "the journal has no entry 9: katana-mcp journal list names those that there are"),
        ([str(2**64)], 1, f"the journal has no entry {2**64}: katana-mcp journal list names those that there are"),
        (["two"], 2, "ENTRY is 'two': must be a whole number"),
        ([], 2, "katana-mcp journal show needs ENTRY; katana-mcp journal show --help tells what it is"),
    ],
)
def test_an_entry_that_there_is_not_ends_in_a_sentence(run: Run, typed: list[str], code: int, message: str) -> None:
    ran = run("show", *typed)
    assert (ran.code, ran.out, ran.err) == (code, "", f"katana-mcp: {message}\n")


@pytest.mark.usefixtures("kept")
def test_the_export_is_a_line_of_json_each(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("katana_mcp.commands.journal.look._PAGE", 2)
    lines = [json.loads(line) for line in run("export").out.splitlines()]
    assert [(line["id"], line["state"], len(line["actions"])) for line in lines] == [
        (3, "planned", 2),
        (2, "finished", 3),
        (1, "expired", 1),
    ]


def test_a_damaged_journal_ends_in_a_sentence(run: Run, kept: Path) -> None:
    with closing(sqlite3.connect(kept)) as db:
        db.executescript("UPDATE plan SET shown = '{half'")
    for command in (["list"], ["show", "2"], ["export"]):
        ran = run(*command)
        assert (ran.code, ran.out) == (1, "")
        assert "is damaged: nothing is written to Katana without it" in ran.err


def test_clearing_the_cache_leaves_the_journal(run: Run, command_line: Run, kept: Path) -> None:
    directory = kept.with_name(kept.stem.removeprefix("journal-"))
    directory.mkdir(mode=0o700)
    (directory / "opened.json").write_text("{}", "utf-8")
    before = kept.read_bytes()
    assert command_line("cache", "clear", "--yes").code == 0
    assert (kept.read_bytes(), directory.exists()) == (before, False)
    assert len(run("list", "--json").data["entries"]) == 3
