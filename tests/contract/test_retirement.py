"""The legacy cache can go: a copy of the tree without it, made by the script, still works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/retire_legacy.py"
MARK = "# goes with cache_legacy"


def ran(tree: Path, *command: str, extra: dict[str, str] | None = None) -> str:
    """Return what a command in the tree wrote; it must succeed."""
    done = subprocess.run(
        command, cwd=tree, env={**os.environ, **(extra or {})}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-3_000:]}\n{done.stderr[-3_000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def retired(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the tree without the legacy cache."""
    tree = tmp_path_factory.mktemp("retired")
    ran(ROOT, sys.executable, str(SCRIPT), "--edit", str(tree))
    return tree


def test_few_modules_of_the_server_name_the_legacy_cache_or_its_flags_and_mark_each_line() -> None:
    named: dict[str, list[str]] = {}
    for path in ROOT.glob("packages/katana_mcp_server/src/**/*.py"):
        lines = [line for line in path.read_text("utf-8").splitlines() if re.search("legacy|Legacy", line)]
        if (
            any(re.search("cache_legacy|[\"']legacy[\"']|:legacy", line) for line in lines)
            and path.parent.name + path.name != "testing__init__.py"
        ):
            named[path.name] = lines
    assert set(named) == {"backends.py", "backend_flags.py", "idle_loop.py"}
    assert all(line.endswith(MARK) for lines in named.values() for line in lines)


def test_nothing_in_code_or_configuration_names_it_any_more(retired: Path) -> None:
    suffixes = {".py", ".toml", ".yml", ".importlinter"}
    texts = [
        path for path in retired.rglob("*") if path.suffix in suffixes or path.name in {"Makefile", ".importlinter"}
    ]
    assert len(texts) > 100
    assert [str(path) for path in texts if re.search("cache[_-]legacy|LegacyBackend", path.read_text("utf-8"))] == []


def test_no_line_uses_a_name_that_goes_with_it(retired: Path) -> None:
    ran(retired, sys.executable, "-m", "ruff", "check", "--select", "F821,F822", "--no-cache", ".")


def test_the_lock_holds_without_it_on_a_machine_that_never_saw_an_index(retired: Path, tmp_path: Path) -> None:
    uv = os.environ.get("UV") or shutil.which("uv") or str(ROOT / ".uv/bin/uv")
    ran(retired, uv, "lock", "--check", "--offline", "--cache-dir", str(tmp_path / "never used"))
    locked = (retired / "uv.lock").read_text("utf-8")
    assert not re.search("cache-legacy|aiosqlite", locked)
    assert 'name = "cache-typed"' in locked


@pytest.mark.soak  # `make retire` runs the whole suite so
def test_the_server_starts_and_the_contract_holds_without_it(retired: Path, tmp_path: Path) -> None:
    # The copy's sources come first, and the package that the environment still has cannot be imported.
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['cache_legacy'] = None\n")
    sources = [str(path) for path in retired.glob("packages/*/src")]
    extra = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sources])}
    python = (sys.executable, "-c")
    where = ran(
        retired, *python, "import katana_mcp.server.wiring, cache_core; print(cache_core.__file__)", extra=extra
    )
    assert where.startswith(str(retired))
    server = "packages/katana_mcp_server/tests"
    files = ("tests/contract", f"{server}/test_cache_flags.py", f"{server}/test_cache_commands.py")
    chosen = ("hostile_records", "what_ships", "misspelt_setting", "shown_and_checked")
    selected = ("-k", " or ".join(chosen))
    shown = ran(retired, sys.executable, "-m", "pytest", "-v", "-n0", *files, *selected, extra=extra)
    assert [name for name in chosen if name not in shown] == []
    assert "[typed" in shown
    assert "legacy" not in shown
