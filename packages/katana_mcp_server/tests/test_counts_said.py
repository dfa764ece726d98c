"""What a command counts: one is said as one."""

import sqlite3
from pathlib import Path

import pytest
from command_line import Run

from katana_mcp.configuration import sandbox
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.journal.file import journal_path
from katana_sandbox import Sandbox, SandboxConfig

CATALOG = '[tools.katana.search_items]\ndescription = "Finds parts."\n'


def checked(ran_doctor: Run, name: str) -> str:
    """Return what the doctor found of one thing."""
    return next(check["found"] for check in ran_doctor("doctor", "--json").data["checks"] if check["check"] == name)


@pytest.fixture
def home(command_line: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the directory of the account's cache, which holds the files of a server that was used once."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert command_line("call", "create_customer", "name=Zed").code == 0
    (found,) = (path for path in (tmp_path / "kept").iterdir() if path.is_dir())
    return found


def test_one_plan_is_one_plan(command_line: Run, home: Path) -> None:
    assert checked(command_line, "journal") == "1 plan"
    with sqlite3.connect(journal_path(home)) as db:
        db.execute("UPDATE plan SET state = 'finished', outcome = '{}', finished_at = created_at")
        db.execute("UPDATE action SET state = 'unknown'")
    assert checked(command_line, "journal") == "1 of 1 plan ended unknown, and may have been written"
    assert command_line("call", "create_customer", "name=Yod").code == 0
    assert checked(command_line, "journal") == "1 of 2 plans ended unknown, and may have been written"


def test_one_record_is_one_record(command_line: Run, home: Path) -> None:
    (typed,) = home.glob("typed-*.db")
    row = ("customer", "i7", 1, "broken", "{}")
    with sqlite3.connect(typed) as db:
        db.execute("INSERT INTO cache_quarantine (entity, key, has_id, reason, payload) VALUES (?, ?, ?, ?, ?)", row)
    assert checked(command_line, "cache").endswith("; 1 record cannot be kept")


def test_one_request_that_is_left_is_one(command_line: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(switches={"rate_limit": 2})))
    monkeypatch.setattr(sandbox, "OwnSandbox", lambda: own)
    assert checked(command_line, "network").endswith("; 1 of 2 requests left of this minute")


def test_one_file_is_one_file(command_line: Run, home: Path) -> None:
    several = len(list(home.iterdir()))
    assert command_line("cache", "clear", "--yes").out.startswith(f"deleted {several} files (")
    home.mkdir(mode=0o700)
    (home / "legacy-v1.sqlite").touch(0o600)
    assert command_line("cache", "clear", "--yes").out.startswith("deleted 1 file (0 kB) in ")


def test_one_tool_is_one_tool(command_line: Run, tmp_path: Path) -> None:
    (tmp_path / "catalog.toml").write_text(CATALOG, "utf-8")
    words = ("--catalog-file", str(tmp_path / "catalog.toml"), "--tools", "search_items")
    assert command_line("catalog", "render", *words).out.startswith("1 tool meant: ")
    assert "\n1 tool, " in command_line("tools", "--tools", "search_items").out
