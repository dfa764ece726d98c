"""What CI is told of dependencies and tools: nothing unknown passes as known."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scripts.audit import OWN, judged
from scripts.licences import allowed
from scripts.surface_diff import FOLDER

ROOT = Path(__file__).resolve().parents[2]
KNOWN = {"name": "idna", "version": "3.1", "vulns": []}
BAD = {"name": "idna", "version": "3.1", "vulns": [{"id": "PYSEC-2024-60"}]}
UNKNOWN = {"name": "idna", "skip_reason": "not found"}
OURS = {"name": "katana-client", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("rows", "strict", "code"),
    [
        ([KNOWN, OURS], True, 0),
        ([KNOWN, OURS], False, 0),
        ([BAD, UNKNOWN], True, 1),
        ([BAD], False, 1),
        ([KNOWN, UNKNOWN], True, 2),
        ([UNKNOWN], False, 0),
        ([], True, 2),
        (None, True, 2),
        (None, False, 0),
    ],
)
def test_an_audit_that_could_not_ask_passes_only_where_it_may(
    rows: list[dict[str, Any]] | None, strict: bool, code: int
) -> None:
    ended, lines = judged(rows, strict=strict)
    assert ended == code
    assert bool(lines) == (rows != [KNOWN, OURS])


def test_an_audit_says_which_vulnerability_is_known_and_that_it_was_skipped() -> None:
    assert judged([BAD], strict=False)[1] == ["idna 3.1: PYSEC-2024-60"]
    assert judged(None, strict=False)[1] == ["audit skipped: the vulnerability data could not be reached"]


def test_only_packages_of_the_workspace_need_no_audit() -> None:
    named = {
        path.read_text("utf-8").split('name = "')[1].split('"')[0] for path in ROOT.glob("packages/*/pyproject.toml")
    }
    assert named == OWN


@pytest.mark.parametrize("licence", ["MIT", "Apache-2.0 OR BSD-3-Clause", "GPL-3.0 OR MIT", "MIT AND (BSD-3-Clause)"])
def test_a_licence_that_may_be_kept_is_allowed(licence: str) -> None:
    assert allowed(licence)


@pytest.mark.parametrize("licence", ["", "GPL-3.0", "MIT AND GPL-3.0", "Proprietary"])
def test_any_other_is_not(licence: str) -> None:
    assert not allowed(licence)


def test_all_that_the_distribution_needs_has_a_licence_that_is_allowed() -> None:
    command = [sys.executable, str(ROOT / "scripts/licences.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    names = {line.split("\t")[0] for line in done.stdout.splitlines()}
    assert len(names) > 50
    assert names >= {"fastmcp", "httpx", "pydantic_core", "anyio"}


def accept(tree: Path, tools: dict[str, dict[str, Any]]) -> None:
    """Commit these tools as the accepted ones of a tree."""
    folder = tree / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, tool in tools.items():
        (folder / f"test_a_tool[{name}].json").write_text(json.dumps(tool))
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "tools"]):
        subprocess.run(["git", *command], cwd=tree, check=True)


def argument(**keywords: object) -> dict[str, Any]:
    return {"inputSchema": {"properties": {"limit": {"type": "integer", **keywords}}, "required": []}}


def test_the_tools_of_two_commits_are_compared_and_what_breaks_a_caller_is_marked(tmp_path: Path) -> None:
    before = {"get_item": argument(), "get_bom": argument(), "find": argument(enum=["a", "b"]), "same": argument()}
    after = {
        "get_item": argument(default=5),
        "list_items": argument(),
        "find": argument(enum=["a"]),
        "same": argument(),
    }
    after["get_item"]["inputSchema"]["required"] = ["limit"]
    accept(tmp_path, before)
    accept(tmp_path, after)
    script = [sys.executable, str(ROOT / "scripts/surface_diff.py"), "HEAD~1"]
    report = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert report.splitlines()[3:-1] == [
        "! get_bom is gone",
        "+ list_items is new",
        '! find inputSchema.properties.limit.enum: ["a", "b"] -> ["a"]',
        "~ get_item inputSchema.properties.limit.default: nothing -> 5",
        '! get_item inputSchema.required: [] -> ["limit"]',
    ]
    same = subprocess.run([*script[:-1], "HEAD"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert same == "## Tools\n\nNo difference.\n"
